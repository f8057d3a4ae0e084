/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest of up to four vCPUs on as many cores, for tests of the emulated distributor. vCPU 0 runs
 * on the last core. The cores take turns on one fake GIC: its private half (private interrupts, CPU
 * interface, list registers) belongs to the core whose turn it is. After each action of the guest
 * every core takes the interrupts that are signalled to it, through hyp/trap/trap.c.
 */
#pragma once

#include "hyp/vm/vm.h"

#define CORES_TIMER 27u

/* Boot the guest with its groups, CPU interfaces and distributor on. The SPIs from FAKE_SPI_FIRST
 * on are physical SPIs of the guest. On GICv3 every interrupt is in Group 1. */
void cores_boot(unsigned count);
void cores_boot_as(unsigned count, unsigned lr_count, bool link_hw, bool split_eoi);

#define cores_vm vms[0]

/* Give the turn to the core of vCPU n. */
void cores_on(unsigned n);

/* Run all pieces of the reset of vCPU n's private interrupts, as at the vCPU's CPU_OFF. */
void cores_reset_private(unsigned n);

/* Accesses by vCPU n */
uint64_t dist_read(unsigned n, uint32_t offset, unsigned size);
void dist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value);
uint64_t redist_read(unsigned n, uint32_t offset, unsigned size);
void redist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value);
void sgi_write(unsigned n, void (*send)(struct vcpu *, uint64_t), uint64_t value);
void sgi1r_write(struct vcpu *vcpu, uint64_t value); /* as the trap handler writes it */

/* CPU interface of vCPU n */
uint32_t cpu_ack(unsigned n);
void cpu_eoi(unsigned n, uint32_t iar);
void cpu_deactivate(unsigned n, uint32_t iar); /* with split_eoi */
void assert_takes(unsigned n, uint32_t iar);
void assert_nobody_takes_anything(void);

/* Functions for any SPI. spi_enable() also sets priority 0x40. spi_target() writes ITARGETSR on
 * GICv2 and IROUTER on GICv3. */
void spi_enable(unsigned intid);
void spi_target(unsigned intid, unsigned n);
bool spi_is_pending(unsigned intid);
bool spi_is_active(unsigned intid);

/* spi_raise(): a physical device pends the SPI. spi_line(): an emulated device sets its line. */
void spi_raise(unsigned intid);
void spi_line(unsigned intid, bool level);

/* Like spi_raise(), but the physical GIC signals the SPI to the core of vCPU n, as if it had done
 * so before the route changed. Return false if that core does not take the SPI. */
bool spi_arrive_at(unsigned intid, unsigned n);

/* Let every core take its signalled interrupts, as after each action of the guest. */
void cores_settle(void);

/* Let the core of vCPU n take one interrupt even if held. Return false if none is signalled. */
bool cores_take_one(unsigned n);

/* Let the core of vCPU n take only the hypervisor's SGIs, even if the core is held. */
void cores_take_own_sgis(unsigned n);

/* A core that is held takes no interrupt, not even a kick. cores_release() lets it take all
 * interrupts, INTID `last` (the kick or the maintenance interrupt) after the rest. */
void cores_hold(unsigned n, bool hold);
void cores_release(unsigned n, unsigned last);

/* Load vCPU n on its core, or else a vCPU of another VM, which has an active interrupt in each list
 * register. A vCPU that is not loaded must make no access. */
void cores_load(unsigned n, bool load);
bool cores_is_loaded(unsigned n);

/* Number of kicks of other cores and of interrupt exits since the boot or cores_count_anew(). */
unsigned cores_kicks(void);
unsigned cores_exits(void);
void cores_count_anew(void);

/* Fail the test if a rule of the GIC was broken, the maintenance interrupt stays high or a retarget
 * is still pending. */
void cores_check_rules(void);
