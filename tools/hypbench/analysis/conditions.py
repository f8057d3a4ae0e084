# SPDX-License-Identifier: Apache-2.0
"""The conditions of the numbers, and the records that are missing."""

from hypbench.abi import axes as axes_known
from hypbench.analysis import clocks
from hypbench.model import NONE, Cell, Cells, Notice, Section, counted, number, prose
from hypbench.frame import PRESET_AXES, Board, Source
from hypbench.rows import Settings

CPUS = {"0xc07": "Cortex-A7", "0xc0f": "Cortex-A15", "0xd03": "Cortex-A53", "0xd08": "Cortex-A72"}
MOST = 8  # problems of a plan that are shown


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("conditions", "Conditions, records and raw tables", board.name)
    if board.one_log:
        clocks.add_table(section, board)
        return section
    section.text(prose("conditions"))
    section.table("board", "What was run on", ("", ""), board_rows(board))
    section.table("runs", "The runs this board's page is made from",
                  ("scenario", "order", "records"),
                  [[plan, source.log.run.get("order", NONE), run_cell(source)]
                   for plan, source in board.sources.items()])
    section.table("configs",
                  "Configurations and what each differs in from its preset's usual values",
                  ("configuration", "stage 2", "interrupts", "list registers", "traps", "besides",
                   "scenarios"), config_rows(board), folded="Configurations")
    clocks.add_table(section, board)
    return section


def core_of(midr: str) -> str:
    """Return the core's name by its part number, or the register's value for an unknown part."""
    return CPUS.get(hex(int(midr, 16) >> 4 & 0xfff), midr)


def board_rows(board: Board) -> list[Cells]:
    run = board.run
    if not run:
        return []
    core = core_of(run["cpu"])
    rows = {"board": board.name, "isa": run["isa"], "GIC": f"GIC{run['gic']}",
            "list registers": str(run["lr_count"]),
            "CPU": f"{core} ({run['cpu']})" if core != run["cpu"] else core,
            "clock": f"{run['clock']} at {run['hz'] / 1e6:g}\u00a0MHz", "platform": run["platform"],
            "1 tick is": prose("tick", platform=run["platform"]), "build": ", ".join(dict.fromkeys(
                source.log.run["build"] for source in board.sources.values() if source.log.run)),
            "compiler": run["compiler"], "machine": run.get("machine", "")}
    return [[Cell(name, "strong"), value] for name, value in rows.items() if value]


def run_cell(source: Source) -> Cell:
    if source.uncaptured:
        return Cell("no reference run" if source.is_reference else "not captured", "quiet")
    steps = counted(source.log.run.get("steps"), "step")
    samples = counted(sum(row.pool.n for row in source.rows), "sample")
    if source.problems or source.lost:
        return Cell(f"incomplete: {len(source.log.of_kind('step'))} of {steps}, {samples}", "bad")
    return Cell(f"{steps}, {samples}", "good")


def config_rows(board: Board) -> list[Cells]:
    plans_of_row: dict[tuple[str, ...], list[str]] = {}
    for source in board.sources.values():
        for name, axes in source.configs.items():
            row = (name, *(str(axes.get(axis, NONE)) for axis in PRESET_AXES), other_axes(axes))
            plans_of_row.setdefault(row, []).append(source.plan)
    return [[name, stage2, irq, lr if irq == "trapped" else NONE, traps, more or NONE,
             ", ".join(plans)]
            for (name, stage2, irq, lr, traps, more), plans in plans_of_row.items()]


def other_axes(axes: Settings) -> str:
    words = [f"{axis}={axes[axis]}" for axis, values in axes_known().items()
             if values and axis in axes and axis not in PRESET_AXES and axes[axis] != values[0]]
    if axes.get("delay_el2"):
        words.append(f"delay_el2={number(int(axes['delay_el2']))} instructions")
    if axes.get("slice_us"):
        words.append(f"slice_us={number(int(axes['slice_us']))} µs")
    return " ".join(words)


def losses(boards: list[Board], absent: list[str]) -> list[Notice]:
    """Return notices of missing records. The top of the page shows these notices, because missing
    records concern every number."""
    notices = [Notice(prose("absent", plans=absent))] if absent else []
    for board in boards:
        uncaptured = [source.plan for source in board.sources.values() if source.uncaptured]
        if board.is_reference:
            items = [f"{source.plan}: {text}" for source in board.sources.values()
                     for text in problem_lines(source)]
            notices.append(Notice(prose("reference_run", label=board.label, without=uncaptured),
                                  bool(items), tuple(items)))
            notices += [Notice(f"{board.name}, scenario {source.plan}:", False, tuple(source.notes))
                        for source in board.sources.values() if source.notes]
            continue
        if uncaptured:
            notices.append(Notice(prose("uncaptured", name=board.name, without=uncaptured,
                                        how=board.how_to_capture("<scenario>"))))
        notices += [Notice(f"{board.name}, {'scenario' if len(plans) == 1 else 'scenarios'}"
                           f" {', '.join(plans)}: {note}.")
                    for note, plans in by_note(board).items()]
        for source in board.sources.values():
            where = f"{board.name}, scenario {source.plan}:"
            if items := problem_lines(source):
                notices.append(Notice(f"{where} what follows shows what there is.", True,
                                      tuple(items)))
    return notices


def by_note(board: Board) -> dict[str, list[str]]:
    """Return the plans of each note."""
    plans: dict[str, list[str]] = {}
    for source in board.sources.values():
        if source.notes:
            plans.setdefault("; ".join(source.notes), []).append(source.plan)
    return plans


def problem_lines(source: Source) -> list[str]:
    """Return lines on the lost records of a source and on its first problems."""
    more = len(source.problems) - MOST
    return [*(f"lost: {text}" for text in source.lost), *source.problems[:MOST],
            *([f"and {more} more"] if more > 0 else [])]
