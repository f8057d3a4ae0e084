# SPDX-License-Identifier: Apache-2.0
"""Skip a run that needs Debian's packages if they cannot be fetched, and report the reason."""

from collections.abc import Callable

import pytest

from hypbench.apt_sources import NotDebian
from hypbench.debian import Offline
from lab import need_image

Reason = Callable[[object], str]  # returns the reason why a run is impossible, or ""


def missing(name: str, *fetches: Callable[[], object]) -> str:
    """Return why a package cannot be fetched, or "" if all packages are there."""
    try:
        for fetch in fetches:
            fetch()
    except (Offline, NotDebian) as error:
        return f"no {name}: {error.message.splitlines()[0]}"
    return ""


def skip_unless_possible(run, reason: Reason) -> None:
    """Skip a run that is impossible on this machine. A missing image is an error."""
    from lab import BOARDS
    if run.board not in BOARDS:
        pytest.skip(f"{run.board} is not among HYPBENCH_BOARDS")
    need_image(run.board)
    if text := reason(run):
        pytest.skip(text)
