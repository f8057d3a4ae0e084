# SPDX-License-Identifier: Apache-2.0
"""Made-up output of a probe: lines with numbers and CRCs."""

import json
import zlib
from collections.abc import Iterable

from hypbench.peers.probe import EMPTY, PATHS

START = {"kind": "start", "bits": 64, "gic": 2, "gicd": "0x8000000", "console": "0x9000000",
         "tree": 1, "psci_by": "hvc", "midr": "0x410fd083", "hz": 1000000000, "delay": 0,
         "psci": "0x10001", "smccc": "0x10001", "iidr": "0x43b", "typer": "0x8"}


def path(name: str, ticks: int, **changes) -> dict:
    return {"kind": "path", "path": name, "n": 1000, "cold": ticks + 9, "min": ticks, "p50": ticks,
            "max": ticks, "same": 1000} | changes


def contents(**changes) -> list[dict]:
    """A whole run; of the members named by a path's name, or `start`, others."""
    lines = [START | changes.get("start", {}), path(EMPTY, 3, **changes.get(EMPTY, {}))]
    lines += [path(name, 100 + number, **changes.get(name, {}))
              for number, name in enumerate(PATHS)]
    return [*lines, {"kind": "end"}]


def line(number: int, data: dict) -> bytes:
    text = json.dumps({"probe": number} | data, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}' % zlib.crc32(text)


def printed(data: Iterable[dict]) -> bytes:
    return b"".join(line(number, one) + b"\r\n" for number, one in enumerate(data))
