/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of which revision of which core has which erratum, and of the workarounds. No workaround is
 * in force on a core without the erratum, or while errata are ignored. */
/* LINK: exit-path tests/unit/trap_vm.c hyp/vcpu/vcpu_switch.c drivers/gic/gicv2.c */
#include <stdio.h>

#include "abi/hypercall.h"
#include "arch/errata.h"
#include "arch/sysreg.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

#define A15 0x410fc0f0u
#define A53 0x410fd030u
#define A72 0x410fd080u
#define REVISION(midr, r, p) ((midr) | (r##u) << 20 | (p##u))
#define LOOP_BUFFER_OFF (1u << 1)
#define STREAMING_OFF (1u << 25)
#define FIXED (1u << 9)

static const struct run_config applied = { .stage2 = STAGE2_2M };
static const struct run_config ignored = { .stage2 = STAGE2_2M, .errata = ERRATA_IGNORED };

static void be(uint32_t midr, uint32_t revidr, uint32_t actlr)
{
	fake_midr_el1 = midr;
	fake_revidr_el1 = revidr;
	fake_actlr_el1 = actlr;
}

static void start_as(uint32_t midr, const struct run_config *config)
{
	trap_setup();
	be(midr, 0, 0);
	errata_use(config, stage2_empty_vttbr());
}

/* --- the table --- */

static void assert_emits(bool firmware, const char *handled, const char *missing)
{
	char expected[256];

	snprintf(expected, sizeof(expected), ",\"errata\":[%s],\"errata_missing\":[%s]", handled,
		 missing);
	fake_hyp.console_size = 0;
	errata_emit(firmware);
	assert_string_equal(fake_hyp.console, expected);
}

/* An image built for another core does not avoid the erroneous sequences of a Cortex-A53. Without
 * firmware the bits that firmware sets are missing. */
TEST(each_boundary_revision)
{
	static const struct {
		uint32_t midr, revidr, actlr;
		enum { FULL, ANOTHER_CORE, NO_FIRMWARE } image;
		const char *handled, *missing;
	} rows[] = {
		{ REVISION(A72, 0, 0), 0, 0, FULL, "\"1319367\"", "" },
		{ REVISION(A72, 0, 3), 0, 0, FULL, "\"1319367\"", "" },
		{ REVISION(A72, 1, 0), ~0u, ~0u, FULL, "\"1319367\"", "" },
		{ REVISION(A15, 0, 0), 0, 0, FULL, "\"798181\",\"766422\"",
		  "\"773022\",\"774769\"" },
		{ REVISION(A15, 0, 4), 0, 0, FULL, "\"798181\",\"766422\"",
		  "\"773022\",\"774769\"" },
		{ REVISION(A15, 0, 4), 0, LOOP_BUFFER_OFF, FULL, "\"798181\",\"766422\",\"773022\"",
		  "\"774769\"" },
		{ REVISION(A15, 0, 4), FIXED, LOOP_BUFFER_OFF | STREAMING_OFF, FULL,
		  "\"798181\",\"766422\",\"773022\",\"774769\"", "" },
		{ REVISION(A15, 0, 5), 0, 0, FULL, "\"798181\"", "" },
		{ REVISION(A15, 1, 0), 0, 0, FULL, "\"798181\"", "" },
		{ REVISION(A15, 2, 3), FIXED, 0, FULL, "\"798181\"", "" }, /* no such bit yet */
		{ REVISION(A15, 2, 4), 1u << 4, 0, FULL, "\"798181\"", "" },
		{ REVISION(A15, 2, 4), FIXED, 0, FULL, "", "" },
		{ REVISION(A15, 3, 3), 0, 0, FULL, "\"798181\"", "" },
		{ REVISION(A15, 3, 3), FIXED, 0, FULL, "", "" },
		{ REVISION(A15, 3, 4), 0, 0, FULL, "", "" },
		{ REVISION(A15, 4, 0), 0, 0, FULL, "", "" },
		{ REVISION(A53, 0, 1), 0, 0, FULL,
		  "\"1530924\",\"835769\",\"843419\",\"819472\",\"824069\",\"827319\"", "" },
		{ REVISION(A53, 0, 2), 0, 0, FULL,
		  "\"1530924\",\"835769\",\"843419\",\"824069\",\"827319\"", "" },
		{ REVISION(A53, 0, 3), 0, 0, FULL, "\"1530924\",\"835769\",\"843419\"", "" },
		{ REVISION(A53, 0, 4), 0, 0, FULL, "\"1530924\",\"835769\",\"843419\"", "" },
		{ REVISION(A53, 0, 5), 0, 0, FULL, "\"1530924\"", "" },
		{ 0x410fc0e0u, 0, 0, FULL, "", "" }, /* Cortex-A17 */
		{ 0x420fc0f0u, 0, 0, FULL, "", "" }, /* another implementer's part */
		{ REVISION(A53, 0, 4), 0, 0, ANOTHER_CORE, "\"1530924\"", "\"835769\",\"843419\"" },
		{ REVISION(A53, 0, 5), 0, 0, ANOTHER_CORE, "\"1530924\"", "" },
		{ REVISION(A72, 0, 3), 0, 0, ANOTHER_CORE, "\"1319367\"", "" },
		{ REVISION(A72, 0, 0), 0, 0, NO_FIRMWARE, "\"1319367\"", "\"859971\"" },
		{ REVISION(A72, 0, 3), 0, 0, NO_FIRMWARE, "\"1319367\"", "\"859971\"" },
		{ REVISION(A72, 1, 0), 0, 0, NO_FIRMWARE, "\"1319367\"", "" },
		{ REVISION(A53, 0, 2), 0, 0, NO_FIRMWARE,
		  "\"1530924\",\"835769\",\"843419\",\"824069\",\"827319\"",
		  "\"826319\",\"836870\"" },
		{ REVISION(A53, 0, 3), 0, 0, NO_FIRMWARE, "\"1530924\",\"835769\",\"843419\"",
		  "\"836870\",\"855873\"" },
		{ REVISION(A53, 0, 4), 0, 0, NO_FIRMWARE, "\"1530924\",\"835769\",\"843419\"",
		  "\"855873\"" },
		{ REVISION(A53, 1, 0), 0, 0, NO_FIRMWARE, "\"1530924\"", "\"855873\"" },
		{ REVISION(A15, 0, 5), 0, 0, NO_FIRMWARE, "\"798181\"", "" },
	};

	fake_hyp_reset();
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_built_for_cortex_a53 = rows[i].image != ANOTHER_CORE;
		be(rows[i].midr, rows[i].revidr, rows[i].actlr);
		assert_emits(rows[i].image != NO_FIRMWARE, rows[i].handled, rows[i].missing);
	}
}

static bool nothing_in_force(void)
{
	return !errata.empty_vttbr && !errata.tlbi_this_core && !errata.thumb_store_stops;
}

TEST(what_is_in_force)
{
	start_as(REVISION(A15, 0, 4), &applied);
	assert_true(errata.tlbi_this_core && errata.thumb_store_stops && !errata.empty_vttbr);
	errata_use(&ignored, stage2_empty_vttbr());
	assert_true(nothing_in_force());
	start_as(REVISION(A15, 0, 5), &applied);
	assert_true(errata.tlbi_this_core && !errata.thumb_store_stops);
	start_as(REVISION(A15, 4, 0), &applied);
	assert_true(nothing_in_force());
	start_as(REVISION(A53, 0, 4), &applied);
	assert_true(errata.empty_vttbr && !errata.tlbi_this_core && !errata.thumb_store_stops);
	start_as(REVISION(A72, 0, 3), &applied);
	assert_true(errata.empty_vttbr && !errata.tlbi_this_core && !errata.thumb_store_stops);
	errata_use(&ignored, stage2_empty_vttbr());
	assert_true(nothing_in_force());
	errata_use(&applied, stage2_empty_vttbr()); /* the next step */
	assert_true(errata.empty_vttbr != 0);
}

/* --- 1319367: the order of a VM switch --- */

#define OTHER_VTTBR 0x0003000040000000ull
#define VTTBR_BADDR 0x0000fffffffffffeull

/* Each write of a system register in a switch, and the number of ISBs before it. */
static struct {
	const uint64_t *variable;
	uint64_t value;
	unsigned isbs;
} writes[128];
static unsigned write_count;

static bool note_write(const uint64_t *variable, uint64_t value)
{
	assert_true(write_count < ARRAY_SIZE(writes));
	writes[write_count].variable = variable;
	writes[write_count].value = value;
	writes[write_count++].isbs = fake_barriers.isb;
	return false;
}

static const uint64_t *const el1_registers[] = {
#define X(name, ...) &fake_##name,
	EL1_REGS(X)
#undef X
};

static bool is_el1(const uint64_t *variable)
{
	for (unsigned i = 0; i < ARRAY_SIZE(el1_registers); i++)
		if (variable == el1_registers[i])
			return true;
	return false;
}

static void switch_on(uint32_t midr, const struct run_config *config)
{
	static struct vm other_vm = { .vmid = 3 };
	static struct vcpu other;

	start_as(midr, config);
	other = (struct vcpu){ .vm = &other_vm, .vttbr = OTHER_VTTBR };
	other_vm.vcpu[0] = &other;
	write_count = 0;
	fake_sysregs.write = note_write;
	fake_barriers.isb = 0;
	vcpu_switch(&other, vcpu);
	fake_sysregs.write = NULL;
}

static void assert_translates_nothing(uint64_t vttbr)
{
	const pte_t *root = (const pte_t *)(uintptr_t)(vttbr & VTTBR_BADDR);
	unsigned vmid = (unsigned)(vttbr >> 48);

	assert_int_equal((uintptr_t)root % (STAGE2_INPUT_GIB * sizeof(pte_t)), 0);
	for (unsigned i = 0; i < STAGE2_INPUT_GIB; i++)
		assert_false(root[i] & PTE_VALID);
	assert_in_range(vmid, 4, STAGE2_VMID_TWIN - 1); /* not a VM's: 0, 1, 3, and their twins */
}

/* The switch writes a VTTBR that maps nothing, ISB, all of EL1, ISB, the next vCPU's VTTBR. */
TEST(a_guarded_switch_translates_nothing_meanwhile)
{
	unsigned first = 0, last, el1_writes = 0;

	switch_on(REVISION(A72, 0, 3), &applied);
	while (writes[first].variable != &fake_vttbr_el2)
		assert_false(is_el1(writes[first++].variable));
	last = first + 1;
	while (writes[last].variable != &fake_vttbr_el2) {
		if (is_el1(writes[last].variable)) {
			assert_int_equal(writes[last].isbs, writes[first].isbs + 1);
			el1_writes++;
		}
		last++;
	}
	assert_translates_nothing(writes[first].value);
	assert_int_equal(el1_writes, ARRAY_SIZE(el1_registers));
	assert_int_equal(writes[last].isbs, writes[first].isbs + 2);
	assert_int_equal(writes[last].value, OTHER_VTTBR);
	for (unsigned w = last + 1; w < write_count; w++)
		assert_true(!is_el1(writes[w].variable) && writes[w].variable != &fake_vttbr_el2);
}

/* --- 798181: maintenance on this core, without a broadcast --- */

static unsigned broadcasts(void)
{
	return fake_counts.tlbi_all_guests + fake_counts.tlbi_guest_vmid +
	       fake_counts.tlbi_guest_ipa;
}

static unsigned of_this_core(void)
{
	return fake_counts.tlbi_core_guests + fake_counts.tlbi_core_guest_vmid;
}

static void maintain_everything(void)
{
	struct stage2 *stage2 = &vcpu->vm->stage2;

	be_lazy(STAGE2_4K, 4);
	assert_true(stage2_map(stage2, RAM, RAM, PAGE_SIZE, STAGE2_NORMAL));
	assert_true(pagetable_unmap(&stage2->table, RAM, PAGE_SIZE));
	stage2_switch_vmid(stage2, true);
	for (reg_t what = HC_TLBI_VMID; what <= HC_TLBI_ALL; what++) {
		vcpu->frame.x[0] = HC_ID(TLBI);
		vcpu->frame.x[1] = what;
		assert_ptr_equal(trap_hvc(vcpu, (uint32_t)vcpu->frame.x[0]), vcpu);
		assert_int_equal(vcpu->frame.x[0], HC_OK);
	}
	assert_int_equal(fake_tlb_conflicts(), 0);
	assert_int_equal(fake_tlb_stale(), 0);
}

TEST(tlb_maintenance_stays_on_this_core)
{
	unsigned operations;

	start_as(REVISION(A15, 0, 4), &applied);
	maintain_everything();
	assert_int_equal(broadcasts(), 0);
	operations = of_this_core();
	assert_int_equal(fake_counts.tlbi_core_guests, 1);
	start_as(REVISION(A15, 0, 4), &ignored);
	maintain_everything();
	assert_int_equal(of_this_core(), 0);
	assert_int_equal(broadcasts(), operations); /* as many, but broadcast */
	start_as(REVISION(A15, 4, 0), &applied);
	maintain_everything();
	assert_int_equal(of_this_core(), 0);
}
