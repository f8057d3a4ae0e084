/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core's part in the life of its vCPUs. Each function runs on the core itself, with no vCPU
 * loaded: called there by life.c through smp_call(), or by the core's loop (hyp/run/core_loop.c).
 */
#pragma once

#include "abi/probe.h"
#include "arch/probe.h"
#include "hyp/vm/vm.h"

/* A stamp of abi/probe.h: a name there, and a value of CNTPCT. */
#define STAMP(name, ticks) probe_write(offsetof(struct probe_stamps, name), ticks)

/* The core begins anew under `config`, a struct run_config: no vCPU, GIC and FP registers as at
 * reset. */
void vm_core_reset(void *config);

/* `vcpu` is this core's, off and as at reset; is no longer, whatever its state. */
void vm_core_attach(void *vcpu);
void vm_core_detach(void *vcpu);

/* `vcpu` is scheduled, unless it is off or vm->paused. */
void vm_core_follow(void *vcpu);

/* In an exit: `vm` is paused, and its partner is not. No core waits for another: vCPUs of other
 * cores follow. False: the VM has no partner that runs. */
bool vm_fail_over(struct vm *vm);

/* The same because `vcpu`, which is loaded, faults; the fault is in vm->faults. The caller skips
 * the instruction. */
bool vm_fault_fails_over(struct vcpu *vcpu, enum fault_reason reason, ipa_t ipa);

/* The same, by vm->heartbeat. */
void vm_heartbeat_is_late(struct timer *heartbeat);

/* `vcpu`, which is loaded, has turned itself off: nothing of it is signalled any more. */
void vm_core_off(struct vcpu *vcpu);

/* The vCPU of this core, off ones too, that has the physical interrupt `intid`; NULL: none. */
struct vcpu *vm_core_owner(unsigned intid);

/* The vCPU of this core whose VM has a network device with the kick `kick`; NULL: none. */
struct vcpu *vm_core_kicked(unsigned kick);

/* Start or stop this core's vCPUs as other cores asked: a stop is the end of the VM. */
void vm_core_process(void);
