/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle of the vGIC, for one vCPU or several, each on a core of its own: steps, each an act of
 * a vCPU, of a device, of the CPU interface, or of a core that takes its interrupts late, are done
 * on the hypervisor above the fake GIC (cores.h) and on the model of the architecture
 * (vgic_model.h). The two are compared whenever every core has taken what was signalled to it. A
 * step that makes no sense at its place (an EOI with nothing acknowledged) does nothing, so that
 * any part of a sequence is a sequence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, act, alone, several): the function of vgic_oracle.c, and how often the step is drawn for
 * one vCPU and for each of several; by vCPU n, on interrupt intid. A private interrupt of GICv3 may
 * be another vCPU's, that of arg. */
#define VGIC_STEPS(X)                                                                              \
	X(ACK, ack, 18, 16)                                                                        \
	X(EOI, eoi, 17, 17)           /* what was acknowledged last */                             \
	X(EOI_OTHER, eoi_other, 2, 1) /* what was acknowledged as the arg-th last: out of order */ \
	X(DIR, dir, 12, 7)            /* intid, or the next one that waits for it, in any order */ \
	X(LATE, late, 6, 8)      /* n's core takes nothing for so many (arg) of the next steps */  \
	X(PUT, put, 1, 5)        /* n's core has another VM's vCPU for as long */                  \
	X(PEND, pend, 10, 12)    /* ISPENDR; an SGI to itself */                                   \
	X(UNPEND, pend, 3, 4)    /* ICPENDR; GICv2, an SGI, alone: CPENDSGIR, arg: sources */      \
	X(SGI, sgi, 5, 12)       /* to the vCPUs in arg; alone: from source arg */                 \
	X(TARGET, target, 0, 10) /* to vCPU arg, or to none; GICv3: or to any */                   \
	X(LINE_HIGH, line, 9, 7) /* of a device: emulated, by n's core; or physical */             \
	X(LINE_LOW, line, 8, 5)                                                                    \
	X(RAISE, raise, 2, 7)  /* a physical SPI becomes pending */                                \
	X(ARRIVE, raise, 1, 4) /* likewise, and n's core takes it, whatever its route is */        \
	X(ENABLE, enable, 8, 4)                                                                    \
	X(DISABLE, enable, 4, 2)                                                                   \
	X(PRIORITY, priority, 5, 2) /* arg */                                                      \
	X(ACTIVATE, active, 2, 1)   /* ISACTIVER */                                                \
	X(DEACTIVATE, active, 2, 1)                                                                \
	X(GROUP, group, 4, 0)          /* arg: Group 1 */                                          \
	X(EDGE, edge, 2, 1)            /* arg: edge, else level; physical: only while disabled */  \
	X(DIST, dist, 2, 1)            /* GICD_CTLR: arg, bit g = Group g */                       \
	X(CPU_GROUPS, interface, 1, 1) /* arg, likewise */                                         \
	X(POINT, interface, 1, 1)      /* BPR, with nothing active: arg, odd: CBPR */              \
	X(MASK, interface, 2, 1)       /* PMR: arg */                                              \
	X(WFI, wfi, 2, 1)              /* until the next step, it may be */                        \
	X(READ, read, 1, 2)            /* any register, while cores are late */

enum vgic_step_kind {
#define X(name, act, alone, several) STEP_##name,
	VGIC_STEPS(X)
#undef X
		STEP_KINDS
};

struct vgic_step {
	enum vgic_step_kind kind;
	uint8_t n, intid, arg;
};

struct vgic_setup {
	unsigned vcpu_count, lr_count;
	bool link_hw, split_eoi;
	/* Spoils something after step `i`; NULL: nothing. */
	void (*sabotage)(const struct vgic_step *step, unsigned i);
};

struct vgic_failure {
	const char *what; /* NULL: all was right */
	size_t step;
	unsigned intid; /* whose state is wrong, where it is one's */
};

/* X(name, least): how often something happened since the start of the program, and how often it
 * must have happened after all random sequences. */
#define VGIC_SEEN(X)                                                                               \
	X(acks, 2000)         /* of an interrupt */                                                \
	X(deeper, 100)        /* ... with more active by then than there are list registers */     \
	X(waiting, 1000)      /* steps after which something waited for a list register */         \
	X(in_memory, 1000)    /* ... something was active in memory */                             \
	X(traps, 100)         /* writes to DIR that trapped */                                     \
	X(out_of_order, 10)   /* ends */                                                           \
	X(late, 100)          /* steps that a core did not look after */                           \
	X(late_acks, 100)     /* by a vCPU whose core was late, of several */                      \
	X(compared, 1000)     /* states of several vCPUs */                                        \
	X(moved_pending, 100) /* SPIs retargeted while pending, */                                 \
	X(moved_active, 100)  /* active, */                                                        \
	X(unrouted, 100)      /* pending, for no vCPU */                                           \
	X(arrived, 10)        /* at a core that was not the target's */                            \
	X(races, 10)          /* the model did not know */                                         \
	X(sources, 100)       /* GICv2, alone: SGIs that were pending from three cores or more */  \
	X(senders, 100)       /* GICv2: SGIs that were pending from two vCPUs or more */

struct vgic_seen {
#define X(name, least) unsigned long name;
	VGIC_SEEN(X)
#undef X
};
extern struct vgic_seen vgic_seen;

struct vgic_failure vgic_oracle(const struct vgic_setup *setup, const struct vgic_step *steps,
				size_t count);

/* Makes a sequence that fails as short as it goes, in place; returns its length. */
size_t vgic_shrink(const struct vgic_setup *setup, struct vgic_step *steps, size_t count);

/* NULL when all was right; else says what was not, after printing the shortest way there: the steps
 * as lines to paste as a case of its own, with the setup and the failure. */
const char *vgic_check(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count);
