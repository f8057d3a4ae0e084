/* SPDX-License-Identifier: Apache-2.0 */
/* The source's version: the Makefile writes `git describe` to build/<board>/build_id.c. */
#pragma once

extern const char build_id[];
