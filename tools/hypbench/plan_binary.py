# SPDX-License-Identifier: Apache-2.0
"""A plan in the binary form that EL2 reads: struct plan_section of abi/plan.h, with the tables in
the order of that header.

The build also runs this module as a program. The first argument names the board, and the second
names the scenario on standard input. The packed plan goes to standard output.
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
from hypbench.plan_model import ORDERS, PLATFORMS, Plan, words_of_configs, words_of
from hypbench.plan_vms import (BENCH, BESIDE_WORDS, ENDS, EVENTS, GUEST, IMAGES, LINK_KINDS,
                               LINK_MIB, Event, Guest, Link, Vm, mark_neighbours, measured_vm,
                               most_ram, taking_part)
from hypbench.plan_words import Fields
from hypbench.scenario import ScenarioError, read

MAGIC = abi.string("PLAN_SECTION_MAGIC").encode() + b"\0"
VERSION = abi.constant("PLAN_VERSION")
HEADER = Format(f"<{len(MAGIC)}s3I")  # magic, version, length, CRC-32 of the plan


# The host computes these members from the other members, so that EL2 need not.
DERIVED = ("measured", "core_count", "guest_vms", "ram_mib", "pass_count", "step_count",
           "run_window_us", "step_window_us")
NO_BENCH: tuple[str, Fields] = ("guest", {})  # entry of a step without a benchmark
WINDOWS_US = (1000, 200)  # windows that measure the core's clock: in a run, in a step
GEM5_WINDOWS_US = (10, 10)  # gem5's clock is exact, and its time is expensive


def fill(place: Any, /, **values: str | int) -> None:
    for name, value in values.items():
        packed = value.encode() if isinstance(value, str) else value
        setattr(place, name, packed)
        # ctypes silently truncates a number that is too large
        assert getattr(place, name) == packed, name


def fields(place: Any, names: Iterable[str]) -> Fields:
    return {name: getattr(place, name) for name in names}


def char_array(constant: str) -> Any:
    return ctypes.c_char * abi.constant(constant)


def struct(members: dict[str, Any], *numbers: str) -> Any:
    return type("Struct", (ctypes.LittleEndianStructure,), {
        "_fields_": [*members.items(), *((name, ctypes.c_uint32) for name in numbers)]})


def array(kind: Any, constant: str) -> Any:
    return kind * abi.constant(constant)


# the layout of struct plan of abi/plan.h
U32 = ctypes.c_uint32
NAME = {"name": char_array("PLAN_NAME_SIZE")}
CONFIG = struct({"name": char_array("CONFIG_NAME_SIZE")}, *abi.axes())
BENCH_LINE = struct(NAME | {"params": struct({}, *abi.numbers("BENCH_PARAMS"))})
GUEST_LINE = struct(
    NAME | dict.fromkeys([*abi.numbers("PLAN_GUEST_FIELDS"), "load_count"], U32)
    | {"load": array(struct({}, *abi.numbers("PLAN_LOAD_FIELDS")), "PLAN_LOAD_MAX")})
VM_LINE = struct(NAME | dict.fromkeys(["image", "guest", "load", "colours"], U32)
                 | {"colour": array(U32, "PLAN_COLOURS")}
                 | dict.fromkeys(["window_mib", *abi.numbers("PLAN_VM_FIELDS")], U32)
                 | {"core": array(U32, "PLAN_VM_CPUS")})
PLAN = struct(
    {"board": char_array("PLAN_NAME_SIZE"), "words": char_array("PLAN_WORDS_SIZE")}
    | dict.fromkeys(["platform", "limit_ms", "config_count", "bench_count", "guest_count",
                     "vm_count", "event_count", "on_count", "link_count", *DERIVED], U32)
    | {"taking_part": array(U32, "PLAN_CONFIG_MAX"), "config": array(CONFIG, "PLAN_CONFIG_MAX"),
       "beside": array(CONFIG, "PLAN_CONFIG_MAX"), "bench": array(BENCH_LINE, "PLAN_BENCH_MAX"),
       "guest": array(GUEST_LINE, "PLAN_GUEST_MAX"), "vm": array(VM_LINE, "PLAN_VM_MAX"),
       "link": array(struct(NAME, "kind", "a", "b"), "PLAN_LINK_MAX"),
       "event": array(struct({}, "at_us", "kind", "vm"), "PLAN_EVENT_MAX"),
       "on": array(struct({}, "end", "of", "kind", "vm"), "PLAN_ON_MAX")})
PLAN_SIZE = ctypes.sizeof(PLAN)
SECTION_SIZE = HEADER.size + PLAN_SIZE


def beside(config: Fields) -> Fields:
    """Return the configuration of a load's core.

    Where the measured VM has the GIC, the load's core is trapped, in the only way that every
    board's GIC supports. A load on a core of its own stamps nothing, so the probes are off there.
    """
    axes = dict(config)
    if config["sched"] == abi.axes()["sched"].index("null"):
        axes["probes"] = 0
    if config["irq"] == abi.axes()["irq"].index("direct"):
        axes |= {name: abi.presets()["trapped-sw"][name] for name in ("irq", "lr", "traps")}
        axes["stage2"] = config["stage2"] or abi.presets()["trapped-sw"]["stage2"]
    return axes


def core_count(plan: Plan) -> int:
    return 1 + max(core for vm in plan.vms.values() for core in vm.cores)


def derived_members(plan: Plan) -> dict[str, int]:
    vms = plan.vms
    passes = 2 if ORDERS[plan.order] == "abba" else 1
    windows = GEM5_WINDOWS_US if PLATFORMS[plan.platform] == "gem5" else WINDOWS_US
    return dict(zip(DERIVED, (list(vms).index(measured_vm(vms)),
                              core_count(plan),
                              sum(vm.image in plan.guests for vm in vms.values()),
                              most_ram(vms, words_of_configs(plan).values())
                              + LINK_MIB * len(plan.links),
                              passes, passes * len(plan.configs) * max(len(plan.benches), 1),
                              *windows), strict=True))


def words(plan: Plan) -> str:
    """Return the members of the run record that come from the plan."""
    limited = [name for name, vm in plan.vms.items() if vm.configs]

    def config(name: str, axes: Fields) -> dict[str, str | int]:
        vms = ".".join(vm for vm in limited if name in plan.vms[vm].configs) or "none"
        return {"name": name, **{axis: values[axes[axis]] if values else axes[axis]
                                 for axis, values in abi.axes().items()},
                **({"vms": vms} if limited else {})}
    record = {"platform": PLATFORMS[plan.platform],
              **({"machine": plan.machine} if plan.machine else {}),
              "hypbench": __version__, "plan": plan.name, "order": ORDERS[plan.order],
              "limit_ms": plan.limit_ms,
              "configs": [config(*item) for item in plan.configs.items()]}
    return "," + json.dumps(record, separators=(",", ":"))[1:-1]


def pack(plan: Plan) -> bytes:
    """Return the bytes of the section."""
    benches, vms = plan.benches or [NO_BENCH], list(plan.vms)
    packed = PLAN()
    fill(packed, board=plan.board, words=words(plan), platform=plan.platform,
         limit_ms=plan.limit_ms, config_count=len(plan.configs), bench_count=len(benches),
         guest_count=len(plan.guests), vm_count=len(vms),
         event_count=sum(not event.of for event in plan.events),
         on_count=sum(bool(event.of) for event in plan.events), link_count=len(plan.links),
         **derived_members(plan))
    for i, ((name, config), axes) in enumerate(zip(plan.configs.items(),
                                                   words_of_configs(plan).values())):
        present = taking_part(plan.vms, axes)
        packed.taking_part[i] = sum(1 << n for n, vm in enumerate(vms) if vm in present)
        fill(packed.config[i], name=name, **config)
        fill(packed.beside[i], name=name, **beside(config))
    for place, (name, params) in zip(packed.bench, benches):
        fill(place, name=name)
        fill(place.params, **params)
    for place, (name, guest) in zip(packed.guest, plan.guests.items()):
        fill(place, name=name, load_count=len(guest.loads), **guest.fields)
        for load, values in zip(place.load, guest.loads):
            fill(load, **values)
    for place, (name, vm) in zip(packed.vm, plan.vms.items()):
        is_guest = vm.image in plan.guests
        fill(place, name=name, image=IMAGES.index(GUEST if is_guest else vm.image),
             guest=list(plan.guests).index(vm.image) if is_guest else 0,
             load=BESIDE_WORDS.index(vm.load) if vm.load else 0,
             colours=len(vm.colours), window_mib=vm.window_mib(coloured=True),
             cpus=len(vm.cores), ram_mib=vm.ram_mib, prio=vm.prio)
        place.core[:len(vm.cores)] = vm.cores
        place.colour[:len(vm.colours)] = vm.colours
    for place, (name, link) in zip(packed.link, plan.links.items()):
        fill(place, name=name, kind=LINK_KINDS.index(link.kind), a=vms.index(link.a),
             b=vms.index(link.b))
    for place, event in zip(packed.event, (event for event in plan.events if not event.of)):
        fill(place, at_us=event.at_us, kind=EVENTS.index(event.kind), vm=vms.index(event.vm))
    for place, event in zip(packed.on, (event for event in plan.events if event.of)):
        fill(place, end=ENDS.index(event.end), of=vms.index(event.of),
             kind=EVENTS.index(event.kind), vm=vms.index(event.vm))
    body = bytes(packed)
    return HEADER.pack(MAGIC, VERSION, len(body), zlib.crc32(body)) + body


def is_section(section: bytes) -> bool:
    """Return whether the section is of this version and undamaged."""
    if len(section) < SECTION_SIZE:
        return False
    body = section[HEADER.size:SECTION_SIZE]
    return HEADER.unpack_from(section) == (MAGIC, VERSION, len(body), zlib.crc32(body))


def board_in(section: bytes) -> str:
    """Return the board of the section's image. A damaged or old section still names its
    board."""
    return PLAN.from_buffer_copy(section, HEADER.size).board.decode("ascii", "replace")


def unpack(section: bytes) -> Plan:
    packed = PLAN.from_buffer_copy(section, HEADER.size)
    record = json.loads(f"{{{packed.words.decode('ascii')[1:]}}}")
    guests = {guest.name.decode("ascii"): Guest(
        fields(guest, abi.numbers("PLAN_GUEST_FIELDS")),
        [fields(load, abi.numbers("PLAN_LOAD_FIELDS")) for load in guest.load[:guest.load_count]])
        for guest in packed.guest[:packed.guest_count]}

    def vm_from(line: Any) -> Vm:
        image = IMAGES[line.image]
        return Vm(list(guests)[line.guest] if image == GUEST else image,
                  tuple(line.core[:line.cpus]), line.ram_mib, line.prio,
                  BESIDE_WORDS[line.load] if line.load else "",
                  tuple(line.colour[:line.colours]))
    vms = {line.name.decode("ascii"): vm_from(line) for line in packed.vm[:packed.vm_count]}
    configs = {config.name.decode("ascii"): fields(config, abi.axes())
               for config in packed.config[:packed.config_count]}
    mark_neighbours(vms, guests, map(words_of, configs.values()))
    benches = packed.bench_count if BENCH in (vm.image for vm in vms.values()) else 0
    plan = Plan(
        board=packed.board.decode("ascii"), platform=packed.platform, limit_ms=packed.limit_ms,
        name=record["plan"], machine=record.get("machine", ""), order=ORDERS.index(record["order"]),
        configs=configs,
        benches=[(bench.name.decode("ascii"), fields(bench.params, abi.numbers("BENCH_PARAMS")))
                 for bench in packed.bench[:benches]],
        guests=guests, vms=vms,
        events=[Event(event.at_us, EVENTS[event.kind], list(vms)[event.vm])
                for event in packed.event[:packed.event_count]]
        + [Event(0, EVENTS[event.kind], list(vms)[event.vm], list(vms)[event.of], ENDS[event.end])
           for event in packed.on[:packed.on_count]],
        links={link.name.decode("ascii"): Link(LINK_KINDS[link.kind], list(vms)[link.a],
                                               list(vms)[link.b])
               for link in packed.link[:packed.link_count]})
    return replace(plan, vms={name: replace(vm, configs=configs_of(packed, plan, i))
                              for i, (name, vm) in enumerate(vms.items())})


def configs_of(packed: Any, plan: Plan, i: int) -> tuple[str, ...]:
    """Return the configurations in which VM i takes part, or () if these are all configurations in
    which taking_part() has the VM."""
    name = list(plan.vms)[i]
    possible = [config for config, axes in words_of_configs(plan).items()
                if name in taking_part(plan.vms, axes)]
    chosen = [config for n, config in enumerate(plan.configs) if packed.taking_part[n] >> i & 1]
    return tuple(chosen) if chosen != possible else ()


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(pack(replace(read(sys.stdin.read(), sys.argv[2]),
                                             board=sys.argv[1])))
    except ScenarioError as error:
        sys.exit(str(error))
