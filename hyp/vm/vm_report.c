/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_report.h"

#include <string.h>

#include "abi/record.h"
#include "arch/sysreg.h"
#include "hyp/vm/guest_record.h"
#include "lib/text.h"

#define NAME_MAX 16 /* length of a device's name, in the member `at` */

const char *vm_fault_word(enum fault_reason reason)
{
	static const char *const words[] = {
#define X(NAME, text) [FAULT_##NAME] = text,
		FAULT_REASONS(X)
#undef X
	};

	return words[reason];
}

static const char *what_is_at(const struct vm *vm, ipa_t ipa)
{
	const struct mmio_region *region = vm_region_at(vm, ipa);
	struct pagetable_leaf leaf;

	if (region)
		return region->name;
	if (!pagetable_walk(&vm->stage2.table, ipa, &leaf))
		return "nothing";
	if ((leaf.attributes & S2_AP_RW) == S2_AP_RO)
		return "flash";
	return (leaf.attributes & S2_MEMATTR_NORMAL) == S2_MEMATTR_DEVICE ? "device" : "RAM";
}

/* Append a member whose value is a string. `begin` has everything before the value. */
static void add_string(struct text *text, const char *begin, const char *value)
{
	text_string(text, begin); /* argument: 10 */
	text_string(text, value); /* argument: NAME_MAX */
	text_char(text, '"');
}

static void add_hex(struct text *text, const char *begin, uint64_t value)
{
	text_string(text, begin); /* argument: 12 */
	text_hex(text, value, 0);
	text_char(text, '"');
}

enum member { REASON, CLASS, ESR, PC, VA, IPA, AT, MEMBERS };

static void add_member(struct text *text, const struct vm_report *fault, enum member member)
{
	switch (member) {
	case REASON:
		add_string(text, "\"reason\":\"", vm_fault_word(fault->reason));
		break;
	case CLASS:
		add_hex(text, ",\"class\":\"0x", fault->esr >> 26 & 0x3f);
		break;
	case ESR:
		add_hex(text, ",\"esr\":\"0x", fault->esr);
		break;
	case PC:
		add_hex(text, ",\"pc\":\"0x", fault->pc);
		break;
	case VA:
		add_hex(text, ",\"va\":\"0x", fault->va);
		break;
	case IPA:
		add_hex(text, ",\"ipa\":\"0x", fault->ipa);
		break;
	default:
		if (fault->reason <= FAULT_MMIO_THUMB_STORE)
			add_string(text, ",\"at\":\"", what_is_at(fault->vcpu->vm, fault->ipa));
	}
}

static void add_restarts(struct text *text, uint32_t count)
{
	text_string(text, "\"variant\":\"resets\",\"ok\":true,\"count\":"); /* argument: 37 */
	text_u32(text, count);
}

/* Compose one member of a fault's body, or the body of a restart's record. */
static void compose(struct vm_report *report)
{
	struct text text = {
		.at = report->text,
		.size = sizeof(report->text),
		.length = report->record.size,
	};

	if (report->record.kind == RECORD_FAULT) {
		add_member(&text, report, (enum member)report->members++);
	} else {
		add_restarts(&text, report->restarts);
		report->members = MEMBERS;
	}
	report->record.size = text.length & 0xffffff;
}

void vm_report_restarts(struct vcpu *vcpu)
{
	struct vm_report *report = &vcpu->vm->restarts;

	report->vcpu = vcpu;
	report->restarts = vcpu->vm->resets;
	report->begun = read_cntpct_el0();
	report->members = 0;
	report->record = (struct vcpu_record){ .kind = RECORD_CHECK };
}

/* This function is out of line, so that the time that it has the lock of records has a bound. */
__attribute__((noinline)) bool vm_report_piece(struct vm_report *report)
{
	if (!report->vcpu)
		return false;
	if (report->members < MEMBERS)
		compose(report);
	else if (guest_record_report(report))
		report->vcpu = NULL;
	return true;
}

void vm_report_finish(void)
{
	for (unsigned i = 0; i < VM_MAX; i++)
		while (vm_report_piece(&vms[i].restarts) || vm_report_piece(&vms[i].fault))
			;
	guest_record_finish();
}
