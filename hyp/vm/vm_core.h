/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core's part in the life of its vCPUs. Each function runs on the core itself with no vCPU
 * loaded, called by life.c through smp_call() or by the core's loop (hyp/run/core_loop.c).
 */
#pragma once

#include "abi/probe.h"
#include "arch/probe.h"
#include "hyp/vm/vm.h"

/* Write a stamp of abi/probe.h: its name there, and a value of CNTPCT. */
#define STAMP(name, ticks) probe_write(offsetof(struct probe_stamps, name), ticks)

/* Reset the core under `config`, a struct run_config: no vCPU; GIC and FP registers as at reset. */
void vm_core_reset(void *config);

/* Attach `vcpu` to this core, powered off and reset. Detach it, in any state. */
void vm_core_attach(void *vcpu);
void vm_core_detach(void *vcpu);

/* Schedule `vcpu`, unless it is off or vm->paused. */
void vm_core_follow(void *vcpu);

/* Called in an exit: pause `vm` and resume its partner. No core waits for another: vCPUs of other
 * cores follow. Return false if the VM has no running partner. */
bool vm_fail_over(struct vm *vm);

/* Fail over because `vcpu`, which is loaded, faults; vm->faults has the fault. The caller skips the
 * instruction. */
bool vm_fault_fails_over(struct vcpu *vcpu, enum fault_reason reason, ipa_t ipa);

/* Fail over when vm->heartbeat expires. */
void vm_heartbeat_is_late(struct timer *heartbeat);

/* `vcpu`, which is loaded, has turned itself off: none of its interrupts is signalled any more. */
void vm_core_off(struct vcpu *vcpu);

/* Return the vCPU of this core, on or off, that has the physical interrupt `intid`, or NULL. */
struct vcpu *vm_core_owner(unsigned intid);

/* Return the vCPU of this core whose VM has a network device with the kick `kick`, or NULL. */
struct vcpu *vm_core_kicked(unsigned kick);

/* Start or stop this core's vCPUs as other cores requested. A stop is the end of the VM. */
void vm_core_process(void);
