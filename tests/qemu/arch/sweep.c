/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test whether a system register of EL1 or EL0 carries a value from one VM to another: two guests
 * on a core give each other turns. Each guest writes its own pattern to every register that it can
 * write, sleeps, and reads the registers. A register that changed meanwhile stops the VM with the
 * register's number (op1, CRn, CRm, op2). A register whose access is undefined is left out.
 * Defines: CPUS; GIC; PATTERN.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define COUNT 0x4000u
#define ROUNDS 3u
#define TIMER 27u
#define TICKS 400000u /* the other guest has its turn meanwhile */
#define REG(op1, n, m, op2) ((op1) << 11 | (n) << 7 | (m) << 3 | (op2))

/* Go on after an undefined instruction; x9 counts such instructions. */
__asm__(".balign 0x800\n"
	"vectors:\n"
	".org vectors + 0x200\n"
	"	mrs	x10, elr_el1\n"
	"	add	x10, x10, #4\n"
	"	msr	elr_el1, x10\n"
	"	add	x9, x9, #1\n"
	"	eret\n"
	".org vectors + 0x800\n");

static uint64_t kept[COUNT];

/* Execute MRS x0, <register> or MSR <register>, x0, made at run time. Return 0 if undefined. */
static int access(uint32_t opcode, uint32_t reg, uint64_t *value)
{
	static uint32_t code[2] __attribute__((aligned(64)));
	register uint64_t x0 __asm__("x0") = *value;
	register uint64_t x9 __asm__("x9") = 0;

	*(volatile uint32_t *)&code[0] = opcode | reg << 5;
	*(volatile uint32_t *)&code[1] = 0xd65f03c0u; /* ret */
	__asm__ volatile("dsb sy\n\tic iallu\n\tdsb sy\n\tisb\n\tblr %2\n\tisb"
			 : "+r"(x0), "+r"(x9)
			 : "r"(code)
			 : "x10", "x30", "memory");
	*value = x0;
	return x9 == 0;
}

static int read(uint32_t reg, uint64_t *value)
{
	return access(0xd5380000u, reg, value);
}

static int write(uint32_t reg, uint64_t value)
{
	return access(0xd5180000u, reg, &value);
}

/* Return true for registers that this program needs, or that change by themselves. EL2 does not
 * keep the PMU's apart for each VM (CAVEATS.md). */
static int is_left_out(uint32_t reg)
{
	uint32_t op1 = reg >> 11, n = reg >> 7 & 15, m = reg >> 3 & 15;

	if (op1 != 0 && op1 != 3)
		return 1;
	return n == 0 || n == 1 || n == 2 || n == 9 || n == 14 || n == 15 || /* SCTLR, TCR; ids */
	       reg == REG(0, 4, 0, 0) || reg == REG(0, 4, 0, 1) ||
	       reg == REG(0, 5, 2, 0) ||                         /* written by its aborts */
	       (n == 4 && (m == 6 || m == 2)) ||                 /* PMR; PSTATE */
	       reg == REG(0, 12, 0, 0) || (n == 12 && m >= 8) || /* VBAR; the GIC's */
	       (op1 == 3 && n == 4);                             /* NZCV, DAIF, FPCR and so on */
}

static void let_the_other_guest_run(void)
{
	uint32_t iar;

	cntv_set(TICKS, 1);
	iar = next_interrupt();
	cntv_set(0, 0);
	end(false, iar);
}

/* Write the pattern to all registers, let the other guest run, and compare. */
static void round_of(uint64_t pattern)
{
	static uint8_t works[COUNT];

	for (uint32_t reg = 0; reg < COUNT; reg++)
		works[reg] = !is_left_out(reg) && write(reg, pattern) && read(reg, &kept[reg]);
	let_the_other_guest_run();
	for (uint32_t reg = 0; reg < COUNT; reg++) {
		uint64_t value = 0;

		if (works[reg] && read(reg, &value) && value != kept[reg])
			stop_with(reg);
	}
}

void first_main(void)
{
	uint64_t pattern = PATTERN;

	__asm__ volatile("adr x0, vectors\n\tmsr vbar_el1, x0\n\tisb" ::: "x0");
	interface_on(0);
	mmio_write32(private_of(0) + ISENABLER, 1u << TIMER);
	for (uint32_t round = 0; round < ROUNDS; round++)
		round_of(pattern);
	psci(SYSTEM_OFF, 0, 0, 0);
}
