/* SPDX-License-Identifier: Apache-2.0 */
/* Trapped MSR and MRS (DDI 0487 D13.2.37, ISS of EC 0x18). */
#include "arch/esr.h"
#include "arch/sysreg.h"
#include "hyp/arch/guest.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vgicd.h"
#include "lib/compiler.h"

#define ISS_READ 1u
#define ISS_OP0(iss) ((iss) >> 20 & 3u)
#define ISS_OP2_BITS (7u << 17)
#define ISS_OP2(iss) ((iss) >> 17 & 7u)
#define ISS_OP1(iss) ((iss) >> 14 & 7u)
#define ISS_CRN_8 (8u << 10)   /* of CRn: set for GIC and timers, clear for ACTLR */
#define ISS_REGISTER 0x3ffc1eu /* Op0, Op2, Op1, CRn, CRm */
#define REGISTER(op0, op1, crn, crm, op2)                                                          \
	((op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (crm) << 1)

#define ACTLR_EL1 REGISTER(3u, 0u, 1u, 0u, 1u)
#define ICC_DIR_EL1 REGISTER(3u, 0u, 12u, 11u, 1u)
#define CNTPCT_EL0 REGISTER(3u, 3u, 14u, 0u, 1u)
#define CNTP_TVAL_EL0 REGISTER(3u, 3u, 14u, 2u, 0u) /* Op2 is an enum vcntp_register */
#define ICC_SGI1R_EL1 REGISTER(3u, 0u, 12u, 11u, 5u)
#define ICC_ASGI1R_EL1 REGISTER(3u, 0u, 12u, 11u, 6u)
#define ICC_SGI0R_EL1 REGISTER(3u, 0u, 12u, 11u, 7u)

/* Emulate an access to CNTP (cntp=emulated). */
static __attribute__((noinline)) bool timer_emulate(struct vcpu *vcpu, uint32_t esr)
{
	unsigned rt = SYSREG_RT(esr), which = ISS_OP2(esr);

	if ((esr & (ISS_REGISTER | ISS_READ)) == (CNTPCT_EL0 | ISS_READ))
		frame_write(&vcpu->frame, rt,
			    read_cntpct_el0()); /* QEMU 7.2 traps CNTPCT: common/cpu.c */
	else if ((esr & ISS_REGISTER & ~ISS_OP2_BITS) != CNTP_TVAL_EL0 || which > VCNTP_CVAL)
		return false;
	else if (esr & ISS_READ)
		frame_write(&vcpu->frame, rt, vcntp_read(vcpu, which));
	else
		vcntp_write(vcpu, which, frame_read(&vcpu->frame, rt));
	return true;
}

bool sysreg_emulate_at_once(struct vcpu *vcpu, uint32_t esr)
{
	if (esr & ISS_CRN_8)
		return (esr & (ISS_REGISTER | ISS_READ)) == ICC_SGI1R_EL1 &&
		       vgicd_sgi1r_at_once(vcpu, frame_read(&vcpu->frame, SYSREG_RT(esr)));
	if ((esr & ISS_REGISTER) != ACTLR_EL1)
		return false;
	/* Ignore writes: the bits of ACTLR configure the physical core. */
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, SYSREG_RT(esr), read_actlr_el1());
	return true;
}

/* These two are out of line, so that the other registers need no stack. */
static __cold bool write_dir(struct vcpu *vcpu, uint64_t value)
{
	vgic_deactivate(&vcpu->vgic, (unsigned)value);
	return true;
}

static __cold bool write_sgi0r(struct vcpu *vcpu, uint64_t value)
{
	vgicd_sgi0r(vcpu, value);
	return true;
}

/* Emulate other registers of the GICv3. A guest that reads one of these registers is stopped. */
static __cold bool emulate_rare(struct vcpu *vcpu, uint32_t esr)
{
	uint64_t value = frame_read(&vcpu->frame, SYSREG_RT(esr));

	switch (esr & (ISS_REGISTER | ISS_READ)) {
	case ICC_ASGI1R_EL1:
	case ICC_SGI0R_EL1:
		return write_sgi0r(vcpu, value);
	case ICC_DIR_EL1:
		return write_dir(vcpu, value);
	default:
		return timer_emulate(vcpu, esr);
	}
}

bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr)
{
	if ((esr & (ISS_REGISTER | ISS_READ)) != ICC_SGI1R_EL1)
		return emulate_rare(vcpu, esr);
	vgicd_sgi1r(vcpu, frame_read(&vcpu->frame, SYSREG_RT(esr)));
	return true;
}

/* Op0 2 includes the trace registers (Op1 1), which are not emulated. */
bool debug_emulate(struct vcpu *vcpu, uint32_t esr)
{
	bool is_debug = ISS_OP0(esr) == 2 && (ISS_OP1(esr) == 0 || ISS_OP1(esr) == 3);

	if (ESR_EC(esr) != EC_SYSREG || !is_debug)
		return false;
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, SYSREG_RT(esr), 0);
	return true;
}
