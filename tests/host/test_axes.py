# SPDX-License-Identifier: Apache-2.0
"""Axes come from abi/run_config.h. An axis that an older log does not know has its default. Two
configurations that differ in one axis are compared."""

from hypbench.records import read_log
from hypbench.rows import axes, default_of, differing, settings_of, twin_of, twins
from logmaker import NATIVE, TRAPPED, log_of, plan_run, stamped


def log_with(*configs: dict, drop: tuple[str, ...] = ()):
    bodies = plan_run(list(configs), {"x": lambda head, _: [stamped(head, "v", [5] * 20)]})
    for config in bodies[0]["configs"]:
        for axis in drop:
            del config[axis]
    log = read_log(log_of(bodies))
    assert log.problems == []
    return log


def test_axes_are_those_of_the_header():
    assert axes()["stage2"] == ("off", "4K", "2M", "1G")
    assert axes()["delay_el2"] == () and axes()["slice_us"] == ()
    assert default_of("fp") == "static" and default_of("slice_us") == 0
    assert set(log_with(NATIVE).run["configs"][0]) == {"name", *axes()}


def test_axis_that_an_older_log_lacks_has_its_first_value():
    lacking = log_with(NATIVE, TRAPPED, drop=("stage1", "fill", "eoi", "fp", "sched", "state",
                                              "probes", "slice_us"))
    assert settings_of(lacking) == settings_of(log_with(NATIVE, TRAPPED))
    assert settings_of(lacking)["trapped"]["fp"] == "static"


OLD = {"lrs": "all", "cntp": "trapped", "fp": "owned", "sched": "priority"}
NEW = {"lr_sync": "full", "cntp": "emulated", "fp": "static", "sched": "fp"}


def test_axis_that_an_older_log_calls_otherwise_has_its_name_of_today():
    """The log has old and new names; configurations are compared by axes, not by names."""
    old = log_with(TRAPPED | OLD, TRAPPED | OLD | {"name": "slice", "sched": "slice"},
                   drop=("lr_sync",))
    assert old.run["configs"][0]["lrs"] == "all"  # as printed
    new = log_with(TRAPPED | NEW, TRAPPED | NEW | {"name": "slice", "sched": "rr"})
    assert settings_of(old) == settings_of(new)
    assert twins(old) == [("sched", "slice", "trapped")]
    assert twin_of(old, "trapped", "sched", "rr") == "slice"


def test_axis_of_a_newer_log_is_kept():
    log = log_with(NATIVE | {"cache": "locked"})
    assert settings_of(log)["native"]["cache"] == "locked"


def test_twins_differ_in_one_axis_and_stand_in_the_order_of_its_values():
    log = log_with(NATIVE, TRAPPED | {"name": "full", "frame": "full"}, TRAPPED,
                   TRAPPED | {"name": "both", "frame": "full", "stats": "on"},
                   TRAPPED | {"name": "lazy", "fp": "lazy"},
                   TRAPPED | {"name": "eager", "fp": "eager"})
    assert twins(log) == [("frame", "trapped", "full"), ("stats", "full", "both"),
                          ("fp", "trapped", "lazy"), ("fp", "trapped", "eager")]


def test_numbers_stand_in_their_order():
    log = log_with(TRAPPED | {"name": "slow", "delay_el2": 100}, TRAPPED)
    assert twins(log) == [("delay_el2", "trapped", "slow")]


def test_twin_of():
    log = log_with(TRAPPED, TRAPPED | {"name": "trapped-stats", "stats": "on"},
                   TRAPPED | {"name": "sw-stats", "stats": "on", "lr": "sw"})
    assert twin_of(log, "trapped", "stats", "on") == "trapped-stats"
    assert twin_of(log, "sw-stats", "stats", "off") is None
    assert twin_of(log, "no-config", "stats", "on") is None


def test_differing():
    assert differing({"a": 1, "b": 2}, {"a": 1, "b": 3}) == ["b"]
