/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/guest_record.h"

#include "abi/hypercall.h"
#include "hyp/base/record.h"

#define CHECK_PIECE 128u /* bytes of a body that a call checks */
_Static_assert(PAGE_SIZE % CHECK_PIECE == 0 && PAGE_SIZE % RECORD_PIECE == 0 &&
		       GUEST_RECORD_OFFSET % PAGE_SIZE == 0,
	       "a piece lies in one page");
_Static_assert(GUEST_RECORD_SIZE < 1u << 24, "struct vcpu_record has 24 bits for a size");

/* Records that wait, in the order in which they were complete: a ring. */
struct waiting {
	struct vcpu *vcpu;
	struct vm_report *report; /* NULL: the vCPU's own record */
};

#define RING 64u
_Static_assert((VCPU_MAX + 2) * VM_MAX <= RING && (RING & (RING - 1)) == 0, "room for all");
static struct waiting ring[RING];
static unsigned first_waiting, waiting_count;

static const char *body_at(const struct vcpu *vcpu, size_t offset)
{
	const struct guest_ram *ram = &vcpu->vm->machine->ram;

	return (const char *)(uintptr_t)ram_pa(ram, ram->base + GUEST_RECORD_OFFSET + offset);
}

static const char *text_of(const struct waiting *first, size_t offset)
{
	return first->report ? &first->report->text[offset] : body_at(first->vcpu, offset);
}

static struct vcpu_record *record_of(const struct waiting *first)
{
	return first->report ? &first->report->record : &first->vcpu->record;
}

static size_t next_piece(const struct vcpu_record *record, size_t most)
{
	size_t left = record->size - record->done;

	return left < most ? left : most;
}

/* --- the queue --- */

static struct waiting *waiting(unsigned i)
{
	return &ring[(first_waiting + i) % RING];
}

static void enqueue(struct vcpu *vcpu, struct vm_report *report)
{
	*waiting(waiting_count++) = (struct waiting){ .vcpu = vcpu, .report = report };
}

static void dequeue_first(void)
{
	first_waiting++;
	waiting_count--;
}

static void print_body(const volatile char *body, size_t size)
{
	char piece[RECORD_PIECE];

	/* bound: RECORD_PIECE */
	for (size_t i = 0; i < size; i++) {
		char byte = body[i];

		piece[i] = byte < ' ' || byte > '~' ? '?' : byte;
	}
	record_piece(piece, size);
}

bool guest_record_print(void)
{
	const struct waiting *first = waiting(0);
	struct vcpu_record *record;
	size_t size;

	if (!waiting_count)
		return false;
	record = record_of(first);
	if (!record_in_pieces())
		record->done = 0;
	if (record_head_piece(record->kind, first->vcpu->vm->name, first->vcpu->index))
		return true;
	size = next_piece(record, RECORD_PIECE);
	if (size) {
		print_body(text_of(first, record->done), size);
		record->done += size & 0xffffff;
		return true;
	}
	record_end_pieces();
	record->state = VCPU_RECORD_PRINTED;
	dequeue_first();
	return true;
}

void guest_record_finish(void)
{
	while (guest_record_print())
		;
}

static bool is_own_record_of(const struct vm *vm, const struct waiting *entry)
{
	return !entry->report && entry->vcpu->vm == vm;
}

/* Reports about the VM stay in the queue. */
void guest_record_forget(const struct vm *vm)
{
	unsigned kept = 0;

	if (waiting_count && is_own_record_of(vm, waiting(0)))
		record_cut();
	/* bound: RING */
	for (unsigned i = 0; i < waiting_count; i++)
		if (!is_own_record_of(vm, waiting(i)))
			*waiting(kept++) = *waiting(i);
	waiting_count = kept;
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->record.state = VCPU_RECORD_NONE;
}

bool guest_record_report(struct vm_report *report)
{
	struct vcpu_record *record = &report->record;
	bool printed;

	if (!record_try_lock())
		return false;
	if (record->state == VCPU_RECORD_NONE) {
		record->state = VCPU_RECORD_QUEUED;
		enqueue(report->vcpu, report);
	} else {
		guest_record_print();
	}
	printed = record->state == VCPU_RECORD_PRINTED;
	record_unlock();
	return printed;
}

/* --- a call --- */

static bool begin(struct vcpu_record *record, reg_t kind, reg_t size)
{
	if (size == 0 || size > GUEST_RECORD_SIZE || kind >= RECORD_KIND_COUNT ||
	    !record_may_guest((unsigned)kind))
		return false;
	*record = (struct vcpu_record){
		.size = size & 0xffffff,
		.kind = kind & 0xff,
		.state = VCPU_RECORD_CHECKED,
	};
	return true;
}

/* Check a piece of the body: printable ASCII that begins with a '"'. */
static bool check(struct vcpu *vcpu)
{
	struct vcpu_record *record = &vcpu->record;
	size_t size = next_piece(record, CHECK_PIECE);
	const char *body = body_at(vcpu, record->done);

	/* argument: CHECK_PIECE */
	if (!record_is_text(body, size) || (record->done == 0 && body[0] != '"'))
		return false;
	record->done += size & 0xffffff;
	if (record->done == record->size) {
		record->state = VCPU_RECORD_QUEUED;
		enqueue(vcpu, NULL);
	}
	return true;
}

static long finish(struct vcpu_record *record)
{
	record->state = VCPU_RECORD_NONE;
	return HC_OK;
}

/* A vCPU learns that its record is printed if it repeats the call. A call with other arguments
 * begins another record. */
static long send(struct vcpu *vcpu, reg_t kind, reg_t size)
{
	struct vcpu_record *record = &vcpu->record;
	bool same = record->kind == kind && record->size == size;

	if (record->state == VCPU_RECORD_QUEUED) {
		guest_record_print();
		return record->state == VCPU_RECORD_PRINTED && same ? finish(record) : HC_AGAIN;
	}
	if (record->state == VCPU_RECORD_PRINTED && same)
		return finish(record);
	if ((record->state != VCPU_RECORD_CHECKED || !same) && !begin(record, kind, size))
		return HC_EINVAL;
	if (check(vcpu))
		return HC_AGAIN;
	record->state = VCPU_RECORD_NONE;
	return HC_EINVAL;
}

long guest_record_send(struct vcpu *vcpu, reg_t kind, reg_t size)
{
	long result;

	if (!record_try_lock())
		return HC_AGAIN;
	result = send(vcpu, kind, size);
	record_unlock();
	return result;
}
