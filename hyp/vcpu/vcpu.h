/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual CPU. Its frame comes first and its hypervisor stack lies just below it, so the stack
 * pointer at the begin of an exit *is* the struct vcpu in hypervisor context:
 *
 *      lower addresses            sp at trap_*()            sp in guest context (SP_EL2, SP_hyp)
 *      [ stack, grows down … ]    [ frame ]                 [ vm, … ]
 *
 * (Armv7: in guest context sp points between the frame's light part and the rest, which saves a
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
#define VCPU_MAX 4u /* vCPUs of a VM */

struct vm;
struct vgicd;
struct vcpu;
struct exit_stats;
struct mmio_region;

/* A trap_handler handles an exit of syndrome `esr`; a hypercall has its arguments and result in the
 * frame. Both return the vCPU to resume, or NULL when the VM is at its end. */
typedef struct vcpu *trap_handler(struct vcpu *vcpu, uint32_t esr);
typedef struct vcpu *hypercall(struct vcpu *vcpu);

enum vcpu_state {
	VCPU_STATE_OFF,     /* the scheduler does not have the vCPU */
	VCPU_STATE_READY,   /* in the run queue of its core */
	VCPU_STATE_RUNNING, /* the vCPU has the core, or gets it when this exit ends */
	VCPU_STATE_BLOCKED, /* no interrupt came since the WFI */
	VCPU_STATE_PAUSED,
};

/* vcpu->power. Another core changes OFF to CLAIMED; only the vCPU's own core makes the other
 * changes. OFF means that no state of the last run is left (hyp/vm/vm_core.c). */
enum vcpu_power {
	VCPU_OFF,
	VCPU_CLAIMED,  /* another core writes entry and context, to turn the vCPU on */
	VCPU_STARTING, /* the vCPU's core has to start it */
	VCPU_ON,
};

/* EL1's registers, each in its natural width. */
struct el1_regs {
#define X(name, ...) __typeof__(read_##name()) name;
	EL1_REGS(X)
};

struct el1_auxiliary {
	EL1_AUXILIARY_REGS(X)
#undef X
};

/* vcpu->load_work */
#define VCPU_CNTP_DUE 1u /* the line of an emulated CNTP rises */
#define VCPU_FP_EAGER 2u
#define VCPU_CNTP_WATCHED 8u /* physical_timer is, or was, in the queue */
#define VCPU_DIFFERS 4u      /* EL2's registers differ from another vCPU's of the core */
#define VCPU_SHARES_PPIS 16u /* another vCPU of the core has PPIs, too */
#define VCPU_AUXILIARY 32u   /* the core has EL1's auxiliary registers, or newer registers */
#define VCPU_WORKS 64u       /* EL2 works in the guest's place: no switch enters the guest */
#define VCPU_HOLDS_SPI 128u  /* held_spi is disabled until the vCPU is loaded */

/* EL2's registers whose values may differ between vCPUs. */
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

/* The next piece of a worker's work: hyp/vm/vm_work.c. */
struct vcpu_work {
	uint8_t part, step;
	unsigned piece;
	uint32_t turns; /* turns of the guest when the work began */
};

/* vcpu->record: the vCPU's HC_RECORD, which is done in pieces (hyp/vm/guest_record.h). */
enum vcpu_record_state {
	VCPU_RECORD_NONE,
	VCPU_RECORD_CHECKED, /* `done` bytes of the body are checked */
	VCPU_RECORD_QUEUED,  /* `done` bytes of the body are printed */
	VCPU_RECORD_PRINTED, /* the vCPU gets its result at its next call */
};

struct vcpu_record {
	uint32_t size : 24, kind : 8; /* arguments of the call */
	uint32_t done : 24, state : 8;
};

/* The first member of a cache line. */
#define VCPU_LINE __attribute__((aligned(64)))

/* Members that one exit or switch accesses share cache lines. Only the beginning of a large member
 * is hot, so small hot members precede it. */
struct vcpu {
	struct trap_frame frame;
	uint64_t exit_start __attribute__((aligned(8))); /* CNTPCT as the vector read it */
	reg_t exit_delay; /* instructions of delay_el2 that remain to spin; 0: none */
	uint64_t vttbr;   /* valid at all times */
	/* EL1's registers, valid only while the vCPU is not loaded. The frame is then a full one.
	 * At this place one instruction reaches two registers. */
	struct el1_regs el1;
	reg_t elr, spsr;
	struct gic_virt_state gic; /* valid while the vCPU is not loaded */

	/* Traps and hypercalls read these. */
	struct vm *vm VCPU_LINE;
	/* copies of these two members of vm->type: an exit reads them by one load */
	trap_handler *const *traps;
	hypercall *const *hypercalls;
	struct vgicd *dist; /* distributor of the VM: hyp/vm/vgicd.h */
	unsigned index;     /* index in the VM: affinity 0.0.0.index and GICv2 number */
	unsigned core;      /* core that runs the vCPU while the VM runs */
	/* the emulated distributor, the VM's first device; size 0: the VM has none */
	ipa_t gicd_base;
	const struct mmio_region *devices; /* the VM's other devices, up to one of size 0 */
	uint32_t gicd_size;

	struct timer virtual_timer VCPU_LINE; /* hyp/vcpu/vtimer.h */
	struct fp fp;

	struct exit_stats *stats; /* hyp/trap/exit_stats.h; set if statistics or the trace are on */

	struct vcpu *next_of_core;   /* hyp/sched/sched.h */
	struct timer physical_timer; /* hyp/vcpu/vtimer.h */
	struct el2_regs el2;
	struct el1_auxiliary auxiliary; /* valid while the vCPU is not loaded */

	struct {                    /* cntp=emulated: hyp/vcpu/vtimer.h */
		struct timer timer; /* queued until the line rises */
		uint64_t cval;      /* ticks of CNTPCT */
		uint32_t ctl;       /* ENABLE, IMASK */
	} cntp;

	/* PSCI turns the vCPU on and off (hyp/vm/psci.h): its state, its entry and the argument. */
	uint32_t power;
	reg_t start_entry, start_context;
	struct vcpu *next_attached; /* hyp/vm/vm_core.c */
	struct vcpu_work work;
	struct newer_el1 newer;      /* valid while the vCPU is not loaded */
	struct timer doorbell_timer; /* hyp/dev/doorbell.h */
	struct vcpu_record record;   /* protected by record_lock() */

	/* A switch accesses these members. */
	uint8_t load_work VCPU_LINE; /* VCPU_*: the unusual work of a load */
	uint8_t priority;            /* hyp/sched/sched.h: a larger priority is more urgent */
	bool sliced;                 /* another vCPU takes turns with this one */
	uint8_t urgency;             /* scheduling key: the priority under fp, 0 under rr */
	enum vcpu_state state;
	uint32_t turns;          /* number of times that the core switched to this vCPU */
	uint32_t active_ppis;    /* hyp/vcpu/vppi.h */
	struct vcpu *next_ready; /* hyp/sched/sched.h, like the next member */
	unsigned held_spi;       /* INTID of a physical SPI */
	struct vgic vgic;
};

/* Offsets that hyp/arch/vectors.h names. */
_Static_assert(offsetof(struct vcpu, exit_start) == TRAP_FRAME_SIZE, "VCPU_EXIT_START");
_Static_assert(offsetof(struct vcpu, exit_delay) == TRAP_FRAME_SIZE + 8, "VCPU_EXIT_DELAY");

_Static_assert(offsetof(struct vcpu, vgic.virq) % 64 == 0, "two interrupts share a cache line");

struct vcpu_space {
	uint8_t stack[VCPU_STACK_SIZE];
	struct vcpu vcpu;
} __attribute__((aligned(64))); /* vCPUs on two cores share no cache line */

static inline struct vcpu *vcpu_of_vgic(struct vgic *vgic)
{
	return (struct vcpu *)((char *)vgic - offsetof(struct vcpu, vgic));
}

/* Return whether this core has the registers of `vcpu`, which is one of its vCPUs. No two vCPUs of
 * a core have an equal VTTBR. */
static inline bool vcpu_is_loaded(const struct vcpu *vcpu)
{
	return read_vttbr_el2() == vcpu->vttbr;
}

/* Set the result of a hypercall. Return `vcpu`. */
static inline struct vcpu *vcpu_result(struct vcpu *vcpu, long result)
{
	vcpu->frame.x[0] = (reg_t)result;
	return vcpu;
}

/* Enter the guest of `vcpu`, which is loaded. The function returns when a trap handler returns NULL
 * instead of a vCPU to resume; it returns the vCPU that is loaded then. hyp/arch/<isa>/vcpu_run.S
 * has the code. */
struct vcpu *vcpu_run(struct vcpu *vcpu);
extern uintptr_t vcpu_host_sp; /* stack pointer of the caller */

/* Make vcpu_run() return from a switch to `vcpu`, which is loaded, before the guest is entered. */
_Noreturn void vcpu_leave(struct vcpu *vcpu);

/* Return VCPU_AUXILIARY if this core keeps values written to EL1_AUXILIARY_REGS, or has registers
 * of struct newer_el1; else 0. No vCPU may be loaded. The registers are 0 afterwards. */
uint8_t vcpu_find_auxiliary(void);

/* Return whether VTTBR is the only EL2 register that a switch between the two vCPUs writes. */
bool vcpu_same_el2(const struct vcpu *a, const struct vcpu *b);

/* Save the vCPU's registers to memory, with the virtual interface off afterwards; load them. */
void vcpu_put(struct vcpu *vcpu);
void vcpu_load(struct vcpu *vcpu);

/* Switch the core to another vCPU. vcpu_run.S calls this function with the general registers in the
 * frame and `to` in its register already. */
void vcpu_switch(struct vcpu *to, struct vcpu *from);
