# SPDX-License-Identifier: Apache-2.0
"""A log that release 0.1.0 printed (virt-a72, icount) is read without a problem, and shown. The
transcripts compare the log with a new one."""

from pathlib import Path

from hypbench.records import read_log
from hypbench.rows import axes, default_of, settings_of
from hypbench.rules import check_rules
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
