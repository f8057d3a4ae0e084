# SPDX-License-Identifier: Apache-2.0
"""Cost vectors of the work that other systems make the core do outside of the guest, from the
plugin that knows no system. For hypbench the vectors equal those of the plugin that knows
hypbench's image; for Xen and KVM the vectors equal the kept vectors."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import costs as committed
from hypbench import counting
from hypbench.apt_sources import NotDebian
from hypbench.debian import FetchError, Offline
from hypbench.peers import costs
from hypbench.peers.kvm import Kvm
from hypbench.peers.machine import Peer
from hypbench.peers.outside import COUNTED
from hypbench.peers.probe import NotMeasured
from hypbench.peers.systems import Hypbench, System
from hypbench.peers.xen import Xen
from lab import LIMIT_S, TREE

pytestmark = pytest.mark.long

# Paths of the probe, and the path of the bench guest in which EL2 does the same work.
ALIKE = {"gicd_iidr": "mmio_read vgic", "timer_busy": "timer_wakeup busy-vector"}


@dataclass(frozen=True)
class Counting:
    board: str
    system: System


def perform(job: Counting) -> costs.SystemCosts | str:
    """Return the vectors, or why this QEMU has no such plugin."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        if reason := counting.reason_not_to(TREE.qemu_options(job.board)[0],
                                            Path(folder) / "outside.so"):
            return reason
        return costs.measure(job.system, Peer(TREE, job.board), Path(folder) / "p", LIMIT_S)


def counted(job: Counting, lab) -> costs.SystemCosts:
    try:
        counts = lab.run(job, perform)
    except NotMeasured as error:
        pytest.fail(str(error))
    if isinstance(counts, str):
        assert "gcc" not in counts, counts
        pytest.skip(counts)
    return counts


def compiler_of(counts: costs.SystemCosts) -> str:
    return counts.version.partition("compiler ")[2].rpartition(",")[0]


@pytest.mark.every_board
def test_both_plugins_count_the_same(lab, built):
    counts = counted(Counting(built, Hypbench()), lab)
    document = committed.read(built, compiler_of(counts))
    if not document:
        pytest.skip("no vectors of this compiler are committed")
    for path, bench_path in ALIKE.items():
        assert list(committed.cost.differences(document["costs"]["trapped"][bench_path],
                                               vars(counts.costs[path]))) == [], path


@pytest.mark.every_board
def test_kept_vectors_of_hypbench_are_todays(lab, built):
    """`make peers BOARD= SYSTEM=hypbench COST=on KEEP=1` renews the vectors."""
    counts = counted(Counting(built, Hypbench()), lab)
    [run] = [entry for entry in costs.read(built) if entry.system == counts.system]
    if compiler_of(run) != compiler_of(counts):
        pytest.skip(f"the kept vectors are of GCC {compiler_of(run)}")
    assert counts.costs == run.costs


def test_a_spin_at_each_entry_is_exactly_counted(lab):
    plain, delayed = (counted(Counting("virt-a72", Hypbench(config)), lab).costs
                      for config in ("trapped", "trapped delay_el2=100"))
    assert {path: cost.instructions - plain[path].instructions
            for path, cost in delayed.items()} == dict.fromkeys(COUNTED, 100)


@pytest.mark.nightly
@pytest.mark.parametrize("system", [Xen("credit"), Kvm()], ids=("xen", "kvm"))
def test_kept_vectors_are_those_of_a_run(lab, system):
    try:
        counts = counted(Counting("virt-a72", system), lab)
    except (Offline, NotDebian, FetchError) as error:
        pytest.skip(error.message.splitlines()[0])
    [run] = [entry for entry in costs.read("virt-a72") if entry.system == system.key]
    if run.version != counts.version:
        pytest.skip(f"the kept vectors are of another system than {counts.version}")
    assert counts.costs == run.costs
