# SPDX-License-Identifier: Apache-2.0
"""The text of the page's first section alone answers the five questions of a reader with two
minutes. Each answer is computed here from the kept records."""

import html
import re
from functools import cache

import pytest

from hypbench.frame import Board
from hypbench.html import page
from hypbench.html.runs import Job, boards_of
from hypbench.tree import HOME, Tree
from reportpages import changed, source

MODEL, CORE, COMPILER = "gem5-a72", "virt-a72", "12.2.0"
WORDS_MOST = 500  # a reader reads some 250 words a minute


def of_compiler(body: dict) -> None:
    if body["kind"] == "run":
        body["compiler"] = COMPILER


@cache
def answer() -> str:
    """Return the first section as a reader sees it, up to its first figure."""
    counted = Board(CORE, {"default": source("default", raw=changed("default", of_compiler))})
    boards = [counted, *boards_of([Job(Tree(HOME), MODEL, "timed")])]
    (section,) = re.findall(rf'<section id="answer-{CORE}".*?</section>',
                            page.render(boards, []), re.DOTALL)
    text = html.unescape(re.sub("<[^>]+>", " ", section.partition("<figure id=")[0]))
    return re.sub(r"[ \n\u00a0]+", " ", text)


def card(name: str) -> str:
    """Return the text of the section from a card's name on."""
    found = answer().partition(name)[2]
    assert found, answer()
    return found


def test_the_first_section_takes_two_minutes():
    assert len(answer().split()) <= WORDS_MOST


def test_how_far_each_other_hypervisor_is():
    said = card("interrupt: timer to vector").partition("hypercall")[0]
    (base,) = re.findall(r"one probe: hypbench (\d+)", said)
    found = {name: (int(theirs), float(factor)) for name, theirs, factor in re.findall(
        r"(Bao|Xvisor|Xen|KVM) \S+ (\d+) ×([\d.]+)", said)}
    assert set(found) == {"Bao", "Xvisor", "Xen", "KVM"}, said
    assert all(factor == pytest.approx(theirs / int(base), abs=0.06)
               for theirs, factor in found.values()), (base, found)


def test_what_a_number_is_worth():
    worth = card("The counter (QEMU) counts every instruction exactly, and an instruction is not a")
    assert "so a time of the model is an estimate that no board confirms" in worth
    assert "A board's own run gives the time of that core, and no such run is kept" in worth
