/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of the machine: a general register, and the three kinds of address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t reg_t; /* a general-purpose register */
typedef uint64_t pa_t;   /* physical address; Armv7: up to 40 bits with the LPAE format */
typedef uint64_t ipa_t;  /* intermediate physical address: a physical address for the guest */
typedef uintptr_t va_t;  /* virtual address */
