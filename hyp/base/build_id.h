/* SPDX-License-Identifier: Apache-2.0 */
/* The source's version: the Makefile writes `git describe` to build/<board>/build_id.c. Its size is
 * fixed, so that the version moves no other data. */
#pragma once

extern const char build_id[64];
