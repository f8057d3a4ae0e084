/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the hypervisor: PSCI calls, and calls that an argument of the probe describes. */
#pragma once

#include "guest/probe/machine.h"
#include "guest/probe/windows.h"

/* Function ids (DEN 0022 5.1, DEN 0028 6). */
#define PSCI_VERSION 0x84000000u
#define PSCI_SYSTEM_OFF 0x84000008u
#define SMCCC_VERSION 0x80000000u

#define CALL_NAME_SIZE 32u

struct named_call {
	char name[CALL_NAME_SIZE]; /* empty if no argument describes the call */
	struct probe_call call;
};

/*
 * Read the call that the argument `prefix` names, such as "call": call=NAME call.x0=…, up to
 * call.x3, call.x16 and call.imm; each number is 0 by default. Write the immediate into every HVC
 * from `start` to `end`.
 */
void named_call_find(struct named_call *named, const struct machine *machine, const char *prefix,
		     uint32_t *start, const uint32_t *end);

/*
 * Return whether a call returned an error (DEN 0028 5.2: a negative number of 32 bits, or 64 bits).
 */
bool call_refused(reg_t answer);

/* Request a power-off from PSCI, once. If that returns, the function sleeps for ever. */
void power_off(const struct machine *machine) __attribute__((noreturn));
