# SPDX-License-Identifier: Apache-2.0
"""The path lengths equal the committed ones. With a compiler that has no committed lengths they are
below the ceilings."""

import json

import pytest

import expected
from lab import Job

pytestmark = [pytest.mark.every_board, pytest.mark.each_change, pytest.mark.job(expected.PLAN)]


@pytest.fixture
def switches(lab, board):
    """The run of the switches from one VM to the next."""
    return lab.run(Job(board, expected.SWITCHES))


@pytest.fixture
def figures(result, switches):
    for run in (result, switches):
        assert run.status == 0, run.explain()
        assert run.problems == []
    return expected.figures_of(result, switches)


def test_lengths_are_the_committed_ones(result, board, figures):
    compiler = result.log.run["compiler"]
    committed = expected.read(board, compiler)
    if not committed:
        pytest.skip(f"built by compiler {compiler}, of which no lengths are committed: only the"
                    " ceilings are checked")
    assert expected.differences(committed["figures"], figures) == [], (
        "path lengths changed: `make update-expected` writes the new ones, and CHANGELOG.md says"
        " `numbers change: yes`")


def test_lengths_are_below_the_ceilings(board, figures):
    assert expected.above_ceilings(board, figures) == []


def test_direct_interrupts_cost_what_they_cost_natively(figures):
    for path, length in figures["native"].items():
        is_the_guest_s = path.startswith(("timer_wakeup", "sgi_self", "wfi", "counter"))
        if is_the_guest_s or path.endswith(("vgic", "isenabler")):
            assert figures["direct"][path] == length, path


def test_list_registers_of_both_kinds_cost_the_same_up_to_the_handler(figures):
    for path, length in figures["trapped"].items():
        reaches_the_task = path.endswith("-task") or path.startswith(("cyclic", "irq_phases"))
        if not reaches_the_task:
            assert figures["trapped-sw"][path] == length, path


def test_every_sample_is_the_same(result, switches):
    """Under icount all warm samples of a path have one length."""
    for record in [*result.records("bench"), *switches.records("bench")]:
        assert record["min"] == record["p50"] == record["max"], record


def test_change_is_in_the_changelog(board):
    committed = list(expected.FOLDER.glob(f"*/{board}.json"))
    assert committed
    for path in committed:
        heading = json.loads(path.read_text())["changelog"]
        section = expected.changelog_section(heading, expected.CHANGELOG.read_text())
        assert section is not None, f"CHANGELOG.md has no `## {heading}`"
        assert "numbers change: yes" in section


# --- the detectors can fail ---

@pytest.mark.parametrize("config, path, length", [
    ("trapped", "hvc null", 100), ("trapped", "lr_forward lr3", 100),
    ("switch", "vm_switch preempt", 1000), ("yield", "vm_yield yield", 1000),
    ("failover", "failover control", 1300)])
def test_path_above_its_ceiling_is_found(board, figures, config, path, length):
    figures[config][path] = length
    assert len(expected.above_ceilings(board, figures)) == 1
