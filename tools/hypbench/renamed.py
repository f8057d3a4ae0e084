# SPDX-License-Identifier: Apache-2.0
"""Axes and values that have another name than they had. A plan with an old name is refused with
the new one; a record with an old name is read as if it had the new one. Standard library alone."""

AXES = {"lrs": "lr_sync"}
VALUES = {  # by axis, as it is called today
    "lr_sync": {"needed": "lazy", "all": "full"},
    "cntp": {"owned": "passthrough", "trapped": "emulated"},
    "fp": {"owned": "static"},
    "sched": {"slice": "rr", "priority": "fp"},
}


def current(axis: str, value: str | int) -> tuple[str, str | int]:
    """The axis and its value, by their names of today."""
    axis = AXES.get(axis, axis)
    return axis, VALUES.get(axis, {}).get(str(value), value)
