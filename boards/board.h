/* SPDX-License-Identifier: Apache-2.0 */
/* What the hypervisor must know of a board that it cannot ask it: one const struct a board. */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"

struct board {
	const char *name;
	/* the guest's RAM: 2 MiB aligned, 1 GiB where `stage2=1G` is to work */
	uintptr_t guest_base;
	uint64_t guest_size; /* bytes */
	uintptr_t uart_base;
	struct gic_bases gic;
	unsigned hyp_timer_intid;  /* CNTHP */
	unsigned virt_timer_intid; /* CNTV */
	unsigned maintenance_intid;
	/* SPIs with no device behind them, INTIDs below 128: the guest's, pended by software */
	unsigned spi_first;
	unsigned spi_count;
	bool semihosting; /* the machine ends, with a status, on a semihosting call */
};

extern const struct board board;
