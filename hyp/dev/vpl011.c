/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/vpl011.h"

#include <string.h>

#include "abi/virt.h"
#include "arch/sysreg.h"
#include "drivers/uart/pl011_regs.h"
#include "hyp/arch/guest.h"
#include "hyp/base/clock.h"
#include "hyp/base/console.h"
#include "hyp/base/lock.h"
#include "hyp/base/record.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/timerq.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vm.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

#define IFLS_RESET 0x12u /* both FIFOs half full */

/* The lock of all emulated UARTs, held for one access to a register. The lock also protects the end
 * of the text queue where cores append. The lock of records protects the sending instead, so no
 * access waits until another core has sent text. */
static struct lock lock;

/* The UART that receives the console's input. */
static struct vpl011 *listener;

static uint16_t *reg(struct vpl011 *uart, uint32_t offset)
{
	return &uart->reg[offset / 4];
}

/* --- receiving --- */

static unsigned depth(struct vpl011 *uart)
{
	return *reg(uart, UARTLCR_H) & UARTLCR_H_FEN ? VPL011_FIFO_SIZE : 1;
}

/* Return the number of bytes that raises INT_RX (3.3.9). */
static unsigned trigger(struct vpl011 *uart)
{
	static const uint8_t eighths[8] = { 1, 2, 4, 6, 7, 4, 4, 4 }; /* 5 to 7 are reserved */

	return depth(uart) == 1 ? 1
				: VPL011_FIFO_SIZE * eighths[UARTIFLS_RX(*reg(uart, UARTIFLS))] / 8;
}

static void push(struct vpl011 *uart, uint8_t byte)
{
	uart->fifo[(uart->first + uart->count) % VPL011_FIFO_SIZE] = byte;
	uart->count++;
	*reg(uart, UARTRIS) |= UARTINT_RT;
}

/* Move at most `most` bytes from the console to the FIFO while there is room. */
static void fill(struct vpl011 *uart, unsigned most)
{
	unsigned before = uart->count, room = depth(uart) - before;
	int byte = 0;

	if (room > most)
		room = most;
	/* bound: ARGUMENT_1 */
	for (; room && (byte = console_get()) >= 0; room--)
		push(uart, (uint8_t)byte);
	if (uart->count > before && uart->count >= trigger(uart))
		*reg(uart, UARTRIS) |= UARTINT_RX;
	if (uart->waiting == (byte >= 0))
		return;
	uart->waiting = byte >= 0;
	console_listen(!uart->waiting);
}

/* A change of FEN turns the FIFOs on or off, and empties them. */
static void empty(struct vpl011 *uart)
{
	uart->count = 0;
	*reg(uart, UARTRIS) &= (uint16_t) ~(UARTINT_RX | UARTINT_RT);
	if (uart->waiting)
		fill(uart, VPL011_FIFO_SIZE); /* argument: VPL011_FIFO_SIZE */
}

/* Return the next byte, or 0 if the FIFO is empty (the manual leaves that value open). If bytes
 * wait at the console, the FIFO was full, and one of these bytes takes the place. */
static uint32_t pop(struct vpl011 *uart)
{
	uint8_t byte = uart->fifo[uart->first];

	if (!uart->count)
		return 0;
	uart->first = (uint8_t)((uart->first + 1) % VPL011_FIFO_SIZE);
	uart->count--;
	if (uart->count < trigger(uart))
		*reg(uart, UARTRIS) &= (uint16_t)~UARTINT_RX;
	if (!uart->count)
		*reg(uart, UARTRIS) &= (uint16_t)~UARTINT_RT;
	if (uart->waiting)
		fill(uart, 1); /* argument: 1 */
	return byte;
}

/* --- the interrupt --- */

/* Update the interrupt after each access. */
static void update(struct vpl011 *uart)
{
	bool line = *reg(uart, UARTRIS) & *reg(uart, UARTIMSC);

	if (line == uart->line)
		return;
	uart->line = line;
	vgicd_set_level(&uart->vm->dist, VIRT_UART_INTID, line);
}

__cold void vpl011_receive(void)
{
	lock_take(&lock);
	if (listener && !listener->unplugged) {
		fill(listener, VPL011_FIFO_SIZE); /* argument: VPL011_FIFO_SIZE */
		update(listener);
	} else {
		console_listen(false);
	}
	lock_release(&lock);
}

/* --- sending --- */

#define SEND_MOST 32u /* bytes that an exit sends */
#define LINE_MOST (PLAN_NAME_SIZE + 2 + sizeof((struct vpl011 *)0)->text + 1)
_Static_assert(CONSOLE_QUEUE_SIZE >= 3 * LINE_MOST, "room");

static struct timer rest PERCPU;

static void send_rest(struct timer *timer);

/* Return whether a guest may queue text. Guests leave room for the last line of a UART that is
 * stopped. */
static bool has_room(void)
{
	return console_queued() <= CONSOLE_QUEUE_SIZE - 2 * LINE_MOST;
}

/* Text waits while a guest's record is open, unless the queue may become full. */
static bool text_waits(void)
{
	return record_in_pieces() && console_queued() < CONSOLE_QUEUE_SIZE / 2;
}

/* Send a part of the queue, or a part of the record that the queue waits for. Return whether the
 * queue has more. */
static bool send_part(void)
{
	if (text_waits())
		return guest_record_print();
	record_cut();
	return console_send(SEND_MOST); /* argument: SEND_MOST */
}

/* Send a part of the queue, unless another core has the console. A timer of this core sends the
 * rest: 32 bytes take 2.8 ms at 115200 baud. */
static void send_some(void)
{
	bool more = true;

	if (!console_queued())
		return;
	if (record_try_lock()) {
		more = send_part();
		record_unlock();
	}
	if (!more)
		return;
	rest.function = send_rest;
	timerq_start(&rest, read_cntpct_el0() + clock_hz() / 400);
}

static void send_rest(struct timer *timer)
{
	send_some();
}

/* Send a line in a later visit, because the store that queued the line took long enough. */
static void send_later(void)
{
	rest.function = send_rest;
	if (!timer_is_queued(&rest))
		timerq_start(&rest, read_cntpct_el0());
}

static void send_no_more(void *argument)
{
	timerq_stop(&rest);
}

static void queue_line(struct vpl011 *uart)
{
	/* argument: PLAN_NAME_SIZE */
	console_queue(uart->vm->name, strlen(uart->vm->name));
	console_queue(": ", 2);
	console_queue(uart->text, uart->length); /* argument: 160 */
	/* argument: 1 */
	console_queue("\n", uart->text[uart->length - 1] != '\n');
	console_queue_end();
	uart->length = 0;
}

/* Only one VM has an emulated UART, unless the text goes by lines. */
static void send(struct vpl011 *uart, char byte)
{
	if (!uart->by_lines) {
		console_queue(&byte, 1); /* argument: 1 */
		console_queue_end();
		return;
	}
	uart->text[uart->length++] = byte;
	if (byte == '\n' || uart->length == sizeof(uart->text))
		queue_line(uart);
}

/* --- the registers --- */

static uint32_t read_flags(struct vpl011 *uart)
{
	return UARTFR_TXFE | UARTFR_CTS | UARTFR_DSR | UARTFR_DCD |
	       (uart->count ? 0 : UARTFR_RXFE) | (uart->count < depth(uart) ? 0 : UARTFR_RXFF);
}

static uint32_t read_register(struct vpl011 *uart, uint32_t offset)
{
	/*
	 * DDI 0183 3.3.15: part 0x011, Arm, revision 1; cell 0xb105f00d. One byte for each
	 * register.
	 */
	static const uint8_t id[] = { 0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1 };

	switch (offset) {
	case UARTDR:
		return pop(uart);
	case UARTFR:
		return read_flags(uart);
	case UARTMIS:
		return *reg(uart, UARTRIS) & *reg(uart, UARTIMSC);
	default: /* RSR reads 0: no received byte has an error */
		if (offset <= UARTDMACR)
			return *reg(uart, offset);
		return offset < UARTPERIPHID0 ? 0 : id[(offset - UARTPERIPHID0) / 4];
	}
}

static void write_register(struct vpl011 *uart, uint32_t offset, uint32_t value)
{
	static const uint16_t writable[VPL011_REGISTERS] = {
		[UARTILPR / 4] = 0xff,        [UARTIBRD / 4] = 0xffff, [UARTFBRD / 4] = 0x3f,
		[UARTLCR_H / 4] = 0xff,       [UARTCR / 4] = 0xffff,   [UARTIFLS / 4] = 0x3f,
		[UARTIMSC / 4] = UARTINT_ALL, [UARTDMACR / 4] = 7,
	};

	if (offset > UARTDMACR || offset & 3)
		return;
	/* ignore CR.UARTEN, because early output does not set the UART up */
	if (offset == UARTDR) {
		send(uart, (char)value);
		*reg(uart, UARTRIS) |= UARTINT_TX;
	} else if (offset == UARTICR) {
		*reg(uart, UARTRIS) &= (uint16_t)~value;
	} else if (writable[offset / 4]) {
		bool fen = offset == UARTLCR_H && (*reg(uart, offset) ^ value) & UARTLCR_H_FEN;

		*reg(uart, offset) = (uint16_t)(value & writable[offset / 4]);
		if (fen)
			empty(uart);
	}
}

/* --- an access --- */

/* An access within a register reads the bytes at that place. */
reg_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	uint32_t value;

	if (offset > UARTDR && offset < UARTRSR) /* keep the received bytes */
		return 0;
	lock_take(&lock);
	value = read_register(state, offset & ~3u);
	update(state);
	lock_release(&lock);
	return value >> 8 * (offset & 3);
}

/* The guest repeats a store that the queue has no room for, and takes its interrupts in between. */
void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
	struct vpl011 *uart = state;
	bool fits;

	lock_take(&lock);
	fits = offset != UARTDR || has_room();
	if (fits) {
		write_register(uart, offset, (uint32_t)value);
		update(uart);
	}
	lock_release(&lock);
	if (!fits)
		trap_repeat_store();
	if (fits && offset == UARTDR && uart->by_lines && !uart->length)
		send_later();
	else
		send_some();
}

static void reset_registers(struct vpl011 *uart, struct vm *vm)
{
	*uart = (struct vpl011){ .vm = vm, .by_lines = vm->machine->shares_console };
	*reg(uart, UARTCR) = UARTCR_RXE | UARTCR_TXE;
	*reg(uart, UARTIFLS) = IFLS_RESET;
}

void vpl011_start(struct vpl011 *uart, struct vm *vm, bool input)
{
	lock_take(&lock);
	reset_registers(uart, vm);
	if (input && (!listener || listener == uart)) {
		listener = uart;
		console_listen(true);
	}
	lock_release(&lock);
}

/*
 * Queue the line that is not complete, and receive nothing more. With `leaves`, another UART may
 * receive the input. Return false if the line has no room; guests leave room for a UART that is
 * stopped (`stops`). The function is out of line, so that the time for which it has the lock is
 * bounded.
 */
static __attribute__((noinline)) bool silence(struct vpl011 *uart, bool leaves, bool stops)
{
	bool fits;

	lock_take(&lock);
	fits = !uart->length || stops || has_room();
	if (fits && uart->length)
		queue_line(uart);
	uart->unplugged = true;
	if (uart == listener) {
		console_listen(false);
		listener = leaves ? NULL : uart;
	}
	lock_release(&lock);
	return fits;
}

bool vpl011_unplug(struct vpl011 *uart, bool leaves)
{
	bool silent = silence(uart, leaves, false);

	send_some();
	return silent;
}

/* Send a piece of the queue. Return false if the queue is empty. */
static bool send_piece(void)
{
	bool any;

	record_lock();
	any = console_queued();
	if (any) {
		record_cut();
		console_send(SEND_MOST); /* argument: SEND_MOST */
	}
	record_unlock();
	return any;
}

/*
 * Stop the UART. No timer of the VM's cores may outlive the UART; another VM on such a core
 * restarts the timer for text that is still in the queue. VMs are stopped one after the other, and
 * each sends as much text as the queue can hold, so the next VM also finds room for its last line.
 */
void vpl011_stop(struct vpl011 *uart)
{
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < uart->vm->vcpu_count; n++)
		smp_call(uart->vm->vcpu[n]->core, send_no_more, NULL);
	silence(uart, true, true);
	/* at most one full queue: another VM may add text meanwhile */
	for (unsigned sent = 0; sent < CONSOLE_QUEUE_SIZE && send_piece(); sent += SEND_MOST)
		;
}
