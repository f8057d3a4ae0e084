/* SPDX-License-Identifier: Apache-2.0 */
/* The source's commit, and -dirty if files differ: the Makefile writes build/<board>/build_id.c.
 * Its size is fixed, so that the commit moves no other data. */
#pragma once

extern const char build_id[64];
