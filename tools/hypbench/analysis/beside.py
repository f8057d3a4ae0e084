# SPDX-License-Identifier: Apache-2.0
"""The effect of a load beside a benchmark: a matrix of victims and aggressors for each policy."""

from collections import Counter
from dataclasses import dataclass

from hypbench import charts
from hypbench.model import NONE, Cells, Section, prose
from hypbench.frame import Board, Source
from hypbench.records import Data, Log
from hypbench.rows import Row, Settings, hides, platform_of, rows_of, settings_of

AXIS = "beside"
NO_LOAD = "none"
ALONE: Settings = {AXIS: NO_LOAD, "sched": "null", "slice_us": 0}
IDLE = "did not run"
NEIGHBOUR_IDLE = f"its neighbour {IDLE}"
S4_TIMER_PLAN = "paper-s4"  # studies.py has tables of this plan with two loads at once
# The sections on links and on studies show the loads of these plans.
ELSEWHERE = ("links", "links-beside", "virtio-beside", S4_TIMER_PLAN, "paper-s4-vms")
# The figure shows numbers from this relative difference. A smaller difference means that a wake-up
# finds its core at a slightly different place.
EFFECT = 0.05
OWN_CORE = "null"
# This mark means that QEMU's other cores had turns in some samples of a row: an artefact of the
# emulator.
MIXED = "≈"
MIXED_NOTE = (f"{MIXED} QEMU's other cores had turns in some samples, and their instructions count"
              " (an artefact of the emulator)")
POLICIES = {OWN_CORE: "on a core of its own", "fp": "on the victim's core, by priority (fp)",
            "rr": "on the victim's core, in turns (rr)"}


def mixes(log: Log, row: Row) -> bool:
    """Return whether the figure contains turns of QEMU's other cores, whose instructions CNTPCT
    counts: an artefact of the emulator."""
    axes = settings_of(log).get(row.config, {})
    busy = {axes.get(AXIS), axes.get("vms")} - {NO_LOAD, None}
    return (platform_of(log) == "qemu-icount" and axes.get("sched") == OWN_CORE
            and (bool(busy) or row.bench == "failover"))


@dataclass(frozen=True)
class BesideCell:
    """A benchmark's variant beside a load, and without a load."""

    bench: str
    variant: str
    alone_config: str
    policy: str
    load: str
    alone: Row
    row: Row
    ran: bool  # whether each load of the step completed a round
    modelled: bool  # whether the platform models the path; icount models no memory and TLBs

    @property
    def ratios(self) -> tuple[float, float] | None:
        """Return p50 and max as multiples of those without a load. Return None if the
        multiples mean nothing."""
        if not self.modelled or not self.ran or self.alone.p50 <= 0:
            return None
        return self.row.p50 / self.alone.p50, self.row.pool.high / self.alone.pool.high


def alone_of(settings: dict[str, Settings], config: str) -> str | None:
    """Return the configuration without load and policy that is otherwise equal."""
    return config_with(settings, config, ALONE)


def config_with(settings: dict[str, Settings], config: str, changed: Settings) -> str | None:
    """Return the configuration that differs from `config` only by `changed`, or that also lacks the
    VM that serves a load."""
    axes = settings[config] | changed
    return next((name for target in (axes, axes | {"vms": NO_LOAD})
                 for name, other_axes in settings.items() if other_axes == target), None)


def idle_steps(log: Log, exempt: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """Return configuration and benchmark of each step in which a load did not run. The VMs of
    `exempt` need not run. A VM that starts again has a record for each of its lives."""
    rounds: Counter[tuple[str, str, str]] = Counter()
    for vm in log.of_kind("vm"):
        if "rounds" in vm and vm["vm"] not in exempt:
            rounds[vm["config"], vm["bench"], vm["vm"]] += vm["rounds"]
    return {(config, bench) for (config, bench, _), count in rounds.items() if not count}


def beside_cells(log: Log) -> list[BesideCell]:
    """Return the cells in the order of the plan's benchmarks, then of its configurations."""
    settings = settings_of(log)
    rows = rows_of(log)
    by_key = {row.key: row for row in rows}
    idle = idle_steps(log)
    cells = []
    for row in rows:
        axes = settings.get(row.config, ALONE)
        alone_config = alone_of(settings, row.config) if axes[AXIS] != NO_LOAD else None
        alone = by_key.get((row.bench, row.variant, alone_config or ""))
        if alone and alone_config:
            cells.append(BesideCell(
                row.bench, row.variant, alone_config, str(axes["sched"]), str(axes[AXIS]), alone,
                row, (row.config, row.bench) not in idle, not hides(platform_of(log), row)))
    return cells


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("beside", "What a neighbour does", board.name)
    for source in (source for plan, source in board.sources.items()
                   if plan not in ELSEWHERE or board.one_log and plan != S4_TIMER_PLAN):
        cells = [cell for cell in beside_cells(source.log) if cell.modelled]
        if cells:
            matrices(section, source, cells)
            colouring_table(section, source, cells)
    return section


def matrices(section: Section, source: Source, cells: list[BesideCell]) -> None:
    """Add a matrix of victims and aggressors for each policy. The matrices leave out loads on a
    core of their own if the counter counts every core's instructions."""
    effect = 0 if source.clock.exact else EFFECT
    moved = [cell for cell in cells
             if cell.ratios and any(abs(ratio - 1) > effect for ratio in cell.ratios)]
    drawn = [cell for cell in moved if not (source.clock.exact and cell.policy == OWN_CORE)]
    section.text(prose("beside", plan=source.plan, cells=cells, moved=moved, effect=effect,
                       exact=source.clock.exact, undrawn=len(moved) - len(drawn)))
    for policy in sorted({cell.policy for cell in drawn}, key=list(POLICIES).index):
        victims = {victim(cell) for cell in drawn if cell.policy == policy}
        group = [cell for cell in cells if cell.policy == policy and victim(cell) in victims]
        if alike := same_beside_every_load(group):
            section.text(prose("beside_alike", where=POLICIES[policy], alike=alike))
            continue
        section.figure(f"beside-{source.plan}-{policy}", f"The load {POLICIES[policy]}:"
                       " median · maximum, as multiples of the values alone; the colour is the"
                       " maximum's.",
                       charts.matrix([datum_of(source, cell) for cell in group], "load", None))
    pivot(section, source, [cell for cell in cells if row_key(cell) in set(map(row_key, moved))])


def same_beside_every_load(cells: list[BesideCell]) -> dict[str, str]:
    """Return median and maximum of each victim for which both are the same beside every
    load."""
    texts: dict[str, set[str]] = {}
    for cell in cells:
        texts.setdefault(victim(cell), set()).add(ratios_text(cell))
    alike = (len({cell.load for cell in cells}) > 1
             and all(len(values) == 1 for values in texts.values()))
    return {name: next(iter(values)) for name, values in texts.items()} if alike else {}


def row_key(cell: BesideCell) -> tuple[str, str, str, str]:
    return cell.bench, cell.variant, cell.alone_config, cell.policy


def pivot(section: Section, source: Source, cells: list[BesideCell]) -> None:
    """Add a table with a row for each benchmark's variant under a policy, and a column for each
    load."""
    rows: dict[tuple[str, str, str, str], dict[str, BesideCell]] = {}
    for cell in cells:
        rows.setdefault(row_key(cell), {})[cell.load] = cell
    loads = list(dict.fromkeys(cell.load for cell in cells))
    section.table(f"beside-{source.plan}",
                  "Beside a load: median · maximum, as multiples of the values alone,"
                  " where either differs beside a load", (
                      "path", "alone", "policy", ">alone, p50", ">alone, max",
                      *(f">{load.removeprefix('load_')}" for load in loads)),
                  [pivot_row(source, by_load, loads) for by_load in rows.values()],
                  (prose("beside_icount"),) if source.clock.exact else (),
                  folded="Neighbours in numbers")


def pivot_row(source: Source, by_load: dict[str, BesideCell], loads: list[str]) -> Cells:
    first = next(iter(by_load.values()))
    cells = [by_load.get(load) for load in loads]
    return [f"{first.bench} {first.variant}", first.alone_config, first.policy,
            source.cell(first.alone), *source.cells(first.alone, first.alone.pool.high),
            *(source.cell(cell.row, ratios_text(cell)) if cell else NONE for cell in cells)]


def ratios_text(cell: BesideCell) -> str:
    if cell.ratios is None:
        return NONE if cell.ran else IDLE
    return " · ".join(f"×{format_factor(ratio)}" for ratio in cell.ratios)


def victim(cell: BesideCell) -> str:
    return f"{cell.bench} {cell.variant}, {cell.alone_config}"


def datum_of(source: Source, cell: BesideCell) -> Data:
    p50, high = cell.ratios or (None, None)
    show = source.clock.show
    return {"y": victim(cell), "x": cell.load.removeprefix("load_"), "factor": high,
            "text": f"{format_factor(p50)} · {format_factor(high)}" if p50 and high else NONE,
            "note": source.note(cell.row, f"{victim(cell)}, beside {cell.load}"
                    f"{'' if cell.ran else ', which did not run'} (alone: p50"
                    f" {show(cell.alone.p50)}, max {show(cell.alone.pool.high)})")}


def format_factor(factor: float) -> str:
    """Return a small factor with two decimals, and a large factor with none."""
    return f"{factor:.0f}" if factor >= 20 else f"{factor:.2f}".rstrip("0").rstrip(".")


def colouring_table(section: Section, source: Source, cells: list[BesideCell]) -> None:
    """Add the table of a plan with and without page colouring. The table has a row for each
    benchmark's variant and mapping of its memory, and a column for each load."""
    if not any(axes.get("colouring") == "on" for axes in source.configs.values()):
        return
    rows: dict[tuple[str, str, str], dict[str, BesideCell]] = {}
    for cell in cells:
        rows.setdefault((cell.bench, cell.variant, cell.alone_config), {})[cell.load] = cell
    loads = list(dict.fromkeys(load for by_load in rows.values() for load in by_load))
    section.table("colouring", "What page colouring buys and what it costs: one load of the"
                  " benchmark, median, alone and beside another VM (times of alone)",
                  ("benchmark", "stage 2", ">alone", *(f">{load}" for load in loads)),
                  [colouring_row(source, by_load, loads) for by_load in rows.values()])


def colouring_row(source: Source, cells: dict[str, BesideCell], loads: list[str]) -> Cells:
    def per_load(row: Row) -> str:
        return f"{row.p50 / row.first['batch']:.1f}\u00a0{source.clock.unit}"

    first = next(iter(cells.values()))
    axes = source.configs[first.alone_config]
    beside = [cells.get(load) for load in loads]
    return [f"{first.bench} {first.variant}",
            f"{axes['stage2']}{', coloured' if axes['colouring'] == 'on' else ''}",
            source.cell(first.alone, per_load(first.alone)),
            *(source.cell(cell.row, f"{per_load(cell.row)} (×{format_factor(cell.ratios[0])})")
              if cell and cell.ratios else NONE for cell in beside)]
