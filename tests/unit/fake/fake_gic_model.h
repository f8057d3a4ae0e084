/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the fake GIC's states (fake_gic.c) and its registers (fake_gic_regs.c). */
#pragma once

#include "drivers/gic/gic_virt.h"
#include "tests/unit/fake/fake_gic.h"

#define FAKE_GIC_NOWHERE (~(uint64_t)0)

struct fake_irq {
	bool enabled;
	bool pending_latch; /* pending by a write or an edge */
	bool line;
	bool active;
	bool edge;
	uint64_t route; /* route of an SPI: ITARGETSR or IROUTER */
	uint8_t priority;
	unsigned deactivations;
};

/* A CPU interface, physical or virtual. */
struct fake_interface {
	uint8_t groups; /* bit g: Group g is on; physical interface: any bit enables all */
	bool split_eoi;
	uint8_t mask;            /* PMR */
	uint8_t point[2];        /* BPR of Groups 0 and 1; only virtual */
	bool common_point;       /* CBPR: Group 1 uses the BPR of Group 0 */
	uint32_t active_prio[2]; /* APR: bit p = priority p << 3 is active */
};

struct fake_gic {
	struct fake_irq irq[FAKE_GIC_INTIDS];
	bool dist_enabled;
	struct fake_interface cpu;
	struct fake_interface guest;
	bool acked_group1; /* the guest's last acknowledge was of Group 1 */
	uint32_t hcr;      /* GICH_HCR, ICH_HCR_EL2 */
	unsigned lr_count;
	bool has_tdir; /* ICH_VTR_EL2.TDS */
	uint64_t lr[GIC_LR_MAX];
	uint32_t this_core; /* this core's bit in ITARGETSR; a reset makes it core 2 */
};
extern struct fake_gic fake_gic;

void fake_gic_broken(const char *rule);

uint32_t fake_gic_ack(void);
void fake_gic_eoi(uint32_t iar);
void fake_gic_deactivate(uint32_t iar);
bool fake_gic_pending(unsigned intid);

void fake_gic_write_lr(unsigned i, uint64_t value);

/* A VM switch begins or ends. During the switch a list register may be written before its physical
 * interrupt is active. */
void fake_gic_switch(bool begins);
uint32_t fake_gic_elrsr(void);
uint32_t fake_gic_eisr(void);
uint32_t fake_gic_misr(void);

/* Return true if interrupt `intid` is routed to this core. */
bool fake_gic_routed_here(unsigned intid);

void fake_gic_hook_registers(void);
