/* SPDX-License-Identifier: Apache-2.0 */
/* Register names and layouts: IHI 0048B chapter 4, IHI 0069 chapter 12. */

#include <string.h>

#include "hyp/vm/vgicd.h"
#include "lib/bits.h"
#include "lib/compiler.h"

#define BANK(offset) ((offset) >> 7) /* from IGROUPR on, registers lie in banks of 128 bytes */
#define SGIS 0xffffu                 /* of the first word of a bank */

static bool in_bits(uint32_t offset)
{
	return offset < GICD_IPRIORITYR;
}

static bool in_priorities(uint32_t offset)
{
	return offset >= GICD_IPRIORITYR && offset < GICD_ITARGETSR;
}

static bool in_config(uint32_t offset)
{
	return offset >= GICD_ICFGR && offset < GICD_ICFGR + 0x100;
}

unsigned vgicd_bank_first(uint32_t offset)
{
	if (in_bits(offset))
		return (offset & 0x7fu) * 8;
	if (in_config(offset))
		return (offset - GICD_ICFGR) * 4;
	return offset & 0x3ffu; /* a byte an interrupt */
}

/* --- what is written and read of 32 interrupts --- */

struct access {
	uint32_t bank;
	unsigned word;
	uint32_t value;
	uint32_t lanes;
};

/* ISPENDR to ICACTIVER */
static bool is_state(uint32_t bank)
{
	return bank >= BANK(GICD_ISPENDR) && bank <= BANK(GICD_ICACTIVER);
}

static bool is_active_bank(uint32_t bank)
{
	return bank >= BANK(GICD_ISACTIVER);
}

static bool sets(uint32_t bank)
{
	return !(bank & 1);
}

/* GICv2: SGIs stay enabled (IHI 0048B 4.3.6 allows it), and have SPENDSGIR and CPENDSGIR to be
 * made pending by. */
static uint32_t writable(const struct access *access)
{
	bool sgis_too = access->bank == BANK(GICD_IGROUPR) || access->bank >= BANK(GICD_ISACTIVER);

	/* SGIs are edge-triggered for good, and private interrupts as their devices are
	 * (IHI 0048B 4.3.13 leaves it open). */
	if (access->bank == BANK(GICD_ICFGR))
		return access->word ? access->lanes : 0;
	if (gic_version() > 2)
		sgis_too = true;
	return access->word || sgis_too ? access->lanes : access->lanes & ~SGIS;
}

/* Which of the word's 32 interrupts changes, of the vCPU that writes. */
static void write_one(struct vcpu *vcpu, const struct access *access, unsigned which)
{
	unsigned intid = access->word * 32 + which;

	if (is_state(access->bank))
		vgicd_set_state(&vcpu->vgic, &vcpu->vgic.virq[intid], is_active_bank(access->bank),
				sets(access->bank));
	else
		vgicd_reload(vcpu, intid);
}

static void keep_priorities(struct vcpu *owner, const struct access *access, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned which = bit_lowest(lanes);

		*vgicd_priority(owner, access->word * 32 + which) =
			(uint8_t)(access->value >> 8 * (which % 4));
	}
}

/* What the guest will read; returns the interrupts that something changes for. */
static uint32_t keep(struct vcpu *owner, const struct access *access, uint32_t lanes)
{
	uint32_t ones = access->value & lanes;
	uint32_t *bits;

	switch (access->bank) {
	case BANK(GICD_ISENABLER):
		__atomic_fetch_or(vgicd_bits(owner, VGICD_ENABLED, access->word), ones,
				  __ATOMIC_RELAXED);
		return ones;
	case BANK(GICD_ICENABLER):
		__atomic_fetch_and(vgicd_bits(owner, VGICD_ENABLED, access->word), ~ones,
				   __ATOMIC_RELAXED);
		return ones;
	case BANK(GICD_IGROUPR):
	case BANK(GICD_ICFGR):
		bits = vgicd_bits(owner,
				  access->bank == BANK(GICD_ICFGR) ? VGICD_EDGE : VGICD_GROUP1,
				  access->word);
		lanes &= __atomic_fetch_or(bits, ones, __ATOMIC_RELAXED) ^ access->value;
		__atomic_fetch_and(bits, access->value | ~lanes, __ATOMIC_RELAXED);
		return lanes;
	case BANK(GICD_IPRIORITYR):
		keep_priorities(owner, access, lanes);
		return lanes;
	default:
		return ones;
	}
}

static void write_own(struct vcpu *vcpu, const struct access *access, uint32_t which)
{
	bool several = which & (which - 1);

	if (vcpu->vgic.posted.what && is_state(access->bank)) /* the last write counts */
		vgic_fetch_posted(
			&vcpu->vgic.posted.pair[is_active_bank(access->bank)][access->word], which);

	if (several)
		vgic_begin(&vcpu->vgic);
	for (; which; which &= which - 1)
		write_one(vcpu, access, bit_lowest(which));
	if (several)
		vgic_end(&vcpu->vgic);
}

/* At once: what a device makes pending from now on is not cleared. */
static void clear_physical(const struct vcpu *owner, unsigned word, uint32_t which)
{
	for (; which; which &= which - 1) {
		unsigned intid = word * 32 + bit_lowest(which);

		if (owner->vgic.virq[intid].hw)
			gic_clear_pending(intid);
	}
}

static void write_at(struct vcpu *vcpu, struct vcpu *owner, const struct access *access,
		     uint32_t which)
{
	bool active = is_active_bank(access->bank);

	if (access->bank == BANK(GICD_ICPENDR) && (vcpu == owner || access->word))
		clear_physical(owner, access->word, which);
	if (vcpu == owner)
		write_own(vcpu, access, which);
	else if (which && is_state(access->bank))
		vgic_post_state(owner, active, sets(access->bank), access->word, which);
	else
		for (; which; which &= which - 1)
			vgic_post_reload(owner, access->word * 32 + bit_lowest(which));
}

static void write_bank(struct vcpu *vcpu, struct vcpu *owner, const struct access *access)
{
	struct vgicd *dist = vcpu->dist;
	uint32_t changed = keep(owner, access, writable(access));

	if (access->word == 0 || dist->vcpu_count == 1) {
		write_at(vcpu, owner, access, changed);
		return;
	}
	for (unsigned i = 0; i < dist->vcpu_count; i++)
		write_at(vcpu, dist->vcpu[i], access, changed & vgicd_homed(dist, i, access->word));
}

/* Of another vCPU's: as its core published it last; what is asked for here comes with the next
 * access. */
static uint32_t read_at(struct vcpu *vcpu, struct vcpu *owner, bool active, unsigned word,
			uint32_t which)
{
	if (vcpu == owner)
		return vgicd_state(&vcpu->vgic, active, word, which);
	if (which)
		vgic_post_what(owner, VGIC_POST_PUBLISH(word));
	return __atomic_load_n(&owner->vgic.published[active][word], __ATOMIC_RELAXED) & which;
}

static __cold uint32_t read_state(struct vcpu *vcpu, struct vcpu *owner, bool active, unsigned word)
{
	struct vgicd *dist = vcpu->dist;
	uint32_t value = 0;

	if (word == 0)
		return read_at(vcpu, owner, active, word, VGICD_ALL_LANES);
	for (unsigned i = 0; i < dist->vcpu_count; i++)
		value |= read_at(vcpu, dist->vcpu[i], active, word, vgicd_homed(dist, i, word));
	return value;
}

/* --- banks --- */

static uint32_t read_bits(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset)
{
	unsigned word = (offset & 0x7fu) / 4;

	switch (BANK(offset)) {
	case BANK(GICD_IGROUPR):
		return *vgicd_bits(owner, VGICD_GROUP1, word);
	case BANK(GICD_ISENABLER):
	case BANK(GICD_ICENABLER):
		return *vgicd_bits(owner, VGICD_ENABLED, word);
	default:
		return read_state(vcpu, owner, is_active_bank(BANK(offset)), word);
	}
}

static uint32_t read_priorities(struct vcpu *owner, unsigned first)
{
	const uint8_t *priority = vgicd_priority(owner, first);

	return (priority[0] | (uint32_t)priority[1] << 8 | (uint32_t)priority[2] << 16 |
		(uint32_t)priority[3] << 24) &
	       0xf8f8f8f8;
}

/* Of the word's four interrupts, from `first` on, those that `lanes` has a bit of. */
static __cold void write_priorities(struct vcpu *vcpu, struct vcpu *owner, unsigned first,
				    uint32_t value, uint32_t lanes)
{
	uint32_t which = (lanes & 1) | (lanes >> 7 & 2) | (lanes >> 14 & 4) | (lanes >> 21 & 8);

	write_bank(
		vcpu, owner,
		&(struct access){ BANK(GICD_IPRIORITYR), first / 32, value, which << first % 32 });
}

static void set_priority(struct vcpu *vcpu, unsigned intid, uint8_t priority)
{
	if (intid >= VIRQ_COUNT)
		return;
	if (vcpu->dist->vcpu_count == 1) {
		vcpu->dist->priority[intid] = priority;
		vgic_set_priority(&vcpu->vgic, &vcpu->vgic.virq[intid], priority);
	} else {
		write_priorities(vcpu, vcpu, intid & ~3u, priority * 0x01010101u,
				 0xffu << 8 * (intid % 4));
	}
}

/* Of an interrupt's two bits the upper says edge. */
static uint32_t spread(uint32_t edges)
{
	uint32_t value = 0;

	for (; edges; edges &= edges - 1)
		value |= 2u << 2 * bit_lowest(edges);
	return value;
}

static uint32_t gather(uint32_t value)
{
	uint32_t edges = 0;

	for (value &= 0xaaaaaaaau; value; value &= value - 1)
		edges |= BIT(bit_lowest(value) / 2);
	return edges;
}

static uint32_t read_config(struct vcpu *owner, unsigned first)
{
	return spread(*vgicd_bits(owner, VGICD_EDGE, first / 32) >> first % 32 & 0xffffu);
}

static void write_config_word(struct vcpu *vcpu, struct vcpu *owner, unsigned first, uint32_t value,
			      uint32_t lanes)
{
	struct access access = { .bank = BANK(GICD_ICFGR),
				 .word = first / 32,
				 .value = gather(value) << first % 32,
				 .lanes = gather(lanes) << first % 32 };

	write_bank(vcpu, owner, &access);
}

uint32_t vgicd_bank_read(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset)
{
	unsigned first = vgicd_bank_first(offset);

	if (first >= VIRQ_COUNT)
		return 0;
	if (in_bits(offset))
		return read_bits(vcpu, owner, offset);
	if (in_priorities(offset))
		return read_priorities(owner, first);
	if (in_config(offset))
		return read_config(owner, first);
	return 0;
}

void vgicd_bank_write(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset, uint32_t value,
		      uint32_t lanes)
{
	unsigned first = vgicd_bank_first(offset);

	if (first >= VIRQ_COUNT)
		return;
	if (in_bits(offset))
		write_bank(vcpu, owner, &(struct access){ BANK(offset), first / 32, value, lanes });
	else if (in_priorities(offset))
		write_priorities(vcpu, owner, first, value, lanes);
	else if (in_config(offset))
		write_config_word(vcpu, owner, first, value, lanes);
}

/* --- all of it --- */

void vgicd_set_groups(struct vcpu *vcpu, uint32_t groups)
{
	struct vgicd *dist = vcpu->dist;

	__atomic_store_n(&dist->groups, groups, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < dist->vcpu_count; i++)
		if (dist->vcpu[i] != vcpu)
			vgic_post_what(dist->vcpu[i], VGIC_POST_GROUPS);
	vgic_set_groups_enabled(&vcpu->vgic, groups);
}

__cold uint32_t vgicd_id_register(unsigned word, uint32_t part)
{
	/* PIDR4-7, PIDR0-3, CIDR0-3 (IHI 0048B 4.3.18): designer Arm, ArchRev in PIDR2 */
	const uint8_t ids[] = { 0x04, 0, 0, 0, 0, 0xb4, 0x0b, 0, 0x0d, 0xf0, 0x05, 0xb1 };

	if (word >= ARRAY_SIZE(ids))
		return 0;
	return ids[word] | (word == 4 ? part : 0) | (word == 6 ? gic_version() << 4 : 0);
}

static void reset_private_bits(struct vgicd *dist, unsigned index)
{
	dist->private[VGICD_ENABLED][index] = gic_version() == 2 ? SGIS : 0;
	dist->private[VGICD_GROUP1][index] = 0;
	dist->private[VGICD_EDGE][index] = SGIS;
	memset(index ? dist->private_priority[index] : dist->priority, 0, GIC_PRIVATE_COUNT);
	dist->asleep[index] = false;
}

void vgicd_reset_private(struct vcpu *vcpu)
{
	struct vgic *vgic = &vcpu->vgic;

	reset_private_bits(vcpu->dist, vcpu->index);
	vgicd_process_word(vcpu, 0); /* what was posted until now is forgotten, too */
	vgic_begin(vgic);
	for (unsigned intid = 0; intid < GIC_PRIVATE_COUNT; intid++) {
		struct virq *virq = &vgic->virq[intid];

		vgicd_reload(vcpu, intid);
		if (virq->hw)
			gic_clear_pending(intid);
		vgic_clear_pending(vgic, virq, ~0u);
		vgic_clear_active(vgic, virq);
	}
	vgic_end(vgic);
}

void vgicd_init(struct vgicd *dist, struct vcpu *const vcpu[], unsigned count)
{
	dist->vcpu_count = count;
	for (unsigned i = 0; i < count; i++) {
		dist->vcpu[i] = vcpu[i];
		vcpu[i]->dist = dist;
	}
}

void vgicd_reset(struct vgicd *dist)
{
	memset(&dist->groups, 0, sizeof(*dist) - offsetof(struct vgicd, groups));
	for (unsigned i = 0; i < VCPU_MAX; i++)
		reset_private_bits(dist, i);
	memset(dist->targets, 1, sizeof(dist->targets)); /* vCPU 0 */
}

/* --- accesses of any width, anywhere --- */

static uint64_t gicd_read_word(struct vcpu *vcpu, uint32_t offset)
{
	return gic_version() == 2 ? vgicd_v2_read(vcpu, offset) : vgicd_v3_read(vcpu, offset);
}

static void gicd_write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	if (gic_version() == 2)
		vgicd_v2_write(vcpu, offset, value, lanes);
	else
		vgicd_v3_write(vcpu, offset, value, lanes);
}

typedef uint64_t read_word(struct vcpu *vcpu, uint32_t offset);
typedef void write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);

static bool is_word(uint32_t offset, unsigned size)
{
	return size == 4 && offset % 4 == 0;
}

/* All ones in the bytes of an access. */
static uint64_t bytes(unsigned size)
{
	return ~(uint64_t)0 >> (64 - 8 * size);
}

static __cold uint64_t read_split(struct vcpu *vcpu, uint32_t offset, unsigned size,
				  read_word *read)
{
	unsigned skipped = offset % 4;
	uint64_t value = read(vcpu, offset - skipped) >> 8 * skipped;

	for (unsigned at = 4 - skipped; at < size; at += 4)
		value |= read(vcpu, offset + at) << 8 * at;
	return value & bytes(size);
}

static __cold void write_split(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value,
			       write_word *write)
{
	unsigned skipped = offset % 4;

	write(vcpu, offset - skipped, (uint32_t)(value << 8 * skipped),
	      (uint32_t)(bytes(size) << 8 * skipped));
	for (unsigned at = 4 - skipped; at < size; at += 4)
		write(vcpu, offset + at, (uint32_t)(value >> 8 * at),
		      (uint32_t)(bytes(size) >> 8 * at));
}

uint64_t vgicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	(void)state;
	if (offset == GICD_IIDR && size == 4)
		return VGICD_IIDR;
	if (is_word(offset, size))
		return gicd_read_word(vcpu, offset);
	return read_split(vcpu, offset, size, gicd_read_word);
}

void vgicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	(void)state;
	if (gic_version() == 2 && offset == GICD_SGIR && size == 4)
		vgicd_v2_sgir(vcpu, (uint32_t)value);
	else if (is_word(offset, size))
		gicd_write_word(vcpu, offset, (uint32_t)value, VGICD_ALL_LANES);
	else if (size == 1 && in_priorities(offset) &&
		 (gic_version() == 2 || offset >= GICD_IPRIORITYR + GIC_PRIVATE_COUNT))
		set_priority(vcpu, offset - GICD_IPRIORITYR, (uint8_t)value);
	else if (size == 8 && gic_version() > 2 && vgicd_v3_is_router(offset))
		vgicd_v3_router(vcpu, (offset - GICD_IROUTER) / 8, value, ~(uint64_t)0);
	else
		write_split(vcpu, offset, size, value, gicd_write_word);
}

uint64_t vgicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	(void)state;
	if (is_word(offset, size))
		return vgicr_read_word(vcpu, offset);
	return read_split(vcpu, offset, size, vgicr_read_word);
}

void vgicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	(void)state;
	if (is_word(offset, size))
		vgicr_write_word(vcpu, offset, (uint32_t)value, VGICD_ALL_LANES);
	else
		write_split(vcpu, offset, size, value, vgicr_write_word);
}

/* --- GICC_DIR --- */

uint64_t vgicd_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	(void)state;
	(void)vcpu;
	(void)offset;
	(void)size;
	return 0;
}

void vgicd_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	(void)state;
	(void)size;
	if (offset == GICC_DIR % VGICD_DIR_SIZE)
		vgic_deactivate(&vcpu->vgic, gic_intid((uint32_t)value));
}
