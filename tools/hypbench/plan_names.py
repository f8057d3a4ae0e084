# SPDX-License-Identifier: Apache-2.0
"""Whether what a plan names exists: benchmarks, presets, axes and their values. All else of a plan
the hypervisor checks, which reads it."""

import re
from functools import cache

from hypbench.axes import presets, unknown_name
from hypbench.tree import HOME, UnknownName, listed

BENCH = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)


@cache
def benches() -> list[str]:
    """What the guest has, from its sources."""
    sources = [*HOME.glob("guest/bench/*.c"), *HOME.glob("guest/programs/*.c")]
    return sorted({bench or program for path in sources
                   for bench, program in BENCH.findall(path.read_text())})


def unknown_in(line: str) -> str:
    """What a line of a plan names that does not exist; "": nothing."""
    words = line.partition("#")[0].split()
    if words[:1] == ["bench"] and words[1:] and words[1] not in benches():
        return f"no benchmark '{words[1]}'; there are: {listed(benches())}"
    if words[:1] != ["config"] or not words[1:]:
        return ""
    preset, *settings = words[2:] if words[2:] and "=" not in words[2] else words[1:]
    if preset not in presets() and preset == words[1]:
        return f"no preset after '{preset}'; there are: {listed(list(presets()))}"
    return unknown_name(preset, settings)


def check_names(plan: str, text: str) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        if fault := unknown_in(line):
            raise UnknownName(f"plan {plan}, line {number}: {fault}")
