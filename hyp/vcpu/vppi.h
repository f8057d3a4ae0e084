/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical PPIs of a core are one vCPU's at a time: enabled, at the priority and active as its
 * virtual GIC has it. Another vCPU of the core that has PPIs, too, gets them when it is loaded; a
 * vCPU without PPIs leaves them where they are.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* PPIs of a vCPU: two timers and the PMU are forwarded. */
#define VPPI_MAX 3u

/* The physical PPIs are those of `vcpu`, which is loaded. */
void vppi_load(struct vcpu *vcpu);

/* The physical PPIs have no owner: disabled, neither pending by software nor active. */
void vppi_put(void);

/* The owner of the physical PPI `intid`; NULL: none. */
struct vcpu *vppi_owner(unsigned intid);

/* Whether PPI `intid` of `vcpu`, which is not loaded, is active; make it active. */
bool vppi_is_active(const struct vcpu *vcpu, unsigned intid);
void vppi_set_active(struct vcpu *vcpu, unsigned intid);
