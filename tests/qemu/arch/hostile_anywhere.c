/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hostile guest's use of addresses and modes: accesses of every kind anywhere in the IPA space,
 * and exceptions in any mode with moved vectors, up to DEPTH of them within the handler.
 * hostile_<isa>.S has the way back. The vectors are never at an address without memory, since a
 * vector that faults for ever lets no time pass under icount.
 */
#include "guest/kernel/any_access.h"
#include "hostile.h"

#define RAM_SIZE 0x4000000u /* a store there could change this guest itself */
#define DEVICES_END 0x0a000000u
#define EMULATED_END 0x0a004000u /* includes the virtio transports */
#define EL2_SIZE 0x1000000u
#define DEPTH 4u

/* In hostile_<isa>.S: run the code at `pc`, in the mode of `psr`, which does one thing to
 * `address`, and come back from wherever that leads. `vectors` is the offset of the vectors, in
 * steps of VECTORS. */
void wander_to(uintptr_t pc, uintptr_t psr, uintptr_t address, uintptr_t what, uintptr_t depth,
	       uintptr_t vectors);
extern const char own_snippets[], arm_snippets[], thumb_snippets[];

#ifdef __aarch64__
#define OWN_SNIPPETS 16u
#define VECTORS 0x800u
#define FLAGS 0xf00003c0u /* NZCV, DAIF */
#define ILLEGAL (1u << 20)
#define MODES 0, 4, 5, USER_MODE /* EL0t, EL1t, EL1h; EL0 in AArch32 */
#define STORE_TWO "stp %0, %0, [%1]"
#define EXCLUSIVE "ldaxr %0, [%2]\n\tstlxr %w1, %0, [%2]\n\tclrex"
#define CLEAN "dc cvac, %0"
#define CLEAN_INVALIDATE "dc civac, %0"
#define INVALIDATE_CODE "ic ivau, %0"
#define TRANSLATE "at s1e1w, %0"
#define PREFETCH "prfm pldl1keep, [%0]"
#else
#define OWN_SNIPPETS ARM_SNIPPETS
#define own_snippets arm_snippets
#define VECTORS 0x20u
#define FLAGS 0xf80f03c0u /* NZCVQ, GE, E, A, I, F */
#define ILLEGAL 0u
#define MODES USER_MODE, 0x11, 0x12, 0x13, 0x17, 0x1b, 0x1f
#define STORE_TWO "stm %1, {r2, r3}"
#define EXCLUSIVE "ldrex %0, [%2]\n\tstrex %1, %0, [%2]\n\tclrex"
#define CLEAN "mcr p15, 0, %0, c7, c10, 1"            /* DCCMVAC */
#define CLEAN_INVALIDATE "mcr p15, 0, %0, c7, c14, 1" /* DCCIMVAC */
#define INVALIDATE_CODE "mcr p15, 0, %0, c7, c5, 1"   /* ICIMVAU */
#define TRANSLATE "mcr p15, 0, %0, c7, c8, 1"         /* ATS1CPW */
#define PREFETCH "pld [%0]"
#endif
#define ARM_SNIPPETS 12u
#define THUMB_SNIPPETS 8u
#define USER_MODE 0x10u
#define THUMB_STATE 0x20u

static uintptr_t anywhere(uint32_t vcpu)
{
	switch (below(vcpu, 4)) {
	case 0: /* around every 2 MiB */
		return (below(vcpu, 2048) << 21) + below(vcpu, 128) - 64;
	case 1: /* physical addresses of EL2 */
		return HYP_BASE + below(vcpu, EL2_SIZE);
	case 2:
		return below(vcpu, DEVICES_END);
	default:
		return (uintptr_t)value(vcpu);
	}
}

/* No syndrome describes an access of several registers or an exclusive access: at an emulated
 * address it would end the VM. Output of the UART would be in the log. */
static bool is_emulated(uintptr_t address)
{
	return address < EMULATED_END;
}

static bool is_spared(uintptr_t address)
{
	return address - UART < 0x1000 || address - FLASH_BANK < FLASH_BANK ||
	       address - (RAM - 16) < RAM_SIZE + 16;
}

static void access_unusual(uint32_t vcpu, uintptr_t address)
{
	uintptr_t value_there, failed;

	address &= -(uintptr_t)16;
	switch (below(vcpu, 3)) {
	case 0:
		load_two(address);
		break;
	case 1:
		__asm__ volatile(STORE_TWO ::"r"((uintptr_t)value(vcpu)), "r"(address) : "memory");
		break;
	default:
		__asm__ volatile(EXCLUSIVE
				 : "=&r"(value_there), "=&r"(failed)
				 : "r"(address)
				 : "memory");
	}
}

static void maintain(uint32_t vcpu, uintptr_t address)
{
	switch (below(vcpu, 5)) {
	case 0:
		__asm__ volatile(CLEAN ::"r"(address) : "memory");
		break;
	case 1:
		__asm__ volatile(CLEAN_INVALIDATE ::"r"(address) : "memory");
		break;
	case 2:
		__asm__ volatile(INVALIDATE_CODE ::"r"(address) : "memory");
		break;
	case 3:
		__asm__ volatile(TRANSLATE ::"r"(address) : "memory");
		break;
	default:
		__asm__ volatile(PREFETCH ::"r"(address) : "memory");
	}
}

void touch_anywhere(uint32_t vcpu)
{
	uintptr_t address = anywhere(vcpu);
	uint32_t log2 = log2_size(vcpu);

	switch (below(vcpu, 4)) {
	case 0:
		maintain(vcpu, address);
		break;
	case 1:
		if (!is_emulated(address) && !is_spared(address)) {
			access_unusual(vcpu, address);
			break;
		}
		/* fallthrough */
	case 2:
		read_any(address, log2);
		break;
	default:
		if (!is_spared(address))
			write_any(address, log2, value(vcpu));
	}
}

/* Return the address of code that does one thing and comes back, or of no code at all. */
static uintptr_t somewhere(uint32_t vcpu, uintptr_t *psr)
{
	if (below(vcpu, 8) == 0)
		return HYP_BASE + (below(vcpu, EL2_SIZE) & ~3u);
	if (sizeof(uintptr_t) == 8 && (*psr & 0x1f) != USER_MODE)
		return (uintptr_t)own_snippets + 8 * below(vcpu, OWN_SNIPPETS);
	if (below(vcpu, 2)) {
		*psr |= THUMB_STATE;
		return (uintptr_t)thumb_snippets + 4 * below(vcpu, THUMB_SNIPPETS);
	}
	return (uintptr_t)arm_snippets + 8 * below(vcpu, ARM_SNIPPETS);
}

/* Return a random PSR, mostly with an existing mode. */
static uintptr_t any_psr(uint32_t vcpu)
{
	static const uint8_t modes[] = { MODES };
	uint32_t flags = next(vcpu) & FLAGS;

	if (below(vcpu, 4))
		return flags | modes[below(vcpu, sizeof(modes))];
	return flags | below(vcpu, 32) | (below(vcpu, 2) ? ILLEGAL : 0);
}

void wander(uint32_t vcpu)
{
	uintptr_t psr = any_psr(vcpu);
	uintptr_t pc = somewhere(vcpu, &psr);
	uintptr_t address = anywhere(vcpu) & ~(uintptr_t)3;

	if (is_spared(address))
		address = HYP_BASE;
	mask();
	wander_to(pc, psr, address, (uintptr_t)value(vcpu), below(vcpu, DEPTH),
		  VECTORS * below(vcpu, 2));
	unmask();
}
