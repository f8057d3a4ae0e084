/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of linker/hyp.ld.S: the parts of the image, page-aligned. */
#pragma once

#include "abi/plan.h"
#include "arch/types.h"

extern uint8_t __image_start[];
extern uint8_t __text_start[], __text_end[];
extern uint8_t __rodata_start[], __rodata_end[];
extern uint8_t __data_start[], __data_end[];

/* PERCPU variables, and the copies of all cores but core 0 (hyp/cpu/percpu.h). */
extern uint8_t __percore_start[], __percore_end[], __percore_copies[];

/* The guest image, embedded by hyp/arch/common/embedded.S. */
extern const uint8_t __guest_image_start[], __guest_image_end[];

/* The background VM's code, guest/arch/background/<isa>.S: one page. */
extern const uint8_t __background_start[];

/* The plan, in a section that `hypbench patch` may rewrite. */
extern const struct plan_section plan_section;
