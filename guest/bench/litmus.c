/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus tests between two vCPUs of this VM, named as herd7 and litmus7 name them: does this core
 * reorder accesses of memory, and do EL2's barriers between cores forbid that? There are no times.
 *   mp    message passing. vCPU 0 stores x, then y; vCPU 1 loads y, then x. Forbidden: y is new and
 *         x is old
 *   sb    store buffering. Each vCPU stores a variable, then loads the other vCPU's. Forbidden:
 *         both loads return the old value
 *   post  mp by the atomic operations of posted bits (hyp/vcpu/vgic_post.c): vCPU 0 sets a bit of
 *         x, then of y; vCPU 1 clears that of y, then that of x
 * Variant `<shape>-barrier` has EL2's barrier between the two accesses: dsb_ish(), or the memory
 * order of the atomic operation. `wrong` counts forbidden outcomes and must be 0. Variant
 * `<shape>-plain` has no barrier. `relaxed` counts the same outcomes, which are allowed there: a
 * count above 0 shows that this core reorders and that the test sees it. QEMU with icount executes
 * one core at a time and never reorders.
 * One of the n rounds runs 64 instances of x and y between two meetings of the vCPUs. At random,
 * each vCPU begins a round later and has variables in its caches. `r00` to `r11` count all
 * outcomes by the values of the two loads. Skipped without a second vCPU.
 * Proof: tests/qemu/test_litmus.py.
 */
#include "arch/barrier.h"
#include "guest/kernel/secondary.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest_arch/ops.h"
#include "lib/bits.h"
#include "lib/random.h"

#define INSTANCES 64u
#define APART 128u     /* bytes: no core fetches two variables together */
#define LATE_SHIFTS 9u /* a vCPU begins a round at most 2^8 turns of a loop late */

/* A word with cache lines of its own. */
struct variable {
	volatile uint32_t value;
} __attribute__((aligned(APART)));

/* The values of the two loads of an instance. */
static struct outcome {
	uint32_t first[INSTANCES] __attribute__((aligned(APART)));
	uint32_t second[INSTANCES] __attribute__((aligned(APART)));
} loaded;

static struct variable x[INSTANCES], y[INSTANCES];

/* The accesses of a vCPU, for every instance. */
typedef void walk(bool barriers);

struct shape {
	const char *name[2]; /* of the variants without and with barriers */
	walk *vcpu[2];
	unsigned forbidden; /* the outcome: twice the value of the first load, plus the second */
};

OPS_INLINE void order(bool barriers)
{
	if (barriers)
		dsb_ish();
}

static void mp_store(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		x[i].value = 1;
		order(barriers);
		y[i].value = 1;
	}
}

static void mp_load(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		loaded.first[i] = y[i].value;
		order(barriers);
		loaded.second[i] = x[i].value;
	}
}

static void sb_store_x(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		x[i].value = 1;
		order(barriers);
		loaded.first[i] = y[i].value;
	}
}

static void sb_store_y(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		y[i].value = 1;
		order(barriers);
		loaded.second[i] = x[i].value;
	}
}

/* Post as vgic_post_state() and vgic_post_kinds() do. */
static void post(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		__atomic_fetch_or(&x[i].value, 1, __ATOMIC_RELAXED);
		if (barriers)
			__atomic_fetch_or(&y[i].value, 1, __ATOMIC_SEQ_CST);
		else
			__atomic_fetch_or(&y[i].value, 1, __ATOMIC_RELAXED);
	}
}

/* Fetch as vgicd_process_posts() and vgic_fetch_posted() do. */
static void fetch_posted(bool barriers)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		if (barriers)
			loaded.first[i] = __atomic_fetch_and(&y[i].value, 0, __ATOMIC_ACQUIRE);
		else
			loaded.first[i] = __atomic_fetch_and(&y[i].value, 0, __ATOMIC_RELAXED);
		loaded.second[i] = __atomic_fetch_and(&x[i].value, 0, __ATOMIC_RELAXED);
	}
}

static const struct shape shapes[] = {
	{ { "mp-plain", "mp-barrier" }, { mp_store, mp_load }, 2 },
	{ { "sb-plain", "sb-barrier" }, { sb_store_x, sb_store_y }, 0 },
	{ { "post-plain", "post-barrier" }, { post, fetch_posted }, 2 },
};

/* vCPU 0 writes these variables before a meeting that begins a round. */
static walk *walks[2];
static bool with_barriers;
static unsigned late_shift;

static struct random random_of[2];
static struct variable meetings[2]; /* meetings of each vCPU so far */

/* Wait for the other vCPU, which sees every earlier write of this vCPU. */
static void meet(unsigned self)
{
	uint32_t meeting = meetings[self].value + 1;

	__atomic_store_n(&meetings[self].value, meeting, __ATOMIC_RELEASE);
	while (__atomic_load_n(&meetings[!self].value, __ATOMIC_ACQUIRE) - meeting > 1)
		cpu_relax();
}

/* Have a random half of the variables in this core's caches. */
static void load_some(struct random *random)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < INSTANCES; i++, bits >>= 2) {
		if (i % 16 == 0)
			bits = random_next(random);
		if (bits & 1)
			(void)x[i].value;
		if (bits & 2)
			(void)y[i].value;
	}
}

static void do_round(unsigned self)
{
	uint32_t late;

	meet(self);
	load_some(&random_of[self]);
	late = random_below(&random_of[self], 1u << late_shift);
	meet(self);
	while (late--)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	walks[self](with_barriers);
	meet(self);
}

static void round_of_vcpu_1(void)
{
	do_round(1);
}

static void reset_variables(void)
{
	for (unsigned i = 0; i < INSTANCES; i++)
		x[i].value = y[i].value = 0;
}

static void count_outcomes(uint32_t outcomes[4])
{
	for (unsigned i = 0; i < INSTANCES; i++)
		outcomes[loaded.first[i] * 2 + loaded.second[i]]++;
}

static void test(const struct shape *shape, bool barriers, uint32_t n)
{
	uint32_t outcomes[4] = { 0 };

	walks[0] = shape->vcpu[0];
	walks[1] = shape->vcpu[1];
	with_barriers = barriers;
	for (uint32_t i = 0; i < n; i++) {
		late_shift = i % LATE_SHIFTS;
		reset_variables();
		do_round(0);
		count_outcomes(outcomes);
	}

	uint32_t forbidden = outcomes[shape->forbidden];
	struct member members[] = {
		{ "r00", outcomes[0] },
		{ "r01", outcomes[1] },
		{ "r10", outcomes[2] },
		{ "r11", outcomes[3] },
		{ barriers ? "wrong" : "relaxed", forbidden },
	};

	report_check(shape->name[barriers], !barriers || !forbidden, members, ARRAY_SIZE(members));
}

static void litmus_run(const struct guest_run *run)
{
	for (unsigned i = 0; i < 2; i++)
		random_init(&random_of[i], run->bench.params.seed, i);
	secondary_run(run, round_of_vcpu_1);
	for (const struct shape *shape = shapes; shape < shapes + ARRAY_SIZE(shapes); shape++) {
		test(shape, true, run->bench.params.n);
		test(shape, false, run->bench.params.n);
	}
}

static const char *litmus_prepare(const struct guest_run *run)
{
	return run->vcpu_count < 2 ? "needs a second vCPU" : NULL;
}

static const struct bench litmus = {
	.name = "litmus",
	.prepare = litmus_prepare,
	.run = litmus_run,
};
BENCH(litmus);
