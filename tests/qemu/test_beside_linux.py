# SPDX-License-Identifier: Apache-2.0
"""Scenario beside-linux: Debian's Linux under its own stress beside the bench guest. On another
core Linux changes no instruction of the bench guest; on the same core the policy bounds the
change."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from fetched import skip_unless_possible
from hypbench.analysis.bound import bounds_of
from hypbench.guests.prepare import with_guest_images
from hypbench.plan_language import parse, text_of
from lab import TREE, Job, Result, board_facts, perform
from linux_guest import LIMIT_S
from old_qemu import divides_otherwise
from planlines import plan_lines
from test_beside import WFI
from test_linux import reason_to_skip

pytestmark = pytest.mark.nightly

PLAN = plan_lines("beside-linux")
FAR = ("native", "direct", "direct-linux", "trapped", "trapped-linux")
NEAR = ("lazy", "fp-linux", "fp-linux-exits", "rr-linux")
COLOURED = ("direct", "direct-linux")  # Linux's pages are not adjacent in memory
BOARDS = ("virt-a15", "virt-a72-gicv3")  # one board of each isa and each GIC
ROUNDS = 3  # least number of rounds while samples are taken
SLICE_US = 1000  # default slice of sched=rr


@dataclass(frozen=True)
class Neighbour:
    """A run of some of the plan's configurations."""

    board: str
    configs: tuple[str, ...]
    more: str = ""  # axes of each configuration
    coloured: bool = False

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]

    @property
    def plan(self) -> str:
        lines = [re.sub(r"^config .*", rf"\g<0>{self.more}", line) for line in PLAN.splitlines()]
        plan = "\n".join(line for line in lines if not line.startswith("config")
                         or line.split()[1] in self.configs)
        return plan if not self.coloured else plan.replace(
            "vm bench", "vm bench colours=0-7").replace("vm far", "vm far colours=8-15")


def perform_beside(run: Neighbour) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        plan, loaders = with_guest_images(TREE, run.board, parse(run.plan), Path(folder))
        return perform(Job(run.board, text_of(plan),
                           machine=lambda words: [*words, "-smp", "2", *loaders]), LIMIT_S)


def runs_on(board: str) -> list[Neighbour]:
    return [Neighbour(board, FAR), Neighbour(board, NEAR),
            Neighbour(board, COLOURED, " stage2=4K colouring=on", coloured=True)]


@pytest.fixture
def runs(lab, on):
    results = []
    for run in runs_on(on):
        skip_unless_possible(run, reason_to_skip)
        results.append(lab.run(run, perform_beside))
        assert results[-1].status == 0 and results[-1].problems == [], results[-1].explain()
    return results


def rounds(result: Result, config: str) -> list[int]:
    """Return the rounds of Linux's stress on its console between the first and the last figures of
    a step."""
    console = result.console.decode(errors="replace")
    figures = list(re.finditer(rf'"kind":"bench".*"config":"{config}"', console))
    between = console[figures[0].end():figures[-1].start()]
    return list(map(int, re.findall(r"^\w+: stress: round (\d+) at", between, re.MULTILINE)))


@divides_otherwise
@pytest.mark.parametrize("on", BOARDS)
def test_linux_works_meanwhile(runs):
    """Linux completed rounds of its stress without a gap. Each round wrote to memory and started a
    process."""
    for result, configs in zip(runs, (FAR, NEAR, COLOURED), strict=True):
        for config in (config for config in configs if "-linux" in config):
            numbers = rounds(result, config)
            assert len(numbers) >= ROUNDS, (config, numbers)
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), (config, numbers)


def figures(result: Result, config: str) -> dict[str, tuple]:
    """Return the figures without the few samples in which QEMU ran the other core, whose
    instructions the counter also counts."""
    return {row["variant"]: (row["min"], row["p50"], row["p99"])
            for row in result.records("bench", config=config)}


@divides_otherwise
@pytest.mark.parametrize("on", BOARDS)
def test_on_another_core_it_changes_no_instruction(runs):
    far, _, coloured = runs
    native = figures(far, "native")
    assert len(native) == 6
    assert figures(far, "direct-linux") == figures(far, "direct") == native
    assert figures(far, "trapped-linux") == figures(far, "trapped") != native
    assert figures(coloured, "direct-linux") == figures(coloured, "direct") == native


def longest_exit(result: Result) -> int:
    """Return the ticks of Linux's longest exit, except WFI, whose exit an interrupt ends early."""
    return max(exits["max"] for exits in result.records("exits", vm="near", config="fp-linux-exits")
               if exits["exit"] != "wfi")


@divides_otherwise
@pytest.mark.parametrize("on", BOARDS)
def test_on_the_same_core_it_delays_by_a_switch_and_an_exit_or_by_a_slice(runs):
    """Under sched=fp a guest that slept has the core again after a VM switch and Linux's longest
    exit. Under sched=rr the guest waits a slice more, whether it slept or not."""
    _, near, _ = runs
    rows = near.figures(0)
    most = longest_exit(near)
    switch = {variant: rows["fp-linux", variant]["p50"] - rows["lazy", variant]["max"]
              for _, variant in rows}
    slice_ticks = near.log.run["hz"] * SLICE_US // 1_000_000
    for variant, ticks in switch.items():
        alone = rows["lazy", variant]["max"]
        assert (ticks > 200) == (variant in WFI), variant
        assert rows["fp-linux", variant]["max"] <= alone + max(ticks, 0) + most, variant
        assert (rows["rr-linux", variant]["max"]
                <= alone + slice_ticks + max(switch.values()) + most), variant
    bounds = {bound.variant: bound for bound in bounds_of(near.log)}
    assert bounds.keys() == switch.keys()
    for variant, bound in bounds.items():
        assert (bound.load, bound.alone, bound.exit) == (
            "linux", rows["lazy", variant]["max"], most)
        assert bound.holds, bound
