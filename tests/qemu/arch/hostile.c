/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs all at once, and with interrupts taken, write random values to the registers
 * of GIC (each other's, too), timers, UART and flash, and read them, and make random PSCI calls.
 * Any of them resets the VM; the last of LIVES ends it. It is every second step of a plan. The
 * others measure, on a machine that is to be as new, and compare with the first of them. What is
 * wrong stops the VM with 4 times a number. Defines: CPUS; GIC, 2 or 3; SPI, the first one; LIVES;
 * SEED; SLED_WORDS, where a vCPU can begin; COMPARE, 0 where no two measurements are alike.
 */
#include <stdbool.h>
#include <stdint.h>

#include "guest/any_access.h"
#include "guest_arch/any_register.h"
#include "wrong.h"

#define GICD 0x08000000u
#define GICC 0x08010000u
#define GICR 0x080a0000u
#define GICR_STRIDE 0x20000u
#define GICR_SGI 0x10000u
#define UART 0x09000000u
#define IMSC 0x38u
#define FLASH_BANK 0x04000000u
#define SHARED 0x41000000u /* not loaded: what is there lives through a reset */

#define IGROUPR 0x080u
#define ISENABLER 0x100u
#define ICACTIVER 0x380u
#define IPRIORITYR 0x400u
#define ICFGR 0xc00u
#define IROUTER 0x6000u
#define SGIR 0xf00u
#define TIMER 27u
#define PHYSICAL_TIMER 30u
#define UART_INTID 33u

#define CTLR_ALL 7u       /* of GICC: both groups, AckCtl */
#define IAR_GROUP1 1022u  /* not without AckCtl */
#define SPECIAL 1020u     /* and above: no interrupt */
#define STORM 64u         /* interrupts within a step */
#define SOON 4096u        /* ticks */
#define STEPS_MEAN 300u   /* of a life, a vCPU */
#define REVIVAL_MEAN 100u /* steps from one to the next */
#define REPEATS 16u

#define PSCI 0x84000000u
#define PSCI_64 0x40000000u
#define VERSION 0u
#define CPU_SUSPEND 1u
#define CPU_OFF 2u
#define CPU_ON 3u
#define AFFINITY_INFO 4u
#define SYSTEM_OFF 8u
#define SYSTEM_RESET 9u
#define OFF 1u /* AFFINITY_INFO */

enum figure {
	HVC,
	SMC,
	GICD_READ,
	GICD_WRITE,
	SGI,
	CNTV,
	CNTP,
	STATE, /* what all registers read as, by vCPU 0 and the others */
	FIGURES = STATE + CPUS
};

static volatile struct {
	uint32_t step;      /* of the plan; 0 before the first */
	uint32_t lives;     /* all of them */
	uint32_t lives_due; /* of this step */
	uint32_t keeper;    /* the vCPU that stays awake, so that the others may not */
	uint32_t kept;      /* the life that it is there in */
	uint32_t quiet, taken_at;
	uint32_t visits[CPUS], in_step[CPUS];
	uint32_t seed[CPUS];
	uint32_t figure[FIGURES];
} *const shared = (void *)SHARED;

uintptr_t psci_hvc(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
uintptr_t psci_smc(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
extern char sled[];
void first_main(void);
void second_main(uint32_t vcpu);
void interrupt(bool fast);

static void expect(bool well, uint32_t number)
{
	if (!well)
		stop_with(4 * number);
}

#ifdef __aarch64__
static uint32_t own_number(void)
{
	uint64_t mpidr;

	__asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
	return mpidr & 3;
}

static void unmask(void)
{
	__asm__ volatile("msr daifclr, #3" ::: "memory");
}

static void mask(void)
{
	__asm__ volatile("msr daifset, #3" ::: "memory");
}

static uint32_t now(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return (uint32_t)ticks;
}

static void load_two(uintptr_t address)
{
	uint64_t low, high;

	__asm__ volatile("ldp %0, %1, [%2]" : "=r"(low), "=r"(high) : "r"(address) : "memory");
}

static uint32_t timers_on(void)
{
	uint64_t virtual, physical;

	__asm__ volatile("mrs %0, cntv_ctl_el0\n\tmrs %1, cntp_ctl_el0"
			 : "=r"(virtual), "=r"(physical));
	return (uint32_t)(virtual << 8 | physical);
}

static void sleep(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#define TIMER_SET(name)                                                                            \
	static void name##_set(uint32_t ticks, uint32_t control)                                   \
	{                                                                                          \
		__asm__ volatile("msr " #name "_tval_el0, %0\n\tmsr " #name                        \
				 "_ctl_el0, %1\n\tisb" ::"r"((uint64_t)ticks),                     \
				 "r"((uint64_t)control)                                            \
				 : "memory");                                                      \
	}
TIMER_SET(cntv)
TIMER_SET(cntp)
#else
static uint32_t own_number(void)
{
	uint32_t mpidr;

	__asm__ volatile("mrc p15, 0, %0, c0, c0, 5" : "=r"(mpidr));
	return mpidr & 3;
}

static void unmask(void)
{
	__asm__ volatile("cpsie if" ::: "memory");
}

static void mask(void)
{
	__asm__ volatile("cpsid if" ::: "memory");
}

static uint32_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("isb\n\tmrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high)::"memory");
	return low;
}

static void load_two(uintptr_t address)
{
	__asm__ volatile("ldm %0, {r2, r3}" ::"r"(address) : "r2", "r3", "memory");
}

static uint32_t timers_on(void)
{
	uint32_t virtual, physical;

	__asm__ volatile("mrc p15, 0, %0, c14, c3, 1\n\tmrc p15, 0, %1, c14, c2, 1"
			 : "=r"(virtual), "=r"(physical));
	return virtual << 8 | physical;
}

static void sleep(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#define TIMER_SET(name, crm)                                                                       \
	static void name##_set(uint32_t ticks, uint32_t control)                                   \
	{                                                                                          \
		__asm__ volatile("mcr p15, 0, %0, c14, " crm ", 0\n\tmcr p15, 0, %1, c14, " crm    \
				 ", 1\n\tisb" ::"r"(ticks),                                        \
				 "r"(control)                                                      \
				 : "memory");                                                      \
	}
TIMER_SET(cntv, "c3")
TIMER_SET(cntp, "c2")
#endif

/* --- random --- */

static uint32_t next(uint32_t vcpu)
{
	uint32_t seed = shared->seed[vcpu];

	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return shared->seed[vcpu] = seed;
}

static uint32_t below(uint32_t vcpu, uint32_t limit)
{
	return (uint32_t)((uint64_t)next(vcpu) * limit >> 32);
}

/* Anything, a bit, nothing or everything. */
static uint64_t value(uint32_t vcpu)
{
	switch (below(vcpu, 4)) {
	case 0:
		return (uint64_t)next(vcpu) << 32 | next(vcpu);
	case 1:
		return (uint64_t)1 << below(vcpu, 64);
	case 2:
		return 0;
	default:
		return ~(uint64_t)0;
	}
}

static uint32_t log2_size(uint32_t vcpu)
{
	return below(vcpu, 2) ? 2 : below(vcpu, sizeof(uintptr_t) == 8 ? 4 : 3);
}

/* Aligned, mostly: else it is this guest's own abort. */
static void touch_by(uint32_t vcpu, uintptr_t address, uint32_t size, uint64_t what)
{
	if (below(vcpu, 32))
		address &= -((uintptr_t)1 << size);
	if (below(vcpu, 2))
		read_any(address, size);
	else
		write_any(address, size, what);
}

static void touch(uint32_t vcpu, uintptr_t address)
{
	touch_by(vcpu, address, log2_size(vcpu), value(vcpu));
}

/* --- the interrupt controller --- */

static uint32_t bank_offset(uint32_t vcpu)
{
	static const struct {
		uint16_t start, size;
	} banks[] = {
		{ 0, 16 },     { 0x80, 16 },  { 0x100, 16 }, { 0x180, 16 },  { 0x200, 16 },
		{ 0x280, 16 }, { 0x300, 16 }, { 0x380, 16 }, { 0x400, 128 }, { 0x800, 128 },
		{ 0xc00, 32 }, { 0xf00, 4 },  { 0xf10, 16 }, { 0xf20, 16 },
	};
	uint32_t i = below(vcpu, sizeof(banks) / sizeof(banks[0]));

	return banks[i].start + below(vcpu, banks[i].size);
}

#if GIC == 2
static void touch_distributor(uint32_t vcpu)
{
	touch(vcpu, GICD + (below(vcpu, 8) ? bank_offset(vcpu) : below(vcpu, 0xff8)));
}

static void touch_private(uint32_t vcpu)
{
	touch_distributor(vcpu);
}

static void touch_interface(uint32_t vcpu)
{
	static const uint16_t known[] = { 0,    4,    8,    0xc,  0x10, 0x14,   0x18,
					  0x1c, 0x20, 0x24, 0x28, 0xd0, 0x1000, 0xfc };
	uint32_t offset = known[below(vcpu, sizeof(known) / sizeof(known[0]))];

	if (below(vcpu, 8) == 0)
		touch(vcpu, GICC + below(vcpu, 0x1ff8));
	else
		touch_by(vcpu, GICC + offset, 2, value(vcpu) & 0x3ff);
}

static void interface_on(uint32_t vcpu)
{
	(void)vcpu;
	mmio_write32(GICC + 0xd0, 0);
	mmio_write32(GICC + 4, 0xff);
	mmio_write32(GICC, CTLR_ALL);
}

static uintptr_t private_of(uint32_t vcpu)
{
	(void)vcpu;
	return GICD;
}

static void interface_off(void)
{
	mmio_write32(GICC, 0);
}

static uint32_t acknowledge(bool fast)
{
	uint32_t iar = mmio_read32(GICC + 0xc);

	(void)fast;
	if (iar == IAR_GROUP1)
		mmio_write32(GICC, CTLR_ALL);
	return iar;
}

static void end(bool fast, uint32_t iar)
{
	(void)fast;
	mmio_write32(GICC + 0x10, iar);
}

static void send(uint32_t id, uint32_t vcpus)
{
	mmio_write32(GICD + SGIR, vcpus << 16 | id);
}
#else
static void touch_distributor(uint32_t vcpu)
{
	uint32_t offset = bank_offset(vcpu);

	if (below(vcpu, 4) == 0)
		offset = IROUTER + 8 * 32 + below(vcpu, 8 * 96);
	if (below(vcpu, 8) == 0)
		offset = below(vcpu, 0xfff8);
	if (below(vcpu, 4))
		touch(vcpu, GICD + offset);
	else
		touch_by(vcpu, GICD + offset, log2_size(vcpu), below(vcpu, CPUS));
}

static uintptr_t private_of(uint32_t vcpu)
{
	return GICR + GICR_STRIDE * vcpu + GICR_SGI;
}

static void touch_private(uint32_t vcpu)
{
	uintptr_t frame = GICR + GICR_STRIDE * below(vcpu, CPUS);

	if (below(vcpu, 8))
		touch(vcpu, frame + GICR_SGI + bank_offset(vcpu));
	else
		touch(vcpu, frame + below(vcpu, GICR_STRIDE - 8));
}

static void touch_interface(uint32_t vcpu)
{
	uint32_t which = ANY_TIMERS + below(vcpu, ANY_REGISTERS - ANY_TIMERS);
	uint64_t what = value(vcpu);

	if (below(vcpu, 2))
		what = (uint64_t)below(vcpu, 16) << 24 | below(vcpu, 1u << CPUS);
	if (below(vcpu, 2))
		any_read(which);
	else
		any_write(which, any_value(which, what));
}

static void interface_on(uint32_t vcpu)
{
	(void)vcpu;
	__asm__ volatile("msr s3_0_c12_c12_4, %0\n\t" /* CTLR */
			 "msr s3_0_c12_c8_4, %0\n\t"  /* AP0R0 */
			 "msr s3_0_c12_c9_0, %0\n\t"  /* AP1R0 */
			 "msr s3_0_c4_c6_0, %1\n\t"   /* PMR */
			 "msr s3_0_c12_c12_6, %2\n\t" /* IGRPEN0 */
			 "msr s3_0_c12_c12_7, %2\n\t" /* IGRPEN1 */
			 "isb" ::"r"(0ul),
			 "r"(0xfful), "r"(1ul));
}

static void interface_off(void)
{
	__asm__ volatile("msr s3_0_c12_c12_6, %0\n\tmsr s3_0_c12_c12_7, %0\n\tisb" ::"r"(0ul));
}

static uint32_t acknowledge(bool fast)
{
	uint64_t iar;

	if (fast)
		__asm__ volatile("mrs %0, s3_0_c12_c8_0" : "=r"(iar)); /* ICC_IAR0_EL1 */
	else
		__asm__ volatile("mrs %0, s3_0_c12_c12_0" : "=r"(iar)); /* ICC_IAR1_EL1 */
	return (uint32_t)iar;
}

static void end(bool fast, uint32_t iar)
{
	if (fast)
		__asm__ volatile("msr s3_0_c12_c8_1, %0\n\tisb" ::"r"((uint64_t)iar));
	else
		__asm__ volatile("msr s3_0_c12_c12_1, %0\n\tisb" ::"r"((uint64_t)iar));
}

static void send(uint32_t id, uint32_t vcpus)
{
	__asm__ volatile("msr s3_0_c12_c11_5, %0" ::"r"((uint64_t)id << 24 | vcpus));
}
#endif

/* What comes for ever is turned off; and everything, where nothing else helps. */
void interrupt(bool fast)
{
	uint32_t vcpu = own_number();
	uint32_t iar = acknowledge(fast);
	uint32_t intid = iar & 0x3ff;

	shared->taken_at = now();
	if (intid == UART_INTID)
		mmio_write32(UART + IMSC, 0);
	if (intid == TIMER || intid == PHYSICAL_TIMER) {
		cntv_set(0, 0);
		cntp_set(0, 0);
	}
	if (intid < SPECIAL)
		end(fast, iar);
	if (++shared->in_step[vcpu] > STORM)
		interface_off();
}

/* Nothing is active, something is enabled, what is signalled is taken, and something will be. */
static void revive(uint32_t vcpu)
{
	mask();
	mmio_write32(private_of(vcpu) + ICACTIVER, ~0u);
	mmio_write32(private_of(vcpu) + ISENABLER, next(vcpu) | 1u << TIMER);
	for (uint32_t i = 1; i < 4; i++) {
		mmio_write32(GICD + ICACTIVER + 4 * i, ~0u);
		mmio_write32(GICD + ISENABLER + 4 * i, next(vcpu));
	}
	mmio_write32(GICD, 3);
	interface_on(vcpu);
	cntv_set(below(vcpu, SOON), 1);
	unmask();
}

/* --- the rest of the machine --- */

static void touch_timer(uint32_t vcpu)
{
	uint32_t which = below(vcpu, ANY_TIMERS);
	uint64_t what = below(vcpu, 2) ? value(vcpu) : below(vcpu, SOON);

	if (below(vcpu, 4) == 0)
		any_read(which);
	else
		any_write(which, any_value(which, what));
}

static void touch_uart(uint32_t vcpu)
{
	uint32_t offset = below(vcpu, 4) ? below(vcpu, 0x4c) : below(vcpu, 0xff8);

	if (offset >= 4 || below(vcpu, 4) == 0) /* what is sent takes room in the log */
		touch(vcpu, UART + offset);
	else
		mmio_write32(UART, '.');
}

/* Several registers at once are loaded from the bank that always shows its contents. */
static void touch_flash(uint32_t vcpu)
{
	static const uint8_t commands[] = { 0x10, 0x20, 0x40, 0x50, 0x60, 0x70, 0x90,
					    0x98, 0xd0, 0xe8, 0xff, 0xf0, 1 };
	uint32_t far = below(vcpu, 2) ? below(vcpu, FLASH_BANK - 8) : below(vcpu, 64);
	uint32_t command = commands[below(vcpu, sizeof(commands))];

	switch (below(vcpu, 4)) {
	case 0:
		load_two(FLASH_BANK + (far & ~7u));
		break;
	case 1:
		touch(vcpu, far);
		break;
	default:
		touch_by(vcpu, far, log2_size(vcpu), command | command << 16);
		break;
	}
}

/* --- PSCI --- */

static uintptr_t call(uint32_t vcpu, uint32_t number, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	uint32_t id = PSCI + number + (below(vcpu, 2) ? PSCI_64 : 0);

	if (number == SYSTEM_OFF || number == SYSTEM_RESET)
		id = PSCI + number;
	return below(vcpu, 2) ? psci_hvc(id, a1, a2, a3) : psci_smc(id, a1, a2, a3);
}

static uintptr_t entry(uint32_t vcpu)
{
	uintptr_t in_sled = (uintptr_t)sled + 4 * below(vcpu, SLED_WORDS);

	switch (below(vcpu, 8)) {
	case 0:
		return (uintptr_t)value(vcpu) & ~(uintptr_t)0x7fffffff;
	case 1:
		return in_sled + 2; /* no instruction's */
	case 2:
		return below(vcpu, 0x10000000);
	default:
		return in_sled;
	}
}

/* Who may sleep for ever: all but one. */
static bool may_sleep(uint32_t vcpu)
{
	return vcpu != shared->keeper && shared->kept == shared->lives;
}

static uintptr_t which_vcpu(uint32_t vcpu)
{
	return below(vcpu, 8) ? below(vcpu, CPUS + 1) : (uintptr_t)value(vcpu);
}

static void turn_on(uint32_t vcpu)
{
	call(vcpu, CPU_ON, which_vcpu(vcpu), entry(vcpu), (uintptr_t)value(vcpu));
}

static void suspend(uint32_t vcpu)
{
	uintptr_t state = below(vcpu, 2) << 16 | below(vcpu, 4);

	if (below(vcpu, 4) == 0 || !may_sleep(vcpu))
		state = (uintptr_t)value(vcpu) | 1u << 31; /* reserved */
	call(vcpu, CPU_SUSPEND, state, entry(vcpu), (uintptr_t)value(vcpu));
}

static void change_power(uint32_t vcpu)
{
	switch (below(vcpu, 8)) {
	case 0:
		if (may_sleep(vcpu))
			call(vcpu, CPU_OFF, (uintptr_t)value(vcpu), 0, 0);
		break;
	case 1:
	case 2:
		suspend(vcpu);
		break;
	case 3:
		if (may_sleep(vcpu))
			sleep();
		break;
	default:
		turn_on(vcpu);
		break;
	}
}

static void call_any(uint32_t vcpu)
{
	uint32_t number = below(vcpu, 8) ? below(vcpu, 24) : next(vcpu);

	switch (number & ~PSCI_64) {
	case CPU_SUSPEND:
	case CPU_OFF:
	case CPU_ON:
		change_power(vcpu);
		break;
	case AFFINITY_INFO:
		call(vcpu, AFFINITY_INFO, which_vcpu(vcpu), below(vcpu, 2), 0);
		break;
	case SYSTEM_OFF:
	case SYSTEM_RESET:
		break;
	default:
		call(vcpu, number, (uintptr_t)value(vcpu), (uintptr_t)value(vcpu),
		     (uintptr_t)value(vcpu));
		break;
	}
}

/* --- a life --- */

static void step(uint32_t vcpu)
{
	shared->in_step[vcpu] = 0;
	switch (below(vcpu, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
		touch_distributor(vcpu);
		break;
	case 4:
	case 5:
		touch_private(vcpu);
		break;
	case 6:
	case 7:
		touch_interface(vcpu);
		break;
	case 8:
	case 9:
		touch_timer(vcpu);
		break;
	case 10:
		touch_uart(vcpu);
		break;
	case 11:
		touch_flash(vcpu);
		break;
	case 12:
	case 13:
		call_any(vcpu);
		break;
	case 14:
		change_power(vcpu);
		break;
	default: /* also wakes who sleeps */
		send(below(vcpu, 16), below(vcpu, 1u << CPUS));
		break;
	}
}

static void live(uint32_t vcpu)
{
	if (vcpu == shared->keeper)
		shared->kept = shared->lives;
	revive(vcpu);
	while (below(vcpu, STEPS_MEAN * CPUS)) {
		if (below(vcpu, REVIVAL_MEAN) == 0)
			revive(vcpu);
		step(vcpu);
	}
	call(vcpu, shared->lives_due ? SYSTEM_RESET : SYSTEM_OFF, 0, 0, 0);
	expect(false, 1);
}

/* --- measuring --- */

static void figure(uint32_t which, uint32_t repeat, uint32_t ticks)
{
	if (repeat == 0)
		return; /* cold */
	if (!shared->figure[which])
		shared->figure[which] = ticks;
	expect(!COMPARE || shared->figure[which] == ticks, 16 + which);
}

/* A window around it, from a start at the same distance of each instruction. */
#define MEASURE(which, operation)                                                                  \
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {                                    \
		uint32_t start = now();                                                            \
                                                                                                   \
		operation;                                                                         \
		figure(which, repeat, now() - start);                                              \
	}

/* To where it is taken. */
#define MEASURE_TAKEN(which, operation)                                                            \
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {                                    \
		uint32_t start = now();                                                            \
                                                                                                   \
		shared->in_step[0] = 0;                                                            \
		operation;                                                                         \
		while (!shared->in_step[0])                                                        \
			continue;                                                                  \
		figure(which, repeat, shared->taken_at - start);                                   \
	}

static uint32_t sum_of(uint32_t sum, uintptr_t start, uint32_t size)
{
	for (uintptr_t at = start; at < start + size; at += 4)
		sum = (sum << 5 | sum >> 27) ^ mmio_read32(at);
	return sum;
}

/* A vCPU's own. */
static uint32_t private_state(uint32_t vcpu)
{
	uintptr_t base = private_of(vcpu);
	uint32_t sum = timers_on();

	for (uint32_t bank = IGROUPR; bank < IPRIORITYR; bank += 0x80)
		sum = sum_of(sum, base + bank, 4);
	sum = sum_of(sum, base + IPRIORITYR, 32);
	sum = sum_of(sum, base + ICFGR, 8);
#if GIC == 2
	sum = sum_of(sum, GICC, 0xc);
	return sum_of(sum, GICC + 0x14, 0x100);
#else
	uint64_t pmr, bpr, group0, group1, control;

	__asm__ volatile("mrs %0, s3_0_c4_c6_0\n\t"
			 "mrs %1, s3_0_c12_c12_3\n\t"
			 "mrs %2, s3_0_c12_c12_6\n\t"
			 "mrs %3, s3_0_c12_c12_7\n\t"
			 "mrs %4, s3_0_c12_c12_4"
			 : "=r"(pmr), "=r"(bpr), "=r"(group0), "=r"(group1), "=r"(control));
	return sum ^ (uint32_t)(pmr | bpr << 8 | group0 << 16 | group1 << 17 | control << 20);
#endif
}

/* Of a machine that nobody has used. */
static uint32_t state(void)
{
	uint32_t sum = sum_of(sum_of(private_state(0), GICD, 0x1000), UART + 4, 0xffc);

	sum = sum_of(sum_of(sum, 0, 64), FLASH_BANK, 64);
#if GIC == 3
	sum = sum_of(sum, GICD + IROUTER, 0x400);
	for (uint32_t vcpu = 0; vcpu < CPUS; vcpu++) {
		sum = sum_of(sum, GICR + GICR_STRIDE * vcpu, 0x100);
		sum = sum_of(sum, GICR + GICR_STRIDE * vcpu + GICR_SGI, 0x1000);
	}
#endif
	return sum;
}

static void others_come_and_go(void)
{
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++) {
		uint32_t before = shared->visits[vcpu];

		expect(psci_hvc(PSCI + CPU_ON, vcpu, (uintptr_t)sled, 0) == 0, 2);
		while (psci_hvc(PSCI + AFFINITY_INFO, vcpu, 0, 0) != OFF)
			continue;
		expect(shared->visits[vcpu] == before + 1, 3);
	}
}

static void measure(void)
{
	shared->quiet = 1;
	figure(STATE, 1, state());
	mmio_write32(private_of(0) + IGROUPR, ~0u);
	mmio_write32(private_of(0) + ISENABLER, 1u << PHYSICAL_TIMER | 1u << TIMER | 1);
	mmio_write32(GICD, 3);
	interface_on(0);
	unmask();
	MEASURE(HVC, psci_hvc(PSCI + VERSION, 0, 0, 0))
	MEASURE(SMC, psci_smc(PSCI + VERSION, 0, 0, 0))
	MEASURE(GICD_READ, mmio_read32(GICD + ISENABLER + 4))
	MEASURE(GICD_WRITE, mmio_write32(GICD + IPRIORITYR + SPI, 0))
	MEASURE_TAKEN(SGI, send(0, 1))
	MEASURE_TAKEN(CNTV, cntv_set(1000, 1))
	MEASURE_TAKEN(CNTP, cntp_set(1000, 1))
	others_come_and_go();
	psci_hvc(PSCI + SYSTEM_OFF, 0, 0, 0);
}

void second_main(uint32_t vcpu)
{
	if (!shared->quiet)
		live(vcpu);
	figure(STATE + vcpu, 1, private_state(vcpu));
	shared->visits[vcpu]++;
	psci_hvc(PSCI + CPU_OFF, 0, 0, 0);
	expect(false, 4);
}

static void next_step(void)
{
	if (shared->step++ % 2 == 0)
		measure();
	shared->quiet = 0;
	shared->lives_due = LIVES;
}

void first_main(void)
{
	if (!shared->lives_due)
		next_step();
	shared->lives_due--;
	shared->lives++;
	shared->keeper = shared->lives % CPUS;
	for (uint32_t vcpu = 0; vcpu < CPUS; vcpu++)
		if (!shared->seed[vcpu])
			shared->seed[vcpu] = SEED + vcpu;
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++)
		psci_hvc(PSCI + CPU_ON, vcpu, (uintptr_t)sled, 0);
	live(0);
}
