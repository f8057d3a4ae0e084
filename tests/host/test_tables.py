# SPDX-License-Identifier: Apache-2.0
"""The tables that `hypbench show` and `run` print: their numbers against golden files, and that a
narrow terminal breaks no number."""

import io
import re
from collections.abc import Callable, Iterable
from functools import partial
from html import unescape
from itertools import chain

import pytest
from rich.console import Console
from rich.table import Table as Printed

import golden
from hypbench import model, terminal
from hypbench.analysis.tlb import WALKS
from hypbench.frame import frame_of
from hypbench.html.page import render
from hypbench.log_tables import LINES_MOST, cell, side_by_side
from hypbench.records import read_log
from hypbench.rows import rows_of
from hypbench.rules import check_rules
from hypbench.subjects import sections
from hypbench.tree import Tree, read_records
from logmaker import (NATIVE, TRAPPED, bench_record, calibration, log_from, log_of, plan_run,
                      sample_run, stamped)
from reportlogs import bodies_of
from host.test_beside import beside_bodies, counted_log
from test_clocks import bodies as two_clocks
from test_commands import table_row
from host.test_events import GOOD, chases
from test_misses import miss_bodies

LOGS = {**{name: partial(bodies_of, name) for name in (
            "programs", "interrupts", "storm", "sched", "traps", "faults")},
        "matrix": partial(bodies_of, "tlb-matrix", "silicon"),
        "matrix-icount": partial(bodies_of, "tlb-matrix"), "two-clocks": two_clocks,
        "events": partial(chases, GOOD), "misses": miss_bodies,
        "misses-assumed": partial(miss_bodies, events=False), "beside": beside_bodies,
        "hypercalls": partial(bodies_of, "paper-s2"),
        "late-timers": partial(bodies_of, "paper-s4"),
        "causes": partial(bodies_of, "paper-s3-timed", "gem5"),
        "independence": partial(bodies_of, "paper-s4-vms")}


def filtered(records: list[dict], condition: Callable[[dict], bool]) -> list[dict]:
    """Return the run without the unwanted records."""
    bodies = [body for body in records if condition(body)]
    return [*bodies[:-1], bodies[-1] | {"records": len(bodies)}]


def with_spread(head: dict, config: dict) -> list[dict]:
    ticks = 50 + 20 * (config["frame"] == "full")
    return [calibration(head), bench_record(head, "unknown", [ticks, ticks + 8] * 20)]


VARIANTS: dict[str, Callable[[], list[dict]]] = {
    "an option with an interval": lambda: plan_run(
        [TRAPPED, TRAPPED | {"name": "full", "frame": "full"}], {"hvc": with_spread}),
    "wake-ups too few for p95": lambda: plan_run([NATIVE], {"cyclic": lambda head, _: [
        stamped(head, "periodic", [90] * 19, period=1875000)]}, order="once"),
    "programs in VMs alone": lambda: filtered(
        bodies_of("programs"), lambda body: body.get("config") != "native"),
    "programs without statistics": lambda: filtered(
        bodies_of("programs"), lambda body: body["kind"] != "exits"),
    "walks of one length": lambda: filtered(
        bodies_of("tlb-matrix", "silicon"),
        lambda body: body.get("config", "4K-2M") in ("4K-2M", "2M-4K")),
    "misses of the control at the price of warm ones": partial(
        miss_bodies, event=WALKS, packed_65536p=64),
    "misses of the control at no one price": partial(miss_bodies, packed_65536p=64),
    "misses of every control": partial(
        miss_bodies, event=WALKS, packed_65536p=64, packed_4096p=64),
    "misses by ticks alone": partial(miss_bodies, events=False, cycles=False),
    "ticks that are no time": partial(miss_bodies, events=False, platform="qemu-host")}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_numbers_of_a_variant(name):
    golden.check_case("variants", name, grids(read_log(log_of(VARIANTS[name]()))))


@pytest.mark.parametrize("name", LOGS)
def test_the_numbers_of_the_tables(name):
    log = log_from(LOGS[name]())
    assert check_rules(log) == []
    golden.check(f"terminal-{name}", grids(log))


def grids(log) -> dict[str, golden.Grid]:
    """Return the tables that a terminal shows, by their names."""
    tables = {}
    for section in sections(frame_of(log)):
        tables |= {name.removesuffix(f"-{log.run['board']}"): grid
                   for name, grid in golden.section_grids(section).items()
                   if name.startswith("tab-")}
    return tables


def test_nothing_where_there_are_no_records():
    bodies = plan_run([NATIVE, TRAPPED], {"x": lambda head, _: [stamped(head, "v", [5] * 9)]})
    subjects = sections(frame_of(log_from(bodies)))
    assert subjects == []


@pytest.mark.parametrize("longest", [100, 2])
def test_the_bound_of_fixed_priorities(longest):
    golden.check_case("terminal-bounds", str(longest), grids(counted_log(longest)))


@pytest.fixture
def show(bench):
    def run_show(log: list[dict] | bytes, *words: str):
        path = bench.root / "records"
        path.write_bytes(log if isinstance(log, bytes) else log_of(log))
        return bench("show", str(path), *words)
    return run_show


@pytest.mark.parametrize("name", LOGS)
def test_show_prints_them_within_140_columns(show, name):
    result = show(LOGS[name](), "--table", "long")
    assert result.exit_code == 0, result.output
    for section in sections(frame_of(log_from(LOGS[name]()))):
        assert f"── {section.title} ──" in result.output
        assert all(terminal.plain(table.caption)[:20] in result.output for table in section.tables)
    lines = [line for line in result.output.splitlines() if line[:1] in "┏┃┡│├└"]
    assert lines and max(map(len, lines)) <= 140 and not any("…" in line for line in lines)


def test_a_log_of_release_0_1_0_is_shown_with_every_table(show):
    """The log lacks most axes of today, for example `beside`."""
    raw = (golden.FOLDER.parent / "logs" / "release-0.1.0.jsonl").read_bytes()
    result = show(raw, "--table", "long")
    assert result.exit_code == 0, result.output
    assert table_row(result.output, "stats=on", "trapped", "hypercall null")[3:6] == [
        "41", "124", "+83"]


@pytest.mark.parametrize("name", LOGS)
def test_the_default_view_has_at_most_40_lines(show, name):
    result = show(LOGS[name]())
    assert 1 < len(result.output.splitlines()) <= LINES_MOST == 40, result.output


def test_the_default_view_of_many_rows_has_at_most_40_lines(show):
    """The view reports how many rows it leaves out."""
    output = show(plan_run([NATIVE, TRAPPED], {"x": lambda head, _: [calibration(head), *(
        bench_record(head, f"v{at}", [50 + at] * 9) for at in range(60))]})).output
    assert re.search(r"^\d+ more rows: --table long shows all.$", output, re.MULTILINE), output
    assert 20 < len(output.splitlines()) <= LINES_MOST


def printed(parts: Iterable[terminal.Part], width: int) -> str:
    out = io.StringIO()
    for part in parts:
        Console(file=out, width=width, highlight=False).print(part, markup=False, soft_wrap=True)
    return out.getvalue()


@pytest.mark.parametrize("name", LOGS)
def test_no_table_breaks_a_number_at_80_columns(name):
    for section in sections(frame_of(log_from(LOGS[name]()))):
        for table in section.tables:
            text = printed(terminal.tables(table, 80), 80)
            for row in table.cells:
                for value, column in zip(row, table.columns):
                    assert not column.number or f" {terminal.plain(value.text)} " in text


# --- one model, two renderers ---

def texts_of(page: str) -> str:
    """Return the texts of a page in their order, with a bar in place of the tags between two."""
    text = re.sub("</?a( [^>]*)?>", "", page)
    return terminal.plain(unescape(re.sub(r"\s*(<[^>]*>\s*)+", "|", text)))


def in_a_terminal(table) -> tuple[list[list[str]], list[str]]:
    """Return the cells of a wide terminal, the head first, and the notes."""
    parts = list(terminal.block_parts(table, 100_000))
    grid, = [part for part in parts if isinstance(part, Printed)]
    columns = [[column.header, *column.cells] for column in grid.columns]
    return ([[str(cell).replace("\\[", "[") for cell in row] for row in zip(*columns)],
            [part for part in parts if isinstance(part, str)])


def kept_log(scenario: str):
    """Return a reference run of gem5-a72."""
    return read_log(read_records(Tree().reference("gem5-a72", scenario)))


@pytest.mark.parametrize("log", [
    *(pytest.param(lambda name=name: log_from(LOGS[name]()), id=name) for name in LOGS),
    *(pytest.param(partial(kept_log, name), id=f"kept-{name}") for name in (
        "colouring", "paper-s4-timed", "timed"))])
def test_page_and_terminal_show_the_same_rows_units_and_notes(log):
    """The test covers every subject for which a log has records."""
    board = frame_of(log())
    page = render([board], [])
    page_text = texts_of(page)
    tables = [table for section in sections(board) for table in section.tables]
    assert tables and [table.id for table in tables] == re.findall(
        '<table id="(.*?)">', page)
    for table in tables:
        rows, notes = in_a_terminal(table)
        assert notes == list(map(terminal.plain, table.notes)), table.id
        texts = [text for text in (*chain(*rows), *notes) if text]
        assert f"|{'|'.join(texts)}|" in page_text, table.id


@pytest.mark.parametrize("width, whole", [(80, True), (44, True), (30, False)])
def test_a_narrow_terminal_breaks_lines_between_words(width, whole):
    """If there is no room for every word, the table breaks words and cuts nothing off."""
    table = model.Table("exits", "", ("configuration", "kind of exit", ">count"),
                        [["trapped-sw", "hypercall that does nothing", "12345"]])
    text = printed(terminal.tables(table, width), width)
    assert max(map(len, text.splitlines())) <= width
    assert ("configuration" in text and "hypercall" in text) == whole
    assert "12345" in text


@pytest.mark.parametrize("width", range(90, 161, 7))
def test_headings_of_numbers_take_what_words_leave(width):
    """Their natural widths together are more than the terminal has."""
    numbers = tuple(f">share of all exits {at}, ticks" for at in range(8))
    table = model.Table("exits", "", ("plan", "benchmark", "configuration", *numbers, "histogram"),
                        [["guest", "guest", "trapped", *["1100"] * 8, "█ ▁ ▂ ▃ ▄"]])
    for part in terminal.tables(table, width):
        lines = printed([part], width).splitlines()
        assert max(map(len, lines)) <= width and lines[0][-1] == "┓"
        assert "configuration" in "".join(lines) and "histogram" in "".join(lines)


# --- configurations side by side ---

def noisy(count: int, ticks: int):
    """Return a run of `count` configurations whose medians have an interval."""
    names = ["native", *(f"trapped-number-{at}" for at in range(1, count))]

    def run(head, config):
        base = ticks + 7 * names.index(config["name"])
        return [calibration(head)] + [
            bench_record(head, variant, [base + step * ticks // 9 for step in range(20)])
            for variant in ("a-variant-of-24-letters-x", "short")]
    return log_from(plan_run([NATIVE, *(TRAPPED | {"name": name} for name in names[1:])],
                                   {"timer_wakeup": run}))


@pytest.mark.parametrize("count, ticks", [(1, 10), (4, 50), (9, 50), (16, 123_456_789)])
@pytest.mark.parametrize("width", [80, 140])
def test_side_by_side_no_number_is_broken_and_no_line_too_long(count, ticks, width):
    log = noisy(count, ticks)
    table, = side_by_side(log).tables
    text = printed(terminal.tables(table, width), width)
    assert max(map(len, [line for line in text.splitlines() if line[:1] in "┏┃┡│└"])) <= width
    rows = {(row.config, row.variant): row for row in rows_of(log)}
    for (config, variant), row in rows.items():
        assert f" {cell(row, rows['native', variant])} " in text and f" {config} " in text


def test_side_by_side_a_row_a_variant_and_of_a_storm_the_last_handlers():
    table, = side_by_side(log_from(sample_run())).tables
    text = printed(terminal.tables(table, 100), 100)
    assert table_row(text, "hvc", "null") == ["hvc", "null", "–", "99 ≤608", "100 ≤618"]
    log = log_from(bodies_of("storm"))
    variants = [row[1].text for row in side_by_side(log).tables[0].cells]
    last = {row.variant for row in rows_of(log) if row.first["position"] == row.first["pended"]}
    assert set(variants) == last and len(variants) == len(last)


def test_the_default_view_has_no_phases_and_marks_what_an_emulator_adds():
    """A fail over has only rows of whole ways, one each. Under icount two cores share the
    counter."""
    for platform, mark in (("qemu-icount", "≈"), ("silicon", "8")):
        table, = side_by_side(log_from(bodies_of("failover", platform))).tables
        cells = {(row[1].text, row[2].text): row[3].text for row in table.cells}
        assert ("call", "call") in cells and not any("-" in way for way, _ in cells)
        assert cells["call", "call-cores"].startswith(mark)
        assert not cells["call", "call"].startswith("≈")
