# SPDX-License-Identifier: Apache-2.0
"""Compare every row of the default plan with a QEMU plugin that counts the executed instructions by
exception level."""

import re
from collections.abc import Iterable
from statistics import median_low

import pytest

import el2count
import expected
from el2count import Counted, Window
from lab import Job, board_facts
from planlines import plan_lines
from proofs import two_cores
from test_counted import NATIVE_RAW, exits

pytestmark = pytest.mark.long

EMPTY = 3  # instructions of an empty window: isb isb mrs
# Under icount all samples except the cold one are equal, so a few samples are enough.
PLAN = re.sub(r"^(bench \w+).*", r"\1 n=10", plan_lines("default"),
              flags=re.MULTILINE)
OTHERS = """order once
config direct
config full trapped frame=full
config stats trapped-sw stats=on
config cntp trapped cntp=emulated
config lazy trapped fp=lazy
config eager trapped fp=eager
bench mmio_write n=10
bench cntp_access n=10
bench fp_first_use n=10
bench tlb_maintenance n=10 pages=8
"""
APART = """order once
config alone trapped
config beside trapped beside=load_exit
bench hvc n=20
bench timer_wakeup n=20
"""
NATIVE_PLAN = "order once\nconfig native\nbench counter n=10\nbench timer_wakeup n=10\n"

Row = tuple[dict, list[Window]]


@pytest.fixture
def counted(lab, built) -> Counted:
    return el2count.counted(lab, Job(built, PLAN))


def name_of(record: dict) -> str:
    return "{config} {bench} {variant}".format(**record)


def figures_of(record: dict, windows: list[Window]) -> dict[str, int]:
    """Return the figures that a record of these windows must have."""
    overhead = 0 if record["window"] == "cval" or record["variant"] == "pair" else EMPTY
    cold, *warm = [window.counted - overhead for window in windows]
    return {"cold": cold, "min": min(warm), "p50": median_low(warm), "max": max(warm)}


def differences(rows: Iterable[Row]) -> list[str]:
    """Return the rows whose figures differ from the count."""
    return [name_of(record) for record, windows in rows
            if any(window.ticks != window.counted for window in windows)
            or record != record | figures_of(record, windows)]


def differences_from(committed: expected.Figures, rows: Iterable[Row]) -> list[str]:
    lengths = [(record, committed[record["config"]].get("{bench} {variant}".format(**record)),
                figures_of(record, windows)["p50"]) for record, windows in rows]
    return [name_of(record) for record, length, was in lengths if length not in (None, was)]


def test_run_under_the_plugin_is_the_same_to_the_byte(lab, built, counted):
    assert counted.result.status == 0, counted.result.explain()
    assert lab.run(Job(built, PLAN)).console == counted.result.console


def test_every_row_says_what_was_counted(counted):
    rows = list(counted.rows())
    assert counted.lost == []
    assert len(rows) > 500
    assert sum(len(windows) for _, windows in rows) == len(counted.windows)
    assert differences(rows) == []


def test_windows_hold_the_visits_that_they_should(counted):
    for record, windows in counted.rows():
        bench, config = record["bench"], record["config"]
        visits = 0 if config == "native" else exits(bench, config, record["variant"])
        assert {window.visits for window in windows} == {visits}, name_of(record)
        assert all(bool(window.el2) == bool(visits) for window in windows), name_of(record)


def test_guest_executes_the_same_in_every_configuration(counted, board):
    """In the native configuration the count equals the count by hand."""
    native_lengths = {}
    for record, windows in counted.rows():
        path = record["bench"], record["variant"]
        lengths = {window.guest for window in windows}
        assert len(lengths) == 1, name_of(record)
        assert lengths == native_lengths.setdefault(path, lengths), name_of(record)
    for variant, length in NATIVE_RAW[board_facts(board)["ISA"]].items():
        assert {length} in [lengths for path, lengths in native_lengths.items()
                            if path[1] == variant]


def test_icount_differs_from_what_is_executed_in_two_places_alone(counted):
    """icount does not count an access that aborts into EL2, and counts the `isb` after a trapped
    register access twice (CAVEATS.md)."""
    for record, windows in counted.rows():
        is_access = record["bench"].startswith("mmio") or (
            record["bench"] == "sgi_self" and counted.result.log.run["gic"] == "v2")
        for window in windows:
            assert window.aborted == (window.visits if is_access else 0), name_of(record)
            assert window.left == (window.visits if record["bench"] == "sysreg" else 0)


def test_other_exits_are_counted_as_they_are_executed(lab, built):
    counted = el2count.counted(lab, Job(built, OTHERS))
    assert counted.lost == []
    assert differences(counted.rows()) == []
    assert {window.left for window in counted.windows} == {0}
    assert sum(window.visits > 0 for window in counted.windows) > 400


def test_each_core_has_its_own_count(lab, built):
    """The VMs on the two cores have one vCPU each, so VMPIDR is the same on both cores."""
    counted = el2count.counted(lab, Job(built, APART, machine=two_cores))
    assert counted.lost == []
    counts = {(record["bench"], record["variant"], record["config"]):
              {(window.guest, window.el2, window.visits) for window in warm}
              for record, (_, *warm) in counted.rows()}
    alone = {key[:2]: windows for key, windows in counts.items() if key[2] == "alone"}
    assert len(alone) > 5 and all(len(windows) == 1 for windows in alone.values())
    assert alone == {key[:2]: windows for key, windows in counts.items() if key[2] == "beside"}


@pytest.mark.every_board
def test_committed_lengths_were_counted(counted, board):
    compiler = counted.result.log.run["compiler"]
    committed = expected.read(board, compiler)
    if not committed:
        pytest.skip(f"no lengths of the compiler {compiler} are committed")
    assert differences_from(committed["figures"], counted.rows()) == []


# --- the detector can fail ---

def test_window_whose_begin_was_not_seen_is_found(lab, built):
    """The plugin gets a wrong vector of the guest. Only the vector ends a wait, so the begin of the
    window is not seen."""
    assert el2count.counted(lab, Job(built, NATIVE_PLAN)).lost == []
    assert el2count.counted(lab, Job(built, NATIVE_PLAN), vector=4).lost
