# SPDX-License-Identifier: Apache-2.0
"""The probe under Debian's Xen and under KVM gives the figures of the kept runs. A peer that did
not run as it should is refused."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from fetched import skip_unless_possible
from hypbench.apt_sources import NotDebian
from hypbench.debian import FetchError, Offline
from hypbench.peers import kvm
from hypbench.peers.cli import BOARDS
from hypbench.peers.kept import kept_columns
from hypbench.peers.kvm import Kvm
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PAIR_PATHS, NotMeasured
from hypbench.peers.run import Measurement, PairMeasurement, measure, measure_pair
from hypbench.peers.systems import System
from hypbench.peers.xen import ARGUMENTS, Xen
from lab import LIMIT_S, ROOT, TREE

pytestmark = pytest.mark.nightly


@dataclass(frozen=True)
class PeerJob:
    board: str
    system: System


JOBS = [PeerJob(board, system) for board in BOARDS
        for system in (Xen("credit"), Xen("credit2"), Kvm(), Kvm("-backports"))
        if isinstance(system, Xen) or TREE.board_fact(board, "ISA") == "armv8"]


def name_of(job: PeerJob) -> str:
    return f"{job.board}-{job.system.key}"


def perform(job: PeerJob) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        return measure(job.system, Peer(TREE, job.board), Path(folder) / "p", LIMIT_S)


@cache
def has_library() -> bool:
    """Return whether the compiler finds its libc.a. A compiler prints the whole path of a file that
    it finds."""
    return bool(shutil.which(kvm.COMPILER)) and Path(subprocess.check_output(
        [kvm.COMPILER, "-print-file-name=libc.a"], text=True)).is_absolute()


@cache
def reason_to_skip(job: PeerJob) -> str:
    """Return why a system is skipped, or "". A release without the package is also skipped, because
    the table has no other versions."""
    try:
        if isinstance(job.system, Xen):
            return job.system.unfit(Peer(TREE, job.board))
        kvm.kernel(job.system.suite)
    except (Offline, NotDebian, FetchError) as error:
        return f"no {job.system.key}: {error.message.splitlines()[0]}"
    return "" if has_library() else "no arm64 C library for the VMM"


def perform_pair(job: PeerJob) -> PairMeasurement:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        return measure_pair(job.system, Peer(TREE, job.board), Path(folder) / "p", LIMIT_S)


@pytest.mark.parametrize("job", JOBS, ids=name_of)
def test_kept_figures_are_those_of_a_run(job, lab):
    skip_unless_possible(job, reason_to_skip)
    measured, column = lab.run(job, perform), kept_column(job)
    if column.facts["version"] != measured.version:
        pytest.skip(f"the kept run is of another system than {measured.version}")
    assert set(column.figures) - set(PAIR_PATHS) == set(measured.probe.figures)
    for path, figure in measured.probe.figures.items():
        if figure.steady:
            assert column.figures[path].p50 == figure.p50, path
        else:  # the range also depends on the VMM's C library, whose version the table lacks
            assert not column.figures[path].steady, path


@pytest.mark.parametrize("job", [PeerJob("virt-a72", Xen("credit"))], ids=name_of)
def test_kept_figures_of_two_vms_are_those_of_a_run(job, lab):
    skip_unless_possible(job, reason_to_skip)
    figures, kept_figures = perform_pair(job).figures, kept_column(job).figures
    for path in ("switch", "switch_fp", "yield", "yield_fp"):
        assert figures[path] == kept_figures[path], path


def kept_column(job: PeerJob):
    return next(column for column in kept_columns(job.board)
                if column.system == job.system.key)


@pytest.mark.parametrize("arguments, message", [
    (ARGUMENTS.replace("bootscrub=0 ", ""), "bootscrub=0 was not obeyed"),
    (ARGUMENTS.replace("{}", "credit"), "asked for the scheduler credit2, its log reports credit$"),
    (ARGUMENTS.replace("loglvl=all ", ""), "did not read xen,xen-bootargs"),
], ids=["bootscrub", "scheduler", "bootargs"])
def test_xen_with_other_arguments_is_refused(arguments, message):
    assert arguments != ARGUMENTS
    job = PeerJob("virt-a72", Xen("credit2", arguments))
    skip_unless_possible(job, reason_to_skip)
    with pytest.raises(NotMeasured, match=message):
        perform(job)


def test_kvm_that_did_not_settle_is_refused(tmp_path):
    hasty, text = tmp_path / "hasty.c", (ROOT / kvm.SOURCE).read_text()
    hasty.write_text(text.replace("\tsleep(SETTLE_S);\n", ""))
    assert hasty.read_text() != text
    job = PeerJob("virt-a72", Kvm(source=hasty))
    skip_unless_possible(job, reason_to_skip)
    with pytest.raises(NotMeasured, match="s after the random pool was ready, not 3 s"):
        perform(job)
