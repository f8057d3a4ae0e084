# SPDX-License-Identifier: Apache-2.0
"""The tables of the studies this testbed re-does: theirs beside ours, and what does not compare."""

from hypbench.analysis.tlb import working_sets
from hypbench.html.blocks import Cell, Notice, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import published
from hypbench.html.parts.programs import study_table
from hypbench.html.units import NONE, number, ratio
from hypbench.rows import Row

MODES = ("native", "direct", "trapped")
UNLINKED = "trapped-sw"  # in place of trapped, where list registers cannot be linked
UNMODELLED = Cell("not modelled here", "quiet")
UNMEASURED = Cell("not measured", "quiet")
# Where a row of study S1 is measured here: (plan, benchmark, variant, statistic).
S1_ROWS = {
    "page-fault": ("faults", "page_fault", "stage1", "p50"),
    "read-seq": ("memory", "lat_mem_rd", "seq", "load"),
    "read-random": ("memory", "lat_mem_rd", "random", "load"),
    "wakeup-max": ("paper-s1", "cyclic", "periodic", "max"),
    "wakeup-p95": ("paper-s1", "cyclic", "periodic", "p95"),
    "cpu-int": ("programs", "loop_int", "run", "p50"),
    "cpu-fp": ("programs", "loop_fp", "run", "p50"),
}
# The same in the plans of a reference run: the chase is what has 256 MB there, and paper-s1 would
# take a simulator hours.
S1_PARTIAL = {"read-random": ("tlb", "tlb_chase", "random", "load")} | {
    row: ("timed", "timer_wakeup", "wfi-task", S1_ROWS[row][3])
    for row in ("wakeup-max", "wakeup-p95")}
# Of study S4: (plan, variant, configuration).
S4_ROWS = {
    "periodic": ("paper-s1", "periodic", "trapped"), "oneshot": ("paper-s1", "oneshot", "trapped"),
    "periodic-load": ("sched", "periodic", "slice"), "oneshot-load": ("sched", "oneshot", "slice"),
}


def section(boards: list[Board]) -> Section:
    made = Section("studies", "The studies, beside our figures")
    exact = any(board.clock.exact for board in boards)
    made.add(Text("The studies measured with a whole operating system in host and guest, in time."
                  " This testbed measures one path alone"
                  + (". Under QEMU's instruction counter our figures are numbers of instructions,"
                     " not µs" if exact else "") + ", so no column of theirs and ours may be"
                  " subtracted; what compares is a ratio, and each row says whether."))
    s1, s3, s4 = (published("studies")[name] for name in ("S1", "S3", "S4"))
    made.add(Text(f"{s1['title']}. {s1['conditions']}"), s1_table(boards, s1))
    made.add(Text(f"{s3['title']}. {s3['conditions']}"), study_table(boards, s3))
    rows = [row for board in boards for row in s4_rows(board, s4)]
    if rows:
        made.add(Text(f"{s4['title']}. {s4['conditions']}"), s4_table(rows))
    made.add(Notice("Study S2 (pausing one VM and resuming a standby) has no row here: nothing of"
                    " it is measured yet, nor are S4's network and multi-VM rows."))
    return made


def s1_table(boards: list[Board], study: dict) -> Table:
    return Table(
        "tab-s1", "Study S1: theirs, and below it ours", (
            "what", "measured on", ">native", ">direct", ">guest (ours: trapped)",
            ">guest to native", "what does not compare, and why"),
        [line for row in study["rows"]
         for line in [theirs_row(row), *filter(None, (ours_row(board, row) for board in boards))]],
        ("Ours: page fault: median of a stage-1 fault; memory latency: a load at the largest"
         " working set; timer: from its compare value to the first instruction of the EL0 task."
         " Of a reference run the random reads are those of tlb_chase, a TLB miss in each, and the"
         " timer's are those of timer_wakeup, wfi-task.",))


def theirs_row(row: dict) -> list[str | Cell]:
    unit = row["unit"]
    return [Cell(row["what"], "strong"), Cell(f"S1: {row['how']}", "theirs"),
            Cell(theirs_text(row["native"], unit), "theirs"), Cell(NONE, "theirs"),
            Cell(theirs_text(row["guest"], unit), "theirs"),
            Cell(f"×{row['guest'] / row['native']:.2f}", "theirs"), row["differs"]]


def ours_row(board: Board, row: dict) -> list[str | Cell] | None:
    """None where a board that has few plans has none for it."""
    rows = S1_ROWS | S1_PARTIAL if board.partial else S1_ROWS
    plan, bench, variant, statistic = rows[row["id"]]
    source = board.first_with(bench, plan) if board.partial else board.source(plan)
    if statistic == "load" and board.clock.exact:
        return ["", board.name, *[UNMODELLED] * 4, "The instruction counter models none of it."]
    values = [value_of(source, bench, variant, mode, statistic) for mode in MODES]
    if board.partial and None in (values[0], guest_of(values)):
        return None
    if not any(value is not None for value in values):
        return ["", board.name, *[UNMEASURED] * 4, ""]
    guest = guest_of(values)
    where = board.label if board.partial else board.name
    said = ("Times of a model, not of silicon." if source.clock.platform == "gem5" else
            "Instructions under QEMU's counter, not µs." if source.clock.exact else "")
    return ["", where, *(source.clock.show(value) for value in values),
            ratio(guest, values[0]), said]


def guest_of(values: list[float | None]) -> float | None:
    """Trapped; or direct, where that is all there is of a guest."""
    return values[1] if values[2] is None else values[2]


def theirs_text(value: float, unit: str) -> str:
    return f"×{value:.1f}" if unit == "×" else f"{number_as_given(value)}\u00a0{unit}"


def number_as_given(value: float) -> str:
    return number(value) if value == int(value) else f"{value:.2f}"


def value_of(source: Source, bench: str, variant: str, config: str, statistic: str
             ) -> float | None:
    config = source.config_of(config)
    if config == "trapped" and config not in source.configs:
        config = UNLINKED
    if statistic == "load":
        points = working_sets(source.log, bench).get(config, {}).get(variant, [])
        return points[-1][1] if points else None
    row = source.row(bench, variant, config)
    return statistic_of(row, statistic) if row else None


def statistic_of(row: Row, statistic: str) -> float | None:
    return row.pool.high if statistic == "max" else row.pool.percentiles().get(statistic)


def s4_rows(board: Board, study: dict) -> list[list[str | Cell]]:
    rows = []
    for row in study["rows"]:
        plan, variant, config = S4_ROWS[row["id"]]
        source = board.source(plan)
        ours = source.row("cyclic", variant, config)
        if ours:
            rows.append([board.name, row["what"],
                         Cell(f"{number(row['late_us'])}\u00a0µs", "theirs"),
                         f"cyclic {variant}, {config} (plan {plan})", source.clock.show(ours.p50),
                         source.clock.show(ours.pool.high)])
    return rows


def s4_table(rows: list[list[str | Cell]]) -> Table:
    return Table("tab-s4", "Study S4: how late a timer is handled", (
        "board", "what", ">theirs", "ours", ">p50, ours", ">max, ours"), rows, (
        "Not comparable: theirs is a 10 ms timer through two Linux kernels, under load with their"
        " I/O; ours is the bare path, and 'under load' a background VM that shares the core.",))
