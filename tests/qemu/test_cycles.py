# SPDX-License-Identifier: Apache-2.0
"""The second clock and batches, exactly: QEMU's cycle counter counts nanoseconds of virtual time,
so under icount every window has 16 cycles for each of its ticks."""

import re

import pytest

from hypbench.plan import write_plan
from hypbench.plan_language import parse
from lab import Job, board_facts
from planlines import plan_lines

pytestmark = pytest.mark.long

PER_TICK = 16  # at 62.5 MHz
DELAY = 100
BATCH = 8

# Benchmarks that have cycles and repeat their operation with batch=N.
REPEATED = ("counter", "hvc", "smc", "sysreg", "wfi", "mmio_read", "mmio_write")
TICK_BENCHES = ("timer_wakeup n=12", "cyclic n=12 period_us=1000", "irq_storm n=12",
                "irq_phases n=12", "page_fault n=12")
CONFIGS = """order once
config native
config trapped
config wfi trapped wfi=trapped
config native-cycles native cycles=on
config trapped-cycles trapped cycles=on
config wfi-cycles trapped wfi=trapped cycles=on
"""
TWINS = {"native-cycles": "native", "trapped-cycles": "trapped", "wfi-cycles": "wfi"}
VALUES = ("cold", "min", "p50", "p90", "max")
FORMS = ((1, 0), (BATCH, 0), (BATCH, DELAY))  # batch, delay: one line of the plan for each
REPEATED_PLAN = CONFIGS + "".join(f"bench {bench} n=12 batch={batch} delay={delay}\n"
                                  for bench in REPEATED for batch, delay in FORMS)
TICK_PLAN = CONFIGS + "".join(f"bench {bench}\n" for bench in TICK_BENCHES)

repeated = pytest.mark.job(REPEATED_PLAN)


def values(record: dict, prefix: str = "") -> list[float]:
    return [record[prefix + name] for name in VALUES]


def assert_sixteen_for_one(record: dict) -> None:
    assert values(record, "cycles_") == [PER_TICK * value for value in values(record)], record
    for name in ("mean", "stddev"):  # up to the rounding of both
        assert record[f"cycles_{name}"] == pytest.approx(PER_TICK * record[name], abs=0.0085)
    assert sum(count for _, count in record["cycles_hist"]) == record["n"]
    # the window opens and closes at other instructions, so another overhead is subtracted
    assert record["cycles_overhead"] < PER_TICK * record["overhead"] or record["overhead"] == 0


@repeated
def test_every_window_has_sixteen_cycles_a_tick(result):
    records = [record for record in result.records("bench") if record["config"] in TWINS]
    assert {record["bench"] for record in records} == set(REPEATED)
    for record in records:
        if record["variant"].split("-")[0] != "pair":  # shown with the whole cost of a window
            assert_sixteen_for_one(record)


@repeated
def test_no_other_window_has_cycles(result):
    for record in result.records("bench"):
        if record["config"] not in TWINS:
            assert not [name for name in record if name.startswith("cycles")], record


@repeated
def test_path_is_the_same_by_either_clock_and_in_a_batch(result):
    """A batch of N takes exactly N times the instructions of a path; a delay is in a window
    once."""
    for index in range(len(REPEATED)):
        check_path(result, index)


def check_path(result, index: int) -> None:
    plain = result.figures(index * len(FORMS))
    lengths = {key: record["p50"] for key, record in plain.items() if key[0] not in TWINS}
    assert len({config for config, _ in lengths}) == (2 if REPEATED[index] in ("hvc", "smc") else 3)
    for line, (batch, delay) in enumerate(FORMS, index * len(FORMS)):
        figures = result.figures(line)
        assert len(figures) == len(plain)
        for (config, variant), record in figures.items():
            name = variant.removesuffix(f"-x{batch}")
            assert (name != variant) == (batch > 1) and record["batch"] == batch
            if name == "pair":
                continue
            expected = batch * lengths[TWINS.get(config, config), name] + delay
            assert values(record) == [expected] * len(VALUES), (config, variant, delay)


@repeated
def test_bare_window_is_what_its_form_holds(result):
    """Instructions of a bare window on armv8, counted by hand: isb isb mrs. With cycles: isb mrs
    isb | isb cbz mrs isb mrs between the reads of CNTPCT, and isb isb cbz mrs between the reads of
    the cycle counter. In a batch: mov, and isb subs b.ne for each turn. armv7 has cmp and beq in
    place of cbz."""
    more = 1 if board_facts(result.log.run["board"])["ISA"] == "armv7" else 0
    line = REPEATED.index("counter") * len(FORMS)
    single_form, batch_form = result.figures(line), result.figures(line + 1)
    assert single_form["native", "pair"]["raw_p50"] == 3
    assert single_form["native-cycles", "pair"]["raw_p50"] == 8 + more
    assert single_form["native-cycles", "pair"]["cycles_p50"] == PER_TICK * (4 + more)
    batch = f"pair-x{BATCH}"
    assert batch_form["native", batch]["raw_p50"] == 3 + 4 * BATCH + more
    assert batch_form["native-cycles", batch]["cycles_p50"] == PER_TICK * (3 + 4 * BATCH + more)


@repeated
def test_every_form_is_calibrated(result):
    for step in result.records("step"):
        calibrations = result.records("calibration", step=step["step"])
        skipped = result.records("skip", step=step["step"])
        batch = FORMS[result.line_of(step) % len(FORMS)][0]
        forms = [(1, False)]
        if step["config"] in TWINS:
            forms.append((1, True))
        if batch > 1:
            forms.append((batch, step["config"] in TWINS))
        assert [(record.get("batch", 1), "cycles_p50" in record)
                for record in calibrations] == ([] if skipped else forms)


@repeated
def test_records_say_what_a_tick_is_for_one_operation(result):
    for record in result.records("bench"):
        assert record["quantum_ps"] == 16000 // record["batch"]


@repeated
def test_core_clock_is_the_virtual_one_all_the_time(result):
    assert result.log.run["cpu_hz"] == 1_000_000_000
    assert {step["cpu_hz"] for step in result.records("step")} == {1_000_000_000}
    assert result.record("end")["cpu_hz"] == 1_000_000_000


@pytest.mark.job(TICK_PLAN)
def test_windows_from_a_compare_value_have_ticks_alone(result):
    for line in range(len(TICK_BENCHES)):
        figures = result.figures(line)
        for (config, variant), record in figures.items():
            assert "cycles_p50" not in record
            assert values(record) == values(figures[TWINS.get(config, config), variant])


BY_ITSELF = CONFIGS + "config off native cycles=off\nbench sysreg n=12\n"


def on_silicon(image: bytes, _board: str) -> bytes:
    return write_plan(image, parse(BY_ITSELF), "silicon")


@pytest.mark.job(BY_ITSELF, change=on_silicon)
def test_a_board_with_a_pmu_has_cycles_where_the_plan_says_nothing(lab, job):
    """The rules report that the run's platform is not the platform of its plan. A plan for a board
    makes no semihosting call at its end, so the tools have to end QEMU."""
    result = lab.run(job)
    assert result.log.of_kind("end")[-1] == result.log.records[-1].data
    assert "terminating on signal" in result.stderr and result.log.text == []
    figures = result.figures(0)
    for (config, _), record in figures.items():
        assert ("cycles_p50" in record) == (config != "off"), config
    assert len(figures) == len(result.configs)


def without_pmu(options: list[str]) -> list[str]:
    at = options.index("-cpu") + 1
    return [*options[:at], options[at] + ",pmu=off", *options[at + 1:]]


@pytest.mark.job(CONFIGS + "bench sysreg n=12\n", machine=without_pmu, status=1)
def test_without_a_pmu_cycles_are_refused_and_nothing_else_changes(result):
    assert "cpu_hz" not in result.log.run and "cpu_hz" not in result.record("end")
    outcomes = {step["config"]: step["outcome"] for step in result.records("step")}
    assert outcomes == {config: "refused" if config in TWINS else "done" for config in outcomes}
    assert {error["what"] for error in result.records("error")} == {
        "cycles=on, but this core has no PMU, version: 0; set cycles=off"}
    assert {record["config"] for record in result.records("bench")} == set(TWINS.values())


@pytest.mark.job("order once\nconfig warm native\nconfig cold native state=cold-caches\n"
                 "config tlb native state=cold-tlb\nbench counter n=3 batch=2\n", status=1)
def test_batch_of_cold_operations_is_refused(result):
    outcomes = {step["config"]: step["outcome"] for step in result.records("step")}
    assert outcomes == {"warm": "done", "cold": "refused", "tlb": "refused"}
    assert {error["what"] for error in result.records("error")} == {
        "batch needs state=warm, only its first operation would begin cold, batch: 2; set batch=1"}


@pytest.mark.job("order once\nconfig late trapped cycles=on delay_el2=200\n"
                 "bench mmio_write n=1 batch=100000\n")
def test_a_window_that_32_bits_cannot_hold_is_refused(lab, job, board):
    """A window of more than half a second is refused on ARMv7, whose counter wraps after a few
    seconds."""
    result = lab.run(job)
    step = result.record("step")
    if board_facts(board)["ISA"] == "armv8":
        assert step["outcome"] == "done"
        return
    assert step["outcome"] == "refused"
    assert "too long for 32 bits of cycles" in result.record("error")["what"]


BYTES_A_SECOND = 115200 // 10  # of a serial line, 8N1: ten bits a byte
LIMIT_S = 60
BUCKETS = 40  # most buckets in use, when each sample has a length of its own
BUCKET = len("[1234,5],")


@pytest.mark.job(re.sub(r"^(config .*)$", r"\1 cycles=on",
                        plan_lines("default"), flags=re.MULTILINE))
def test_the_default_plan_passes_a_serial_line_in_time(result):
    """The plan's records have the fields of a board's records: cycles beside ticks. Under icount a
    histogram has one bucket; with a board's clocks it has more."""
    records = result.records("bench")
    assert sum("cycles_hist" in record for record in records) > 400
    size = len(result.console) + sum(
        (min(BUCKETS, record["n"]) - 1) * BUCKET * (1 + ("cycles_hist" in record))
        for record in records)
    assert size < LIMIT_S * BYTES_A_SECOND, f"{size / BYTES_A_SECOND:.1f} s at 115200 8N1"


def test_board_plan_is_good_and_its_console_short(lab, built):
    result = lab.ended(Job(built, plan_lines("board")))
    # a board's histograms have more buckets: 64 of 10 bytes in each
    histograms = sum(1 + ("cycles_hist" in record) for record in result.records("bench"))
    assert len(result.console) + histograms * 640 < LIMIT_S * BYTES_A_SECOND
    assert {record["bench"] for record in result.records("bench") if "cycles_p50" in record} >= {
        *REPEATED, "sgi_self", "fp_first_use", "loop_int"}
