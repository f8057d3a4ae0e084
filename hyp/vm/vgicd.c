/* SPDX-License-Identifier: Apache-2.0 */
/* Register names and layouts: IHI 0048B chapter 4, IHI 0069 chapter 12. */
#include "hyp/vm/vgicd.h"

#include <string.h>

#include "lib/compiler.h"

#define BANK(offset) ((offset) >> 7) /* registers from IGROUPR on lie in banks of 128 bytes */
#define SGIS 0xffffu                 /* SGIs in the first word of a bank */

unsigned vgicd_bank_first(uint32_t offset)
{
	if (offset < GICD_IPRIORITYR)
		return (offset & 0x7fu) * 8;
	if (offset < GICD_ITARGETSR)
		return offset & 0x3ffu;
	return offset < GICD_ICFGR ? VIRQ_COUNT : (offset - GICD_ICFGR) * 4;
}

/* --- banks with one bit an interrupt --- */

struct access {
	uint32_t bank;
	unsigned word;
	uint32_t value;
	uint32_t lanes;
	bool state;  /* ISPENDR to ICACTIVER */
	bool active; /* ISACTIVER, ICACTIVER */
	bool sets;   /* ISENABLER, ISPENDR, ISACTIVER */
};

/* Return the bits that a write can change. GICv2's SGIs are always enabled (IHI 0048B 4.3.6 allows
 * that), and have SPENDSGIR and CPENDSGIR instead of ISPENDR and ICPENDR. */
static uint32_t writable(const struct access *access)
{
	bool sgis = gic_version() > 2 || access->word || access->bank == BANK(GICD_IGROUPR) ||
		    access->active;

	return sgis ? access->lanes : access->lanes & ~SGIS;
}

/* Store the value that the guest reads back. Return the interrupts that the write affects: those
 * whose group or enable bit changed, or with a 1 in the other banks. */
static uint32_t store(struct vcpu *owner, const struct access *access)
{
	bool group = access->bank == BANK(GICD_IGROUPR);
	uint32_t *bits = vgicd_bits(owner, group ? VGICD_GROUP1 : VGICD_ENABLED, access->word);
	uint32_t lanes = writable(access), ones = lanes & access->value, before;

	if (access->state)
		return ones;
	if (!group)
		lanes = ones;
	if (access->bank == BANK(GICD_ICENABLER))
		ones = 0;
	/* Either this writer or the writer of GICD_CTLR sees the other write. */
	before = __atomic_fetch_or(bits, ones, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(bits, ~lanes | ones, __ATOMIC_SEQ_CST);
	return lanes & (before ^ ones);
}

/* --- changes of several interrupts of a word --- */

/* Divide the interrupts by the vCPU that has them: private interrupts belong to `owner`, and SPIs
 * to their holders. */
static void divide(const struct vcpu *owner, unsigned word, uint32_t which, uint32_t of[VCPU_MAX])
{
	const struct vgicd *dist = owner->dist;

	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < VCPU_MAX; i++) {
		uint32_t held = word ? __atomic_load_n(&dist->held[i][word], __ATOMIC_RELAXED)
				     : -(uint32_t)(i == owner->index);

		of[i] = which & held;
		which &= ~held;
	}
	/* bound: 32; total: 96: SPIs that moved meanwhile, of three words */
	for (; which; which &= which - 1)
		of[dist->holder[word * 32 + bit_lowest(which)]] |= which & -which;
}

/*
 * Clear the pending state at once, without a post: a pending state that a device sets after this
 * write stays.
 */
static void clear_physical(const struct vcpu *of, unsigned word, uint32_t which)
{
	/* bound: 32; total: 64: an interrupt has one holder, an access 64 bits */
	for (; which; which &= which - 1) {
		unsigned intid = word * 32 + bit_lowest(which);

		if (of->vgic.virq[intid].hw)
			gic_clear_pending(intid);
	}
}

/* This function is out of line, so that one place has the total of all accesses. */
__attribute__((noinline)) void vgicd_end_change(struct vgic *vgic)
{
	/* total: 1: by `spent`, and since one vCPU has the interrupt */
	vgic_end_one(vgic);
}

static void change_at_once(struct vcpu *vcpu, const struct access *access, uint32_t which)
{
	struct vgic *vgic = &vcpu->vgic;
	unsigned intid = access->word * 32 + bit_lowest(which);

	vgic->spent = vgic->wide;
	if (vgic->posted.kinds && access->state) /* the last write counts */
		vgic_fetch_posted(&vgic->posted.pair[access->active][access->word], which);
	if (access->state ? access->active : intid >= GIC_PRIVATE_COUNT) /* it may be active */
		vgic_begin(vgic);
	else
		vgic_begin_one(vgic);
	if (access->state)
		vgicd_set_state(vgic, &vgic->virq[intid], access->active, access->sets);
	else
		vgicd_reload(vcpu, intid);
	vgicd_end_change(vgic);
}

static void post_change(struct vcpu *to, const struct access *access, uint32_t which)
{
	if (access->state)
		vgic_post_state(to, access->active, access->sets, access->word, which);
	else
		vgic_post_reloads(to, access->word, which);
}

/* Post the rest of an access to the vCPU itself; the fast paths wait for it. */
static void post_own(struct vcpu *vcpu, const struct access *access, uint32_t which)
{
	vcpu->vgic.work = 1;
	post_change(vcpu, access, which);
}

/* Change one interrupt of `vcpu` itself at once, and post the others of the access. */
static void change_own(struct vcpu *vcpu, const struct access *access, uint32_t which)
{
	if (which & (which - 1) || vcpu->vgic.spent)
		post_own(vcpu, access, which);
	else
		change_at_once(vcpu, access, which);
}

static void change(struct vcpu *vcpu, struct vcpu *owner, const struct access *access,
		   uint32_t which)
{
	uint32_t of[VCPU_MAX];

	divide(owner, access->word, which, of);
	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < vcpu->dist->vcpu_count; i++) {
		struct vcpu *holder = vcpu->dist->vcpu[i];

		if (!of[i])
			continue;
		if (access->bank == BANK(GICD_ICPENDR) && (vcpu == holder || access->word))
			clear_physical(holder, access->word, of[i]);
		if (vcpu != holder)
			post_change(holder, access, of[i]);
	}
	if (of[vcpu->index])
		change_own(vcpu, access, of[vcpu->index]);
}

void vgicd_changed_some(struct vcpu *vcpu, struct vcpu *owner, unsigned word, uint32_t which)
{
	change(vcpu, owner, &(struct access){ .word = word }, which);
}

/* An access to several words changes one interrupt at once, like an access to one word. */
static void begin_words(struct vcpu *vcpu)
{
	vcpu->vgic.wide = true;
}

static void end_words(struct vcpu *vcpu)
{
	vcpu->vgic.wide = vcpu->vgic.spent = false;
}

/* --- reads of states --- */

/* The state of another vCPU's interrupts is the state that its core published last. The next read
 * returns the current state. */
static uint32_t published_state(struct vcpu *of, bool active, unsigned word, uint32_t which)
{
	vgic_post_kinds(of, VGIC_POST_PUBLISH(word));
	return __atomic_load_n(&of->vgic.published[active][word], __ATOMIC_RELAXED) & which;
}

static __cold uint32_t read_state(struct vcpu *vcpu, struct vcpu *owner, bool active, unsigned word)
{
	uint32_t of[VCPU_MAX], value;

	divide(owner, word, ~vcpu->vgic.not_read, of);
	value = vgicd_state(vcpu, active, word, of[vcpu->index]);
	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < vcpu->dist->vcpu_count; i++)
		if (i != vcpu->index && of[i])
			value |= published_state(vcpu->dist->vcpu[i], active, word, of[i]);
	return value;
}

/* --- all banks --- */

static void write_priorities(struct vcpu *vcpu, struct vcpu *owner, unsigned first, uint32_t value,
			     uint32_t lanes)
{
	uint32_t which = 0;

	/* bound: 4 */
	for (unsigned i = 0; i < 4; i++)
		if (lanes >> 8 * i & 1) {
			uint8_t *priority = vgicd_priority(owner, first + i);

			if (*priority != (uint8_t)(value >> 8 * i))
				which |= BIT(first % 32 + i);
			*priority = (uint8_t)(value >> 8 * i);
		}
	vgicd_changed_some(vcpu, owner, first / 32, which);
}

/* SGIs are always edge-triggered, and private interrupts have the trigger of their devices (IHI
 * 0048B 4.3.13 leaves this open). */
static void write_config(struct vcpu *vcpu, unsigned first, uint32_t value, uint32_t lanes)
{
	uint32_t *edges = &vcpu->dist->edges[first / 16], set, changed, which = 0;

	lanes &= first < GIC_PRIVATE_COUNT ? 0 : VGICD_EDGES;
	set = value & lanes;
	changed = lanes & (__atomic_fetch_or(edges, set, __ATOMIC_RELAXED) ^ value);
	__atomic_fetch_and(edges, ~lanes | set, __ATOMIC_RELAXED);
	/* bound: 16 */
	for (; changed; changed &= changed - 1)
		which |= BIT(first % 32 + bit_lowest(changed) / 2);
	vgicd_changed_some(vcpu, vcpu, first / 32, which);
}

uint32_t vgicd_bank_read(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset)
{
	unsigned first = vgicd_bank_first(offset), word = first / 32;

	if (first >= VIRQ_COUNT)
		return 0;
	switch (BANK(offset)) {
	case BANK(GICD_IGROUPR):
		return *vgicd_bits(owner, VGICD_GROUP1, word);
	case BANK(GICD_ISENABLER):
	case BANK(GICD_ICENABLER):
		return *vgicd_bits(owner, VGICD_ENABLED, word);
	case BANK(GICD_ISPENDR)... BANK(GICD_ICACTIVER):
		return read_state(vcpu, owner, offset >= GICD_ISACTIVER, word);
	case BANK(GICD_ICFGR):
		return vcpu->dist->edges[first / 16];
	default:
		return vgicd_four(vgicd_priority(owner, first)) & VIRQ_PRIORITY_MASK * 0x01010101u;
	}
}

void vgicd_bank_write(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset, uint32_t value,
		      uint32_t lanes)
{
	unsigned first = vgicd_bank_first(offset);
	struct access access = {
		.bank = BANK(offset),
		.word = first / 32,
		.value = value,
		.lanes = lanes,
		.state = offset >= GICD_ISPENDR,
		.active = offset >= GICD_ISACTIVER,
		.sets = !(BANK(offset) & 1),
	};

	if (first >= VIRQ_COUNT)
		return;
	if (offset < GICD_IPRIORITYR)
		change(vcpu, owner, &access, store(owner, &access));
	else if (offset >= GICD_ICFGR)
		write_config(vcpu, first, value, lanes);
	else
		write_priorities(vcpu, owner, first, value, lanes);
}

/* --- the whole distributor --- */

/* Return the enabled interrupts of a word that `vcpu` has in these groups. */
static uint32_t enabled_of_groups(struct vcpu *vcpu, unsigned word, uint32_t groups)
{
	uint32_t enabled = __atomic_load_n(vgicd_bits(vcpu, VGICD_ENABLED, word), __ATOMIC_SEQ_CST);
	uint32_t group1 = __atomic_load_n(vgicd_bits(vcpu, VGICD_GROUP1, word), __ATOMIC_SEQ_CST);

	if (word)
		enabled &= __atomic_load_n(&vcpu->dist->held[vcpu->index][word], __ATOMIC_RELAXED);
	return enabled & ((groups & 1 ? ~group1 : 0) | (groups & 2 ? group1 : 0));
}

void vgicd_post_groups(struct vcpu *vcpu, uint32_t groups)
{
	/* bound: VIRQ_WORDS */
	for (unsigned word = 0; word < VIRQ_WORDS; word++) {
		uint32_t which = enabled_of_groups(vcpu, word, groups);

		if (which)
			vgic_post_reloads(vcpu, word, which);
	}
}

/* Other cores change the interrupts of their own vCPUs. */
static void set_groups(struct vcpu *vcpu, uint32_t groups)
{
	struct vgicd *dist = vcpu->dist;
	uint32_t changed = groups ^ __atomic_exchange_n(&dist->groups, groups, __ATOMIC_SEQ_CST);

	if (!changed)
		return;
	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < dist->vcpu_count; i++)
		if (i != vcpu->index)
			vgic_post_kinds(dist->vcpu[i], VGIC_POST_GROUPS(changed));
	begin_words(vcpu);
	/* bound: VIRQ_WORDS */
	for (unsigned word = 0; word < VIRQ_WORDS; word++) {
		uint32_t which = enabled_of_groups(vcpu, word, changed);

		if (which)
			change_own(vcpu, &(struct access){ .word = word }, which);
	}
	end_words(vcpu);
}

__cold void vgicd_send_sgi(struct vcpu *vcpu, uint32_t targets, unsigned id, unsigned source)
{
	targets &= vgicd_all_vcpus(vcpu->dist);
	/* bound: VCPU_MAX */
	for (uint32_t to = targets & ~BIT(vcpu->index); to; to &= to - 1)
		vgic_post_sgi(vcpu->dist->vcpu[bit_lowest(to)], id, source);
	if (targets & BIT(vcpu->index))
		/* total: 1: one word of an access is GICD_SGIR */
		vgic_set_pending(&vcpu->vgic, &vcpu->vgic.virq[id], source);
}

__cold uint32_t vgicd_id_register(uint32_t offset, uint32_t part)
{
	unsigned word = (offset - (gic_version() == 2 ? 0xfd0 : 0xffd0)) / 4;
	/* PIDR4-7, PIDR0-3, CIDR0-3 (IHI 0048B 4.3.18): designer Arm, ArchRev in PIDR2 */
	const uint8_t ids[] = { 0x04, 0, 0, 0, 0, 0xb4, 0x0b, 0, 0x0d, 0xf0, 0x05, 0xb1 };

	if (word >= ARRAY_SIZE(ids))
		return 0;
	return ids[word] | (word == 4 ? part : 0) | (word == 6 ? gic_version() << 4 : 0);
}

static void reset_private_registers(struct vgicd *dist, unsigned index)
{
	dist->bits[VGICD_ENABLED][index] = gic_version() == 2 ? SGIS : 0;
	dist->bits[VGICD_GROUP1][index] = 0;
	memset(dist->priority[index], 0, GIC_PRIVATE_COUNT);
	dist->asleep[index] = false;
}

/* Drop all posts so far. */
static void drop_posts(struct vgic_posted *posted)
{
	vgic_fetch_posted(&posted->pair[0][0], VGICD_ALL_LANES);
	vgic_fetch_posted(&posted->pair[1][0], VGICD_ALL_LANES);
	__atomic_exchange_n(&posted->reload[0], 0, __ATOMIC_RELAXED);
	for (unsigned word = 0; word < ARRAY_SIZE(posted->sources); word++)
		vgic_fetch_posted(&posted->sources[word], VGICD_ALL_LANES);
}

static void reset_private_one(struct vcpu *vcpu, unsigned intid)
{
	struct vgic *vgic = &vcpu->vgic;
	struct virq *virq = &vgic->virq[intid];

	vgicd_reload(vcpu, intid);
	if (virq->hw)
		gic_clear_pending(intid);
	vgic_clear_pending(vgic, virq, ~0u);
	vgic_clear_active(vgic, virq);
}

bool vgicd_reset_private_piece(struct vcpu *vcpu, unsigned piece)
{
	if (piece == 0) {
		reset_private_registers(vcpu->dist, vcpu->index);
		drop_posts(&vcpu->vgic.posted);
	}
	vgic_begin(&vcpu->vgic);
	/* bound: PIECE_VIRQS */
	for (unsigned n = 0; n < PIECE_VIRQS; n++)
		reset_private_one(vcpu, piece * PIECE_VIRQS + n);
	vgic_end(&vcpu->vgic);
	return (piece + 1) * PIECE_VIRQS < GIC_PRIVATE_COUNT;
}

void vgicd_init(struct vgicd *dist, struct vcpu *const vcpu[], unsigned count)
{
	dist->vcpu_count = count;
	for (unsigned i = 0; i < count; i++) {
		dist->vcpu[i] = vcpu[i];
		vcpu[i]->dist = dist;
	}
}

void vgicd_reset_piece(struct vgicd *dist, unsigned piece)
{
	size_t size = offsetof(struct vgicd, vcpu_count);
	size_t half = size / 2 & ~(sizeof(uint64_t) - 1);

	if (piece == 0) {
		memset(dist, 0, half);
		return;
	}
	memset((uint8_t *)dist + half, 0, size - half);
	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < VCPU_MAX; i++)
		reset_private_registers(dist, i);
	memset(dist->targets, 1, sizeof(dist->targets)); /* target: vCPU 0 */
	memset(dist->held[0], 0xff, sizeof(dist->held[0]));
	dist->edges[0] = VGICD_EDGES;
}

void vgicd_reset(struct vgicd *dist)
{
	for (unsigned piece = 0; piece < VGICD_RESET_PIECES; piece++)
		vgicd_reset_piece(dist, piece);
}

/* --- the distributor's words --- */

/* GICv3's CTLR.RWP is 0, because a write takes effect at once. */
static uint32_t read_control(const struct vgicd *dist, uint32_t offset)
{
	switch (offset) {
	case GICD_CTLR:
		return dist->groups | (gic_version() == 2 ? 0 : VGICD_V3_CTLR);
	case GICD_TYPER:
		return (VIRQ_COUNT / 32 - 1) |
		       (gic_version() == 2 ? (dist->vcpu_count - 1) << 5 : VGICD_V3_TYPER);
	case GICD_IIDR:
		return VGICD_IIDR;
	default: /* including GICv3's TYPER2 */
		return 0;
	}
}

static reg_t dist_read(struct vcpu *vcpu, uint32_t offset)
{
	if (offset < GICD_IGROUPR)
		return read_control(vcpu->dist, offset);
	return gic_version() == 2 ? vgicd_v2_read(vcpu, offset) : vgicd_v3_read(vcpu, offset);
}

/* Write a part of any register but GICD_CTLR, where a partial write has no effect. */
static void dist_write_part(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	if (gic_version() == 2)
		vgicd_v2_write(vcpu, offset, value, lanes);
	else
		vgicd_v3_write(vcpu, offset, value, lanes);
}

static void dist_write(struct vcpu *vcpu, uint32_t offset, uint32_t value)
{
	if (offset == GICD_CTLR)
		set_groups(vcpu, value & (GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1));
	else
		dist_write_part(vcpu, offset, value, VGICD_ALL_LANES);
}

/* --- accesses of any width and alignment --- */

typedef reg_t read_word(struct vcpu *vcpu, uint32_t offset);
typedef void write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);

static bool is_word(uint32_t offset, unsigned size)
{
	return size == 4 && offset % 4 == 0;
}

/* Return all ones in the bytes of an access. */
static uint64_t bytes(unsigned size)
{
	return ~(uint64_t)0 >> (64 - 8 * size);
}

/* Read some bits of a word; `lanes` has these bits. */
static uint64_t read_lanes(struct vcpu *vcpu, uint32_t offset, uint32_t lanes, read_word *read)
{
	uint64_t value;

	vcpu->vgic.not_read = ~lanes;
	value = read(vcpu, offset);
	vcpu->vgic.not_read = 0;
	return value;
}

static __cold reg_t read_split(struct vcpu *vcpu, uint32_t offset, unsigned size, read_word *read)
{
	unsigned skipped = offset % 4;
	uint64_t all = bytes(size), value;

	value = read_lanes(vcpu, offset - skipped, (uint32_t)(all << 8 * skipped), read) >>
		8 * skipped;
	/* bound: 2 */
	for (unsigned at = 4 - skipped; at < size; at += 4)
		value |= read_lanes(vcpu, offset + at, (uint32_t)(all >> 8 * at), read) << 8 * at;
	return (reg_t)(value & all);
}

static __cold void write_split(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value,
			       write_word *write)
{
	unsigned skipped = offset % 4;

	if (skipped + size > 4)
		begin_words(vcpu);
	write(vcpu, offset - skipped, (uint32_t)(value << 8 * skipped),
	      (uint32_t)(bytes(size) << 8 * skipped));
	/* bound: 2 */
	for (unsigned at = 4 - skipped; at < size; at += 4)
		write(vcpu, offset + at, (uint32_t)(value >> 8 * at),
		      (uint32_t)(bytes(size) >> 8 * at));
	end_words(vcpu);
}

bool vgicd_read_at_once(uint32_t offset, uint32_t *value)
{
	*value = VGICD_IIDR;
	return offset == GICD_IIDR;
}

reg_t vgicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return is_word(offset, size) ? dist_read(vcpu, offset)
				     : read_split(vcpu, offset, size, dist_read);
}

/* Return whether the access is to one priority. The redistributors have the priorities of GICv3's
 * private interrupts. */
static bool is_priority(uint32_t offset, unsigned size)
{
	unsigned first = gic_version() == 2 ? 0 : GIC_PRIVATE_COUNT;

	return size == 1 && offset >= GICD_IPRIORITYR + first &&
	       offset < GICD_IPRIORITYR + VIRQ_COUNT;
}

static __cold void dist_write_split(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value)
{
	if (offset == GICD_CTLR && size == 8)
		dist_write(vcpu, offset, (uint32_t)value); /* GICD_TYPER is read-only */
	else
		write_split(vcpu, offset, size, value, dist_write_part);
}

bool vgicd_write_at_once(struct vcpu *vcpu, uint32_t offset, uint32_t value)
{
	return gic_version() == 2 && offset == GICD_SGIR && vgicd_v2_sgi_at_once(vcpu, value);
}

/* The short path is for a priority of a VM with one vCPU, which has every interrupt. */
void vgicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
	unsigned intid = offset - GICD_IPRIORITYR;

	if (is_word(offset, size)) {
		dist_write(vcpu, offset, (uint32_t)value);
	} else if (is_priority(offset, size) && vcpu->dist->vcpu_count == 1) {
		vcpu->dist->priority[0][intid] = (uint8_t)value;
		vgic_set_priority(&vcpu->vgic, &vcpu->vgic.virq[intid], (uint8_t)value);
	} else {
		dist_write_split(vcpu, offset, size, value);
	}
}

reg_t vgicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return is_word(offset, size) ? vgicr_read_word(vcpu, offset)
				     : read_split(vcpu, offset, size, vgicr_read_word);
}

void vgicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
	if (is_word(offset, size))
		vgicr_write_word(vcpu, offset, (uint32_t)value, VGICD_ALL_LANES);
	else
		write_split(vcpu, offset, size, value, vgicr_write_word);
}

/* --- GICC_DIR --- */

reg_t vgicd_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return 0;
}

void vgicd_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
	if (offset == GICC_DIR % VGICD_DIR_SIZE)
		vgic_deactivate(&vcpu->vgic, gic_intid((uint32_t)value));
}
