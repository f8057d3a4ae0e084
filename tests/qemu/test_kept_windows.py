# SPDX-License-Identifier: Apache-2.0
"""The kept runs of other systems measure between the same instructions as today's probe."""

import pytest

from hypbench.peers import windows
from hypbench.peers.kept import kept_columns
from hypbench.peers.machine import Peer
from lab import TREE

pytestmark = pytest.mark.every_board


def test_kept_runs_are_of_todays_windows(board):
    """A run of a probe with other windows cannot be a column beside the others and must be
    repeated."""
    today = windows.digest(Peer(TREE, board))
    outdated = {column.system: column.facts.get(windows.FACT, "none")
                for column in kept_columns(board) if column.facts.get(windows.FACT) != today}
    assert not outdated, f"`make peers BOARD={board} SYSTEM=... KEEP=1`: {outdated}"
