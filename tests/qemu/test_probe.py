# SPDX-License-Identifier: Apache-2.0
"""The neutral probe (guest/probe), without a hypervisor and under this one: the same lines in two
runs, figures below what was set, a delay in a window seen exactly, and docs/peers.md."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import expected
from peertables import figures_in
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PATHS, Figure, NotMeasured
from hypbench.peers.run import Measured, measure
from hypbench.peers.systems import Native, Ours
from lab import LIMIT_S, ROOT, TREE, board_facts

pytestmark = [pytest.mark.long, pytest.mark.every_board]

SYSTEMS = {"native": Native(), "hypbench": Ours(), "direct": Ours("direct", "direct")}
# The most that a guest needs, its own instructions in the window included.
CEILINGS = {
    "psci_version": 80,
    "gicd_iidr": 150,
    "gicd_typer": 150,
    "gicd_isenabler": 250,
    "sgi_self": 220,
    "timer_busy": 110,
    "timer_wfi": 110,
}
# The windows themselves: what docs/design/probe.md lists. AArch32 vectors begin with a branch.
WINDOWS = {"psci_version": 4, "smccc_version": 4, "gicd_iidr": 4, "gicd_typer": 4,
           "gicd_isenabler": 4, "sgi_self": 2, "timer_busy": 1, "timer_wfi": 1}
VECTOR_BRANCH = {"armv8": 0, "armv7": 1}
INTERRUPTS = ("sgi_self", "timer_busy", "timer_wfi")


@dataclass(frozen=True)
class ProbeJob:
    board: str
    system: str
    arguments: str = ""


def perform(job: ProbeJob) -> Measured:
    """Two runs, whose lines must be the same."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        peer = Peer(TREE, job.board, job.arguments)
        return measure(SYSTEMS[job.system], peer, Path(folder) / "p", LIMIT_S)


@pytest.fixture
def probe(lab, built):
    def run(system: str, arguments: str = "") -> dict[str, Figure]:
        return lab.run(ProbeJob(built, system, arguments), perform).probe.figures
    return run


def windows(board: str) -> dict[str, int]:
    more = VECTOR_BRANCH[board_facts(board)["ISA"]]
    return {path: ticks + (more if path in INTERRUPTS else 0) for path, ticks in WINDOWS.items()}


def test_without_a_hypervisor_a_path_is_its_window(board, probe):
    figures = probe("native")
    for path, ticks in windows(board).items():
        assert figures[path] == Figure(1000, ticks, ticks, ticks, ticks, 1000), path
    assert "psci_version_smc" not in figures  # no EL3, and PSCI by HVC: an SMC is undefined


def test_paths_are_below_the_ceilings(probe):
    figures = probe("hypbench")
    above = {path: str(figures[path]) for path, most in CEILINGS.items()
             if figures[path].p50 > most}
    assert above == {}


def test_every_sample_is_the_same(probe):
    """Nothing else runs on the core: a warm path has one length."""
    for path, figure in probe("hypbench").items():
        assert figure.min == figure.p50 == figure.max, path


def test_direct_interrupts_cost_nothing(board, probe):
    figures = probe("direct")
    for path in INTERRUPTS:
        assert figures[path].p50 == windows(board)[path], path
    assert figures["psci_version"].p50 > WINDOWS["psci_version"]


@pytest.mark.parametrize("system", ["native", "hypbench"])
@pytest.mark.parametrize("delay", [4, 1000])
def test_delay_in_a_window_is_seen_exactly(probe, system, delay):
    plain, delayed = probe(system), probe(system, f"samples=50 delay={delay}")
    for path, figure in plain.items():
        assert delayed[path].p50 - figure.p50 == delay, path
        assert delayed[path].n == 50


@pytest.mark.parametrize("arguments, says", [
    ("delay=3", "delay must be 0, or even and at least 4, delay"),
    ("delay=2", "delay must be 0, or even and at least 4, delay"),
    ("samples=0", "samples must be 1 to 1000, samples"),
    ("samples=1001", "samples must be 1 to 1000, samples"),
])
def test_arguments_that_mean_nothing_are_told(probe, arguments, says):
    with pytest.raises(NotMeasured, match=says):
        probe("native", arguments)


@pytest.mark.parametrize("system", ["native", "hypbench"])
def test_documented_figures_are_those_of_a_run(board, probe, lab, system):
    page = (ROOT / "docs" / "peers.md").read_text()
    documented = figures_in(page)[board]
    if system == "hypbench" and expected.series(compiler_of(lab, board)) != expected.DOCUMENTED:
        pytest.skip(f"built by another compiler than {expected.DOCUMENTED}")
    figures = probe(system)
    for path, what in PATHS.items():
        found = str(figures[path]) if path in figures else "–"
        assert documented[what][system] == found, what
    if (board, system) == (expected.REFERENCE, "hypbench"):
        cold = f"{figures['sgi_self'].cold} and {figures['timer_busy'].cold}"
        assert f"(virt-a72: {cold})" in " ".join(page.split())


def compiler_of(lab, board: str) -> str:
    measured = lab.run(ProbeJob(board, "hypbench"), perform)
    return measured.version.partition("compiler ")[2].partition(",")[0]
