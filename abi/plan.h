/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: benchmarks and the configurations that they run in. The host tool packs the user's
 * scenario (docs/scenarios.md; tools/hypbench/scenario.py) into a section of the image (struct
 * plan_section), so another scenario needs no rebuild. EL2 reads the section in place.
 * tools/hypbench/plan_binary.py has the same layout: a change needs another PLAN_VERSION.
 */
#pragma once

#include <stdint.h>

#include "abi/run_config.h"

#define PLAN_SECTION_MAGIC "HYPBENCH-PLAN-B" /* 15 characters and a NUL */
#define PLAN_VERSION 19
#define PLAN_CONFIG_MAX 16
#define PLAN_BENCH_MAX 32
#define PLAN_NAME_SIZE 24     /* bytes, with the terminating NUL */
#define PLAN_MACHINE_SIZE 512 /* of the text of the machine, with the terminating NUL */
#define PLAN_WORDS_SIZE 11520
#define PLAN_GUEST_MAX 4
#define PLAN_VM_MAX 8
#define PLAN_VM_CPUS 4
#define PLAN_CORE_MAX 4
#define PLAN_LINK_MAX 4
#define PLAN_COLOURS 16    /* of the last-level cache: address bits 15:12 */
#define PLAN_STATS_VCPUS 5 /* with exit statistics or a trace */

/*
 * Parameters of a benchmark: X(field, default, min, max).
 *   n          samples of each variant, without the first, cold one
 *   delay      instructions added inside the measured window, even, not 2: proves that the window
 *              is measured
 *   pages      in pages of 4 KiB. tlb_chase, revisit: the largest working set; lat_mem_rd: the
 *              largest region; tlb_maintenance: the pages touched after an operation; stage2_boot:
 *              the working memory that it touches
 *   period     timers, revisit: ticks between two expiries, at least
 *   period_us  the same in microseconds, instead of period where it is not 0. prog_*: from tick to
 *              tick, 1000 where it is 0; period means nothing to them
 *   batch      operations in one window, where a benchmark times one operation between two reads
 *              (docs/design/cycles.md); more than 1 needs state=warm
 *   seed       of every pseudo-random choice
 *   after_ms   the guest sleeps so long before it measures: a neighbour boots meanwhile
 *   timed      on gem5, stage2_boot: 1: the timing model runs from before EL2 builds stage 2; with
 *              0 that benchmark is skipped there
 */
#define BENCH_PARAMS(X)                                                                            \
	X(n, 1000, 1, 1000000)                                                                     \
	X(delay, 0, 0, 1000000)                                                                    \
	X(pages, 65536, 8, 65536)                                                                  \
	X(period, 5003, 500, 1000000000)                                                           \
	X(period_us, 0, 0, 60000000)                                                               \
	X(batch, 1, 1, 100000)                                                                     \
	X(seed, 1, 1, 0xffffffff)                                                                  \
	X(after_ms, 0, 0, 1000000)                                                                 \
	X(timed, 0, 0, 1)

struct bench_params {
	BENCH_PARAMS(UINT32_FIELD)
};

struct plan_bench {
	char name[PLAN_NAME_SIZE];
	struct bench_params params;
};

/* The platform that executes the image, and the meaning of a tick. X(NAME, "word"). */
#define PLATFORMS(X)                                                                               \
	X(SILICON, "silicon")         /* a real board: a tick is time */                           \
	X(QEMU_ICOUNT, "qemu-icount") /* a tick is one executed instruction, exactly */            \
	X(QEMU_HOST, "qemu-host")     /* a tick follows the host's clock: function only */         \
	X(GEM5, "gem5")               /* a tick is time of the model that `machine` describes */

#define PLATFORM(NAME, word) PLATFORM_##NAME,
enum platform { PLATFORMS(PLATFORM) PLATFORM_COUNT };

/*
 * An unmodified guest, from images that lie in the board's store (boards/board.h): a table
 * [guest.NAME] of a scenario (docs/scenarios.md). Addresses are IPAs, below 4 GiB; with stage2=off
 * they are physical ones. X(field, default, min, max):
 *   ram      where its RAM begins, a multiple of 2 MiB. It is the board's guest RAM, whatever its
 *            physical address
 *   ram_mib  its size, no more than the board has
 *   cpus     vCPUs; more than 1 need irq=trapped and fill=eager
 *   entry    the first instruction of vCPU 0, MMU off: in its RAM or a load
 *   dtb      its device tree, for x0, or r2 (with r0 = 0 and r1 = ~0); 0: none
 */
#define PLAN_GUEST_FIELDS(X)                                                                       \
	X(ram, 0x40000000, 0, 0xffe00000)                                                          \
	X(ram_mib, 256, 2, 3072)                                                                   \
	X(cpus, 1, 1, 4)                                                                           \
	X(entry, 0x40200000, 0, 0xffffffff)                                                        \
	X(dtb, 0, 0, 0xffffffff)

/*
 * A part of the images: copied into RAM before each start or, outside RAM, mapped for reading.
 * X(field, default, min, max), all in bytes:
 *   store  offset in the board's store (boards/<name>/board.c), a multiple of 4 KiB
 *   ipa    address in the guest
 *   size   bytes; this field has no default
 */
#define PLAN_LOAD_FIELDS(X)                                                                        \
	X(store, 0, 0, 0xfffff000)                                                                 \
	X(ipa, 0, 0, 0xffffffff)                                                                   \
	X(size, 0, 1, 0xffffffff)

#define PLAN_LOAD_MAX 8

struct plan_load {
	PLAN_LOAD_FIELDS(UINT32_FIELD)
};

struct plan_guest {
	char name[PLAN_NAME_SIZE];
	PLAN_GUEST_FIELDS(UINT32_FIELD)
	uint32_t load_count;
	struct plan_load load[PLAN_LOAD_MAX];
};

/* Images of a VM: X(NAME, "word"). */
#define PLAN_IMAGES(X)                                                                             \
	X(BENCH, "bench")           /* the benchmarks */                                           \
	X(BACKGROUND, "background") /* a loop that keeps a core busy and writes every register */  \
	X(LOAD, "load")             /* what a configuration's `beside` names, or its own `load` */ \
	X(CONTROL, "control")       /* commands the others: beside=active_control */               \
	X(GUEST, "guest")           /* or the NAME of a guest, which several VMs may have */

#define PLAN_IMAGE(NAME, word) PLAN_IMAGE_##NAME,
enum plan_image { PLAN_IMAGES(PLAN_IMAGE) PLAN_IMAGE_COUNT };

/*
 * A VM: a table [vm.NAME] of a scenario, or the one VM of a scenario without such tables.
 * X(field, default, min, max):
 *   cpus     vCPUs: as many as cores, or as the guest has; a background and a control VM
 *            have one, the bench guest and loads use more than one to fail over
 *   ram_mib  RAM of an unmodified guest, by default the guest's; 0: the bench guest has what
 *            the others leave, the background VM none; a load has 16 or more, of which it uses 12.
 *            The RAM of two VMs never overlaps
 *   prio     with sched=fp the larger one preempts; background and load: 0 by default
 */
#define PLAN_VM_FIELDS(X)                                                                          \
	X(cpus, 1, 1, 4)                                                                           \
	X(ram_mib, 0, 0, 3072)                                                                     \
	X(prio, 1, 0, 255)

struct plan_vm {
	char name[PLAN_NAME_SIZE];
	uint32_t image; /* enum plan_image */
	uint32_t guest; /* of image GUEST: its index in struct plan */
	uint32_t load;  /* enum beside_load, of image LOAD; 0: what the configuration says */
	/* With colouring=on its RAM has pages of so many colours, each below PLAN_COLOURS (0: of
	 * any), in a window of so many MiB (of image BENCH: in what the others leave). */
	uint32_t colours, colour[PLAN_COLOURS], window_mib;
	PLAN_VM_FIELDS(UINT32_FIELD)
	uint32_t core[PLAN_VM_CPUS]; /* of each vCPU */
};

/* A link between two VMs, in each step in which both take part. */
struct plan_link {
	char name[PLAN_NAME_SIZE];
	uint32_t kind; /* enum plan_link_kind */
	uint32_t a, b; /* the VMs' indices in struct plan */
};

/* X(NAME, "word"). */
#define PLAN_LINK_KINDS(X)                                                                         \
	X(DOORBELL, "doorbell") /* abi/link.h */                                                   \
	X(VIRTIO, "virtio")     /* abi/virtio_net.h */

#define PLAN_LINK_KIND(NAME, word) PLAN_LINK_##NAME,
enum plan_link_kind { PLAN_LINK_KINDS(PLAN_LINK_KIND) PLAN_LINK_COUNT };

/*
 * Events of a VM in a step. X(NAME, "word"). With `at_us`: microseconds after the step's
 * begin, in the order of their times. With `on`: when a VM comes to an end, once. An event
 * without a meaning in the VM's state is ignored; a pause of a VM that is paused, and a resume of
 * one that runs, is an error, too.
 */
#define PLAN_EVENTS(X)                                                                             \
	X(PAUSE, "pause")     /* its vCPUs stop; the clock goes on */                              \
	X(RESUME, "resume")   /* they go on */                                                     \
	X(RESET, "reset")     /* starts the guest again, as after power-on */                      \
	X(DESTROY, "destroy") /* the VM is gone */                                                 \
	X(CREATE, "create")   /* and is made anew, and started */

#define PLAN_EVENT(NAME, word) PLAN_EVENT_##NAME,
enum plan_event_kind { PLAN_EVENTS(PLAN_EVENT) PLAN_EVENT_COUNT };

/* How a guest's run ends, for events with `on`. X(NAME, "word"). */
#define PLAN_ENDS(X)                                                                               \
	X(RESET, "reset")     /* it asks to start again: PSCI SYSTEM_RESET */                      \
	X(DONE, "done")       /* it is through: PSCI SYSTEM_OFF */                                 \
	X(REFUSED, "refused") /* a load cannot run here */                                         \
	X(FAILED, "failed")   /* a check of it failed */                                           \
	X(CRASHED, "crashed") /* a load took an exception that it does not expect */               \
	X(FAULT, "fault")     /* what it did is not allowed, or its time is up */

#define PLAN_END(NAME, word) PLAN_END_##NAME,
enum plan_end { PLAN_ENDS(PLAN_END) PLAN_END_COUNT };

#define PLAN_EVENT_MAX 1024
#define PLAN_ON_MAX 32

struct plan_event {
	uint32_t at_us;
	uint32_t kind; /* enum plan_event_kind */
	uint32_t vm;   /* its index in struct plan */
};

struct plan_on {
	uint32_t end;  /* enum plan_end */
	uint32_t of;   /* index of the VM that ends so */
	uint32_t kind; /* enum plan_event_kind */
	uint32_t vm;   /* index of the VM that this is for */
};

struct plan {
	char board[PLAN_NAME_SIZE];  /* of the image, for the host tool's checks */
	char words[PLAN_WORDS_SIZE]; /* members of the run record, as JSON: ,"plan":"default",... */
	uint32_t platform;
	uint32_t limit_ms; /* time limit of a step, in ms of the counter */
	uint32_t config_count;
	uint32_t bench_count; /* at least 1: without benchmarks `guest`, for the steps' records */
	uint32_t guest_count;
	uint32_t vm_count;
	uint32_t event_count; /* `at` */
	uint32_t on_count;
	uint32_t link_count;
	uint32_t measured;   /* index of the VM with the benchmarks, or else 0 */
	uint32_t core_count; /* cores 0 to core_count - 1 are all that VMs have */
	uint32_t guest_vms;  /* number of VMs with unmodified guests */
	uint32_t ram_mib;    /* sum of the links' and, at most, a configuration's VMs' */
	uint32_t pass_count; /* 2: the configurations forth and back; 1: forth only */
	uint32_t step_count;
	uint32_t run_window_us;  /* of cycles_hz() at the start and the end of the run */
	uint32_t step_window_us; /* after a step */
	uint32_t taking_part[PLAN_CONFIG_MAX]; /* of each configuration; bit i: VM i */
	struct run_config config[PLAN_CONFIG_MAX];
	struct run_config beside[PLAN_CONFIG_MAX]; /* the same for loads, and cores but core 0 */
	struct plan_bench bench[PLAN_BENCH_MAX];
	struct plan_guest guest[PLAN_GUEST_MAX];
	struct plan_vm vm[PLAN_VM_MAX];
	struct plan_link link[PLAN_LINK_MAX];
	struct plan_event event[PLAN_EVENT_MAX];
	struct plan_on on[PLAN_ON_MAX];
};

struct plan_section {
	char magic[16];
	uint32_t version;
	uint32_t length; /* bytes of the plan */
	uint32_t crc;    /* CRC-32 of the plan (lib/crc32.h) */
	struct plan plan;
};
