/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An emulated PL011 (DDI 0183) for an unmodified guest. The hypervisor's console sends each byte of
 * the guest at once, and the guest reads the bytes that the console receives. Interrupts follow the
 * manual, but no operation takes time: the transmit FIFO is always empty, and the receive timeout
 * comes with the byte. The device has no DMA, modem lines, loopback or line break.
 */
#pragma once

#include "arch/types.h"

#define VPL011_FIFO_SIZE 16u
#define VPL011_REGISTERS 19u /* up to DMACR */

struct vcpu;
struct vm;

struct vpl011 {
	struct vm *vm;
	uint8_t fifo[VPL011_FIFO_SIZE]; /* received */
	uint8_t first, count;
	bool waiting; /* FIFO full: the console keeps later bytes, its interrupt is off */
	bool line;    /* the interrupt's level, as the virtual GIC knows it */
	/* Of one UART among several: a line goes to the console as a whole, with the VM's name, and
	 * some bytes an exit. */
	bool by_lines;
	bool unplugged;
	uint8_t length;
	char text[160];
	uint16_t reg[VPL011_REGISTERS]; /* by offset / 4; the registers that store nothing stay 0 */
};

/* Resets the UART. `input`: the UART receives the console's input, unless another one does. */
void vpl011_start(struct vpl011 *uart, struct vm *vm, bool input);

/* Until vpl011_start() the UART receives nothing, but stays the one that does, unless its VM
 * leaves. It sends what it has of a line. */
void vpl011_unplug(struct vpl011 *uart, bool leaves);

/* The UART receives no input afterwards, and sends what it has of a line. */
void vpl011_stop(struct vpl011 *uart);

/* For struct mmio_region (hyp/vm/machine.h), whose state is a struct vpl011. */
reg_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);

/* Handles the console's interrupt. */
void vpl011_receive(void);
