/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run configuration is data: how EL2 treats the guest in one step. The tables are the vocabulary
 * of scenarios (docs/scenarios.md) and of the records.
 */
#pragma once

#include <stdint.h>

#define CONFIG_NAME_SIZE 24 /* bytes, with the terminating NUL */

/*
 * The axes: X(field, "value value …"). A field holds the index of its value in the list.
 *
 *   stage1   the guest maps its working memory with pages or blocks of this size
 *            (guest/kernel/mmu.h)
 *   stage2   off; or blocks of at most this size, as alignment allows
 *   fill     eager: EL2 maps guest RAM before the guest starts; lazy: EL2 maps a block at its first
 *            access, which needs stage2 on
 *   colouring  on: a VM with colours only has pages of these colours of the last-level
 *            cache (docs/neighbours.md), which needs stage2=4K; off: colours= has no
 *            effect
 *   irq      direct (HCR.IMO clear): interrupts go to the guest, which owns the GIC; trapped
 *            (HCR.IMO set): EL2 acknowledges interrupts, injects virtual ones and emulates the
 *            distributor, which needs stage2 on
 *   lr       with irq=trapped. hw: a list register is linked to the physical interrupt, and the
 *            guest's EOI deactivates both; sw: EL2 deactivates the physical interrupt, on an EOI
 *            maintenance interrupt
 *   lr_sync  with irq=trapped. lazy: an exit reads only the list registers that it must, usually
 *            none; full: an exit reads all of them, as hypervisors do that search for ended
 *            interrupts. Not with probes, stats or trace
 *   eoi      combined: the guest ends an interrupt by one write; split: by two, priority drop and
 *            deactivation (EOImode 1)
 *   wfi      native: the guest waits in hardware; trapped: WFI exits, and EL2 waits. sched=rr and
 *            fp imply trapped
 *   traps    on: SMC, ACTLR and similar registers exit; off makes sense with native only
 *   frame    light: IRQ and hypercall exits save the caller-saved registers; full: all registers
 *   fp       static: FP and SIMD registers always belong to the measured guest; lazy: a switch of
 *            vCPUs traps them, and the first use moves them; eager: the switch moves them
 *   sched    null: the vCPU has its core alone; rr, round robin: a background VM takes turns with
 *            the vCPU, and interrupts wait for its turn; fp, fixed priority: the vCPU has the core
 *            unless it sleeps, and its interrupts preempt the background VM. rr and fp need
 *            irq=trapped
 *   errata   applied: EL2 works around the errata of this core, which the run record names;
 *            ignored: EL2 does not, which shows the cost on the paths and is unsafe for a
 *            guest (docs/design/errata.md)
 *   state    the state at the start of every sample. warm: caches and TLBs as the last sample left
 *            them; cold-caches: instruction and data caches cold; cold-tlb: TLBs cold
 *            (docs/design/memory.md)
 *   stats    statistics of every kind of exit, as exits records at the end of a step
 *   trace    the last exits of a step one by one, as trace records
 *   probes   stamps where the interrupt path passes EL2, for irq_phases (abi/probe.h)
 *   cycles   the cycle counter beside CNTPCT in windows of two reads (docs/design/cycles.md).
 *            auto: on a real board whose core has a PMU, and with events. The guest gets off or on
 *   events   PMU events of this group, counted in the windows that have cycles
 *            (docs/design/cycles.md). A step is refused if the core counts none of them
 *   cntp     passthrough: the guest programs the physical timer CNTP, whose interrupt EL2
 *            forwards; emulated: every access to its registers exits, and a timer of EL2
 *            implements CNTP, which needs irq=trapped
 *   vtimer   the virtual timer CNTV of the measured VM and of each load, if neither the
 *            benchmark nor the load programs it. idle: CNTV is off; armed: CNTV is on and expires
 *            in no window, as in a kernel that waits for its next tick: a VM switch moves that
 *            timer to and from EL2's queue
 *   beside   the load of another VM (docs/neighbours.md): with sched=null on a core of its
 *            own, else on the measured VM's core in the background VM's place. linux: an
 *            unmodified guest
 */
#define CONFIG_AXES(X)                                                                             \
	X(stage1, "4K 2M 1G")                                                                      \
	X(stage2, "off 4K 2M 1G")                                                                  \
	X(fill, "eager lazy")                                                                      \
	X(colouring, "off on")                                                                     \
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
	X(vtimer, "idle armed")                                                                    \
	X(beside, "none load_cpu load_mem_read load_mem_write load_stride load_exit load_tlbi "    \
		  "load_irq load_sgi load_echo load_net load_block load_ping load_ring "           \
		  "load_yield linux active_call active_heartbeat active_fault "                    \
		  "active_interrupt active_control active_random")

/*
 * Axes that are a number: X(field, max).
 *   delay_el2   instructions spun at each entry to EL2, even and not 2: proves that a benchmark
 *               measures the exit path
 *   slice_us    a turn of the core with sched=rr, in microseconds; 0 means 1000
 *   vcpus       the largest number of vCPUs of the bench guest and of each load, out of those
 *               that their VMs have; 0 means all
 *   cntvoff_us  CNTVCT is that many microseconds less than CNTPCT, or starts at 0 if CNTPCT
 *               is less than that when the guest starts
 */
#define CONFIG_NUMBERS(X)                                                                          \
	X(delay_el2, 65536)                                                                        \
	X(slice_us, 1000000)                                                                       \
	X(vcpus, 4)                                                                                \
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
enum vtimer_use { VTIMER_IDLE, VTIMER_ARMED };
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
	BESIDE_ECHO, /* this load and the next four use a link */
	BESIDE_NET,
	BESIDE_BLOCK,
	BESIDE_PING,
	BESIDE_RING,
	BESIDE_YIELD,
	BESIDE_LINUX,
	BESIDE_CALL, /* this load and the following ones are a pair that fails over */
	BESIDE_HEARTBEAT,
	BESIDE_FAULT,
	BESIDE_INTERRUPT,
	BESIDE_CONTROL,
	BESIDE_RANDOM
};

/* A field of a struct for an entry of a table. */
#define UINT32_FIELD(field, ...) uint32_t field;

struct run_config {
	char name[CONFIG_NAME_SIZE];
	CONFIG_AXES(UINT32_FIELD)
	CONFIG_NUMBERS(UINT32_FIELD)
};

/*
 * The useful points of the space: X("name", designated initialisers of struct run_config). Every
 * other axis has the first of its values. The question of each:
 *   native      What does the core do by itself?
 *   direct      What does a second stage of translation cost, when nothing else exits?
 *   trapped     What does interrupt virtualisation cost?
 *   trapped-sw  What does it cost without hardware-linked list registers?
 */
#define CONFIG_PRESETS(X)                                                                          \
	X("native", .stage2 = STAGE2_OFF, .irq = IRQ_DIRECT, .traps = 0)                           \
	X("direct", .stage2 = STAGE2_2M, .irq = IRQ_DIRECT, .traps = 1)                            \
	X("trapped", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_HW, .traps = 1)             \
	X("trapped-sw", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_SW, .traps = 1)
