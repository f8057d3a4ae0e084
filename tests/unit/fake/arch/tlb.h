/* SPDX-License-Identifier: Apache-2.0 */
/* TLB maintenance of the fake TLB, see fake.h. */
#pragma once

#include "arch/barrier.h"
#include "arch/types.h"

void tlbi_el2_all(void);
void tlbi_all_guests(void);
void tlbi_guest_vmid(void);
void tlbi_guest_ipa(ipa_t ipa);
void tlbi_core_el2(void);
void tlbi_core_guests(void);
void tlbi_core_guest_vmid(void);
