# SPDX-License-Identifier: Apache-2.0
"""Axes and values that were renamed. A plan with an old name is refused with the new name; a record
with an old name is read as if it had the new one. This module uses the standard library alone."""

AXES = {"lrs": "lr_sync"}
VALUES = {  # old names by the axis' name of today
    "lr_sync": {"needed": "lazy", "all": "full"},
    "cntp": {"owned": "passthrough", "trapped": "emulated"},
    "fp": {"owned": "static"},
    "sched": {"slice": "rr", "priority": "fp"},
}


def current(axis: str, value: str | int) -> tuple[str, str | int]:
    """Return the axis and its value by their names of today."""
    axis = AXES.get(axis, axis)
    return axis, VALUES.get(axis, {}).get(str(value), value)
