/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unmodified guest that checks that its debug registers and performance monitors are as at
 * reset, runs over each breakpoint and watchpoint that the last guest planted, and plants all of
 * them anew: for its next start, for the vCPU that it turns on again, for the guest of the next
 * step (test_debug.py). With OVERFLOW it takes the interrupt of counters instead, and leaves it
 * active. It prints a line: "well", or the source line of the failed check and the number of a
 * register. Defines: GIC, 2 or 3; CPUS; OVERFLOW, 0 or 1.
 */
#include "guest_gic.h"
#include "vcpus.h"

#define KEPT 0x41000000u /* not loaded, so that it survives a reset */
#define PMU_INTID 23u

void fired(void);
uint32_t victim(void);
uint32_t linked_victim(void);

static volatile uint32_t datum = 1;

/* Apply X to each of the 16 registers of a kind, by number. */
#define EACH_16(X, register)                                                                       \
	X(register, 0);                                                                            \
	X(register, 1);                                                                            \
	X(register, 2);                                                                            \
	X(register, 3);                                                                            \
	X(register, 4);                                                                            \
	X(register, 5);                                                                            \
	X(register, 6);                                                                            \
	X(register, 7);                                                                            \
	X(register, 8);                                                                            \
	X(register, 9);                                                                            \
	X(register, 10);                                                                           \
	X(register, 11);                                                                           \
	X(register, 12);                                                                           \
	X(register, 13);                                                                           \
	X(register, 14);                                                                           \
	X(register, 15);

/* REGISTER is a name in AArch64 and an encoding in AArch32. */
#ifdef __aarch64__
#define REGISTER(armv8, armv7) armv8
#define READ "mrs %0, "
#define WRITE(register) "msr " register ", %0\n\tisb"
#define LAST_BREAK (GET("id_aa64dfr0_el1") >> 12 & 0xf)
#define LAST_WATCH (GET("id_aa64dfr0_el1") >> 20 & 0xf)
#define ARMED (1u << 15 | 1u << 13) /* MDE, KDE */
#define UNMASK_DEBUG "msr daifclr, #8\n\tisb"
#define VECTORS ".balign 0x800\nvectors:\n.rept 16\nb fired\n.balign 0x80\n.endr\n"
#else
#define REGISTER(armv8, armv7) armv7
#define READ "mrc "
#define WRITE(register) "mcr " register "\n\tisb"
#define TEECR "p14, 6, %0, c0, c0, 0"
#define TEEHBR "p14, 6, %0, c1, c0, 0"
#define LAST_BREAK (GET("p14, 0, %0, c0, c0, 0") >> 24 & 0xf)
#define LAST_WATCH (GET("p14, 0, %0, c0, c0, 0") >> 28)
#define ARMED (1u << 15) /* MDBGen */
#define UNMASK_DEBUG ""
#define VECTORS ".balign 32\nvectors:\n.rept 8\nb fired\n.endr\n"
#endif

#define GET(register)                                                                              \
	({                                                                                         \
		uintptr_t value;                                                                   \
		__asm__ volatile("isb\n\t" READ register : "=r"(value)::"memory");                 \
		value;                                                                             \
	})
#define PUT(register, value) __asm__ volatile(WRITE(register)::"r"((uintptr_t)(value)) : "memory")

#define DBGBVR(n) REGISTER("dbgbvr" #n "_el1", "p14, 0, %0, c0, c" #n ", 4")
#define DBGBCR(n) REGISTER("dbgbcr" #n "_el1", "p14, 0, %0, c0, c" #n ", 5")
#define DBGWVR(n) REGISTER("dbgwvr" #n "_el1", "p14, 0, %0, c0, c" #n ", 6")
#define DBGWCR(n) REGISTER("dbgwcr" #n "_el1", "p14, 0, %0, c0, c" #n ", 7")
#define MDSCR REGISTER("mdscr_el1", "p14, 0, %0, c0, c2, 2") /* DBGDSCRext */
#define OSLAR REGISTER("oslar_el1", "p14, 0, %0, c1, c0, 4")
#define OSLSR REGISTER("oslsr_el1", "p14, 0, %0, c1, c1, 4")
#define OSDLR REGISTER("osdlr_el1", "p14, 0, %0, c1, c3, 4")
#define CLAIM_SET REGISTER("dbgclaimset_el1", "p14, 0, %0, c7, c8, 6")
#define CLAIM_CLEAR REGISTER("dbgclaimclr_el1", "p14, 0, %0, c7, c9, 6")
#define PMCR REGISTER("pmcr_el0", "p15, 0, %0, c9, c12, 0")
#define PMUSERENR REGISTER("pmuserenr_el0", "p15, 0, %0, c9, c14, 0")
#define PMCNTENSET REGISTER("pmcntenset_el0", "p15, 0, %0, c9, c12, 1")
#define PMINTENSET REGISTER("pmintenset_el1", "p15, 0, %0, c9, c14, 1")
#define PMOVSSET REGISTER("pmovsset_el0", "p15, 0, %0, c9, c14, 3")
#define PMOVSCLR REGISTER("pmovsclr_el0", "p15, 0, %0, c9, c12, 3")
#define PMSELR REGISTER("pmselr_el0", "p15, 0, %0, c9, c12, 5")
#define PMXEVTYPER REGISTER("pmxevtyper_el0", "p15, 0, %0, c9, c13, 1")
#define PMXEVCNTR REGISTER("pmxevcntr_el0", "p15, 0, %0, c9, c13, 2")
#define PMCCNTR REGISTER("pmccntr_el0", "p15, 0, %0, c9, c13, 0")
#define VBAR REGISTER("vbar_el1", "p15, 0, %0, c12, c0, 0")
#define UNLOCK 0u

__asm__(VECTORS);

static volatile uint32_t *word(uintptr_t address)
{
	return (volatile uint32_t *)address;
}

static _Noreturn void off(void)
{
	*word(KEPT) = 0;
	psci(SYSTEM_OFF, 0, 0, 0);
	for (;;)
		;
}

static _Noreturn void wrong(unsigned line, unsigned n)
{
	print("line 0x");
	print_hex(line, 3);
	print(", 0x");
	print_hex(n, 2);
	print("\n");
	off();
}

#define EXPECT(well, n)                                                                            \
	do {                                                                                       \
		if (!(well))                                                                       \
			wrong(__LINE__, n);                                                        \
	} while (0)

void fired(void)
{
	wrong(__LINE__, 0);
}

__attribute__((noinline)) uint32_t victim(void)
{
	return datum;
}

__attribute__((noinline)) uint32_t linked_victim(void)
{
	return 1;
}

/* --- debug --- */

#define EXPECT_0(get, n)                                                                           \
	if (n <= last)                                                                             \
		EXPECT(GET(get(n)) == 0, n);

static void expect_debug(void)
{
	int last = (int)LAST_BREAK;
	uintptr_t oslsr = GET(OSLSR);

	EACH_16(EXPECT_0, DBGBCR)
	EACH_16(EXPECT_0, DBGBVR)
	last = (int)LAST_WATCH;
	EACH_16(EXPECT_0, DBGWCR)
	EACH_16(EXPECT_0, DBGWVR)
	EXPECT(GET(MDSCR) == 0, 0);
	EXPECT(GET(OSDLR) == 0, 0);
	EXPECT(GET(CLAIM_CLEAR) == 0, 0);
	EXPECT(oslsr == 0 || oslsr & 2, 0); /* there is no OS lock, or it is locked */
	__asm__ volatile(UNMASK_DEBUG);
	EXPECT(victim() + linked_victim() == 2, 0);
}

#define PLANT(put, n)                                                                              \
	if (n <= last)                                                                             \
		PUT(put(n), value);

/* Enable breakpoint 0 for an address, breakpoint 1 for an address linked to a context, and the last
 * breakpoint for that context, 0. */
static void plant_breakpoints(void)
{
	int last = (int)LAST_BREAK;
	uintptr_t value = (uintptr_t)linked_victim;

	EACH_16(PLANT, DBGBVR)
	value = 0x1e6; /* disabled, for every level */
	EACH_16(PLANT, DBGBCR)
	PUT(DBGBVR(0), (uintptr_t)victim);
	PUT(DBGBCR(0), 0x1e7);
	PUT(DBGBCR(1), 0x1e7 | 1u << 20 | (unsigned)last << 16);
#define CONTEXT(put, n)                                                                            \
	if (n == last)                                                                             \
		PUT(put(n), value);
	value = 0;
	EACH_16(CONTEXT, DBGBVR)
	value = 0x1e7 | 3u << 20;
	EACH_16(CONTEXT, DBGBCR)
}

static void plant_watchpoints(void)
{
	int last = (int)LAST_WATCH;
	uintptr_t value = (uintptr_t)&datum;

	EACH_16(PLANT, DBGWVR)
	value = 0x1ff; /* enabled: loads and stores of a word, at every level */
	EACH_16(PLANT, DBGWCR)
}

static void plant_debug(bool double_lock)
{
	PUT(OSLAR, UNLOCK);
	plant_breakpoints();
	plant_watchpoints();
	PUT(CLAIM_SET, 0x55);
	PUT(MDSCR, ARMED);
	PUT(OSDLR, double_lock);
}

/* --- performance monitors --- */

static unsigned counters(void)
{
	return (unsigned)(GET(PMCR) >> 11 & 0x1f);
}

static void expect_pmu(void)
{
	EXPECT((GET(PMCR) & 0x3f) == 0, 0);
	EXPECT(GET(PMUSERENR) == 0, 0);
	EXPECT(GET(PMCNTENSET) == 0, 0);
	EXPECT(GET(PMINTENSET) == 0, 0);
	EXPECT(GET(PMOVSSET) == 0, 0);
	EXPECT((GET(PMSELR) & 31) == 0, 0);
	EXPECT(GET(PMCCNTR) == 0, 0);
	for (unsigned n = 0; n < counters(); n++) {
		PUT(PMSELR, n);
		EXPECT(GET(PMXEVTYPER) == 0, n);
		EXPECT(GET(PMXEVCNTR) == 0, n);
	}
	PUT(PMSELR, 31);
	EXPECT(GET(PMXEVTYPER) == 0, 31);
}

static void plant_pmu(void)
{
	uint32_t all = 1u << 31 | ((1u << counters()) - 1);

	for (unsigned n = 0; n < counters(); n++) {
		PUT(PMSELR, n);
		PUT(PMXEVTYPER, 0x08);
		PUT(PMXEVCNTR, 0x1000 + n);
	}
	PUT(PMSELR, 31);
	PUT(PMXEVTYPER, 1u << 27); /* counts at EL2, too */
	PUT(PMUSERENR, 0xf);
	PUT(PMCNTENSET, all);
	PUT(PMINTENSET, all);
	PUT(PMOVSSET, all);
	PUT(PMCR, 1);
	EXPECT(GET(PMCCNTR) != 0, 0);
}

/* --- the interrupt of the performance monitors --- */

/* QEMU (10.0) notices the overflow of an event counter when something reads the counter. */
static uint32_t wait_for_one(void)
{
	uint32_t intid = SPURIOUS;

	for (unsigned n = 0; intid == SPURIOUS && n < 100000; n++) {
		(void)GET(PMXEVCNTR);
		intid = acknowledge(false);
	}
	return intid;
}

/* Start the cycle counter, or counter 0 for instructions, shortly before its overflow. */
static void start_counter(bool cycles)
{
	uint32_t bit = cycles ? 1u << 31 : 1;

	PUT(PMSELR, 0);
	PUT(PMXEVTYPER, 0x08);
	PUT(PMXEVCNTR, 0xffffff00u);
	PUT(PMCCNTR, 0xffff0000u); /* PMCR.LC is clear: bit 31 overflows */
	PUT(PMOVSCLR, ~0u);
	PUT(PMINTENSET, bit);
	PUT(PMCNTENSET, bit);
	PUT(PMCR, 1);
}

static void take_overflows(void)
{
	uintptr_t bank = private_of(0);

	interface_on(0);
	EXPECT((*word(bank + ISPENDR) & 1u << PMU_INTID) == 0, 0);
	EXPECT((*word(bank + 0x300) & 1u << PMU_INTID) == 0, 0);
	EXPECT(acknowledge(false) == SPURIOUS, 0);
	*word(bank + ISENABLER) = 1u << PMU_INTID;
	for (unsigned cycles = 0; cycles < 2; cycles++) {
		start_counter(cycles);
		EXPECT(wait_for_one() == PMU_INTID, cycles);
		EXPECT(acknowledge(false) == SPURIOUS, cycles);
		PUT(PMOVSCLR, ~0u);
		end(false, PMU_INTID);
		EXPECT(acknowledge(false) == SPURIOUS, cycles);
	}
	start_counter(true);
	EXPECT(wait_for_one() == PMU_INTID, 2);
}

/* --- the guest --- */

static void expect_thumbee(void)
{
#ifdef TEECR
	EXPECT(GET(TEECR) == 0, 0);
	EXPECT(GET(TEEHBR) == 0, 0);
	PUT(TEEHBR, 0x1234);
	PUT(TEECR, 1);
	EXPECT(GET(TEECR) == 1 && GET(TEEHBR) == 0x1234, 0);
#endif
}

static void expect_and_plant(bool double_lock)
{
	PUT(VBAR, ({
		    extern const char vectors[];
		    (uintptr_t) vectors;
	    }));
	expect_debug();
	expect_pmu();
	expect_thumbee();
	plant_pmu();
	plant_debug(double_lock);
}

void second_main(void)
{
	expect_and_plant(false);
	psci(CPU_OFF, 0, 0, 0);
}

static void turn_on_and_off(void)
{
	EXPECT(psci(CPU_ON, 1, (uintptr_t)second_start, 1) == 0, 0);
	while (psci(AFFINITY_INFO, 1, 0, 0) != 1)
		__asm__ volatile("yield");
}

void first_main(void)
{
	uint32_t life = ++*word(KEPT);

	if (OVERFLOW)
		take_overflows();
	else
		expect_and_plant(life == 1);
	if (CPUS > 1) {
		turn_on_and_off();
		turn_on_and_off();
	}
	if (life == 1)
		psci(SYSTEM_RESET, 0, 0, 0);
	print("well\n");
	off();
}
