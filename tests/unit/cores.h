/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest of up to four vCPUs on as many cores, vCPU 0 on the last core, for the emulated
 * distributor: one fake GIC whose
 * private half (private interrupts, CPU interface, list registers) is that of the core that has its
 * turn. After
 * each act of the guest every core takes what is signalled to it, through hyp/trap/trap.c.
 */
#pragma once

#include "hyp/vm/vm.h"

#define CORES_TIMER 27u

/* FAKE_SPI_FIRST and on are physical SPIs of the guest's. Its groups, CPU interfaces and
 * distributor are on; GICv3: everything is in Group 1. */
void cores_boot(unsigned count);
void cores_boot_as(unsigned count, unsigned lr_count, bool link_hw, bool split_eoi);

#define cores_vm vms[0]

/* The turn of the core of vCPU n. */
void cores_on(unsigned n);

/* vCPU `n` turns itself off: all pieces of the reset of its private interrupts. */
void cores_reset_private(unsigned n);

/* Accesses by vCPU n */
uint64_t dist_read(unsigned n, uint32_t offset, unsigned size);
void dist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value);
uint64_t redist_read(unsigned n, uint32_t offset, unsigned size);
void redist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value);
void sgi_write(unsigned n, void (*send)(struct vcpu *, uint64_t), uint64_t value);
void sgi1r_write(struct vcpu *vcpu, uint64_t value); /* as the trap writes it */

/* CPU interface of vCPU n */
uint32_t cpu_ack(unsigned n);
void cpu_eoi(unsigned n, uint32_t iar);
void cpu_deactivate(unsigned n, uint32_t iar); /* with split_eoi */
void assert_takes(unsigned n, uint32_t iar);
void assert_nobody_takes_anything(void);

/* An SPI of any kind: enabled with priority 0x40; its target, as the version has it. */
void spi_enable(unsigned intid);
void spi_target(unsigned intid, unsigned n);
bool spi_is_pending(unsigned intid);
bool spi_is_active(unsigned intid);

/* A device of the machine pends SPI `intid`; an emulated device's line. */
void spi_raise(unsigned intid);
void spi_line(unsigned intid, bool level);

/* As spi_raise(), but if it is signalled, it is to the core of vCPU n: sent there before its route
 * changed. False: it is not. */
bool spi_arrive_at(unsigned intid, unsigned n);

/* Every core takes what is signalled, as after each act. */
void cores_settle(void);

/* The core of vCPU n takes one interrupt, though it is held. Returns false if none is signalled. */
bool cores_take_one(unsigned n);

/* The core of vCPU n takes the hypervisor's SGIs alone, though it is held. */
void cores_take_own_sgis(unsigned n);

/* The core of vCPU n takes no interrupt, not even a kick; until it takes all, INTID `last` (the
 * kick or the maintenance interrupt) after the rest. */
void cores_hold(unsigned n, bool hold);
void cores_release(unsigned n, unsigned last);

/* The core of vCPU n has it, or another VM's vCPU, which has an active interrupt in each list
 * register. A vCPU that is not loaded makes no access. */
void cores_load(unsigned n, bool load);
bool cores_is_loaded(unsigned n);

/* Since the boot, or cores_count_anew(): kicks of another core, and interrupt exits. */
unsigned cores_kicks(void);
unsigned cores_exits(void);
void cores_count_anew(void);

/* As guest_check_rules() */
void cores_check_rules(void);
