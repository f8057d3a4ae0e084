/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical PPIs of a core belong to one vCPU at a time, with the enables, priorities and active
 * states of its virtual GIC. Another vCPU of the core with PPIs gets them when it is loaded; a vCPU
 * without PPIs leaves them unchanged.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* PPIs of a vCPU: two timers and the PMU are forwarded. */
#define VPPI_MAX 3u

/* Give the physical PPIs to `vcpu`, which is loaded. */
void vppi_load(struct vcpu *vcpu);

/* Take the physical PPIs from their owner: disabled, not pending by software, not active. */
void vppi_put(void);

/* Return the owner of the physical PPI `intid`, or NULL. */
struct vcpu *vppi_owner(unsigned intid);

/* Return whether PPI `intid` of `vcpu`, which is not loaded, is active; make it active. */
bool vppi_is_active(const struct vcpu *vcpu, unsigned intid);
void vppi_set_active(struct vcpu *vcpu, unsigned intid);

/* Return whether the vCPU has PPI `intid` and its guest has enabled the PPI. */
bool vppi_is_enabled(const struct vcpu *vcpu, unsigned intid);
