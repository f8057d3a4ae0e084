/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's arguments in its image (arch/common/arguments.inc). */
#pragma once

#define PROBE_ARGUMENTS_SIZE 240 /* bytes, the last of which is a NUL */

#ifndef __ASSEMBLER__
extern const char probe_arguments[PROBE_ARGUMENTS_SIZE];
#endif
