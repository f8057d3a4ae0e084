/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that hypervisor and guest share.
 *
 *   guest RAM, with IPA = PA in every configuration (so that stage 2 can also be off):
 *   +0x00000  struct guest_run: the hypervisor writes it before each start; x0/r0 has its address
 *   +0x00800  struct probe_stamps: with probes=on, the times of the last interrupt
 *   +0x01000  record buffer: the body of the record that HC_RECORD emits
 *   +0x100000 the guest image, which begins with struct guest_header
 *   …         its bss, stacks and heap; then, from the next multiple of 2 MiB to the end of RAM,
 *             working memory for benchmarks
 */
#pragma once

#define GUEST_RUN_OFFSET 0x0u
#define GUEST_PROBE_OFFSET 0x800u
#define GUEST_RECORD_OFFSET 0x1000u
#define GUEST_RECORD_SIZE 0xff000u /* largest body of a record, in bytes */
#define GUEST_IMAGE_OFFSET 0x100000u
#define GUEST_WORKING_ALIGNMENT 0x200000u

#define GUEST_HEADER_MAGIC "HYPBENCH-GUEST1" /* 15 characters and a NUL */
#define GUEST_RUN_MAGIC 0x6e757267u          /* "grun", little-endian */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

#include "abi/plan.h"
#include "abi/run_config.h"

/* The header at the start of the guest image. All addresses are IPAs. */
struct guest_header {
	char magic[16];
	uint64_t load_address; /* address of the image: RAM base + GUEST_IMAGE_OFFSET */
	uint64_t entry;        /* first instruction, inside the image */
	uint64_t image_size;   /* bytes to copy */
	uint64_t memory_end;   /* end of bss, stacks and heap; working memory starts here */
};

struct guest_run {
	uint32_t magic;
	uint32_t size;     /* sizeof(struct guest_run), which must be equal on both sides */
	uint64_t ram_base; /* bytes, 4 KiB aligned */
	uint64_t ram_size;
	/* targets of guests that attack: the hypervisor's memory and its console */
	uint64_t hyp_base;
	uint64_t hyp_device;
	uint64_t gicd_base; /* distributor, emulated or real */
	uint64_t gicc_base; /* GICv2 CPU interface (GICV when trapped); 0 on GICv3 */
	uint64_t gicr_base; /* GICv3 redistributor of this vCPU; 0 on GICv2 */
	uint32_t virt_timer_intid;
	uint32_t spi_count;  /* SPIs from INTID 32 on, which a guest may pend by software */
	uint32_t counter_hz; /* frequency of CNTPCT and CNTVCT */
	uint32_t step;
	uint32_t lr_count;           /* number of the GIC's list registers */
	uint32_t physical_spi_first; /* the guest's physical SPIs: no device drives them, */
	uint32_t physical_spi_count; /* software or HC_RAISE pends them */
	uint32_t smc_undefined;      /* 1: an SMC is undefined at EL1 */
	uint32_t phys_timer_intid;
	uint32_t gem5;        /* 1: gem5 runs the guest and has a timing model for samples */
	uint32_t no_fp;       /* 1: the machine has no FP registers for a guest */
	uint64_t device_base; /* the null device, 4 KiB: emulated with stage 2, memory without */
	uint64_t link_base;   /* address of a link to another VM (abi/link.h), or 0 */
	uint32_t link_intid;  /* INTID of the other VM's rings, or of the network device */
	uint32_t link_kind;   /* enum plan_link_kind */
	uint64_t cntvoff;     /* CNTPCT minus CNTVCT, in ticks */
	uint64_t start_ticks; /* CNTPCT before the guest's first instruction */
	uint32_t is_load;     /* 1: run the load config.beside instead of `bench` */
	uint32_t is_control;  /* 1: run the load that commands the other two VMs */
	uint32_t vcpu_count;
	uint32_t rounds; /* rounds of a load, counted by the guest */
	struct run_config config;
	struct plan_bench bench;
};

_Static_assert(sizeof(struct guest_run) <= GUEST_PROBE_OFFSET, "the stamps follow");
#endif
