/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/vpl011.h"

#include "abi/virt.h"
#include "drivers/uart/pl011_regs.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"

#define CR_RESET (UARTCR_RXE | UARTCR_TXE)
#define IFLS_RESET 0x12u /* half full, both */

/* The one that the console's input goes to. */
static struct vpl011 *listener;

/* --- the interrupt --- */

static void update(struct vpl011 *uart)
{
	bool line = uart->ris & uart->imsc;

	if (line == uart->line)
		return;
	uart->line = line;
	vspi_set_level(uart->vm, VIRT_UART_INTID, line);
}

/* --- receiving --- */

static unsigned depth(const struct vpl011 *uart)
{
	return uart->lcr_h & UARTLCR_H_FEN ? VPL011_FIFO_SIZE : 1;
}

/* How many bytes raise INT_RX (3.3.9). */
static unsigned trigger(const struct vpl011 *uart)
{
	static const uint8_t eighths[8] = { 1, 2, 4, 6, 7, 4, 4, 4 }; /* 5 to 7: reserved */

	return depth(uart) == 1 ? 1 : VPL011_FIFO_SIZE * eighths[UARTIFLS_RX(uart->ifls)] / 8;
}

static void push(struct vpl011 *uart, uint8_t byte)
{
	uart->fifo[(uart->first + uart->count) % VPL011_FIFO_SIZE] = byte;
	uart->count++;
	uart->ris |= UARTINT_RT;
	if (uart->count >= trigger(uart))
		uart->ris |= UARTINT_RX;
}

/* What the console has, as far as there is room. */
static void fill(struct vpl011 *uart)
{
	int byte = 0;

	while (uart->count < depth(uart) && (byte = console_get()) >= 0)
		push(uart, (uint8_t)byte);
	if (uart->waiting == (byte >= 0))
		return;
	uart->waiting = byte >= 0;
	console_listen(!uart->waiting);
}

/* 0 where there is nothing: what a read gives then is not defined. */
static uint32_t pop(struct vpl011 *uart)
{
	uint8_t byte = uart->fifo[uart->first];

	if (!uart->count)
		return 0;
	uart->first = (uint8_t)((uart->first + 1) % VPL011_FIFO_SIZE);
	uart->count--;
	if (uart->waiting)
		fill(uart);
	if (uart->count < trigger(uart))
		uart->ris &= (uint16_t)~UARTINT_RX;
	if (!uart->count)
		uart->ris &= (uint16_t)~UARTINT_RT;
	return byte;
}

static void receive(struct vcpu *vcpu, void *argument)
{
	struct vpl011 *uart = argument;

	(void)vcpu;
	fill(uart);
	update(uart);
}

void vpl011_receive(void)
{
	if (listener)
		smp_call(listener->vm->vcpu[0], receive, listener);
	else
		console_listen(false);
}

/* --- the registers --- */

/* DDI 0183 3.3.15: part 0x011, Arm, revision 1; cell 0xb105f00d. A byte a register. */
static uint32_t read_id(uint32_t offset)
{
	static const uint8_t id[] = { 0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1 };

	return offset < UARTPERIPHID0 ? 0 : id[(offset - UARTPERIPHID0) / 4];
}

static uint32_t read_flags(const struct vpl011 *uart)
{
	uint32_t flags = UARTFR_TXFE | UARTFR_CTS | UARTFR_DSR | UARTFR_DCD;

	if (!uart->count)
		flags |= UARTFR_RXFE;
	if (uart->count >= depth(uart))
		flags |= UARTFR_RXFF;
	return flags;
}

static uint32_t read_register(struct vpl011 *uart, uint32_t offset)
{
	switch (offset) {
	case UARTDR:
		return pop(uart);
	case UARTFR:
		return read_flags(uart);
	case UARTILPR:
		return uart->ilpr;
	case UARTIBRD:
		return uart->ibrd;
	case UARTFBRD:
		return uart->fbrd;
	case UARTLCR_H:
		return uart->lcr_h;
	case UARTCR:
		return uart->cr;
	case UARTIFLS:
		return uart->ifls;
	case UARTIMSC:
		return uart->imsc;
	case UARTRIS:
		return uart->ris;
	case UARTMIS:
		return uart->ris & uart->imsc;
	case UARTDMACR:
		return uart->dmacr;
	default: /* RSR too: nothing is received wrong */
		return read_id(offset);
	}
}

/* The FIFOs go on or off, and are empty then. */
static void write_lcr_h(struct vpl011 *uart, uint32_t value)
{
	if ((uart->lcr_h ^ value) & UARTLCR_H_FEN) {
		uart->count = 0;
		uart->ris &= (uint16_t) ~(UARTINT_RX | UARTINT_RT);
	}
	uart->lcr_h = (uint16_t)(value & 0xff);
	if (uart->waiting)
		fill(uart);
}

static void write_register(struct vpl011 *uart, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case UARTDR: /* whether it is enabled or not: early output does not set it up */
		console_guest((char)value);
		uart->ris |= UARTINT_TX;
		break;
	case UARTILPR:
		uart->ilpr = (uint8_t)value;
		break;
	case UARTIBRD:
		uart->ibrd = (uint16_t)value;
		break;
	case UARTFBRD:
		uart->fbrd = value & 0x3f;
		break;
	case UARTLCR_H:
		write_lcr_h(uart, value);
		break;
	case UARTCR:
		uart->cr = (uint16_t)value;
		break;
	case UARTIFLS:
		uart->ifls = value & 0x3f;
		break;
	case UARTIMSC:
		uart->imsc = value & UARTINT_ALL;
		break;
	case UARTICR:
		uart->ris &= (uint16_t)~value;
		break;
	case UARTDMACR:
		uart->dmacr = value & 7;
		break;
	default:
		break;
	}
}

/* --- an access --- */

/* A UART is its VM's, not a vCPU's: vCPU 0's core does what its registers do. */
struct access {
	struct vpl011 *uart;
	uint32_t offset;
	uint32_t value;
};

static void do_read(struct vcpu *vcpu, void *argument)
{
	struct access *access = argument;

	(void)vcpu;
	access->value = read_register(access->uart, access->offset);
	update(access->uart);
}

static void do_write(struct vcpu *vcpu, void *argument)
{
	const struct access *access = argument;

	(void)vcpu;
	write_register(access->uart, access->offset, access->value);
	update(access->uart);
}

/* Of a register that is accessed elsewhere than at its beginning the bytes there. */
uint64_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	struct access access = { .uart = state, .offset = offset & ~3u };

	(void)size;
	if (offset > UARTDR && offset < UARTRSR) /* what is received stays */
		return 0;
	smp_call(vcpu->vm->vcpu[0], do_read, &access);
	return access.value >> 8 * (offset & 3);
}

void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	struct access access = { .uart = state, .offset = offset, .value = (uint32_t)value };

	(void)size;
	smp_call(vcpu->vm->vcpu[0], do_write, &access);
}

void vpl011_start(struct vpl011 *uart, struct vm *vm, bool input)
{
	*uart = (struct vpl011){ .vm = vm, .cr = CR_RESET, .ifls = IFLS_RESET };
	listener = input ? uart : NULL;
	console_listen(input);
}

void vpl011_stop(void)
{
	listener = NULL;
	console_listen(false);
}
