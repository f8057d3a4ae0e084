# SPDX-License-Identifier: Apache-2.0
"""What each option of the hypervisor costs, the dearest first, and the state a sample begins in."""

from hypbench.analysis.switches import SwitchRow, state_rows
from hypbench.html import charts, data
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, missing, note_of
from hypbench.html.units import plural
from hypbench.rows import UNMODELLED_BENCHES
from hypbench.schema import Data

PLANS = ("traps", "interrupts", "storm", "timers", "sched", "default")
SHOWN = 24  # bars of the figure; the table has all
Effect = tuple[Source, SwitchRow]


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("switches", "What each option costs")
    found = effects(board)
    if not found:
        made.add(missing(board, "twins of one configuration", "traps"))
    else:
        options(made, board, found)
    states(made, board)
    return made


def options(made: Section, board: Board, found: list[Effect]) -> None:
    found = sorted(found, key=lambda one: -abs(one[1].change))
    moved = [one for one in found if one[1].change]
    still = [one for one in found if not one[1].change]
    shown = shown_of(moved)
    made.add(Text("Two configurations of one boot that differ in this option alone: the median with"
                  f" it minus the median without it. {len(still)} of {len(found)}"
                  f" {plural('pair')} of an option and a path have no effect."))
    if shown:
        made.add(figure("switches", board, f"What an option changes, in {board.clock.axis}: of each"
                        " option the dearest paths; left of 0 the path becomes shorter.",
                        charts.bars([bar(source, row) for source, row in shown],
                                    f"{board.clock.axis} more")))
    head = ("option", "configuration", "path", ">without", ">with", ">change")
    made.add(Table(f"tab-switches-{board.name}", "Every path that an option changes", head,
                   [line(board, *one) for one in moved], folded="Effects in numbers"),
             Table(f"tab-no-effect-{board.name}", "Options and paths that do not differ", head,
                   [line(board, *one) for one in still],
                   folded=f"{len(still)} without effect"))


def effects(board: Board) -> list[Effect]:
    """Each option and path once: of the first two configurations between which it changes."""
    found: dict[tuple[str, ...], Effect] = {}
    for plan in PLANS:
        source = board.source(plan)
        for row in data.switched(source):
            key = data.switch_label(row), row.bench, row.variant
            if not in_detail(row) and (key not in found or not found[key][1].change):
                found[key] = source, row
    return list(found.values())


def in_detail(row: SwitchRow) -> bool:
    """A part of another row: a phase, or a position in a storm that is not its last."""
    if row.bench == "irq_phases":
        return not row.variant.endswith("-total")
    pended, _, position = row.variant.partition("-")
    return row.bench == "irq_storm" and pended != position


def shown_of(moved: list[Effect], each: int = 3) -> list[Effect]:
    """Of each option the paths that it changes most, without storms of many interrupts."""
    count: dict[str, int] = {}
    shown = []
    for source, row in moved:
        label = data.switch_label(row)
        if row.bench != "irq_storm" and count.get(label, 0) < each:
            count[label] = count.get(label, 0) + 1
            shown.append((source, row))
    return shown[:SHOWN]


def bar(source: Source, row: SwitchRow) -> Data:
    return {"what": f"{data.switch_label(row)}: {row.bench} {row.variant}", "value": row.change,
            "note": f"{row.base}: {source.clock.show(row.a.p50)}; "
                    + note_of(row.b, source.clock)}


def line(board: Board, source: Source, row: SwitchRow) -> list[str | Cell]:
    show = source.clock.show
    return [data.switch_label(row), row.base, f"{row.bench} {row.variant}",
            linked(board, source, row.a, show(row.a.p50)),
            linked(board, source, row.b, show(row.b.p50)),
            Cell(source.clock.change(row.change), "strong")]


def states(made: Section, board: Board) -> None:
    """Warm, cold caches, cold TLBs; a figure where the platform has caches."""
    source = board.any_of("states", "timed", "timed-sw")
    rows = [row for row in state_rows(source.log) if row.bench not in UNMODELLED_BENCHES]
    if not rows:
        return
    values = [{"what": f"{row.bench} {row.variant}, {row.base}", "config": row.other_value,
               "factor": row.ratio, "note":
               f"warm {source.clock.show(row.a.p50)}; " + note_of(row.b, source.clock)}
              for row in rows if row.ratio and row.base in ("native", "trapped")
              and row.variant in ("null", "actlr", "vgic", "handler", "busy-handler", "wfi-task")]
    if values and not source.clock.exact:
        made.add(figure("states", board, "Cold caches and cold TLBs: median as a factor to the warm"
                        " one.", charts.dots(values, "times the warm median", False)))
    elif source.clock.exact:
        made.add(Text("Caches and TLBs cost nothing under the instruction counter, so cold and warm"
                      " samples are equal here, and must be."))
    made.add(Table(f"tab-states-{board.name}", "By the state a sample begins with, median",
                   ("path", "configuration", "state", ">warm", ">in this state", ">change"),
                   [[f"{row.bench} {row.variant}", row.base, str(row.other_value),
                     linked(board, source, row.a, source.clock.show(row.a.p50)),
                     linked(board, source, row.b, source.clock.show(row.b.p50)),
                     source.clock.change(row.change)] for row in rows],
                   folded="States in numbers"))
