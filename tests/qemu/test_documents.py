# SPDX-License-Identifier: Apache-2.0
"""The figures of tests/figures.json, from which `hypbench dev reference` makes pages, equal those
of a run. After a change of a path `make update-expected` writes the figures anew."""

import json

import pytest

import el2count
import expected
import test_cntp
import test_failover
import test_links
import test_faults
import test_programs
import test_stats
from lab import ROOT, Job, board_facts
from proofs import two_cores

SHARES = "order once\nconfig trapped\nbench hvc n=10\nbench mmio_read n=10\nbench sgi_self n=10\n"
COUNTED_EXITS = "order once\nconfig stats trapped stats=on\nbench hvc n=10\n"
SWITCHES = "order once\nconfig priority trapped sched=fp\nbench timer_wakeup n=300\n"
EMPTY = 3  # instructions of an empty window
EC_WFI, NO_CLASS = 1, 0  # exception classes; interrupts have none


FIGURES = ROOT / "tests" / "figures.json"


@pytest.fixture(autouse=True)
def same_compiler(request):
    compiler = request.getfixturevalue("result").log.run["compiler"]
    if expected.series(compiler) != expected.DOCUMENTED:
        pytest.skip(f"built by compiler {compiler}, the documents' figures by"
                    f" {expected.DOCUMENTED}")


@pytest.fixture
def check_kept(request, board):
    """Return a function that compares a table's numbers of the board with those of
    tests/figures.json. With --keep-figures the function first writes the numbers."""
    def check(table: str, figures: dict[str, list[int]]) -> None:
        content = json.loads(FIGURES.read_text())
        rows = content["tables"].setdefault(table, {})
        if request.config.option.keep_figures:
            for row in [*rows, *figures]:
                rows.setdefault(row, {}).pop(board, None)
            for row, numbers in figures.items():
                rows[row] = dict(sorted((rows[row] | {board: numbers}).items()))
            content["tables"][table] = {row: by_board for row, by_board in rows.items() if by_board}
            FIGURES.write_text(json.dumps(content, indent=1) + "\n")
        assert figures == {row: by_board[board] for row, by_board in rows.items()
                           if board in by_board}

    return check


def p50(result, bench: str, variant: str, config: str) -> int:
    return result.record("bench", bench=bench, variant=variant, config=config)["p50"]


@pytest.mark.every_board
@pytest.mark.job(test_faults.PLAN)
def test_faults_and_starts(result, check_kept):
    less, more = (test_faults.starts(result, line) for line, _ in test_faults.BOOTS)
    count = test_faults.PAGES[1] - test_faults.PAGES[0]
    outside = {config: round(
        (test_faults.outside(more, config) - test_faults.outside(less, config)) / count)
        for config in ("lazy-4K", "trapped-lazy")}
    lazy = [more[f"lazy-{grain}"] for grain in ("4K", "2M", "1G")]
    fault = [result.figures(0)["lazy-4K", variant]["p50"]
             for variant in ("stage1", "stage2", "both")]
    check_kept("Faults and starts", {
        "a fault in the handler, 4K / 2M / 1G": [start["fault_min"] for start in lazy],
        "the very first fault, which makes the tables, 4K / 2M / 1G": [
                  start["fault_max"] for start in lazy],
        "a data abort from the vector to the handler and back, direct / trapped": [
                  *outside.values()],
        "to build stage 2 of 1 GiB, eager 4K / 2M / lazy": [
                  more[config]["build_ticks"] for config in ("4K", "2M", "lazy-4K")],
        "`page_fault` `stage1` / `stage2` / `both` (4K, direct)": fault})


@pytest.mark.every_board
@pytest.mark.job(test_stats.PLAN)
def test_statistics_and_trace(result, check_kept):
    def costs(on: str, *paths: tuple[str, str]) -> list[int]:
        """Return the different costs of the paths: one number if all costs are equal."""
        lengths = [test_stats.cost(result, *path, on, "trapped") for path in paths]
        return list(dict.fromkeys(lengths))

    hypercall, access = ("hvc", "null"), ("mmio_read", "vgic")
    interrupt = ("timer_wakeup", "busy-handler")
    others = ("smc", "unknown"), ("sysreg", "actlr")
    check_kept("Exit statistics and the trace", {
        "null hypercall, `stats=on`": costs("stats", hypercall),
        "interrupt to the handler, `stats=on`": costs("stats", interrupt),
        "emulated access, `stats=on`": costs("stats", access),
        "SMC, system register, `stats=on`": costs("stats", *others),
        "null hypercall, `trace=on`": costs("trace", hypercall),
        "interrupt to the handler, `trace=on`": costs("trace", interrupt),
        "emulated access, `trace=on`": costs("trace", access)})


@pytest.mark.every_board
@pytest.mark.long
@pytest.mark.job(expected.PLAN)
def test_what_exit_statistics_leave_out(result, lab, board):
    """The plugin counts the instructions of EL2 before the start and after the end of the
    statistics' window. The shortest exit of all is an unknown hypercall."""
    counted = el2count.counted(lab, Job(board, COUNTED_EXITS))
    outside = {"armv8": 3 + 19, "armv7": 3 + 23}[board_facts(board)["ISA"]]
    assert outside == (min(window.el2 for window in counted.windows)
                       - counted.result.record("exits", exit="hvc")["min"])


@pytest.mark.every_board
@pytest.mark.job(test_cntp.PLAN)
def test_physical_timer(result, check_kept):
    def accesses(config: str) -> list[int]:
        figures = result.figures(test_cntp.ACCESS)
        return [figures[config, variant]["p50"]
                for variant in ("ctl-read", "cval-write", "tval-write")]

    def expiry(config: str) -> list[int]:
        return [result.figures(test_cntp.WAKEUP)[config, "busy-handler"]["p50"]]

    passed = "an access (`ctl-read` / `cval-write` / `tval-write`), passthrough"
    check_kept("The physical timer", {
        "expiry to handler (`busy-handler`), passthrough": expiry("trapped"),
        "expiry to handler, emulated": expiry("cntp"),
        passed: accesses("trapped"),
        "an access, emulated": accesses("cntp")})


@pytest.mark.every_board
@pytest.mark.job(test_programs.PLAN)
def test_lengths_of_programs(result, check_kept):
    check_kept("Programs", {f"`{bench}`": [p50(result, bench, "run", "native")]
                            for bench in sorted(test_programs.PROVEN)})


def skip_unless_reference(board: str) -> None:
    if board != expected.REFERENCE:
        pytest.skip(f"pages have the figures of {expected.REFERENCE}")


@pytest.mark.every_board
@pytest.mark.job(expected.PLAN)
def test_share_of_the_guest(result, lab, board, check_kept):
    """The plugin counts the guest's own instructions, which a difference of trapped and native does
    not contain."""
    skip_unless_reference(board)
    counted = el2count.counted(lab, Job(board, SHARES))
    check_kept("The guest's own", {
        f"{record['bench']} {record['variant']}":
                  [windows[-1].counted - windows[-1].el2 - EMPTY]
        for record, windows in counted.rows()})


@pytest.mark.every_board
@pytest.mark.job(expected.PLAN)
def test_vm_switch(result, lab, board, check_kept):
    """The plugin counts visits to EL2 that begin in one VM and end in another. The table has the
    most frequent length of those visits that a WFI begins, and of those that an interrupt
    begins."""
    skip_unless_reference(board)
    switches = [visit for visit in el2count.counted(lab, Job(board, SWITCHES)).visits
                if visit.switch]
    check_kept("VM switch", {
        name: [max((visit for visit in switches if visit.exception_class == kind),
                   key=lambda visit: visit.times).length]
        for name, kind in (("by a WFI", EC_WFI), ("by an interrupt", NO_CLASS))})


@pytest.mark.every_board
@pytest.mark.job(test_failover.PLAN, machine=two_cores)
def test_fail_over(result, board, check_kept):
    skip_unless_reference(board)
    rows = {config: row["p50"] for config, row in test_failover.whole_rows(result).items()}
    check_kept("Fail over", {way: [rows[way], rows[f"{way}-cores"]]
                             for way in ("call", "fault", "interrupt", "heartbeat")})
    check_kept("Yield", {"to another VM": [
        result.figures(test_failover.YIELD)["yield", "yield"]["p50"]]})


def between_cores_and_on_one(cores, core, rows: dict[str, str]) -> dict[str, list[int]]:
    return {row: [cores.figures(0)["cores", variant]["p50"],
                  core.figures(0)["core", variant]["p50"]] for row, variant in rows.items()}


@pytest.mark.every_board
@pytest.mark.job(test_links.PLANS["doorbell"], machine=two_cores)
def test_doorbell(result, lab, board, check_kept):
    """The figures between two cores are measured with lr=hw."""
    skip_unless_reference(board)
    hardware = lab.ended(Job(board, test_links.HARDWARE, machine=two_cores))
    check_kept("Doorbell", between_cores_and_on_one(
        hardware, result, {"a ring": "ring", "request and answer": "rr"}))


@pytest.mark.every_board
@pytest.mark.job(test_links.PLANS["virtio"], machine=two_cores)
def test_virtio(result, board, check_kept):
    skip_unless_reference(board)
    check_kept("Virtio", between_cores_and_on_one(result, result, {"a notification": "ring"}))
