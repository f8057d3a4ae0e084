/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test oracle of the vGIC, for one vCPU or several, each on its own core. A sequence consists
 * of steps. Each step is an action of a vCPU, of a device, of the CPU interface, or of a core that
 * takes its interrupts late. The oracle does each step on the hypervisor above the fake GIC
 * (cores.h) and on the model of the architecture (vgic_model.h), and compares the two whenever
 * every core has taken its signalled interrupts. A step that makes no sense at its place (an EOI
 * with nothing acknowledged) does nothing, so that any part of a sequence is a sequence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, act, alone, several): do_<act>() of vgic_oracle.c does the step. `alone` is the weight
 * with which the step is drawn for one vCPU, `several` that for several vCPUs. vCPU n does the step
 * on interrupt intid. On GICv3 a private interrupt may belong to the vCPU in arg. */
#define VGIC_STEPS(X)                                                                              \
	X(ACK, ack, 18, 16)                                                                        \
	X(EOI, eoi, 17, 17)           /* the interrupt acknowledged last */                        \
	X(EOI_OTHER, eoi_other, 2, 1) /* the arg-th last acknowledged interrupt: out of order */   \
	X(DIR, dir, 12, 7)    /* intid, or the next interrupt that awaits its deactivation */      \
	X(LATE, late, 6, 8)   /* n's core takes no interrupt for a number of steps (arg) */        \
	X(PUT, put, 1, 5)     /* n's core runs another VM's vCPU for as many steps */              \
	X(PEND, pend, 10, 12) /* ISPENDR; an SGI from the vCPU to itself */                        \
	X(UNPEND, pend, 3, 4) /* ICPENDR; for a GICv2 SGI of one vCPU CPENDSGIR: arg, sources */   \
	X(SGI, sgi, 5, 12)    /* to the vCPUs in arg; with one vCPU: from source arg */            \
	X(TARGET, target, 0, 10) /* target vCPU arg, or no vCPU; on GICv3 also any vCPU */         \
	X(LINE_HIGH, line, 9, 7) /* line of a device: emulated by n's core, or physical */         \
	X(LINE_LOW, line, 8, 5)                                                                    \
	X(RAISE, raise, 2, 7)  /* a physical SPI becomes pending */                                \
	X(ARRIVE, raise, 1, 4) /* as RAISE, and n's core takes the SPI whatever its route is */    \
	X(ENABLE, enable, 8, 4)                                                                    \
	X(DISABLE, enable, 4, 2)                                                                   \
	X(PRIORITY, priority, 5, 2) /* priority arg */                                             \
	X(ACTIVATE, active, 2, 1)   /* ISACTIVER */                                                \
	X(DEACTIVATE, active, 2, 1)                                                                \
	X(GROUP, group, 4, 0) /* bit 0 of arg: Group 1 */                                          \
	X(EDGE, edge, 2, 1)   /* bit 0 of arg: edge, else level; physical: only while disabled */  \
	X(DIST, dist, 2, 1)   /* GICD_CTLR; bit g of arg: Group g */                               \
	X(CPU_GROUPS, interface, 1, 1) /* group enables; bit g of arg: Group g */                  \
	X(POINT, interface, 1, 1)      /* BPR, while nothing is active; odd arg: CBPR */           \
	X(MASK, interface, 2, 1)       /* PMR: arg */                                              \
	X(WFI, wfi, 2, 1)              /* checks whether the vCPU may sleep */                     \
	X(READ, read, 1, 2)            /* a state register, also while cores are late */

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
	/* Called after step `i` to plant a fault; NULL plants none. */
	void (*sabotage)(const struct vgic_step *step, unsigned i);
};

struct vgic_failure {
	const char *what; /* NULL if all was right */
	size_t step;
	unsigned intid; /* interrupt whose state is wrong, or GIC_SPURIOUS */
};

/* X(name, least): `name` counts an event since the start of the program. All random sequences
 * together must reach a count of `least`. */
#define VGIC_SEEN(X)                                                                               \
	X(acks, 2000)         /* acknowledged interrupts */                                        \
	X(deeper, 100)        /* acknowledges with more active interrupts than list registers */   \
	X(waiting, 1000)      /* steps after which an interrupt waited for a list register */      \
	X(in_memory, 1000)    /* steps after which an interrupt was spilled to memory */           \
	X(traps, 100)         /* writes to DIR that trapped */                                     \
	X(out_of_order, 10)   /* EOIs out of order */                                              \
	X(late, 100)          /* steps after which a core was late */                              \
	X(late_acks, 100)     /* acknowledges by a vCPU of several whose core was late */          \
	X(compared, 1000)     /* comparisons with several vCPUs */                                 \
	X(moved_pending, 100) /* SPIs retargeted while pending */                                  \
	X(moved_active, 100)  /* SPIs retargeted while active */                                   \
	X(unrouted, 100)      /* SPIs retargeted to no vCPU while pending */                       \
	X(arrived, 10)        /* SPIs taken by a given core whatever their route was */            \
	X(races, 10)          /* pending states that the model did not know */                     \
	X(sources, 100)       /* GICv2, one vCPU: SGIs pending from three cores or more */         \
	X(senders, 100)       /* GICv2, several vCPUs: SGIs pending from two vCPUs or more */

struct vgic_seen {
#define X(name, least) unsigned long name;
	VGIC_SEEN(X)
#undef X
};
extern struct vgic_seen vgic_seen;

struct vgic_failure vgic_oracle(const struct vgic_setup *setup, const struct vgic_step *steps,
				size_t count);

/* Shorten a sequence that fails, in place, as far as possible. Return its length. */
size_t vgic_shrink(const struct vgic_setup *setup, struct vgic_step *steps, size_t count);

/* Run a sequence. Return NULL if all was right. Otherwise print the shortest sequence that fails,
 * as lines to paste as a new case, with the setup and the failure, and return the failure. */
const char *vgic_check(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count);
