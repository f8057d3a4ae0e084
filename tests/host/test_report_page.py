# SPDX-License-Identifier: Apache-2.0
"""The page in a browser, at the width of a phone and of a desk: alone, whole, without errors."""

import re

import pytest

from chromium import Chromium
from hypbench.html import page
from hypbench.html.data import Board, Source
from hypbench.records import Log, read_log
from reportlogs import plans, report_log

pytestmark = pytest.mark.long

WIDTHS = (390, 1280)
BOARDS = {"virt-a72": {}, "virt-a15": {"board": "virt-a15", "isa": "armv7"}}
# Two boards themselves, one of them with few plans yet
CAPTURED = {"rpi4": ({"board": "rpi4", "hz": 54_000_000}, set(plans("silicon"))),
            "arndale": ({"board": "arndale", "isa": "armv7", "hz": 24_000_000},
                        {"default", "memory"})}
PER_BOARD = {
    "waterfall-timer", "waterfall-device", "histogram-timer-wakeup", "histogram-cyclic", "storm",
    "sched-timer-wakeup", "sched-cyclic", "exits", "switches", "states-trapped",
    "tlb-model", "page-fault", "slowdown", "exit-kinds", "peers"}
# Every figure: its id, and how much of it there is to see.
FIGURES = """[...document.querySelectorAll('figure')].map(figure => {
  const svg = figure.querySelector('svg'), box = svg.getBBox(), shown = svg.getBoundingClientRect();
  return {id: figure.id, width: box.width, height: box.height, shown: shown.width,
          marks: svg.querySelectorAll('path, text, use').length,
          text: svg.textContent.trim().length,
          caption: figure.querySelector('figcaption').textContent.trim(),
          label: svg.getAttribute('aria-label'), font: smallest(svg)};
})"""
SMALLEST = """window.smallest = svg => Math.min(...[...svg.querySelectorAll('text')].map(
  text => parseFloat(getComputedStyle(text).fontSize)
          * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width));"""
# Elements beyond the right edge of the page, except boxes that scroll.
BEYOND = """[...document.querySelectorAll('body *')].filter(element =>
  !element.closest('.box, svg') && element.getBoundingClientRect().right >
  document.documentElement.clientWidth + 0.5).map(element => element.outerHTML.slice(0, 80))"""


# All but the comparison with other hypervisors, whose numbers are instructions.
MEASURED_PARTS = """[...document.querySelectorAll('section:not(#peers)')].map(
  section => section.textContent).join(' ')"""
# Words of a figure that its edge cuts.
CLIPPED = """[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const edge = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1
           || box.bottom > edge.bottom + 1;
  }).map(text => svg.closest('figure').id + ': ' + text.textContent.trim());
})"""


@pytest.fixture(scope="module")
def html() -> str:
    made = [Board(name, {plan: Source(plan, read_log(report_log(plan, **more)))
                         for plan in plans("qemu-icount")}) for name, more in BOARDS.items()]
    return page.render(made, [])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def address(html, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(html)
    return path.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_page_opens_alone_and_without_errors(browser, address, width):
    browser.open(address, width)
    assert browser.value("innerWidth") == width
    assert browser.errors() == []
    assert browser.requests() == [address]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_there_and_not_empty(browser, address, width):
    browser.open(address, width)
    browser.value(SMALLEST + "0")
    found = {figure["id"]: figure for figure in browser.value(FIGURES)}
    assert set(found) == {f"fig-{name}-{board}" for name in PER_BOARD for board in BOARDS}
    for ident, figure in found.items():
        assert figure["width"] > 100 and figure["height"] > 50, ident
        assert figure["marks"] > 20 and figure["text"] > 30, ident
        assert len(figure["caption"]) > 20 and len(figure["label"]) > 15, ident
        assert 300 < figure["shown"] <= width, ident
        assert figure["font"] >= 8, ident  # pixels: legible on a phone


@pytest.fixture(scope="module")
def captured_html() -> str:
    made = [Board(name, {plan: Source(plan, read_log(report_log(plan, "silicon", **more)))
                         if plan in there else Source(plan, Log(), uncaptured=True)
                         for plan in plans("silicon")})
            for name, (more, there) in CAPTURED.items()]
    return page.render(made, [])


@pytest.fixture(scope="module")
def captured_address(captured_html, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("captured") / "index.html"
    path.write_text(captured_html)
    return path.as_uri()


def test_no_word_of_a_figure_is_cut(browser, address, captured_address):
    for where in (address, captured_address):
        browser.open(where, 1280)
        assert browser.value(CLIPPED) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_captured_records(browser, captured_address, width):
    browser.open(captured_address, width)
    assert browser.errors() == []
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(BEYOND) == []
    text = browser.value("document.body.textContent")
    assert "1 tick (18.52 ns)" in text.replace("\u00a0", " ")
    assert "1 tick (41.67 ns)" in text.replace("\u00a0", " ")
    assert "ticks of 18.52" in text and "ticks of 41.67" in text
    assert "instr" not in re.sub("first instruction|instructions? (of the|that|itself)", "",
                                 browser.value(MEASURED_PARTS))
    assert "not modelled here" not in text and "instruction counter" not in text
    assert "fig-tlb-cost-rpi4" in browser.value("[...document.querySelectorAll('figure')]"
                                                ".map(figure => figure.id)")
    assert ("On arndale that is make sdcard BOARD=arndale PLAN=faults (or make tftp), then make"
            " capture BOARD=arndale TTY=…." in text)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(browser, address, width):
    browser.open(address, width)
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(BEYOND) == []
    wide = browser.value("[...document.querySelectorAll('.box')].some("
                         "box => box.scrollWidth > box.clientWidth)")
    assert wide == (width == 390)  # there are tables that scroll in their box on a phone


def test_contents_lead_to_every_section(browser, address):
    browser.open(address, 1280)
    links = browser.value("[...document.querySelectorAll('nav a')].map(a => a.hash.slice(1))")
    assert links == browser.value("[...document.querySelectorAll('section')].map(s => s.id)")
    assert browser.value("document.querySelectorAll('h1').length") == 1
    ids = browser.value("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_text_of_a_figure_can_be_selected(browser, address):
    browser.open(address, 1280)
    text = browser.value("document.querySelector('#fig-waterfall-timer-virt-a72 svg').textContent")
    assert "EL2 vector" in text and "acknowledged" in text


def test_the_page_needs_nothing_else(html):
    assert not re.search(r"<(script|link rel=.stylesheet|iframe|img|object)", html)
    outside = set(re.findall(r'(?:src|href)="([^"#][^"]*)"', html)) - {"data:,"}
    assert outside == set()
    assert not re.search(r"url\((?!#)", html)


# The tests above see what they look for:

@pytest.mark.parametrize("planted, complaint", [
    ("<script>nothing.there()</script>", "errors"),
    ('<img src="missing.png" alt="">', "requests"),
    ('<div style="width: 2000px">x</div>', "width")])
def test_planted_faults_are_seen(browser, html, tmp_path, planted, complaint):
    path = tmp_path / "planted.html"
    path.write_text(html.replace("</main>", planted + "</main>"))
    browser.open(path.as_uri(), 390)
    seen = {"errors": bool(browser.errors()),
            "requests": browser.requests() != [path.as_uri()],
            "width": bool(browser.value(BEYOND))}
    assert seen[complaint]


def test_an_empty_figure_is_seen(browser, html, tmp_path):
    path = tmp_path / "empty.html"
    path.write_text(re.sub(r"(<figure id=\"fig-storm-virt-a72\">\s*<svg[^>]*>).*?</svg>",
                           r"\1</svg>", html, count=1, flags=re.DOTALL))
    browser.open(path.as_uri(), 390)
    browser.value(SMALLEST + "0")
    empty = [figure["id"] for figure in browser.value(FIGURES) if figure["width"] < 100]
    assert empty == ["fig-storm-virt-a72"]
