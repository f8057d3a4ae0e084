/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GIC's virtual interface control, for the hypervisor: list registers and the maintenance
 * interrupt. GICv2 (GICH, IHI 0048B 5.3) and GICv3 (ICH_*_EL2, IHI 0069 12.4) have the same
 * functions. The value of a list register has 64 bits in the hardware's format, which only this
 * driver interprets.
 */
#pragma once

#include "arch/types.h"

#define GIC_LR_MAX 16u

/* The values are those of the hardware. */
enum gic_lr_state { GIC_LR_INVALID, GIC_LR_PENDING, GIC_LR_ACTIVE, GIC_LR_PENDING_ACTIVE };

/* The virtual interface of a vCPU that is not loaded. All zero means off and empty. */
struct gic_virt_state {
	/* gic_virt_switch() compares two registers at once. */
	union {
		struct {
			uint32_t hcr, vmcr;
		};
		uint64_t control;
	};
	union {
		uint32_t apr[2]; /* active priorities; GICv3: of Group 0 and Group 1 */
		uint64_t active;
	};
	uint32_t used; /* bit i: lr[i] holds an interrupt, or an end that awaits its follow-up */
	uint64_t lr[GIC_LR_MAX];
};

/* The contents of a list register. */
struct gic_lr {
	unsigned vintid;
	enum gic_lr_state state;
	uint8_t priority; /* the hardware keeps the upper 5 bits */
	bool hw;          /* the guest's deactivation also deactivates physical `pintid` */
	unsigned pintid;
	bool group1; /* the guest's Group 1 */
	/* (hw false) raise a maintenance interrupt when the guest ends this interrupt */
	bool eoi_irq;
	unsigned source; /* GICv2, SGIs: the sending core, 0-7; else 0 */
};

uint64_t gic_lr_encode(const struct gic_lr *lr);
enum gic_lr_state gic_lr_state(uint64_t value);

/* Return the value with another priority. */
uint64_t gic_lr_with_priority(uint64_t value, uint8_t priority);

/* Return the value with a maintenance interrupt at its end and without a link (hw): the end no
 * longer deactivates the physical interrupt. */
uint64_t gic_lr_with_eoi_irq(uint64_t value);

/* Return the source in the value of a GICv2 SGI; 0 on GICv3. */
unsigned gic_lr_source(uint64_t value);
uint8_t gic_lr_priority(uint64_t value);

/* Return this interrupt's active priority by the guest's binary point, as a bit of
 * gic_virt_active_priorities(). */
uint32_t gic_lr_active_priority(uint64_t value);

/* Prepare EL2's side of the CPU interface. Return the number of list registers, 0 if the GIC has no
 * virtualization. This call must precede gic_cpu_init(). */
unsigned gic_virt_init(void);

/* Prepare for a fresh guest: list registers empty, no active priorities, the virtual CPU interface
 * as at reset, virtual interrupts signalled. */
void gic_virt_reset(void);

/* Reset the virtual CPU interface, which then signals no interrupt; list registers stay. */
void gic_virt_cpu_reset(void);

/* Turn the virtual interface off: no interrupt is signalled to a guest. */
void gic_virt_off(void);

uint64_t gic_lr_read(unsigned index);
void gic_lr_write(unsigned index, uint64_t value);

/*
 * Return the empty list registers: bit i is list register i. Bits beyond the last register are 0.
 */
uint32_t gic_lr_empty(void);
bool gic_lr_is_empty(unsigned i); /* for a list register in use */

/* Return the list registers whose interrupt has eoi_irq and was ended by the guest: bit i is list
 * register i. A write to the list register clears the bit. */
uint32_t gic_lr_ended(void);

/* Set the events, in addition to eoi_irq, that raise a maintenance interrupt. */
#define GIC_VIRT_NONE_PENDING 1u   /* no list register is pending */
#define GIC_VIRT_ENDS_ELSEWHERE 2u /* the guest ended an interrupt that no list register has */
#define GIC_VIRT_GROUP_CHANGES 4u  /* the guest turned a group of its CPU interface on or off */
void gic_virt_set_events(unsigned events);

/* Return the number of interrupts in no list register that the guest ended since the last call or
 * the last gic_virt_set_events(). If the GIC can trap the guest's writes to DIR (GICv3,
 * ICH_VTR_EL2.TDS), GIC_VIRT_ENDS_ELSEWHERE makes these writes trap instead, since they may come in
 * any order. */
unsigned gic_virt_ends_elsewhere(void);

/* Return whether gic_virt_ends_elsewhere() may return more than 0. This call does not change the
 * number. */
bool gic_virt_any_end_elsewhere(void);

/* The guest's CPU interface: the enabled groups (bit g = Group g), whether its EOI only drops the
 * priority, and the active priorities (bit p = priority p << 3). */
unsigned gic_virt_groups(void);
bool gic_virt_split_eoi(void);
uint32_t gic_virt_active_priorities(void);

/* GICv2: return the physical address to map at the guest's GICC, which is GICV or the guest's own
 * GICC; 0 if there is none. */
uintptr_t gic_guest_cpu_pa(bool guest_owns_the_interface);

/* Save the virtual interface to memory, which empties the list registers; load another interface,
 * or the same. No guest may run in between. */
void gic_virt_save(struct gic_virt_state *state);
void gic_virt_restore(const struct gic_virt_state *state);

/* Save `from`, and load the parts of `to` that differ. Return false if gic_virt_switch_lrs() must
 * follow: other list registers than the first one of `to` are in use. */
bool gic_virt_switch(struct gic_virt_state *from, const struct gic_virt_state *to);
void gic_virt_switch_lrs(struct gic_virt_state *from, const struct gic_virt_state *to);
