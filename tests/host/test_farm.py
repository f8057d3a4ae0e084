# SPDX-License-Identifier: Apache-2.0
"""Tests of the farm without a rack: contradictions between a place's tags and its run, and how long
the farm waits for a board that prints. tests/nightly/test_farm.py has whole runs."""

import json
import re
from itertools import count
from pathlib import Path

import pytest

from hypbench import runs_cli
from hypbench.farm import attempt, campaign
from hypbench.farm.attempt import RESETS, START_S, Patience, with_progress
from hypbench.farm.identity import contradictions
from hypbench.farm.payload import Payload, card_of, network
from hypbench.farm.places import Place
from hypbench.plan_language import parse
from hypbench.records import Log, read_log
from hypbench.session import Runs
from hypbench.store import KeptRun
from hypbench.tree import Tree
from logmaker import frame, log_of, sample_run

BOARD, IMAGE = "virt-a72", b"... b1-dirty\0 ... b1\0 ..."
RUN = sample_run("silicon")[0] | {"build": "b1", "plan": "mine", "board": BOARD}
PLAN = parse("limit_ms 5000\nconfig native\nconfig trapped\nbench hvc n=10\n")
SILENCE_S = 120.0


def log_with(**members) -> Log:
    log = Log()
    log.feed(frame(0, RUN | members))
    return log


def contradictions_of(log: Log) -> list[str]:
    return list(contradictions(Tree(), BOARD, IMAGE, "mine", log))


# ---- contradictions between a run record and its place

def test_the_right_run_has_no_contradiction():
    assert contradictions_of(log_with()) == [] and contradictions_of(Log()) == []


@pytest.mark.parametrize("members, says", [
    ({"board": "virt-a15"}, "the image that runs there is of board virt-a15, and the place's tag is"
     " board=virt-a72"),
    ({"cpu": "0x410fd034"}, "the core there is a Cortex-A53, and virt-a72 has a cortex-a72"),
    ({"gic": "v3"}, "the interrupt controller there is a GICv3, not a gicv2"),
    ({"build": "b2"}, "the image that runs there is another build: b2"),
    ({"build": "b1-"}, "the image that runs there is another build: b1-"),
    ({"plan": "short"}, "the image that runs there has scenario short, not mine")])
def test_a_place_that_lies_is_known_by_each_member(members, says):
    assert contradictions_of(log_with(**members)) == [says]


# ---- the serial number of a place's board

class FakeAttendant:
    kind, error, last = "", "the board did not respond", ""

    def __init__(self, serial: str):
        self.serial = serial

    def image_runs(self, _) -> bool:
        return False

    def end(self) -> None:
        pass


@pytest.mark.parametrize("tag, uboot, members", [
    ("", "", {}), ("0001", "", {"serial": "0001", "serial_from": "tag"}),
    ("", "0001", {"serial": "0001", "serial_from": "u-boot"}),
    ("0001", "0001", {"serial": "0001", "serial_from": "u-boot"})])
def test_a_serial_number_is_kept_with_its_source(bench, tmp_path, monkeypatch, tag, uboot, members):
    monkeypatch.setattr(campaign, "Attendant", lambda *_: FakeAttendant(uboot))
    tree, place = Tree(bench.root), Place("rack-1", {"board": BOARD, "serial": tag})
    whole = campaign.Campaign(tree, Path(), PLAN, "silicon", None, 1, 1, print)
    monkeypatch.setattr(campaign, "payload", lambda *_: Payload([], [], IMAGE))
    result = campaign.result_at(whole, place)
    trial = campaign.Attempt(whole, place, Payload([], [], IMAGE), tmp_path)
    trial.console.touch()
    trial.keep(read_log(log_of(sample_run())), [], result)
    entry, = json.loads((result.records.parent / "index.json").read_text())["runs"]
    assert {name: entry[name] for name in entry if name.startswith("serial")} == members
    suffix = f" (board 0001 by {members['serial_from']})" if members else ""
    assert runs_cli.places(KeptRun(**entry)) == [f"at rack-1{suffix}"]


# ---- the image over the network

BOOT = re.compile(r"boot[im] (?:0x\w+|\$\{\w+\})(?: - (\$\{\w+\}))?")


def trees_of_u_boot(text: str) -> set[str]:
    """Return the device trees that a text's commands name, "" for a command without one."""
    return set(BOOT.findall(text))


def readme_of(board: str) -> str:
    readme = Tree().root / "boards" / board / "README.md"
    return readme.read_text() if readme.is_file() else ""


def last_command(board: str, folder: Path) -> str:
    card = card_of(Tree(), board)
    if card and card.tftp:
        return card.tftp.commands.strip().splitlines()[-1]
    return network(Tree(), Place("rack-1", {"board": board}), PLAN, "silicon", folder, IMAGE)[1][-1]


@pytest.mark.parametrize("board", [board for board in Tree().boards()
                                   if trees_of_u_boot(readme_of(board))])
def test_u_boot_gets_the_device_tree_of_the_boards_readme(board, tmp_path):
    tree, = trees_of_u_boot(last_command(board, tmp_path))
    assert tree in trees_of_u_boot(readme_of(board))


def test_each_board_with_u_boot_has_its_command_in_the_readme():
    """Boards that only QEMU has are left out."""
    real = [board for board in Tree().boards()
            if Tree().board_fact(board, "IMAGES") and "virt" not in board]
    assert [board for board in real if not trees_of_u_boot(readme_of(board))] == ["vexpress-a15"]


# ---- the longest wait for a board

class FakeLine:
    def __init__(self, silence_s: float = SILENCE_S):
        self.ending, self.silence_s = "", silence_s


def follow(lines, monkeypatch, lie=lambda log: [], line=None) -> tuple[str, int]:
    """Return how an attempt ends whose board prints a line a second, and the number of lines that
    came."""
    seconds = count()
    monkeypatch.setattr(attempt, "clock", lambda: float(next(seconds)))
    line, runs, line_count = line or FakeLine(), Runs(), 0
    patience = Patience(SILENCE_S, SILENCE_S, None)
    for text in with_progress(iter(lines), line, runs, patience, lie):
        runs.log_for(text).feed(text)
        line_count += 1
        if line_count > 10_000:
            return "never", line_count
    return line.ending, line_count


def endless_text(*first: bytes):
    yield from first
    while True:
        yield b"babble\n"


def test_a_whole_run_is_followed_to_its_end(monkeypatch):
    lines = log_of(sample_run("silicon")).splitlines(keepends=True)
    assert follow(lines, monkeypatch) == ("", len(lines))


def test_a_board_that_prints_text_alone_hangs(monkeypatch):
    """Before the first record the board may print for the time of a start, and after that for the
    time of a silence."""
    ending, line_count = follow(endless_text(), monkeypatch)
    assert (ending == f"only text came for {START_S:g} s, and no record"
            and line_count <= START_S + 2)
    ending, line_count = follow(endless_text(frame(0, RUN)), monkeypatch)
    assert ending == f"only text came for {SILENCE_S:g} s, and no record"
    assert line_count <= SILENCE_S + 3


def test_a_line_that_silence_cut_is_no_text_of_a_board_that_hangs(monkeypatch):
    """The unfinished line comes when the console has ended, after the whole silence."""
    line = FakeLine()

    def cut():
        yield frame(0, RUN)
        yield from [b"text\n"] * int(SILENCE_S - 1)
        attempt.clock()  # another second
        line.ending = "silence"
        yield b"the begin of a l"
    assert follow(cut(), monkeypatch, line=line)[0] == "silence"


def test_a_board_that_resets_again_and_again_hangs(monkeypatch):
    def resets():
        while True:
            yield frame(0, RUN) + b"\n"
            yield b"U-Boot\n"
    ending, line_count = follow(resets(), monkeypatch)
    assert ending == f"the board was reset {RESETS} times" and line_count <= 2 * RESETS + 2


def test_a_lie_ends_the_attempt_at_its_run_record(monkeypatch):
    lines = [frame(0, RUN | {"plan": "short"}) + b"\n", *[b"text\n"] * 50]
    assert follow(lines, monkeypatch, contradictions_of) == ("another run", 1)


def test_the_scenario_and_no_run_record_gives_a_step_its_time():
    """A run record that allows an hour for each step makes no attempt longer."""
    patience = Patience.of(PLAN, SILENCE_S, "silicon")
    assert patience.step_s == SILENCE_S
    assert patience.whole_s == START_S + 4 * 15
    assert Patience.of(PLAN, SILENCE_S, "gem5").whole_s is None
    slow = parse("limit_ms 600000\nconfig native\nbench hvc n=10\n")
    assert Patience.of(slow, SILENCE_S, "silicon").step_s == 610


def test_a_run_record_with_an_hour_a_step_is_waited_for_as_the_scenario_says(monkeypatch):
    ending, _ = follow(endless_text(frame(0, RUN)), monkeypatch, line=FakeLine(3600.0))
    assert ending == f"only text came for {SILENCE_S:g} s, and no record"
