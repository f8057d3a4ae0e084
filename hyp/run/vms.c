/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/vms.h"

#include <string.h>

#include "abi/link.h"
#include "abi/virt.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/base/record.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/dev/doorbell.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/mem/cold.h"
#include "hyp/run/core_loop.h"
#include "hyp/run/guest.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/life.h"
#include "lib/bits.h"
#include "lib/text.h"

/* Tables of a stage 2: level 2 for 4 GiB, and level 3 for each 2 MiB in pages of 4 KiB; 8 more for
 * the devices. */
#define DEVICE_TABLES 4u
#define TABLES(mib) ((mib) / 2 + STAGE2_INPUT_GIB + DEVICE_TABLES)
#define RAM_MAX_MIB 1024u
#define LINK_SPIS 4u /* each end has an interrupt, and a kick if it is a device */

_Static_assert(PLAN_STATS_VCPUS == EXIT_STATS_MAX, "the host tool checks it");

static uint8_t table_pages[TABLES(RAM_MAX_MIB) + (VM_MAX - 1) * TABLES(0)][PAGE_SIZE]
	__attribute__((aligned(PAGE_SIZE)));
static struct vcpu_space spaces[VM_MAX][VCPU_MAX];

static struct {
	const struct plan *plan;
	const struct run_config *config, *beside; /* `beside` is for VMs that are not measured */
	uint32_t taking_part;                     /* bit i: VM i */
	unsigned tables_used;
	struct vm_machine machine[VM_MAX];
	struct vm_config vm[VM_MAX];
	struct doorbell doorbell[VM_MAX]; /* a VM has at most one link */
	const struct doorbell *last_ring[PLAN_LINK_MAX];
	struct virtio_net net[VM_MAX];
	struct lock cable[PLAN_LINK_MAX];
} step;

bool vms_takes_part(unsigned i)
{
	return step.taking_part >> i & 1;
}

/* Return whether the VM has only some colours of the pages in its window. */
static bool is_coloured(unsigned i)
{
	return step.config->colouring && step.plan->vm[i].colours;
}

/* QEMU's GICv2 does not sample a level again when a list register deactivates its interrupt: a
 * timer that is due again before the guest's EOI is lost. The bench guest, which measures the link,
 * has no handler in which a timer is due again. */
static bool loses_levels(void)
{
	return gic_version() == 2 && (step.plan->platform == PLATFORM_QEMU_ICOUNT ||
				      step.plan->platform == PLATFORM_QEMU_HOST);
}

/* Describe a VM. The physical SPIs belong to the measured VM. */
static void describe(unsigned i, const struct guest_run *run, pa_t ram_pa, uint64_t ram_size)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	struct vm_machine *machine = &step.machine[i];

	if (vm->image == PLAN_IMAGE_BENCH)
		guest_bench(machine, i, run, ram_pa, ram_size);
	else if (vm->image == PLAN_IMAGE_LOAD || vm->image == PLAN_IMAGE_CONTROL)
		guest_load(machine, i, run, step.beside, ram_pa, ram_size);
	else if (vm->image == PLAN_IMAGE_BACKGROUND)
		guest_background(machine);
	else
		guest_unmodified(machine, &step.plan->guest[vm->guest], vm, ram_pa,
				 step.vm[i].run->stage2 != STAGE2_OFF);
	if (is_coloured(i)) {
		machine->ram.linear = 0;
		machine->ram.colours = vm->colours;
		machine->ram.colour = vm->colour;
	}
	machine->cpus = vm->cpus;
	machine->unlinked = vm->image == PLAN_IMAGE_GUEST && loses_levels();
	if (vm->load)
		machine->run.config.beside = vm->load;
	if (vm->image != PLAN_IMAGE_GUEST && step.config->vcpus && step.config->vcpus < vm->cpus)
		machine->cpus = step.config->vcpus;
	machine->run.vcpu_count = machine->cpus;
	machine->run.is_control = vm->image == PLAN_IMAGE_CONTROL;
	machine->shares_console = step.plan->guest_vms > 1;
	machine->reports_restarts = step.plan->vm_count == 1;
	if (i == step.plan->measured && !machine->type->no_gic) {
		machine->spi_first = machine->raise_first = board.spi_first;
		machine->spi_count = machine->raise_count = board.spi_count;
	}
}

static void place(unsigned i, const struct guest_run *run, pa_t ram_pa, uint64_t ram_size)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	unsigned tables = TABLES((unsigned)(ram_size >> 20));

	step.vm[i] = (struct vm_config){
		.name = vm->name,
		.run = i == step.plan->measured ? step.config : step.beside,
		.machine = &step.machine[i],
		.tables = { .base = table_pages[step.tables_used], .count = tables },
		.space = spaces[i],
		.priority = vm->prio,
		.core = vm->core,
	};
	step.tables_used += tables;
	describe(i, run, ram_pa, ram_size);
}

/* Add a network device. An unmodified guest has it at the place of the first device of QEMU's virt.
 * The MAC address is locally administered. */
static void add_net(unsigned i, unsigned other, pa_t base, unsigned spi, struct lock *cable)
{
	bool unmodified = step.plan->vm[i].image == PLAN_IMAGE_GUEST;

	step.machine[i].kick_intid = spi + 1;
	step.net[i] = (struct virtio_net){
		.peer = &step.net[other],
		.sender = &vms[other],
		.cable = cable,
		.kick = spi + 1,
		.spi = unmodified ? 0 : spi,
		.base = unmodified ? VIRT_VIRTIO : base,
		.mac = { 0x02, 'h', 'y', 'p', 0, (uint8_t)(i + 1) },
	};
	step.machine[i].net = &step.net[i];
}

/* Add one end of a link. `intid` is the SPI of this end, `rings` the SPI of the other end. Both are
 * virtual if the measured VM owns the distributor, else physical. */
static void add_end(const struct plan_link *link, unsigned i, pa_t base, unsigned intid,
		    unsigned rings)
{
	struct vm_machine *machine = &step.machine[i];
	unsigned other = i == link->a ? link->b : link->a;
	bool physical = step.config->irq == IRQ_TRAPPED;

	if (link->kind == PLAN_LINK_VIRTIO) {
		add_net(i, other, base, intid, &step.cable[link - step.plan->link]);
	} else {
		step.doorbell[i] = (struct doorbell){
			.base = base,
			.rings = rings,
			.to = physical ? NULL : &vms[other],
			.last = &step.last_ring[link - step.plan->link],
		};
		machine->doorbell = &step.doorbell[i];
	}
	machine->run.link_intid = intid;
	if (step.plan->vm[i].image != PLAN_IMAGE_GUEST && physical)
		machine->link_intid = intid;
	machine->run.link_base = base;
	machine->run.link_kind = link->kind;
}

/* Place the links with IPA = PA, beyond the RAM of every VM that can have a link. The board's last
 * SPIs are the links', not the measured VM's. */
static void place_links(pa_t base)
{
	struct vm_machine *measured = &step.machine[step.plan->measured];
	unsigned intid = board.spi_first + board.spi_count;

	for (unsigned i = 0; i < step.plan->link_count; i++, base += LINK_SIZE) {
		const struct plan_link *link = &step.plan->link[i];

		if (!vms_takes_part(link->a) || !vms_takes_part(link->b))
			continue;
		intid -= LINK_SPIS;
		memset((void *)(uintptr_t)(base + LINK_WINDOW), 0, LINK_WINDOW_SIZE);
		step.last_ring[i] = NULL;
		add_end(link, link->a, base, intid, intid + 2);
		add_end(link, link->b, base, intid + 2, intid);
	}
	measured->spi_count = measured->raise_count = intid - board.spi_first;
	EACH_VM(i)
	step.machine[i].run.physical_spi_count = intid - board.spi_first;
}

/* Return the number of links in this configuration. */
static unsigned links_taking_part(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < step.plan->link_count; i++)
		count += vms_takes_part(step.plan->link[i].a) &&
			 vms_takes_part(step.plan->link[i].b);
	return count;
}

/* Make the load the active VM and the measured VM its standby. */
static void pair(void)
{
	unsigned standby = step.plan->measured, way = step.config->beside;
	unsigned spis = step.machine[standby].spi_count;

	EACH_VM(i)
	if (step.plan->vm[i].image == PLAN_IMAGE_LOAD && !step.plan->vm[i].load) {
		step.machine[i].partner = &vms[standby];
		step.machine[i].fails_over = way == BESIDE_FAULT || way == BESIDE_RANDOM;
		step.machine[standby].partner = &vms[i];
		if ((way == BESIDE_INTERRUPT || way == BESIDE_RANDOM) && spis) {
			step.machine[standby].takeover_intid = board.spi_first + spis - 1;
			step.machine[i].raise_first = board.spi_first + spis - 1;
			step.machine[i].raise_count = 1;
		}
	}
	EACH_VM(i)
	if (step.plan->vm[i].image == PLAN_IMAGE_CONTROL)
		step.machine[i].commands = step.machine[standby].partner;
}

/* Place all VMs. The measured VM gets the RAM that the others leave. */
static void place_all(const struct guest_run *run)
{
	pa_t links = board.guest_base + board.guest_size - step.plan->link_count * LINK_SIZE;
	unsigned measured = step.plan->measured;
	pa_t end = links;
	uint64_t size;

	step.tables_used = 0;
	EACH_VM(i)
	{
		const struct plan_vm *vm = &step.plan->vm[i];

		if (i == measured)
			continue;
		end -= (uint64_t)(is_coloured(i) ? vm->window_mib : vm->ram_mib) << 20;
		place(i, run, end, (uint64_t)vm->ram_mib << 20);
	}
	size = end - board.guest_base;
	if (is_coloured(measured))
		size = align_down(size / PLAN_COLOURS * step.plan->vm[measured].colours,
				  GUEST_WORKING_ALIGNMENT);
	place(measured, run, board.guest_base, size);
	place_links(links);
	if (step.config->beside >= BESIDE_CALL)
		pair();
}

/* Set the place of the core's stamps in the measured VM's RAM (abi/probe.h); runs on each core. */
static void stamp_there(void *ram)
{
	write_tpidr_el2((uintptr_t)ram + GUEST_PROBE_OFFSET);
}

static void stamp_in(const struct guest_ram *ram)
{
	for (unsigned core = 0; core < step.plan->core_count; core++)
		smp_call(core, stamp_there, (void *)(uintptr_t)ram_pa(ram, ram->base));
}

bool vms_place(const struct plan *plan, const struct run_config *config,
	       const struct guest_run *run)
{
	TEXT(why, 64);
	unsigned core_count;

	step.plan = plan;
	step.config = config;
	step.beside = &plan->beside[config - plan->config];
	step.taking_part = plan->taking_part[config - plan->config];
	if (links_taking_part() * LINK_SPIS > board.spi_count) {
		record_error("guest", "a link needs four SPIs of the board without a device");
		return false;
	}
	if (plan->ram_mib > board.guest_size >> 20 || board.guest_size >> 20 > RAM_MAX_MIB) {
		record_error("guest", "the VMs need more RAM, or stage-2 tables, than there are");
		return false;
	}
	if (config->colouring && cold_colours() - 1 < PLAN_COLOURS - 1) {
		text_format(&why, "colouring needs a cache of %ju colours: this core's has %ju",
			    (uintmax_t)PLAN_COLOURS, (uintmax_t)cold_colours());
		record_error("guest", why.at);
		return false;
	}
	core_count = smp_boot_bring_up(plan->core_count, core_loop_for_ever);
	if (core_count < plan->core_count) {
		text_format(&why, "the VMs want %ju cores: %ju came", (uintmax_t)plan->core_count,
			    (uintmax_t)core_count);
		record_error("guest", why.at);
		return false;
	}
	place_all(run);
	vms_reset(config, step.beside, plan->core_count);
	stamp_in(&step.machine[plan->measured].ram);
	exit_stats_reset(config);
	return true;
}

bool vms_create(unsigned i, void (*leaves)(const struct vm *vm))
{
	step.machine[i].leaves = leaves;
	if (!vm_create(&vms[i], &step.vm[i]))
		return false;
	for (unsigned n = 0; n < vms[i].vcpu_count; n++)
		exit_stats_attach(vms[i].vcpu[n]);
	return true;
}
