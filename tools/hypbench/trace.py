# SPDX-License-Identifier: Apache-2.0
"""Write the trace of a run for the Perfetto UI (ui.perfetto.dev) from `trace` records alone. EL2
keeps the last exits of each vCPU, and the times at which an event pauses or resumes the vCPU.
Everything else in the trace follows from these records.

The trace has four groups of tracks: cores, each with the vCPU that runs; vCPUs, each with its
exits, its pauses and the guest between them; timers, each from the time at which it fires to the
exit of its interrupt; steps. A flow leads from a timer, the ring of a doorbell, a virtio device's
notification, or an SGI to another vCPU, to the exit of the interrupt that this causes, and from
there to the guest that handles the interrupt. A vCPU handles an SGI to itself after its own exit.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

from hypbench import abi
from hypbench.plan_model import Plan, check_config
from hypbench.plan_vms import Link
from hypbench.plan_words import Mistake
from hypbench.records import Data, Log
from hypbench.trace_names import (ACCESSES, CATEGORIES, HYPERCALLS, INTERRUPTS, LINK_SIZE,
                                  PLAN_VM_CPUS, RING, Argument, arguments)

NS = 1_000_000_000
SEQUENCE = 1  # packets of one sequence are all of one writer
# These interrupts are for EL2 or another VM. The guest that continues handles no interrupt, unless
# it is the guest of that other VM.
OWN_INTERRUPTS = ("hyp-timer", "other", "maintenance")
PAUSE, RESUME = "pause", "resume"  # kinds of records that are no exits
LATEST_NS = 1 << 63
# The upper bits of an interrupt's argument have the ticks since its timer fired.
LATE_SHIFT, LATE_MOST = 32, (1 << 32) - 1
# The lower bits of other arguments have an IPA or a syndrome; the upper bits have the written value
# (trap_account.c).
IPA_BITS, SYNDROME_BITS = 40, 32
STORE_FROM = 8  # the lowest bit of a stored value that the trace keeps
CPU_OFF = 0x84000002  # function of PSCI
GICD_SGIR = 0xf00  # IHI 0048B 4.3.15
# Syndrome of MSR ICC_SGI1R_EL1 (DDI 0487 D13.2.37): EC, Op0, Op2, Op1, CRn, CRm, direction
MSR_SGI1R, MSR_MASK = 0x18 << 26 | 3 << 20 | 5 << 17 | 12 << 10 | 11 << 1, 0x3f << 26 | 0x3ffc1f
NOTIFY = abi.constant("VIRTIO_QUEUE_NOTIFY")
SPI_FIRST = 32
Place = tuple[str, int]  # a VM's name, a vCPU's index


@dataclass(frozen=True)
class Exit:
    place: Place
    core: int
    start: int  # in ticks
    end: int
    kind: str
    arg: int
    paused: bool = False  # whether the VM is paused at the end of the exit
    late: int = 0  # ticks from the timer's expiry to the exit; LATE_MOST: or more
    value: int = 0  # value of a store (without its bits 7 to 0) or MSR; else without meaning

    @property
    def name(self) -> str:
        """Return the name in a picture, which has no arguments."""
        if self.kind == "hvc":
            return f"hvc {HYPERCALLS.get(self.arg, hex(self.arg))}"
        return f"{self.kind} {self.arg if self.kind in INTERRUPTS else hex(self.arg)}"


@dataclass(frozen=True)
class Turn:
    """A core's time with one vCPU, or a vCPU's pause."""

    place: Place
    core: int
    start: int
    end: int


def with_trace(plan: Plan) -> Plan:
    """Return the plan with trace=on, except in configurations that cannot be traced."""
    on = abi.axes()["trace"].index("on")
    return replace(plan, configs={name: traced if is_possible(name, traced) else config
                                  for name, config in plan.configs.items()
                                  for traced in [config | {"trace": on}]})


def is_possible(name: str, config: dict[str, int]) -> bool:
    try:
        check_config(name, config)
    except Mistake:
        return False
    return True


def is_possible_exit(data: Data, plan: Plan, hz: int) -> bool:
    """Return whether a record can be an exit. A guest can forge a record that names a vCPU that the
    plan lacks, or has a time that the format cannot hold."""
    vm = plan.vms.get(data["vm"])
    return (vm is not None and data.get("vcpu", PLAN_VM_CPUS) < len(vm.cores)
            and (data["t"] + data["dur"]) * NS // hz < LATEST_NS)


def exits_of(log: Log, plan: Plan) -> dict[int, list[Exit]]:
    """Return the exits, pauses and resumptions of each step in the order of their beginnings. A
    core's exits begin where every vCPU of the core has kept exits, because earlier exits may be
    missing."""
    steps: dict[int, list[Exit]] = defaultdict(list)
    for data in log.of_kind("trace"):
        if not is_possible_exit(data, plan, log.run["hz"]):
            continue
        place = data["vm"], data["vcpu"]
        arg, late, value = int(data["arg"], 0), 0, 0
        if data["event"] in INTERRUPTS:
            late, arg = divmod(arg, 1 << LATE_SHIFT)
        elif data["event"] in ACCESSES:
            value, arg = arg >> IPA_BITS << STORE_FROM, arg % (1 << IPA_BITS)
        else:
            value, arg = divmod(arg, 1 << SYNDROME_BITS)
        steps[data["step"]].append(Exit(
            place, plan.vms[data["vm"]].cores[data["vcpu"]], data["t"], data["t"] + data["dur"],
            data["event"], arg, bool(data.get("paused")), late, value))
    return {step: sorted(complete(exits), key=lambda exit: exit.start)
            for step, exits in steps.items()}


def has_exits(log: Log, plan: Plan) -> bool:
    """Return whether a trace shows anything. Pauses are drawn only between exits."""
    return any(exit.kind not in (PAUSE, RESUME) for exits in exits_of(log, plan).values()
               for exit in exits)


def complete(exits: list[Exit]) -> Iterator[Exit]:
    first: dict[tuple[int, Place], int] = {}
    for exit in exits:
        key = exit.core, exit.place
        first[key] = min(exit.start, first.get(key, exit.start))
    for exit in exits:
        if exit.start >= max(start for (core, _), start in first.items() if core == exit.core):
            yield exit


def doorbells_of(plan: Plan, board: dict[str, int]) -> dict[int, Link]:
    """Return the link in each unit of 2 MiB of RAM. place_links() of hyp/run/vms.c places links in
    the same way."""
    end = board["guest_base"] + board["guest_size"]
    return {end // LINK_SIZE - len(plan.links) + i: link
            for i, link in enumerate(plan.links.values())}


def rings_of(exits: list[Exit], doorbells: dict[int, Link]) -> list[tuple[Exit, Exit]]:
    """Return (ring, interrupt) for each interrupt over a link. The ring is the first one for the
    interrupt; later rings before the exit add nothing. The interrupt may come while another VM has
    the core."""
    waiting: dict[str, Exit] = {}  # the first ring, by the VM that will receive the interrupt
    owner = {exit.arg: exit.place[0] for exit in exits
             if exit.kind == "irq" and exit.arg >= SPI_FIRST}
    rings = []
    for exit in exits:
        vm, link = exit.place[0], doorbells.get(exit.arg // LINK_SIZE)
        if link and is_ring(exit, link) and vm in (link.a, link.b):
            waiting.setdefault(link.b if vm == link.a else link.a, exit)
        elif exit.kind in ("irq", "other") and owner.get(exit.arg) in waiting:
            rings.append((waiting.pop(owner[exit.arg]), exit))
    return rings


def is_ring(exit: Exit, link: Link) -> bool:
    """Return whether an exit rings a link. A virtio device has one register that rings, with which
    a guest announces buffers."""
    return exit.kind == RING and (link.kind != "virtio" or exit.arg % LINK_SIZE == NOTIFY)


def sgi_targets(exit: Exit, plan: Plan, board: dict[str, int]) -> set[int]:
    """Return the vCPUs to which an exit sends an SGI. They are of the exit's own VM."""
    all_vcpus, own_vcpu = set(range(len(plan.vms[exit.place[0]].cores))), {exit.place[1]}
    if "gic.redist" not in board and (exit.kind, exit.arg) == (RING, board["gic.dist"] + GICD_SGIR):
        targets = {n for n in all_vcpus if exit.value >> 16 + n & 1}
        return {0: targets, 1: all_vcpus - own_vcpu, 2: own_vcpu}.get(exit.value >> 24 & 3, set())
    if exit.kind == "sysreg" and exit.arg & MSR_MASK == MSR_SGI1R:
        targets = {n for n in all_vcpus if exit.value >> n & 1}
        # The record does not have bit 40, IRM.
        return targets if exit.value & 0xffff else all_vcpus - own_vcpu
    return set()


def sgis_of(marked: list[Exit], plan: Plan, board: dict[str, int]) -> Iterator[tuple[Exit, Exit]]:
    """Yield each SGI to a vCPU of another core, with the kick that the SGI causes there.

    The kick is the core's first kick after the SGI, because one kick covers all SGIs until then.
    The core takes the kick before any other exit of a guest. If the core has another exit first, or
    the core's last vCPU was paused or off, EL2 took the kick, which is no exit.
    """
    cores: dict[int, list[Exit]] = defaultdict(list)
    for sender in marked:
        cores[sender.core].append(sender)
    for sender in marked:
        for target in sgi_targets(sender, plan, board):
            core = plan.vms[sender.place[0]].cores[target]
            before = bisect_right(cores[core], sender.start, key=lambda later: later.start)
            if core == sender.core or before == 0 or may_be_idle(cores[core][before - 1]):
                continue
            first = next((later for later in cores[core][before:] if later.kind == "kick"
                          or (later.start > sender.end and later.kind not in INTERRUPTS)), sender)
            if first.kind == "kick":
                yield sender, first


def may_be_idle(last: Exit) -> bool:
    """Return whether a core may have no vCPU after the exit `last`."""
    return last.kind == PAUSE or (last.paused and last.kind != RESUME) or last.arg == CPU_OFF


def fires_of(exits: list[Exit]) -> Iterator[Exit]:
    """Yield one core's exits of timers that fired after the same timer's last exit. A timer that
    fired earlier has a compare value that was set in the past, at an unknown time."""
    last: dict[tuple[Place, int], int] = {}
    for exit in exits:
        timer = exit.place, exit.arg
        if 0 < exit.late < LATE_MOST and exit.start - exit.late >= last.get(timer, exits[0].start):
            yield exit
        if exit.kind in INTERRUPTS:
            last[timer] = exit.start


def turns_of(exits: list[Exit]) -> list[Turn]:
    """Return one core's turns. An exit of another vCPU than that of the last exit shows that EL2
    switched at the end of the last exit."""
    turns: list[Turn] = []
    for exit in exits:
        if turns and turns[-1].place == exit.place:
            turns[-1] = replace(turns[-1], end=exit.end)
        else:
            turns.append(Turn(exit.place, exit.core, turns[-1].end if turns else exit.start,
                              exit.end))
    return turns


def pauses_of(marked: list[Exit]) -> list[Turn]:
    """Return each vCPU's pauses.

    A pause begins where an event pauses the VM, or at the end of the exit that pauses the VM. The
    pause ends where an event resumes the VM, or at the end of the partner's exit that pauses the
    partner. If there is neither, the pause ends at the vCPU's next exit, the first sign of life.
    """
    pauses: list[Turn] = []
    stopped: dict[Place, int] = {}
    ends: dict[str, int] = {}  # by VM: the end of the last exit that paused it
    for exit in marked:
        if exit.kind == PAUSE:
            stopped.setdefault(exit.place, exit.start)
            continue
        if exit.place in stopped:
            start = stopped.pop(exit.place)
            others = [end for vm, end in ends.items()
                      if vm != exit.place[0] and start < end <= exit.start and exit.kind != RESUME]
            pauses.append(Turn(exit.place, exit.core, start, max(others, default=exit.start)))
        if exit.paused and exit.kind != RESUME:
            stopped[exit.place] = ends[exit.place[0]] = exit.end
    return pauses


class Builder:
    def __init__(self, hz: int, doorbells: dict[int, Link], board: dict[str, int]):
        self.hz, self.doorbells, self.board = hz, doorbells, board
        self.packets: list[tuple[bool, TracePacket]] = []  # True: it ends an earlier slice
        self.uuids: dict[tuple[str, ...], int] = {}
        self.flows = 0
        self.begins: dict[Exit, TrackEvent] = {}

    def ns(self, ticks: int) -> int:
        return ticks * NS // self.hz

    def packet(self, ends: bool = False) -> TracePacket:
        self.packets.append((ends, TracePacket(trusted_packet_sequence_id=SEQUENCE)))
        return self.packets[-1][1]

    def track(self, *path: str) -> int:
        """Return the track of a path. Its place is below the tracks of the path's earlier names."""
        if path not in self.uuids:
            parent = self.track(*path[:-1]) if len(path) > 1 else 0
            self.uuids[path] = len(self.uuids) + 1
            track = self.packet().track_descriptor
            track.uuid, track.name = self.uuids[path], path[-1]
            if parent:
                track.parent_uuid = parent
        return self.uuids[path]

    def slice(self, track: int, name: str, category: str, start: int, end: int,
              **details: Argument) -> TrackEvent:
        """Write a slice with its arguments."""
        begin, stop = self.packet(), self.packet(self.ns(start) < self.ns(end))
        begin.timestamp, stop.timestamp = self.ns(start), self.ns(end)
        begin.track_event.type = TrackEvent.TYPE_SLICE_BEGIN
        begin.track_event.name = name
        begin.track_event.categories.append(category)
        for argument, value in details.items():
            note = begin.track_event.debug_annotations.add(name=argument)
            if isinstance(value, int):
                note.uint_value = value
            else:
                note.string_value = value
        stop.track_event.type = TrackEvent.TYPE_SLICE_END
        begin.track_event.track_uuid = stop.track_event.track_uuid = track
        return begin.track_event

    def serialize(self) -> bytes:
        """Return the packets in the order of times. Ends come before begins of the same time."""
        self.packets.sort(key=lambda entry: (entry[1].timestamp, not entry[0]))
        return Trace(packet=[packet for _, packet in self.packets]).SerializeToString()

    def flow(self, begin: TrackEvent, end: TrackEvent) -> None:
        self.flows += 1
        begin.flow_ids.append(self.flows)
        end.terminating_flow_ids.append(self.flows)

    def core(self, core: int, exits: list[Exit], pauses: list[Turn], self_sgis: set[Exit]) -> None:
        """Write a core's exits. An interrupt's flow leads from its timer to its exit, and from the
        exit to the guest that the core runs then, which handles the interrupt. A flow also leads
        from each of `self_sgis`, which send an SGI to their own vCPU, to the guest after it."""
        for turn in turns_of(exits):
            self.slice(self.track("cores", f"core {core}"), vcpu_name(turn.place), "core",
                       turn.start, turn.end)
        for pause in pauses:
            self.slice(self.track("vCPUs", vcpu_name(pause.place)), "paused", "pause",
                       pause.start, pause.end)
        resumed: dict[Place, list[int]] = defaultdict(list)
        for pause in pauses:
            resumed[pause.place].append(pause.end)
        for exit, following in zip_longest(exits, exits[1:]):
            begin = self.begins[exit] = self.exit(exit)
            if not following:
                continue
            ends = resumed[following.place]
            earlier = bisect_right(ends, following.start)
            start = max(exit.end, ends[earlier - 1] if earlier else 0)
            if start < following.start:
                runs = self.slice(self.track("vCPUs", vcpu_name(following.place)), "guest", "guest",
                                  start, following.start)
                if handles(exit, following) or (
                        exit in self_sgis and following.place == exit.place):
                    self.flow(begin, runs)
        for exit in fires_of(exits):
            track = self.track("timers", f"{vcpu_name(exit.place)}, INTID {exit.arg}")
            fired = self.slice(track, "fired", "timer", exit.start - exit.late, exit.start,
                               intid=exit.arg, late_ticks=exit.late)
            self.flow(fired, self.begins[exit])

    def exit(self, exit: Exit) -> TrackEvent:
        """Write an exit. Its name is its kind alone, so that a query groups exits by name."""
        details = arguments(exit.kind, exit.arg, exit.value, self.doorbells, self.board)
        if exit.kind == "irq":
            details |= {"injects": exit.arg}
        return self.slice(self.track("vCPUs", vcpu_name(exit.place)), exit.kind,
                          CATEGORIES.get(exit.kind, "other"), exit.start, exit.end,
                          ticks=exit.end - exit.start, vm=exit.place[0], vcpu=exit.place[1],
                          core=exit.core, **details)


def handles(exit: Exit, following: Exit) -> bool:
    """Return whether the vCPU of the core's following exit handles the interrupt of an exit."""
    return exit.kind in INTERRUPTS and (exit.kind not in OWN_INTERRUPTS
                                        or following.place != exit.place)


def vcpu_name(place: Place) -> str:
    return f"{place[0]} vCPU {place[1]}"


def step_name(data: Data) -> str:
    return f"{data['bench']}, {data['config']}"


def trace_of(log: Log, plan: Plan, board: dict[str, int] | None = None) -> bytes:
    """Return the trace of a log. `board`: the numbers of the board's files, which the flows of
    links and SGIs need."""
    doorbells = doorbells_of(plan, board) if board else {}
    builder = Builder(log.run["hz"], doorbells, board or {})
    names = {data["step"]: step_name(data) for data in log.of_kind("step")}
    for step, marked in sorted(exits_of(log, plan).items()):
        exits = [exit for exit in marked if exit.kind not in (PAUSE, RESUME)]
        if not exits:
            continue
        builder.slice(builder.track("steps"), names.get(step, f"step {step}"), "step",
                      exits[0].start, max(exit.end for exit in exits))
        pauses = pauses_of(marked)
        self_sgis = {exit for exit in exits
                     if board and exit.place[1] in sgi_targets(exit, plan, board)}
        for core in sorted({exit.core for exit in exits}):
            builder.core(core, [exit for exit in exits if exit.core == core],
                         [pause for pause in pauses if pause.core == core], self_sgis)
        sgis = sgis_of(marked, plan, board) if board else ()
        for sender, arrival in (*rings_of(exits, doorbells), *sgis):
            builder.flow(builder.begins[sender], builder.begins[arrival])
    return builder.serialize()
