/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a board that no register reports: one const struct a board. */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "drivers/uart/uart.h"

/* The start of the cores beside the boot core. */
enum core_start {
	CORES_BOOT_ONLY,  /* not at all */
	CORES_SPIN_TABLE, /* core n polls the 64-bit word release + 8 n, woken by SEV */
	CORES_PSCI,       /* CPU_ON of the firmware, by SMC (DEN0022 5.1.4) */
	CORES_PEN,        /* after SGI 0 a core jumps to the 32-bit address at release */
	CORES_TOGETHER,   /* at the image's first instruction, as the boot core does */
};

struct board_cores {
	unsigned count; /* with the boot core; at most CORE_MAX of hyp/cpu/smp_boot.h; 0 means 1 */
	enum core_start start;
	uintptr_t release;
};

struct board_window {
	uintptr_t base; /* 4 KiB aligned */
	uint32_t size;  /* bytes, multiple of 4 KiB; 0: none */
};

struct board {
	struct gic_bases gic; /* first: smp_boot.S has this offset */
	/* gem5's ARMv7, start.S has this offset: Secure Supervisor mode changes to monitor mode,
	 * and NSACR grants no FP, which would then trap to HYP mode */
	uint32_t gem5_armv7;
	const char *name;
	/* the guest's RAM: 2 MiB aligned; 1 GiB aligned for `stage2=1G`. GUEST_BASE, which
	 * board.mk has: the bench guest is linked for it */
	uintptr_t guest_base;
	uint64_t guest_size;       /* bytes */
	struct uart_port console;  /* none with console_in_use */
	unsigned hyp_timer_intid;  /* CNTHP */
	unsigned virt_timer_intid; /* CNTV */
	unsigned phys_timer_intid; /* CNTP, the Non-secure one */
	unsigned maintenance_intid;
	unsigned pmu_intid; /* counter overflow; 0: no private interrupt, none for a guest */
	/* the guest's SPIs: without a device, INTIDs below 128, pended by software */
	unsigned spi_first;
	unsigned spi_count;
	uint32_t counter_hz; /* if a boot loader may leave CNTFRQ 0; otherwise 0 */
	struct board_cores cores;
	struct board_window reset_device; /* for `reset`: mapped for EL2 */
	/* RAM of neither the hypervisor nor the guest, for a host tool's images of unmodified
	 * guests; 2 MiB aligned, size 0: none */
	uintptr_t store_base;
	uint64_t store_size;
	bool gem5;        /* a model of gem5's, with m5 operations */
	bool semihosting; /* a semihosting call ends the machine with a status */
	/* without Secure state, which the machine may lack, an SMC is undefined in a guest */
	bool smc_needs_secure;

	/* Each may be NULL. All but `reset` run with translation off. */
	const struct uart_port *(*console_in_use)(void); /* if not always `console` */
	bool (*coherency_start)(void); /* ACTLR.SMP, before the caches; false: it stays 0 */
	bool (*counter_start)(void);   /* CNTPCT's source; false: it does not start */
	void (*reset)(void);           /* of the whole board; may return before the reset */
};

extern const struct board board;
