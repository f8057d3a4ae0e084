# SPDX-License-Identifier: Apache-2.0
"""The bound of sched=fp. The measured VM waits for one VM switch, the load's longest exit, which
nothing interrupts, and a kick that is pending then.

Exits are counted (stats=on) in a configuration of its own, so that the counting is not in the
figures. If the image has proven ceilings, the bound by these is shown, too.
"""

from dataclasses import dataclass

from hypbench.analysis.beside import NO_LOAD, alone_of, idle_steps, other_of
from hypbench.analysis.ceilings import kept_of, proven_of
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
    kick: int  # the load's longest kick, which continues a write to many interrupts
    # a kick that comes to the measured VM after the switch and finds nothing to do; 0: none
    seen: int  # the largest latency beside the load
    proven: int | None = None  # the bound by the ceilings of every exit

    @property
    def most(self) -> int | None:
        return (None if self.exit is None
                else self.alone + self.switch + self.exit + self.kick)

    @property
    def holds(self) -> bool:
        return all(self.seen <= most for most in (self.most, self.proven) if most is not None)


def longest_exits(log: Log, config: str, row: Row) -> dict[str, int]:
    """Return the longest exits, by kind, of the VMs beside the measured one. WFI is left out: an
    interrupt ends its exit, so the length has no meaning."""
    found: dict[str, int] = {}
    for exits in log.of_kind("exits"):
        kind = exits["exit"]
        if ((exits["config"], exits["bench"]) == (config, row.bench)
                and exits["vm"] != row.first.get("vm") and kind != "wfi"):
            found[kind] = max(found.get(kind, 0), exits["max"])
    return found


def kicks(log: Log, config: str, row: Row, exits: dict[str, int]) -> int:
    """Return the kicks of the bound. The continuation of a load's write stays pending while a timer
    switches VMs, and the measured VM takes it first. The measured VM's shortest kick has no
    posts."""
    own = [found["min"] for found in log.of_kind("exits")
           if (found["config"], found["bench"], found["exit"], found["vm"])
           == (config, row.bench, KICK, row.first.get("vm"))]
    return exits[KICK] + min(own, default=0) if KICK in exits else 0


def is_plain(axes: Settings) -> bool:
    """Return whether the exits use the vector table whose ceilings are proven."""
    return {axes.get(name, "off") for name in ("stats", "trace", "probes")} == {"off"}


def is_proven(log: Log, axes: Settings, row: Row) -> bool:
    """Return whether all of EL2's work in a step has a ceiling. Two things have none: an event of
    the plan, which the core's loop processes, and a request to another VM, which waits for its
    answer."""
    events = any(step.get("events") for step in log.of_kind("step")
                 if (step["config"], step["bench"]) == (row.config, row.bench))
    return is_plain(axes) and not events and not row.bench.startswith(REQUEST)


def bounds_of(log: Log) -> list[Bound]:
    """Return the bounds of a log that has the exits of every VM, or whose image has proven
    ceilings."""
    settings, found, idle = settings_of(log), [], idle_steps(log)
    proven = proven_of(kept_of(log))
    rows = {row.key: row for row in rows_of(log)}
    for (bench, variant, config), row in rows.items():
        said = settings.get(config, {})
        if said.get("sched") != "fp" or said["beside"] == NO_LOAD or (config, bench) in idle:
            continue
        alone = rows.get((bench, variant, alone_of(settings, config) or ""))
        switch = other_of(settings, config, {"beside": SWITCH_LOAD})
        plain = rows.get((bench, variant, config if said["beside"] == LINUX else switch or ""))
        counted = twin_of(log, config, "stats", "on")
        exits = longest_exits(log, counted, row) if counted else {}
        longest = max(exits.values(), default=None)
        most = (alone.pool.high + proven.wait if alone and proven and is_proven(log, said, row)
                else None)
        if alone and plain and (longest, most) != (None, None):
            found.append(Bound(bench, variant, str(said["beside"]), alone.pool.high,
                               max(0, plain.p50 - alone.p50), longest,
                               kicks(log, counted, row, exits) if counted else 0,
                               row.pool.high, most))
    return found


def above_proven(log: Log) -> list[str]:
    """Report latencies above the proven bound. No instruction count of this image can be above
    it."""
    return [f"{one.bench} {one.variant} beside {one.load}: {one.seen} instructions, at most"
            f" {one.proven} are proven" for one in bounds_of(log)
            if one.proven is not None and one.seen > one.proven]


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("ceilings", "How long an exit takes at most", board.name)
    kept = next((found for source in board.sources.values() if (found := kept_of(source.log))),
                None)
    if not kept or board.one_log:
        add_bounds(made, board)
        return made
    made.text(prose("ceilings", kept=kept, proven=proven_of(kept)))
    add_bounds(made, board)
    made.table("ceilings", "Proven ceilings and the longest measured visits, in instructions", (
        "kind", ">ceiling", ">of that, waits for locks", ">longest measured", "run"),
        [[name, shown(row["ceiling"]), shown(row.get("wait")), shown(row.get("measured")),
          row.get("run", NONE)] for name, row in kept["kinds"].items()],
        folded="Ceilings of every kind of exit")
    return made


def shown(value: int | None) -> str:
    return NONE if value is None else number(value)


def add_bounds(made: Section, board: Board) -> None:
    """Add the table of bounds with the largest sampled values."""
    made.table("bound", TITLE, (
        "path", "beside", ">alone", ">switch", ">longest exit", ">kick", ">bound", ">proven",
        ">largest", "verdict"), [
            [f"{one.bench} {one.variant}", one.load, *map(source.clock.show, (
                one.alone, one.switch, one.exit, one.kick, one.most, one.proven, one.seen)),
             verdict(one)] for source in board.sources.values()
            for one in bounds_of(source.whole or source.log)],
        folded="Bounds of sched=fp in numbers")


def verdict(one: Bound) -> Cell:
    if one.most is None and one.proven is None:
        return Cell("no bound", "quiet")
    return Cell("holds", "good") if one.holds else Cell("EXCEEDED", "bad")
