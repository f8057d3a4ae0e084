/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: a scenario as EL2 reads it, with its benchmarks and configurations. The host tool packs
 * the user's scenario (docs/scenarios.md; tools/hypbench/scenario.py) into a section of the image
 * (struct plan_section), so another scenario needs no rebuild. EL2 reads the section in place.
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
#define PLAN_MACHINE_SIZE 512 /* size of the machine's description, with the terminating NUL */
#define PLAN_WORDS_SIZE 11520
#define PLAN_GUEST_MAX 4
#define PLAN_VM_MAX 8
#define PLAN_VM_CPUS 4
#define PLAN_CORE_MAX 4
#define PLAN_LINK_MAX 4
#define PLAN_COLOURS 16    /* colours of the last-level cache: address bits 15:12 */
#define PLAN_STATS_VCPUS 5 /* vCPUs with exit statistics or a trace */

/*
 * Parameters of a benchmark: X(field, default, min, max).
 *   n          samples of each variant, without the first, cold sample
 *   delay      instructions added inside the measured window, even, not 2: proves that the window
 *              is measured
 *   pages      number of 4 KiB pages. tlb_chase, revisit: the largest working set; lat_mem_rd: the
 *              largest region; tlb_maintenance: the pages touched after an operation; stage2_boot:
 *              the working memory that it touches
 *   period     timers, revisit: the least number of ticks between two expiries
 *   period_us  the period in microseconds, which replaces `period` if not 0. prog_*: the time
 *              between two ticks, 1000 if 0; programs ignore `period`
 *   batch      operations in one window, where a benchmark times one operation between two reads
 *              (docs/design/cycles.md); more than 1 needs state=warm
 *   seed       seed of every pseudo-random choice
 *   after_ms   the guest sleeps this long before it measures, while a neighbour boots
 *   timed      only for stage2_boot on gem5. 1: the timing model runs from before EL2 builds stage
 *              2; 0: gem5 skips that benchmark
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
	X(QEMU_HOST, "qemu-host")     /* a tick follows the host's clock: for function only */     \
	X(GEM5, "gem5")               /* a tick is time of the model that `machine` describes */

#define PLATFORM(NAME, word) PLATFORM_##NAME,
enum platform { PLATFORMS(PLATFORM) PLATFORM_COUNT };

/*
 * An unmodified guest, from images in the board's store (boards/board.h): a table [guest.NAME] of a
 * scenario (docs/scenarios.md). Addresses are IPAs below 4 GiB; with stage2=off they are physical
 * addresses. X(field, default, min, max):
 *   ram      start of its RAM, a multiple of 2 MiB. The memory is the board's guest RAM, whatever
 *            the physical address
 *   ram_mib  size of its RAM, at most the board's guest RAM
 *   cpus     vCPUs; more than 1 need irq=trapped and fill=eager
 *   entry    the first instruction of vCPU 0, with MMU off: in its RAM or a load
 *   dtb      its device tree, for x0, or r2 (with r0 = 0 and r1 = ~0); 0: none
 */
#define PLAN_GUEST_FIELDS(X)                                                                       \
	X(ram, 0x40000000, 0, 0xffe00000)                                                          \
	X(ram_mib, 256, 2, 3072)                                                                   \
	X(cpus, 1, 1, 4)                                                                           \
	X(entry, 0x40200000, 0, 0xffffffff)                                                        \
	X(dtb, 0, 0, 0xffffffff)

/*
 * A part of the images, copied into RAM before each start or, outside RAM, mapped read-only.
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
	X(BENCH, "bench")           /* the bench guest with the benchmarks */                      \
	X(BACKGROUND, "background") /* a loop that keeps a core busy and writes every register */  \
	X(LOAD, "load")             /* the load of `beside`, or the VM's own `load` */             \
	X(CONTROL, "control")       /* the load that commands others: active_control */            \
	X(GUEST, "guest")           /* an unmodified guest, by its NAME; VMs may share it */

#define PLAN_IMAGE(NAME, word) PLAN_IMAGE_##NAME,
enum plan_image { PLAN_IMAGES(PLAN_IMAGE) PLAN_IMAGE_COUNT };

/*
 * A VM: a table [vm.NAME] of a scenario, or the one VM of a scenario without such tables. X(field,
 * default, min, max):
 *   cpus     vCPUs: as many as cores, or as the guest has. A background VM and a control VM
 *            have one; the bench guest and loads have more than one to fail over
 *   ram_mib  RAM of an unmodified guest, by default the guest's. 0: the bench guest has the RAM
 *            that the others leave, the background VM has none. A load has 16 or more, of which
 *            it uses 12. The RAM of two VMs never overlaps
 *   prio     with sched=fp a VM of a larger number preempts; 0 by default for background and load
 */
#define PLAN_VM_FIELDS(X)                                                                          \
	X(cpus, 1, 1, 4)                                                                           \
	X(ram_mib, 0, 0, 3072)                                                                     \
	X(prio, 1, 0, 255)

struct plan_vm {
	char name[PLAN_NAME_SIZE];
	uint32_t image; /* enum plan_image */
	uint32_t guest; /* image GUEST: index of the guest in struct plan */
	uint32_t load;  /* image LOAD: enum beside_load; 0: the configuration's `beside` */
	/* With colouring=on the VM's RAM has pages of these colours, each below PLAN_COLOURS (no
	 * colours: any page), in a window of window_mib MiB (image BENCH: in the RAM that the
	 * others leave). */
	uint32_t colours, colour[PLAN_COLOURS], window_mib;
	PLAN_VM_FIELDS(UINT32_FIELD)
	uint32_t core[PLAN_VM_CPUS]; /* core of each vCPU */
};

/* A link between two VMs, in each step that both take part in. */
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
 * Events of a VM in a step. X(NAME, "word"). An event with `at_us` comes that many microseconds
 * after the step's begin; they are in the order of their times. An event with `on` comes once, when
 * a VM comes to its end. EL2 ignores an event without a meaning in the VM's state; a pause of a
 * paused VM and a resume of a running VM are also errors.
 */
#define PLAN_EVENTS(X)                                                                             \
	X(PAUSE, "pause")     /* stop its vCPUs; the clock continues */                            \
	X(RESUME, "resume")   /* continue its vCPUs */                                             \
	X(RESET, "reset")     /* restart the guest, as after power-on */                           \
	X(DESTROY, "destroy") /* remove the VM */                                                  \
	X(CREATE, "create")   /* make the VM anew and start it */

#define PLAN_EVENT(NAME, word) PLAN_EVENT_##NAME,
enum plan_event_kind { PLAN_EVENTS(PLAN_EVENT) PLAN_EVENT_COUNT };

/* How a guest's run ends, for events with `on`. X(NAME, "word"). */
#define PLAN_ENDS(X)                                                                               \
	X(RESET, "reset")     /* the guest requested a restart: PSCI SYSTEM_RESET */               \
	X(DONE, "done")       /* the guest finished: PSCI SYSTEM_OFF */                            \
	X(REFUSED, "refused") /* a load cannot run here */                                         \
	X(FAILED, "failed")   /* a check of the guest failed */                                    \
	X(CRASHED, "crashed") /* a load took an unexpected exception */                            \
	X(FAULT, "fault")     /* a forbidden action, or the time limit */

#define PLAN_END(NAME, word) PLAN_END_##NAME,
enum plan_end { PLAN_ENDS(PLAN_END) PLAN_END_COUNT };

#define PLAN_EVENT_MAX 1024
#define PLAN_ON_MAX 32

struct plan_event {
	uint32_t at_us;
	uint32_t kind; /* enum plan_event_kind */
	uint32_t vm;   /* index of the VM in struct plan */
};

struct plan_on {
	uint32_t end;  /* enum plan_end */
	uint32_t of;   /* index of the VM that ends */
	uint32_t kind; /* enum plan_event_kind */
	uint32_t vm;   /* index of the VM that the event acts on */
};

struct plan {
	char board[PLAN_NAME_SIZE];  /* board of the image, for the host tool's checks */
	char words[PLAN_WORDS_SIZE]; /* members of the run record, as JSON: ,"plan":"default",... */
	uint32_t platform;
	uint32_t limit_ms; /* time limit of a step, in ms of the counter */
	uint32_t config_count;
	/* at least 1: a scenario without benchmarks has `guest`, for the steps' records */
	uint32_t bench_count;
	uint32_t guest_count;
	uint32_t vm_count;
	uint32_t event_count; /* events with `at` */
	uint32_t on_count;
	uint32_t link_count;
	uint32_t measured;   /* index of the VM with the benchmarks, or 0 */
	uint32_t core_count; /* VMs use cores 0 to core_count - 1 */
	uint32_t guest_vms;  /* number of VMs with unmodified guests */
	uint32_t ram_mib;    /* RAM of the links and of the VMs of the largest configuration */
	/* 2: run the configurations forwards and backwards; 1: forwards only */
	uint32_t pass_count;
	uint32_t step_count;
	uint32_t run_window_us;  /* window of cycles_hz() at the start and the end of the run */
	uint32_t step_window_us; /* window of cycles_hz() after a step */
	uint32_t taking_part[PLAN_CONFIG_MAX]; /* VMs of each configuration; bit i is VM i */
	struct run_config config[PLAN_CONFIG_MAX];
	/* configuration of loads, and of the other cores than core 0 */
	struct run_config beside[PLAN_CONFIG_MAX];
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
	uint32_t length; /* size of the plan in bytes */
	uint32_t crc;    /* CRC-32 of the plan (lib/crc32.h) */
	struct plan plan;
};
