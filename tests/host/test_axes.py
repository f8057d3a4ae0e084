# SPDX-License-Identifier: Apache-2.0
"""Axes come from abi/run_config.h. If a log is older than an axis, the axis has its default. The
tool compares two configurations if they differ in one axis."""

from hypbench.rows import settings_of, twin_of, twins
from logmaker import NATIVE, TRAPPED, log_from, plan_run, stamped


def log_with(*configs: dict, drop: tuple[str, ...] = ()):
    bodies = plan_run(list(configs), {"x": lambda head, _: [stamped(head, "v", [5] * 20)]})
    for config in bodies[0]["configs"]:
        for axis in drop:
            del config[axis]
    return log_from(bodies)


OLD = {"lrs": "all", "cntp": "trapped", "fp": "owned", "sched": "priority"}
NEW = {"lr_sync": "full", "cntp": "emulated", "fp": "static", "sched": "fp"}


def test_axis_that_an_older_log_calls_otherwise_has_its_name_of_today():
    """The log has old and new names of axes. The tool compares configurations by their axes, not by
    their names."""
    old = log_with(TRAPPED | OLD, TRAPPED | OLD | {"name": "slice", "sched": "slice"},
                   drop=("lr_sync",))
    assert old.run["configs"][0]["lrs"] == "all"  # the printed name
    new = log_with(TRAPPED | NEW, TRAPPED | NEW | {"name": "slice", "sched": "rr"})
    assert settings_of(old) == settings_of(new)
    assert twins(old) == [("sched", "slice", "trapped")]
    assert twin_of(old, "trapped", "sched", "rr") == "slice"


def test_axis_of_a_newer_log_is_kept():
    log = log_with(NATIVE | {"cache": "locked"})
    assert settings_of(log)["native"]["cache"] == "locked"


def test_twin_of():
    log = log_with(TRAPPED, TRAPPED | {"name": "trapped-stats", "stats": "on"},
                   TRAPPED | {"name": "sw-stats", "stats": "on", "lr": "sw"})
    assert twin_of(log, "trapped", "stats", "on") == "trapped-stats"
    assert twin_of(log, "sw-stats", "stats", "off") is None
    assert twin_of(log, "no-config", "stats", "on") is None
