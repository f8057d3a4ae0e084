/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run configuration is data: EL2's treatment of the guest in one plan step. The tables are the
 * vocabulary of the plan language (docs/plans.md) and of the records.
 */
#pragma once

#include <stdint.h>

#define CONFIG_NAME_SIZE 24 /* bytes, with the terminating NUL */

/*
 * The axes: X(field, "value value …"); a field holds the index of its value in the list.
 *
 *   stage1  the guest's working memory: pages or blocks of this size (guest/mmu.h)
 *   stage2  off, or mapped with blocks of at most this size (where alignment allows them)
 *   fill    eager: guest RAM is mapped at stage 2 before the guest starts; lazy: a block at a
 *           time, on the first touch
 *   irq     direct:  HCR.IMO clear, the guest owns the GIC CPU interface and distributor
 *           trapped: HCR.IMO set, the hypervisor acknowledges and injects virtual interrupts
 *   lr      (trapped) hw: list registers linked to the physical interrupt, the guest's EOI
 *           deactivates it; sw: the hypervisor deactivates it on an EOI maintenance interrupt
 *   lr_sync lazy: an exit reads only the list registers that it needs; full: every one, as
 *           hypervisors do that search for ended interrupts
 *   eoi     the guest's interrupts end by one write (combined: priority drop and deactivation) or
 *           by two (split: EOImode 1)
 *   wfi     native: a guest's WFI waits in hardware; trapped: it exits and EL2 waits
 *   traps   off: SMC, ACTLR and the like are not trapped (only sensible with native); on: they are
 *   frame   light: IRQ and hypercall exits save the caller-saved registers; full: all of them
 *   fp      static: FP and SIMD registers always belong to the measured guest; eager: switched with
 *           the vCPU; lazy: trapped after a switch, and switched at the first use
 *   sched   null: the vCPU has its core alone; rr (round robin): a background VM takes turns with
 *           it, and interrupts wait for its turn; fp (fixed priority): its interrupts preempt
 *           the background VM
 *   errata  workarounds that this core needs (hyp/cpu/errata.c) are applied; or ignored, which
 *           shows what they cost on the paths
 *   state   state at the start of a sample: warm; caches (instruction and data) or TLBs cold
 *   stats   exit statistics;  trace  the trace ring: instrumented vectors, 0 instructions if off
 *   cntp    passthrough: the guest programs the physical timer, whose interrupt is forwarded;
 *           emulated: accesses to it exit, and the hypervisor's timer implements it
 *   beside  what VMs with the image `load` run: with sched=null on cores of their own, else on the
 *           measured VM's, in the background VM's place (guest/load.h)
 *   probes  stamps on the interrupt path (abi/probe.h): vectors of their own, likewise
 *   cycles  the cycle counter beside CNTPCT in the windows of two reads; auto: on a real board with
 *           a PMU, or with events. The guest gets off or on
 *   events  PMU events counted in the windows that have cycles: refills of the TLBs and table
 *           walks, refills of the caches, branches (guest/events.c)
 */
#define CONFIG_AXES(X)                                                                             \
	X(stage1, "4K 2M 1G")                                                                      \
	X(stage2, "off 4K 2M 1G")                                                                  \
	X(fill, "eager lazy")                                                                      \
	X(irq, "direct trapped")                                                                   \
	X(lr, "hw sw")                                                                             \
	X(lr_sync, "lazy full")                                                                    \
	X(eoi, "combined split")                                                                   \
	X(wfi, "native trapped")                                                                   \
	X(traps, "off on")                                                                         \
	X(frame, "light full")                                                                     \
	X(fp, "static lazy eager")                                                                 \
	X(sched, "null rr fp")                                                                     \
	X(errata, "applied ignored")                                                               \
	X(state, "warm cold-caches cold-tlb")                                                      \
	X(stats, "off on")                                                                         \
	X(trace, "off on")                                                                         \
	X(probes, "off on")                                                                        \
	X(cycles, "auto off on")                                                                   \
	X(events, "off tlb cache branch")                                                          \
	X(cntp, "passthrough emulated")                                                            \
	X(beside, "none load_cpu load_mem_read load_mem_write load_stride load_exit load_tlbi "    \
		  "load_irq load_sgi load_echo load_yield active_call active_heartbeat "           \
		  "active_fault active_interrupt")

/*
 * Axes that are a number: X(field, max).
 *   delay_el2  instructions spun at each entry to EL2, even and not 2, to prove that a benchmark
 *              measures the exit path
 *   cntvoff_us CNTVOFF: CNTPCT minus CNTVCT, in microseconds
 *   slice_us   a turn of the core with sched=rr or fp, in microseconds; 0: 1000
 */
#define CONFIG_NUMBERS(X)                                                                          \
	X(delay_el2, 65536)                                                                        \
	X(slice_us, 1000000)                                                                       \
	X(cntvoff_us, 4294967295u)

enum stage1_grain { STAGE1_4K, STAGE1_2M, STAGE1_1G };
enum stage2_grain { STAGE2_OFF, STAGE2_4K, STAGE2_2M, STAGE2_1G };
enum stage2_fill { FILL_EAGER, FILL_LAZY };
enum irq_mode { IRQ_DIRECT, IRQ_TRAPPED };
enum lr_kind { LR_HW, LR_SW };
enum lr_sync_mode { LR_SYNC_LAZY, LR_SYNC_FULL };
enum eoi_mode { EOI_COMBINED, EOI_SPLIT };
enum wfi_mode { WFI_NATIVE, WFI_TRAPPED };
enum frame_kind { FRAME_LIGHT, FRAME_FULL };
enum fp_mode { FP_STATIC, FP_LAZY, FP_EAGER };
enum sched_kind { SCHED_NULL, SCHED_RR, SCHED_FP };
enum errata_mode { ERRATA_APPLIED, ERRATA_IGNORED };
enum cycles_use { CYCLES_AUTO, CYCLES_OFF, CYCLES_ON };
enum event_group { EVENTS_OFF, EVENTS_TLB, EVENTS_CACHE, EVENTS_BRANCH };
enum cntp_access { CNTP_PASSTHROUGH, CNTP_EMULATED };
enum sample_state { STATE_WARM, STATE_COLD_CACHES, STATE_COLD_TLB };
enum beside_load {
	BESIDE_NONE,
	BESIDE_CPU,
	BESIDE_MEM_READ,
	BESIDE_MEM_WRITE,
	BESIDE_STRIDE,
	BESIDE_EXIT,
	BESIDE_TLBI,
	BESIDE_IRQ,
	BESIDE_SGI,
	BESIDE_ECHO, /* over a link */
	BESIDE_YIELD,
	BESIDE_CALL, /* from here on, of a pair that fails over */
	BESIDE_HEARTBEAT,
	BESIDE_FAULT,
	BESIDE_INTERRUPT
};

/* A field of a struct, by an entry of a table */
#define UINT32_FIELD(field, ...) uint32_t field;

struct run_config {
	char name[CONFIG_NAME_SIZE];
	CONFIG_AXES(UINT32_FIELD)
	CONFIG_NUMBERS(UINT32_FIELD)
};

/* The useful points of the space. X("name", designated initialisers of struct run_config). */
#define CONFIG_PRESETS(X)                                                                          \
	X("native", .stage2 = STAGE2_OFF, .irq = IRQ_DIRECT, .traps = 0)                           \
	X("direct", .stage2 = STAGE2_2M, .irq = IRQ_DIRECT, .traps = 1)                            \
	X("trapped", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_HW, .traps = 1)             \
	X("trapped-sw", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_SW, .traps = 1)
