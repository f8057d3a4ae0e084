/* SPDX-License-Identifier: Apache-2.0 */
/* Which source this is: `git describe`, written into build/<board>/build_id.c by the Makefile. */
#pragma once

extern const char build_id[];
