# SPDX-License-Identifier: Apache-2.0
"""The neutral probe (guest/probe), without a hypervisor and under hypbench: two runs print the same
lines, figures are below limits, a delay in a window is seen exactly, and the kept runs agree."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import expected
from hypbench.peers.kept import kept_columns
from hypbench.peers.machine import Peer
from hypbench.peers.probe import EMPTY, Figure, NotMeasured, Probe
from hypbench.peers.run import Measurement, PairMeasurement, measure, measure_pair
from hypbench.peers.systems import Native, Hypbench
from lab import LIMIT_S, TREE, board_facts

pytestmark = [pytest.mark.long, pytest.mark.every_board]

SYSTEMS = {"native": Native(), "hypbench": Hypbench(), "direct": Hypbench("direct", "direct")}
# The most instructions of a path for a guest, including the guest's own in the window.
CEILINGS = {
    "psci_version": 80,
    "gicd_iidr": 150,
    "gicd_typer": 150,
    "gicd_isenabler": 250,
    "sgi_self": 220,
    "timer_busy": 110,
    "timer_wfi": 110,
}
# Two unmodified guests with sched=rr fp=lazy. On ARMv7 a switch also moves banked registers of
# modes.
PAIR_CEILINGS = {"armv8": {"switch": 620, "switch_fp": 780, "wake": 640},
                 "armv7": {"switch": 780, "switch_fp": 870, "wake": 800}}
CALL = "call=PSCI_VERSION call.x0=0x84000000"
# The windows as docs/design/probe.md lists them. AArch32 vectors begin with a branch.
WINDOWS = {"psci_version": 4, "gicd_iidr": 4, "gicd_typer": 4,
           "gicd_isenabler": 4, "sgi_self": 2, "timer_busy": 1, "timer_wfi": 1}
VECTOR_BRANCH = {"armv8": 0, "armv7": 1}
INTERRUPTS = ("sgi_self", "timer_busy", "timer_wfi")


@dataclass(frozen=True)
class ProbeJob:
    board: str
    system: str
    arguments: str = ""


def perform(job: ProbeJob) -> Measurement:
    """Run the probe twice; the lines must be the same."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        peer = Peer(TREE, job.board, job.arguments)
        return measure(SYSTEMS[job.system], peer, Path(folder) / "p", LIMIT_S)


def perform_pair(job: ProbeJob) -> PairMeasurement:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        peer = Peer(TREE, job.board, job.arguments)
        return measure_pair(SYSTEMS[job.system], peer, Path(folder) / "p", LIMIT_S)


@pytest.fixture
def whole(lab, built):
    def run(system: str, arguments: str = "") -> Probe:
        return lab.run(ProbeJob(built, system, arguments), perform).probe
    return run


@pytest.fixture
def probe(whole):
    def run(system: str, arguments: str = "") -> dict[str, Figure]:
        return whole(system, arguments).figures
    return run


@pytest.fixture
def pair(lab, built):
    def run(arguments: str) -> dict[str, Figure]:
        return lab.run(ProbeJob(built, "hypbench", arguments), perform_pair).figures
    return run


def windows(board: str) -> dict[str, int]:
    more = VECTOR_BRANCH[board_facts(board)["ISA"]]
    return {path: ticks + (more if path in INTERRUPTS else 0) for path, ticks in WINDOWS.items()}


def test_without_a_hypervisor_a_path_is_its_window(board, probe):
    figures = probe("native")
    for path, ticks in windows(board).items():
        assert figures.get(path) == Figure(1000, ticks, ticks, ticks, ticks, 1000), path
    assert set(figures) == {EMPTY, *windows(board)}


def test_a_path_that_is_absent_has_its_reason(whole):
    """The machine has no EL3, and PSCI is by HVC, so an SMC is undefined. QEMU's PSCI refuses
    SMCCC_VERSION."""
    assert set(whole("hypbench").absent) == set()
    assert whole("native").absent == {"psci_version_smc": "undefined", "smccc_version": "refused",
                                      "named_call": "no call is named"}


def test_a_named_call_is_that_call(whole):
    native, hosted = whole("native", CALL), whole("hypbench", CALL)
    assert native.call == hosted.call == "PSCI_VERSION"
    assert native.figures["named_call"].p50 == WINDOWS["psci_version"]
    assert hosted.figures["named_call"] == hosted.figures["psci_version"]
    refused = whole("native", "call=none call.x0=0x8400ffff")
    assert refused.absent["named_call"] == "refused"


def test_paths_are_below_the_ceilings(probe):
    figures = probe("hypbench")
    above = {path: str(figures[path]) for path, most in CEILINGS.items()
             if figures[path].p50 > most}
    assert above == {}


def test_every_sample_is_the_same(probe):
    """Nothing else runs on the core, so all warm samples of a path have one length."""
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


PAIRED = "samples=20 turns_ms=60"


def test_two_vms_share_a_core(board, pair):
    figures, ceilings = pair(PAIRED), PAIR_CEILINGS[board_facts(board)["ISA"]]
    above = {path: str(figures[path]) for path, most in ceilings.items()
             if figures[path].p50 > most}
    assert above == {}
    assert figures["switch"].n > 40  # turns of 1 ms
    assert figures["wake"].n == 20
    # The FP registers are switched by a trap at their first use.
    assert figures["switch_fp"].p50 > figures["switch"].p50 + 64


def test_delay_after_a_sleep_is_seen(pair):
    """The loop of VM a has 6 instructions between two reads, and each window ends at another of
    them."""
    more = pair(f"{PAIRED} delay=1000")["wake"].p50 - pair(PAIRED)["wake"].p50
    assert abs(more - 1000) <= 6


@pytest.mark.parametrize("arguments, message", [
    ("delay=3", "delay must be 0, or even and at least 4, delay"),
    ("delay=2", "delay must be 0, or even and at least 4, delay"),
    ("samples=0", "samples must be 1 to 1000, samples"),
    ("samples=1001", "samples must be 1 to 1000, samples"),
])
def test_arguments_that_mean_nothing_are_told(probe, arguments, message):
    with pytest.raises(NotMeasured, match=message):
        probe("native", arguments)


@pytest.mark.parametrize("system", ["native", "hypbench"])
def test_kept_figures_are_those_of_a_run(board, probe, lab, system):
    if system == "hypbench" and expected.series(compiler_of(lab, board)) != expected.DOCUMENTED:
        pytest.skip(f"built by another compiler than {expected.DOCUMENTED}")
    kept_figures = next(column for column in kept_columns(board) if column.system == system).figures
    figures = probe(system)
    assert {path: kept_figures[path] for path in figures} == figures


def compiler_of(lab, board: str) -> str:
    measured = lab.run(ProbeJob(board, "hypbench"), perform)
    return measured.version.partition("compiler ")[2].partition(",")[0]
