/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of posts from one core to a vCPU of another core, in every order in which the two cores can
 * take their steps. A step is an atomic access, the kick's SGI or its end. The poster runs
 * vgic_post.c and smp.c; the vCPU's core takes each kick through trap.c and vgicd_post.c. Each core
 * is a coroutine. A search that visits no state twice decides at each step which core takes the
 * next one.
 */
/* LINK: exit-path-but-posts drivers/gic/gicv2.c */
#include <sanitizer/asan_interface.h>
#include <string.h>
#include <ucontext.h>

#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vgicd.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

static void step(void);
static void note(uint64_t value);

/* An access is a step. note() records its result, since the core's next steps depend on it. */
#define STEP(access)                                                                               \
	({                                                                                         \
		step();                                                                            \
		__auto_type result = access;                                                       \
		note((uint64_t)result);                                                            \
		result;                                                                            \
	})
#define __atomic_load_n(...) STEP(__atomic_load_n(__VA_ARGS__))
#define __atomic_fetch_or(...) STEP(__atomic_fetch_or(__VA_ARGS__))
#define __atomic_fetch_and(...) STEP(__atomic_fetch_and(__VA_ARGS__))
#define __atomic_exchange_n(...) STEP(__atomic_exchange_n(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) STEP(__atomic_compare_exchange_n(__VA_ARGS__))
#include "hyp/vcpu/vgic_post.c"
#include "hyp/vm/vgicd_post.c"

#define POSTS_MAX 3u
#define STACK_SIZE (64u << 10)
#define CHOICES_MAX 400u
#define STATES_MAX (1u << 16)
#define CORE 2u /* the vCPU's core: fake_gic.this_core */

enum post { POST_SGI, POST_PEND, POST_UNPEND, POST_LINE_HIGH, POST_LINE_LOW, POST_KINDS };
static const uint8_t intid_of[POST_KINDS] = { 1, 33, 33, 40, 40 };

static enum post posts[POSTS_MAX];
static unsigned post_count;

enum core { POSTER, TARGET, CORES };
static struct {
	ucontext_t context;
	char stack[STACK_SIZE];
	bool goes_on;  /* the core is in the middle of a post or an exit */
	unsigned done; /* number of finished posts or exits */
	uint64_t way;  /* hash of what the core has read in this post or exit */
} cores[CORES];
static ucontext_t explorer;
static enum core now;
static void (*mmio_write_gic)(uintptr_t address, unsigned size, uint64_t value);

/* --- the two cores --- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ull;
}

static void leave(void)
{
	swapcontext(&cores[now].context, &explorer);
}

/* Accesses made before the cores begin are no steps. */
static void step(void)
{
	if (!cores[now].goes_on)
		return;
	note(1);
	leave();
}

static void note(uint64_t value)
{
	cores[now].way = mix(cores[now].way, value);
}

static void write_mmio(uintptr_t address, unsigned size, uint64_t value)
{
	bool sgi = address == fake_gic_bases.dist + GICD_SGIR;

	if (sgi || address == fake_gic_bases.cpu + GICC_EOIR)
		step();
	if (sgi && value >> 16 & fake_gic.this_core)
		fake_gic.irq[value & 0xf].pending_latch = true;
	else
		mmio_write_gic(address, size, value);
}

static void post(enum post kind)
{
	struct vgicd *dist = guest_vcpu.dist;

	if (kind == POST_SGI)
		vgic_post_sgi(&guest_vcpu, intid_of[kind], 1);
	else if (kind == POST_PEND || kind == POST_UNPEND)
		vgic_post_state(&guest_vcpu, false, kind == POST_PEND, intid_of[kind] / 32,
				BIT(intid_of[kind] % 32));
	else
		vgicd_set_level(dist, intid_of[kind], kind == POST_LINE_HIGH);
}

static void run_core(void)
{
	for (;;) {
		cores[now].goes_on = true;
		if (now == POSTER)
			post(posts[cores[now].done]);
		else if (trap_irq(&guest_vcpu) != &guest_vcpu)
			fake_gic_broken("a post takes the core from the vCPU");
		cores[now].goes_on = false;
		cores[now].done++;
		cores[now].way = 0;
		leave();
	}
}

static bool can_run(enum core core)
{
	return cores[core].goes_on ||
	       (core == POSTER ? cores[core].done < post_count : fake_gic_irq());
}

static void boot(void)
{
	cores[POSTER].goes_on = cores[TARGET].goes_on = false;
	guest_boot(true);
	guest_vcpu.core = CORE;
	mmio_write_gic = fake_mmio.write;
	fake_mmio.write = write_mmio;
	for (enum core core = POSTER; core < CORES; core++) {
		cores[core].done = 0;
		cores[core].way = 0;
		ASAN_UNPOISON_MEMORY_REGION(cores[core].stack, STACK_SIZE); /* poisoned last time */
		getcontext(&cores[core].context);
		cores[core].context.uc_stack.ss_sp = cores[core].stack;
		cores[core].context.uc_stack.ss_size = STACK_SIZE;
		makecontext(&cores[core].context, run_core, 0);
	}
}

/* --- what must hold when both cores have nothing left to do --- */

static bool is_expected(unsigned intid)
{
	bool pending = false;

	for (unsigned i = 0; i < post_count; i++)
		if (intid_of[posts[i]] == intid)
			pending = posts[i] != POST_UNPEND && posts[i] != POST_LINE_LOW;
	return pending;
}

static const char *wrong_at_the_end(void)
{
	static const struct vgic_posted nothing;
	const struct vgic *vgic = &guest_vcpu.vgic;

	if (memcmp(&vgic->posted, &nothing, sizeof(nothing)))
		return "a posted bit stays, and no kick is left";
	for (enum post kind = POST_SGI; kind < POST_KINDS; kind++)
		if (vgic_is_pending(vgic, &vgic->virq[intid_of[kind]]) !=
		    is_expected(intid_of[kind]))
			return "a post is lost, or its order";
	return fake_gic_violation();
}

/* --- every order --- */

static enum core choices[CHOICES_MAX];
static unsigned choice_count; /* number of choices that are prescribed for the next run */
static uint64_t states[STATES_MAX];
static unsigned state_count;
static unsigned long orders, states_in_all;

static uint64_t hash_state(void)
{
	const uint64_t *words = (const uint64_t *)&guest_vcpu.vgic.posted;
	uint64_t hash = 0xcbf29ce484222325ull;

	for (unsigned i = 0; i < sizeof(struct vgic_posted) / sizeof(*words); i++)
		hash = mix(hash, words[i]);
	for (enum post kind = POST_SGI; kind < POST_KINDS; kind++)
		hash = mix(hash, vgic_is_pending(&guest_vcpu.vgic,
						 &guest_vcpu.vgic.virq[intid_of[kind]]));
	for (enum core core = POSTER; core < CORES; core++)
		hash = mix(mix(hash, cores[core].way), cores[core].goes_on);
	hash = mix(hash, cores[POSTER].done);
	hash = mix(hash, fake_gic_irq());
	return mix(mix(hash, fake_gic.irq[SMP_KICK_SGI].pending_latch),
		   fake_gic.irq[SMP_CONTINUE_SGI].pending_latch) |
	       1;
}

/* Return false if the state was met before. */
static bool is_new(void)
{
	uint64_t hash = hash_state();
	unsigned at = (unsigned)(hash >> 40) % STATES_MAX;

	while (states[at] && states[at] != hash)
		at = (at + 1) % STATES_MAX;
	if (states[at])
		return false;
	assert_true(++state_count < STATES_MAX / 2);
	states[at] = hash;
	return true;
}

/* Follow the prescribed choices, then let the poster go first. Return NULL, or what is wrong. */
static const char *run_order(void)
{
	unsigned count = 0, prescribed = choice_count;

	boot();
	while (can_run(POSTER) || can_run(TARGET)) {
		now = can_run(POSTER) ? POSTER : TARGET;
		if (can_run(POSTER) && can_run(TARGET)) {
			if (count >= prescribed && !is_new())
				return NULL;
			assert_true(count < CHOICES_MAX);
			if (count >= prescribed)
				choices[choice_count++] = POSTER;
			now = choices[count++];
		}
		swapcontext(&explorer, &cores[now].context);
	}
	orders++;
	return wrong_at_the_end();
}

static void check_every_order(void)
{
	memset(states, 0, sizeof(states));
	state_count = choice_count = 0;
	do {
		const char *wrong = run_order();

		if (wrong)
			fail_msg("%u posts (%d %d %d): %s", post_count, posts[0], posts[1],
				 posts[2], wrong);
		while (choice_count && choices[choice_count - 1] == TARGET)
			choice_count--;
		if (choice_count)
			choices[choice_count - 1] = TARGET;
	} while (choice_count);
	states_in_all += state_count;
}

TEST(no_post_is_lost_in_any_order_of_post_kick_and_process)
{
	for (post_count = 1; post_count <= POSTS_MAX; post_count++) {
		unsigned kinds = POST_KINDS;

		for (unsigned i = 1; i < post_count; i++)
			kinds *= POST_KINDS;
		for (unsigned drawn = 0; drawn < kinds; drawn++) {
			posts[0] = drawn % POST_KINDS;
			posts[1] = drawn / POST_KINDS % POST_KINDS;
			posts[2] = drawn / POST_KINDS / POST_KINDS;
			check_every_order();
		}
	}
	print_message("orders %lu states %lu\n", orders, states_in_all);
	assert_true(states_in_all > 1000);
}
