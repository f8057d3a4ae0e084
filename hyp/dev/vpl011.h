/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PL011 (DDI 0183) for a guest that is not our own: what it sends goes to the hypervisor's
 * console at once, and what that receives it reads. Interrupts as the manual has them, but that
 * nothing takes time: the transmit FIFO is always empty, and the receive timeout comes with the
 * byte. There is no DMA, no modem, no loopback, and no line to break.
 */
#pragma once

#include "arch/types.h"

#define VPL011_FIFO_SIZE 16u

struct vcpu;
struct vm;

struct vpl011 {
	struct vm *vm;
	uint8_t fifo[VPL011_FIFO_SIZE]; /* received */
	uint8_t first, count;
	bool waiting; /* full: the console keeps what came behind, its interrupt is off */
	bool line;    /* its interrupt, as the virtual GIC knows it */
	uint16_t ris, imsc, cr;
	/* storage */
	uint16_t ibrd, lcr_h;
	uint8_t ilpr, fbrd, ifls, dmacr;
};

/* As at reset; the console's input is its own, `input`: if it can have it. */
void vpl011_start(struct vpl011 *uart, struct vm *vm, bool input);

/* The console's input is nobody's. */
void vpl011_stop(void);

/* For struct mmio_region (hyp/vm/mmio.h), whose state is a struct vpl011. */
uint64_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state);

/* The console's interrupt has come. */
void vpl011_receive(void);
