/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypercalls of the bench guest: HVC #0 with the function id in x0/r0, arguments in
 * x1-x3/r1-r3, and the result in x0/r0. Every other register is preserved. The ids lie in the range
 * that the SMC Calling Convention (DEN0028, 6.2) reserves for vendor-specific hypervisor services,
 * 32-bit fast calls; standard services (PSCI) have other ids.
 *
 * A new hypercall is a line here and a function in hyp/trap/hypercall.c.
 */
#pragma once

#define HC_BASE 0x86000000u

/*
 * X(NAME, name): the order gives the id, counted from HC_BASE. Each call returns HC_OK or HC_EINVAL
 * unless its entry describes another result.
 *
 *   NULL     does nothing: the cheapest exit
 *   RECORD   x1 = enum record_kind, x2 = length in bytes of the body in the record buffer. AGAIN: a
 *            piece is done, and the guest makes the same call again until the result is another
 *            one; the body stays unchanged until then. EINVAL: wrong kind, length or bytes
 *   EXIT     x1 = enum guest_exit. Ends this step; does not return
 *   MEASURE  x1 = 1: restarts exit statistics and trace; 0: stops them until the next 1. This call
 *            itself is not counted
 *   RAISE    x1 = INTID of a physical SPI of the guest: pends the SPI, as its device would
 *   COLD     x1 = enum sample_state: makes caches or TLBs cold, including those of EL2; x2 = bytes
 *            of working memory in use. EINVAL: wrong state; more memory than maintenance by address
 *            can cover
 *   TLBI     x1 = enum hc_tlbi: TLB maintenance that only EL2 can do
 *   VMID     continues under the VM's other VMID; x1 = 1: flushes the TLBs of it, 0: does not.
 *            EINVAL: no stage 2
 *   PEEK     x1 = an IPA in guest RAM, a multiple of 4. Returns the 32-bit word there, which EL2
 *            reads at its physical address; 0 for other IPAs
 *   STAGE2   x1 = enum hc_stage2, x2 = an IPA: see that enum
 *   FP_RELEASE  releases the guest's FP registers (fp=lazy and eager), as a switch to another vCPU
 *            does
 *   FAIL_OVER  pauses this VM and resumes its partner; returns when this VM is resumed, at once
 *            if the interrupt that would resume it is pending. EINVAL: no partner runs
 *   HEARTBEAT  x1 = ticks from now (its low 32 bits) after which EL2 fails over, unless this call
 *            comes again before; 0: never. Only vCPU 0 may call
 *   YIELD    gives the rest of the turn to the core's next vCPU of equal urgency, and returns at
 *            this vCPU's next turn; at once if no other vCPU is ready
 *   SWITCH_OVER  only for a control VM: pauses the active VM of its pair and resumes the standby.
 *            EINVAL: that VM is paused already; the standby does not run; the caller is no control
 *            VM
 *
 * FAIL_OVER, SWITCH_OVER and YIELD: x1 = the low 32 bits of the caller's CNTPCT, a stamp for the
 * measured VM (abi/probe.h, issued).
 */
#define HYPERCALLS(X)                                                                              \
	X(NULL, null)                                                                              \
	X(RECORD, record)                                                                          \
	X(EXIT, exit)                                                                              \
	X(MEASURE, measure)                                                                        \
	X(RAISE, raise)                                                                            \
	X(COLD, cold)                                                                              \
	X(TLBI, tlbi)                                                                              \
	X(VMID, vmid)                                                                              \
	X(PEEK, peek)                                                                              \
	X(STAGE2, stage2)                                                                          \
	X(FP_RELEASE, fp_release)                                                                  \
	X(YIELD, yield)                                                                            \
	X(FAIL_OVER, fail_over)                                                                    \
	X(HEARTBEAT, heartbeat)                                                                    \
	X(SWITCH_OVER, switch_over)

#define HC_INDEX(NAME, name) HC_INDEX_##NAME,
enum hypercall_index { HYPERCALLS(HC_INDEX) HC_COUNT };

#define HC_ID(NAME) (HC_BASE + HC_INDEX_##NAME)

/* Results, in the style of the SMC Calling Convention: a negative result is an error. */
#define HC_OK 0
#define HC_EUNKNOWN (-1) /* unknown function (SMCCC NOT_SUPPORTED) */
#define HC_EINVAL (-2)   /* an argument is out of range; the call has no effect */
#define HC_AGAIN (-3)    /* a part of the call is done: make the same call again */

/* Argument of HC_TLBI. */
enum hc_tlbi {
	HC_TLBI_VMID, /* stage 1 and 2 of this VM: TLBI VMALLS12E1 */
	HC_TLBI_ALL,  /* every VM: TLBI ALLE1 */
};

/* Argument of HC_STAGE2. Counts and ticks saturate at the largest 32-bit value. */
enum hc_stage2 {
	/* level (1 to 3) of the leaf that maps the IPA; 0 without a leaf or with stage 2 off */
	HC_STAGE2_LEVEL,
	HC_STAGE2_UNMAP,      /* fill=lazy: unmap that leaf; HC_OK or HC_EINVAL */
	HC_STAGE2_FAULTS,     /* number of faults that EL2 mapped since the guest started */
	HC_STAGE2_TICKS,      /* ticks of all these faults within EL2 */
	HC_STAGE2_TICKS_MIN,  /* ticks of the cheapest fault; 0 without faults */
	HC_STAGE2_TICKS_MAX,  /* ticks of the most expensive fault */
	HC_STAGE2_BUILD_TICKS /* ticks to build stage 2 before the guest started */
};

/* How a guest ends its step. */
enum guest_exit {
	GUEST_EXIT_DONE,    /* the benchmark is complete and has emitted all records */
	GUEST_EXIT_REFUSED, /* no measurement (an `error` record has the reason) */
	GUEST_EXIT_FAILED,  /* the benchmark is complete, but one of its checks failed */
	GUEST_EXIT_CRASHED, /* the guest kernel took an unexpected exception */
};
