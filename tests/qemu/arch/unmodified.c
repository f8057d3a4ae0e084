/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unmodified guest, which knows only QEMU's virt and PSCI. Defines: DOES, a value of the enum
 * below; UART_BASE; GIC, 2 or 3; CONDUIT, hvc or smc; DTB, the device tree that the guest must
 * find.
 */
#include "abi/virt.h"
#include "abi/virtio_net.h"
#include "arch/mmio.h"
#include "drivers/uart/pl011_regs.h"
#include "guest_gic.h"
#include "taken.h"
#include "vcpus.h"

#define UART_INTID 33u
#define FLASH_BANK 0x04000000u
#define FLASH_END 0x08000000u
#define READONLY_LOAD 0x10000000u
#define NOWHERE 0x0b000000u
#define STARTS 3u

enum does {
	HELLO,    /* prints, leaves a line open */
	ECHO,     /* prints what is typed, by interrupts, until a 'q' */
	RESET,    /* SYSTEM_RESET until the third start */
	MACHINE,  /* checks its machine; prints what is wrong */
	READONLY, /* stores to a load outside of flash, then where no memory is, without vectors */
	FOREVER,
	FLASH, /* loads all over the flash, commands, SYSTEM_RESET; then checks again */
};

/* An implementation-defined register is undefined, in each state that the isa has. */
#ifdef __aarch64__
CODE(undefined, "mrs x3, s3_1_c15_c2_7\nb .");

static bool undefined_at(uintptr_t psr, uintptr_t vector)
{
	run_at((uintptr_t)undefined, psr, 0);
	return taken.vector == vector && taken.syndrome >> 26 == 0; /* an unknown reason */
}

static bool undefined_is_taken(void)
{
	return undefined_at(0x3c5, EL1H) && undefined_at(0, EL0);
}
#else
CODE(undefined_arm, "mrc p15, 1, r3, c9, c0, 2\nb .");
CODE(undefined_thumb, ".thumb\nmrc p15, 1, r3, c9, c0, 2\nb .\n.arm"); /* L2CTLR */

static bool undefined_at(const char *code, uintptr_t psr, uintptr_t size)
{
	run_at((uintptr_t)code, psr, 0);
	return taken.vector == UNDEFINED && taken.pc == (uintptr_t)code + size;
}

static bool undefined_is_taken(void)
{
	return undefined_at(undefined_arm, 0x1d3, 4) && undefined_at(undefined_thumb, 0x1f3, 2);
}
#endif

static void say(const char *text)
{
	while (*text)
		mmio_write32(UART_BASE, (uint8_t)*text++);
}

static void end_by(uint32_t function, const char *text)
{
	say(text);
	psci(function, 0, 0, 0);
}

void wrong(void)
{
	end_by(SYSTEM_OFF, "wrong\n");
}

static void expect(bool well)
{
	if (!well)
		wrong();
}

static void expect_word(uintptr_t address, uint32_t value, const char *text)
{
	if (mmio_read32(address) != value)
		say(text);
}

static void expect_flash(void)
{
	expect_word(FLASH_BANK, 0x464c4153, "wrong F\n"); /* loaded */
}

/* Send a command to the flash. The command has no effect. */
static void command(uint32_t value)
{
	mmio_write32(FLASH_BANK + 0x154, value);
}

static void echo_until_q(void)
{
	uint32_t c;

	do {
		c = mmio_read32(UART_BASE + UARTDR);
		if (c == 'q')
			end_by(SYSTEM_OFF, "\nquit\n");
		mmio_write32(UART_BASE + UARTDR, c);
	} while (!(mmio_read32(UART_BASE + UARTFR) & UARTFR_RXFE));
}

static void echo(void)
{
	interface_on(0);
	mmio_write32(GICD + ISENABLER + 4, 1u << (UART_INTID - 32));
	mmio_write32(UART_BASE + UARTLCR_H, UARTLCR_H_WLEN_8 | UARTLCR_H_FEN);
	mmio_write32(UART_BASE + UARTIMSC, UARTINT_RX | UARTINT_RT);
	say("type\n");
	for (;;) {
		uint32_t iar;

		sleep();
		iar = acknowledge(false);
		if (iar >= 1020)
			continue;
		expect(iar == UART_INTID);
		echo_until_q();
		end(false, iar);
	}
}

static void reset(void)
{
	static volatile uint32_t loaded __attribute__((section(".data"))); /* 0 at each start */
	uint32_t starts = mmio_read32(SHARED) + 1;

	expect(!loaded);
	loaded = 1;
	mmio_write32(SHARED, starts);
	say("start\n");
	if (starts < STARTS)
		psci(SYSTEM_RESET, 0, 0, 0);
	mmio_write32(SHARED, 0);
	psci(SYSTEM_OFF, 0, 0, 0);
}

/* No driver takes a transport without a device, and a store to it changes nothing. */
static void expect_empty_transport(uintptr_t slot)
{
	uintptr_t at = VIRT_VIRTIO + slot * VIRTIO_SIZE;

	mmio_write32(at + VIRTIO_STATUS, VIRTIO_ACKNOWLEDGE);
	expect_word(at + VIRTIO_MAGIC_VALUE, VIRTIO_MAGIC, "wrong M\n");
	expect_word(at + VIRTIO_VERSION, VIRTIO_MODERN, "wrong V\n");
	expect_word(at + VIRTIO_DEVICE_ID, 0, "wrong D\n");
	expect_word(at + VIRTIO_STATUS, 0, "wrong S\n");
	expect(mmio_read8(at + VIRTIO_MAGIC_VALUE + 1) == (uint8_t)(VIRTIO_MAGIC >> 8));
}

static void machine(void)
{
	expect(undefined_is_taken());
	expect_word(UART + UARTPERIPHID0, 0x11, "wrong U\n");
	expect_word(UART + UARTPERIPHID0 + 0x10, 0x0d, "wrong C\n");
	expect_flash();
	expect_word(4, 0xffffffff, "wrong E\n"); /* erased */
	command(0x98);
	expect_flash();
	expect_empty_transport(0);
	expect_empty_transport(VIRT_VIRTIO_SLOTS - 1);
	invalidate_line(UART); /* on a device: no effect */
	end_by(SYSTEM_OFF, "as it should be\n");
}

/* Check that each 2 MiB read as erased. */
static uintptr_t erased(uintptr_t from, uintptr_t to)
{
	for (; from < to; from += 0x200000)
		expect((uint32_t)load_two(from) == 0xffffffff);
	return from;
}

static void flash(void)
{
	uintptr_t at;

	expect_flash();
	expect_word(4, 0xffffffff, "wrong E\n");
	if (mmio_read32(SHARED)) {
		mmio_write32(SHARED, 0);
		end_by(SYSTEM_OFF, "as it should be\n");
	}
	mmio_write32(SHARED, 1);
	/* needs as many table pages as there once were, and one that a command gives back */
	at = erased(0x1ff000, 0x800000);
	command(0x90);
	at = erased(at, 0xa00000);
	command(0xff);
	expect_flash();
	erased(at, FLASH_END);
	command(0x98);
	mmio_write8(0x154, 0x40);
	psci(SYSTEM_RESET, 0, 0, 0);
}

static void read_only(void)
{
	uint32_t value = mmio_read32(READONLY_LOAD);

	mmio_write32(READONLY_LOAD, value + 1);
	expect(mmio_read32(READONLY_LOAD) == value);
	mmio_write32(NOWHERE, value);
	wrong();
}

void first_main(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	switch (DOES) {
	case HELLO:
		end_by(SYSTEM_OFF, "hello\r\nopen");
		break;
	case ECHO:
		echo();
		break;
	case RESET:
		reset();
		break;
	case MACHINE:
		expect(as_booted(a0, a1, a2, a3, DTB));
		machine();
		break;
	case READONLY:
		read_only();
		break;
	case FOREVER:
		for (;;)
			;
	case FLASH:
		flash();
	}
}
