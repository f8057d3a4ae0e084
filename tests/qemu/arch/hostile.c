/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hostile guest. All its vCPUs at once, with interrupts unmasked, read the registers of GIC
 * (those of each other, too), timers, UART and flash, write random values to them, make random PSCI
 * calls, access random addresses, and take exceptions in random modes with moved vectors
 * (hostile_anywhere.c). Any vCPU resets the VM; in the last of LIVES it ends the VM. The guest does
 * so in every second step of a plan. In the other steps it measures, on a machine that must be as
 * new, and compares with the first of these steps. An error stops the VM with 4 times a number.
 * Defines: CPUS; GIC, 2 or 3; SPI, the first SPI; LIVES; SEED; SLED_WORDS, the number of words at
 * which a vCPU can begin; COMPARE, 0 if no two measurements are alike; RAM; HYP_BASE, the address
 * of EL2.
 */
#include "hostile.h"
#include "guest/kernel/any_access.h"
#include "guest_arch/any_register.h"

#define IMSC 0x38u
#define UART_INTID 33u

#define CTLR_ALL 7u       /* GICC_CTLR: both groups, AckCtl */
#define IAR_GROUP1 1022u  /* IAR without AckCtl: a Group 1 interrupt */
#define SPECIAL 1020u     /* from here on: no interrupt */
#define STORM 64u         /* interrupts within a step */
#define SOON 4096u        /* ticks */
#define STEPS_MEAN 300u   /* steps of a vCPU in a life */
#define REVIVAL_MEAN 100u /* steps from one revival to the next */

void first_main(void);
void second_main(uint32_t vcpu);
void interrupt(bool fast);

/* The access is mostly aligned. An unaligned access aborts in this guest. */
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

void both_groups_on(void)
{
	mmio_write32(GICC + 0xd0, 0);
	mmio_write32(GICC + 4, 0xff);
	mmio_write32(GICC, CTLR_ALL);
}

static void interface_off(void)
{
	mmio_write32(GICC, 0);
}

static void acknowledge_both(void)
{
	mmio_write32(GICC, CTLR_ALL);
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

void both_groups_on(void)
{
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

static void acknowledge_both(void)
{
}
#endif

/* Turn off an interrupt that comes for ever, and the whole interface if nothing else helps. */
void interrupt(bool fast)
{
	uint32_t vcpu = own_number();
	uint32_t iar = acknowledge(fast);
	uint32_t intid = iar & 0x3ff;

	shared->taken_at = now();
	if (iar == IAR_GROUP1)
		acknowledge_both();
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

/* Deactivate all interrupts, enable some, let signalled interrupts be taken, and start a timer that
 * will signal one. */
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
	both_groups_on();
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

	if (offset >= 4 || below(vcpu, 4) == 0) /* sent bytes take room in the log */
		touch(vcpu, UART + offset);
	else
		mmio_write32(UART, '.');
}

/* Load several registers at once only from the bank that always shows its contents. */
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
		return (uintptr_t)value(vcpu) & ~(uintptr_t)(RAM | 0x3fffffff);
	case 1:
		return in_sled + 2; /* no address of an instruction */
	case 2:
		return below(vcpu, 0x10000000);
	default:
		return in_sled;
	}
}

/* Return true for a vCPU that may sleep for ever: any but the keeper. */
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

/* This also wakes vCPUs that sleep. */
static void send_any(uint32_t vcpu)
{
	send(below(vcpu, 16), below(vcpu, 1u << CPUS));
}

static void step(uint32_t vcpu)
{
	static const struct {
		void (*make)(uint32_t vcpu);
		uint32_t share;
	} kinds[] = {
		{ touch_distributor, 4 }, { touch_private, 2 },
		{ touch_interface, 2 },   { touch_timer, 2 },
		{ touch_uart, 1 },        { touch_flash, 1 },
		{ call_any, 2 },          { change_power, 1 },
		{ touch_anywhere, 3 },    { wander, 1 },
		{ send_any, 1 },
	};
	uint32_t at = below(vcpu, 20), kind = 0;

	shared->in_step[vcpu] = 0;
	shared->steps[vcpu]++;
	while (at >= kinds[kind].share)
		at -= kinds[kind++].share;
	kinds[kind].make(vcpu);
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
