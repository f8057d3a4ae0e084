/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypercalls a guest may make: HVC #0 with the function id in x0/r0, arguments in x1-x3/r1-r3,
 * the result in x0/r0; every other register is preserved. The ids lie in the range that the SMC
 * Calling Convention (DEN0028, 6.2) reserves for a vendor-specific hypervisor service, 32-bit fast
 * calls, so that standard services (PSCI) can stand beside them.
 *
 * To add one: a line here and its function in hyp/hypercall.c.
 */
#pragma once

#define HC_BASE 0x86000000u

/* X(NAME, name): the order is the id, counted from HC_BASE. */
#define HYPERCALLS(X)                                                                              \
	X(NULL, null)     /* does nothing; the cheapest exit there is. Returns HC_OK */            \
	X(RECORD, record) /* x1 = enum record_kind, x2 = length in bytes of the body in the */     \
			  /* record buffer. Returns HC_OK or HC_EINVAL (kind, length, bytes) */    \
	X(EXIT, exit)     /* x1 = enum guest_exit. Ends this plan step; does not return */

enum hypercall_index {
#define X(NAME, name) HC_INDEX_##NAME,
	HYPERCALLS(X)
#undef X
		HC_COUNT
};

#define HC_ID(NAME) (HC_BASE + HC_INDEX_##NAME)

/* Results, in the style of the SMC Calling Convention: negative is an error. */
#define HC_OK 0
#define HC_EUNKNOWN (-1) /* no such function (SMCCC NOT_SUPPORTED); unknown ids get this too */
#define HC_EINVAL (-2)   /* an argument is out of range; nothing was done */

/* What a guest says when it ends its step. */
enum guest_exit {
	GUEST_EXIT_DONE,    /* the benchmark ran to its end, all its records are out */
	GUEST_EXIT_REFUSED, /* the measurement was refused (an `error` record says why) */
	GUEST_EXIT_FAILED,  /* it ran to its end, but a `check` of it was not ok */
	GUEST_EXIT_CRASHED, /* the guest kernel took an exception it did not expect */
};
