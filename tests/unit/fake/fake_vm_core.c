/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of physical interrupts, for tests that do not link vm_core.c: each vCPU is attached. */
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_gic.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/fake/function.h"

struct vcpu *vm_core_owner(unsigned intid)
{
	if (intid < GIC_PRIVATE_COUNT)
		return vppi_owner(intid);
	for (unsigned i = 0; i < VM_MAX * VCPU_MAX; i++) {
		struct vcpu *vcpu = vms[i / VCPU_MAX].vcpu[i % VCPU_MAX];

		if (vcpu && vcpu->core == smp_core() && vgic_routes(&vcpu->vgic, intid))
			return vcpu;
	}
	return NULL;
}

bool vm_fail_over(struct vm *vm)
{
	fake_hyp.failed_over = vm;
	return false;
}

FAKE_VALUE_FUNC(bool, vm_fault_fails_over,
		(struct vcpu * vcpu, enum fault_reason reason, ipa_t ipa), false)

bool vm_gic_send_on(uint32_t iar)
{
	for (unsigned i = 0; i < VM_MAX; i++)
		if (vms[i].vcpu[0] && vgicd_send_on(vms[i].vcpu[0], iar))
			return true;
	return false;
}

struct vcpu *fake_kicked; /* the answer for every kick */

FAKE_VALUE_FUNC(struct vcpu *, vm_core_kicked, (unsigned kick), fake_kicked)
