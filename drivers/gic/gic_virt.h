/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GIC's virtual interface control, for the hypervisor: list registers and the maintenance
 * interrupt. Same functions on GICv2 (GICH, IHI 0048B 5.3) and GICv3 (ICH_*_EL2, IHI 0069 12.4).
 * A list register is handled as a 64-bit value in the hardware's own format; only this driver
 * knows the format.
 */
#pragma once

#include "arch/types.h"

#define GIC_LR_MAX 16u

enum gic_lr_state {
	GIC_LR_INVALID = 0,
	GIC_LR_PENDING = 1,
	GIC_LR_ACTIVE = 2,
	GIC_LR_PENDING_ACTIVE = 3,
};

/* The virtual interface of a vCPU that does not run. All zero: off, and empty. */
struct gic_virt_state {
	uint32_t used; /* bit i: lr[i] holds something, or an end that is not followed up yet */
	uint32_t hcr, vmcr;
	uint32_t apr[2]; /* active priorities, GICv3: of Group 0 and 1 */
	uint64_t lr[GIC_LR_MAX];
};

/* What a list register says. */
struct gic_lr {
	unsigned vintid;
	enum gic_lr_state state;
	uint8_t priority; /* the hardware keeps the upper 5 bits */
	bool hw;          /* the guest's deactivation also deactivates physical `pintid` */
	unsigned pintid;
	bool group1;     /* signalled as the guest's Group 1 */
	bool eoi_irq;    /* (hw false) a maintenance interrupt when the guest ends it */
	unsigned source; /* GICv2, SGIs: the core that sent it, 0-7; else 0 */
};

uint64_t gic_lr_encode(const struct gic_lr *lr);
enum gic_lr_state gic_lr_state(uint64_t value);

/* The same value with another state. */
uint64_t gic_lr_with_state(uint64_t value, enum gic_lr_state state);

/* The same value, but with a maintenance interrupt at its end. One that was linked (hw) is so no
 * longer: the end no longer deactivates the physical interrupt. */
uint64_t gic_lr_with_eoi_irq(uint64_t value);

/* GICv2, SGIs: the source in a value; 0 on GICv3. */
unsigned gic_lr_source(uint64_t value);
uint8_t gic_lr_priority(uint64_t value);

/* The priority that is active while this interrupt is, which the guest's binary point says; as
 * gic_virt_active_priorities() has it. */
uint32_t gic_lr_active_priority(uint64_t value);

/* Prepares EL2's side of the CPU interface. Returns the number of list registers, 0 where the GIC
 * has no virtualization. Call before gic_cpu_init(). */
unsigned gic_virt_init(void);

/* For a fresh guest: list registers empty, no active priorities, the virtual CPU interface as at
 * reset, virtual interrupts signalled. */
void gic_virt_reset(void);

/* The virtual CPU interface alone as at reset, which signals nothing; list registers stay. */
void gic_virt_cpu_reset(void);

/* The virtual interface off: nothing is signalled to a guest. */
void gic_virt_off(void);

uint64_t gic_lr_read(unsigned index);
void gic_lr_write(unsigned index, uint64_t value);
void gic_lr_clear(unsigned index); /* as gic_lr_write(index, 0), for a path that is to be short */

/* Bit i: list register i holds nothing. Registers beyond the last read as 0 here. */
uint32_t gic_lr_empty(void);

/* Bit i: the guest ended list register i's interrupt, which asked for it by eoi_irq. The bit goes
 * when the list register is written. */
uint32_t gic_lr_ended(void);

/* What else than the end of a list register's interrupt gives a maintenance interrupt, in place of
 * what did. */
#define GIC_VIRT_NONE_PENDING 1u   /* no list register is pending */
#define GIC_VIRT_ENDS_ELSEWHERE 2u /* the guest ended something that is in no list register */
#define GIC_VIRT_GROUP_CHANGES 4u  /* it turned a group of its CPU interface on or off */
void gic_virt_set_events(unsigned events);

/* How many interrupts the guest ended that were in no list register since this was asked last, or
 * since the last gic_virt_set_events(). With GIC_VIRT_ENDS_ELSEWHERE its writes to DIR trap instead
 * where the GIC can do that (GICv3, ICH_VTR_EL2.TDS), as they may come in any order. */
unsigned gic_virt_ends_elsewhere(void);

/* The guest's CPU interface: the groups that are on (bit g = Group g), whether its EOI only drops
 * the priority, and the priorities that are active (bit p = priority p << 3). */
unsigned gic_virt_groups(void);
bool gic_virt_split_eoi(void);
uint32_t gic_virt_active_priorities(void);

/* The guest's view of GICC lies behind GICV on GICv2; 0 where there is nothing to map. */
uintptr_t gic_guest_cpu_pa(bool guest_owns_the_interface);

/* The virtual interface to memory, which leaves the list registers empty; and another one, or the
 * same, back: until then nothing of the guest may run. */
void gic_virt_save(struct gic_virt_state *state);
void gic_virt_restore(const struct gic_virt_state *state);
