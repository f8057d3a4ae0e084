# SPDX-License-Identifier: Apache-2.0
"""The report page in headless Chromium: it is drawn whole at the width of a phone, a tablet and a
desk, without errors and without a network. It has the records' numbers, and is legible in the
dark."""

import base64
import re
import time
from functools import cache

import pytest

from chromium import DRAWN, SHOWN, running_browser  # noqa: F401
from hypbench.html import page, runs
from hypbench.frame import Board, Source
from hypbench.records import Log, read_log
from reportlogs import plans, report_log
from reportpages import simulated
from test_page import median

pytestmark = pytest.mark.long

WIDTHS = (390, 768, 1280)
CHOOSE = """(() => {{ const select = document.getElementById({id!r}); select.value = {value!r};
  {drawn} = ""; select.dispatchEvent(new Event("change")); }})()"""
# Figures of the selected board that are drawn badly: with few marks, without a height or a caption,
# or too narrow.
UNDRAWN = f"""[...document.querySelectorAll('{SHOWN} figure')].filter(figure => {{
  const svg = figure.querySelector('svg'), box = svg?.getBoundingClientRect();
  const marks = svg?.querySelectorAll('.mark-rect path, .mark-symbol path, .mark-line path,'
                                      + ' .mark-text text').length;
  return !(marks > 1 && box.height > 50 && box.width > 300 && box.width <= innerWidth
           && figure.querySelector('figcaption').textContent.trim().length > 20);
}}).map(figure => figure.id)"""
# Elements that extend beyond the right edge of the page, except boxes that scroll.
BEYOND = """[...document.querySelectorAll('body *')].filter(element =>
  !element.closest('.box, svg, .chart, .vega-embed') && element.getBoundingClientRect().right >
  document.documentElement.clientWidth + 0.5).map(element => element.outerHTML.slice(0, 80))"""
MIDDLE = """(() => { const mark = [...document.querySelectorAll(
  '#fig-failover-virt-a72 .mark-rect path')].find(one => one.getBoundingClientRect().width > 4);
  mark.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = mark.getBoundingClientRect();
  return {x: box.x + box.width / 2, y: box.y + box.height / 2}; })()"""
# Figures with a legend: the number of its names, and the colours of the legend that no mark has.
LEGENDS = f"""[...document.querySelectorAll('{SHOWN} figure')].map(figure => {{
  const colours = (path) => [...figure.querySelectorAll(path)].flatMap(one => {{
    const style = getComputedStyle(one);
    return [style.fill, style.stroke].filter(colour => !/^none$|, 0\\)$/.test(colour)); }});
  const marks = new Set(colours('svg .role-mark path'));
  const legend = colours('svg .role-legend-symbol path');
  return {{id: figure.id, names: legend.length, strange: legend.filter(one => !marks.has(one))}};
}}).filter(one => one.names)"""
TIP = "document.querySelector('#vg-tooltip-element.visible')?.textContent || ''"


def board_of(name: str, platform: str = "qemu-icount", captured=None, **more) -> Board:
    """Return a board. If `captured` lists plans, the other plans are still to be captured."""
    raw = {plan: report_log(plan, platform, board=name, **more) for plan in plans()
           if captured is None or plan in captured}
    return Board(name, {plan: Source(plan, read_log(raw[plan]), packed=runs.packed(raw[plan]))
                        if plan in raw else Source(plan, Log(), uncaptured=True)
                        for plan in plans()})


def sides() -> list[Board]:
    return [Board(f"{side}-virt-a72", {"default": Source("default", read_log(
        report_log("default")))}, side) for side in "AB"]


PAGES = {"simulated": lambda: [board_of("virt-a72"), board_of("virt-a15", isa="armv7"),
                               simulated()],
         "captured": lambda: [board_of("rpi4", "silicon", hz=54_000_000), board_of(
             "arndale", "silicon", ("default", "memory"), isa="armv7", hz=24_000_000)],
         "a-against-b": sides}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return a function that makes the page of a name, and returns its address and its boards."""
    @cache
    def make_page(name: str) -> tuple[str, list[str]]:
        path, boards = tmp_path_factory.mktemp(name) / "index.html", PAGES[name]()
        path.write_text(page.render(boards, []))
        return path.as_uri(), [board.name for board in boards]
    return make_page


def opened(browser, address: str, board: str, width: int = 1280) -> None:
    browser.open(address, width)
    browser.wait_for(DRAWN)
    choose(browser, "board", board)
    browser.wait_for(DRAWN, board.__eq__)


def choose(browser, ident: str, value: str) -> None:
    browser.value(CHOOSE.format(id=ident, value=value, drawn=DRAWN))


def page_faults(browser, address: str) -> dict[str, list]:
    """Return the faults of the open page."""
    requests = [url for url in browser.requests() if url != address]
    faults = {"errors": browser.errors(), "requests": requests, "undrawn": browser.value(UNDRAWN),
              "beyond": browser.value(BEYOND)}
    return {name: value for name, value in faults.items() if value}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_every_board_is_drawn_whole_and_without_errors(browser, pages, name, width):
    address, boards = pages(name)
    for board in boards:
        opened(browser, address, board, width)
        assert page_faults(browser, address) == {}
        assert browser.value("document.documentElement.scrollWidth") == width
        links = browser.value(f"[...document.querySelectorAll('#{board} nav a')]"
                              ".map(a => a.hash.slice(1))")
        assert links and links == browser.value(
            f"[...document.querySelectorAll('#{board} section')].map(s => s.id)")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_answer_is_on_the_first_screen_though_most_runs_are_lost(browser, tmp_path, width):
    board = board_of("virt-a72", captured=("default", "traps"))
    for source in board.sources.values():
        if source.uncaptured:
            source.uncaptured, source.lost = False, ["storm: native"]
    path = tmp_path / "lost.html"
    path.write_text(page.render([board], []))
    opened(browser, path.as_uri(), "virt-a72", width)
    assert browser.value("document.querySelector('.answer h2').getBoundingClientRect().top") < 700


@pytest.mark.parametrize("old, new, fault", [
    ("</main>", "<script>nothing.there()</script></main>", "errors"),
    ("</main>", '<img src="missing.png" alt=""></main>', "requests"),
    ("</main>", '<div style="width: 2000px">x</div></main>', "beyond"),
    ("await vegaEmbed(", "if (!figure.id.includes('ecdf')) await vegaEmbed(", "undrawn")])
def test_a_planted_fault_is_seen(browser, tmp_path, old, new, fault):
    path = tmp_path / "planted.html"
    html = page.render(sides(), [])
    assert html.count(old) == 1
    path.write_text(html.replace(old, new))
    opened(browser, path.as_uri(), "A-virt-a72", 390)
    assert fault in page_faults(browser, path.as_uri())


def test_the_first_numbers_are_the_records_and_lead_to_their_rows(browser, pages):
    opened(browser, pages("simulated")[0], "virt-a72")
    links = browser.value(f"[...document.querySelectorAll('{SHOWN} .band .count a')]"
                          ".map(a => [a.textContent, a.hash])")
    numbers = [int(re.sub(r"\D", "", text.partition("\u00a0")[0])) for text, _ in links]
    native, *others = (median("traps", "timer_wakeup", "busy-vector", mode)
                       for mode in ("native", "direct", "trapped"))
    calls = [median("traps", "hvc", "null", mode) for mode in ("direct", "trapped")]
    # An interrupt's number is the time beyond the native time; a call has no native time.
    assert numbers[:4] == [*(ticks - native for ticks in others), *calls]
    marked = f"document.querySelector('{SHOWN} tr.marked')"
    for (_, link), length in zip(links, [*others, *calls]):
        browser.value(f"location.hash = {link!r}")
        config = link.rpartition("/")[2]
        cells = browser.wait_for(f"[...({marked}?.cells || [])].map(cell => cell.textContent)",
                                 lambda texts, config=config: config in texts)
        head = browser.value(f"[...document.querySelectorAll('{SHOWN} .raw th')]"
                             ".map(cell => cell.textContent)")
        assert dict(zip(head, cells))["p50"] == str(length)
    assert browser.errors() == []


def test_the_configuration_is_chosen_for_charts_and_tables(browser, pages):
    opened(browser, pages("simulated")[0], "virt-a72")
    marks = "document.querySelectorAll('#fig-phases-timer-virt-a72 .mark-rect path').length"
    assert browser.value(marks) == 2 * 4 + 2 * 8  # native and direct have four phases, others 8
    choose(browser, "config", "trapped-sw")
    browser.wait_for(DRAWN)
    assert browser.value(marks) == 4 + 8
    browser.value("document.getElementById('board').focus()")
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    configs = browser.value("[...document.querySelectorAll('#tab-storm-virt-a72 tbody tr')].filter("
                            "row => !row.hidden).map(row => row.cells[0].textContent)")
    assert set(configs) == {"native", "trapped-sw"}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_each_colour_of_a_legend_is_a_marks_colour(browser, pages, mode):
    """Each colour of a legend is therefore also the colour of a curve, a dot or a bar."""
    browser.prefer(mode)
    opened(browser, pages("simulated")[0], "virt-a72")
    legends = browser.value(LEGENDS)
    browser.prefer("")
    assert len(legends) > 5 and [legend for legend in legends
                                 if legend["strange"] or not legend["names"]] == []


def test_a_question_leaves_the_sections_that_answer(browser, pages):
    """A link leads to its section even if the chosen question hides that section."""
    opened(browser, pages("simulated")[0], "virt-a72")
    question = "document.getElementById('question')"
    value = browser.value(f"[...{question}.options].find(one => one.text.includes('memory')).value")
    choose(browser, "question", value)
    browser.wait_for(DRAWN)
    sections = (f"[...document.querySelectorAll('{SHOWN} section:not([hidden])')]"
                ".map(s => s.className)")
    assert browser.value(sections) == ["answer", "memory", "conditions"]
    assert browser.value(f"[...document.querySelectorAll('{SHOWN} nav a:not([hidden])')]"
                         ".map(a => a.hash.slice(1).split('-')[0])") == browser.value(sections)
    browser.value("location.hash = '#failover-virt-a72'")
    assert "failover" in browser.wait_for(sections, lambda names: len(names) > 3)
    assert browser.errors() == []


def test_a_table_beyond_the_edge_has_a_hint_and_keeps_its_first_column(browser, pages):
    opened(browser, pages("simulated")[0], "virt-a72", 390)
    browser.value(f"document.querySelectorAll('{SHOWN} details').forEach(one => one.open = true)")
    lacking = (f"[...document.querySelectorAll('{SHOWN} section .box')].filter(box =>"
               " (box.scrollWidth > box.clientWidth + 1) != box.classList.contains('wide')).length")
    browser.wait_for(lacking, (0).__eq__)
    widths = (f"[...document.querySelectorAll('{SHOWN} section .box td:first-child')]"
              ".map(cell => cell.getBoundingClientRect().width)")
    assert 0 < max(browser.value(widths)) <= 390 / 2  # so that a number fits beside it
    box = f"document.querySelector('{SHOWN} section .wide')"
    browser.value(f"{box}.scrollLeft = 200")
    left = f"{box}.querySelector('td').getBoundingClientRect().left"
    assert browser.value(left) == browser.value(f"{box}.getBoundingClientRect().left")


def test_downloads_are_the_records(browser, pages):
    opened(browser, pages("simulated")[0], "virt-a72")
    browser.value("""fetch(document.querySelector('#virt-a72 .records').href).then(async found => {
      const text = found.body.pipeThrough(new DecompressionStream('gzip'));
      window.text = await new Response(text).text(); }) && 0""")
    assert browser.wait_for("window.text") == report_log("default", board="virt-a72").decode()


def test_a_pointer_at_a_mark_is_answered(browser, pages):
    """A browser without a window may have no frame yet, so the pointer moves until the tip is
    there."""
    opened(browser, pages("simulated")[0], "virt-a72")
    for shift in range(20):
        at = browser.value(MIDDLE)
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=at["x"] + shift % 2,
                     y=at["y"])
        time.sleep(0.1)
        if tip := browser.value(TIP):
            break
    assert re.search(r"n [\d,]+, p50 .*, p99 .*, max .*; window: ", tip), tip


def test_the_page_is_legible_in_the_dark_and_on_paper(browser, pages):
    colours = ("[document.body, document.querySelector('figure svg text')].map(element =>"
               " getComputedStyle(element)).map(style => [style.backgroundColor, style.fill])")
    browser.prefer("dark")
    opened(browser, pages("simulated")[0], "virt-a72")
    (back, _), (_, text) = browser.value(colours)
    assert (back, text) == ("rgb(20, 23, 26)", "rgb(228, 230, 232)")
    browser.prefer("dark", media="print")
    paper = browser.value(colours)[0][0]
    browser.prefer("", media="")
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    printed = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    assert printed.startswith(b"%PDF-")
    assert browser.value(f"[...document.querySelectorAll('{SHOWN} section details')]"
                         ".every(one => one.open)")
