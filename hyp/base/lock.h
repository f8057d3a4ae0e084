/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket lock between cores. A holder must never wait for another core. The lock needs caches on,
 * for exclusive accesses. */
#pragma once

#include "arch/barrier.h"
#include "arch/types.h"

struct lock {
	uint32_t next; /* next free ticket */
	uint32_t now;  /* ticket of the holder */
};

static inline void lock_take(struct lock *lock)
{
	uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	/* wait: lock */
	while (__atomic_load_n(&lock->now, __ATOMIC_ACQUIRE) != ticket)
		wfe();
}

/* Take the lock if it is free. Return whether this core has it. */
static inline bool lock_try(struct lock *lock)
{
	uint32_t ticket = __atomic_load_n(&lock->now, __ATOMIC_RELAXED);

	return __atomic_compare_exchange_n(&lock->next, &ticket, ticket + 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_release(struct lock *lock)
{
	__atomic_store_n(&lock->now, lock->now + 1, __ATOMIC_RELEASE);
	dsb_ish();
	sev();
}
