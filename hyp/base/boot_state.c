/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/base/boot_state.h"

#include "lib/bits.h"

struct boot_state boot_state;

const char *entry_word(uint64_t level)
{
	static const char *const word[] = {
		[ENTRY_ABSENT] = "absent",
		[ENTRY_EL1] = "el1",
		[ENTRY_EL2] = "el2",
		[ENTRY_EL3] = "el3",
		[ENTRY_SECURE_SVC] = "secure-svc",
	};

	return level < ARRAY_SIZE(word) ? word[level] : "unknown";
}
