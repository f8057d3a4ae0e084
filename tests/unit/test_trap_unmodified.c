/* SPDX-License-Identifier: Apache-2.0 */
/* Exits of an unmodified guest, where they are handled another way. */
/* LINK: tests/unit/trap_vm.c exit-path drivers/gic/gicv2.c */

#include "abi/hypercall.h"
#include "hyp/trap/trap.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

/* Exception classes, in their place in a syndrome; the length of the instruction (32 bits) */
#define CP15_32 (0x03u << 26)
#define CP15_64 (0x04u << 26)
#define CP14_32 (0x05u << 26)
#define CP14_LDC (0x06u << 26)
#define CP10_ID (0x08u << 26)
#define CP14_64 (0x0cu << 26)
#define HVC64 (0x16u << 26)
#define SMC64 (0x17u << 26)
#define SYSREG64 (0x18u << 26)
#define NOBODYS (0x3eu << 26)
#define IL (1u << 25)
#define STORE_PROTECTED 0x938c004fu
#define LOAD_PROTECTED 0x9383000fu
#define FETCH_PROTECTED 0x8200000fu
#define PSCI_SYSTEM_OFF 0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u

static void setup(void)
{
	trap_setup();
	guest_is_unmodified(true);
}

EACH_TEST(setup, NULL);

TEST(what_is_not_there_is_undefined)
{
	static const uint32_t classes[] = { CP15_32, CP15_64, CP14_32, CP14_LDC,
					    CP10_ID, CP14_64, SYSREG64 };

	for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		uint32_t esr = classes[i] | IL | 0x3ffc1e;

		setup();
		assert_ptr_equal(take(esr), vcpu);
		assert_int_equal(fake_hyp.undefined, 1);
		assert_int_equal(fake_hyp.faults + fake_hyp.skipped, 0);
		guest_is_unmodified(false);
		assert_null(take(esr));
		assert_int_equal(fake_hyp.undefined, 1);
		assert_int_equal(fake_hyp.reason, FAULT_UNHANDLED_TRAP);
	}
}

TEST(a_class_that_nobody_has_stops_it)
{
	assert_null(take(NOBODYS));
	assert_int_equal(fake_hyp.reason, FAULT_UNHANDLED_TRAP);
	assert_int_equal(fake_hyp.undefined, 0);
}

/* For any HPFAR. */
TEST(a_store_to_what_is_mapped_for_reading_does_nothing)
{
	vcpu->vm->rom_writes = 0;
	assert_ptr_equal(take(STORE_PROTECTED), vcpu);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE;
	assert_ptr_equal(take(STORE_PROTECTED), vcpu);
	assert_int_equal(vcpu->vm->rom_writes, 2);
	assert_int_equal(fake_hyp.skipped, 2);
	assert_int_equal(device.writes + fake_hyp.faults, 0);
	assert_null(take(STORE_PROTECTED & ~(1u << 24))); /* without a description */
	assert_int_equal(fake_hyp.reason, FAULT_MMIO_SYNDROME);
}

/* It goes on with an abort. */
static void assert_aborts(uint32_t esr)
{
	unsigned before = fake_hyp.aborts;

	assert_ptr_equal(take(esr), vcpu);
	assert_int_equal(fake_hyp.aborts, before + 1);
	assert_int_equal(fake_hyp.esr, esr);
	assert_int_equal(fake_hyp.skipped + fake_hyp.faults, 0);
}

TEST(other_faults_of_permission_are_aborts)
{
	assert_aborts(LOAD_PROTECTED);
	assert_aborts(FETCH_PROTECTED);
	assert_aborts(STORE_PROTECTED | 1u << 7); /* of a stage-1 walk */
	guest_is_unmodified(false);
	fake_hyp.fault_ipa = DEVICE;
	assert_null(take(STORE_PROTECTED));
	assert_int_equal(fake_hyp.reason, FAULT_DATA_ABORT);
	assert_int_equal(device.reads + device.writes, 0);
	assert_int_equal(fake_hyp.faults, 1);
}

TEST(an_access_to_nothing_is_an_abort)
{
	static const uint32_t syndromes[] = { LDR_W3, STR_W12,    DABT_LDP,  DABT_S1PTW,
					      IABT,   IABT_S1PTW, 0x92000021 /* alignment */ };

	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE;
	for (unsigned i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++)
		assert_aborts(syndromes[i]);
	assert_null(take(0x92000011)); /* asynchronous */
	assert_int_equal(fake_hyp.reason, FAULT_SERROR);
	guest_is_unmodified(false);
	assert_null(take(LDR_W3));
	assert_int_equal(fake_hyp.reason, FAULT_DATA_ABORT);
	assert_null(take(IABT));
	assert_int_equal(fake_hyp.reason, FAULT_PREFETCH_ABORT);
}

TEST(an_abort_of_its_own_vector_stops_it)
{
	fake_hyp.vector_aborts = true;
	assert_null(take(IABT));
	assert_int_equal(fake_hyp.reason, FAULT_PREFETCH_ABORT);
}

TEST(cache_maintenance_of_a_device_is_nothing)
{
	assert_ptr_equal(take(DABT_DC), vcpu);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE; /* nor of nothing */
	assert_ptr_equal(take(DABT_DC), vcpu);
	assert_int_equal(fake_hyp.skipped, 2);
	fake_hyp.skipped = 0;
	assert_aborts(DABT_DC | 1u << 7); /* a walk */
	guest_is_unmodified(false);
	fake_hyp.fault_ipa = DEVICE;
	assert_null(take(DABT_DC));
	assert_int_equal(device.reads + device.writes, 0);
}

static struct vcpu *call(uint32_t class, uint32_t id)
{
	vcpu->vm->outcome = VM_RUNNING;
	vcpu->frame.x[0] = id;
	return class == HVC64 ? trap_hvc(vcpu, (uint32_t)vcpu->frame.x[0]) : take(class);
}

TEST(it_has_psci_and_no_hypercalls)
{
	static const uint32_t conduits[] = { HVC64, SMC64 };

	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t id = HC_BASE; id <= HC_BASE + HC_COUNT; id++) {
			assert_ptr_equal(call(conduits[i], id), vcpu);
			assert_int_equal((int)vcpu->frame.x[0], -1);
		}
		assert_null(call(conduits[i], PSCI_SYSTEM_OFF));
		assert_int_equal(vcpu->vm->outcome, VM_DONE);
		assert_null(call(conduits[i], PSCI_SYSTEM_RESET));
		assert_int_equal(vcpu->vm->outcome, VM_RESET);
	}
	assert_int_equal(fake_hyp.faults, 0);
	guest_is_unmodified(false);
	assert_ptr_equal(call(HVC64, HC_ID(NULL)), vcpu);
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	assert_null(call(HVC64, PSCI_SYSTEM_RESET));
	assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
}
