# SPDX-License-Identifier: Apache-2.0
"""Decide each row of "Unverified on silicon" in CAVEATS.md by records: confirmed, refuted, or not
decidable here, with the evidence. Only a property that no model has confirms a row: records of an
emulator decide nothing, whatever platform their run record names. Records decide rows only if they
have the counter's rate and the cores of the board's silicon, and a cycle counter that runs at
another rate than QEMU's."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median

from hypbench.boardfile import board_numbers
from hypbench.records import Data, Log
from hypbench.tree import with_parts

CLOSE = 0.05  # largest relative difference of two clocks that agree
COLDER = 1.2  # least ratio of a cold time to a warm time
SAME_HZ = 0.001  # relative difference of two rates of one counter: a divider's rounding
QEMU_CPU_HZ = 1_000_000_000  # rate of QEMU's PMCCNTR by the host's clock (its target/arm)
QEMU_NEAR = 0.002  # relative error of a measured rate on a loaded host
ICOUNT_CYCLES = 16  # cycles an instruction of QEMU's PMCCNTR by -icount shift=4
STILL = 0.01  # relative difference of the core's clock; a larger one is another clock
GIC_400 = 0x0202143b  # GICC_IIDR and GICV_IIDR of a GIC-400 (DDI 0471)
TICKS = 20  # a time of fewer ticks is too coarse to compare clocks
GROUPS = ("tlb", "cache", "branch")  # groups of events: configurations of silicon-events
REORDERED = ("mp", "sb")  # shapes of guest/bench/litmus.c that a core must reorder without barriers
OUTCOMES = ("r00", "r01", "r10", "r11")
SCTLR_ON = 1 << 0 | 1 << 2  # M and C: a loader left MMU or data cache on
QUIET = "is pending by itself"  # words of a skip's reason: the SPI is not free


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    OPEN = "not decidable here"


@dataclass(frozen=True)
class Finding:
    """A row of CAVEATS.md, by its first words, with the verdict and the evidence of the records."""

    row: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Board:
    """The numbers of a board's silicon, from boards/NAME/board.c."""

    counter_hz: int = 0  # 0 if the board is a model
    spis: int = 0
    cores: int = 1
    reporting: int = 1  # cores that the run record lists; cores that PSCI starts come later

    @classmethod
    def of(cls, folder: Path) -> "Board":
        if not (folder / "board.c").is_file():
            return cls()
        numbers, text = board_numbers(folder), with_parts(folder / "board.c")
        cores = numbers.get("cores.count", 1)
        all_report = "CORES_SPIN_TABLE" in text or "CORES_PEN" in text
        return cls(numbers.get("counter_hz", 0), numbers["spi_count"], cores,
                   cores if all_report else 1)


Decision = tuple[Verdict, str]


def confirmed_if(holds: bool, evidence: str) -> Decision:
    return (Verdict.CONFIRMED if holds else Verdict.REFUTED), evidence


@dataclass(frozen=True)
class Runs:
    """Complete runs of one board."""

    logs: Sequence[Log]
    board: Board

    @property
    def run(self) -> Data:
        return self.logs[0].run

    def of_kind(self, kind: str) -> Iterator[Data]:
        for log in self.logs:
            yield from log.of_kind(kind)

    def bench(self, config: str, bench: str) -> list[Data]:
        return [record for record in self.of_kind("bench")
                if record["config"] == config and record["bench"] == bench]


def evidence_of_model(runs: Runs) -> str:
    """Return the evidence that an emulator executed the runs; "" for runs on silicon."""
    platforms = {str(log.run["platform"]) for log in runs.logs} - {"silicon"}
    if platforms:
        return f"the records are of {', '.join(sorted(platforms))}, a model"
    evidence = (counts_instructions(log) or unlike_silicon(log, runs.board) for log in runs.logs)
    return next(filter(None, evidence), "")


def counts_instructions(log: Log) -> str:
    cycles = [record["cycles_p50"] for record in log.of_kind("bench") if record.get("cycles_p50")]
    if len(cycles) > 4 and not any(value % ICOUNT_CYCLES for value in cycles):
        return (f"all {len(cycles)} medians of the cycle counter are multiples of {ICOUNT_CYCLES}:"
                " an emulator counts instructions")
    return ""


def unlike_silicon(log: Log, board: Board) -> str:
    """Return how a run differs from runs on the board's silicon; "" if silicon may have made it."""
    name, hz, cores = log.run["board"], log.run["hz"], len(log.run.get("cores", []))
    if not board.counter_hz:
        return f"{name} is a model: its board.c has no counter_hz, the rate of silicon's counter"
    if abs(hz - board.counter_hz) > SAME_HZ * board.counter_hz:
        return (f"CNTFRQ is {hz} Hz; silicon of {name} has {board.counter_hz} Hz: a model, or"
                " firmware that sets another rate")
    if cores != board.reporting:
        return (f"the run record lists {cores} cores; silicon of {name} lists {board.reporting}: a"
                " model, or another board")
    rates = [record["cpu_hz"] for record in (log.run, *log.of_kind("step")) if record.get("cpu_hz")]
    if not rates:
        return ("no record has the rate of the cycle counter, which separates silicon from a"
                " model; SCENARIO=silicon has")
    rate = median(rates)
    if abs(rate - QEMU_CPU_HZ) <= QEMU_NEAR * QEMU_CPU_HZ:
        return (f"the cycle counter runs at {rate:.0f} Hz, as that of QEMU, a model: on silicon"
                " choose another clock of the core")
    return ""


# ---- one function for each row

def cycle_counter(runs: Runs) -> Decision:
    rates = {record["cpu_hz"] for record in runs.of_kind("step") if record.get("cpu_hz")}
    timed = [record for record in runs.of_kind("bench")
             if "cycles_p50" in record and record["p50"] >= TICKS]
    if not timed or not rates:
        return Verdict.OPEN, "no row has both clocks; SCENARIO=silicon has"
    if max(rates) - min(rates) > STILL * max(rates):
        return Verdict.REFUTED, f"the core's clock changed: {min(rates)} to {max(rates)} Hz"
    worst = max(timed, key=lambda record: difference(record, max(rates)))
    most = difference(worst, max(rates))
    return confirmed_if(most <= CLOSE, f"{len(timed)} medians by both clocks differ by"
                        f" {most:.1%} at most ({worst['bench']} {worst['variant']})")


def difference(row: Data, cpu_hz: int) -> float:
    """Return the relative difference of a median by the two clocks. The error of the median, one
    tick, is subtracted."""
    ticks, cycles = row["p50"] / row["hz"], row["cycles_p50"] / cpu_hz
    return max(abs(ticks - cycles) - 1 / row["hz"], 0) / ticks


def cold_states(runs: Runs) -> Decision:
    warm = {record["variant"]: record["p50"] for record in runs.bench("trapped", "hvc")}
    ratios = {config: record["p50"] / warm[record["variant"]]
              for config in ("cold-caches", "cold-tlb") for record in runs.bench(config, "hvc")
              if warm.get(record["variant"])}
    counted = [group for group in GROUPS if any(
        record["config"] == group and event["sum"] for record in runs.of_kind("bench")
        for event in record.get("events", []))]
    if len(ratios) < 2 or len(counted) < len(GROUPS):
        return Verdict.OPEN, (f"{len(ratios)} of 2 cold states, {len(counted)} of {len(GROUPS)}"
                              " groups of events; SCENARIO=silicon and silicon-events have all")
    ratio_text = ", ".join(f"{config} {ratio:.1f} times" for config, ratio in ratios.items())
    return confirmed_if(min(ratios.values()) >= COLDER,
                        f"an hvc against a warm one: {ratio_text};"
                        f" the PMU counts {', '.join(counted)}")


def between_cores(runs: Runs) -> Decision:
    """Decide whether barriers keep the order of accesses that this core reorders without barriers.
    Each shape of REORDERED must have its relaxed outcome without barriers: if a test never has this
    outcome, its zeros with barriers show nothing."""
    checks = [record for record in runs.of_kind("check") if record.get("bench") == "litmus"]
    answers = [record for record in runs.of_kind("check") if record["variant"] == "answers"]
    lost = sum(record.get("wrong", 0) + record.get("sent", 0) - record.get("answered", 0)
               for record in answers)
    if not checks and not lost:
        return Verdict.OPEN, "no litmus test between two cores; SCENARIO=silicon-cores has"
    wrong = {record["variant"]: record["wrong"] for record in checks if record.get("wrong")}
    if wrong or lost:
        return Verdict.REFUTED, (f"{lost} requests lost or wrong; outcomes that barriers forbid: "
                                 + (", ".join(f"{name} {n}" for name, n in wrong.items()) or "0"))
    guarded = sum(record.get(outcome, 0) for record in checks if "wrong" in record
                  for outcome in OUTCOMES)
    relaxed = {shape: sum(record.get("relaxed", 0) for record in checks
                          if record["variant"] == f"{shape}-plain") for shape in REORDERED}
    relaxed_text = ", ".join(f"{shape} {count}" for shape, count in relaxed.items())
    return (Verdict.CONFIRMED if all(relaxed.values()) and guarded else Verdict.OPEN,
            f"no forbidden outcome of {guarded} with barriers;"
            f" relaxed outcomes without: {relaxed_text}")


def dirty_caches(runs: Runs) -> Decision:
    sctlr = int(runs.run.get("entry_sctlr", "0"), 0)
    if not sctlr & SCTLR_ON:
        return Verdict.OPEN, f"the loader left MMU and caches off (SCTLR {sctlr:#x})"
    return Verdict.CONFIRMED, f"entered with SCTLR {sctlr:#x}, and the run is sound"


def left_by_el3(runs: Runs) -> Decision:
    level = runs.run.get("entry_level")
    if level != "el3":
        return Verdict.OPEN, f"entered at {level}: firmware did EL3's part"
    return Verdict.CONFIRMED, "entered at el3, and the run is sound"


def wrong_pages(runs: Runs, iidr: int) -> Iterator[str]:
    """Report each CPU interface whose IIDR names another part than the board's. The run is sound,
    so DIR, which is in the other page, ended every interrupt."""
    pages = {record["config"]: record.get("iidr", 0) for record in runs.of_kind("check")
             if record["variant"] == "pages"}
    for config, name in (("native", "GICC_IIDR"), ("trapped", "GICV_IIDR")):
        if (value := pages.get(config)) not in (iidr, None):
            yield f"{name} is {value:#010x}, not {iidr:#010x}"


def on_board(board: str, iidr: int = 0) -> Callable[[Runs], Decision]:
    """Return a function that decides whether the runs are of this board and confirm its files: its
    cores, the first free SPI, which must be quiet, and, with `iidr`, the bases of its GICv2's CPU
    interfaces, which gic_pages checks. unlike_silicon() has checked the counter's rate. irq_phases
    uses no other free SPI."""
    def decide(runs: Runs) -> Decision:
        run = runs.run
        if run["board"] != board:
            return Verdict.OPEN, f"the board is {run['board']}"
        noisy = [record["reason"] for record in runs.of_kind("skip") if QUIET in record["reason"]]
        levels = run.get("cores", [])
        wrong = [*noisy, *(f"core {core} came at {level}" for core, level in enumerate(levels)
                           if level != "el2"),
                 *(wrong_pages(runs, iidr) if iidr else [])]
        if wrong:
            return Verdict.REFUTED, "; ".join(wrong)
        if not runs.bench("trapped", "irq_phases"):
            return Verdict.OPEN, "no interrupt of the first free SPI; SCENARIO=silicon has"
        pages = {record["config"] for record in runs.of_kind("check")
                 if record["variant"] == "pages"}
        if iidr and not {"native", "trapped"} <= pages:
            return Verdict.OPEN, "GICC and GICV not checked; SCENARIO=silicon has gic_pages"
        both = f" both pages of GICC and GICV ({iidr:#010x}) answer;" if iidr else ""
        return Verdict.CONFIRMED, (f"{len(levels)} of {runs.board.cores} cores reported, at"
                                   f" {levels[0]}, counter {run['hz']} Hz, the first of"
                                   f" {runs.board.spis} free SPIs is quiet;{both} boot loader,"
                                   " console and image work. Not seen: the other SPIs, reset, cores"
                                   " that PSCI starts")
    return decide


def never(reason: str) -> Callable[[Runs], Decision]:
    """Return a function that leaves a row open, because no record of a run decides the row."""
    return lambda runs: (Verdict.OPEN, reason)


DECISIONS: dict[str, Callable[[Runs], Decision]] = {
    "PMCCNTR at EL2": cycle_counter,
    "TLB, cache and branch events": cold_states,
    "Barriers of posted bits": between_cores,
    "A core that comes up": never("a run without a failure does not show that the order of its"
                                  " start is needed"),
    "`start.S` cleans": dirty_caches,
    "What EL3 leaves": left_by_el3,
    "ARMv7: a dropped": never("a dropped abort leaves nothing that a record could show"),
    "`rpi4`: firmware": on_board("rpi4"),
    "`rpi4`'s card": never("records do not name what the board booted from"),
    "`arndale`: U-Boot": on_board("arndale"),
    "`vexpress-a15` as": on_board("vexpress-a15"),
    "`zcu102`: U-Boot": on_board("zcu102", iidr=GIC_400),
    "`versal`: U-Boot": on_board("versal"),
    "`imx8mp`: U-Boot": on_board("imx8mp"),
    "`orangepi-pc`: U-Boot": on_board("orangepi-pc"),
    "Errata of": never("a run without a failure does not show that a workaround is needed"),
    "An unaligned access to GICV": never("no benchmark makes such an access and takes its abort"),
    "Trapped conditional": never("a failed condition has the same result whether or not the core"
                                 " traps it, and the other traps need newer cores"),
    "Receive functions": never("no benchmark receives: a user types into run-guest"),
    "figures of the scenarios": never("those scenarios are others"),
    "`make flash` on": never("records do not name what wrote the card"),
}


def findings(logs: Sequence[Log], board: Board) -> list[Finding]:
    """Decide each row by complete runs of one board. Runs of a model decide no row."""
    runs = Runs(logs, board)
    why_not = evidence_of_model(runs)
    return [Finding(row, *((Verdict.OPEN, why_not) if why_not else decide(runs)))
            for row, decide in DECISIONS.items()]
