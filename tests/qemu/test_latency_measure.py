# SPDX-License-Identifier: Apache-2.0
"""A user's image that prints as Zephyr's latency_measure does (arch/latency.c): natively, direct
and trapped in one run, with exactly the exits that the hypervisor adds."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest

import expected
from assembler import assemble
from hypbench import qemu
from hypbench.guests import latency_measure
from hypbench.guests.prepare import with_image
from hypbench.rows import config_names
from hypbench.session import Outcome, run_board
from lab import TREE
from test_make import make

LIMIT_S = 300  # a run that takes longer hangs
NATIVE_RAM, RAM = 0x80200000, 0x40200000
READ, COUNTER = "gic.read - Read GICD_IIDR", "counter.read - Read the counter"


def image(board: str, address: int, power_off: int = 1) -> Path:
    return assemble(board, "vcpus", address, f"POWEROFF={power_off}", f"BASE={address:#x}",
                    sources=("latency.c",)).elf


def run(board: str, scenario: str, file: Path) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        return run_board(TREE, board, with_image(TREE.plan(scenario), file), "icount", LIMIT_S,
                         Path(folder), quiet=True)


def exit_of_a_read(run_record: dict) -> int:
    """Return the instructions at EL2 that the plugin counted from outside for tests/expected/. The
    clock under icount leaves out the load that aborts."""
    series = expected.series(run_record["compiler"])
    file = expected.FOLDER / series / "costs" / f"{run_record['board']}.json"
    return json.loads(file.read_text())["costs"]["trapped"]["mmio_read vgic"]["instructions"] - 1


@pytest.mark.parametrize("scenario", ["latency-measure", "latency-measure-vm"])
def test_direct_is_as_native_and_trapped_adds_the_exit(built, scenario):
    outcome = run(built, scenario, image(built, RAM if scenario.endswith("-vm") else NATIVE_RAM))
    assert (outcome.status, outcome.problems) == (0, [])
    means = {result.config: result.means for result in latency_measure.results_of(outcome.log)}
    assert list(means) == config_names(outcome.log)
    ns = 1_000_000_000 // outcome.log.run["hz"]
    base = next(iter(means.values()))
    assert means["direct"] == base
    assert means["trapped"][COUNTER] == base[COUNTER]
    assert means["trapped"][READ] - base[READ] == exit_of_a_read(outcome.log.run) * ns


def test_a_guest_that_does_not_power_off_is_ended_with_the_remedy(built, monkeypatch):
    """Zephyr idles after latency_measure's last line."""
    monkeypatch.setattr(qemu, "END_GRACE_S", 0.5)
    outcome = run(built, "latency-measure", image(built, NATIVE_RAM, power_off=0))
    assert outcome.status == 1
    assert any("latency_measure printed its last line, and the guest did not power off" in problem
               for problem in outcome.problems), outcome.problems
    assert latency_measure.results_of(outcome.log) == []


@pytest.mark.long
def test_make_bench_keeps_the_run_and_prints_a_table(built, tmp_path):
    shutil.copy(image(built, NATIVE_RAM), tmp_path / "zephyr.elf")
    output = make("bench", f"BOARD={built}", "SCENARIO=latency-measure",
                  f"GUEST={tmp_path / 'zephyr.elf'}")
    assert "latency-measure: mean of each operation, by latency_measure" in output
    assert f"kept: runs/{built}/latency-measure/" in output
