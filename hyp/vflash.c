/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vflash.h"

#include "hyp/core.h"
#include "hyp/vm.h"
#include "lib/bits.h"

#define BANK_SIZE VIRT_FLASH_BANK_SIZE
#define CHIPS 2u /* in a bank, two bytes each */

/* Commands (JESD68.01 and the data sheets of Intel's StrataFlash) */
#define CMD_PROGRAM_ALT 0x10u
#define CMD_ERASE 0x20u
#define CMD_PROGRAM 0x40u
#define CMD_CLEAR_STATUS 0x50u
#define CMD_LOCK 0x60u
#define CMD_READ_STATUS 0x70u
#define CMD_READ_ID 0x90u
#define CMD_QUERY 0x98u
#define CMD_BUFFER 0xe8u
#define CMD_CONFIRM 0xd0u

#define STATUS_READY 0x80u
#define STATUS_ERASE_FAILED 0x20u
#define STATUS_PROGRAM_FAILED 0x10u
#define STATUS_LOCKED 0x02u

#define ID_MANUFACTURER 0x89u /* Intel */
#define ID_DEVICE 0x18u
#define ID_BLOCK_LOCKED 0x01u

/* What the query shows of one chip, from 0x10 on. */
#define QUERY_FIRST 0x10u
#define SIZE_LOG2 25 /* of a chip: half of the bank */
#define BLOCKS_MINUS_1 255
#define BLOCK_256 512 /* bytes of a block, in 256 */

_Static_assert(CHIPS << SIZE_LOG2 == BANK_SIZE, "the chips make the bank");
_Static_assert((BLOCKS_MINUS_1 + 1) * BLOCK_256 * 256 == 1 << SIZE_LOG2, "and blocks a chip");

static const uint8_t query[] = {
	'Q',
	'R',
	'Y',
	0x01,
	0x00,
	0x31,
	0x00, /* Intel's extended command set, described at 0x31 */
	0x00,
	0x00,
	0x00,
	0x00, /* and no other */
	0x45,
	0x55,
	0x00,
	0x00, /* volts, not that they matter */
	0x07,
	0x07,
	0x0a,
	0x00, /* log2 of typical times: word, buffer, block; */
	0x04,
	0x04,
	0x04,
	0x00, /* and of what the longest ones are more */
	SIZE_LOG2,
	0x02,
	0x00, /* x8 and x16 */
	0x05,
	0x00, /* log2 of a buffered write */
	0x01, /* all blocks alike: */
	BLOCKS_MINUS_1 & 0xff,
	BLOCKS_MINUS_1 >> 8,
	BLOCK_256 & 0xff,
	BLOCK_256 >> 8,
	'P',
	'R',
	'I',
	'1',
	'0', /* no optional features */
};

/* --- reading --- */

/* At the `index`-th word, what one chip gives. */
static uint32_t chip_reads(const struct vflash_bank *bank, uint32_t index)
{
	switch (bank->mode) {
	case VFLASH_STATUS:
		return bank->status;
	case VFLASH_QUERY:
		index &= 0xff;
		return index - QUERY_FIRST < sizeof(query) ? query[index - QUERY_FIRST] : 0;
	case VFLASH_ID: /* of a block: manufacturer, device, whether it is locked */
		index &= 0xff;
		return index == 0 ? ID_MANUFACTURER : index == 1 ? ID_DEVICE : ID_BLOCK_LOCKED;
	default: /* erased */
		return 0xffff;
	}
}

static uint32_t word_at(const struct vflash *flash, uint32_t offset)
{
	const struct vflash_bank *bank = &flash->bank[offset / BANK_SIZE];
	uint32_t chip = chip_reads(bank, offset % BANK_SIZE / 4);

	return chip | chip << 16;
}

static uint64_t read_here(const struct vflash *flash, uint32_t offset)
{
	uint32_t first = offset & ~3u;
	uint32_t next = (first + 4) % (VIRT_FLASH_BANKS * BANK_SIZE);

	return ((uint64_t)word_at(flash, next) << 32 | word_at(flash, first)) >> 8 * (offset & 3);
}

/* --- writing --- */

static void fail(struct vflash_bank *bank, uint8_t why)
{
	bank->status |= why | STATUS_LOCKED;
	bank->command = 0;
}

/* The second write of a command, and more of a buffered one: how many, then so many words. */
static void continue_command(struct vflash_bank *bank, uint32_t value)
{
	switch (bank->command) {
	case CMD_ERASE:
		fail(bank, STATUS_ERASE_FAILED);
		break;
	case CMD_PROGRAM:
		fail(bank, STATUS_PROGRAM_FAILED);
		break;
	case CMD_BUFFER:
		if (!bank->more)
			bank->more = (value & 0xffff) + 2; /* words minus 1; and the last write */
		else if (!--bank->more)
			fail(bank, STATUS_PROGRAM_FAILED);
		break;
	default: /* CMD_LOCK: what is locked stays so */
		bank->command = 0;
		break;
	}
}

static void begin_command(struct vflash_bank *bank, uint8_t command)
{
	bank->more = 0;
	bank->mode = VFLASH_STATUS;
	switch (command) {
	case CMD_ERASE:
	case CMD_PROGRAM:
	case CMD_BUFFER:
	case CMD_LOCK:
		bank->command = command;
		break;
	case CMD_PROGRAM_ALT:
		bank->command = CMD_PROGRAM;
		break;
	case CMD_CLEAR_STATUS:
		bank->status = STATUS_READY;
		break;
	case CMD_READ_STATUS:
	case CMD_CONFIRM:
		break;
	case CMD_READ_ID:
		bank->mode = VFLASH_ID;
		break;
	case CMD_QUERY:
		bank->mode = VFLASH_QUERY;
		break;
	default: /* 0xff, and 0xf0 of others' sets: to the contents */
		bank->mode = VFLASH_ARRAY;
		break;
	}
}

/* --- what is mapped while a bank shows its contents --- */

static const uint8_t erased[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE))) = {
	[0 ... PAGE_SIZE - 1] = 0xff,
};

struct page {
	uint32_t offset;
	bool mapped;
};

static void map_erased(struct vcpu *vcpu, void *argument)
{
	struct page *page = argument;
	struct vm *vm = vcpu->vm;

	if (vm->flash.bank[page->offset / BANK_SIZE].mode == VFLASH_ARRAY)
		page->mapped = vm_map(vm, VIRT_FLASH + page->offset, (uintptr_t)erased, PAGE_SIZE,
				      STAGE2_CODE);
}

bool vflash_map(struct vcpu *vcpu, ipa_t ipa)
{
	struct page page = { .offset = (uint32_t)align_down(ipa - VIRT_FLASH, PAGE_SIZE) };

	if (page.offset >= VIRT_FLASH_BANKS * BANK_SIZE)
		return false;
	core_call(vcpu->vm->vcpu[0], map_erased, &page);
	return page.mapped;
}

/* --- an access: on one core, as the commands of one part come one after the other --- */

struct access {
	uint32_t offset;
	uint64_t value;
};

static void do_read(struct vcpu *vcpu, void *argument)
{
	struct access *access = argument;

	access->value = read_here(&vcpu->vm->flash, access->offset);
}

static void forget_translations(struct vcpu *vcpu, void *argument)
{
	(void)argument;
	stage2_tlbi_vmid(&vcpu->vm->stage2);
}

/* Where maintenance reaches no other core (Cortex-A15 erratum 798181), each does its own, before
 * the write that hid the contents is done. */
static void hidden_everywhere(struct vm *vm)
{
	for (unsigned i = 1; vm->stage2.this_core && i < vm->vcpu_count; i++)
		core_call(vm->vcpu[i], forget_translations, NULL);
}

static void do_write(struct vcpu *vcpu, void *argument)
{
	const struct access *access = argument;
	struct vflash_bank *bank = &vcpu->vm->flash.bank[access->offset / BANK_SIZE];
	bool was_array = bank->mode == VFLASH_ARRAY;

	if (bank->command)
		continue_command(bank, (uint32_t)access->value);
	else
		begin_command(bank, (uint8_t)access->value);
	if (was_array == (bank->mode == VFLASH_ARRAY))
		return;
	vm_show_loads(vcpu->vm, align_down(access->offset, BANK_SIZE), BANK_SIZE, !was_array);
	if (was_array)
		hidden_everywhere(vcpu->vm);
}

uint64_t vflash_read(struct vcpu *vcpu, uint32_t offset, unsigned size)
{
	struct access access = { .offset = offset };

	(void)size;
	core_call(vcpu->vm->vcpu[0], do_read, &access);
	return access.value;
}

void vflash_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value)
{
	struct access access = { .offset = offset, .value = value };

	(void)size;
	core_call(vcpu->vm->vcpu[0], do_write, &access);
}

void vflash_reset(struct vm *vm)
{
	for (unsigned i = 0; i < VIRT_FLASH_BANKS; i++) {
		struct vflash_bank *bank = &vm->flash.bank[i];

		if (bank->mode != VFLASH_ARRAY)
			vm_show_loads(vm, i * BANK_SIZE, BANK_SIZE, true);
		*bank = (struct vflash_bank){ .status = STATUS_READY };
	}
}
