# SPDX-License-Identifier: Apache-2.0
"""A plan as EL2 reads it: struct plan_section of abi/plan.h, in the order of the tables there. Also
a program for the build: compiles a plan, of its standard input, to its standard output."""

import struct
import sys
import zlib

from hypbench import abi
from hypbench.plan_language import Fields, Plan, PlanError, parse

MAGIC = abi.constant("PLAN_SECTION_MAGIC").encode() + b"\0"
VERSION = abi.constant("PLAN_VERSION")
HEADER = struct.Struct(f"<{len(MAGIC)}s3I")  # magic, version, length, CRC-32 of the plan


def members() -> list[tuple[str, str]]:
    """The members of struct plan in C's words, and the format of each."""
    name = f"{abi.constant('PLAN_NAME_SIZE')}s"
    heads = [("name", name), ("platform", "I"),
             ("machine", f"{abi.constant('PLAN_MACHINE_SIZE')}s"),
             *((word, "I") for word in ("order", "limit_ms", "config_count", "bench_count"))]
    configs = [(f"config[{i}].{axis}", kind) for i in range(abi.constant("PLAN_CONFIG_MAX"))
               for axis, kind in [("name", f"{abi.constant('CONFIG_NAME_SIZE')}s"),
                                  *((axis, "I") for axis in abi.axes())]]
    benches = [(f"bench[{i}].{param}", kind) for i in range(abi.constant("PLAN_BENCH_MAX"))
               for param, kind in [("name", name), *((f"params.{param}", "I")
                                                     for param in abi.numbers("BENCH_PARAMS"))]]
    guest = [(f"guest.{one}", "I") for one in [*abi.numbers("PLAN_GUEST_FIELDS"), "load_count"]]
    loads = [(f"guest.load[{i}].{one}", "I") for i in range(abi.constant("PLAN_LOAD_MAX"))
             for one in abi.numbers("PLAN_LOAD_FIELDS")]
    return heads + configs + benches + guest + loads


MEMBERS = members()
PLAN = struct.Struct("<" + "".join(kind for _, kind in MEMBERS))
SECTION_SIZE = HEADER.size + PLAN.size


def under(place: str, fields: Fields) -> dict[str, int]:
    return {f"{place}.{name}": value for name, value in fields.items()}


def pack(plan: Plan) -> bytes:
    """The section's bytes."""
    values = {"name": plan.name, "platform": plan.platform, "machine": plan.machine,
              "order": plan.order, "limit_ms": plan.limit_ms, "config_count": len(plan.configs),
              "bench_count": len(plan.benches), "guest.load_count": len(plan.loads),
              **under("guest", plan.guest)}
    for i, (name, config) in enumerate(plan.configs.items()):
        values |= {f"config[{i}].name": name, **under(f"config[{i}]", config)}
    for i, (name, params) in enumerate(plan.benches):
        values |= {f"bench[{i}].name": name, **under(f"bench[{i}].params", params)}
    for i, load in enumerate(plan.loads):
        values |= under(f"guest.load[{i}]", load)
    body = PLAN.pack(*(values.get(member, "").encode() if kind.endswith("s")
                       else values.get(member, 0) for member, kind in MEMBERS))
    return HEADER.pack(MAGIC, VERSION, len(body), zlib.crc32(body)) + body


def is_section(section: bytes) -> bool:
    """Of this version, and undamaged."""
    if len(section) < SECTION_SIZE:
        return False
    body = section[HEADER.size:SECTION_SIZE]
    return HEADER.unpack_from(section) == (MAGIC, VERSION, PLAN.size, zlib.crc32(body))


def unpack(section: bytes) -> Plan:
    values = {member: value.rstrip(b"\0").decode("ascii") if isinstance(value, bytes) else value
              for (member, _), value in zip(MEMBERS, PLAN.unpack_from(section, HEADER.size))}

    def fields(place: str, names) -> Fields:
        return {name: values[f"{place}.{name}"] for name in names}
    loads = [fields(f"guest.load[{i}]", abi.numbers("PLAN_LOAD_FIELDS"))
             for i in range(values["guest.load_count"])]
    return Plan(
        **{one: values[one] for one in ("name", "platform", "machine", "order", "limit_ms")},
        configs={values[f"config[{i}].name"]: fields(f"config[{i}]", abi.axes())
                 for i in range(values["config_count"])},
        benches=[(values[f"bench[{i}].name"],
                  fields(f"bench[{i}].params", abi.numbers("BENCH_PARAMS")))
                 for i in range(values["bench_count"])],
        guest=fields("guest", abi.numbers("PLAN_GUEST_FIELDS")) if loads else {}, loads=loads)


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(pack(parse(sys.stdin.read())))
    except PlanError as error:
        sys.exit(str(error))
