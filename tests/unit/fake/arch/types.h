/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for arch/<isa>/include/arch/types.h on the host: the 64-bit one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t reg_t;
typedef uint64_t pa_t;
typedef uint64_t ipa_t;
typedef uint64_t va_t;
