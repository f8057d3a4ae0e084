/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Power State Coordination Interface, version 1.1 (DEN0022), and the functions of the SMC
 * Calling Convention (DEN0028), for every guest by HVC and SMC. The hypervisor calls no firmware.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* vcpu->power. Another core changes OFF to CLAIMED and STARTING, the vCPU's core does the rest
 * (hyp/vm/vm_cores.c). An OFF vCPU has been reset. */
enum vcpu_power {
	VCPU_OFF,
	VCPU_CLAIMED,  /* another core writes entry and context */
	VCPU_STARTING, /* its core must start it */
	VCPU_ON,
};

enum psci_result {
	PSCI_SUCCESS = 0,
	PSCI_NOT_SUPPORTED = -1,
	PSCI_INVALID_PARAMETERS = -2,
	PSCI_DENIED = -3,
	PSCI_ALREADY_ON = -4,
	PSCI_ON_PENDING = -5,
	PSCI_INVALID_ADDRESS = -9,
};

/* Run the function whose id is in x0 or r0; the trapped instruction has been skipped. Returns the
 * vCPU to resume; NULL: the vCPU is off, or the VM has ended. */
struct vcpu *psci(struct vcpu *vcpu);
