# SPDX-License-Identifier: Apache-2.0
"""A plan as EL2 reads it: struct plan_section of abi/plan.h, in the order of the tables there. Also
a program for the build: compiles a plan, of its standard input, to its standard output, for the
board of its argument."""

import json
import struct
import sys
import zlib
from collections.abc import Iterable
from dataclasses import replace

from hypbench import abi
from hypbench.plan_language import ORDERS, PLATFORMS, Plan, parse, words_of
from hypbench.plan_vms import (BENCH, EVENTS, GUEST, IMAGES, LINK_KINDS, LINK_MIB, Event, Guest,
                               Link, Vm, measured_vm, taking_part)
from hypbench.plan_words import Fields, PlanError
from hypbench.schema import Data

MAGIC = abi.string("PLAN_SECTION_MAGIC").encode() + b"\0"
VERSION = abi.constant("PLAN_VERSION")
HEADER = struct.Struct(f"<{len(MAGIC)}s3I")  # magic, version, length, CRC-32 of the plan


# Derived from the rest, so that EL2 need not derive them.
DECIDED = ("measured", "core_count", "guest_vms", "ram_mib", "pass_count", "step_count",
           "run_window_us", "step_window_us")
NO_BENCH: tuple[str, Fields] = ("guest", {})  # of a step without a benchmark
WINDOWS_US = (1000, 200)  # of a run, of a step
GEM5_WINDOWS_US = (10, 10)  # its clock is exact, its time expensive


def members() -> list[tuple[str, str]]:
    """The members of struct plan in C's words, and the format of each."""
    name = f"{abi.constant('PLAN_NAME_SIZE')}s"
    heads = [("board", name), ("words", f"{abi.constant('PLAN_WORDS_SIZE')}s"),
             *((word, "I") for word in ("platform", "limit_ms", "config_count",
                                        "bench_count", "guest_count", "vm_count", "event_count",
                                        "link_count", *DECIDED))]
    configs = [(f"config[{i}].{axis}", kind) for i in range(abi.constant("PLAN_CONFIG_MAX"))
               for axis, kind in [("name", f"{abi.constant('CONFIG_NAME_SIZE')}s"),
                                  *((axis, "I") for axis in abi.axes())]]
    besides = [(member.replace("config", "beside"), kind) for member, kind in configs]
    masks = [(f"taking_part[{i}]", "I") for i in range(abi.constant("PLAN_CONFIG_MAX"))]
    benches = [(f"bench[{i}].{param}", kind) for i in range(abi.constant("PLAN_BENCH_MAX"))
               for param, kind in [("name", name), *((f"params.{param}", "I")
                                                     for param in abi.numbers("BENCH_PARAMS"))]]
    fields = [*((one, "I") for one in [*abi.numbers("PLAN_GUEST_FIELDS"), "load_count"]),
              *((f"load[{i}].{one}", "I") for i in range(abi.constant("PLAN_LOAD_MAX"))
                for one in abi.numbers("PLAN_LOAD_FIELDS"))]
    guests = [(f"guest[{i}].{one}", kind) for i in range(abi.constant("PLAN_GUEST_MAX"))
              for one, kind in [("name", name), *fields]]
    words = ["image", "guest", *abi.numbers("PLAN_VM_FIELDS"),
             *(f"core[{i}]" for i in range(abi.constant("PLAN_VM_CPUS")))]
    vms = [(f"vm[{i}].{one}", kind) for i in range(abi.constant("PLAN_VM_MAX"))
           for one, kind in [("name", name), *((word, "I") for word in words)]]
    links = [(f"link[{i}].{one}", kind) for i in range(abi.constant("PLAN_LINK_MAX"))
             for one, kind in [("name", name), *((word, "I") for word in ("kind", "a", "b"))]]
    events = [(f"event[{i}].{word}", "I") for i in range(abi.constant("PLAN_EVENT_MAX"))
              for word in ("at_us", "kind", "vm")]
    return heads + masks + configs + besides + benches + guests + vms + links + events


MEMBERS = members()
PLAN = struct.Struct("<" + "".join(kind for _, kind in MEMBERS))
SECTION_SIZE = HEADER.size + PLAN.size


def under(place: str, fields: Fields) -> dict[str, int]:
    return {f"{place}.{name}": value for name, value in fields.items()}


def vm_values(vm: Vm, guests: list[str]) -> dict[str, int]:
    is_guest = vm.image in guests
    return {"image": IMAGES.index(GUEST if is_guest else vm.image),
            "guest": guests.index(vm.image) if is_guest else 0,
            "cpus": len(vm.cores), "ram_mib": vm.ram_mib, "prio": vm.prio,
            **{f"core[{i}]": core for i, core in enumerate(vm.cores)}}


def beside(config: Fields) -> Fields:
    """The configuration of a load: where the measured VM has the GIC, the load's core is trapped,
    in the way that every board's GIC can. On a core of its own nothing stamps."""
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
                              sum(vm.ram_mib for vm in vms.values()) + LINK_MIB * len(plan.links),
                              passes, passes * len(plan.configs) * max(len(plan.benches), 1),
                              *windows), strict=True))


def words(plan: Plan) -> str:
    """The members of the run record that the plan gives."""
    def config(name: str, axes: Fields) -> dict[str, str | int]:
        return {"name": name, **{axis: values[axes[axis]] if values else axes[axis]
                                 for axis, values in abi.axes().items()}}
    record = {"platform": PLATFORMS[plan.platform],
              **({"machine": plan.machine} if plan.machine else {}),
              "plan": plan.name, "order": ORDERS[plan.order], "limit_ms": plan.limit_ms,
              "configs": [config(*item) for item in plan.configs.items()]}
    return "," + json.dumps(record, separators=(",", ":"))[1:-1]


def pack(plan: Plan) -> bytes:
    """The section's bytes."""
    benches = plan.benches or [NO_BENCH]
    values: Data = {"board": plan.board, "words": words(plan), "platform": plan.platform,
                    "limit_ms": plan.limit_ms,
                    "config_count": len(plan.configs), "bench_count": len(benches),
                    "guest_count": len(plan.guests), "vm_count": len(plan.vms),
                    "event_count": len(plan.events), "link_count": len(plan.links),
                    **decided(plan)}
    for i, (name, config) in enumerate(plan.configs.items()):
        there = taking_part(plan.vms, words_of(config))
        values |= {f"taking_part[{i}]": sum(1 << n for n, vm in enumerate(plan.vms) if vm in there),
                   f"config[{i}].name": name, **under(f"config[{i}]", config),
                   f"beside[{i}].name": name, **under(f"beside[{i}]", beside(config))}
    for i, (name, params) in enumerate(benches):
        values |= {f"bench[{i}].name": name, **under(f"bench[{i}].params", params)}
    for i, (name, guest) in enumerate(plan.guests.items()):
        values |= {f"guest[{i}].name": name, f"guest[{i}].load_count": len(guest.loads),
                   **under(f"guest[{i}]", guest.fields)}
        for j, load in enumerate(guest.loads):
            values |= under(f"guest[{i}].load[{j}]", load)
    for i, (name, vm) in enumerate(plan.vms.items()):
        values |= {f"vm[{i}].name": name, **under(f"vm[{i}]", vm_values(vm, list(plan.guests)))}
    for i, (name, link) in enumerate(plan.links.items()):
        values |= {f"link[{i}].name": name, **under(f"link[{i}]", {
            "kind": LINK_KINDS.index(link.kind), "a": list(plan.vms).index(link.a),
            "b": list(plan.vms).index(link.b)})}
    for i, event in enumerate(plan.events):
        values |= under(f"event[{i}]", {"at_us": event.at_us, "kind": EVENTS.index(event.what),
                                        "vm": list(plan.vms).index(event.vm)})
    body = PLAN.pack(*(values.get(member, "").encode() if kind.endswith("s")
                       else values.get(member, 0) for member, kind in MEMBERS))
    return HEADER.pack(MAGIC, VERSION, len(body), zlib.crc32(body)) + body


def is_section(section: bytes) -> bool:
    """Of this version, and undamaged."""
    if len(section) < SECTION_SIZE:
        return False
    body = section[HEADER.size:SECTION_SIZE]
    return HEADER.unpack_from(section) == (MAGIC, VERSION, PLAN.size, zlib.crc32(body))


def board_in(section: bytes) -> str:
    """The board that the section's image is for, whatever else the section says."""
    values = dict(zip((member for member, _ in MEMBERS), PLAN.unpack_from(section, HEADER.size)))
    return values["board"].rstrip(b"\0").decode("ascii", "replace")


def unpack(section: bytes) -> Plan:
    values: Data = {
        member: value.rstrip(b"\0").decode("ascii") if isinstance(value, bytes) else value
        for (member, _), value in zip(MEMBERS, PLAN.unpack_from(section, HEADER.size))}

    def fields(place: str, names: Iterable[str]) -> Fields:
        return {name: values[f"{place}.{name}"] for name in names}
    guests = {values[f"guest[{i}].name"]: Guest(
        fields(f"guest[{i}]", abi.numbers("PLAN_GUEST_FIELDS")),
        [fields(f"guest[{i}].load[{j}]", abi.numbers("PLAN_LOAD_FIELDS"))
         for j in range(values[f"guest[{i}].load_count"])])
        for i in range(values["guest_count"])}

    def vm(place: str) -> Vm:
        image = IMAGES[values[f"{place}.image"]]
        cores = (values[f"{place}.core[{j}]"] for j in range(values[f"{place}.cpus"]))
        return Vm(list(guests)[values[f"{place}.guest"]] if image == GUEST else image,
                  tuple(cores), values[f"{place}.ram_mib"], values[f"{place}.prio"])
    said = json.loads(f"{{{values['words'][1:]}}}")
    vms = {values[f"vm[{i}].name"]: vm(f"vm[{i}]") for i in range(values["vm_count"])}
    benches = values["bench_count"] if BENCH in (one.image for one in vms.values()) else 0
    return Plan(
        **{one: values[one] for one in ("board", "platform", "limit_ms")},
        name=said["plan"], machine=said.get("machine", ""), order=ORDERS.index(said["order"]),
        configs={values[f"config[{i}].name"]: fields(f"config[{i}]", abi.axes())
                 for i in range(values["config_count"])},
        benches=[(values[f"bench[{i}].name"],
                  fields(f"bench[{i}].params", abi.numbers("BENCH_PARAMS")))
                 for i in range(benches)],
        guests=guests, events=[
            Event(values[f"event[{i}].at_us"], EVENTS[values[f"event[{i}].kind"]],
                  values[f"vm[{values[f'event[{i}].vm']}].name"])
            for i in range(values["event_count"])],
        vms=vms, links={
            values[f"link[{i}].name"]: Link(LINK_KINDS[values[f"link[{i}].kind"]],
                                            *(values[f"vm[{values[f'link[{i}].{end}']}].name"]
                                              for end in "ab"))
            for i in range(values["link_count"])})


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(pack(replace(parse(sys.stdin.read()), board=sys.argv[1])))
    except PlanError as error:
        sys.exit(str(error))
