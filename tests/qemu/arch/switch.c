/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that shares its core with another VM and must notice nothing (test_sched.py). It checks
 * that its FP registers are zero, fills every register, those of the CPU interface too, with a
 * value that neither the other VM nor a reset leaves there, lets some turns pass, and compares. An
 * error record names the register that differs (bench.h).
 */
#include "bench.h"

#include "arch/counter.h"
#include "arch/mmio.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WAIT_TICKS 0x40000
#define SGI 3
#define PRIORITY 0x48
#define MASK 0xa8
#define IPRIORITYR 0x400

#ifdef __aarch64__
#include "switch_armv8.h"
#else
#include "switch_armv7.h"
#endif

NO_INTERRUPTS

static uint32_t fp_left[FP_WORDS], fp_found[FP_WORDS];

/* The FP registers are zero in the beginning, whatever the last guest left. */
static void check_fp_is_zero(void)
{
	fp_store(fp_found);
	for (unsigned i = 0; i < FP_WORDS; i++)
		if (fp_found[i])
			fail("fp_not_zero", -1, "");
}

static void fill_fp(void)
{
	for (unsigned i = 0; i < FP_CONTROL_INDEX; i++)
		fp_left[i] = 0x5a000001 + i * 0x010101;
	fp_left[FP_CONTROL_INDEX] = FP_CONTROL;
	fp_left[FP_WORDS - 1] |= FP_STATUS;
	fp_fill(fp_left);
}

static void compare_fp(void)
{
	check_fp_is_on();
	fp_store(fp_found);
	for (unsigned i = 0; i < FP_WORDS; i++)
		if (fp_found[i] != fp_left[i])
			fail(i < FP_CONTROL_INDEX ? "fp" : fp_control_names[i - FP_CONTROL_INDEX],
			     -1, "");
}

/* Set a priority mask, and take an interrupt that stays active. */
static void fill_interface(void)
{
	uintptr_t gicd = (uintptr_t)guest_run->gicd_base, gicc = (uintptr_t)guest_run->gicc_base;

	if (!gicc) {
		fill_interface_gicv3();
		return;
	}
	mmio_write8(gicd + IPRIORITYR + SGI, PRIORITY);
	mmio_write32(gicd, 1);
	mmio_write32(gicc, 1);
	mmio_write32(gicc + 4, MASK);               /* PMR */
	mmio_write32(gicd + 0xf00, 2u << 24 | SGI); /* SGIR: this vCPU */
	if (mmio_read32(gicc + 0xc) != SGI)         /* IAR */
		fail("sgi", -1, "");
}

static void compare_interface(void)
{
	uintptr_t gicc = (uintptr_t)guest_run->gicc_base;

	if ((gicc ? mmio_read32(gicc + 4) : read_pmr_gicv3()) != MASK)
		fail("vmcr", -1, "");
	if ((gicc ? mmio_read32(gicc + 0x14) : read_rpr_gicv3()) != PRIORITY)
		fail("apr", -1, "");
}

static void fill_registers(void)
{
#define X(name, value) write_##name(value);
	LEFT_REGISTERS(X)
#undef X
	isb();
	for (unsigned slot = 0; slot < SLOTS; slot++)
		stub_in[slot] = (uintptr_t)pattern_of(slot);
}

static void compare_registers(void)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		if (stub_seen[slot] != stub_in[slot])
			fail(name_of(slot), -1, "");
#define X(name, value)                                                                             \
	if (read_##name() != (value))                                                              \
		fail(#name, -1, "");
	LEFT_REGISTERS(X)
#undef X
}

void bench_main(struct guest_run *run)
{
	guest_run = run;
	fp_on();
	fill_registers();
	fill_interface();
	check_fp_is_zero();
	fill_fp();
	for (unsigned i = 0; i < COUNT(wait_code); i++)
		stub_code[i] = wait_code[i];
	stub_in[DEADLINE_SLOT] = (uintptr_t)(read_cntpct_el0() + WAIT_TICKS);
	isb();
	stub_run();
	forget_wait();
	compare_registers();
	compare_fp();
	compare_interface();
	for (;;)
		bench_exit(EXIT_DONE);
}
