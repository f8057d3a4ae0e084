/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two banks of NOR flash of QEMU's virt, at the bottom of a foreign guest's addresses: each two
 * 16-bit chips side by side, with Intel's command set (JEDEC JESD68.01, CFI). What the plan loads
 * there is in them, the rest is erased. They can be read and identified, and are write-protected:
 * a program or erase command ends with the status that says so.
 *
 * What is loaded is mapped for reading, so that a guest executes from it; a write comes here as a
 * fault of permission. What is erased is mapped where an access is one that no syndrome describes.
 * While a bank shows something else than its contents, nothing is mapped.
 */
#pragma once

#include "abi/virt.h"
#include "arch/types.h"

struct vcpu;
struct vm;

enum vflash_mode { VFLASH_ARRAY, VFLASH_STATUS, VFLASH_ID, VFLASH_QUERY };

struct vflash_bank {
	enum vflash_mode mode;
	uint8_t status;
	uint8_t command; /* whose second write is to come, or 0 */
	uint32_t more;   /* writes of a command that takes many */
};

struct vflash {
	struct vflash_bank bank[VIRT_FLASH_BANKS];
};

/* As at power-on. The loads are mapped. */
void vflash_reset(struct vm *vm);

/* For struct mmio_region (hyp/mmio.h). */
uint64_t vflash_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vflash_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
bool vflash_map(struct vcpu *vcpu, ipa_t ipa); /* what is erased: hyp/vm_machine.h */
