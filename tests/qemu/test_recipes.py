# SPDX-License-Identifier: Apache-2.0
"""Guests by name: Debian's Linux with a shell, and its U-Boot, with commands typed as by a user."""

import pexpect
import pytest

from fetched import missing
from hypbench.guests.recipes import RECIPES
from lab import ROOT, board_facts

pytestmark = pytest.mark.run_guest

LIMIT_S = 300  # a run that takes longer hangs
# The guests stress and cyclictest have no prompt: see test_beside_linux.py,
# test_linux_cyclictest.py.
PROMPT = {
    "linux": "/ # ", "uboot": "=> "}
QUESTIONS = {"linux": ("echo $((6 * 7))", "42"), "uboot": ("echo 4${arch}2", "4arm2")}


@pytest.mark.nightly
@pytest.mark.parametrize("name", PROMPT)
def test_it_has_a_prompt_and_powers_off(built, name):
    if reason := missing(name, lambda: RECIPES[name](board_facts(built)["ISA"])):
        pytest.skip(reason)
    child = pexpect.spawn(str(ROOT / "build" / "venv" / "bin" / "hypbench"),
                          ["run-guest", "--board", built, "--limit", str(LIMIT_S), name],
                          timeout=LIMIT_S, encoding="utf-8", codec_errors="replace")
    question, answer = QUESTIONS[name]
    if name == "uboot":
        child.expect("Hit any key")
        child.send("\r")
    child.expect_exact(PROMPT[name])
    child.send(f"{question}\r")
    child.expect_exact(f"{answer}\r")
    child.expect_exact(PROMPT[name])
    child.send("poweroff\r")
    child.expect("the guest powered off after")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
