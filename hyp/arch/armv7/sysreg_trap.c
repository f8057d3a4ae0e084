/* SPDX-License-Identifier: Apache-2.0 */
/* Trapped MCR and MRC, MCRR and MRRC (DDI 0406C B3.13.6, ISS of EC 0x03 and of EC 0x04). */
#include "arch/esr.h"
#include "arch/sysreg.h"
#include "hyp/arch/armv7/condition.h"
#include "hyp/arch/guest.h"
#include "hyp/vcpu/vtimer.h"

#define ISS_READ 1u
#define ISS_RT(iss) ((iss) >> 5 & 0xfu)
#define ISS_REGISTER 0xffc1eu /* opc2, opc1, CRn, CRm */
#define REGISTER(opc1, crn, crm, opc2) ((opc2) << 17 | (opc1) << 14 | (crn) << 10 | (crm) << 1)

#define ISS_OPC1(iss) ((iss) >> 14 & 7u)
#define ISS_RT2(iss) ((iss) >> 10 & 0xfu)
#define ISS_REGISTER_64 0xf001eu /* opc1, CRm */
#define REGISTER_64(opc1, crm) ((opc1) << 16 | (crm) << 1)

#define DBGDIDR REGISTER(0u, 0u, 0u, 0u)
#define ACTLR REGISTER(0u, 1u, 0u, 1u)
#define CNTP_TVAL REGISTER(0u, 14u, 2u, 0u)
#define CNTP_CTL REGISTER(0u, 14u, 2u, 1u)
#define CNTPCT REGISTER_64(0u, 14u)
#define CNTP_CVAL REGISTER_64(2u, 14u)

static bool cntp_32(struct vcpu *vcpu, enum vcntp_register which, uint32_t esr)
{
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, ISS_RT(esr), (reg_t)vcntp_read(vcpu, which));
	else
		vcntp_write(vcpu, which, frame_read(&vcpu->frame, ISS_RT(esr)));
	return true;
}

static void write_pair(struct vcpu *vcpu, uint32_t esr, uint64_t value)
{
	frame_write(&vcpu->frame, ISS_RT(esr), (reg_t)value);
	frame_write(&vcpu->frame, ISS_RT2(esr), (reg_t)(value >> 32));
}

/* Emulate CNTP_CVAL and CNTPCT (cntp=emulated). hyp/arch/armv8/sysreg_trap.c explains CNTPCT. */
static __attribute__((noinline)) bool emulate_64(struct vcpu *vcpu, uint32_t esr)
{
	bool is_cval = (esr & ISS_REGISTER_64) == CNTP_CVAL;

	if (!is_cval && (esr & (ISS_REGISTER_64 | ISS_READ)) != (CNTPCT | ISS_READ))
		return false;
	if (esr & ISS_READ)
		write_pair(vcpu, esr, is_cval ? vcntp_read(vcpu, VCNTP_CVAL) : read_cntpct_el0());
	else
		vcntp_write(vcpu, VCNTP_CVAL,
			    frame_read(&vcpu->frame, ISS_RT(esr)) |
				    (uint64_t)frame_read(&vcpu->frame, ISS_RT2(esr)) << 32);
	return true;
}

/* Ignore writes: the bits of ACTLR configure the physical core. */
static void emulate_actlr(struct vcpu *vcpu, uint32_t esr)
{
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, ISS_RT(esr), read_actlr_el1());
}

/* Emulate only an access to ACTLR by an ARM instruction without a condition. */
bool sysreg_emulate_at_once(struct vcpu *vcpu, uint32_t esr)
{
	const uint32_t always = EC_CP15_32 << 26 | HSR_CV | COND_AL << 20;

	if ((esr & (0x3fu << 26 | HSR_CV | 0xfu << 20 | ISS_REGISTER)) != (always | ACTLR))
		return false;
	emulate_actlr(vcpu, esr);
	return true;
}

bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr)
{
	if (!trap_condition_passed(esr))
		return true;
	if (ESR_EC(esr) != EC_CP15_32)
		return ESR_EC(esr) == EC_CP15_64 && emulate_64(vcpu, esr);
	switch (esr & ISS_REGISTER) {
	case ACTLR:
		emulate_actlr(vcpu, esr);
		return true;
	case CNTP_CTL:
		return cntp_32(vcpu, VCNTP_CTL, esr);
	case CNTP_TVAL:
		return cntp_32(vcpu, VCNTP_TVAL, esr);
	default:
		return false;
	}
}

static bool debug_32(struct vcpu *vcpu, uint32_t esr)
{
	if (ISS_OPC1(esr) != 0) /* trace registers */
		return false;
	if (esr & ISS_READ)
		frame_write(&vcpu->frame, ISS_RT(esr),
			    (esr & ISS_REGISTER) == DBGDIDR ? read_dbgdidr() : 0);
	return true;
}

/* The 64-bit registers are DBGDRAR and DBGDSAR, both read-only. */
bool debug_emulate(struct vcpu *vcpu, uint32_t esr)
{
	bool is_64 = ESR_EC(esr) == EC_CP14_64 && esr & ISS_READ;

	if (ESR_EC(esr) != EC_CP14_32 && !is_64)
		return false;
	if (!trap_condition_passed(esr))
		return true;
	if (!is_64)
		return debug_32(vcpu, esr);
	write_pair(vcpu, esr, 0);
	return true;
}
