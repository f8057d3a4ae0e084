/* SPDX-License-Identifier: Apache-2.0 */
/* The VM of the tests of hyp/trap/trap.c: one emulated device, RAM that may be mapped at its first
 * touch, and exits taken as the vectors would take them. */
#pragma once

#include "hyp/vm/vm.h"
#include "tests/unit/vgic_guest.h"

#define DEVICE 0x09000000u
#define DEVICE_SIZE 0x1000u
#define LDR_W3 0x93830005u
#define STR_W12 0x938c0045u

/* Syndromes of stage-2 translation faults, level 3 */
#define DABT_LDP 0x92000007u   /* without a description of the access */
#define DABT_DC 0x92000147u    /* cache maintenance */
#define DABT_S1PTW 0x92000087u /* a stage-1 walk */
#define IABT 0x82000007u
#define IABT_S1PTW 0x82000087u

#define RAM FAKE_GUEST_BASE
#define RAM_SIZE 0x1000000u

/* The device: its last access, and the value that it returns. */
struct trap_device {
	unsigned reads, writes;
	uint32_t offset;
	unsigned size;
	uint64_t value;
};

extern struct trap_device device;

static struct vcpu *const vcpu = &guest_vcpu;

/* Call before each test. */
void trap_setup(void);

/* Make guest RAM be mapped at its first touch, with `pool_pages` pages for tables. */
void be_lazy(enum stage2_grain grain, unsigned pool_pages);
extern struct guest_ram lazy_ram;

/* Take a trap with syndrome `esr`. Return the vCPU that runs next, or NULL. */
struct vcpu *take(uint32_t esr);

/* Make a hypercall that returns to this vCPU, and return its result. */
reg_t call(reg_t id, reg_t first, reg_t second);

/* Make the hypercall EXIT, which does not return to the guest. */
void exit_with(reg_t reason);

/* As take(), and assert that EL2 emulates the access and the guest goes on after it. */
void assert_skips(uint32_t esr);

/* As take(), and assert that the trap stops the VM and reports `reason`. */
void assert_stops(uint32_t esr, enum fault_reason reason);
