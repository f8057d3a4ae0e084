/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest on the emulated GIC: the fake GIC below, the real vgicd, vgic, trap and driver in
 * between. Each act of the guest is followed by every exit that it causes, as on a core. The GIC is
 * a GICv2.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

#define GUEST_TIMER 27u /* forwarded, like the SPIs from FAKE_SPI_FIRST on; a level, like CNTV's */

extern struct vcpu guest_vcpu;

/* Else it is the bench guest, as guest_boot() leaves it. */
void guest_is_unmodified(bool is);

/* A fresh machine, with four list registers. The guest's distributor and CPU interface are on, and
 * no interrupt is enabled. */
void guest_boot(bool link_hw);

/* Another VM gets the core, with no interrupts of its own. */
void guest_leave(void);
void guest_return(void);

/* Interrupt exits since the boot, those of the maintenance interrupt among them. */
unsigned guest_exits(void);

/* The distributor. */
void guest_set_enabled(unsigned intid, bool enabled);
void guest_set_dist_enabled(bool enabled);

/* An SGI to itself. */
void guest_send_sgi(unsigned id);

/* HC_RAISE: a device of the guest's fires, FAKE_SPI_FIRST and so on. Returns its result. */
long guest_raise(uint64_t intid);

/* CPU interface */
uint32_t guest_ack(void);
void guest_eoi(uint32_t iar);

/* The timer's line. */
void guest_timer(bool high);

/* --- for tests of one situation each --- */

void guest_enable(unsigned intid, uint8_t priority);
void guest_pend(unsigned intid);
void guest_enable_and_pend(unsigned intid, uint8_t priority);

/* The guest takes exactly this one, and ends it; the guest finds nothing to take. */
void guest_assert_takes(uint32_t iar);
void guest_assert_takes_nothing(void);

/* After a test: no rule of the GIC was broken, and its maintenance interrupt is not left high. */
void guest_check_rules(void);
