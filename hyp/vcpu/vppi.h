/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical PPIs of a core are one vCPU's at a time: enabled, at the priority and active as its
 * virtual GIC has it. Another vCPU of the core that has PPIs, too, gets them when it is loaded; a
 * vCPU without PPIs leaves them where they are.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* The physical PPIs are those of `vcpu`, which is loaded. */
void vppi_load(struct vcpu *vcpu);

/* The same where nothing has to be written: both vCPUs have their PPIs alike, and none active. Else
 * false. */
bool vppi_load_alike(struct vcpu *vcpu);

/* The physical PPIs have no owner: disabled, neither pending by software nor active. */
void vppi_put(void);

/* The owner of the physical PPI `intid`; NULL: none. */
struct vcpu *vppi_owner(unsigned intid);

/* Whether PPI `intid` of `vcpu`, loaded or not, is active; make it active. */
bool vppi_is_active(const struct vcpu *vcpu, unsigned intid);
void vppi_set_active(struct vcpu *vcpu, unsigned intid);
