/* SPDX-License-Identifier: Apache-2.0 */
/* One driver for every UART: struct uart_part describes the registers. */
#include "drivers/uart/uart.h"

#include "arch/mmio.h"

static bool holds(const struct uart_port *port, const struct uart_flag *flag)
{
	return !(mmio_read32(port->base + flag->offset) & flag->bits) == flag->clear;
}

static void control_set(const struct uart_port *port, uint32_t bits)
{
	uintptr_t control = port->base + port->part->control;

	if (bits)
		mmio_write32(control, (mmio_read32(control) & ~port->part->off) | bits);
}

static void register_write(const struct uart_port *port, const struct uart_write *write)
{
	mmio_write32(port->base + write->offset, write->value);
}

void uart_init(const struct uart_port *port)
{
	control_set(port, port->part->transmit);
}

void uart_putc(const struct uart_port *port, char c)
{
	/* wait: uart */
	while (holds(port, &port->part->full))
		;
	mmio_write32(port->base + port->part->out, (uint8_t)c);
}

void uart_flush(const struct uart_port *port)
{
	/* wait: uart */
	while (holds(port, &port->part->busy))
		;
}

/* Clear the interrupt and check again: a byte may have arrived before the clear. */
static bool is_empty_still(const struct uart_port *port)
{
	if (!port->part->clear)
		return true;
	mmio_write32(port->base + port->part->pending, port->part->clear);
	return holds(port, &port->part->empty);
}

int uart_get(const struct uart_port *port)
{
	if (holds(port, &port->part->empty) && is_empty_still(port))
		return -1;
	return (int)(mmio_read32(port->base + port->part->in) & 0xff);
}

void uart_listen(const struct uart_port *port, bool on)
{
	if (on)
		control_set(port, port->part->receive);
	if (on && port->part->level.value)
		register_write(port, &port->part->level);
	register_write(port, on ? &port->part->listen : &port->part->ignore);
}
