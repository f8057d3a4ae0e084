/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/cores.h"

#include <string.h>

#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vppi.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

#define EXITS_MAX (16u + VIRQ_COUNT / PIECE_VIRQS) /* includes the pieces of a write */
#define PERCORE_MAX 8192u
#define CONTINUE_PRIORITY 0xe0u

/* PERCPU variables of the core whose turn it is */
extern uint8_t __start_percore[], __stop_percore[];

/* The state of a core while another core has the turn. */
struct half {
	uint8_t percore[PERCORE_MAX];
	struct fake_irq private[GIC_PRIVATE_COUNT];
	struct fake_interface cpu;
	struct fake_interface guest;
	uint32_t hcr;
	uint64_t lr[GIC_LR_MAX];
};

static struct vcpu vcpus[VCPU_MAX];
static bool loaded[VCPU_MAX];            /* the core has vcpus[n], not neighbours[n] */
static struct vcpu neighbours[VCPU_MAX]; /* vCPUs of another VM, one on the core of each vCPU */
static struct half halves[VCPU_MAX];
static unsigned now;
static unsigned kicks;
static unsigned exits;
static bool held[VCPU_MAX];
static bool links, splits;

/* --- cores --- */

static size_t percore_size(void)
{
	size_t size = (size_t)(__stop_percore - __start_percore);

	assert_in_range(size, 1, PERCORE_MAX);
	return size;
}

static void save(struct half *half)
{
	memcpy(half->percore, __start_percore, percore_size());
	memcpy(half->private, fake_gic.irq, sizeof(half->private));
	half->cpu = fake_gic.cpu;
	half->guest = fake_gic.guest;
	half->hcr = fake_gic.hcr;
	memcpy(half->lr, fake_gic.lr, sizeof(half->lr));
}

static void load(const struct half *half)
{
	memcpy(__start_percore, half->percore, percore_size());
	memcpy(fake_gic.irq, half->private, sizeof(half->private));
	fake_gic.cpu = half->cpu;
	fake_gic.guest = half->guest;
	fake_gic.hcr = half->hcr;
	memcpy(fake_gic.lr, half->lr, sizeof(half->lr));
}

static void turn_of(unsigned core)
{
	if (core == now && fake_gic.this_core == BIT(core))
		return;
	save(&halves[now]);
	now = core;
	load(&halves[now]);
	fake_gic.this_core = BIT(core);
	fake_mpidr_el1 = 0x80000000u | core;
}

void cores_on(unsigned n)
{
	turn_of(vcpus[n].core);
}

void cores_reset_private(unsigned n)
{
	unsigned pieces = 0;

	cores_on(n);
	while (vgicd_reset_private_piece(&vcpus[n], pieces))
		pieces++;
	assert_int_equal(pieces + 1, GIC_PRIVATE_COUNT / PIECE_VIRQS);
}

unsigned cores_kicks(void)
{
	return kicks;
}

unsigned cores_exits(void)
{
	return exits;
}

void cores_count_anew(void)
{
	kicks = exits = 0;
}

FAKE_VALUE_FUNC(unsigned, smp_core, (void), now)

/* A core calls another core only while no vCPU runs. */
void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	unsigned before = now;

	turn_of(core);
	fn(argument);
	turn_of(before);
}

FAKE_VOID_FUNC(smp_process_calls, (void))
FAKE_VALUE_FUNC(bool, smp_is_asked, (void), false)

void smp_kick(unsigned core)
{
	struct fake_irq *private = core == now ? fake_gic.irq : halves[core].private;

	kicks += core != now;
	private[SMP_KICK_SGI].pending_latch = true;
}

void smp_continue(void)
{
	fake_gic.irq[SMP_CONTINUE_SGI].pending_latch = true;
}

void smp_ask(unsigned core)
{
	smp_kick(core);
}

/* --- the vCPU that a core runs --- */

static const struct vm_machine machine;

static struct vcpu *running(unsigned n)
{
	return loaded[n] ? &vcpus[n] : &neighbours[n];
}

FAKE_VALUE_FUNC(struct vcpu *, sched_next, (void), running(cores_vm.vcpu_count - 1 - now))

bool cores_is_loaded(unsigned n)
{
	return loaded[n];
}

static uint64_t neighbours_lr(unsigned i)
{
	struct gic_lr lr = { .vintid = i, .state = GIC_LR_ACTIVE };

	return gic_lr_encode(&lr);
}

static void boot_neighbour(unsigned n)
{
	struct vcpu *vcpu = &neighbours[n];

	*vcpu = (struct vcpu){
		.vm = &vms[1],
		.core = vcpus[n].core,
		.load_work = VCPU_SHARES_PPIS,
	};
	vgic_reset(&vcpu->vgic, fake_gic.lr_count, links);
	assert_true(vgic_forward(&vcpu->vgic, CORES_TIMER));
	vcpu->gic.used = BIT(fake_gic.lr_count) - 1;
	for (unsigned i = 0; i < fake_gic.lr_count; i++)
		vcpu->gic.lr[i] = neighbours_lr(i);
}

/* Give the neighbour's timer, which stays disabled, the priority of vCPU n's timer. The PPIs of the
 * two vCPUs then differ at most in the enable bit. */
static void follow_priority(unsigned n)
{
	struct virq *its = &neighbours[n].vgic.virq[CORES_TIMER];
	uint8_t priority = vcpus[n].vgic.virq[CORES_TIMER].config.priority;

	if (its->config.priority == priority)
		return;
	its->config.priority = priority;
	neighbours[n].vgic.ppi_config = 0;
}

static void check_neighbour(unsigned n)
{
	for (unsigned i = 0; i < fake_gic.lr_count; i++)
		if (neighbours[n].gic.lr[i] != neighbours_lr(i))
			fake_gic_broken("a list register of another VM has changed");
}

/* The neighbour's CPU interface is off and has no active priority. Its PPI is neither enabled nor
 * active. */
static void check_interface(void)
{
	const struct fake_interface *its = &fake_gic.guest;

	if (fake_gic.hcr || its->groups || its->mask || its->split_eoi ||
	    its->active_prio[0] | its->active_prio[1])
		fake_gic_broken("another VM's vCPU has the interface of the vCPU before");
	if (fake_gic.irq[CORES_TIMER].enabled || fake_gic.irq[CORES_TIMER].active)
		fake_gic_broken("another VM's vCPU has the PPI of the vCPU before");
}

void cores_load(unsigned n, bool load_it)
{
	if (loaded[n] == load_it)
		return;
	cores_on(n);
	follow_priority(n);
	fake_gic_switch(true);
	vcpu_switch(load_it ? &vcpus[n] : &neighbours[n], running(n));
	loaded[n] = load_it;
	fake_gic_switch(false);
	if (load_it)
		check_neighbour(n);
	else
		check_interface();
}

FAKE_VALUE_FUNC(struct vcpu *, sched_yield_turn, (struct vcpu * running), running)
FAKE_VALUE_FUNC(struct vcpu *, sched_block, (struct vcpu * running), running)
FAKE_VOID_FUNC(sched_wake, (struct vcpu * vcpu))
FAKE_VALUE_FUNC(bool, sched_wake_posted, (void), false)
FAKE_VOID_FUNC(sched_remove, (struct vcpu * vcpu))
FAKE_VOID_FUNC(sched_compare, (void))

/* --- exits --- */

static void settle_core(unsigned n)
{
	if (held[n])
		return;
	cores_on(n);
	for (unsigned i = 0; fake_gic_irq(); i++) {
		if (i == EXITS_MAX) {
			fake_gic_broken("the hypervisor is interrupted for ever");
			return;
		}
		assert_ptr_equal(trap_irq(running(n)), running(n));
		exits++;
	}
	if (fake_gic.cpu.active_prio[0] | fake_gic.cpu.active_prio[1])
		fake_gic_broken("the guest runs at a raised physical priority");
}

bool cores_take_one(unsigned n)
{
	cores_on(n);
	if (!fake_gic_irq())
		return false;
	assert_ptr_equal(trap_irq(running(n)), running(n));
	exits++;
	return true;
}

/* At priority 0 the hypervisor's SGIs, with the lowest INTIDs, come before other interrupts. */
void cores_take_own_sgis(unsigned n)
{
	cores_on(n);
	gic_set_priority(SMP_CONTINUE_SGI, 0);
	for (unsigned i = 0; i < EXITS_MAX && (fake_gic.irq[SMP_CONTINUE_SGI].pending_latch ||
					       fake_gic.irq[SMP_KICK_SGI].pending_latch);
	     i++)
		cores_take_one(n);
	gic_set_priority(SMP_CONTINUE_SGI, CONTINUE_PRIORITY);
}

static bool is_settled(void)
{
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++) {
		cores_on(n);
		if (!held[n] && fake_gic_irq())
			return false;
	}
	return true;
}

void cores_settle(void)
{
	for (unsigned round = 0; !is_settled(); round++) {
		if (round == EXITS_MAX) {
			fake_gic_broken("the cores interrupt each other for ever");
			return;
		}
		for (unsigned n = 0; n < cores_vm.vcpu_count; n++)
			settle_core(n);
	}
}

void cores_hold(unsigned n, bool hold)
{
	held[n] = hold;
}

void cores_release(unsigned n, unsigned last)
{
	held[n] = false;
	cores_on(n);
	gic_disable(last);
	cores_settle();
	cores_on(n);
	gic_enable(last);
	cores_settle();
}

/* --- start --- */

static void boot_core(unsigned n)
{
	struct vcpu *vcpu = &vcpus[n];

	cores_on(n);
	gic_set_bases(&fake_gic_bases);
	assert_int_equal(gic_virt_init(), fake_gic.lr_count);
	gic_cpu_init(true);
	vgic_reset(&vcpu->vgic, fake_gic.lr_count, links);
	gic_virt_reset();
	assert_true(vgic_forward(&vcpu->vgic, CORES_TIMER));
	vppi_load(vcpu);
	loaded[n] = true;
	vcpu->load_work = VCPU_SHARES_PPIS;
	boot_neighbour(n);
	gic_set_priority(FAKE_GIC_MAINTENANCE, 0);
	gic_enable(FAKE_GIC_MAINTENANCE);
	gic_set_priority(SMP_KICK_SGI, 0);
	gic_enable(SMP_KICK_SGI);
	gic_set_priority(SMP_CONTINUE_SGI, CONTINUE_PRIORITY);
	gic_enable(SMP_CONTINUE_SGI);
	fake_gic_guest_init(splits);
}

static void put_all_in_group1(void)
{
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++)
		redist_write(n, n * VGICR_SIZE + GICR_SGI_OFFSET + GICD_IGROUPR, 4, ~0u);
	for (unsigned intid = GIC_PRIVATE_COUNT; intid < VIRQ_COUNT; intid += 32)
		dist_write(0, GICD_IGROUPR + intid / 8, 4, ~0u);
}

void cores_boot(unsigned count)
{
	cores_boot_as(count, 4, true, false);
}

void cores_boot_as(unsigned count, unsigned lr_count, bool link_hw, bool split_eoi)
{
	fake_hyp_reset();
	fake_gic_reset(lr_count);
	links = link_hw;
	splits = split_eoi;
	memset(held, 0, sizeof(held));
	memset(vms, 0, sizeof(vms));
	memset(halves, 0, sizeof(halves));
	memset(__start_percore, 0, percore_size());
	now = 0;
	cores_vm.outcome = VM_RUNNING;
	cores_vm.machine = &machine;
	cores_vm.vcpu_count = count;
	for (unsigned n = 0; n < count; n++) {
		vcpus[n] = (struct vcpu){
			.vm = &cores_vm, .index = n, .core = count - 1 - n, .power = VCPU_ON
		};
		vcpus[n].traps = traps_unmodified;
		cores_vm.vcpu[n] = &vcpus[n];
	}
	cores_on(0);
	gic_set_bases(&fake_gic_bases);
	gic_dist_reset();
	vgicd_init(&cores_vm.dist, cores_vm.vcpu, cores_vm.vcpu_count);
	vgicd_reset(&cores_vm.dist);
	for (unsigned n = 0; n < count; n++)
		boot_core(n);
	cores_on(0);
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		assert_true(vgic_forward(&vcpus[0].vgic, FAKE_SPI_FIRST + i));
	if (gic_version() == 3)
		put_all_in_group1();
	dist_write(0, GICD_CTLR, 4, GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1);
	cores_count_anew();
}

/* --- the guest --- */

/* A read returns what the other core published last and makes that core publish again. The second
 * read returns the current state. */
static uint64_t read_twice(unsigned n, uint32_t offset, unsigned size,
			   reg_t (*read)(struct vcpu *, uint32_t, unsigned, void *))
{
	cores_on(n);
	read(&vcpus[n], offset, size, NULL);
	cores_settle();
	cores_on(n);
	return read(&vcpus[n], offset, size, NULL);
}

uint64_t dist_read(unsigned n, uint32_t offset, unsigned size)
{
	return read_twice(n, offset, size, vgicd_read);
}

void dist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value)
{
	cores_on(n);
	if (size != 4 || !vgicd_write_at_once(&vcpus[n], offset, (uint32_t)value))
		vgicd_write(&vcpus[n], offset, size, value, NULL);
	cores_settle();
}

uint64_t redist_read(unsigned n, uint32_t offset, unsigned size)
{
	return read_twice(n, offset, size, vgicr_read);
}

void redist_write(unsigned n, uint32_t offset, unsigned size, uint64_t value)
{
	cores_on(n);
	vgicr_write(&vcpus[n], offset, size, value, NULL);
	cores_settle();
}

void sgi1r_write(struct vcpu *vcpu, uint64_t value)
{
	if (!vgicd_sgi1r_at_once(vcpu, value))
		vgicd_sgi1r(vcpu, value);
}

void sgi_write(unsigned n, void (*send)(struct vcpu *, uint64_t), uint64_t value)
{
	cores_on(n);
	send(&vcpus[n], value);
	cores_settle();
}

uint32_t cpu_ack(unsigned n)
{
	uint32_t iar;

	cores_on(n);
	iar = fake_gic_guest_ack();
	cores_settle();
	return iar;
}

void cpu_eoi(unsigned n, uint32_t iar)
{
	cores_on(n);
	fake_gic_guest_eoi(iar);
	cores_settle();
}

/* A write of x0 to ICC_DIR_EL1 (DDI 0487 D13.2.37) */
#define ESR_WRITE_DIR (0x18u << 26 | 3u << 20 | 1u << 17 | 12u << 10 | 11u << 1)

void cpu_deactivate(unsigned n, uint32_t iar)
{
	cores_on(n);
	if (fake_gic_guest_deactivate_traps()) {
		vcpus[n].frame.x[0] = iar;
		write_esr_el2(ESR_WRITE_DIR);
		assert_ptr_equal(trap_sync(&vcpus[n]), &vcpus[n]);
	} else if (gic_version() == 2) {
		vgicd_dir_write(&vcpus[n], 0, 4, iar, NULL);
	} else {
		fake_gic_guest_deactivate(iar);
	}
	cores_settle();
}

void assert_takes(unsigned n, uint32_t iar)
{
	for (unsigned other = 0; other < cores_vm.vcpu_count; other++)
		if (other != n)
			assert_int_equal(cpu_ack(other), GIC_SPURIOUS);
	assert_int_equal(cpu_ack(n), iar);
	cpu_eoi(n, iar);
}

void assert_nobody_takes_anything(void)
{
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++)
		assert_int_equal(cpu_ack(n), GIC_SPURIOUS);
}

void spi_enable(unsigned intid)
{
	dist_write(0, GICD_IPRIORITYR + intid, 1, 0x40);
	dist_write(0, GICD_ISENABLER + intid / 32 * 4, 4, 1u << intid % 32);
}

void spi_target(unsigned intid, unsigned n)
{
	if (gic_version() == 2)
		dist_write(0, GICD_ITARGETSR + intid, 1, 1u << n);
	else
		dist_write(0, GICD_IROUTER + 8 * intid, 8, n);
}

static bool spi_bit(uint32_t bank, unsigned intid)
{
	return dist_read(0, bank + intid / 32 * 4, 4) >> intid % 32 & 1;
}

bool spi_is_pending(unsigned intid)
{
	return spi_bit(GICD_ISPENDR, intid);
}

bool spi_is_active(unsigned intid)
{
	return spi_bit(GICD_ISACTIVER, intid);
}

void spi_raise(unsigned intid)
{
	fake_gic.irq[intid].pending_latch = true;
	cores_settle();
}

void spi_line(unsigned intid, bool level)
{
	vgicd_set_level(&cores_vm.dist, intid, level);
	cores_settle();
}

/* Route the SPI to the core of vCPU n only until that core has taken it. */
bool spi_arrive_at(unsigned intid, unsigned n)
{
	struct fake_irq *irq = &fake_gic.irq[intid];
	uint64_t here = gic_version() == 2 ? BIT(vcpus[n].core) : vcpus[n].core;
	uint64_t route = irq->route;
	bool arrived = false;

	irq->pending_latch = true;
	irq->route = here;
	cores_on(n);
	if (!held[n] && fake_gic_irq()) {
		assert_ptr_equal(trap_irq(running(n)), running(n));
		arrived = gic_is_active(intid);
	}
	if (irq->route == here)
		irq->route = route;
	cores_settle();
	return arrived;
}

void cores_check_rules(void)
{
	const char *violation = fake_gic_violation();

	for (unsigned n = 0; n < cores_vm.vcpu_count && !violation; n++) {
		cores_on(n);
		if (fake_gic_maintenance())
			violation = "the maintenance line stays high";
		for (unsigned i = 0; i < VIRQ_COUNT; i++)
			if (vcpus[n].vgic.virq[i].retarget)
				violation = "a retarget is still pending";
	}
	if (violation)
		fail_msg("%s", violation);
}
