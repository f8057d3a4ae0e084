/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Power State Coordination Interface, version 1.1 (DEN0022), and the functions of the SMC
 * Calling Convention (DEN0028), for every guest by HVC and SMC. The hypervisor calls no firmware.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

enum psci_result {
	PSCI_SUCCESS = 0,
	PSCI_NOT_SUPPORTED = -1,
	PSCI_INVALID_PARAMETERS = -2,
	PSCI_DENIED = -3,
	PSCI_ALREADY_ON = -4,
	PSCI_ON_PENDING = -5,
	PSCI_INVALID_ADDRESS = -9,
};

/* Run the function whose id is in x0 or r0, after the trapped instruction was skipped. Return the
 * vCPU to resume, or NULL if the vCPU is off or the VM has ended. */
struct vcpu *psci(struct vcpu *vcpu);
