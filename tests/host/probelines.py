# SPDX-License-Identifier: Apache-2.0
"""Made-up output of a probe: lines with numbers and CRCs."""

import json
import zlib
from collections.abc import Iterable

from hypbench.peers.probe import EMPTY, PAIR_PATHS, PATHS

START = {"kind": "start", "bits": 64, "gic": 2, "gicd": "0x8000000", "console": "0x9000000",
         "tree": 1, "psci_by": "hvc", "samples": 1000, "delay": 0}
CORE = {"kind": "core", "midr": "0x410fd083", "hz": 1000000000}
ONE_VM = [path for path in PATHS if path not in PAIR_PATHS]
ANSWERS = {name: {"answer": "0x10001"}
           for name in ("psci_version", "psci_version_smc", "smccc_version")}
ANSWERS["named_call"] = {"answer": "0x40011", "call": "XENVER_version"}


def path(name: str, ticks: int, **changes) -> dict:
    return {"kind": "path", "path": name, "n": 1000, "cold": ticks + 9, "min": ticks, "p50": ticks,
            "max": ticks, "same": 1000} | changes


def contents(**changes) -> list[dict]:
    """Return the lines of a whole run. An argument named by a path, or `start` or `core`, changes
    members of that line."""
    lines = [START | changes.get("start", {}), CORE | changes.get("core", {}),
             path(EMPTY, 3, **changes.get(EMPTY, {}))]
    lines += [path(name, 100 + number, **ANSWERS.get(name, {}) | changes.get(name, {}))
              for number, name in enumerate(ONE_VM)]
    return [*lines, {"kind": "end"}]


def lines_of_vm(vm: str, phases: dict[str, list[tuple[int, int]]],
                absent: dict[str, str] | None = None, **start: int) -> list[dict]:
    """Return a whole run of one of two VMs, with stamps by path, three in a line. VM `b` has no
    `from` of its wake-ups."""
    lines = [START | {"samples": 200} | start, CORE]
    for name, stamps in phases.items():
        for at in range(0, len(stamps), 3):
            part = stamps[at:at + 3]
            begins = {} if (vm, name) == ("b", "wake") else {"from": [begin for begin, _ in part]}
            lines.append({"kind": "stamps", "path": name} | begins
                         | {"until": [end for _, end in part]})
    lines += [{"kind": "skip", "path": name, "why": why} for name, why in (absent or {}).items()]
    return [{"kind": members["kind"], "vm": vm} | members for members in [*lines, {"kind": "end"}]]


def line(number: int, data: dict) -> bytes:
    text = json.dumps({"probe": number} | data, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}' % zlib.crc32(text)


def printed(data: Iterable[dict]) -> bytes:
    return b"".join(line(number, members) + b"\r\n" for number, members in enumerate(data))
