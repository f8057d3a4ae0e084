# SPDX-License-Identifier: Apache-2.0
"""Small logs with every kind of record, and changes that a guest or a bad line may make in them."""

import json
import random
import re
import zlib
from collections.abc import Callable

from guestlogs import FAULT
from logmaker import (HZ, NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run, sample_run,
                      stamped, with_cycles)
from reportlogs import bodies_of

CRC = re.compile(rb',"crc":"[0-9a-f]{8}"\}$')
# These replace a value: other types, text that is not a number, large and deep values, and
# text with a meaning for a terminal, markup, a page, a spreadsheet or a plot.
VALUES = ["-1", "0", "1", "4294967296", "18446744073709551615", "18446744073709551616",
          "9" * 5000, "1.5", "-0.0", "1e308", "1e999", "NaN", "Infinity", "true", "null", "[]",
          "{}", "[[1,2],[3,4]]", "[[0,0]]", "[" * 900 + "]" * 900, "[" * 50_000 + "]" * 50_000,
          '{"name":{"name":{}}}', '""', '"a"', '"trapped"', '"guest"', '"0x1f"', '"\\u001b[2J"',
          '"\\ud800"', '"\\u202e"', '"[red]x[/red]"', '"[/]"', '"=1+1"', '"@x"',
          '"<script>alert(1)</script>"', '"]]>"', '"$\\\\frac{"', '"' + "a" * 100_000 + '"',
          '"\\n"', '"random-65536p"',
          '"random-' + "9" * 1000 + 'p"', '"seq-0K"', '"irq-1"', '"0-0"']
NAMES = ["seq", "kind", "crc", "step", "n", "hist", "variant", "phase", "phases", "pages",
         "position", "__class__", "a\\u001bb"]


def logs() -> list[list[bytes]]:
    """Return logs with one record a line."""
    def cycles(head, config):
        raw = [50, 60, 70] * 4
        record = with_cycles(bench_record(head, "null", raw), [value * 3 for value in raw], 6)
        return [calibration(head, cycles_min=6, cycles_p50=6, cycles_max=6), record]

    runs = [sample_run(benches=("hvc",)), faulty(),
            plan_run([NATIVE, TRAPPED], {"hvc": cycles}, order="once", platform="silicon",
                     cpu_hz=HZ * 3)]
    cut = map(bodies_of, ("storm", "paper-s1", "faults", "programs", "interrupts", "tlb-matrix",
                          "traps"))
    return [log_of(bodies, b"\n").splitlines(keepends=True)
            for bodies in [*runs, *(bodies[:15] + bodies[-1:] for bodies in cut)]]


def faulty() -> list[dict]:
    def run(head, config):
        return [head | FAULT, head | {"kind": "error", "where": "guest", "what": "no [sense]"},
                head | {"kind": "trace", "t": 5, "dur": 3, "event": "hvc", "arg": "0x1", "vm": 1},
                head | {"kind": "trace", "t": 5, "dur": 3, "event": "hvc", "arg": "0x1",
                        "vm": "odd", "vcpu": 3},
                stamped(head, "[b]odd", [5] * 3)]
    return plan_run([TRAPPED], {"cyclic": run}, order="once")


def repaired(line: bytes) -> bytes:
    """Return a line with the right CRC."""
    body = CRC.sub(b"", line.rstrip(b"\n"))
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


def retyped(line: bytes, pick: random.Random) -> bytes:
    """Replace a value, perhaps a nested one."""
    places = list(re.finditer(rb'(?<=[:\[,])(?:"[^"]*"|-?[0-9.]+|true|false|\[)', line[:-20]))
    place = pick.choice(places)
    value = pick.choice(VALUES).encode()
    end = place.end()
    if place[0] == b"[":  # the list is removed, up to its last bracket
        end = line.find(b"]", end) + 1
    return repaired(line[:place.start()] + value + line[end:])


def more_members(line: bytes, pick: random.Random) -> bytes:
    """Add members after the hypervisor's, as a guest can: the same member twice, or a new
    member."""
    known = re.findall(rb'[{,]"(\w+)":', line)
    name = pick.choice([*known, *(name.encode() for name in NAMES)])
    body = CRC.sub(b"", line.rstrip(b"\n"))
    return repaired(body + b',"%s":%s' % (name, pick.choice(VALUES).encode()) + b"\n")


def fewer_members(line: bytes, pick: random.Random) -> bytes:
    data = json.loads(line)
    del data["crc"]
    data.pop(pick.choice([name for name in data if name != "seq"]))
    return repaired(json.dumps(data, separators=(",", ":")).encode()[:-1] + b"\n")


def flipped(line: bytes, pick: random.Random) -> bytes:
    changed = bytearray(line)
    for _ in range(pick.choice((1, 1, 3, 20))):
        changed[pick.randrange(len(changed))] ^= 1 << pick.randrange(8)
    return bytes(changed)


def flipped_unseen(line: bytes, pick: random.Random) -> bytes:
    return repaired(flipped(line[:-20], pick).replace(b"\n", b"") + b"\n")


def control(line: bytes, pick: random.Random) -> bytes:
    at = pick.randrange(len(line))
    return line[:at] + pick.choice((b"\x1b[31m", b"\x00", b"\x07", b"\x9b", b"\r", b"\xff",
                                    b"\x7f")) + line[at:]


def renumbered(line: bytes, pick: random.Random) -> bytes:
    number = pick.choice((0, 3, 7, 999_999_999, 1_000_000, pick.randrange(40)))
    return repaired(re.sub(rb'"seq":\d+', b'"seq":%d' % number, line, count=1))


def of_another_kind(line: bytes, pick: random.Random) -> bytes:
    kind = pick.choice((b"run", b"bench", b"end", b"step", b"check", b"exits", b"gossip"))
    return repaired(re.sub(rb'"kind":"\w+"', b'"kind":"%s"' % kind, line, count=1))


LINE: list[Callable[[bytes, random.Random], bytes]] = [
    retyped, retyped, retyped, more_members, more_members, fewer_members, flipped, flipped_unseen,
    control, renumbered, of_another_kind,
    lambda line, pick: b"", lambda line, pick: line * 2, lambda line, pick: line.rstrip(b"\n"),
    lambda line, pick: line[:pick.randrange(len(line))],
    lambda line, pick: line[:pick.randrange(len(line))] + b"\n",
    lambda line, pick: b"U-Boot [red]\x1b[2J" + line]


def mutated(lines: list[bytes], pick: random.Random) -> bytes:
    changed = list(lines)
    for _ in range(pick.choice((1, 1, 2, 4))):
        at = pick.randrange(len(changed))
        if changed[at] == lines[at]:
            changed[at] = pick.choice(LINE)(changed[at], pick)
    if pick.random() < 0.05:
        pick.shuffle(changed)
    return b"".join(changed)
