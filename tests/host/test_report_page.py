# SPDX-License-Identifier: Apache-2.0
"""The page in a browser, as wide as a phone, a tablet and a desk: alone, whole, without errors."""

import base64
import re
import time

import pytest

from chromium import Chromium
from hypbench.html import page, runs
from hypbench.html.data import Board, Source, published
from hypbench.records import Log, read_log
from hypbench.report import summary_csv
from reportlogs import plans, report_log
from reportpages import simulated

pytestmark = pytest.mark.long

WIDTHS = (390, 768, 1280)
BOARDS = {"virt-a72": "armv8", "virt-a15": "armv7"}
# Two boards themselves, one of them with few plans yet
CAPTURED = {"rpi4": ({"board": "rpi4", "hz": 54_000_000}, set(plans("silicon"))),
            "arndale": ({"board": "arndale", "isa": "armv7", "hz": 24_000_000},
                        {"default", "memory"})}
# Every figure of the board chosen: its id, and how much of it there is to see.
FIGURES = """[...document.querySelectorAll('article:not([hidden]) figure')].map(figure => {
  const svg = figure.querySelector('svg'), shown = svg?.getBoundingClientRect();
  return {id: figure.id, shown: shown?.width || 0, height: shown?.height || 0,
          marks: svg ? svg.querySelectorAll('.mark-rect path, .mark-symbol path, .mark-line path,'
                                            + ' .mark-text text').length : 0,
          caption: figure.querySelector('figcaption').textContent.trim()};
})"""
# Elements beyond the right edge of the page, except boxes that scroll.
TIP = "#vg-tooltip-element.visible"
MIDDLE = """(() => {{ const mark = [...document.querySelectorAll(
  '#{figure} .mark-rect path, #{figure} .mark-symbol path')].find(
  one => one.getBoundingClientRect().width > 4);
  mark.scrollIntoView({{block: 'center', behavior: 'instant'}});
  const box = mark.getBoundingClientRect();
  return {{x: box.x + box.width / 2, y: box.y + box.height / 2}}; }})()"""
BEYOND = """[...document.querySelectorAll('body *')].filter(element =>
  !element.closest('.box, svg, .chart, .vega-embed') && element.getBoundingClientRect().right >
  document.documentElement.clientWidth + 0.5).map(element => element.outerHTML.slice(0, 80))"""


DRAWN = "document.documentElement.dataset.drawn"
CHOOSE = """(() => {{ const select = document.getElementById({id!r}); select.value = {value!r};
  document.documentElement.dataset.drawn = ""; select.dispatchEvent(new Event("change")); }})()"""


def board_of(name: str, isa: str) -> Board:
    return Board(name, {plan: Source(plan, read_log(raw), packed=runs.packed(raw))
                        for plan in plans("qemu-icount")
                        for raw in [report_log(plan, board=name, isa=isa)]})


@pytest.fixture(scope="module")
def html() -> str:
    return page.render([board_of(*names) for names in BOARDS.items()] + [simulated()], [])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def address(html, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(html)
    return path.as_uri()


def wait_for(browser, script: str, value) -> None:
    """Until the page's script has come so far; a minute at most."""
    for _ in range(600):
        if browser.value(script) == value:
            return
        time.sleep(0.1)
    raise AssertionError(f"{script} is {browser.value(script)!r}, not {value!r}:"
                         f" {browser.errors()}")


def opened(browser, address: str, width: int, board: str = "virt-a72") -> None:
    browser.open(address, width)
    wait_for(browser, DRAWN, "virt-a72")
    if board != "virt-a72":
        choose(browser, "board", board)
        wait_for(browser, DRAWN, board)


def choose(browser, ident: str, value: str) -> None:
    browser.value(CHOOSE.format(id=ident, value=value))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("board", [*BOARDS, "gem5-a72"])
def test_every_board_is_drawn_alone_whole_and_without_errors(browser, address, width, board):
    opened(browser, address, width, board)
    assert browser.value("innerWidth") == width
    assert browser.errors() == [] and browser.requests() == [address]
    found = browser.value(FIGURES)
    assert len(found) > 6 and all(one["id"].endswith(board) for one in found)
    for one in found:
        assert one["marks"] > 1 and one["height"] > 50 and len(one["caption"]) > 20, one
        assert 300 < one["shown"] <= width, one
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(BEYOND) == []


def test_contents_lead_to_every_section_and_ids_are_unique(browser, address):
    opened(browser, address, 1280)
    for board in [*BOARDS, "gem5-a72"]:
        links = browser.value(f"[...document.querySelectorAll('#{board} nav a')]"
                              ".map(a => a.hash.slice(1))")
        assert links and links == browser.value(
            f"[...document.querySelectorAll('#{board} section')].map(s => s.id)")
    ids = browser.value("[...document.querySelectorAll('article, section, figure, table[id]')]"
                        ".map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_the_configuration_is_chosen_for_charts_and_tables(browser, address):
    opened(browser, address, 1280)
    rows = "document.querySelectorAll('#fig-phases-timer-virt-a72 .mark-rect path').length"
    every = browser.value(rows)
    assert every == 2 * 4 + 2 * 8  # native and direct have four phases, the others eight
    choose(browser, "config", "trapped-sw")
    wait_for(browser, DRAWN, "virt-a72")
    assert browser.value(rows) == 4 + 8
    shown = browser.value("[...document.querySelectorAll('#tab-storm-virt-a72 tbody tr')].filter("
                          "row => !row.hidden).map(row => row.cells[0].textContent)")
    assert set(shown) == {"native", "trapped-sw"}


def test_a_number_leads_to_its_row_of_the_summary(browser, address):
    opened(browser, address, 1280)
    for board in ("virt-a72", "gem5-a72"):
        link = f"document.querySelector('#{board} .band .value a')"
        shown = browser.value(f"{link}.textContent")
        browser.value(f"location.hash = {link}.hash")
        marked = f"document.querySelector('#{board} tr.marked')"
        wait_for(browser, f"!!{marked}", True)
        head = browser.value(f"[...document.querySelectorAll('#{board} .raw th')]"
                             ".map(cell => cell.textContent)")
        row = dict(zip(head, browser.value(f"[...{marked}.cells].map(cell => cell.textContent)")))
        assert (row["bench"], row["variant"], row["config"]) == (
            "timer_wakeup", "busy-handler", "native")
        assert shown.split("\u00a0")[0] == row["p50"]
    assert browser.errors() == []


def test_downloads_are_the_records(browser, address):
    opened(browser, address, 1280)
    made = browser.value("document.querySelector('#virt-a72 .records').download")
    assert made == "virt-a72-default.jsonl.gz"
    browser.value("""fetch(document.querySelector('#virt-a72 .records').href).then(async found => {
      const text = found.body.pipeThrough(new DecompressionStream('gzip'));
      window.text = await new Response(text).text(); })""".replace("\n", " ") + " && 0")
    wait_for(browser, "!!window.text", True)
    assert browser.value("window.text") == report_log("default", board="virt-a72").decode()
    browser.value("""fetch(document.querySelector('#virt-a72 .csv').href).then(async found => {
      window.rows = await found.text(); }) && 0""")
    wait_for(browser, "!!window.rows", True)
    assert browser.value("window.rows") == summary_csv(
        read_log(report_log("default", board="virt-a72")))


def test_a_pointer_at_a_mark_is_answered(browser, address):
    """With samples, percentiles, the largest, and what the window is."""
    opened(browser, address, 1280)
    for figure in ("fig-phases-timer-virt-a72", "fig-failover-virt-a72", "fig-links-virt-a72"):
        said = ""
        for shift in range(20):  # a browser without a window may have no frame yet
            at = browser.value(MIDDLE.format(figure=figure))
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=at["x"] + shift % 2,
                         y=at["y"])
            time.sleep(0.1)
            said = browser.value(f"document.querySelector({TIP!r})?.textContent || ''")
            if said:
                break
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        wait_for(browser, f"!!document.querySelector({TIP!r})", False)
        assert re.search(r"n [\d,\u202f\u00a0 ]+, p50 .*, p99 .*, max .*; window: [^:]+: \S+ \S",
                         said), said


def press(browser, key: str, code: int) -> None:
    for kind in ("rawKeyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                     windowsVirtualKeyCode=code, text="\r" if key == "Enter" else "")


def test_keys_choose_a_board_and_follow_a_number(browser, address):
    opened(browser, address, 1280)
    for wanted in ("document.activeElement.id", "document.activeElement.closest('.value') && 'a'"):
        for _ in range(60):
            press(browser, "Tab", 9)
            if browser.value(wanted) in ("board", "a"):
                break
        else:
            raise AssertionError(f"Tab never comes to {wanted}")
        if "id" in wanted:
            shown = browser.value("getComputedStyle(document.activeElement).outlineStyle")
            press(browser, "ArrowDown", 40)
            wait_for(browser, f"{DRAWN} !== 'virt-a72' && !!{DRAWN}", True)
            assert shown == "solid"
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter",
                 windowsVirtualKeyCode=13, text="\r")
    wait_for(browser, "!!document.querySelector('article:not([hidden]) tr.marked')", True)


def test_it_prints_unfolded_and_on_white(browser, address):
    opened(browser, address, 1280)
    folded = "[...document.querySelectorAll('article:not([hidden]) section details')]"
    assert browser.value(f"{folded}.some(one => !one.open)")
    printed = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    assert printed.startswith(b"%PDF-") and printed.count(b"/Type /Page\n") > 5
    assert browser.value(f"{folded}.every(one => one.open)")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    white = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    assert white in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")


def test_a_against_b(browser, tmp_path):
    """What changed, and a number of either that leads to its row."""
    made = [Board(f"{side}-virt-a72", {"default": Source("default", read_log(
        report_log("default", **more)))}, side) for side, more in (("A", {}), ("B", {}))]
    path = tmp_path / "index.html"
    path.write_text(page.render(made, []))
    browser.open(path.as_uri(), 1280)
    wait_for(browser, DRAWN, "A-virt-a72")
    assert browser.errors() == [] and browser.value(BEYOND) == []
    links = browser.value("[...document.querySelectorAll('article:not([hidden]) [id^=tab-same] a')]"
                          ".map(a => a.hash).filter(hash => hash.startsWith('#row/'))")
    for side in "AB":
        one = next(link for link in links if link.startswith(f"#row/{side}-"))
        browser.value(f"location.hash = {one!r}")
        wait_for(browser, f"!!document.querySelector('#{side}-virt-a72 tr.marked')", True)
    assert browser.errors() == []


def test_words_are_legible_in_the_dark(browser, address):
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    opened(browser, address, 1280)
    colours = browser.value("[document.body, document.querySelector('figure svg text')].map("
                            "element => getComputedStyle(element))"
                            ".map(style => [style.backgroundColor, style.fill, style.color])")
    browser.call("Emulation.setEmulatedMedia", features=[])
    assert colours[0][0] == "rgb(20, 23, 26)" and colours[1][1] == "rgb(228, 230, 232)"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_captured_records(browser, tmp_path, width):
    made = [Board(name, {plan: Source(plan, read_log(report_log(plan, "silicon", **more)))
                         if plan in there else Source(plan, Log(), uncaptured=True)
                         for plan in plans("silicon")})
            for name, (more, there) in CAPTURED.items()]
    path = tmp_path / "index.html"
    path.write_text(page.render(made, []))
    browser.open(path.as_uri(), width)
    wait_for(browser, DRAWN, "rpi4")
    choose(browser, "board", "arndale")
    wait_for(browser, DRAWN, "arndale")
    assert browser.errors() == [] and browser.value(BEYOND) == []
    text = browser.value("document.body.textContent").replace("\u00a0", " ")
    assert "1 tick (18.52 ns)" in text and "1 tick (41.67 ns)" in text
    assert "not modelled here" not in text and "instruction counter" not in text
    assert ("On arndale that is make sdcard BOARD=arndale PLAN=interrupts (or make tftp), then make"
            " capture BOARD=arndale TTY=…." in text)


def test_the_page_needs_nothing_else(html):
    markup = re.sub(r"<script[ >].*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"<(link rel=.stylesheet|iframe|img|object)", markup)
    outside = set(re.findall(r'(?:src|href)="([^"#][^"]*)"', markup)) - {"data:,"}
    assert outside == {published("peers")["silicon"]["url"]} and "url(" not in markup
    assert len(html.encode()) <= 5_000_000


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


def test_a_figure_that_is_not_drawn_is_seen(browser, html, tmp_path):
    path = tmp_path / "empty.html"
    path.write_text(html.replace("await vegaEmbed(", "if (!figure.id.includes('storm'))"
                                 " await vegaEmbed("))
    opened(browser, path.as_uri(), 390)
    assert [one["id"] for one in browser.value(FIGURES) if not one["marks"]] == [
        "fig-storm-virt-a72"]
