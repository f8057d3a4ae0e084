# SPDX-License-Identifier: Apache-2.0
"""The bound of sched=fp. The measured VM waits for one VM switch, the load's longest exit, which
nothing interrupts, and a kick that is pending when this exit ends.

A configuration of its own counts the exits (stats=on), so the figures do not contain the counting.
The section also has the bound by proven ceilings if the image has ceilings.
"""

from dataclasses import dataclass

from hypbench.analysis.beside import NO_LOAD, alone_of, config_with, idle_steps
from hypbench.analysis.ceilings import ceilings_of, proven_of
from hypbench.frame import Board
from hypbench.model import NONE, Cell, Section, number, prose
from hypbench.records import Log
from hypbench.rows import Row, Settings, rows_of, settings_of, twin_of

SWITCH_LOAD = "load_cpu"  # this load makes no exit, so it adds only the switch to the median
LINUX = "linux"  # this load makes few exits, so it adds only the switch, too
KICK = "kick"
REQUEST = "net_"  # begin of a benchmark's name whose window waits for another VM's answer
TITLE = "sched=fp: at most the largest alone, a VM switch, the load's longest exit and kicks"


@dataclass(frozen=True)
class Bound:
    """The bound of a benchmark's variant beside a load, in ticks."""

    bench: str
    variant: str
    load: str
    alone: int  # the largest latency without a load
    switch: int
    exit: int | None  # the longest exit of the load; None: not counted
    # The load's longest kick, which continues a write to many interrupts, plus a kick that comes to
    # the measured VM after the switch and finds nothing to do. The sum is 0 if no kick is counted.
    kick: int
    largest: int  # the largest latency beside the load
    proven: int | None = None  # the bound by the ceilings of every exit

    @property
    def most(self) -> int | None:
        return (None if self.exit is None
                else self.alone + self.switch + self.exit + self.kick)

    @property
    def holds(self) -> bool:
        return all(self.largest <= most for most in (self.most, self.proven) if most is not None)


def longest_exits(log: Log, config: str, row: Row) -> dict[str, int]:
    """Return the longest exits, by kind, of the VMs beside the measured VM. WFI has no length
    here, because an interrupt ends its exit and the length has no meaning."""
    longest: dict[str, int] = {}
    for record in log.of_kind("exits"):
        kind = record["exit"]
        if ((record["config"], record["bench"]) == (config, row.bench)
                and record["vm"] != row.first.get("vm") and kind != "wfi"):
            longest[kind] = max(longest.get(kind, 0), record["max"])
    return longest


def kicks(log: Log, config: str, row: Row, exits: dict[str, int]) -> int:
    """Return the kicks of the bound. The continuation of a load's write stays pending while a timer
    switches VMs, and the measured VM takes it first. The measured VM's shortest kick has no
    posts."""
    shortest = [record["min"] for record in log.of_kind("exits")
                if (record["config"], record["bench"], record["exit"], record["vm"])
                == (config, row.bench, KICK, row.first.get("vm"))]
    return exits[KICK] + min(shortest, default=0) if KICK in exits else 0


def is_plain(axes: Settings) -> bool:
    """Return whether the exits use the vector table whose ceilings are proven."""
    return {axes.get(name, "off") for name in ("stats", "trace", "probes")} == {"off"}


def is_proven(log: Log, axes: Settings, row: Row) -> bool:
    """Return whether all of EL2's work in a step has a ceiling. An event of the plan, which the
    core's loop processes, has no ceiling. A request to another VM, which waits for the answer, has
    no ceiling either."""
    events = any(step.get("events") for step in log.of_kind("step")
                 if (step["config"], step["bench"]) == (row.config, row.bench))
    return is_plain(axes) and not events and not row.bench.startswith(REQUEST)


def bounds_of(log: Log) -> list[Bound]:
    """Return the bounds of a log that has the exits of every VM, or whose image has proven
    ceilings."""
    settings, bounds, idle = settings_of(log), [], idle_steps(log)
    proven = proven_of(ceilings_of(log))
    rows = {row.key: row for row in rows_of(log)}
    for (bench, variant, config), row in rows.items():
        axes = settings.get(config, {})
        if axes.get("sched") != "fp" or axes["beside"] == NO_LOAD or (config, bench) in idle:
            continue
        alone = rows.get((bench, variant, alone_of(settings, config) or ""))
        switch = config_with(settings, config, {"beside": SWITCH_LOAD})
        plain = rows.get((bench, variant, config if axes["beside"] == LINUX else switch or ""))
        counting = twin_of(log, config, "stats", "on")
        exits = longest_exits(log, counting, row) if counting else {}
        longest = max(exits.values(), default=None)
        proven_bound = (alone.pool.high + proven.wait
                        if alone and proven and is_proven(log, axes, row) else None)
        if alone and plain and (longest, proven_bound) != (None, None):
            bounds.append(Bound(bench, variant, str(axes["beside"]), alone.pool.high,
                                max(0, plain.p50 - alone.p50), longest,
                                kicks(log, counting, row, exits) if counting else 0,
                                row.pool.high, proven_bound))
    return bounds


def above_proven(log: Log) -> list[str]:
    """Return a line for each latency above its proven bound. No instruction count of this image can
    exceed the bound."""
    return [f"{bound.bench} {bound.variant} beside {bound.load}: {bound.largest} instructions, at"
            f" most {bound.proven} are proven" for bound in bounds_of(log)
            if bound.proven is not None and bound.largest > bound.proven]


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("ceilings", "How long an exit takes at most", board.name)
    document = next((ceilings for source in board.sources.values()
                     if (ceilings := ceilings_of(source.log))), None)
    if not document or board.one_log:
        add_bounds(section, board)
        return section
    section.text(prose("ceilings", kept=document, proven=proven_of(document)))
    add_bounds(section, board)
    section.table("ceilings", "Proven ceilings and the longest measured visits, in instructions", (
        "kind", ">ceiling", ">of that, waits for locks", ">longest measured", "run"),
        [[name, count_text(row["ceiling"]), count_text(row.get("wait")),
          count_text(row.get("measured")), row.get("run", NONE)]
         for name, row in document["kinds"].items()],
        folded="Ceilings of every kind of exit")
    return section


def count_text(value: int | None) -> str:
    return NONE if value is None else number(value)


def add_bounds(section: Section, board: Board) -> None:
    """Add the table of bounds with the largest sampled values."""
    section.table("bound", TITLE, (
        "path", "beside", ">alone", ">switch", ">longest exit", ">kick", ">bound", ">proven",
        ">largest", "verdict"), [
            [f"{bound.bench} {bound.variant}", bound.load, *map(source.clock.show, (
                bound.alone, bound.switch, bound.exit, bound.kick, bound.most, bound.proven,
                bound.largest)),
             verdict(bound)] for source in board.sources.values()
            for bound in bounds_of(source.whole or source.log)],
        folded="Bounds of sched=fp in numbers")


def verdict(bound: Bound) -> Cell:
    if bound.most is None and bound.proven is None:
        return Cell("no bound", "quiet")
    return Cell("holds", "good") if bound.holds else Cell("EXCEEDED", "bad")
