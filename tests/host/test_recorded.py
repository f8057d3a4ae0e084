# SPDX-License-Identifier: Apache-2.0
"""A log that release 0.1.0 printed (virt-a72, icount): read without a problem, shown, compared,
also when it is cut or corrupt."""

from pathlib import Path


from hypbench.records import read_log
from hypbench.rows import axes, default_of, settings_of
from hypbench.rules import check_rules
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run
from test_commands import table_row

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
    result = bench("show", str(PATH), "--table", "long")
    assert result.exit_code == 0, result.output
    assert table_row(result.output, "hypercall", "null", "trapped")[5] == "41"
    assert table_row(result.output, "stats=on", "trapped", "hypercall null")[3:6] == [
        "41", "124", "+83"]
    assert "Exits by kind" in result.output


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
