/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual CPU. Its frame comes first and its hypervisor stack lies just below it, so that in
 * hypervisor context the stack pointer an exit begins with *is* the struct vcpu:
 *
 *      lower addresses            sp at trap_*()            sp in guest context (SP_EL2, SP_hyp)
 *      [ stack, grows down … ]    [ frame ]                 [ vm, … ]
 *
 * (Armv7: in guest context it points between the frame's light part and the rest, which saves a
 * subtraction at each exit; arch/trap_frame.h.)
 */
#pragma once

#include "arch/el1_regs.h"
#include "arch/sysreg.h"
#include "arch/trap_frame.h"
#include "hyp/arch/cpu.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/timerq.h"
#include "hyp/vcpu/vgic.h"

#define VCPU_STACK_SIZE 8192
#define VCPU_MAX 4u /* of a VM */

struct vm;
struct vgicd;
struct vcpu;
struct exit_stats;

/* Handles an exit of syndrome `esr`; runs a hypercall, arguments and result in the frame. Returns
 * the vCPU to resume, or NULL when the VM is at its end. */
typedef struct vcpu *trap_handler(struct vcpu *vcpu, uint32_t esr);
typedef struct vcpu *hypercall(struct vcpu *vcpu);

enum vcpu_state {
	VCPU_STATE_OFF,     /* the scheduler does not know the vCPU */
	VCPU_STATE_READY,   /* in the run queue of its core */
	VCPU_STATE_RUNNING, /* has the core, or gets it when this exit ends */
	VCPU_STATE_BLOCKED, /* since a WFI; no interrupt came since */
	VCPU_STATE_PAUSED,
};

/* vcpu->power. Another core changes OFF by way of CLAIMED; the vCPU's own core does the rest: OFF
 * says that no state of the last run is left (hyp/vm/vm_core.c). */
enum vcpu_power {
	VCPU_OFF,
	VCPU_CLAIMED,  /* another core writes entry and context, to turn it on */
	VCPU_STARTING, /* its core is to start it */
	VCPU_ON,
};

/* EL1's registers, each as wide as it reads. */
struct el1_regs {
#define X(name, ...) __typeof__(read_##name()) name;
	EL1_REGS(X)
};

struct el1_auxiliary {
	EL1_AUXILIARY_REGS(X)
#undef X
};

/* vcpu->load_work */
#define VCPU_CNTP_DUE 1u /* an emulated CNTP's line rises */
#define VCPU_FP_EAGER 2u
#define VCPU_CNTP_WATCHED 8u /* physical_timer is, or was, in the queue */
#define VCPU_DIFFERS 4u      /* in EL2's registers, from another vCPU of the core */
#define VCPU_SHARES_PPIS 16u /* another vCPU of the core has PPIs, too */
#define VCPU_AUXILIARY 32u   /* the core has EL1's auxiliary registers, or newer ones */
#define VCPU_WORKS 64u       /* EL2 works in the guest's place: no switch enters it */
#define VCPU_HOLDS_SPI 128u  /* held_spi is disabled until the vCPU is loaded */

/* EL2's registers that a vCPU may have of its own. */
#define EL2_REGS(X)                                                                                \
	X(hcr_el2)                                                                                 \
	X(mdcr_el2)                                                                                \
	X(cnthctl_el2)                                                                             \
	X(cntvoff_el2)                                                                             \
	X(vmpidr_el2)                                                                              \
	X(vbar_el2)

struct el2_regs {
#define X(name) __typeof__(read_##name()) name;
	EL2_REGS(X)
#undef X
};

/* The next piece of a worker: hyp/vm/vm_work.c. */
struct vcpu_work {
	uint8_t part, step;
	unsigned piece;
	uint32_t turns; /* of the guest, as the work begins */
};

/* The first member of a cache line */
#define VCPU_LINE __attribute__((aligned(64)))

/* Members that one exit or switch touches share cache lines. A large member is hot at its beginning
 * alone, so small hot members precede it. */
struct vcpu {
	struct trap_frame frame;
	uint64_t exit_start __attribute__((aligned(8))); /* CNTPCT as the vector read it */
	reg_t exit_delay; /* what delay_el2 leaves to spin, in instructions; 0: nothing */
	uint64_t vttbr;   /* always */
	/* While the vCPU is not loaded; stale else. The frame is a full one then. Here, so that one
	 * instruction reaches two registers. */
	struct el1_regs el1;
	reg_t elr, spsr;
	struct gic_virt_state gic; /* while the vCPU is not loaded */

	/* Traps and hypercalls read these. */
	struct vm *vm VCPU_LINE;
	trap_handler *const *traps; /* vm->type's, and the next: an exit has them by one load */
	hypercall *const *hypercalls;
	struct vgicd *dist; /* its VM's: hyp/vm/vgicd.h */
	unsigned index;     /* in its VM, from 0: its affinity 0.0.0.index, its GICv2 number */
	unsigned core;      /* that runs it, while the VM runs */
	struct exit_stats *stats; /* hyp/trap/exit_stats.h, where they or the trace are on */

	struct timer virtual_timer VCPU_LINE; /* hyp/vcpu/vtimer.h */
	struct fp fp;

	struct vcpu *next_of_core;   /* hyp/sched/sched.h */
	struct timer physical_timer; /* hyp/vcpu/vtimer.h */
	struct el2_regs el2;
	struct el1_auxiliary auxiliary; /* while the vCPU is not loaded */

	struct {                    /* cntp=emulated: hyp/vcpu/vtimer.h */
		struct timer timer; /* queued while the line is to rise */
		uint64_t cval;      /* ticks of CNTPCT */
		uint32_t ctl;       /* ENABLE, IMASK */
	} cntp;

	/* Turned on and off by PSCI (hyp/vm/psci.h); the rest: where it begins, and with what. */
	uint32_t power;
	reg_t start_entry, start_context;
	struct vcpu *next_attached; /* hyp/vm/vm_core.c */
	struct vcpu_work work;
	struct newer_el1 newer;      /* while the vCPU is not loaded */
	struct timer doorbell_timer; /* hyp/dev/doorbell.h */

	/* A switch reads and writes these. */
	bool loaded VCPU_LINE; /* the core has the registers */
	uint8_t load_work;     /* VCPU_*: what a load has to do beyond the usual */
	uint8_t priority;      /* hyp/sched/sched.h: the larger, the more urgent */
	uint8_t urgency;       /* as the policy has it */
	enum vcpu_state state;
	uint32_t turns;          /* times that the core came over from another vCPU */
	uint32_t active_ppis;    /* hyp/vcpu/vppi.h */
	struct vcpu *next_ready; /* hyp/sched/sched.h, and the next */
	bool sliced;             /* another vCPU takes turns with this one */
	unsigned held_spi;       /* a physical one */
	struct vgic vgic;
};

/* Offsets that hyp/arch/vectors.h names. */
_Static_assert(offsetof(struct vcpu, exit_start) == TRAP_FRAME_SIZE, "VCPU_EXIT_START");
_Static_assert(offsetof(struct vcpu, exit_delay) == TRAP_FRAME_SIZE + 8, "VCPU_EXIT_DELAY");

struct vcpu_space {
	uint8_t stack[VCPU_STACK_SIZE];
	struct vcpu vcpu;
} __attribute__((aligned(64))); /* vCPUs on two cores share no cache line */

static inline struct vcpu *vcpu_of_vgic(struct vgic *vgic)
{
	return (struct vcpu *)((char *)vgic - offsetof(struct vcpu, vgic));
}

/* The result of a hypercall. Returns `vcpu`. */
static inline struct vcpu *vcpu_result(struct vcpu *vcpu, long result)
{
	vcpu->frame.x[0] = (reg_t)result;
	return vcpu;
}

/* Enters the guest of `vcpu`, which is loaded; returns when a trap handler returns NULL instead of
 * a vCPU to resume: the vCPU that is loaded then. In hyp/arch/<isa>/vcpu_run.S. */
struct vcpu *vcpu_run(struct vcpu *vcpu);
extern uintptr_t vcpu_host_sp; /* where it was called */

/* The same return from a switch to `vcpu`, which is loaded, before it enters the guest. */
_Noreturn void vcpu_leave(struct vcpu *vcpu);

/* VCPU_AUXILIARY where this core keeps what is written to EL1_AUXILIARY_REGS, or has registers of
 * struct newer_el1, else 0. No vCPU is
 * loaded. Leaves them 0. */
uint8_t vcpu_find_auxiliary(void);

/* Whether a switch between the two has no register of EL2 to write but VTTBR. */
bool vcpu_same_el2(const struct vcpu *one, const struct vcpu *other);

/* Move the vCPU's registers to memory, which leaves the virtual interface off; and back. */
void vcpu_put(struct vcpu *vcpu);
void vcpu_load(struct vcpu *vcpu);

/* The core goes to another vCPU. Called by vcpu_run.S, the general registers are in the frame; `to`
 * is in its register already. */
void vcpu_switch(struct vcpu *to, struct vcpu *from);
