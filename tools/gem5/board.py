# SPDX-License-Identifier: Apache-2.0
"""Build and run a board of gem5's parts inside gem5: `gem5 board.py <settings as JSON>`.

hypbench.gem5 starts this script with the settings, and the run record has them. cores.py has the
core models. The platforms are gem5's own VExpress_GEM5_V1 (GICv2) and V2 (GICv3). The image's
console is standard output; gem5's own messages go to standard error.
"""

import json
import os
import sys

import m5
from m5.objects import (AddrRange, ArmAtomicSimpleCPU, ArmFsWorkload, ArmISA, ArmMMU, ArmPMU,
                        ArmPPI, ArmSemihosting, ArmStage2TLB, ArmSystem, ArmTLB, Armv8, Bridge,
                        IOXBar, IsaFake, L2XBar, MemCtrl, Parent, Root, SrcClockDomain, SystemXBar,
                        Terminal, VExpress_GEM5_V1, VExpress_GEM5_V2, VncServer, VoltageDomain)
from m5.objects.ArmPMU import ProbeEvent
from m5.objects.ArmSystem import ArmExtension

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cores  # noqa: E402

RAM = 0x80000000
COUNTER_HZ = 1000000000  # CNTPCT and CNTFRQ: a tick is a nanosecond
PMU_INTID = 23
L2D_TLB_REFILL = 0x2d  # DDI 0487 D7.10.2; gem5's own list has only the event of the first level
EVENT_COUNTERS = 6  # Cortex-A15 and A72 have six
ENDED_OTHERWISE = 3  # the simulation ended, but not by the image


def console_to_stdout():
    """Redirect the terminal, which writes to a file in the output folder, by a link to the present
    standard output."""
    console = os.dup(1)
    os.dup2(2, 1)
    path = os.path.join(m5.options.outdir, "system.terminal")
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(f"/proc/{os.getpid()}/fd/{console}", path)


def mmu_of(settings):
    """Return the MMU. Both levels are fully associative in gem5; a hit in the second level costs
    nothing."""
    walk_cache = ["L2"] if settings["walk_cache"] == "on" else []
    stage2 = settings["stage2_tlb"]
    return ArmMMU(
        l2_shared=ArmTLB(entry_type="unified", size=settings["l2_tlb"],
                         partial_levels=walk_cache),
        itb=ArmTLB(entry_type="instruction", size=settings["itlb"], next_level=Parent.l2_shared),
        dtb=ArmTLB(entry_type="data", size=settings["dtlb"], next_level=Parent.l2_shared),
        stage2_itb=ArmStage2TLB(entry_type="instruction", size=stage2),
        stage2_dtb=ArmStage2TLB(entry_type="data", size=stage2))


def add_cpu(system, number, settings):
    """Add the core as two models, one of which runs at a time, with one set of caches and one PMU,
    so that the counters continue at a switch."""
    fast = ArmAtomicSimpleCPU(cpu_id=number, mmu=mmu_of(settings))
    timed = cores.CORES[settings["core"]](cpu_id=number, mmu=mmu_of(settings), switched_out=True)
    pmu = ArmPMU(interrupt=ArmPPI(num=PMU_INTID), eventCounters=EVENT_COUNTERS)
    for cpu in (fast, timed):
        cpu.isa = [ArmISA(midr=settings["midr"], pmu=pmu)]
        cpu.createThreads()
    fast.createInterruptController()
    fast.addPrivateSplitL1Caches(*cores.l1_caches(settings))
    fast.connectCachedPorts(system.l2_bus.cpu_side_ports)
    # A switch moves the walkers of stage 1 to the other model, but not the walkers of stage 2.
    for walker in (timed.mmu.stage2_itb_walker, timed.mmu.stage2_dtb_walker):
        walker.port = system.l2_bus.cpu_side_ports
    for cpu in (fast, timed):
        pmu.addArchEvents(cpu=cpu, itb=cpu.mmu.itb, dtb=cpu.mmu.dtb)
        pmu.addEvent(ProbeEvent(pmu, L2D_TLB_REFILL, cpu.mmu.l2_shared, "Refills"))
    return fast, timed


def add_cpus(system, settings):
    system.cpu_clock = SrcClockDomain(clock=f"{settings['clock_mhz']}MHz",
                                      voltage_domain=system.voltage_domain)
    system.l2_bus = L2XBar(clk_domain=system.cpu_clock)
    system.l2 = cores.l2_cache(settings)
    system.l2.clk_domain = system.cpu_clock
    system.l2.cpu_side = system.l2_bus.mem_side_ports
    system.l2.mem_side = system.membus.cpu_side_ports
    pairs = [add_cpu(system, number, settings) for number in range(settings["cores"])]
    system.cpu = [fast for fast, _ in pairs]
    system.timed_cpu = [timed for _, timed in pairs]
    for cpu in (*system.cpu, *system.timed_cpu):
        cpu.clk_domain = system.cpu_clock
    return pairs


def add_devices(system, settings):
    v3 = settings["gic"] == "gicv3"
    system.realview = VExpress_GEM5_V2() if v3 else VExpress_GEM5_V1()
    if v3:
        system.realview.gic.gicv4 = False
    system.realview.sys_counter.freqs = [COUNTER_HZ]
    system.realview.generic_timer.cntfrq = COUNTER_HZ
    system.terminal, system.vncserver = Terminal(outfile="file"), VncServer()
    system.membus = SystemXBar()
    system.iobus = IOXBar()
    # An access to an address without a device would end the simulation; here it reads zero.
    for bus in (system.membus, system.iobus):
        bus.nothing = IsaFake(pio_addr=0, pio_size=1 << 48, fake_mem=True, ret_data8=0,
                              ret_data16=0, ret_data32=0, ret_data64=0)
        bus.default = bus.nothing.pio
    system.bridge = Bridge(delay="50ns", mem_side_port=system.iobus.cpu_side_ports,
                           cpu_side_port=system.membus.mem_side_ports)
    system.realview.attachOnChipIO(system.membus, system.bridge)
    system.realview.attachIO(system.iobus)
    system.system_port = system.membus.cpu_side_ports


def system_of(settings):
    release = Armv8()  # the features of Cortex-A72; on ARMv7 the features of EL1 and EL2
    if settings["isa"] == "armv8":
        release.remove(ArmExtension("SECURITY"))  # the image is entered at EL2
    memory = AddrRange(RAM, size=settings["ram"])
    system = ArmSystem(
        release=release, highest_el_is_64=settings["isa"] == "armv8", mem_mode="atomic",
        mem_ranges=[memory], exit_on_work_items=True,
        semihosting=ArmSemihosting(files_root_dir=m5.options.outdir),
        workload=ArmFsWorkload(object_file=settings["image"]))
    system.voltage_domain = VoltageDomain(voltage="1V")
    system.clk_domain = SrcClockDomain(clock="1GHz", voltage_domain=system.voltage_domain)
    add_devices(system, settings)
    system.memory = MemCtrl(dram=getattr(m5.objects, settings["memory"])(range=memory))
    system.memory.port = system.membus.mem_side_ports
    return system


def run(system, pairs, always_timed):
    """Run until the image ends the simulation. A work item marks where a sample of the guest begins
    or ends. The models change there, unless the timing model runs all the time."""
    timed = False
    timed_next = always_timed
    while True:
        if timed_next != timed:
            switched = pairs if timed_next else [pair[::-1] for pair in pairs]
            m5.switchCpus(system, switched, verbose=False)
            timed = timed_next
        event = m5.simulate()
        if event.getCause() not in ("workbegin", "workend"):
            return event.getCause(), event.getCode()
        timed_next = always_timed or event.getCause() == "workbegin"


def main(settings):
    console_to_stdout()
    system = system_of(settings)
    pairs = add_cpus(system, settings)
    Root(full_system=True, system=system)
    m5.instantiate()
    m5.simulate(1)  # gem5 can switch CPUs only after the simulation has begun
    cause, code = run(system, pairs, settings["start"] == "timing")
    if cause.startswith("semi:"):
        sys.exit(code)
    print(f"the simulation ended: {cause}", file=sys.stderr)
    sys.exit(ENDED_OTHERWISE)


main(json.loads(sys.argv[1]))
