/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Power State Coordination Interface, version 1.1 (DEN0022), and what the SMC Calling
 * Convention has beside it (DEN0028), as every guest has them by HVC and SMC. No firmware behind us
 * is asked.
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

/* The function whose id is in x0 or r0; the trapped instruction has been skipped. Ids that are
 * not known get NOT_SUPPORTED. Returns the vCPU to resume, NULL where it is off or the VM at its
 * end. */
struct vcpu *psci(struct vcpu *vcpu);
