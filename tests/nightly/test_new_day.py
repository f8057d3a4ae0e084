# SPDX-License-Identifier: Apache-2.0
"""The day of a new user: a run, a second run, a baseline, a comparison with JUnit, and the page in
a browser at the widths of a desk, a tablet and a phone, in light and dark."""

import base64
import json
import shutil
import subprocess
import time
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from chromium import DRAWN, SHOWN, Chromium, running_browser  # noqa: F401
from hypbench.tree import HOME
from lab import TREE
from mistakes import IMPOSSIBLE, WRONG_WORDS

pytestmark = [pytest.mark.nightly, pytest.mark.group("a new user's day")]

LIMIT_S = 1800  # a command that takes longer hangs
PICTURE_PX = 16_000  # Chromium draws no higher picture
PICTURES = TREE.builds / "new-day"  # the page at each width, for a look
BACK = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}
OPEN = "document.querySelectorAll('article:not([hidden]) details').forEach(one => one.open = true)"
# Numbers that a box cuts off without a way to scroll, or without the hint. The last cell of a row
# has 9 pixels of padding at its right.
CLIPPED = f"""[...document.querySelectorAll('{SHOWN} .value, {SHOWN} td.number')].filter(one => {{
  const box = one.closest('.box'), right = one.getBoundingClientRect().right;
  if (one.scrollWidth > one.clientWidth + 1) return true;
  if (!box) return right > document.documentElement.clientWidth + 0.5;
  return right > box.getBoundingClientRect().right + 4 && !box.classList.contains('wide');
}}).map(one => one.textContent)"""


def make(tree: Path, *words: str, status: int = 0) -> str:
    """Return only standard output, as a pipe has it."""
    done = subprocess.run(["make", *words], cwd=tree, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, errors="replace", timeout=LIMIT_S, check=False)
    assert done.returncode == status, (done.stdout + done.stderr)[-20_000:]
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A clone with nothing built."""
    if not (HOME / ".git").exists():
        pytest.skip("this tree is no clone")
    path = tmp_path_factory.mktemp("day") / "hypbench"
    subprocess.run(["git", "clone", "-q", HOME, path], check=True)
    make(path, "setup")
    return path


def test_mistakes_are_one_line_and_build_nothing(tree):
    """This comes before the first build of this tree, so that a build would be seen."""
    for lines, mistakes in ((1, WRONG_WORDS), (2, IMPOSSIBLE)):
        for words, says in mistakes:
            done = subprocess.run(["make", *words], cwd=tree, stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, timeout=LIMIT_S, check=False)
            said = done.stdout + done.stderr
            assert done.returncode == 2 and says in said, said
            assert len(said.splitlines()) == lines, said
    assert len(WRONG_WORDS) + len(IMPOSSIBLE) > 15
    assert list((tree / "build").glob("*/*.o")) == list((tree / "build").glob("*/hyp")) == []
    assert not (tree / "runs").exists()


def test_the_day(tree):
    first = make(tree, "bench", "SAVE=before")
    assert len(first.splitlines()) <= 40
    assert not [line for line in first.splitlines() if line.split()[:1] in (["CC"], ["LD"])]
    make(tree, "bench")
    assert len(list((tree / "runs" / "virt-a72" / "default").glob("*.jsonl"))) == 2
    assert "before" in make(tree, "runs")
    make(tree, "compare", "A=before", "THRESHOLD=0", "FORMAT=junit=compare.xml")
    suite = xml.parse(tree / "compare.xml").getroot()
    assert len(list(suite.iter("testcase"))) > 50
    assert not list(suite.iter("failure"))
    assert len(make(tree, "bound").splitlines()) <= 40
    make(tree, "report")


def take_picture(browser: Chromium, path: Path) -> None:
    """Write the page from its top, as far as a picture can be high."""
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], PICTURE_PX),
            "scale": 1}
    taken = browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(taken["data"]))


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium: tools/setup.sh report")
@pytest.mark.parametrize("mode", BACK)
@pytest.mark.parametrize("width", [1400, 900, 390])
def test_the_page_shows_every_number(tree, browser, width, mode):
    page = tree / "build" / "report" / "index.html"
    if not page.is_file():
        make(tree, "report")
    browser.prefer(mode)
    browser.open(page.as_uri(), width)
    browser.wait_for(DRAWN)
    take_picture(browser, PICTURES / f"{width}-{mode}.png")
    browser.value(OPEN)
    time.sleep(1)  # the hints follow the event of an opened box
    assert browser.value(DRAWN) == "virt-a72", browser.errors()
    assert browser.value("getComputedStyle(document.body).backgroundColor") == BACK[mode]
    assert browser.value(f"document.querySelectorAll('{SHOWN} .value').length") > 10
    assert browser.value(CLIPPED) == []
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.errors() == [], json.dumps(browser.errors())
