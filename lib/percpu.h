/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable that every core has of its own. It stands in a section that each core's EL2 tables map
 * at the same address to another physical page (hyp/cpu/mmu.c), so that it costs nothing more to
 * use than any other variable, and code with one core in mind is right on each. All zero at the
 * start: the section has no contents. Never shared by a pointer with another core, which would find
 * its own there; hyp/cpu/percpu.h has that way. In the guest, which has one core, it is an ordinary
 * one.
 */
#pragma once

#define CORE_MAX 4 /* linker/hyp.ld.S knows it */

#define PERCPU __attribute__((section(".bss.percore")))
