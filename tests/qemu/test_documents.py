# SPDX-License-Identifier: Apache-2.0
"""The figures that stand in the documents are those of this tree: tables are read from the page
and held against a run. Where a path has changed, the page is to be changed with it."""

import re

import pytest

import el2count
import expected
import test_cntp
import test_failover
import test_links
import test_virtio
import test_faults
import test_programs
import test_stats
from lab import Job, board_facts
from pages import column, page

SHARES = "order once\nconfig trapped\nbench hvc n=10\nbench mmio_read n=10\nbench sgi_self n=10\n"
COUNTED_EXITS = "order once\nconfig stats trapped stats=on\nbench hvc n=10\n"
SWITCHES = "order once\nconfig priority trapped sched=fp\nbench timer_wakeup n=300\n"
EMPTY = 3  # instructions of an empty window
EC_WFI, NO_CLASS = 1, 0  # exception classes; an interrupt has none


@pytest.fixture(autouse=True)
def same_compiler(request):
    compiler = request.getfixturevalue("result").log.run["compiler"]
    if expected.series(compiler) != expected.DOCUMENTED:
        pytest.skip(f"built by compiler {compiler}, the documents' figures by"
                    f" {expected.DOCUMENTED}")


def p50(result, bench: str, variant: str, config: str) -> int:
    return result.one("bench", bench=bench, variant=variant, config=config)["p50"]


@pytest.mark.job(test_faults.PLAN)
def test_faults_and_starts(result, board):
    less, more = (test_faults.starts(result, line) for line, _ in test_faults.BOOTS)
    count = test_faults.PAGES[1] - test_faults.PAGES[0]
    outside = {config: (test_faults.outside(more, config) - test_faults.outside(less, config))
               / count for config in ("lazy-4K", "trapped-lazy")}
    lazy = [more[f"lazy-{grain}"] for grain in ("4K", "2M", "1G")]
    fault = [result.figures(0)["lazy-4K", variant]["p50"]
             for variant in ("stage1", "stage2", "both")]
    assert column("docs/design/figures.md", "## Faults and starts", board) == {
        "a fault in the handler, 4K / 2M / 1G": [start["fault_min"] for start in lazy],
        "the very first fault, which makes the tables, 4K / 2M / 1G": [
            start["fault_max"] for start in lazy],
        "a data abort from the vector to the handler and back, direct / trapped": [
            *outside.values()],
        "to build stage 2 of 1 GiB, eager 4K / 2M; lazy": [
            more[config]["build_ticks"] for config in ("4K", "2M", "lazy-4K")],
        "`page_fault` `stage1`, `stage2`, `both` (4K, direct)": fault}


@pytest.mark.job(test_stats.PLAN)
def test_statistics_and_trace(result, board):
    def costs(on: str, *paths: tuple[str, str]) -> list[float]:
        """One number where all paths take the same."""
        found = [test_stats.cost(result, *path, on, "trapped") for path in paths]
        return list(dict.fromkeys(found))

    hypercall, access = ("hvc", "null"), ("mmio_read", "vgic")
    interrupt = ("timer_wakeup", "busy-handler")
    others = ("smc", "unknown"), ("sysreg", "actlr")
    assert column("docs/design/figures.md", "## Exit statistics", board) == {
        "null hypercall, `stats=on`": costs("stats", hypercall),
        "interrupt to the handler, `stats=on`": costs("stats", interrupt),
        "emulated access, `stats=on`": costs("stats", access),
        "SMC, system register, `stats=on`": costs("stats", *others),
        "null hypercall, `trace=on`": costs("trace", hypercall),
        "interrupt to the handler, `trace=on`": costs("trace", interrupt),
        "emulated access, `trace=on`": costs("trace", access)}


@pytest.mark.every_board
@pytest.mark.long
@pytest.mark.job(expected.PLAN)
def test_what_exit_statistics_leave_out(result, lab, board):
    """Instructions of EL2 before the start and after the end: the shortest exit of all is a
    hypercall that is not known."""
    counted = el2count.counted(lab, Job(board, COUNTED_EXITS))
    outside = {"armv8": 3 + 21, "armv7": 3 + 23}[board_facts(board)["ISA"]]
    assert outside == (min(window.el2 for window in counted.windows)
                       - counted.result.one("exits", exit="hvc")["min"])


@pytest.mark.job(test_cntp.PLAN)
def test_physical_timer(result, board):
    def accesses(config: str) -> list[int]:
        found = result.figures(test_cntp.ACCESS)
        return [found[config, variant]["p50"]
                for variant in ("ctl-read", "cval-write", "tval-write")]

    def expiry(config: str) -> list[int]:
        return [result.figures(test_cntp.WAKEUP)[config, "busy-handler"]["p50"]]

    said = column("docs/design/figures.md", "## The physical timer", board)
    passed = "an access (`ctl-read`, `cval-write`, `tval-write`), passthrough"
    assert said == {
        "expiry to handler (`busy-handler`), passthrough": expiry("trapped"),
        "expiry to handler, emulated": expiry("cntp"),
        passed: accesses("trapped"),
        "an access, emulated": accesses("cntp")}


@pytest.mark.job(test_programs.PLAN)
def test_lengths_of_programs(result, board):
    """In millions, as many digits as the page has."""
    place = ("armv8", "armv7").index(board_facts(board)["ISA"])
    said = column("docs/design/figures.md", "## Programs", "instructions natively (armv8, armv7)")
    assert len(said) == len(test_programs.PROVEN) - 1  # the loops share a row
    for names, lengths in said.items():
        length = lengths[min(place, len(lengths) - 1)]
        digits = len(f"{length:g}".partition(".")[2])
        for bench in re.findall(r"`(\w+)`", names):
            assert round(p50(result, bench, "run", "native") / 1e6, digits) == length, bench


def of_reference(board: str) -> None:
    if board != expected.REFERENCE:
        pytest.skip(f"the page has the figures of {expected.REFERENCE}")


@pytest.mark.every_board
@pytest.mark.job(expected.PLAN)
def test_path_lengths_of_the_first_page(result, board):
    of_reference(board)
    figures = expected.figures_of(result)
    trapped, native = figures["trapped"], figures["native"]
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    added = trapped["timer_wakeup busy-handler"] - native["timer_wakeup busy-handler"]
    found = {"null hypercall": [trapped["hvc null"]],
             "timer expiry to handler, trapped minus native": [added],
             "emulated GICD_IIDR read": [trapped["mmio_read vgic"]],
             "self-SGI to vector / handler, trapped": [trapped["sgi_self vector"],
                                                       trapped["sgi_self handler"]]}
    assert {row: said[row] for row in found} == found
    first = column("README.md", "Instructions on QEMU's", "hypbench")
    sgi = "self-SGI to vector, trapped"
    found = {**dict(list(found.items())[:3]), sgi: [trapped["sgi_self vector"]]}
    assert {row: first[row] for row in found} == found
    names, *rows = [[cell.strip() for cell in line.strip("┃│").split(line[0])]
                    for line in page("docs/results.md").splitlines() if line[:1] in ("┃", "│")]
    cells = {(config, f"{row[0]} {row[1]}"): cell for row in rows
             for config, cell in zip(names[2:], row[2:]) if cell != "-"}
    assert len(cells) > 15
    for (config, path), cell in cells.items():
        median, base = figures[config][path], native.get(path)
        added = f" {median - base:+d}" if base not in (None, median) else ""
        assert cell == f"{median}{added}", (config, path)


@pytest.mark.every_board
@pytest.mark.job(expected.PLAN)
def test_share_of_the_guest_on_the_first_page(result, lab, board):
    """By the plugin; what is trapped minus native has none."""
    of_reference(board)
    counted = el2count.counted(lab, Job(board, SHARES))
    own = {f"{record['bench']} {record['variant']}": windows[-1].counted - windows[-1].el2 - EMPTY
           for record, windows in counted.rows()}
    assert "{}, 0, {} and {} / {} of ours".format(*(own[path] for path in (
        "hvc null", "mmio_read vgic", "sgi_self vector",
        "sgi_self handler"))) in page("docs/results.md")


@pytest.mark.every_board
@pytest.mark.job(expected.PLAN)
def test_vm_switch_of_the_first_page(result, lab, board):
    """By the plugin: the length that most visits have which begin in one VM and end in another, of
    those that a WFI begins, and of those that an interrupt does."""
    of_reference(board)
    switches = [visit for visit in el2count.counted(lab, Job(board, SWITCHES)).visits
                if visit.switch]
    lengths = [max((visit for visit in switches if visit.exception_class == kind),
                   key=lambda visit: visit.times).length for kind in (EC_WFI, NO_CLASS)]
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    assert said["VM switch: last instruction of one VM to the first of the next"] == lengths
    first = column("README.md", "Instructions on QEMU's", "hypbench")
    assert first["VM switch, by an interrupt"] == lengths[1:]


@pytest.mark.every_board
@pytest.mark.job(test_failover.PLAN, machine=test_failover.two_cores)
def test_fail_over_of_the_first_page(result, board):
    of_reference(board)
    rows = {config: row["p50"] for config, row in test_failover.whole(result).items()}
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    assert [lengths for path, lengths in said.items()
            if path.startswith(("fail over:", "a fault", "the standby's", "a heartbeat", "yield"))
            ] == [*([rows[way], rows[f"{way}-cores"]]
                    for way in ("call", "fault", "interrupt", "heartbeat")),
        [result.figures(test_failover.YIELD)["yield", "yield"]["p50"]]]
    first = column("README.md", "Instructions on QEMU's", "hypbench")
    assert first["fail over, one core"] == [rows["call"]]


@pytest.mark.every_board
@pytest.mark.job(test_failover.HELD, machine=test_failover.two_cores)
def test_fail_over_with_the_clock_held(result, board):
    of_reference(board)
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    assert [lengths for path, lengths in said.items() if "pause_clock=held" in path] == [
        [result.figures(0)[config, "call"]["p50"] for config in ("call-held", "call-cores-held")]]


@pytest.mark.every_board
@pytest.mark.job(test_links.PLAN, machine=test_links.two_cores)
def test_links_of_the_first_page(result, board):
    of_reference(board)
    figures = {key: row["p50"] for key, row in result.figures(0).items()}
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    assert [said[next(path for path in said if path.startswith(begin))]
            for begin in ("doorbell", "request and answer")] == [
        [figures[config, variant] for config in ("cores", "core")] for variant in ("ring", "rr")]


@pytest.mark.every_board
@pytest.mark.job(test_virtio.PLAN, machine=test_links.two_cores)
def test_virtio_of_the_first_page(result, board):
    of_reference(board)
    figures = {key: row["p50"] for key, row in result.figures(0).items()}
    said = column("docs/results.md", "Other hypervisors on the same", "hypbench")
    assert next(said[path] for path in said if path.startswith("virtio")) == [
        figures[config, "ring"] for config in ("cores", "core")]
