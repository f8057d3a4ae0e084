/* SPDX-License-Identifier: Apache-2.0 */
/* Trapped MSR and MRS (DDI 0487 D13.2.37, ISS of EC 0x18). */
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"
#include "hyp/vdist.h"

#define ISS_READ 1u
#define ISS_RT(iss) ((iss) >> 5 & 0x1fu)
#define ISS_REGISTER 0x3ffc1eu /* Op0, Op2, Op1, CRn, CRm */
#define REGISTER(op0, op1, crn, crm, op2)                                                          \
	((op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (crm) << 1)

#define ACTLR_EL1 REGISTER(3u, 0u, 1u, 0u, 1u)
#define ICC_DIR_EL1 REGISTER(3u, 0u, 12u, 11u, 1u)
#define ICC_SGI1R_EL1 REGISTER(3u, 0u, 12u, 11u, 5u)

/* Not one more to compare the others with. */
static __attribute__((noinline, cold)) bool emulate_rare(struct vcpu *vcpu, uint32_t esr)
{
	if ((esr & (ISS_REGISTER | ISS_READ)) != ICC_DIR_EL1)
		return false;
	vgic_deactivate(&vcpu->vgic, (unsigned)frame_read(&vcpu->frame, ISS_RT(esr)));
	return true;
}

/* What a guest reads of a register that traps; its writes go to `write` or nowhere. */
bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr)
{
	unsigned rt = ISS_RT(esr);
	bool is_read = esr & ISS_READ;

	switch (esr & ISS_REGISTER) {
	case ACTLR_EL1: /* the core's own; implementation-defined bits are not for a guest to set */
		if (is_read)
			frame_write(&vcpu->frame, rt, read_actlr_el1());
		return true;
	case ICC_SGI1R_EL1:
		if (is_read)
			return false;
		vdist_sgi1r(vcpu, frame_read(&vcpu->frame, rt));
		return true;
	default:
		return emulate_rare(vcpu, esr);
	}
}
