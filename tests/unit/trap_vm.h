/* SPDX-License-Identifier: Apache-2.0 */
/* The VM of the tests of hyp/trap/trap.c: one emulated device, RAM that may be mapped at its first
 * touch, and exits that are taken as the vectors would. */
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

/* The device: what it was asked last, and what it answers. */
struct trap_device {
	unsigned reads, writes;
	uint32_t offset;
	unsigned size;
	uint64_t value;
};

extern struct trap_device device;

static struct vcpu *const vcpu = &guest_vcpu;

/* Before each test. */
void trap_setup(void);

/* Guest RAM is to be mapped at its first touch, with this many pages for tables. */
void be_lazy(enum stage2_grain grain, unsigned pool_pages);
extern struct guest_ram lazy_ram;

/* Takes the trap of a syndrome. */
struct vcpu *take(uint32_t esr);

/* Makes a hypercall, from which this vCPU comes back; returns its result. */
reg_t call(reg_t id, reg_t first, reg_t second);

/* The guest's EXIT, from which it does not come back. */
void exit_with(reg_t reason);

/* As take(). Emulated: the guest goes on after the instruction. */
void assert_skips(uint32_t esr);

/* The VM is stopped, and the record says why. */
void assert_stops(uint32_t esr, enum fault_reason reason);
