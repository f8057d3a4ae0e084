# SPDX-License-Identifier: Apache-2.0
"""The studies that this testbed repeats: their results beside ours as ratios, and what is not
comparable.

S1: KVM on a Cortex-A15 (Arndale, 1.7 GHz), Linux as host and guest. S3: bhyve on a Xeon, seven
PARSEC programs, one VCPU. S4: KVM with a real-time Linux, one to three VMs on cores of their own.
analysis/studies.json has their tables.
"""

from dataclasses import dataclass
from itertools import groupby

from hypbench.analysis import failover
from hypbench.analysis.beside import NEIGHBOUR_IDLE, S4_TIMER_PLAN, idle_steps
from hypbench.analysis.failover import WATCHED, FailOver, fail_overs
from hypbench.analysis.programs import (LABELS, TIMED_PLAN, ProgramRow, share_cell, splits,
                                        study_share)
from hypbench.analysis.tlb import sized_rows
from hypbench import charts
from hypbench.model import (NONE, Cell, Cells, Section, Text, counted, number, percent, prose,
                            ratio)
from hypbench.frame import Board, Source, histogram, published
from hypbench.records import Data, Log
from hypbench.rows import Row, platform_of, rows_of
from hypbench.rules import CHECKSUM

# The first plan is the plan of each row that names no plan. Its configuration `base` is the base of
# a plan without such a configuration.
S2_PLANS = ("paper-s2", "paper-s2-loads", "paper-s2-null")
S4_PLAN = "paper-s4-vms"
MODES = ("native", "direct", "trapped")
UNLINKED = "trapped-sw"  # replaces trapped where list registers cannot be linked
UNMODELLED = Cell("not modelled here", "quiet")
UNMEASURED = Cell("not measured", "quiet")
WHERE = {"before": "before EL2 begins", "in": "EL2", "after": "after EL2"}
# Each row of study S1 has our measurement: (plan, benchmark, variant, statistic).
S1_ROWS = {
    "page-fault": ("faults", "page_fault", "stage1", "p50"),
    "read-seq": ("memory", "lat_mem_rd", "seq", "load"),
    "read-random": ("memory", "lat_mem_rd", "random", "load"),
    "wakeup-max": ("paper-s1", "cyclic", "periodic", "max"),
    "wakeup-p95": ("paper-s1", "cyclic", "periodic", "p95"),
    "cpu-int": ("programs", "loop_int", "run", "p50"),
    "cpu-fp": ("programs", "loop_fp", "run", "p50"),
}
# The plans of a reference run have these measurements. The chase has the 256 MB there, because
# paper-s1 would take a simulator hours.
S1_PARTIAL = {"read-random": ("tlb", "tlb_chase", "random", "load")} | {
    row: ("timed", "timer_wakeup", "wfi-task", S1_ROWS[row][3])
    for row in ("wakeup-max", "wakeup-p95")}
# Each configuration of plan paper-s4 with both loads has a configuration without a load, and a text
# on where the loads run.
OTHER_CORES = "loads on other cores"
S4_LOADED = {"direct-load": ("direct", OTHER_CORES), "trapped-load": ("trapped", OTHER_CORES),
             "fp-load": ("trapped", "loads on this core, by priority"),
             "rr-load": ("trapped", "loads on this core, in turns")}
S4_OTHERS = ("second", "third")  # the VMs beside the measured one, in plan paper-s4-vms
INDEPENDENCE_REMARK = ("Not comparable as times: the study's VMs run Linux, and its network is a"
                       " real one. Comparable: what two and three VMs leave of one alone.")
ICOUNT_INDEPENDENCE_REMARK = ("Of the shortest sample: the others hold turns of QEMU's other cores,"
                              " whose instructions CNTPCT counts, too. Caches and bandwidth are not"
                              " modelled here; the number of instructions is exact: EL2 executes"
                              " none on this VM's core for the others.")

ICOUNT_HYPERCALL_REMARK = ("A longer sample holds a turn of another core, whose instructions CNTPCT"
                           " counts, too, or of another VM on this core: the path is min.")

TIMER_REMARK = ("Not comparable: theirs is a 10 ms timer through two Linux kernels, under load with"
                " their I/O; ours is the bare path, beside a VM that computes and a VM that writes"
                " to a disk of a third VM, both at once. fp and rr are trapped.")
ICOUNT_TIMER_REMARK = ("Beside loads on other cores: no factor, since a sample holds up to a round"
                       " of each load, which CNTPCT counts, too. QEMU lets those cores finish their"
                       " rounds first; the path is min.")


@dataclass(frozen=True)
class Independence:
    """The work of a VM while one, two or three VMs run, in per cent of its work alone."""

    quantity: str
    study_work: str
    study_percent: tuple[float, ...]
    our_work: str
    rows: tuple[Row | None, ...]  # None: not measured, or another VM did not run
    exact: bool

    def ticks(self, row: Row) -> int:
        """Return the ticks of a piece of work. Under icount return those of the shortest piece,
        because other pieces contain instructions of QEMU's other cores, which CNTPCT counts,
        too."""
        return row.pool.low if self.exact else row.p50

    @property
    def shares(self) -> tuple[float | None, ...]:
        alone = self.rows[0]
        return tuple(self.ticks(alone) / self.ticks(row) if alone and row and self.ticks(row) > 0
                     else None for row in self.rows)


def independence(log: Log) -> list[Independence]:
    """Return the independence as study S4 defines it; nothing for a log without that work."""
    by_key = {row.key: row for row in rows_of(log)}
    idle = {(vm["bench"], vm["config"]) for vm in log.of_kind("vm")
            if vm["vm"] in S4_OTHERS and not vm.get("rounds")}
    exact = platform_of(log) == "qemu-icount"
    entries = [Independence(row["what"], row["how"], tuple(row["percent"]), row["ours"], tuple(
        by_key.get((row["bench"], row["variant"], config))
        if (row["bench"], config) not in idle else None for config in row["configs"]), exact)
               for row in published("studies")["S4 independence"]["rows"]]
    return [entry for entry in entries if any(entry.rows[1:])]


@dataclass(frozen=True)
class Late:
    """The delay of a timer's handler in one configuration of plan paper-s4."""

    where: str
    row: Row
    alone: Row | None  # the delay without the loads; None if the two delays are not comparable

    @property
    def factor(self) -> float | None:
        """Return the largest delay beside the loads as a multiple of the largest without them."""
        alone = self.alone.pool.high if self.alone else 0
        return self.row.pool.high / alone if alone else None


def late_timers(log: Log, ident: str) -> list[Late]:
    """Return our measurement for a row of study S4. The row's name is a variant, and with the loads
    "-load"."""
    variant, _, loaded = ident.partition("-")
    idle = idle_steps(log)
    rows = {row.config: row for row in rows_of(log) if log.run["plan"] == S4_TIMER_PLAN
            and (row.bench, row.variant) == ("cyclic", variant)
            and (row.config, row.bench) not in idle}
    if not loaded:
        return [Late(mode, rows[mode], None) for mode in MODES if mode in rows]
    mixed = platform_of(log) == "qemu-icount"
    return [Late(f"{mode}: {where}", rows[config],
                 None if mixed and where == OTHER_CORES else rows.get(mode))
            for config, (mode, where) in S4_LOADED.items() if config in rows]


def study_factor(row: Data) -> float | None:
    """Return the study's row with the loads as a multiple of its row without loads."""
    variant, _, loaded = row["id"].partition("-")
    alone = {entry["id"]: entry["late_us"] for entry in published("studies")["S4"]["rows"]}[variant]
    return row["late_us"] / alone if loaded else None


@dataclass(frozen=True)
class Number:
    value: float
    source: Source
    row: Row

    def cell(self) -> Cell:
        return self.source.cell(self.row, self.source.clock.show(self.value))


def section(board: Board, _boards: list[Board]) -> Section:
    """Return the section. The section has a study if the board has a number for one of the study's
    numbers."""
    section = Section("studies", "The studies, theirs beside ours", board.name)
    studies = published("studies")
    for name, add_study in (("S1", s1), ("S2", s2), ("S3", s3), ("S4", s4)):
        study, part = studies[name], Section("studies", "", board.name)
        add_study(part, board, study)
        if part.blocks:
            section.text(f"{study['title']}. {study['cite']} {study['conditions']}",
                         study.get("url", ""))
            section.add(*part.blocks)
    if section.blocks:
        section.blocks.insert(0, Text(prose("studies")))
    return section


def study_cell(text: str) -> Cell:
    return Cell(text, "theirs")


def s1(section: Section, board: Board, study: Data) -> None:
    values: list[Data] = []
    rows: list[Cells] = []
    if not any(any(s1_numbers(board, row) or []) for row in study["rows"]):
        return
    for row in study["rows"]:
        numbers = s1_numbers(board, row)
        rows += [theirs_row(row), ours_row(board, numbers)]
        values.append(dot(row["what"], "S1", row["native"], row["guest"], row["unit"]))
        if numbers and numbers[0] and (guest := guest_of(numbers)):
            values.append(dot(row["what"], "hypbench", numbers[0].value, guest.value,
                              board.clock.unit, guest.source.note(guest.row)))
    section.figure("s1", "Study S1: guest to native, theirs and ours (here trapped, or"
                   " direct where nothing is trapped).",
                   charts.dots(values, "guest / native (log)", True))
    section.table("s1", "Study S1: theirs, and below it ours", (
        "what", "measured on", ">native", ">direct", ">guest (ours: trapped)", ">guest to native",
        "what does not compare, and why"), rows, (
            "Ours: median of a stage-1 fault; a load at the largest working set; a timer"
            " from its compare value to the first instruction of the EL0 task. Of a"
            " reference run the random reads are tlb_chase's, and the timer's are"
            " timer_wakeup's, wfi-task.",), folded="S1 in numbers")


def dot(name: str, config: str, native: float, guest: float, unit: str, more: str = "") -> Data:
    """Return a dot of the figure. `more` is the note on the guest's row if the row is ours."""
    return {"what": name, "config": config, "factor": guest / native,
            "note": f"{config}: native {native:g} {unit}, guest {guest:g} {unit}, ×"
                    f"{guest / native:.2f}{more and '; '}{more}"}


def theirs_row(row: Data) -> Cells:
    cells = (f"S1: {row['how']}", theirs_text(row["native"], row["unit"]), NONE,
             theirs_text(row["guest"], row["unit"]), f"×{row['guest'] / row['native']:.2f}")
    return [Cell(row["what"], "strong"), *map(study_cell, cells), row["differs"]]


def theirs_text(value: float, unit: str) -> str:
    if unit == "×":
        return f"×{value:.1f}"
    return f"{number(value) if value == int(value) else f'{value:.2f}'}\u00a0{unit}"


def s1_numbers(board: Board, row: Data) -> list[Number | None] | None:
    """Return the native, direct and trapped values; None for values that the platform does not
    model."""
    rows = S1_ROWS | S1_PARTIAL if board.partial else S1_ROWS
    plan, bench, variant, statistic = rows[row["id"]]
    source = board.first_with(bench, plan) if board.partial else board.source(plan)
    if statistic == "load" and board.clock.exact:
        return None
    return [value_of(source, bench, variant, mode, statistic) for mode in MODES]


def ours_row(board: Board, values: list[Number | None] | None) -> Cells:
    if values is None:
        return ["", board.name, *[UNMODELLED] * 4, "The instruction counter models none of it."]
    native, guest = values[0], guest_of(values)
    if not any(values):
        return ["", board.name, *[UNMEASURED] * 4, ""]
    remark = ("Times of a model, not of silicon." if board.clock.platform == "gem5" else
              "Instructions, not µs." if board.clock.exact else "")
    return ["", board.name, *(value.cell() if value else NONE for value in values),
            ratio(guest.value if guest else None, native.value if native else None), remark]


def guest_of(values: list[Number | None]) -> Number | None:
    """Return the trapped value, or the direct value if the guest has nothing else."""
    return values[2] or values[1]


def value_of(source: Source, bench: str, variant: str, config: str, statistic: str
             ) -> Number | None:
    config = source.config_of(config)
    if config == "trapped" and config not in source.configs:
        config = UNLINKED
    if statistic == "load":
        sizes = {size: row for shape, size, row in sized_rows(source.log, bench)
                 if (shape, row.config) == (variant, config)}
        row = sizes[max(sizes)] if sizes else None
        return Number(row.p50 / row.first["batch"], source, row) if row else None
    row = source.row(bench, variant, config)
    if row is None:
        return None
    value = row.pool.high if statistic == "max" else row.pool.percentiles().get(statistic)
    return Number(value, source, row) if value is not None else None


def s2(section: Section, board: Board, study: Data) -> None:
    """Add the study's and our phases, as shares of the whole."""
    ways = [(failover.label(way), way) for way in fail_overs(board.source("failover").log)
            if way.phases]
    ways += [("control VM", way) for way in fail_overs(board.source(S2_PLANS[0]).log)
             if way.phases and (way.name, way.total.config) == ("control", "base")]
    parts = {f"S2, {way}": [
        (WHERE[row["where"]], row["us"], f"{row['phase']}: {number(row['us'])} µs")
        for row in study["rows"] if row["way"] == way] for way in ("pause", "unpause")}
    parts |= {f"hypbench, {name}": [
        (WHERE["before" if row.variant.endswith("-begins") else "in"], row.pool.mean,
         f"{failover.phase_name(way, row)}: {board.clock.show(row.pool.mean)}")
        for row in way.phases] for name, way in ways}
    has_changes = any(null_calls(board.source(plan).log) or fail_overs(board.source(plan).log)
                      for plan in S2_PLANS)
    if not (ways or has_changes):
        return
    if ways:
        section.figure("s2", "Study S2: how much of a switch of VMs comes before the"
                       " hypervisor begins, theirs (a command in the control VM) and ours (a"
                       " hypercall of the active or the control VM, until the standby's first"
                       " instruction).",
                       charts.phases([bar for name, phases in parts.items()
                                      for bar in share_bars(name, phases)],
                                     "% of the whole", sums=False))
    section.table("s2", "Study S2: phases, means (new environment, no load)",
                  ("way", "phase", "where", ">mean"),
                  [list(map(study_cell, (row["way"], row["phase"], WHERE[row["where"]],
                                         f"{number(row['us'])}\u00a0µs")))
                   for row in study["rows"]],
                  ("Not comparable: their times, which hold a command, Linux in the control VM and"
                   " the VM's own work. Comparable: the hypervisor's own share, 16 and 23 µs of"
                   " theirs. Those of scenario failover, phase by phase, are in the section on fail"
                   " over.",),
                  folded="S2 in numbers")
    if has_changes:
        s2_changes(section, board, "s2-parameters", "one parameter changed", "parameters")
        s2_changes(section, board, "s2-loads", "a load in the control VM", "loads")
    s2_hypercall(section, board, published("studies")["S2 hypercall"])


def s2_changes(section: Section, board: Board, name: str, change: str, part: str) -> None:
    """Add a table with a row for each change. The base of each system is its own first row."""
    study = published("studies")[f"S2 {part}"]
    ways = {plan: {way.total.config: way for way in fail_overs(board.source(plan).log)}
            for plan in S2_PLANS}

    def their_cell(row: Data, way: str) -> Cell:
        if way not in row:
            return Cell(NONE, "quiet")
        return study_cell(f"{ratio(row[way], study['rows'][0][way])}: {number(row[way])}\u00a0µs")

    def our_cell(source: Source, row: Row | None, first: Row | None) -> str | Cell:
        if row is None or first is None:
            return UNMEASURED
        beside = f"{ratio(row.p50, first.p50)}: " if first.p50 else ""
        return source.cell(row, beside + source.clock.show(row.p50))

    def line(row: Data) -> Cells:
        plan, config = row.get("plan", S2_PLANS[0]), row.get("ours", "")
        rows = by_variant(ways[plan].get(config))
        first = by_variant(ways[plan].get("base") or ways[S2_PLANS[0]].get("base"))
        numbers = (our_cell(board.source(plan), rows.get(name), first.get(name)) if config
                   else Cell(NONE, "quiet") for name in ("", *WATCHED))
        return [Cell(row["parameter"], "strong"), their_cell(row, "pause"),
                their_cell(row, "unpause"), Cell(row["here"], "" if config else "quiet"), *numbers]
    section.table(
        name, f"Study S2: {change}. {study['conditions']}",
        ("parameter", ">theirs: pause", ">unpause", "here", ">ours: command to standby",
         ">last vCPU stops", ">service gap", ">all vCPUs run"),
        list(map(line, study["rows"])), (
            "Ours (p50, scenarios paper-s2, -loads and -null, a factor to the same scenario's"
            " base): a control VM on a core of its own commands a pair of three vCPUs, all busy."
            " EL2 touches no memory or device of a VM over a pause, so memory changes nothing.", *((
                "Every core's instructions count, one core after another: a figure is their sum,"
                " and vCPUs stop before their next stamp.",) if board.clock.exact else ())),
        folded=f"S2's {part}")


def null_calls(log: Log) -> list[tuple[str, Row]]:
    """Return the row of each setting. Its name shows whether a VM beside did not run."""
    idle = idle_steps(log)
    return [(f"{row.config}: {NEIGHBOUR_IDLE}" if (row.config, row.bench) in idle else row.config,
             row) for row in rows_of(log) if (row.bench, row.variant) == ("hvc", "null")]


def same_order(row: Row) -> float:
    """Return the share of the samples below ten times the smallest."""
    return sum(count for value, count in histogram(row)
               if value < 10 * row.pool.low) / row.pool.n


def s2_hypercall(section: Section, board: Board, study: Data) -> None:
    rows: list[Cells] = [[
        Cell(setting, "strong"), f"{board.name}: {source.plan}",
        *(source.cell(row, text) for text in (counted(row.pool.n, "call"),
                                              percent(same_order(row)))),
        *source.cells(row, row.pool.low, row.p50, row.pool.percentiles().get("p99"),
                      row.pool.high)]
        for source in map(board.source, S2_PLANS) for setting, row in null_calls(source.log)]
    first = map(study_cell, ("every setting", f"S2: {study['said']}", counted(study["n"], "call"),
                             f"≥ {study['percent']}\u00a0%", *[NONE] * 4))
    section.table("s2-hypercall", "Study S2: a null hypercall in each setting",
                  ("setting", "measured on", ">n", ">of one order", ">min", ">p50", ">p99", ">max"),
                  [list(first), *rows] if rows else [], (
                      f"Theirs: {study['how']}. Of one order: theirs of 10 µs, ours below ten times"
                      " the least. Comparable: this share, where ticks are time.",
                      *((ICOUNT_HYPERCALL_REMARK,) if board.clock.exact else ())),
                  folded="S2's hypercall in numbers")


def by_variant(way: FailOver | None) -> dict[str, Row]:
    """Return the rows by variant; the variant of the whole way is empty."""
    return {"": way.total, **{row.variant: row for row in way.watched}} if way else {}


def share_bars(name: str, parts: list[tuple[str, float, str]]) -> list[Data]:
    """Return bars of shares. Neighbours with the same place become one bar."""
    whole, at, bars = sum(value for _, value, _ in parts), 0.0, []
    for where, group in groupby(parts, key=lambda part: part[0]):
        several = list(group)
        end = at + 100 * sum(value for _, value, _ in several) / whole
        bars.append({"config": name, "phase": where, "start": at, "end": end, "order":
                     list(WHERE.values()).index(where),
                     "note": f"{name}: {'; '.join(note for _, _, note in several)}"})
        at = end
    return bars


def s3(section: Section, board: Board, study: Data) -> None:
    programs = {ours.bench: ours for ours in splits(board.source("programs").log)}
    timed = splits(board.source(TIMED_PLAN).log)
    if not (programs or timed):
        return
    values: list[Data] = []
    rows: list[Cells] = []
    for row in study["rows"]:
        ours, label = programs.get(row["ours"]), LABELS[row["ours"]]
        values.append(longer(label, "S3", row["native"], row["vm"], "ms"))
        if ours and ours.native and ours.vm > ours.native:
            source = board.source("programs")
            ran = source.row(row["ours"], "run", ours.config)
            values.append(longer(label, "hypbench", ours.native, ours.vm, board.clock.unit,
                                 source.note(ran) if ran else ""))
        rows.append([Cell(label, "strong"), *map(study_cell, (
            f"S3: {row['program']}", f"{row['native']}\u00a0ms", f"{row['vm']}\u00a0ms",
            ratio(row["vm"], row["native"]), counted(row["exits"], "exit"),
            f"{row['exit_ms']:g}\u00a0ms", percent(study_share(row), 0), NONE))])
        if not board.partial:
            rows.append(s3_ours(board, row["ours"], ours))
    if programs:
        section.figure("s3", "Study S3: how much longer a program takes in a VM, theirs and"
                       " ours; no dot where it takes no longer.", charts.dots(
                           values, "% longer than native (log)", True, with_rule=False))
    exact = ("Under the instruction counter translation costs nothing: our share cannot show that"
             " part of a slowdown.",) if board.clock.exact else ()
    section.table("s3", "Study S3: theirs, and below it ours (a run, mean)", (
        "program", "measured on", ">native", ">VM", ">VM to native", ">exits", ">exit time",
        ">exits' share of the slowdown", "checksum"), rows, (
            "Not comparable: their times (ms on a Xeon, whole operating systems, other inputs) with"
            " ours. Comparable: which share of a slowdown the exits are. Their share is computed"
            " from the rounded times here; the study itself says 14 to 39 %, and ferret's"
            " difference of 7 ms is too small to divide by.", prose("over"), *exact),
        folded="S3 in numbers")
    s3_causes(section, board, study)


def s3_causes(section: Section, board: Board, study: Data) -> None:
    """Add the number of exits, the time of an exit, and the rest of the slowdown: the study's row
    with ours below. A platform whose ticks are not time has a sentence instead of the table."""
    source = board.any_of(TIMED_PLAN, "programs")
    if board.clock.exact:
        section.text(prose("causes_icount"))
        return
    by_program = {program: [row for row in splits(source.log) if row.bench == program]
                  for program in LABELS}
    show = source.clock.show
    rows: list[Cells] = []
    for row in study["rows"]:
        more = row["vm"] - row["native"]
        rows.append([Cell(LABELS[row["ours"]], "strong"), *map(study_cell, (
            f"S3: {row['program']}", f"{more}\u00a0ms", counted(row["exits"], "exit"),
            f"{1000 * row['exit_ms'] / row['exits']:.2f}\u00a0µs", f"{row['exit_ms']:g}\u00a0ms",
            f"{more - row['exit_ms']:.3g}\u00a0ms", percent(study_share(row), 0)))])
        rows += [["", f"{board.name}: {row['ours']}, {ours.config}",
                  show(ours.vm - (ours.native or 0)), counted(ours.exit_count, "exit"),
                  show(ours.exit_mean), show(ours.exit_time), show(ours.other_time),
                  share_cell(ours.share)]
                 for ours in by_program[row["ours"]]]
        if not by_program[row["ours"]]:
            rows.append(["", f"{board.name}: {row['ours']}", *[UNMEASURED] * 6])
    section.table("s3-causes", "Study S3: exits or memory? What a program takes longer in a VM", (
        "program", "measured on", ">VM − native", ">exits", ">time of an exit", ">exits' time",
        ">rest", ">exits' share"), rows, (prose("causes"),), folded="S3's exits and the rest")


def longer(name: str, config: str, native: float, vm: float, unit: str, more: str = "") -> Data:
    percents = 100 * (vm / native - 1)
    return dot(name, config, native, vm, unit) | {"factor": percents, "note": (
        f"{config}: native {number(native)} {unit}, VM {number(vm)} {unit}, {percents:.3g} % more"
        f"{more and '; '}{more}")}


def s3_ours(board: Board, program: str, ours: ProgramRow | None) -> Cells:
    source = board.source("programs")
    if ours is None:
        return ["", board.name, *[UNMEASURED] * 6, NONE]
    same = checksums(source.log).get(program)
    verdict = (NONE if same is None else Cell("equal", "good") if same else Cell("differs", "bad"))
    native, vm = (source.cell(source.row(program, "run", config), source.clock.show(value))
                  for config, value in (("native", ours.native), (ours.config, ours.vm)))
    return ["", f"{board.name}: {program}", native, vm, ratio(ours.vm, ours.native),
            counted(ours.exit_count, "exit"), source.clock.show(ours.exit_time),
            share_cell(ours.share), verdict]


def checksums(log: Log) -> dict[str, bool]:
    """Return for each program whether its checksum is the same in every configuration and pass."""
    sums: dict[str, set[int]] = {}
    for check in log.of_kind("check"):
        if check["variant"] == CHECKSUM:
            sums.setdefault(check["bench"], set()).add(check.get(CHECKSUM, 0))
    return {bench: len(values) == 1 for bench, values in sums.items()}


def s4(section: Section, board: Board, study: Data) -> None:
    """Add the table of late timers: the study's rows, with ours below."""
    source = board.source(S4_TIMER_PLAN)
    if not (source.rows or independence(board.first_with("work", S4_PLAN).log)):
        return
    values: list[Data] = []
    rows: list[Cells] = []
    for row in study["rows"]:
        variant, factor = row["id"].partition("-")[0], study_factor(row)
        rows.append([Cell(row["what"], "strong"), *map(study_cell, (
            "S4", f"{number(row['late_us'])}\u00a0µs", *[NONE] * 4,
            f"×{factor:.2f}" if factor else NONE))])
        if factor:
            values.append(dot(variant, "S4", row["late_us"] / factor, row["late_us"], "µs"))
        delays = late_timers(source.log, row["id"]) if source.rows else []
        for delay in delays:
            rows.append(["", f"{board.name}, {delay.where}", NONE,
                         counted(delay.row.pool.n, "sample"),
                         *source.cells(delay.row, delay.row.pool.low, delay.row.p50,
                                       delay.row.pool.high),
                         f"×{delay.factor:.2f}" if delay.factor else NONE])
            if delay.alone:
                values.append(dot(variant, delay.where, delay.alone.pool.high, delay.row.pool.high,
                                  source.clock.unit, source.note(delay.row)))
        if not delays:
            rows.append(["", board.name, NONE, *[UNMEASURED] * 5])
    if source.rows:
        section.figure("s4", "Study S4: how late a timer is handled beside both loads as a factor"
                       " to alone, theirs and ours (max).",
                       charts.dots(values, "under load / alone (log)", True))
    section.table("s4", "Study S4: how late a timer is handled", (
        "what", "measured on", ">theirs", ">n, ours", ">min", ">p50", ">max", ">load to no load"),
        rows, (TIMER_REMARK, *((ICOUNT_TIMER_REMARK,) if source.clock.exact else ())),
        folded="S4 in numbers")
    s4_independence(section, board)


def s4_independence(section: Section, board: Board) -> None:
    """Add the table of independence: the study's rows, with ours below."""
    source = board.first_with("work", S4_PLAN)
    entries = independence(source.log)
    if not entries:
        section.add(board.missing("independence of VMs", S4_PLAN))
        return
    if not source.clock.exact:
        section.figure("s4-vms", "Study S4: what a VM does while one, two or three VMs run,"
                       " theirs and ours.", charts.dots(
                           [value for entry in entries for value in shares_of(source, entry)],
                           "% of one VM alone", False, with_rule=False))
    rows: list[Cells] = []
    for entry in entries:
        rows += [[Cell(entry.quantity, "strong"), study_cell(f"S4: {entry.study_work}"),
                  *(study_cell(percent(value / 100, 2)) for value in entry.study_percent),
                  study_cell(NONE)],
                 ["", entry.our_work, *(source.cell(row, percent(share, 2)) if share else UNMEASURED
                                        for share, row in zip(entry.shares, entry.rows)),
                  source.cell(entry.rows[0], source.clock.show(
                      entry.ticks(entry.rows[0]) if entry.rows[0] else None))]]
    section.table("s4-vms", "Study S4: independence of one, two and three VMs",
                  ("of", "work", ">1 VM", ">2 VMs", ">3 VMs", ">a piece of work, 1 VM"), rows, (
                      *((ICOUNT_INDEPENDENCE_REMARK,) if source.clock.exact else
                        ("Ours is computed from medians.",)), INDEPENDENCE_REMARK),
                  folded="S4's independence in numbers")


def shares_of(source: Source, entry: Independence) -> list[Data]:
    study_shares = ((value, "") for value in entry.study_percent)
    our_shares = ((100 * share, f"; {source.note(row)}") if share and row else (None, "")
                  for share, row in zip(entry.shares, entry.rows))
    return [{"what": f"{entry.quantity}, {count} VMs", "config": config, "factor": value,
             "note": f"{config}, {entry.quantity}, {count} VMs: {value:.2f} %{more}"}
            for config, values in (("S4", study_shares), ("hypbench", our_shares))
            for count, (value, more) in enumerate(values, 1) if value and count > 1]
