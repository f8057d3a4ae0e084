/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/selfcheck.h"

#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_virt.h"
#include "drivers/timer/timer.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/boot_state.h"
#include "hyp/base/clock.h"
#include "hyp/trap/trap.h"
#include "lib/text.h"

#define IPA_BITS_NEEDED 32u
#define RAM_STEP 0x100000u

static const char *check_level(void)
{
	switch (cpu_level()) {
	case 2:
		return NULL;
	case 3:
		return "started at EL3 (or in Secure state), not at EL2 (HYP mode): let the "
		       "firmware or boot loader enter the image in Non-secure EL2";
	default:
		if (boot_state.level == ENTRY_SECURE_SVC)
			return "entered in Secure SVC, not in HYP mode: U-Boot's `go` does that; "
			       "boot with bootm and a device tree";
		return "started at EL1 (Non-secure SVC mode), not at EL2 (HYP mode): this machine "
		       "has no virtualization or it is off (QEMU: -M virt,virtualization=on)";
	}
}

static const char *check_counter(void)
{
	if (board.counter_start && !board.counter_start())
		return "the counter's source does not start: its timer does not acknowledge";
	if (clock_hz() == 0)
		return "CNTFRQ is 0: the boot loader did not set the counter's frequency";
	if (!timer_counter_advances())
		return "the counter stands still: CNTPCT does not advance, its source is not "
		       "started";
	return NULL;
}

static const char *check_cpu(void)
{
	if (board.coherency_start && !board.coherency_start())
		return "ACTLR.SMP is 0, and HYP mode may not set it (NSACR.NS_SMP is 0): without "
		       "it caches must stay off; boot with U-Boot's bootm, which sets both";
	if (cpu_pa_bits() < IPA_BITS_NEEDED)
		return "stage 2 cannot take 32-bit intermediate physical addresses on this CPU";
	return NULL;
}

static const char *check_gic(unsigned *lr_count)
{
	unsigned version = gic_probe_version();

	if (gic_version() == 2 && version != 2)
		return "no GICv2 answers at this board's distributor address (GICD_PIDR2): another "
		       "GIC version, or another board";
	if (gic_version() == 3 && version != 3 && version != 4)
		return "no GICv3 answers at this board's distributor address (GICD_PIDR2): another "
		       "GIC version, or another board";
	*lr_count = gic_virt_init();
	if (*lr_count == 0)
		return "this GIC has no virtualization extensions: no list registers";
	return NULL;
}

/* Write the last word of the guest's first 1, 2, 4 ... MiB, up to all of its RAM. With less RAM an
 * access aborts, a word does not keep its value, or two addresses share a word. */
static const char *check_ram(void)
{
	static char buffer[96];
	volatile uint32_t *ram = (uint32_t *)(uintptr_t)board.guest_base;
	bool same = true;
	struct text text;
	uint64_t end;

	text_init(&text, buffer, sizeof(buffer));
	text_format(&text, "the guest's RAM is not there: the board has less than %ju MiB at 0x%jx",
		    board.guest_size >> 20, (uintmax_t)board.guest_base);
	hyp_exception_means = text.at;
	for (end = board.guest_size; end >= RAM_STEP; end /= 2)
		ram[end / sizeof(*ram) - 1] = (uint32_t)end;
	for (end = board.guest_size; end >= RAM_STEP; end /= 2)
		same &= ram[end / sizeof(*ram) - 1] == (uint32_t)end;
	hyp_exception_means = NULL;
	return same ? NULL : text.at;
}

const char *selfcheck(unsigned *lr_count)
{
	const char *wrong = check_level() ?: check_counter() ?: check_cpu() ?: check_gic(lr_count);

	return wrong ?: check_ram();
}
