/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle of the vGIC: steps, each an act of a guest, of a device or of the CPU interface, are
 * done on the vGIC above the fake GIC and on the model of the architecture, and the two are
 * compared after each. A step that makes no sense at its place (an EOI with nothing acknowledged)
 * does nothing, so that any part of a sequence is a sequence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, weight): how often it is drawn, of 128. */
#define VGIC_STEPS(X)                                                                              \
	X(ACK, 18)      /* until IAR says that there is nothing: once */                           \
	X(EOI, 17)      /* what was acknowledged last */                                           \
	X(LATE, 6)      /* so many (arg) of the next steps come before the hypervisor looks */     \
	X(EOI_OTHER, 2) /* what was acknowledged as the arg-th last: out of order */               \
	X(DIR, 12)      /* intid, or the next one that waits for it, in any order */               \
	X(PEND, 10)     /* ISPENDR; an SGI to itself */                                            \
	X(UNPEND, 3)    /* ICPENDR; GICv2, an SGI: CPENDSGIR, arg: sources */                      \
	X(SGI, 5)       /* from source arg (GICv3: from itself) */                                 \
	X(LINE_HIGH, 9) /* of a device, emulated or physical */                                    \
	X(LINE_LOW, 8)                                                                             \
	X(RAISE, 2) /* HC_RAISE: a physical SPI pends, unknown to the vGIC */                      \
	X(ENABLE, 8)                                                                               \
	X(DISABLE, 4)                                                                              \
	X(PRIORITY, 5)   /* arg */                                                                 \
	X(ACTIVATE, 2)   /* ISACTIVER */                                                           \
	X(DEACTIVATE, 2) /* ICACTIVER */                                                           \
	X(GROUP, 4)      /* arg: Group 1 */                                                        \
	X(EDGE, 2)       /* arg: edge, else level; physical: only while disabled */                \
	X(DIST, 2)       /* GICD_CTLR: arg, bit g = Group g */                                     \
	X(CPU_GROUPS, 1) /* arg, likewise */                                                       \
	X(AWAY, 1)       /* another VM has the core; arg: RAISE, else LINE_HIGH meanwhile */       \
	X(WFI, 2)        /* until the next one, it may be */                                       \
	X(POINT, 1)      /* BPR, with nothing active: arg, odd: CBPR */                            \
	X(MASK, 2)       /* PMR: arg */

enum vgic_step_kind {
#define X(name, weight) STEP_##name,
	VGIC_STEPS(X)
#undef X
};

struct vgic_step {
	enum vgic_step_kind kind;
	uint8_t intid;
	uint8_t arg;
};

struct vgic_setup {
	unsigned lr_count;
	bool link_hw;
	bool split_eoi;
	void (*sabotage)(unsigned step); /* after each step; NULL: none */
};

struct vgic_failure {
	const char *what; /* NULL: all was right */
	size_t step;
	unsigned intid; /* whose state is wrong, where it is one's */
};

/* How often something happened since the start of the program: what is rare is to be met. */
struct vgic_seen {
	unsigned long acks;    /* of an interrupt */
	unsigned long deeper;  /* ... with more active by then than there are list registers */
	unsigned long waiting; /* steps after which something waited for a list register */
	unsigned long
		in_memory;   /* ... something that the guest acknowledged was active in memory */
	unsigned long traps; /* writes to DIR that trapped */
	unsigned long out_of_order; /* ends */
	unsigned long late;         /* steps that the hypervisor did not look after */
	unsigned long many_sources; /* SGIs that were pending from three cores or more */
};
extern struct vgic_seen vgic_seen;

#define VGIC_INTIDS 17u
extern const uint8_t vgic_intids[VGIC_INTIDS]; /* those that are in use */

struct vgic_failure vgic_oracle(const struct vgic_setup *setup, const struct vgic_step *steps,
				size_t count);

/* Makes a sequence that fails as short as it goes, in place; returns its length. */
size_t vgic_shrink(const struct vgic_setup *setup, struct vgic_step *steps, size_t count);

/* The steps as C initializers, to paste as a case of its own, with the setup and the failure. */
void vgic_print(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count);

/* NULL when all was right; else says what was not, after printing the shortest way there. */
const char *vgic_check(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count);
