/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest on the emulated GIC: the real vgicd, vgic, trap code and GIC driver run above the fake
 * GIC, a GICv2. After each action of the guest the hypervisor handles every exit that the action
 * causes, as on a core.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

#define GUEST_TIMER 27u /* forwarded like SPIs from FAKE_SPI_FIRST on; a level like CNTV's */

extern struct vcpu guest_vcpu;

/* Choose between an unmodified guest and the bench guest, which guest_boot() chooses. */
void guest_is_unmodified(bool is);

/* Boot a fresh machine with four list registers. The guest's distributor and CPU interface are on,
 * and no interrupt is enabled. */
void guest_boot(bool link_hw);

/* Give the core to another VM, which has no interrupts, and back to the guest. */
void guest_leave(void);
void guest_return(void);

/* Return the number of interrupt exits since the boot, maintenance interrupts included. */
unsigned guest_exits(void);

/* The distributor. */
void guest_set_enabled(unsigned intid, bool enabled);
void guest_set_dist_enabled(bool enabled);

/* Send an SGI from the guest to itself. */
void guest_send_sgi(unsigned id);

/* Call HC_RAISE: the guest's device with SPI `intid` (FAKE_SPI_FIRST and so on) fires. Return the
 * result of the hypercall. */
long guest_raise(uint64_t intid);

/* CPU interface */
uint32_t guest_ack(void);
void guest_eoi(uint32_t iar);

/* Set the timer's line. */
void guest_timer(bool high);

/* --- for tests of one situation each --- */

void guest_enable(unsigned intid, uint8_t priority);
void guest_pend(unsigned intid);
void guest_enable_and_pend(unsigned intid, uint8_t priority);

/* Assert that the guest takes this interrupt, and end it; assert that it finds no interrupt. */
void guest_assert_takes(uint32_t iar);
void guest_assert_takes_nothing(void);

/* Call after a test: fail if a rule of the GIC was broken or a maintenance interrupt stays high. */
void guest_check_rules(void);
