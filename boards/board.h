/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a board that no register reports: one const struct for each board. */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "drivers/uart/uart.h"

/* The ways in which the cores other than the boot core start. */
enum core_start {
	CORES_BOOT_ONLY,  /* only the boot core runs */
	CORES_SPIN_TABLE, /* core n polls the 64-bit word release + 8 n, woken by SEV */
	CORES_PSCI,       /* PSCI CPU_ON of the firmware, by SMC (DEN0022 5.1.4) */
	CORES_PEN,        /* a core jumps to the 32-bit address at `release` after SGI 0 */
	CORES_TOGETHER,   /* every core starts at the image's first instruction */
};

struct board_cores {
	/* includes the boot core; at most CORE_MAX of hyp/cpu/smp_boot.h; 0 means 1 */
	unsigned count;
	enum core_start start;
	uintptr_t release;
};

struct board_window {
	uintptr_t base; /* 4 KiB aligned */
	uint32_t size;  /* bytes, a multiple of 4 KiB; 0 without a window */
};

struct board {
	struct gic_bases gic; /* first member: smp_boot.S uses this offset */
	/* gem5's ARMv7 (start.S uses this offset): Secure Supervisor mode can enter monitor mode,
	 * and NSACR grants no FP, whose use would then trap to HYP mode */
	uint32_t gem5_armv7;
	const char *name;
	/* The guest's RAM: 2 MiB aligned; 1 GiB aligned for `stage2=1G`. The base equals GUEST_BASE
	 * of board.mk, the address that the bench guest is linked for. */
	uintptr_t guest_base;
	uint64_t guest_size;       /* bytes */
	struct uart_port console;  /* unused if console_in_use is set */
	unsigned hyp_timer_intid;  /* INTID of CNTHP */
	unsigned virt_timer_intid; /* INTID of CNTV */
	unsigned phys_timer_intid; /* INTID of the Non-secure CNTP */
	unsigned maintenance_intid;
	unsigned pmu_intid; /* INTID of the counter overflow; 0: not private, so no guest has it */
	/*
	 * The guest's SPIs: no device drives them, software pends them, and their INTIDs are below
	 * 128.
	 */
	unsigned spi_first;
	unsigned spi_count;
	/* Rate of the silicon's counter, used if a boot loader leaves CNTFRQ 0, and by
	 * `hypbench silicon-report`; 0 for a model without silicon. */
	uint32_t counter_hz;
	struct board_cores cores;
	struct board_window reset_device; /* a device that `reset` uses, mapped for EL2 */
	/* RAM of neither the hypervisor nor the guest, in which a host tool puts images of
	 * unmodified guests. 2 MiB aligned; size 0 means none. */
	uintptr_t store_base;
	uint64_t store_size;
	bool gem5;        /* the board is a model of gem5, with m5 operations */
	bool semihosting; /* a semihosting call ends the machine with a status */
	/* a guest's SMC is undefined without Secure state, which the machine may lack */
	bool smc_needs_secure;

	/* Each function may be NULL. All but `reset` run with translation off. */
	const struct uart_port *(*console_in_use)(void); /* chooses another UART than `console` */
	/* sets ACTLR.SMP, before the caches are on; false if the bit stays 0 */
	bool (*coherency_start)(void);
	bool (*counter_start)(void); /* starts the source of CNTPCT; false if it does not start */
	void (*reset)(void);         /* resets the whole board; may return before the reset */
};

extern const struct board board;
