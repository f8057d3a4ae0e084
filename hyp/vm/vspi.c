/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vspi.h"

#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "lib/compiler.h"

#define MOVES_MAX 4u /* in one exit: as many as a word of ITARGETSR makes */

void vspi_lock(struct vm *vm)
{
	if (vm->vcpu_count > 1)
		smp_lock(&vm->dist.spi.lock);
}

void vspi_unlock(struct vm *vm)
{
	if (vm->vcpu_count > 1)
		smp_unlock(&vm->dist.spi.lock);
}

/* --- homes --- */

struct vcpu *vspi_home(const struct vm *vm, unsigned intid)
{
	for (unsigned i = 1; i < vm->vcpu_count; i++)
		if (bit_test(vm->dist.spi.homed[i], intid))
			return vm->vcpu[i];
	return vm->vcpu[0];
}

uint32_t vspi_homed(const struct vm *vm, unsigned index, unsigned word)
{
	uint32_t elsewhere = 0;

	if (index)
		return vm->dist.spi.homed[index][word];
	for (unsigned i = 1; i < vm->vcpu_count; i++)
		elsewhere |= vm->dist.spi.homed[i][word];
	return ~elsewhere;
}

/* --- moving: each step on the core of the vCPU whose virtual GIC it is --- */

struct move {
	unsigned intid;
	unsigned from; /* a vCPU's index */
	bool was_leaving;
	bool active; /* it cannot go yet */
	struct virq state;
};

/* Disabling it takes it out of a list register, and gives a physical one back to the physical
 * distributor, where it stays pending. */
static void take(struct vcpu *vcpu, void *argument)
{
	struct vgic *vgic = &vcpu->vgic;
	struct move *move = argument;
	struct virq *virq = &vgic->virq[move->intid];
	bool enabled = virq->enabled;

	vgic_catch_up(vgic);
	move->active = vgic_is_active(vgic, virq);
	if (move->active != move->was_leaving)
		vgic_expect_end(vgic, virq, move->active);
	if (move->active)
		return;
	__atomic_store_n(&vcpu->vm->dist.spi.in_transit, move->intid, __ATOMIC_SEQ_CST);
	vgic_set_enabled(vgic, virq, false);
	move->state = *virq;
	move->state.enabled = enabled;
	vgic->route[move->intid] = NULL;
	bit_clear(vgic->forwarded, move->intid);
	*virq = (struct virq){ .intid = virq->intid, .fast_lr = VIRQ_LR_NONE };
}

/* One that is in transit looks at its line when it arrives. */
static void follow_line(struct vcpu *vcpu, void *argument)
{
	unsigned intid = *(const unsigned *)argument;
	struct vspi *spi = &vcpu->vm->dist.spi;

	if (__atomic_load_n(&spi->in_transit, __ATOMIC_SEQ_CST) != intid &&
	    vspi_home(vcpu->vm, intid) == vcpu)
		vgic_set_level(&vcpu->vgic, &vcpu->vgic.virq[intid], bit_test(spi->lines, intid));
}

static void give(struct vcpu *vcpu, void *argument)
{
	struct vgic *vgic = &vcpu->vgic;
	struct vspi *spi = &vcpu->vm->dist.spi;
	struct move *move = argument;
	struct virq *virq = &vgic->virq[move->intid];

	*virq = move->state;
	virq->enabled = false;
	if (virq->physical) {
		gic_route_spi_here(move->intid);
		vgic_forward(vgic, move->intid);
	}
	vgic_set_priority(vgic, virq, virq->priority);
	vgic_set_enabled(vgic, virq, move->state.enabled);
	bit_clear(spi->homed[move->from], move->intid);
	bit_set(spi->homed[vcpu->index], move->intid);
	__atomic_store_n(&spi->in_transit, 0, __ATOMIC_SEQ_CST);
	if (!virq->physical)
		follow_line(vcpu, &move->intid);
}

static void move_home(struct vm *vm, unsigned intid)
{
	struct vspi *spi = &vm->dist.spi;
	struct vcpu *home = vspi_home(vm, intid);
	unsigned target = spi->target[intid];
	struct move move = { .intid = intid,
			     .from = home->index,
			     .was_leaving = bit_test(spi->leaving, intid) };

	smp_call(home, take, &move);
	if (move.active) {
		bit_set(spi->leaving, intid);
		return;
	}
	bit_clear(spi->leaving, intid);
	smp_call(vm->vcpu[target], give, &move);
}

/* Its target is its home again. */
static void stay(struct vcpu *vcpu, void *argument)
{
	const struct move *move = argument;

	vgic_expect_end(&vcpu->vgic, &vcpu->vgic.virq[move->intid], false);
}

static void settle_home(struct vm *vm, unsigned intid)
{
	struct vspi *spi = &vm->dist.spi;
	struct vcpu *home = vspi_home(vm, intid);

	if (home->index != spi->target[intid]) {
		move_home(vm, intid);
	} else if (bit_test(spi->leaving, intid)) {
		smp_call(home, stay, &(struct move){ .intid = intid });
		bit_clear(spi->leaving, intid);
	}
}

/* --- targets --- */

struct enable {
	unsigned intid;
	bool on;
};

static void set_enabled(struct vcpu *vcpu, void *argument)
{
	const struct enable *enable = argument;

	vgic_set_enabled(&vcpu->vgic, &vcpu->vgic.virq[enable->intid], enable->on);
}

/* Enabled for its home where the guest has it so, and somebody is its target. */
static void apply_enable(struct vm *vm, unsigned intid)
{
	const struct vgicd *dist = &vm->dist;
	struct enable enable = { intid, bit_test(dist->shared[VGICD_ENABLED], intid) &&
						!bit_test(dist->spi.unrouted, intid) };

	smp_call(vspi_home(vm, intid), set_enabled, &enable);
}

void vspi_set_target(struct vm *vm, unsigned intid, unsigned target)
{
	struct vspi *spi = &vm->dist.spi;
	bool was_unrouted = bit_test(spi->unrouted, intid);

	if (target == VSPI_NOBODY) {
		bit_set(spi->unrouted, intid);
	} else {
		bit_clear(spi->unrouted, intid);
		spi->target[intid] = (uint8_t)target;
		settle_home(vm, intid);
	}
	if (was_unrouted != bit_test(spi->unrouted, intid))
		apply_enable(vm, intid);
}

/* Those that are active stay. */
static void settle_word(struct vcpu *vcpu, unsigned word, unsigned *moves)
{
	const struct vspi *spi = &vcpu->vm->dist.spi;
	uint32_t bits = spi->leaving[word] & vspi_homed(vcpu->vm, vcpu->index, word);

	for (; bits && *moves < MOVES_MAX; bits &= bits - 1) {
		unsigned intid = word * 32 + bit_lowest(bits);

		if (!vgic_is_active(&vcpu->vgic, &vcpu->vgic.virq[intid])) {
			settle_home(vcpu->vm, intid);
			++*moves;
		}
	}
}

__cold void vspi_settle(struct vcpu *vcpu)
{
	unsigned moves = 0;

	vcpu->vgic.ended = false;
	vspi_lock(vcpu->vm);
	vgic_catch_up(&vcpu->vgic);
	for (unsigned word = 1; word < VIRQ_WORDS; word++)
		settle_word(vcpu, word, &moves);
	vspi_unlock(vcpu->vm);
	if (moves == MOVES_MAX)
		vgic_ended(&vcpu->vgic);
}

/* --- what comes in --- */

struct arrival {
	unsigned intid;
	bool known;
};

static void arrive(struct vcpu *vcpu, void *argument)
{
	struct arrival *arrival = argument;
	struct virq *virq = vcpu->vgic.route[arrival->intid];

	arrival->known = virq != NULL;
	if (virq)
		vgic_inject_physical(&vcpu->vgic, virq);
}

bool vspi_arrived(struct vcpu *vcpu, unsigned intid)
{
	struct arrival arrival = { .intid = intid };
	struct vm *vm = vcpu->vm;

	if (vm->vcpu_count == 1 || intid < GIC_PRIVATE_COUNT || intid >= VIRQ_COUNT)
		return false;
	vspi_lock(vm);
	smp_call(vspi_home(vm, intid), arrive, &arrival);
	vspi_unlock(vm);
	return arrival.known;
}

void vspi_set_level(struct vm *vm, unsigned intid, bool level)
{
	uint32_t *word = &vm->dist.spi.lines[intid / 32];

	if (level)
		__atomic_fetch_or(word, BIT(intid % 32), __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(word, ~BIT(intid % 32), __ATOMIC_SEQ_CST);
	smp_call(vspi_home(vm, intid), follow_line, &intid);
}
