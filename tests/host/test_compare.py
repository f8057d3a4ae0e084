# SPDX-License-Identifier: Apache-2.0
"""hypbench compare A B: every verdict, the gate's exit status, files that are damaged."""

import random
import re

import pytest

from hypbench.analysis.comparison import Threshold, Verdict, compare_logs, conditions
from hypbench.records import read_log
from hypbench.rows import rows_of
from hypbench.store import keep
from hypbench.tree import Tree
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run, stamped
from paths import log_from, matrix
from test_commands import failed, table_row


def run_with(ticks: int = 50, bench: str = "hvc", variant: str = "null", platform="qemu-icount",
             configs=(NATIVE, TRAPPED), make=None, **run) -> list[dict]:
    def records(head, config):
        raw = [ticks + (config["name"] == "trapped")] * 20
        return [calibration(head), make(head, raw) if make else bench_record(head, variant, raw)]

    return plan_run(list(configs), {bench: records}, platform=platform, **run)


def compared(a: list[dict], b: list[dict]) -> dict[str, tuple[str, str]]:
    """By configuration: verdict and reason."""
    return {row.config: (row.verdict, row.reason) for row in compare_logs(log_from(a), log_from(b))}


@pytest.mark.parametrize("ticks, verdict", [(50, Verdict.SAME), (51, Verdict.SLOWER),
                                            (49, Verdict.FASTER)])
def test_verdict_of_exact_lengths(ticks, verdict):
    assert compared(run_with(), run_with(ticks)) == {"native": (verdict, ""),
                                                     "trapped": (verdict, "")}


def test_verdict_beside_noise():
    def noisy(mean: int, seed: int):
        rng = random.Random(seed)
        return lambda head, _: bench_record(head, "null", [round(rng.gauss(mean, 20))
                                                           for _ in range(300)])

    def run(mean: int, seed: int, platform: str = "silicon"):
        return run_with(platform=platform, make=noisy(mean, seed))

    a = run(300, 1)
    assert set(compared(a, run(300, 2)).values()) == {(Verdict.SAME, "")}
    assert set(compared(a, run(330, 3)).values()) == {(Verdict.SLOWER, "")}
    by_icount = compared(run(300, 1, "qemu-icount"), run(300, 2, "qemu-icount"))
    assert (Verdict.SAME, "") not in by_icount.values()  # another largest sample is no noise there


BODY = [50] * 960


def of_samples(raw: list[int], platform: str = "qemu-icount", **more) -> list[dict]:
    return run_with(platform=platform, make=lambda head, _: bench_record(head, "null", raw), **more)


@pytest.mark.parametrize("platform", ["qemu-icount", "silicon"])
@pytest.mark.parametrize("moved, says", [
    ([300] * 40, {"p99": 240, "p999": 240, "max": 240, "mean": 9.6}),  # 4 % of the samples
    ([60] * 39 + [300], {"max": 240, "mean": 0.24})])
def test_a_tail_that_moved(platform, moved, says):
    a, b = of_samples(BODY + [60] * 40, platform), of_samples(BODY + moved, platform)
    if len(says) == 2 and platform == "silicon":  # one sample of 1000 may be chance
        assert compared(a, b)["native"] == (Verdict.SAME, "")
        return
    row, back = (compare_logs(log_from(one), log_from(other))[0] for one, other in ((a, b), (b, a)))
    assert (row.verdict, row.measures[0].effect.value) == (Verdict.SLOWER, 0)
    assert {one.name: round(one.effect.value, 3) for one in row.moved} == says
    assert (back.verdict, compared(a, a)["native"]) == (Verdict.FASTER, (Verdict.SAME, ""))
    assert Threshold(5, True).exceeded(row) and not Threshold(5, True).exceeded(back)
    assert Threshold(239, False).exceeded(row) and not Threshold(240, False).exceeded(row)


def test_a_percentile_that_b_cannot_carry(compare):
    few = log_of(of_samples([50] * 50))
    result = compare(log_of(of_samples(BODY)), few)
    failed(result, "2 rows cannot be compared: no p99 in B; --allow-missing", 2)
    assert table_row(result.output, "hvc", "null", "native")[-1] == "same: no p99 in B"
    assert compare(few, log_of(of_samples(BODY))).exit_code == 0


@pytest.mark.parametrize("other, reason", [
    (run_with(platform="silicon"), "platform qemu-icount, silicon"),
    (run_with(make=lambda head, raw: stamped(head, "null", raw)), "window pair, cval"),
    (run_with(make=lambda head, raw: bench_record(head, "null", raw, batch=8)), "batch 1, 8"),
    (run_with(make=lambda head, raw: bench_record(head, "null", raw, hz=1_000_000)),
     "clock 62500000 Hz, 1000000 Hz")])
def test_not_comparable(other, reason):
    assert compared(run_with(), other)["trapped"] == (Verdict.NOT_COMPARABLE, reason)


@pytest.mark.parametrize("old, new", [(("hypercall", "null"), ("hvc", "null")),
                                      (("mmio", "iidr"), ("mmio_read", "vgic"))])
def test_a_row_of_an_older_release_stands_against_its_name_of_today(old, new):
    a, b = run_with(50, *old), run_with(51, *new)
    assert compared(a, b)["trapped"] == (Verdict.SLOWER, "")
    assert compared(b, a)["trapped"] == (Verdict.FASTER, "")


def test_not_modelled_is_not_comparable():
    found = compared(matrix("qemu-icount"), matrix("qemu-icount"))
    assert set(found.values()) == {(Verdict.NOT_COMPARABLE, "not modelled here")}
    assert set(compared(matrix(), matrix()).values()) == {(Verdict.SAME, "")}


def test_row_of_one_run_alone():
    only = TRAPPED | {"name": "other"}
    found = compared(run_with(configs=(NATIVE, TRAPPED)), run_with(configs=(NATIVE, only)))
    assert found == {"native": (Verdict.SAME, ""), "trapped": (Verdict.ONLY_A, ""),
                     "other": (Verdict.ONLY_B, "")}


def test_boards_with_other_clocks_are_compared_in_time():
    def at(hz: int):
        return run_with(platform="silicon", hz=hz,
                        make=lambda head, raw: bench_record(head, "null", raw, hz=hz))

    row = compare_logs(log_from(at(50_000_000)), log_from(at(20_000_000)))[0]
    median = row.measures[0]
    assert (row.unit, median.a, median.b) == ("ns", 960, 2400)
    assert (row.verdict, row.ratio, median.effect.value) == (Verdict.SLOWER, 2.5, 1440)


def test_conditions_that_differ():
    a = log_from(run_with())
    b = log_from(run_with(configs=(NATIVE, TRAPPED | {"frame": "full"}), board="virt-a15",
                          isa="armv7"))
    assert conditions(a, b) == ["board: A virt-a72, B virt-a15", "isa: A armv8, B armv7",
                                "configuration trapped: frame: A light, B full"]
    assert conditions(a, a) == []


@pytest.mark.parametrize("threshold, exceeded", [
    (Threshold(5, False), False), (Threshold(4.9, False), True), (Threshold(11, True), False),
    (Threshold(10, True), True)])
def test_threshold(threshold, exceeded):
    rows = compare_logs(log_from(run_with(50)), log_from(run_with(55)))
    assert threshold.exceeded(rows[0]) == exceeded  # 5 ticks, 10.4 per cent
    faster = compare_logs(log_from(run_with(55)), log_from(run_with(50)))
    assert not Threshold(0, False).exceeded(faster[0])


@pytest.fixture
def compare(bench):
    def command(a: bytes | None, b: bytes | None, *words: str):
        for name, content in (("a", a), ("b", b)):
            if content is not None:
                (bench.root / name).write_bytes(content)
        return bench("compare", str(bench.root / "a"), str(bench.root / "b"), *words)
    return command


A, SLOW = log_of(run_with()), log_of(run_with(55))


@pytest.mark.parametrize("words, status", [
    ((), 0), (("--threshold", "5%"), 1), (("--threshold", "11%"), 0), (("--threshold", "4"), 1),
    (("--threshold", "5"), 0), (("--threshold", "0"), 1),
    (("--threshold", "4", "--config", "native", "--bench", "hvc"), 1)])
def test_exit_status_by_threshold(compare, words, status):
    result = compare(A, SLOW, *words)
    assert result.exit_code == status, result.output
    assert "rows: " in result.output.splitlines()[-1]
    assert ("SLOWER by more than" in result.output) == bool(status)
    assert table_row(result.output, "hvc", "null", "native")[3:8] == ["48", "53", "+5", "",
                                                                      "×1.104"]


TRAPPED_ALONE = log_of(run_with(configs=(TRAPPED,)))
OTHER_NAMES = log_of(run_with(configs=(TRAPPED | {"name": "other"},)))


@pytest.mark.parametrize("a, b, says", [
    (A, TRAPPED_ALONE, "1 rows of A are not in B"),
    (A, log_of(run_with(board="virt-a15")), "another board: A virt-a72, B virt-a15"),
    (A, log_of(run_with(platform="silicon")), "2 rows cannot be compared: platform qemu-icount,"
                                              " silicon")])
def test_what_was_not_compared_is_a_failure(compare, a, b, says):
    failed(compare(a, b, "--threshold", "5%"), f"{says}; --allow-missing (ALLOW_MISSING=1)", 2)
    allowed = compare(a, b, "--threshold", "5%", "--allow-missing")
    assert allowed.exit_code == (2 if "platform" in says else 0), allowed.output
    assert says not in allowed.stderr


def test_nothing_in_common_is_a_failure_in_any_case(compare):
    for words in ((), ("--allow-missing",)):
        failed(compare(TRAPPED_ALONE, OTHER_NAMES, *words), "nothing was compared", 2)


def of_variants(ticks: dict[str, int]) -> bytes:
    def records(head, config):
        return [calibration(head)] + [bench_record(head, variant, [raw] * 20)
                                      for variant, raw in ticks.items()]
    return log_of(plan_run([NATIVE], {"hvc": records}))


def three_verdicts() -> tuple[bytes, bytes]:
    """Rows in the order same, faster, slower, much slower, only in A; and what B makes of them."""
    a = {"same": 50, "faster": 50, "slower": 50, "slowest": 50, "gone": 50}
    return of_variants(a), of_variants({"same": 50, "faster": 40, "slower": 51, "slowest": 90})


@pytest.mark.parametrize("words, order", [
    ((), ["slowest", "slower", "faster", "gone"]),
    (("--table", "long"), ["slowest", "slower", "faster", "gone", "same"])])
def test_what_changed_comes_first_and_what_was_not_compared_last(compare, words, order):
    result = compare(*three_verdicts(), *words)
    rows = [line.split()[3] for line in result.stdout.splitlines() if line.startswith("│ hvc")]
    assert rows == order
    assert result.stdout.splitlines()[-1] == "5 rows: 1 same, 1 faster, 2 slower, 1 only in A"


def test_many_rows_without_a_number_are_one(compare):
    some = of_variants(dict.fromkeys("abc", 50))
    for names, shown in (("abcde", "d, e"), ("abcdefg", "4 variants")):
        result = compare(of_variants(dict.fromkeys(names, 50)), some, "--allow-missing")
        assert re.search(rf"│ hvc +│ {shown} ", result.stdout)


def test_what_no_run_models_is_no_row(compare):
    one = log_of(matrix("qemu-icount"))
    assert "│ tlb_chase" not in compare(one, one).stdout
    assert "│ tlb_chase" in compare(one, one, "--table", "long").stdout


@pytest.fixture
def compare_with_last(bench):
    def command(a: bytes, last: bytes | None):
        (bench.root / "a").write_bytes(a)
        if last is not None:
            keep(Tree(bench.root), read_log(last), [])
        return bench("compare", str(bench.root / "a"))
    return command


def test_without_b_it_is_the_latest_kept_run_of_the_board(compare_with_last, bench):
    result = compare_with_last(A, SLOW)
    assert result.exit_code == 0 and result.stdout.splitlines()[-1] == "2 rows: 2 slower"
    assert f"B: {bench.root / 'runs/virt-a72/sample/'}" in result.stdout


@pytest.mark.parametrize("a, last, says", [
    (A, None, "no qemu-icount run of virt-a72 of scenario sample is kept to compare A"),
    (A, b"", "no qemu-icount run of virt-a72 of scenario sample is kept"),
    (A, SLOW[:SLOW.index(b'"step":3') - 5], "no qemu-icount run of virt-a72 of scenario sample is"),
    (A, log_of(run_with(plan="other")), "no qemu-icount run of virt-a72 of scenario sample is"),
    (A, log_of(run_with(platform="silicon")), "no qemu-icount run of virt-a72 of scenario sample"),
    (log_of(run_with(board="toaster")), A, "A is a run of board 'toaster', which is not here")])
def test_no_last_run_to_compare_with(compare_with_last, a, last, says):
    failed(compare_with_last(a, last), says, 2)


@pytest.mark.parametrize("word", ["many", "-5%", "5%%", ""])
def test_threshold_that_is_none(compare, word):
    failed(compare(A, A, f"--threshold={word}"), "neither per cent", 2)


@pytest.mark.parametrize("content, says", [
    (None, "B: cannot read"), (b"", "B: {} has no run record: the log has no good record"),
    (b"U-Boot 2023\n", "has no run record"), (b"\x00\xff" * 99, "has no run record"),
    (A[:100], "has no run record"), (A.splitlines()[0], "has no result to compare")])
def test_file_that_holds_nothing(compare, bench, content, says):
    failed(compare(A, content), says.format(bench.root / "b"), 2)


def test_cut_file_is_compared_as_far_as_it_goes(compare):
    result = compare(A, SLOW[:SLOW.index(b'"step":3') - 5])
    failed(result, "3 of 4 steps are there: `hypbench check", 2)
    assert table_row(result.output, "hvc", "null", "native")[-1] == "slower"
    failed(compare(A, SLOW[:SLOW.index(b'"step":1') - 5]), "only in A", 2)


def test_garbled_result_is_left_out_and_told(compare):
    lines = SLOW.splitlines(keepends=True)
    index = next(i for i, line in enumerate(lines) if b'"kind":"bench"' in line)
    garbled = [*lines[:index], lines[index].replace(b'"n":20', b'"n":21'), *lines[index + 1:]]
    result = compare(A, b"".join(garbled))
    failed(result, f"B: line {index + 1}: record {index} is garbled", 2)
    assert table_row(result.output, "hvc", "null", "native")[-1] == "slower"  # of the other pass


def test_the_last_line_counts_the_rows_beyond_the_threshold(compare):
    assert compare(A, A, "--threshold", "0").output.splitlines()[-1] == (
        "2 rows: 2 same; slower by more than 0: 0")


def test_slower_row_is_told_before_damage(compare):
    assert compare(A, SLOW[:-50], "--threshold", "1").exit_code == 1


def test_rows_that_b_has_alone_are_a_failure_unless_allowed(compare):
    failed(compare(TRAPPED_ALONE, A), "1 rows of B are not in A; --allow-missing", 2)
    assert compare(TRAPPED_ALONE, A, "--allow-missing").exit_code == 0


def test_the_latest_run_is_not_compared_with_itself(bench):
    path = keep(Tree(bench.root), read_log(A), [])
    for word in (str(path), "latest"):
        failed(bench("compare", word), "A is the latest kept run of virt-a72 of scenario sample", 2)


def test_identical_runs_compare_as_identical_and_what_does_not_compare_has_its_reason(compare):
    """A twin: B is of another build, and the runs are not identical."""
    head, *rest = matrix("qemu-icount")
    one, other = (log_of([head | {"build": build}, *rest]) for build in ("v0-3", "v0-4"))
    records = len(read_log(one).records)
    same = compare(one, one)
    assert same.exit_code == 0, same.output
    assert f"identical: A and B have the same {records} records" in same.output
    rows = len(rows_of(read_log(one)))
    assert same.stdout.splitlines()[-1] == (
        f"{rows} rows: {rows} not comparable ({rows} not modelled here)")
    result = compare(one, other)
    failed(result, "nothing was compared", 2)
    assert "identical:" not in result.output


def test_result_that_cannot_be_true_is_left_out(compare):
    bodies = run_with(configs=(TRAPPED,), order="once")
    index = next(i for i, body in enumerate(bodies) if body["kind"] == "bench")
    bodies[index] = bodies[index] | {"p50": 500}
    result = compare(A, log_of(bodies))
    failed(result, "the histogram gives", 2)
    assert table_row(result.output, "hvc", "null", "trapped")[-1] == "only in A"
