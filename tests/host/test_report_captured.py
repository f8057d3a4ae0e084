# SPDX-License-Identifier: Apache-2.0
"""The report of a real board: the plans that were captured, and the plans that are still to be
captured."""

import pytest

from reportlogs import plan_text, report_log

SPREAD = "fig-ecdf-default-timer-wakeup-busy-handler-silicon"


@pytest.fixture
def tree(bench, monkeypatch):
    """A tree with two of the report's plans, and a QEMU that records that it was started."""
    monkeypatch.setattr("hypbench.html.page.library", str)
    for name in ("default", "storm"):
        bench.scenario(name, plan_text(name))
    bench.set_qemu(b"", "here.with_name('count').touch(); sys.exit(1)")
    bench.qemu_started = lambda: bench.qemu.with_name("count").exists()
    bench.page = (bench.root / "build" / "report" / "index.html").read_text
    return bench


def write_capture(tree, board: str, plan: str, raw: bytes | None = None) -> None:
    path = tree.root / "build" / "captured" / board / f"{plan}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw or report_log(plan, "silicon", board=board, hz=24_000_000))


def test_a_board_without_any_record_is_one_line(tree):
    result = tree("report", "--board", "silicon")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == (
        "Error: silicon has no records, and QEMU no such board: `make sdcard BOARD=silicon` (or"
        " `make tftp`), then `make capture BOARD=silicon TTY=…`")


def test_captured_plans_are_shown_and_the_others_named(tree):
    write_capture(tree, "silicon", "default")
    result = tree("report", "--board", "silicon")
    assert result.exit_code == 0, result.output
    assert "silicon: shown by the records captured from it" in result.stderr
    page = tree.page()
    assert SPREAD in page and "fig-storm-silicon" not in page
    assert "silicon: not captured yet, so their parts are missing: storm." in page
    assert "make sdcard BOARD=silicon SCENARIO=storm (or make tftp)" in page
    assert "not captured" in page and "incomplete" not in page
    write_capture(tree, "silicon", "storm")
    assert tree("report", "--board", "silicon").exit_code == 0
    assert "fig-storm-silicon" in tree.page() and "not captured" not in tree.page()


def test_a_plan_of_ones_own_is_shown_once_it_is_captured(tree):
    write_capture(tree, "silicon", "mine", report_log("default", "silicon", board="silicon"))
    assert tree("report", "--board", "silicon").exit_code == 0
    page = tree.page()
    assert SPREAD in page and "<td>mine</td>" in page
    assert "their parts are missing: default, storm." in page


def test_where_records_were_captured_qemu_is_not_asked(tree):
    write_capture(tree, "virt-a72", "default")
    result = tree("report", "--board", "virt-a72")
    assert result.exit_code == 0, result.output
    assert not tree.qemu_started() and "41.67\u00a0ns" in tree.page()


def test_the_report_of_every_board_has_the_captured_ones(tree):
    write_capture(tree, "silicon", "default")
    tree("report")
    assert tree.qemu_started() and SPREAD in tree.page()
