# SPDX-License-Identifier: Apache-2.0
"""Find numbers that cannot be true. Each rule reports contradictions within a record or between
records."""

import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise

from hypbench.analysis.clocks import cycles_of, drifts
from hypbench.histogram import OVERFLOW, PERCENTILES, bucket_width, moments, pool_of, spans_of
from hypbench.plan_vms import LINKED
from hypbench.records import Data, Log, Problem, ranges
from hypbench.rows import Key, by_vm, settings_of, vm_of

PHASE_BENCH = "irq_phases"
SOURCES = ("timer", "device")
TOTAL = "-total"
CHECKSUM = "checksum"
HALF_DIGIT = 0.0005  # half of the last digit: a mean has 3 decimal places
SLACK = 1e-7  # error of binary fractions
# This benchmark measures the counter pair itself. Another benchmark's record has may_be_zero if its
# path is a single instruction, which is shorter than a tick of most counters.
EMPTY_PATH = "counter"
TICKS, CYCLES = "", "cycles_"  # how the names of each clock's members begin
UNMODIFIED = "guest"  # name of the step of an unmodified guest, which has no results
FIT = 0.02  # largest relative change of the core's clock within a run
ROUNDING = 0.001  # rounding of a mean with 3 decimal places
FRACTION = 1e-9  # error of a computation with binary fractions


def source_of(variant: str) -> str | None:
    """Return the source of the interrupt whose phase or total a variant of irq_phases measures, or
    None for a variant that measures the probes' own cost."""
    return next((source for source in SOURCES if variant.startswith(f"{source}-")), None)


def phase_faults(log: Log) -> Iterator[str]:
    """With probes=on all phases of a total must be present and add up to that total."""
    probes = {name: settings["probes"] for name, settings in settings_of(log).items()}
    records = [data for data in log.of_kind("bench")
               if data["bench"] == PHASE_BENCH and source_of(data["variant"])]
    for _, group in groupby(records, key=lambda data: data["step"]):
        step = list(group)
        for source in SOURCES:
            waterfall = [data for data in step if source_of(data["variant"]) == source]
            where = f"step {step[0]['step']} ({step[0]['config']} {PHASE_BENCH} {source})"
            yield from (f"{where}: {text}" for text in
                        waterfall_faults(waterfall, probes.get(step[0]["config"]) == "on"))


def waterfall_faults(records: list[Data], probes: bool) -> Iterator[str]:
    totals = [data for data in records if data["variant"].endswith(TOTAL)]
    phases = sorted((data for data in records if "phase" in data), key=lambda data: data["phase"])
    if records and len(totals) != 1:
        yield f"{len(totals)} totals, there must be one"
    elif phases or (totals and probes):
        yield from sum_faults(totals[0], phases)


def sum_faults(total: Data, phases: list[Data]) -> Iterator[str]:
    count = total.get("phases", 0)
    present = [data["phase"] for data in phases]
    if count < 1 or present != list(range(1, count + 1)):
        yield (f"phases {', '.join(map(str, present)) or 'none'} are there,"
               f" 1 to {count} must be, each once")
        return
    counts = {data["n"] for data in phases} | {total["n"]}
    if len(counts) > 1:
        yield f"phases and total have {', '.join(map(str, sorted(counts)))} samples, not as many"
        return
    low, high = map(sum, zip(*map(sum_of, phases)))
    least, most = sum_of(total)
    if high < least or low > most:
        means = sum(data["mean"] for data in phases)
        yield f"the phases' means add up to {means:.3f}, the total's mean is {total['mean']:.3f}"


def sum_of(bench: Data) -> tuple[int, int]:
    """Return the least and the greatest sum of a record's net samples that the record's rounded
    members allow."""
    n, mean = bench["n"], bench["mean"]
    low = math.ceil(n * (mean - HALF_DIGIT) - SLACK * abs(mean) * n)
    high = math.floor(n * (mean + HALF_DIGIT) + SLACK * abs(mean) * n)
    if bench["overflow"] or any(bucket_width(edge) > 1 for edge, _ in bench["hist"]):
        return low, high
    exact = sum(edge * count for edge, count in bench["hist"]) - n * bench["overhead"]
    return exact, exact


def checksum_faults(log: Log) -> Iterator[str]:
    """A program must compute the same in every configuration and every pass."""
    checks = [data for data in log.of_kind("check") if data["variant"] == CHECKSUM]
    for bench in dict.fromkeys(data["bench"] for data in checks):
        records = [data for data in checks if data["bench"] == bench]
        values = {data["step"]: data.get(CHECKSUM) for data in records}
        if len(set(values.values())) > 1:
            texts = dict.fromkeys(f"{data['config']} {data.get(CHECKSUM)}" for data in records)
            yield f"{bench}: the checksums differ: {', '.join(texts)}"
        yield from lacking_faults(log, bench, set(values))


def lacking_faults(log: Log, bench: str, with_checksum: set[int]) -> Iterator[str]:
    skipped = {data["step"] for data in log.of_kind("skip")}
    for step in log.of_kind("step"):
        is_complete = step["outcome"] == "done" and step["step"] not in skipped
        if step["bench"] == bench and is_complete and step["step"] not in with_checksum:
            yield f"{bench}: no checksum in {step['config']}, pass {step['pass']}"


def check_rules(log: Log, platform: str | None = None) -> list[Problem]:
    """Report every broken rule of a log whose records fit the schema."""
    problems = []
    if platform and log.run and log.run["platform"] != platform:
        problems.append(Problem(0, f"the image reports platform {log.run['platform']},"
                                f" it ran on {platform}"))
    for record in log.sound:
        rule = RECORD_RULES.get(record.kind)
        if rule:
            where = place(record.data)
            problems += [Problem(record.line, f"record {record.seq} ({where}): {text}")
                         for text in rule(record.data)]
    parts = by_vm(log)
    problems += [Problem(0, f"VM {vm}: {text}" if len(parts) > 1 else text)
                 for vm, part in parts.items()
                 for rule in (pass_faults, phase_faults, checksum_faults, row_faults)
                 for text in rule(part)]
    return problems + [Problem(0, text) for text in (
        *step_faults(log), *drifts(log), *fit_faults(log),
        *load_faults(log))]


def place(data: Data) -> str:
    words = [data.get("config"), data.get("bench"), data.get("variant")]
    return " ".join(word for word in words if word) or data["kind"]


def bench_faults(bench: Data) -> Iterator[str]:
    yield from histogram_faults(bench)
    yield from order_faults(bench)
    short = bench["bench"] == EMPTY_PATH or bench.get("may_be_zero") == 1
    cycles = cycles_of(bench)
    if not short and not cycles and min(bench["min"], bench["cold"]) <= 0:
        yield (f"a latency of {min(bench['min'], bench['cold'])} ticks: zero and less"
               " cannot be true")
    if bench["window"] == "cval" and bench["overhead"]:
        yield f"window cval with an overhead of {bench['overhead']}, it must be 0"
    for member in ("min", "p50", "max"):
        if bench[f"raw_{member}"] - bench["overhead"] != bench[member]:
            yield (f"{member} {bench[member]} is not raw_{member} {bench['raw_' + member]}"
                   f" - overhead {bench['overhead']}")
    if "quantum_ps" in bench:
        yield from quantum_faults(bench)
    if cycles:
        yield from (f"cycles: {text}" for text in cycles_faults(cycles, short))
    for event in bench.get("events", []):
        low, high = (bench["n"] * event[name] for name in ("min", "max"))
        if not low <= event["sum"] <= high:
            yield (f"{event['name']}: sum {event['sum']} is not between {bench['n']} times min"
                   f" {event['min']} and max {event['max']}")
        if min(event["min"], event["cold"]) + event["overhead"] < 0:
            yield f"{event['name']}: the net count is negative"


def quantum_faults(bench: Data) -> Iterator[str]:
    step = 1e12 / bench["hz"] / bench["batch"]
    if abs(bench["quantum_ps"] - step) > 1:
        yield (f"quantum_ps {bench['quantum_ps']} is not the {step:.1f} that a tick is for one of"
               f" {bench['batch']} operations")


def cycles_faults(cycles: Data, short: bool) -> Iterator[str]:
    """Report impossible values of the second clock, by the rules of the first."""
    yield from histogram_faults(cycles)
    yield from order_faults(cycles)
    lowest = min(cycles["min"], cycles["cold"])
    if not short and lowest <= 0:
        yield f"a latency of {lowest}: zero and less cannot be true"


def fit_faults(log: Log) -> Iterator[str]:
    """The cycles of a window must fit its ticks: a core cannot execute more cycles than its clock
    has in that time. The cycles can be fewer, because a sleeping core stops its cycle counter."""
    if not log.run or "cpu_hz" not in log.run or log.run["platform"] == "qemu-host":
        return
    for bench in log.of_kind("bench"):
        cycles = cycles_of(bench)
        if not cycles:
            continue
        inside = (cycles["mean"] + cycles["overhead"]) / log.run["cpu_hz"]
        around = (bench["mean"] + bench["overhead"] + 1) / bench["hz"]
        if inside > around * (1 + FIT):
            yield (f"step {bench['step']} ({place(bench)}): {inside * 1e9:.0f} ns of cycles in a"
                   f" window of {around * 1e9:.0f} ns of ticks")


def load_faults(log: Log) -> Iterator[str]:
    """A load must make a round under gem5, whose cores run side by side. Figures beside a load
    without a round are those without a load."""
    if not log.run or log.run["platform"] != "gem5":
        return
    beside = {name: str(settings["beside"]) for name, settings in settings_of(log).items()}
    measured = {bench["step"] for bench in log.of_kind("bench")}
    for vm in log.of_kind("vm"):
        load = beside.get(vm["config"], "") if vm["step"] in measured else ""
        if load.startswith("load_") and load not in LINKED and vm.get("rounds") == 0:
            yield f"step {vm['step']} ({place(vm)}): VM {vm['vm']} made no round of {load}"


def histogram_faults(bench: Data) -> Iterator[str]:
    counts = sum(count for _, count in bench["hist"]) + bench["overflow"]
    if counts != bench["n"]:
        yield f"the histogram counts {counts} samples, n is {bench['n']}"
        return
    faults = list(bucket_faults(bench["hist"], bench["overflow"], bench["raw_min"],
                                bench["raw_max"], "raw_"))
    yield from faults or moment_faults(bench)
    pool = pool_of(bench)
    for name, permille, need in PERCENTILES:
        if (name in bench) != (bench["n"] >= need):
            yield f"{name} must be {'absent' if name in bench else 'there'} with n {bench['n']}"
        elif name in bench and bench[name] != pool.percentile(permille):
            yield f"{name} is {bench[name]}, the histogram gives {pool.percentile(permille)}"


def bucket_faults(hist: list[list[int]], overflow: int, low: int, high: int, kind: str = ""
                  ) -> Iterator[str]:
    """Report faults of a histogram's edges, and of its smallest and its largest value."""
    edges = [edge for edge, _ in hist]
    if any(lower >= upper for lower, upper in pairwise(edges)):
        yield "the histogram's edges do not ascend"
    if any(edge % bucket_width(edge) for edge in edges):
        yield "a histogram edge is no bucket's lower edge"
    if any(edge >= OVERFLOW for edge in edges):
        yield f"a histogram edge of {edges[-1]}, where values overflow"
    first = edges[0] if edges else OVERFLOW
    if low < first or edges and low >= first + bucket_width(first):
        yield f"{kind}min {low} is not in the first bucket, {first}"
    last = OVERFLOW if overflow else edges[-1]
    if high < last or not overflow and high >= last + bucket_width(last):
        yield f"{kind}max {high} is not in the last bucket, {last}"


def moment_faults(bench: Data) -> Iterator[str]:
    """Report a mean or a deviation that no values in these buckets have."""
    low, high, least, most = moments(spans_of(bench["hist"], bench["overflow"], bench["raw_min"],
                                              bench["raw_max"]))
    mean, slack = bench["mean"] + bench["overhead"], ROUNDING + FRACTION * high
    if not low - slack <= mean <= high + slack:
        yield (f"mean {bench['mean']} is not between {low - bench['overhead']:.3f} and"
               f" {high - bench['overhead']:.3f}, as the histogram has it")
    if not least - slack <= bench["stddev"] <= most + slack:
        yield (f"stddev {bench['stddev']} is not between {max(least, 0):.3f} and {most:.3f}, as the"
               " histogram has it")


def order_faults(data: Data) -> Iterator[str]:
    names = [name for name in ("min", *(name for name, _, _ in PERCENTILES), "max") if name in data]
    for lower, upper in pairwise(names):
        if data[lower] > data[upper]:
            yield f"{lower} {data[lower]} is more than {upper} {data[upper]}"
    if "mean" in data and not data["min"] - 0.001 <= data["mean"] <= data["max"] + 0.001:
        yield f"mean {data['mean']} is not between min {data['min']} and max {data['max']}"


def calibration_faults(calibration: Data) -> Iterator[str]:
    yield from order_faults(calibration)
    if not calibration["stable"]:
        yield "the calibration is not stable"


def exits_faults(exits: Data) -> Iterator[str]:
    yield from order_faults(exits)
    n, total = exits["n"], exits["total"]
    counts = sum(count for _, count in exits["hist"]) + exits["overflow"]
    if counts != n:
        yield f"the histogram counts {counts} exits, n is {n}"
        return
    if not n * exits["min"] <= total <= n * exits["max"]:
        yield f"total {total} is not between {n} times min {exits['min']} and max {exits['max']}"
    # If values overflowed, min and max do not limit the histogram.
    if not exits["overflow"]:
        yield from (list(bucket_faults(exits["hist"], 0, exits["min"], exits["max"]))
                    or total_faults(exits))
    if abs(total / n - exits["mean"]) > ROUNDING:
        yield f"mean {exits['mean']} is not total {total} / n {n}"


def total_faults(exits: Data) -> Iterator[str]:
    spans = spans_of(exits["hist"], 0, exits["min"], exits["max"])
    low = sum(span.count * span.low for span in spans)
    high = sum(span.count * span.high for span in spans)
    if not low <= exits["total"] <= high:
        yield (f"total {exits['total']} is not between {low} and {high}, as the histogram has it")


def check_faults(check: Data) -> Iterator[str]:
    if not check["ok"]:
        evidence = [f"{name} {value}" for name, value in check.items()
                    if type(value) is int and name not in ("seq", "step", "pass", "vcpu")]
        yield "check failed" + (f": {', '.join(evidence)}" if evidence else "")


def end_faults(end: Data) -> Iterator[str]:
    if end["status"] != "ok":
        yield f"the run failed: {end['errors']} error and {end['faults']} fault records"


def row_faults(log: Log) -> Iterator[str]:
    """The records of a row must have the same clock, unit and window, and the run's frequency."""
    yield from (f"row {' '.join(key)}: {text}; take the run again"
                for key, text in odd_rows(log).items())


def odd_rows(log: Log) -> dict[Key, str]:
    """Return, by row of one VM, why the records of the row do not belong together, or do not belong
    to this run."""
    rows: dict[Key, list[Data]] = {}
    for data in log.of_kind("bench"):
        rows.setdefault(key_of(data), []).append(data)
    reasons = {key: wrong_clock(log, row) or mixture(row) for key, row in rows.items()}
    return {key: reason for key, reason in reasons.items() if reason}


def key_of(data: Data) -> Key:
    return data["bench"], data.get("variant", ""), data["config"]


def wrong_clock(log: Log, row: list[Data]) -> str:
    """Return a text about a record whose frequency differs from that of the same clock in the run
    record, or ""."""
    hz = next((data["hz"] for data in row if log.run and data["clock"] == log.run["clock"]
               and data["hz"] != log.run["hz"]), None)
    return f"hz {hz}, and the run's is {log.run['hz']}" if hz else ""


def mixture(row: list[Data]) -> str:
    """Return the first member in which the records of a row wrongly differ, with its values."""
    for member in ("clock", "unit", "hz", "window", "batch"):
        passes = {data[member]: data["pass"] for data in row}
        if len(passes) > 1:
            return f"{member} " + ", ".join(f"{value} in pass {number}"
                                            for value, number in passes.items())
    return ""


def believable(log: Log) -> Log:
    """Return the log without impossible results, which no table shows."""
    odd = {(vm, *key) for vm, part in by_vm(log).items() for key in odd_rows(part)}
    return replace(log, records=[
        record for record in log.records if record.faults or record.kind not in ("bench", "exits")
        or not any(RECORD_RULES[record.kind](record.data))
        and (record.kind != "bench" or (vm_of(record.data), *key_of(record.data)) not in odd)])


RECORD_RULES = {"bench": bench_faults, "calibration": calibration_faults, "exits": exits_faults,
                "check": check_faults, "end": end_faults}


def step_faults(log: Log) -> Iterator[str]:
    """Report records that a step lacks, and steps that the run lacks."""
    steps = log.of_kind("step")
    if log.run and len(steps) != log.run["steps"]:
        yield f"{len(steps)} steps of {log.run['steps']} ended"
    for outcome in sorted({step["outcome"] for step in steps} - {"done"}):
        numbers = ranges(sorted(step["step"] for step in steps if step["outcome"] == outcome))
        which = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in numbers)
        yield f"steps that ended as '{outcome}': {which}"
    configs = {config["name"] for config in log.run["configs"]} if log.run else set()
    complete = complete_steps(log)
    by_step: dict[int, list[Data]] = {}
    for record in log.sound:
        by_step.setdefault(record.data.get("step", -1), []).append(record.data)
    for step in steps:
        records = by_step[step["step"]]
        name = f"step {step['step']} ({place(step)})"
        if log.run and step["config"] not in configs:
            yield f"{name}: the run record has no such configuration"
        if step["outcome"] == "done" and step["bench"] != UNMODIFIED:
            yield from (f"{name}: {text}"
                        for text in content_faults(records, step["step"] in complete))


def complete_steps(log: Log) -> set[int]:
    """Return the steps that lost no record between the end of the step before and their own end."""
    numbers = sorted(record.seq for record in log.sound)
    ends = {record.seq: record.data["step"] for record in log.sound if record.kind == "step"}
    return {ends[end] for before, end in pairwise([-1, *sorted(ends)])
            if bisect(numbers, end) - bisect(numbers, before) == end - before}


def content_faults(step: list[Data], whole: bool) -> Iterator[str]:
    """Check the records of a step that ended as "done". `whole`: no record of the step is lost."""
    variants = Counter((vm_of(record), record["variant"]) for record in step
                       if record["kind"] == "bench")
    yield from (f"variant {variant} is there {count} times"
                for (_, variant), count in variants.items() if count > 1)
    if whole:
        yield from missing_faults(step)


def missing_faults(step: list[Data]) -> Iterator[str]:
    """Report the contents that a whole step lacks. In another step a lost record may have had these
    contents."""
    kinds = Counter(record["kind"] for record in step)
    if not kinds["bench"] + kinds["check"] + kinds["skip"]:
        yield "no bench, check or skip record"
    calibrations = [overheads(record, "p50") for record in step if record["kind"] == "calibration"]
    pairs = [record for record in step if record["kind"] == "bench" and record["window"] == "pair"]
    if pairs and not calibrations:
        yield "measured without a calibration"
    for record in pairs:
        for name, overhead in overheads(record, "overhead").items():
            allowed = {calibration[name] for calibration in calibrations if name in calibration}
            # The counter benchmark may show the pair itself, without a subtracted overhead.
            bare = record["bench"] == EMPTY_PATH and overhead == 0
            if overhead not in allowed and not bare and (calibrations or name != TICKS):
                clock, event = (name, "") if name in (TICKS, CYCLES) else ("", f" of {name}")
                yield (f"{clock}overhead {overhead}{event} of {record['variant']} is not the"
                       f" calibration's {clock}p50")


def overheads(record: Data, member: str) -> dict[str, int]:
    """Return a member, such as the overhead, for each clock and event of a record."""
    clocks = {clock: record[clock + member] for clock in (TICKS, CYCLES)
              if clock + member in record}
    return clocks | {event["name"]: event[member] for event in record.get("events", [])}


def pass_faults(log: Log) -> Iterator[str]:
    """With the order A B B A every result must be in one pass as often as in the other pass."""
    if not log.run or log.run["order"] != "abba":
        return
    balance: Counter[Key] = Counter()
    for data in log.of_kind("bench", "skip"):
        balance[data["bench"], data.get("variant", ""), data["config"]] += 1 - 2 * data["pass"]
    yield from (f"{' '.join(filter(None, key))}: 1 of its 2 passes"
                for key, difference in balance.items() if difference)
