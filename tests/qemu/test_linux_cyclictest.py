# SPDX-License-Identifier: Apache-2.0
"""cyclictest of Debian's rt-tests in a Linux guest: the histograms are whole, direct equals native,
trapped is a few exits later, and each load on the same core adds a switch."""

import tempfile
from pathlib import Path

import pytest

from fetched import missing
from hypbench import qemu
from hypbench.guests.measured import results_of
from hypbench.guests.recipes import LOOPS, RECIPES
from hypbench.rows import config_names
from hypbench.session import run_board
from lab import TREE, board_facts

LIMIT_S = 900
# Instructions of two exits (a timer's interrupt and the timer that is set anew) at the median.
TRAPPED = range(50, 400)
ADDED = range(100, 700)  # instructions of a switch, which a load on the same core adds
LOADS = 7

pytestmark = pytest.mark.nightly


def medians(board: str, scenario: str) -> dict[str, float]:
    """Return the median of each configuration, in instructions."""
    if why := missing("cyclictest", lambda: RECIPES["cyclictest"](board_facts(board)["ISA"])):
        pytest.skip(why)
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        done = run_board(TREE, board, scenario, "icount", LIMIT_S, Path(folder), quiet=True)
    assert (done.status, done.problems) == (0, [])
    found = results_of(done.log)
    assert [one.config for one in found] == config_names(done.log)
    assert all(one.loops == LOOPS and one.beyond == 0 for one in found), found
    assert done.log.run["platform"] == qemu.PLATFORM_OF_CLOCK["icount"]
    return {one.config: one.percentile(500) * done.log.run["hz"] / 1e9 for one in found}


@pytest.mark.parametrize("on", ["virt-a72", "virt-a15"])
def test_direct_is_as_native_and_trapped_is_exits_later(on):
    found = medians(on, "cyclictest")
    assert abs(found["direct"] - found["native"]) < 50, found
    assert int(found["trapped"] - found["native"]) in TRAPPED, found


def test_each_load_on_the_same_core_adds_a_switch():
    """test_beside_linux.py has loads on another core."""
    found = medians("virt-a72", "cyclictest-core")
    alone = found.pop("trapped")
    assert len(found) == LOADS
    assert [name for name, median in found.items()
            if int(median - alone) not in ADDED] == [], (alone, found)
