# SPDX-License-Identifier: Apache-2.0
"""The text of the page's first section alone answers the five questions of a reader with two
minutes. Each answer is computed here from the kept records."""

import html
import json
import lzma
import re
from functools import cache

import pytest

from hypbench.bound import committed
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


@cache
def record(bench: str, variant: str, config: str) -> dict:
    """Return the record of a benchmark in the model's kept run; both passes have the same
    median."""
    raw = lzma.decompress((HOME / "reference" / MODEL / "timed.jsonl.xz").read_bytes())
    found = [body for body in map(json.loads, raw.splitlines()) if body["kind"] == "bench" and (
        body["bench"], body["variant"], body["config"]) == (bench, variant, config)]
    assert found and len({body["p50"] for body in found}) == 1, found
    return found[0]


def moved(*path: str) -> bool:
    """Return whether a path's length has changed since the kept run, so that its time is not
    shown."""
    (board,) = boards_of([Job(Tree(HOME), MODEL, "timed")])
    return board.source("timed").row(*path) is None


def test_the_first_section_takes_two_minutes():
    assert len(answer().split()) <= WORDS_MOST


def test_what_a_trapped_interrupt_costs_in_microseconds():
    path = ("timer_wakeup", "busy-vector")
    said = card("interrupt: timer to vector")
    if moved(*path, "trapped"):
        assert f"No run of {MODEL} with the time of this path (trapped) is kept." in said
        return
    trapped, native = (record(*path, config) for config in ("trapped", "native"))
    cost_us = (trapped["p50"] - native["p50"]) * 1e6 / trapped["hz"]
    (shown,) = re.findall(r"^.{1,60}?\+([\d.]+) µs trapped, model", said)
    assert float(shown) == pytest.approx(cost_us, abs=0.0006)


@pytest.mark.parametrize("config", ["native", "direct", "trapped"])
def test_which_share_of_a_core_a_thousand_interrupts_take(config):
    path = ("irq_phases", "timer-total", config)
    said = card("share of a core at 1000 interrupts/s").partition("The share")[0]
    if moved(*path):
        assert f" {config}" not in said
        return
    found = record(*path)
    (shown,) = re.findall(rf"([\d.]+) % {config}\b", said)
    assert float(shown) == pytest.approx(100 * 1000 * found["p50"] / found["hz"], abs=0.0006)


def test_later_than_what_an_interrupt_never_is():
    kinds = {name: row["ceiling"] for name, row in committed.read(HOME, CORE, COMPILER)[
        "kinds"].items() if not row.get("instrument")}
    switch = max(kinds[f"{cause}, with a VM switch"]
                 for cause in ("hypervisor's timer", "interrupt of another vCPU"))
    most = max(kinds.values()) + kinds["kick by another core"] + switch
    (shown,) = re.findall(r"^ ([\d\u202f]+) instr proven", card("never later than"))
    assert int(shown.replace("\u202f", "")) == most


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
