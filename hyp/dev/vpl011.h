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
	uint8_t fifo[VPL011_FIFO_SIZE]; /* received bytes */
	uint8_t first, count;
	bool waiting; /* FIFO full: the console keeps later bytes with its interrupt off */
	bool line;    /* the interrupt's level in the virtual GIC */
	/* One UART among several: the console gets whole lines with the VM's name, some bytes an
	 * exit. */
	bool by_lines;
	bool unplugged;
	uint8_t length;
	char text[160];
	/* indexed by offset / 4; registers that store nothing stay 0 */
	uint16_t reg[VPL011_REGISTERS];
};

/* Reset the UART. `input`: the UART receives the console's input, unless another UART does. */
void vpl011_start(struct vpl011 *uart, struct vm *vm, bool input);

/* Send the incomplete line. The UART receives nothing until vpl011_start(), but keeps its claim to
 * the input unless its VM leaves. Return false, for another call, while the line has no room. */
bool vpl011_unplug(struct vpl011 *uart, bool leaves);

/* Send the incomplete line. The UART receives no input afterwards. */
void vpl011_stop(struct vpl011 *uart);

/* Functions for struct mmio_region (hyp/vm/machine.h), whose state is a struct vpl011. */
reg_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);

/* Handle the console's interrupt. */
void vpl011_receive(void);
