# SPDX-License-Identifier: Apache-2.0
"""A log that release 0.1.0 printed (virt-a72, icount): read without a problem, shown, compared,
also when it is cut or corrupt."""

import random
from pathlib import Path

import pytest

from hypbench.records import read_log
from hypbench.rows import axes, default_of, rows_of, settings_of
from hypbench.rules import check_rules
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run
from test_commands import failed, table_row

PATH = Path(__file__).parent / "logs" / "release-0.1.0.jsonl"
LOG = PATH.read_bytes()


def test_old_log_is_read_without_complaint(bench):
    log = read_log(LOG)
    assert log.problems == [] and check_rules(log) == []
    assert bench("check", str(PATH)).exit_code == 0


def test_axis_it_lacks_has_its_default():
    log = read_log(LOG)
    missing = axes().keys() - log.run["configs"][0].keys()
    assert {"stage1", "fp", "sched", "state", "probes", "slice_us"} <= missing
    for settings in settings_of(log).values():
        assert all(settings[axis] == default_of(axis) for axis in missing)


def test_old_log_is_shown(bench):
    result = bench("show", str(PATH))
    assert result.exit_code == 0, result.output
    assert table_row(result.output, "hypercall", "null", "trapped")[5] == "41"
    assert table_row(result.output, "stats=on", "trapped", "stats", "hypercall")[5:8] == [
        "41", "124", "+83"]
    assert "VM-EXIT" in result.output


def test_old_log_against_a_new_one(bench):
    """The new one calls hypercall hvc; its null call is planted two instructions longer."""
    new = plan_run([NATIVE, TRAPPED], {"hvc": lambda head, _: [
        calibration(head, 3), bench_record(head, "null", [46] * 20, overhead=3)]})
    (bench.root / "new").write_bytes(log_of(new))
    result = bench("compare", str(PATH), str(bench.root / "new"), "--threshold", "1")
    assert result.exit_code == 1, result.output
    assert "A's hypercall null stands against B's hvc null, its other name" in result.output
    assert table_row(result.output, "hvc", "null", "trapped")[3:6] == ["41", "43", "+2"]
    assert bench("compare", str(PATH), str(PATH), "--threshold", "0").exit_code == 0


@pytest.mark.parametrize("length", range(1, len(LOG), len(LOG) // 7))
def test_cut_anywhere(bench, length):
    log = read_log(LOG[:length])
    assert log.problems
    path = bench.root / "cut"
    path.write_bytes(LOG[:length])
    results = [bench("check", str(path)), bench("show", str(path)),
               bench("compare", str(PATH), str(path))]
    assert [result.exit_code for result in results] == [1, 1, 2]
    assert not any("Traceback" in result.output for result in results)


@pytest.mark.parametrize("seed", range(8))
def test_corrupt_bytes_anywhere(bench, seed):
    rng = random.Random(seed)
    broken = bytearray(LOG)
    for _ in range(5):
        broken[rng.randrange(len(LOG))] = rng.randrange(256)
    path = bench.root / "corrupt"
    path.write_bytes(broken)
    log = read_log(bytes(broken))
    assert log.problems
    good = {row.key: row.p50 for row in rows_of(read_log(LOG))}
    assert all(good[row.key] == row.p50 for row in rows_of(log))
    failed(bench("check", str(path)), "")
    failed(bench("compare", str(PATH), str(path)), "", 2)
