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
    if reason := missing("cyclictest", lambda: RECIPES["cyclictest"](board_facts(board)["ISA"])):
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        outcome = run_board(TREE, board, scenario, "icount", LIMIT_S, Path(folder), quiet=True)
    assert (outcome.status, outcome.problems) == (0, [])
    results = results_of(outcome.log)
    assert [result.config for result in results] == config_names(outcome.log)
    assert all(result.loops == LOOPS and result.overflows == 0 for result in results), results
    assert outcome.log.run["platform"] == qemu.PLATFORM_OF_CLOCK["icount"]
    return {result.config: result.percentile(500) * outcome.log.run["hz"] / 1e9
            for result in results}


@pytest.mark.parametrize("on", ["virt-a72", "virt-a15"])
def test_direct_is_as_native_and_trapped_is_exits_later(on):
    p50 = medians(on, "cyclictest")
    assert abs(p50["direct"] - p50["native"]) < 50, p50
    assert int(p50["trapped"] - p50["native"]) in TRAPPED, p50


def test_each_load_on_the_same_core_adds_a_switch():
    """test_beside_linux.py has loads on another core."""
    p50 = medians("virt-a72", "cyclictest-core")
    alone = p50.pop("trapped")
    assert len(p50) == LOADS
    assert [name for name, median in p50.items()
            if int(median - alone) not in ADDED] == [], (alone, p50)
