# SPDX-License-Identifier: Apache-2.0
"""Relations that several records must keep: phases add up to their total, checksums are equal."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from hypbench.axes import settings_of
from hypbench.histogram import bucket_width
from hypbench.records import Log
from hypbench.schema import Data

PHASE_BENCH = "irq_phases"
SOURCES = ("timer", "device")
TOTAL = "-total"
CHECKSUM = "checksum"
HALF_DIGIT = 0.0005  # a mean has 3 decimal places
SLACK = 1e-7  # of binary fractions


def source_of(variant: str) -> str | None:
    """The path whose phase or total a variant of irq_phases is; the probes' own cost has none."""
    return next((source for source in SOURCES if variant.startswith(f"{source}-")), None)


def phase_faults(log: Log) -> Iterator[str]:
    """With probes=on all phases of a total are there, and they add up to it."""
    probes = {name: found["probes"] for name, found in settings_of(log).items()}
    records = [data for data in log.of_kind("bench")
               if data["bench"] == PHASE_BENCH and source_of(data["variant"])]
    for _, step in groupby(records, key=lambda data: data["step"]):
        found = list(step)
        for source in SOURCES:
            mine = [data for data in found if source_of(data["variant"]) == source]
            where = f"step {found[0]['step']} ({found[0]['config']} {PHASE_BENCH} {source})"
            yield from (f"{where}: {text}" for text in
                        waterfall_faults(mine, probes.get(found[0]["config"]) == "on"))


def waterfall_faults(records: list[Data], probes: bool) -> Iterator[str]:
    totals = [data for data in records if data["variant"].endswith(TOTAL)]
    phases = sorted((data for data in records if "phase" in data), key=lambda data: data["phase"])
    if records and len(totals) != 1:
        yield f"{len(totals)} totals, there must be one"
    elif phases or (totals and probes):
        yield from sum_faults(totals[0], phases)


def sum_faults(total: Data, phases: list[Data]) -> Iterator[str]:
    count = total.get("phases", 0)
    there = [data["phase"] for data in phases]
    if count < 1 or there != list(range(1, count + 1)):
        yield (f"phases {', '.join(map(str, there)) or 'none'} are there,"
               f" 1 to {count} must be, each once")
        return
    counts = {data["n"] for data in phases} | {total["n"]}
    if len(counts) > 1:
        yield f"phases and total have {', '.join(map(str, sorted(counts)))} samples, not as many"
        return
    parts = [Sum.of(data) for data in phases]
    whole = Sum.of(total)
    low, high = sum(part.low for part in parts), sum(part.high for part in parts)
    if high < whole.low or low > whole.high:
        means = sum(data["mean"] for data in phases)
        yield f"the phases' means add up to {means:.3f}, the total's mean is {total['mean']:.3f}"


@dataclass
class Sum:
    """The sum of a record's net samples, as exactly as the record has it."""

    low: int
    high: int

    @classmethod
    def of(cls, bench: Data) -> "Sum":
        n, mean = bench["n"], bench["mean"]
        low = math.ceil(n * (mean - HALF_DIGIT) - SLACK * abs(mean) * n)
        high = math.floor(n * (mean + HALF_DIGIT) + SLACK * abs(mean) * n)
        if bench["overflow"] or any(bucket_width(edge) > 1 for edge, _ in bench["hist"]):
            return cls(low, high)
        exact = sum(edge * count for edge, count in bench["hist"]) - n * bench["overhead"]
        return cls(exact, exact)


def checksum_faults(log: Log) -> Iterator[str]:
    """A program computes the same in every configuration and every pass."""
    checks = [data for data in log.of_kind("check") if data["variant"] == CHECKSUM]
    for bench in dict.fromkeys(data["bench"] for data in checks):
        mine = [data for data in checks if data["bench"] == bench]
        values = {data["step"]: data.get(CHECKSUM) for data in mine}
        if len(set(values.values())) > 1:
            said = dict.fromkeys(f"{data['config']} {data.get(CHECKSUM)}" for data in mine)
            yield f"{bench}: the checksums differ: {', '.join(said)}"
        yield from lacking_faults(log, bench, set(values))


def lacking_faults(log: Log, bench: str, with_checksum: set[int]) -> Iterator[str]:
    skipped = {data["step"] for data in log.of_kind("skip")}
    for step in log.of_kind("step"):
        done = step["outcome"] == "done" and step["step"] not in skipped
        if step["bench"] == bench and done and step["step"] not in with_checksum:
            yield f"{bench}: no checksum in {step['config']}, pass {step['pass']}"
