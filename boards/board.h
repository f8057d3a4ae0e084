/* SPDX-License-Identifier: Apache-2.0 */
/* What the hypervisor must know of a board that it cannot ask it: one const struct a board. */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "drivers/uart/uart.h"

/* How the cores beside the boot core are started. */
enum core_start {
	CORES_BOOT_ONLY,  /* not at all */
	CORES_SPIN_TABLE, /* core n polls the 64-bit word release + 8 n, woken by SEV */
	CORES_PSCI,       /* CPU_ON of the firmware, by SMC (DEN0022 5.1.4) */
	CORES_PEN, /* they wait for SGI 0, then jump to what the 32-bit word at release holds */
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
	struct gic_bases gic; /* first: smp_boot.S knows it */
	/* gem5's ARMv7, start.S knows it: Secure Supervisor mode is left for monitor mode, and
	 * NSACR grants no FP, which would trap to HYP mode then */
	uint32_t gem5_armv7;
	const char *name;
	/* the guest's RAM: 2 MiB aligned, 1 GiB where `stage2=1G` is to work */
	uintptr_t guest_base;
	uint64_t guest_size;       /* bytes */
	struct uart_port console;  /* none where there is console_in_use */
	unsigned hyp_timer_intid;  /* CNTHP */
	unsigned virt_timer_intid; /* CNTV */
	unsigned phys_timer_intid; /* CNTP, the Non-secure one */
	unsigned maintenance_intid;
	unsigned pmu_intid; /* of counters that overflow; 0: no private one, no guest has it */
	/* SPIs with no device behind them, INTIDs below 128: the guest's, pended by software */
	unsigned spi_first;
	unsigned spi_count;
	uint32_t counter_hz; /* where a boot loader may leave CNTFRQ 0; else 0 */
	struct board_cores cores;
	struct board_window reset_device; /* what `reset` touches: mapped for EL2 */
	/* RAM of neither the hypervisor nor the guest: where a host tool puts the images of
	 * guests that are not our own; 2 MiB aligned, size 0: none */
	uintptr_t store_base;
	uint64_t store_size;
	bool gem5;        /* the board is a model of gem5's, where m5 operations are defined */
	bool semihosting; /* the machine ends, with a status, on a semihosting call */
	/* the machine may be one without Secure state: an SMC is then undefined in a guest */
	bool smc_needs_secure;

	/* Each may be NULL. Called with translation off, but `reset`. */
	const struct uart_port *(*console_in_use)(void); /* where not always at `console` */
	bool (*coherency_start)(void); /* ACTLR.SMP, before the caches; false: it stays 0 */
	bool (*counter_start)(void);   /* CNTPCT's source; false: it does not start */
	void (*reset)(void); /* of the whole board; where it returns, the reset is to come */
};

extern const struct board board;
