# SPDX-License-Identifier: Apache-2.0
"""Instructions that a core executes outside of the guest. The plugin's lines are made up and
counted by hand, and the tests compute the kept vectors again from their lines."""

import json
from types import SimpleNamespace

import pytest

from hypbench import cost
from hypbench.peers import costs
from hypbench.peers.kept import FOLDER, kept_columns
from hypbench.peers.machine import Peer
from hypbench.peers.outside import (CLOSING, CLOSING_VECTOR, COUNTED, guest_instructions,
                                    median_samples, windows_of)
from hypbench.peers.probe import Figure, NotMeasured
from hypbench.tree import HOME, Tree

BOARDS = ("virt-a72", "virt-a72-gicv3", "virt-a15")
GIC = {0x08000000: "GICD", 0x08010000: "GICC", 0x08030000: "GICH", 0x080A0000: "GICR"}
CODE = """code 1 40001000 d53c1100@0 d503201f@0 d5033f9f@0
code 2 ffff40001000 d53c1100@0 d69f03e0@0
"""
CALL = """window d53be056
visit 16 84000000 0
path 1+3 2+2
data lM8000:40008000+8,lM8008:40008008+8 sMffff8010:40008010+4 lD8010:801000c+4
"""


class Virt(cost.Machine):
    bases = GIC

    def __init__(self):
        self.registers = cost.registers((HOME / cost.GIC_REGISTERS).read_text())


def windows(text):
    return list(windows_of(text.splitlines(keepends=True)))


def test_a_place_counts_once_as_a_line_and_each_address_as_a_page():
    [window] = windows(CODE + CALL)
    vector = window.cost("armv8", Virt().device)
    assert window.path("armv8") == "psci_version"
    assert (vector.instructions, vector.text_lines, vector.text_pages) == (5, 1, 2)
    assert (vector.data_lines, vector.data_pages, vector.loads, vector.stores) == (1, 2, 1, 1)
    assert (vector.register_reads, vector.barriers, vector.returns) == (2, 1, 1)
    assert vector.devices == {"GICC_IAR": 1}


def test_a_file_is_cut_to_one_window_with_its_code():
    [_, window] = windows(CODE + CALL + "window d53be041\nvisit 0 0 0\npath 1+1\ndata\n")
    [again] = windows("".join(window.lines))
    assert again.visits == window.visits and len(again.lines) == 5


@pytest.mark.parametrize("isa, closing, visits, path", [
    ("armv8", CLOSING, "16 84000000 0", "psci_version"), ("armv8", CLOSING, "16 80000000 0", ""),
    ("armv8", CLOSING, "17 84000000 0", ""), ("armv8", CLOSING, "24 0 3001008", "gicd_iidr"),
    ("armv8", CLOSING, "24 0 3001004", ""), ("armv8", CLOSING_VECTOR, "24 0 8000f00", "sgi_self"),
    ("armv8", CLOSING_VECTOR, "18 0 0", "sgi_self"), ("armv8", CLOSING_VECTOR, "1 0 0", ""),
    ("armv8", CLOSING_VECTOR, "0 0 0", "timer_busy"), ("armv8", CLOSING, "0 0 0", ""),
    ("armv7", CLOSING, "12 84000000 0", "psci_version"),
    ("armv7", CLOSING_VECTOR, "0 0 0", "timer_busy")])
def test_a_window_is_a_sample_of_its_path(isa, closing, visits, path):
    [window] = windows(f"window {closing[isa]:x}\nvisit {visits}\npath\ndata\n")
    assert window.path(isa) == path


def test_of_a_timer_the_last_visit_counts():
    visit = "visit 0 0 0\npath 1+{}\ndata\n"
    [window] = windows(f"{CODE}window d53be048\n{visit.format(1)}{visit.format(3)}")
    assert window.length("armv8") == 3


@pytest.mark.parametrize("line", ["path 7+1", "path 1", "visit 16 0", "data lM8000+8", "word 1"])
def test_a_damaged_file_is_refused(line):
    with pytest.raises(NotMeasured, match="a line that it never writes: "):
        windows(f"{CODE}window d53be056\nvisit 16 84000000 0\n{line}\n")


@pytest.mark.parametrize("samples, p50, says", [
    (21, 10, "the probe's median has 6 instructions outside of the guest, and the plugin counted 5"
             " to 5"), (20, 9, "saw 20 samples of PSCI_VERSION by HVC, not the first and 20 more")])
def test_a_probe_that_disagrees_is_not_counted(samples, p50, says):
    probe = SimpleNamespace(figures={"psci_version": Figure(20, 9, 9, p50, 9, 20)})
    peer = SimpleNamespace(isa="armv8", gic=2)
    with pytest.raises(NotMeasured, match=says):
        median_samples((CODE + CALL * samples).splitlines(), peer, probe)


def test_a_machine_with_two_cores_is_refused_before_it_runs(tmp_path):
    system = SimpleNamespace(prepare=lambda peer, folder: ["no-qemu", "-smp", "2"])
    with pytest.raises(NotMeasured, match="the plugin counts machines with one core"):
        costs.measure(system, Peer(Tree(HOME), "virt-a72"), tmp_path / "p", 1)


KEPT = [path for board in BOARDS for path in costs.files(board, Tree(HOME))]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_kept_vector_is_that_of_its_lines(path):
    board, tree = path.parts[-3], Tree(HOME)
    isa, gic = tree.board_fact(board, "ISA"), int(tree.board_fact(board, "GIC")[-1])
    counted = costs.system_costs_of(json.loads(path.read_text()))
    assert counted.costs == costs.recount(path, isa, Virt().device)
    assert set(counted.costs) == set(COUNTED)
    [column] = [column for column in kept_columns(board, tree) if column.system == path.stem]
    if column.facts["version"] == counted.version:
        for name, vector in counted.costs.items():
            assert (vector.instructions + guest_instructions(name, isa, gic)
                    == column.figures[name].p50)


def test_each_kept_system_that_debian_has_is_counted():
    for board in BOARDS:
        systems = {path.stem for path in (HOME / FOLDER / board).glob("*.json")}
        assert {path.stem for path in KEPT if path.parts[-3] == board} == {
            system for system in systems if system.split("-")[0] in ("hypbench", "xen", "kvm")}
