# SPDX-License-Identifier: Apache-2.0
"""A plan in the binary form that EL2 reads: struct plan_section of abi/plan.h, with the tables in
the order of that header.

The build also runs this module as a program. Its first argument names the board and its second the
scenario on its standard input; its standard output is the packed plan.
"""

import ctypes
import json
import sys
import zlib
from collections.abc import Iterable
from dataclasses import replace
from struct import Struct as Format
from typing import Any

from hypbench import __version__, abi
from hypbench.plan_model import ORDERS, PLATFORMS, Plan, said_of, words_of
from hypbench.plan_vms import (BENCH, BESIDE_WORDS, ENDS, EVENTS, GUEST, IMAGES, LINK_KINDS,
                               LINK_MIB, Event, Guest, Link, Vm, mark_neighbours, measured_vm,
                               most_ram, taking_part)
from hypbench.plan_words import Fields
from hypbench.scenario import ScenarioError, read

MAGIC = abi.string("PLAN_SECTION_MAGIC").encode() + b"\0"
VERSION = abi.constant("PLAN_VERSION")
HEADER = Format(f"<{len(MAGIC)}s3I")  # magic, version, length, CRC-32 of the plan


# The host computes these from the rest of the plan, so that EL2 need not.
DECIDED = ("measured", "core_count", "guest_vms", "ram_mib", "pass_count", "step_count",
           "run_window_us", "step_window_us")
NO_BENCH: tuple[str, Fields] = ("guest", {})  # stands for the benchmark of a step without one
WINDOWS_US = (1000, 200)  # windows that measure the core's clock: of a run, of a step
GEM5_WINDOWS_US = (10, 10)  # gem5's clock is exact, and its time is expensive


def fill(place: Any, /, **values: str | int) -> None:
    for name, value in values.items():
        packed = value.encode() if isinstance(value, str) else value
        setattr(place, name, packed)
        # ctypes silently truncates a number that is too large
        assert getattr(place, name) == packed, name


def fields(place: Any, names: Iterable[str]) -> Fields:
    return {name: getattr(place, name) for name in names}


def text(constant: str) -> Any:
    return ctypes.c_char * abi.constant(constant)


def struct(members: dict[str, Any], *numbers: str) -> Any:
    return type("Struct", (ctypes.LittleEndianStructure,), {
        "_fields_": [*members.items(), *((name, ctypes.c_uint32) for name in numbers)]})


def times(kind: Any, constant: str) -> Any:
    return kind * abi.constant(constant)


# struct plan of abi/plan.h with its contents
U32 = ctypes.c_uint32
NAME = {"name": text("PLAN_NAME_SIZE")}
CONFIG = struct({"name": text("CONFIG_NAME_SIZE")}, *abi.axes())
BENCH_LINE = struct(NAME | {"params": struct({}, *abi.numbers("BENCH_PARAMS"))})
GUEST_LINE = struct(
    NAME | dict.fromkeys([*abi.numbers("PLAN_GUEST_FIELDS"), "load_count"], U32)
    | {"load": times(struct({}, *abi.numbers("PLAN_LOAD_FIELDS")), "PLAN_LOAD_MAX")})
VM_LINE = struct(NAME | dict.fromkeys(["image", "guest", "load", "colours"], U32)
                 | {"colour": times(U32, "PLAN_COLOURS")}
                 | dict.fromkeys(["window_mib", *abi.numbers("PLAN_VM_FIELDS")], U32)
                 | {"core": times(U32, "PLAN_VM_CPUS")})
PLAN = struct(
    {"board": text("PLAN_NAME_SIZE"), "words": text("PLAN_WORDS_SIZE")}
    | dict.fromkeys(["platform", "limit_ms", "config_count", "bench_count", "guest_count",
                     "vm_count", "event_count", "on_count", "link_count", *DECIDED], U32)
    | {"taking_part": times(U32, "PLAN_CONFIG_MAX"), "config": times(CONFIG, "PLAN_CONFIG_MAX"),
       "beside": times(CONFIG, "PLAN_CONFIG_MAX"), "bench": times(BENCH_LINE, "PLAN_BENCH_MAX"),
       "guest": times(GUEST_LINE, "PLAN_GUEST_MAX"), "vm": times(VM_LINE, "PLAN_VM_MAX"),
       "link": times(struct(NAME, "kind", "a", "b"), "PLAN_LINK_MAX"),
       "event": times(struct({}, "at_us", "kind", "vm"), "PLAN_EVENT_MAX"),
       "on": times(struct({}, "end", "of", "kind", "vm"), "PLAN_ON_MAX")})
PLAN_SIZE = ctypes.sizeof(PLAN)
SECTION_SIZE = HEADER.size + PLAN_SIZE


def beside(config: Fields) -> Fields:
    """Return the configuration of a load's core.

    Where the measured VM has the GIC, the load's core is trapped, in the only way that every
    board's GIC supports. A load on a core of its own stamps nothing, so the probes are off there.
    """
    said = dict(config)
    if config["sched"] == abi.axes()["sched"].index("null"):
        said["probes"] = 0
    if config["irq"] == abi.axes()["irq"].index("direct"):
        said |= {name: abi.presets()["trapped-sw"][name] for name in ("irq", "lr", "traps")}
        said["stage2"] = config["stage2"] or abi.presets()["trapped-sw"]["stage2"]
    return said


def core_count(plan: Plan) -> int:
    return 1 + max(core for vm in plan.vms.values() for core in vm.cores)


def decided(plan: Plan) -> dict[str, int]:
    vms = plan.vms
    passes = 2 if ORDERS[plan.order] == "abba" else 1
    windows = GEM5_WINDOWS_US if PLATFORMS[plan.platform] == "gem5" else WINDOWS_US
    return dict(zip(DECIDED, (list(vms).index(measured_vm(vms)),
                              core_count(plan),
                              sum(vm.image in plan.guests for vm in vms.values()),
                              most_ram(vms, said_of(plan).values()) + LINK_MIB * len(plan.links),
                              passes, passes * len(plan.configs) * max(len(plan.benches), 1),
                              *windows), strict=True))


def words(plan: Plan) -> str:
    """Return the members of the run record that come from the plan."""
    some = [name for name, vm in plan.vms.items() if vm.configs]

    def config(name: str, axes: Fields) -> dict[str, str | int]:
        there = ".".join(vm for vm in some if name in plan.vms[vm].configs) or "none"
        return {"name": name, **{axis: values[axes[axis]] if values else axes[axis]
                                 for axis, values in abi.axes().items()},
                **({"vms": there} if some else {})}
    record = {"platform": PLATFORMS[plan.platform],
              **({"machine": plan.machine} if plan.machine else {}),
              "hypbench": __version__, "plan": plan.name, "order": ORDERS[plan.order],
              "limit_ms": plan.limit_ms,
              "configs": [config(*item) for item in plan.configs.items()]}
    return "," + json.dumps(record, separators=(",", ":"))[1:-1]


def pack(plan: Plan) -> bytes:
    """Return the bytes of the section."""
    benches, vms = plan.benches or [NO_BENCH], list(plan.vms)
    made = PLAN()
    fill(made, board=plan.board, words=words(plan), platform=plan.platform, limit_ms=plan.limit_ms,
         config_count=len(plan.configs), bench_count=len(benches), guest_count=len(plan.guests),
         vm_count=len(vms), event_count=sum(not event.of for event in plan.events),
         on_count=sum(bool(event.of) for event in plan.events), link_count=len(plan.links),
         **decided(plan))
    for i, ((name, config), said) in enumerate(zip(plan.configs.items(), said_of(plan).values())):
        there = taking_part(plan.vms, said)
        made.taking_part[i] = sum(1 << n for n, vm in enumerate(vms) if vm in there)
        fill(made.config[i], name=name, **config)
        fill(made.beside[i], name=name, **beside(config))
    for place, (name, params) in zip(made.bench, benches):
        fill(place, name=name)
        fill(place.params, **params)
    for place, (name, guest) in zip(made.guest, plan.guests.items()):
        fill(place, name=name, load_count=len(guest.loads), **guest.fields)
        for load, values in zip(place.load, guest.loads):
            fill(load, **values)
    for place, (name, vm) in zip(made.vm, plan.vms.items()):
        is_guest = vm.image in plan.guests
        fill(place, name=name, image=IMAGES.index(GUEST if is_guest else vm.image),
             guest=list(plan.guests).index(vm.image) if is_guest else 0,
             load=BESIDE_WORDS.index(vm.load) if vm.load else 0,
             colours=len(vm.colours), window_mib=vm.window_mib(coloured=True),
             cpus=len(vm.cores), ram_mib=vm.ram_mib, prio=vm.prio)
        place.core[:len(vm.cores)] = vm.cores
        place.colour[:len(vm.colours)] = vm.colours
    for place, (name, link) in zip(made.link, plan.links.items()):
        fill(place, name=name, kind=LINK_KINDS.index(link.kind), a=vms.index(link.a),
             b=vms.index(link.b))
    for place, event in zip(made.event, (event for event in plan.events if not event.of)):
        fill(place, at_us=event.at_us, kind=EVENTS.index(event.what), vm=vms.index(event.vm))
    for place, event in zip(made.on, (event for event in plan.events if event.of)):
        fill(place, end=ENDS.index(event.end), of=vms.index(event.of),
             kind=EVENTS.index(event.what), vm=vms.index(event.vm))
    body = bytes(made)
    return HEADER.pack(MAGIC, VERSION, len(body), zlib.crc32(body)) + body


def is_section(section: bytes) -> bool:
    """Return whether the section is of this version and undamaged."""
    if len(section) < SECTION_SIZE:
        return False
    body = section[HEADER.size:SECTION_SIZE]
    return HEADER.unpack_from(section) == (MAGIC, VERSION, len(body), zlib.crc32(body))


def board_in(section: bytes) -> str:
    """Return the board of the section's image. A damaged or old section still names it."""
    return PLAN.from_buffer_copy(section, HEADER.size).board.decode("ascii", "replace")


def unpack(section: bytes) -> Plan:
    read = PLAN.from_buffer_copy(section, HEADER.size)
    said = json.loads(f"{{{read.words.decode('ascii')[1:]}}}")
    guests = {one.name.decode("ascii"): Guest(
        fields(one, abi.numbers("PLAN_GUEST_FIELDS")),
        [fields(load, abi.numbers("PLAN_LOAD_FIELDS")) for load in one.load[:one.load_count]])
        for one in read.guest[:read.guest_count]}

    def vm(one: Any) -> Vm:
        image = IMAGES[one.image]
        return Vm(list(guests)[one.guest] if image == GUEST else image,
                  tuple(one.core[:one.cpus]), one.ram_mib, one.prio,
                  BESIDE_WORDS[one.load] if one.load else "",
                  tuple(one.colour[:one.colours]))
    vms = {one.name.decode("ascii"): vm(one) for one in read.vm[:read.vm_count]}
    configs = {one.name.decode("ascii"): fields(one, abi.axes())
               for one in read.config[:read.config_count]}
    mark_neighbours(vms, guests, map(words_of, configs.values()))
    benches = read.bench_count if BENCH in (one.image for one in vms.values()) else 0
    made = Plan(
        board=read.board.decode("ascii"), platform=read.platform, limit_ms=read.limit_ms,
        name=said["plan"], machine=said.get("machine", ""), order=ORDERS.index(said["order"]),
        configs=configs,
        benches=[(one.name.decode("ascii"), fields(one.params, abi.numbers("BENCH_PARAMS")))
                 for one in read.bench[:benches]],
        guests=guests, vms=vms,
        events=[Event(one.at_us, EVENTS[one.kind], list(vms)[one.vm])
                for one in read.event[:read.event_count]]
        + [Event(0, EVENTS[one.kind], list(vms)[one.vm], list(vms)[one.of], ENDS[one.end])
           for one in read.on[:read.on_count]],
        links={one.name.decode("ascii"): Link(LINK_KINDS[one.kind], list(vms)[one.a],
                                              list(vms)[one.b])
               for one in read.link[:read.link_count]})
    return replace(made, vms={name: replace(one, configs=configs_of(read, made, i))
                              for i, (name, one) in enumerate(vms.items())})


def configs_of(read: Any, plan: Plan, i: int) -> tuple[str, ...]:
    """Return the configurations in which VM i takes part, among those in which the VM is
    possible."""
    name = list(plan.vms)[i]
    could = [config for config, said in said_of(plan).items()
             if name in taking_part(plan.vms, said)]
    does = [config for n, config in enumerate(plan.configs) if read.taking_part[n] >> i & 1]
    return tuple(does) if does != could else ()


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(pack(replace(read(sys.stdin.read(), sys.argv[2]),
                                             board=sys.argv[1])))
    except ScenarioError as error:
        sys.exit(str(error))
