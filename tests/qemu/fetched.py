# SPDX-License-Identifier: Apache-2.0
"""Runs that need what Debian ships: where it cannot be had they are skipped, and say so."""

from collections.abc import Callable

import pytest

from hypbench.apt_sources import NotDebian
from hypbench.debian import Offline
from lab import is_built

Reason = Callable[[object], str]  # of a run that cannot be made; "" where it can


def missing(what: str, *fetches: Callable[[], object]) -> str:
    """Why something cannot be had; "" when all of it is there."""
    try:
        for fetch in fetches:
            fetch()
    except (Offline, NotDebian) as error:
        return f"no {what}: {error.message.splitlines()[0]}"
    return ""


def skip_unless_possible(run, reason: Reason) -> None:
    """An image that is not built is an error."""
    from lab import BOARDS
    if run.board not in BOARDS:
        pytest.skip(f"{run.board} is not among HYPBENCH_BOARDS")
    assert is_built(run.board), f"build/{run.board}/hypbench.elf is missing"
    if why := reason(run):
        pytest.skip(why)
