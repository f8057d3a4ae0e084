/* SPDX-License-Identifier: Apache-2.0 */
/* The hypercalls of abi/hypercall.h, one function each. */
#include "hyp/hypercall.h"

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "boards/board.h"
#include "hyp/cold.h"
#include "hyp/record.h"
#include "hyp/vm.h"

static struct vcpu *finish(struct vcpu *vcpu, long result)
{
	frame_set_result(&vcpu->frame, (reg_t)result);
	return vcpu;
}

static struct vcpu *hc_null(struct vcpu *vcpu)
{
	return finish(vcpu, HC_OK);
}

static struct vcpu *hc_record(struct vcpu *vcpu)
{
	reg_t size = frame_arg(&vcpu->frame, 2);
	reg_t kind = frame_arg(&vcpu->frame, 1);

	if (kind >= RECORD_KIND_COUNT || size > GUEST_RECORD_SIZE)
		return finish(vcpu, HC_EINVAL);
	if (!record_from_guest((unsigned)kind,
			       (const char *)(board.guest_base + GUEST_RECORD_OFFSET), size))
		return finish(vcpu, HC_EINVAL);
	return finish(vcpu, HC_OK);
}

static struct vcpu *hc_exit(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	switch (frame_arg(&vcpu->frame, 1)) {
	case GUEST_EXIT_DONE:
		vm->outcome = VM_DONE;
		break;
	case GUEST_EXIT_REFUSED:
		vm->outcome = VM_REFUSED;
		break;
	case GUEST_EXIT_FAILED:
		vm->outcome = VM_FAILED;
		break;
	case GUEST_EXIT_CRASHED:
		vm_fault(vm, FAULT_GUEST_CRASH, 0, 0, 0);
		vm->outcome = VM_CRASHED;
		break;
	default:
		vm_fault(vm, FAULT_BAD_EXIT, 0, 0, 0);
		break;
	}
	return NULL;
}

static struct vcpu *hc_measure(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_raise(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_cold(struct vcpu *vcpu)
{
	return finish(vcpu, cold_make(frame_arg(&vcpu->frame, 1)) ? HC_OK : HC_EINVAL);
}

static struct vcpu *hc_tlbi(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_vmid(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_peek(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_stage2(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *hc_fp_release(struct vcpu *vcpu)
{
	return finish(vcpu, HC_EUNKNOWN);
}

static struct vcpu *(*const table[])(struct vcpu *) = {
#define X(NAME, name) [HC_INDEX_##NAME] = hc_##name,
	HYPERCALLS(X)
#undef X
};

struct vcpu *hypercall(struct vcpu *vcpu)
{
	reg_t index = frame_arg(&vcpu->frame, 0) - HC_BASE;

	if (index < HC_COUNT)
		return table[index](vcpu);
	return finish(vcpu, HC_EUNKNOWN);
}
