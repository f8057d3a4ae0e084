# SPDX-License-Identifier: Apache-2.0
"""The axes of a configuration (abi/run_config.h), and what each one of a log is set to."""

from itertools import combinations

from hypbench.abi import axes
from hypbench.records import Log, once_a_log
from hypbench.renamed import current

Setting = str | int
Settings = dict[str, Setting]  # an axis, and its value


def default_of(axis: str) -> Setting:
    """Of what is no axis, the VMs with `configs=` that take part: none."""
    values = axes().get(axis, ("none",))
    return values[0] if values else 0


@once_a_log
def settings_of(log: Log) -> dict[str, Settings]:
    """By configuration; of an older log, an axis that it does not know has its default, and what
    was renamed has its name of today."""
    defaults = {axis: default_of(axis) for axis in axes()}
    return {config["name"]: defaults | dict(current(axis, value) for axis, value in config.items()
                                            if axis != "name")
            for config in (log.run["configs"] if log.run else [])}


def rank(axis: str, value: Setting) -> tuple[int, Setting]:
    """Where a value stands among those of its axis; unknown ones come last, numbers ascend."""
    values = axes().get(axis, ())
    if isinstance(value, int):
        return 0, value
    return (values.index(value) if value in values else len(values)), 0


def differing(one: Settings, other: Settings) -> list[str]:
    return [axis for axis in one if one[axis] != other.get(axis)]


def twins(log: Log) -> list[tuple[str, str, str]]:
    """(axis, base, other) for each two configurations that differ in that one axis only, `base`
    with the first of the values that the log has for what else they are."""
    settings = settings_of(log)
    found = []
    for one, other in combinations(settings, 2):
        axis = differing(settings[one], settings[other])
        if len(axis) == 1:
            base, changed = sorted((one, other),
                                   key=lambda name: rank(axis[0], settings[name][axis[0]]))
            found.append((axis[0], base, changed))
    higher = {(axis, other) for axis, _, other in found}
    return [pair for pair in found if (pair[0], pair[1]) not in higher]


def twin_of(log: Log, config: str, axis: str, value: Setting) -> str | None:
    """The configuration that differs from this one in that axis only, and has that value there."""
    settings = settings_of(log)
    if config not in settings:
        return None
    wanted = settings[config] | {axis: value}
    return next((name for name, found in settings.items()
                 if found == wanted and name != config), None)
