# SPDX-License-Identifier: Apache-2.0
"""Write the trace of a run for the Perfetto UI (ui.perfetto.dev) from `trace` records alone. EL2
keeps the last exits of each vCPU, and where an event pauses or resumes it; all else follows from
them.

Groups of tracks: cores, each with the vCPU that runs; vCPUs, each with its exits, its pauses and
the guest between them; timers, each from where it fires to the exit of its interrupt; steps. Flows
lead from a timer, the ring of a doorbell, a virtio device's notification, or an SGI to another
vCPU, to the exit of the interrupt that it makes, and from there to the guest that handles the
interrupt. A vCPU handles an SGI to itself after its own exit.
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
# Interrupts of EL2 or of another VM. The guest that continues has no interrupt, unless it is that
# other VM.
OWN_INTERRUPTS = ("hyp-timer", "other", "maintenance")
PAUSE, RESUME = "pause", "resume"  # kinds of records that are no exits
LATEST_NS = 1 << 63
# upper bits of an interrupt's argument: ticks since its timer fired
LATE_SHIFT, LATE_MOST = 32, (1 << 32) - 1
# lower bits of other arguments; the upper bits have the written value (trap_account.c)
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
    paused: bool = False  # the VM is paused at the end of the exit
    late: int = 0  # ticks from the timer's expiry to the exit; LATE_MOST: or more
    value: int = 0  # value of a store (without its bits 7 to 0) or MSR; else without meaning

    @property
    def name(self) -> str:
        """The name in a picture, which has no arguments."""
        if self.kind == "hvc":
            return f"hvc {HYPERCALLS.get(self.arg, hex(self.arg))}"
        return f"{self.kind} {self.arg if self.kind in INTERRUPTS else hex(self.arg)}"


@dataclass(frozen=True)
class Turn:
    """A core's time with one vCPU, or a vCPU's time between two exits."""

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
    """Return whether a record can be an exit. A guest can forge a record of a vCPU that the plan
    lacks, or with a time that the format cannot hold."""
    vm = plan.vms.get(data["vm"])
    return (vm is not None and data.get("vcpu", PLAN_VM_CPUS) < len(vm.cores)
            and (data["t"] + data["dur"]) * NS // hz < LATEST_NS)


def exits_of(log: Log, plan: Plan) -> dict[int, list[Exit]]:
    """Return the exits of each step in the order of their beginnings. A core's exits begin where
    every vCPU of the core has kept exits, because earlier ones may be missing."""
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
    return {step: sorted(complete(exits), key=lambda one: one.start)
            for step, exits in steps.items()}


def has_exits(log: Log, plan: Plan) -> bool:
    """Return whether a trace shows anything; pauses are drawn only between exits."""
    return any(one.kind not in (PAUSE, RESUME) for exits in exits_of(log, plan).values()
               for one in exits)


def complete(exits: list[Exit]) -> Iterator[Exit]:
    first: dict[tuple[int, Place], int] = {}
    for one in exits:
        key = one.core, one.place
        first[key] = min(one.start, first.get(key, one.start))
    for one in exits:
        if one.start >= max(start for (core, _), start in first.items() if core == one.core):
            yield one


def doorbells_of(plan: Plan, board: dict[str, int]) -> dict[int, Link]:
    """Return the link in each unit of 2 MiB of RAM, as place_links() of hyp/run/vms.c places
    links."""
    end = board["guest_base"] + board["guest_size"]
    return {end // LINK_SIZE - len(plan.links) + i: link
            for i, link in enumerate(plan.links.values())}


def rings_of(exits: list[Exit], doorbells: dict[int, Link]) -> list[tuple[Exit, Exit]]:
    """Yield each interrupt over a link, with the first ring for it; later rings before the exit add
    nothing. The interrupt may come while another VM has the core."""
    waiting: dict[str, Exit] = {}  # VM that will receive an interrupt
    owner = {one.arg: one.place[0] for one in exits if one.kind == "irq" and one.arg >= SPI_FIRST}
    found = []
    for one in exits:
        vm, link = one.place[0], doorbells.get(one.arg // LINK_SIZE)
        if link and is_ring(one, link) and vm in (link.a, link.b):
            waiting.setdefault(link.b if vm == link.a else link.a, one)
        elif one.kind in ("irq", "other") and owner.get(one.arg) in waiting:
            found.append((waiting.pop(owner[one.arg]), one))
    return found


def is_ring(one: Exit, link: Link) -> bool:
    """Return whether an exit rings a link. Only one register of a virtio device announces
    buffers."""
    return one.kind == RING and (link.kind != "virtio" or one.arg % LINK_SIZE == NOTIFY)


def sgi_targets(one: Exit, plan: Plan, board: dict[str, int]) -> set[int]:
    """Return the vCPUs of its VM to which an exit sends an SGI."""
    everyone, own = set(range(len(plan.vms[one.place[0]].cores))), {one.place[1]}
    if "gic.redist" not in board and (one.kind, one.arg) == (RING, board["gic.dist"] + GICD_SGIR):
        listed = {n for n in everyone if one.value >> 16 + n & 1}
        return {0: listed, 1: everyone - own, 2: own}.get(one.value >> 24 & 3, set())
    if one.kind == "sysreg" and one.arg & MSR_MASK == MSR_SGI1R:
        listed = {n for n in everyone if one.value >> n & 1}
        # bit 40, IRM, is not kept in the record
        return listed if one.value & 0xffff else everyone - own
    return set()


def sgis_of(marked: list[Exit], plan: Plan, board: dict[str, int]) -> Iterator[tuple[Exit, Exit]]:
    """Yield each SGI to a vCPU of another core, with the kick that it causes there.

    The kick is the core's first one after the SGI, because one kick covers all SGIs until then. The
    core takes the kick before anything else of a guest. Otherwise, or if the core's last vCPU was
    paused or off, EL2 took the kick, which is no exit.
    """
    cores: dict[int, list[Exit]] = defaultdict(list)
    for one in marked:
        cores[one.core].append(one)
    for one in marked:
        for target in sgi_targets(one, plan, board):
            core = plan.vms[one.place[0]].cores[target]
            before = bisect_right(cores[core], one.start, key=lambda other: other.start)
            if core == one.core or before == 0 or is_left(cores[core][before - 1]):
                continue
            first = next((other for other in cores[core][before:] if other.kind == "kick"
                          or (other.start > one.end and other.kind not in INTERRUPTS)), one)
            if first.kind == "kick":
                yield one, first


def is_left(last: Exit) -> bool:
    """Return whether a core whose last exit is this one may have no vCPU."""
    return last.kind == PAUSE or (last.paused and last.kind != RESUME) or last.arg == CPU_OFF


def fires_of(exits: list[Exit]) -> Iterator[Exit]:
    """Return the exits of timers of one core that fired after the timer's last exit. An earlier
    compare value was set in the past, at an unknown time."""
    last: dict[tuple[Place, int], int] = {}
    for one in exits:
        timer = one.place, one.arg
        if 0 < one.late < LATE_MOST and one.start - one.late >= last.get(timer, exits[0].start):
            yield one
        if one.kind in INTERRUPTS:
            last[timer] = one.start


def turns_of(exits: list[Exit]) -> list[Turn]:
    """Return one core's turns. An exit of another vCPU than the last shows that EL2 switched at the
    end of the last exit."""
    turns: list[Turn] = []
    for one in exits:
        if turns and turns[-1].place == one.place:
            turns[-1] = replace(turns[-1], end=one.end)
        else:
            turns.append(Turn(one.place, one.core, turns[-1].end if turns else one.start, one.end))
    return turns


def pauses_of(marked: list[Exit]) -> list[Turn]:
    """Return each vCPU's pauses.

    A pause begins where an event pauses the VM, or at the end of the exit that pauses it. It ends
    where an event resumes the VM, or at the end of the partner's exit that pauses the partner;
    without either, at the vCPU's next exit, the first sign of life.
    """
    found: list[Turn] = []
    stopped: dict[Place, int] = {}
    ends: dict[str, int] = {}  # by VM: the end of the last exit that paused it
    for one in marked:
        if one.kind == PAUSE:
            stopped.setdefault(one.place, one.start)
            continue
        if one.place in stopped:
            start = stopped.pop(one.place)
            others = [end for vm, end in ends.items()
                      if vm != one.place[0] and start < end <= one.start and one.kind != RESUME]
            found.append(Turn(one.place, one.core, start, max(others, default=one.start)))
        if one.paused and one.kind != RESUME:
            stopped[one.place] = ends[one.place[0]] = one.end
    return found


class Builder:
    def __init__(self, hz: int, doorbells: dict[int, Link], board: dict[str, int]):
        self.hz, self.doorbells, self.board = hz, doorbells, board
        self.packets: list[tuple[bool, TracePacket]] = []  # whether the event ends an earlier slice
        self.uuids: dict[tuple[str, ...], int] = {}
        self.flows = 0
        self.begins: dict[Exit, TrackEvent] = {}

    def ns(self, ticks: int) -> int:
        return ticks * NS // self.hz

    def packet(self, ends: bool = False) -> TracePacket:
        self.packets.append((ends, TracePacket(trusted_packet_sequence_id=SEQUENCE)))
        return self.packets[-1][1]

    def track(self, *path: str) -> int:
        """Return a track with its place below the earlier tracks of the path."""
        if path not in self.uuids:
            parent = self.track(*path[:-1]) if len(path) > 1 else 0
            self.uuids[path] = len(self.uuids) + 1
            track = self.packet().track_descriptor
            track.uuid, track.name = self.uuids[path], path[-1]
            if parent:
                track.parent_uuid = parent
        return self.uuids[path]

    def slice(self, track: int, name: str, category: str, start: int, end: int,
              **said: Argument) -> TrackEvent:
        """Write a slice with its arguments."""
        begin, stop = self.packet(), self.packet(self.ns(start) < self.ns(end))
        begin.timestamp, stop.timestamp = self.ns(start), self.ns(end)
        begin.track_event.type = TrackEvent.TYPE_SLICE_BEGIN
        begin.track_event.name = name
        begin.track_event.categories.append(category)
        for argument, value in said.items():
            note = begin.track_event.debug_annotations.add(name=argument)
            if isinstance(value, int):
                note.uint_value = value
            else:
                note.string_value = value
        stop.track_event.type = TrackEvent.TYPE_SLICE_END
        begin.track_event.track_uuid = stop.track_event.track_uuid = track
        return begin.track_event

    def serialize(self) -> bytes:
        """Return the events in the order of times; ends come before begins at the same time."""
        self.packets.sort(key=lambda one: (one[1].timestamp, not one[0]))
        return Trace(packet=[packet for _, packet in self.packets]).SerializeToString()

    def flow(self, begin: TrackEvent, end: TrackEvent) -> None:
        self.flows += 1
        begin.flow_ids.append(self.flows)
        end.terminating_flow_ids.append(self.flows)

    def core(self, core: int, exits: list[Exit], pauses: list[Turn], own: set[Exit]) -> None:
        """Write a core's exits. An interrupt's flow leads from its timer to its exit, and from
        there to what the core runs then: the handler's VM. After `own`, exits that send SGIs to
        their own vCPU also lead there."""
        for turn in turns_of(exits):
            self.slice(self.track("cores", f"core {core}"), vcpu_name(turn.place), "core",
                       turn.start, turn.end)
        for pause in pauses:
            self.slice(self.track("vCPUs", vcpu_name(pause.place)), "paused", "pause",
                       pause.start, pause.end)
        resumed: dict[Place, list[int]] = defaultdict(list)
        for pause in pauses:
            resumed[pause.place].append(pause.end)
        for one, following in zip_longest(exits, exits[1:]):
            begin = self.begins[one] = self.exit(one)
            if not following:
                continue
            ends = resumed[following.place]
            earlier = bisect_right(ends, following.start)
            start = max(one.end, ends[earlier - 1] if earlier else 0)
            if start < following.start:
                runs = self.slice(self.track("vCPUs", vcpu_name(following.place)), "guest", "guest",
                                  start, following.start)
                if handles(one, following) or (one in own and following.place == one.place):
                    self.flow(begin, runs)
        for one in fires_of(exits):
            track = self.track("timers", f"{vcpu_name(one.place)}, INTID {one.arg}")
            fired = self.slice(track, "fired", "timer", one.start - one.late, one.start,
                               intid=one.arg, late_ticks=one.late)
            self.flow(fired, self.begins[one])

    def exit(self, one: Exit) -> TrackEvent:
        """Write an exit, named by its kind alone, so that a query groups exits by their names."""
        said = arguments(one.kind, one.arg, one.value, self.doorbells, self.board)
        if one.kind == "irq":
            said |= {"injects": one.arg}
        return self.slice(self.track("vCPUs", vcpu_name(one.place)), one.kind,
                          CATEGORIES.get(one.kind, "other"), one.start, one.end,
                          ticks=one.end - one.start, vm=one.place[0], vcpu=one.place[1],
                          core=one.core, **said)


def handles(one: Exit, following: Exit) -> bool:
    """Write the flow from an exit to what the core runs after it, which handles the exit's
    interrupt."""
    return one.kind in INTERRUPTS and (one.kind not in OWN_INTERRUPTS
                                       or following.place != one.place)


def vcpu_name(place: Place) -> str:
    return f"{place[0]} vCPU {place[1]}"


def step_name(data: Data) -> str:
    return f"{data['bench']}, {data['config']}"


def trace_of(log: Log, plan: Plan, board: dict[str, int] | None = None) -> bytes:
    """Return the trace of a log. `board`: the numbers of the board's files, for the rings of
    links."""
    doorbells = doorbells_of(plan, board) if board else {}
    builder = Builder(log.run["hz"], doorbells, board or {})
    names = {data["step"]: step_name(data) for data in log.of_kind("step")}
    for step, marked in sorted(exits_of(log, plan).items()):
        exits = [one for one in marked if one.kind not in (PAUSE, RESUME)]
        if not exits:
            continue
        builder.slice(builder.track("steps"), names.get(step, f"step {step}"), "step",
                      exits[0].start, max(one.end for one in exits))
        pauses = pauses_of(marked)
        own = {one for one in exits if board and one.place[1] in sgi_targets(one, plan, board)}
        for core in sorted({one.core for one in exits}):
            builder.core(core, [one for one in exits if one.core == core],
                         [one for one in pauses if one.core == core], own)
        sgis = sgis_of(marked, plan, board) if board else ()
        for sender, arrival in (*rings_of(exits, doorbells), *sgis):
            builder.flow(builder.begins[sender], builder.begins[arrival])
    return builder.serialize()
