/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that hypervisor and guest share.
 *
 *   guest RAM, IPA = PA in every configuration (so that stage 2 can also be off):
 *   +0x00000  struct guest_run: the hypervisor writes it before each start, x0/r0 points to it
 *   +0x00800  struct probe_stamps: with probes=on, the times of the last interrupt
 *   +0x01000  record buffer: the body of the record that HC_RECORD emits
 *   +0x100000 the guest image, beginning with struct guest_header
 *   …         its bss, stacks and heap, then, from the next multiple of 2 MiB on, working memory
 *             for benchmarks, to the end of RAM
 */
#pragma once

#define GUEST_RUN_OFFSET 0x0u
#define GUEST_PROBE_OFFSET 0x800u
#define GUEST_RECORD_OFFSET 0x1000u
#define GUEST_RECORD_SIZE 0xff000u /* bytes, at most, of a record's body */
#define GUEST_IMAGE_OFFSET 0x100000u
#define GUEST_WORKING_ALIGNMENT 0x200000u

#define GUEST_HEADER_MAGIC "HYPBENCH-GUEST1" /* 15 characters and a NUL */
#define GUEST_RUN_MAGIC 0x6e757267u          /* "grun", little-endian */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

#include "abi/plan.h"
#include "abi/run_config.h"

/* At the start of the guest image; all addresses are IPAs. */
struct guest_header {
	char magic[16];
	uint64_t load_address; /* of the image: RAM base + GUEST_IMAGE_OFFSET */
	uint64_t entry;        /* first instruction, inside the image */
	uint64_t image_size;   /* bytes to copy */
	uint64_t memory_end;   /* end of bss, stacks and heap: working memory starts here */
};

struct guest_run {
	uint32_t magic;
	uint32_t size;     /* sizeof(struct guest_run): both sides must have the same */
	uint64_t ram_base; /* bytes, 4 KiB aligned */
	uint64_t ram_size;
	/* not the guest's, for guests that attack: the hypervisor's memory, its console */
	uint64_t hyp_base;
	uint64_t hyp_device;
	uint64_t gicd_base; /* distributor, emulated or real */
	uint64_t gicc_base; /* GICv2 CPU interface (GICV when trapped); 0 on GICv3 */
	uint64_t gicr_base; /* GICv3 redistributor of this vCPU; 0 on GICv2 */
	uint32_t virt_timer_intid;
	uint32_t spi_count;  /* SPIs from INTID 32 on, which a guest may pend by software */
	uint32_t counter_hz; /* of CNTPCT and CNTVCT */
	uint32_t step;
	uint32_t lr_count;           /* list registers of the GIC */
	uint32_t physical_spi_first; /* the guest's physical SPIs: without a device, pended */
	uint32_t physical_spi_count; /* by software or HC_RAISE */
	uint32_t smc_undefined;      /* 1: an SMC is undefined at EL1 */
	uint32_t phys_timer_intid;
	uint32_t gem5;        /* 1: gem5 runs the guest and has a timing model for samples */
	uint32_t no_fp;       /* 1: the machine has no FP registers for a guest */
	uint64_t device_base; /* the null device, 4 KiB: emulated with stage 2, memory without */
	uint64_t link_base;   /* of a link to another VM (abi/link.h); 0: none */
	uint32_t link_intid;  /* of the other VM's rings, or of the network device */
	uint32_t link_kind;   /* enum plan_link_kind */
	uint64_t cntvoff;     /* CNTPCT minus CNTVCT, in ticks */
	uint64_t start_ticks; /* CNTPCT before the guest's first instruction */
	uint32_t is_load;     /* 1: runs the load config.beside, not `bench` */
	uint32_t is_control;  /* 1: a load that commands the other two */
	uint32_t vcpu_count;
	uint32_t rounds; /* of a load: the guest counts */
	struct run_config config;
	struct plan_bench bench;
};

_Static_assert(sizeof(struct guest_run) <= GUEST_PROBE_OFFSET, "the stamps follow");
#endif
