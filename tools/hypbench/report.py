# SPDX-License-Identifier: Apache-2.0
"""The results of a log as a table for people and as summary.csv for programs."""

import csv
import io
from collections import Counter

from hypbench.analysis.clocks import ClockRow, clock_rows
from hypbench.analysis.interrupts import STORM
from hypbench.analysis.tlb import Miss, event_rows, miss_rows
from hypbench.histogram import Pool, median_interval
from hypbench.model import Section, prose
from hypbench.records import Data, Log
from hypbench.rows import BASELINE, TIME, by_vm, hides, platform_of, rows_of, vm_of
from hypbench.rules import believable

CSV_HEADER = ("board,config,bench,variant,unit,clock,n,min,p50,p90,p99,max,mean,stddev,"
              "cold").split(",")
CSV_CLOCKS = ("batch,mean_op,quantum_ps,cycles_min,cycles_p50,cycles_p90,cycles_p99,cycles_max,"
              "cycles_mean,cycles_stddev,cycles_cold,cycles_mean_op").split(",")
CHECKS_OK = "checks ok:"  # begins the line on checks of benchmarks that also have results


def caption(log: Log) -> str:
    """Return the line on the worth of a tick of this run."""
    return prose("caption", platform=platform_of(log), run=log.run)


def summary_csv(log: Log) -> str:
    """Return one row for each benchmark, variant and configuration, and VM if there are several. A
    skipped benchmark has no row. The cells of numbers are empty where the platform does not model
    the quantity."""
    out = io.StringIO()
    parts = by_vm(believable(log))
    tables = {vm: csv_rows(part) for vm, part in parts.items()}
    columns = dict.fromkeys(name for names, _ in tables.values() for name in names)
    header = [*CSV_HEADER, *columns, *(["vm"] if len(parts) > 1 else [])]
    writer = csv.DictWriter(out, header, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for vm, (_, rows) in tables.items():
        writer.writerows(cells | {"vm": word(vm)} for cells in rows)
    return out.getvalue()


def csv_rows(log: Log) -> tuple[list[str], list[Data]]:
    """Return the columns that CSV_HEADER lacks, and the rows of one VM."""
    clocks = {row.row.key: clock_cells(row) for row in clock_rows(log)}
    events = {key: {f"{name}_op": f"{value:.4f}" for name, value in counts.items()}
              for key, counts in event_rows(log).items()}
    misses = {miss.key: miss_cells(miss) for miss in miss_rows(log)}
    columns = [*(CSV_CLOCKS if clocks else []),
               *dict.fromkeys(name for table in (events, misses) for cells in table.values()
                              for name in cells)]
    rows = []
    for row in rows_of(log):
        cells = {"board": word(log.run["board"] if log.run else ""), "config": word(row.config),
                 "bench": word(row.bench), "variant": word(row.variant), "unit": row.first["unit"],
                 "clock": row.first["clock"], "n": row.pool.n}
        if not hides(platform_of(log), row):
            cells |= numbers(row.pool)
            for table in (clocks, events, misses):
                cells |= table.get(row.key, {})
        rows.append(cells)
    return columns, rows


def word(text: str) -> str:
    """Return the text of a cell, changed if a spreadsheet would read it as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def clock_cells(row: ClockRow) -> Data:
    """Return the cells on batches and on the cycles of the core."""
    cells = {"batch": row.batch, "mean_op": f"{row.mean:.3f}",
             "quantum_ps": row.row.first.get("quantum_ps", "")}
    if row.cycles:
        cells |= {f"cycles_{name}": value for name, value in numbers(row.cycles).items()}
        cells["cycles_mean_op"] = f"{row.cycles_mean:.3f}"
    return cells


def miss_cells(miss: Miss) -> Data:
    """Return the cells on the cost of one TLB miss, for the row of the random chase."""
    return {"misses_op": f"{miss.cell.misses:.4f}", "misses_from": miss.cell.event,
            "miss_ns": f"{miss.ns:.3f}",
            "miss_cycles": "" if miss.cycles is None else f"{miss.cycles:.3f}"}


def numbers(pool: Pool) -> Data:
    return {"min": pool.low, "max": pool.high, "mean": f"{pool.mean:.3f}",
            "stddev": f"{pool.stddev:.3f}", "cold": pool.cold} | pool.percentiles()


def title(log: Log) -> str:
    run = log.run
    if not run:
        return "no run record"
    measured = "cpu_hz" in run and run["platform"] in TIME  # QEMU's cpu_hz is the clock of no core
    core = f", core at {run['cpu_hz'] / 1e6:.1f} MHz" if measured else ""
    return (f"{run['board']} ({run['isa']}, GIC{run['gic']}), scenario {run['plan'] or '-'},"
            f" platform {run['platform']}, {run['clock']} at {run['hz'] / 1e6:g} MHz{core}")


def results(log: Log) -> Section:
    """Return a table of percentiles, with a row for each benchmark, variant and configuration."""
    rows = rows_of(log)
    base = {(row.bench, row.variant): row.p50 for row in rows if row.config == BASELINE}
    section = Section("results", title(log), "")
    section.table("results", "", ("bench", "variant", "configuration", ">n", ">min", ">p50", ">p99",
                                  ">max", f">p50 − {BASELINE}", ">cold", ">95 % of p50"), [
        [*row.key, *map(str, (row.pool.n, row.pool.low, row.p50,
                              row.pool.percentiles().get("p99", ""), row.pool.high,
                              difference(row.p50, base.get((row.bench, row.variant))),
                              row.pool.cold, interval(row.pool)))]
        for row in rows if not hides(platform_of(log), row) and row.bench != STORM])
    return section


def interval(pool: Pool) -> str:
    """Return the interval of the median, or "" if the interval is a point."""
    bounds = median_interval(pool)
    return "" if bounds.is_point else f"{bounds.low:g} to {bounds.high:g}"


def difference(p50: int, base: int | None) -> str:
    return "" if base is None else f"{p50 - base:+d}" if p50 != base else "0"


def notes(log: Log) -> list[str]:
    """Return the notes below the table: checks, skips, faults and errors. Each text is there
    once, with its count."""
    timed = {data["bench"] for data in log.of_kind("bench")}
    records = log.of_kind("check", "skip", "fault", "error")
    several = len({vm_of(data) for data in [*records, *log.of_kind("step")] if "step" in data}) > 1
    counts = Counter(note_of(data, data.get("bench") in timed, several) for data in records)
    return [text + (f" (x{count})" if count > 1 else "") for text, count in counts.items()]


def note_of(data: Data, short: bool, several: bool = False) -> str:
    """Return the note on a record. `short` leaves out checks that went well beside a benchmark's
    results; `several`: the records name more than one VM."""
    vm = f" VM {vm_of(data)}" if several and "step" in data else ""
    where = " ".join(str(data[name]) for name in ("bench", "variant", "config") if name in data)
    where += vm
    if data["kind"] == "skip":
        return f"skipped: {where}: {data['reason']}"
    if data["kind"] == "fault":
        device = f" ({data['at']})" if "at" in data else ""
        return (f"FAULT: {where}: {data['reason']} ({data['class']})"
                f" on vCPU {data.get('vcpu', 0)} at pc {data['pc']}, va {data['va']},"
                f" ipa {data['ipa']}{device}, esr {data['esr']}")
    if data["kind"] == "error":
        return f"ERROR: {where + ': ' if where else ''}{data['where']}: {data['what']}"
    if short and data["ok"]:
        return f"{CHECKS_OK} {data['bench']} {data['config']}{vm}"
    evidence = ", ".join(f"{name} {value}" for name, value in data.items()
                         if name not in ("seq", "kind", "crc", "step", "pass", "config", "bench",
                                         "vm", "vcpu", "variant", "ok"))
    return f"check {'ok' if data['ok'] else 'FAILED'}: {where}{': ' if evidence else ''}{evidence}"
