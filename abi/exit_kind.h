/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons for an exit to EL2. A new kind is one line here; statistics, trace and report follow from
 * it.
 */
#pragma once

/* X(NAME, "name") */
#define EXIT_KINDS(X)                                                                              \
	X(IRQ, "irq")                   /* a physical interrupt for the guest */                   \
	X(MAINTENANCE, "maintenance")   /* the GIC's maintenance interrupt */                      \
	X(HYP_TIMER, "hyp-timer")       /* the hypervisor's own timer */                           \
	X(KICK, "kick")                 /* a request from another core */                          \
	X(HVC, "hvc")                   /* a hypercall, or PSCI by HVC */                          \
	X(SMC, "smc")                   /* an SMC, which EL2 answers in place of the firmware */   \
	X(MMIO_READ, "mmio-read")       /* a load from an emulated device */                       \
	X(MMIO_WRITE, "mmio-write")     /* a store to an emulated device */                        \
	X(SYSREG, "sysreg")             /* a trapped access to a system register */                \
	X(WFI, "wfi")                   /* wfi=trapped: the guest waits */                         \
	X(STAGE2_MAP, "stage2-map")     /* fill=lazy: the first access, which EL2 maps */          \
	X(FP, "fp")                     /* fp=lazy: the first use of FP or SIMD registers */       \
	X(STAGE2_FAULT, "stage2-fault") /* an access without a device and a mapping */             \
	X(OTHER, "other")               /* any other exception class */

#define EXIT_KIND(NAME, text) EXIT_##NAME,
enum exit_kind { EXIT_KINDS(EXIT_KIND) EXIT_KIND_COUNT };

/* The reasons for which EL2 stops a guest: the member "reason" of a fault record. */
#define FAULT_REASONS(X)                                                                           \
	X(DATA_ABORT, "data-abort")             /* a data access to no mapping, at ipa and va */   \
	X(PREFETCH_ABORT, "prefetch-abort")     /* a fetch without a mapping */                    \
	X(MMIO_SYNDROME, "mmio-syndrome")       /* an emulated device, without a valid syndrome */ \
	X(MMIO_THUMB_STORE, "mmio-thumb-store") /* mmio-syndrome, by this core's erratum 766422 */ \
	X(UNHANDLED_TRAP, "unhandled-trap")     /* an exception class without a handler */         \
	X(SERROR, "serror")                     /* an asynchronous external abort */               \
	X(TIME_LIMIT, "time-limit")             /* the step exceeded limit_ms */                   \
	X(GUEST_CRASH, "guest-crash")           /* the guest kernel gave up: GUEST_EXIT_CRASHED */ \
	X(BAD_EXIT, "bad-exit")                 /* HC_EXIT with an unknown status */

#define FAULT_REASON(NAME, text) FAULT_##NAME,
enum fault_reason { FAULT_REASONS(FAULT_REASON) FAULT_REASON_COUNT };
