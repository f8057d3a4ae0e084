/* SPDX-License-Identifier: Apache-2.0 */
/* Trapped MCR and MRC (DDI 0406C B3.13.6, ISS of EC 0x03). Of MCRR and MRRC (EC 0x04), which have
 * another ISS, none is emulated. */
#include "arch/esr.h"
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"

#define ISS_READ 1u
#define ISS_RT(iss) ((iss) >> 5 & 0xfu)
#define ISS_REGISTER 0xffc1eu /* opc2, opc1, CRn, CRm */
#define REGISTER(opc1, crn, crm, opc2) ((opc2) << 17 | (opc1) << 14 | (crn) << 10 | (crm) << 1)

#define ACTLR REGISTER(0u, 1u, 0u, 1u)

bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr)
{
	if (!trap_condition_passed(esr))
		return true;
	if (ESR_EC(esr) != EC_CP15_32)
		return false;
	switch (esr & ISS_REGISTER) {
	case ACTLR: /* the core's own; implementation-defined bits are not for a guest to set */
		if (esr & ISS_READ)
			frame_write(&vcpu->frame, ISS_RT(esr), read_actlr_el1());
		return true;
	default:
		return false;
	}
}
