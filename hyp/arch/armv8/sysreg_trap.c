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
#define ICC_ASGI1R_EL1 REGISTER(3u, 0u, 12u, 11u, 6u)
#define ICC_SGI0R_EL1 REGISTER(3u, 0u, 12u, 11u, 7u)

/* GICv3: ends, while some are in memory. */
static __attribute__((noinline, cold)) bool deactivate(struct vcpu *vcpu, uint32_t esr)
{
	if ((esr & (ISS_REGISTER | ISS_READ)) != ICC_DIR_EL1)
		return false;
	vgic_deactivate(&vcpu->vgic, (unsigned)frame_read(&vcpu->frame, ISS_RT(esr)));
	return true;
}

/* GICv3: SGIs. Whoever reads such a register is stopped. */
static bool send_sgi(struct vcpu *vcpu, uint32_t esr)
{
	uint64_t value = frame_read(&vcpu->frame, ISS_RT(esr));

	switch (esr & (ISS_REGISTER | ISS_READ)) {
	case ICC_SGI1R_EL1:
		vdist_sgi1r(vcpu, value);
		return true;
	case ICC_ASGI1R_EL1:
	case ICC_SGI0R_EL1:
		vdist_sgi0r(vcpu, value);
		return true;
	default:
		return deactivate(vcpu, esr);
	}
}

/* Emulated: reads of ACTLR, whose writes go nowhere, and writes to the GIC. */
bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr)
{
	if ((esr & ISS_REGISTER) != ACTLR_EL1)
		return send_sgi(vcpu, esr);
	/* The core's own; implementation-defined bits are not for a guest to set. */
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, ISS_RT(esr), read_actlr_el1());
	return true;
}
