/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of the machine: a general register, and the three kinds of address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t reg_t; /* a general-purpose register */
typedef uint64_t pa_t;  /* physical address */
typedef uint64_t ipa_t; /* intermediate physical address: what a guest takes for physical */
typedef uint64_t va_t;  /* virtual address */
