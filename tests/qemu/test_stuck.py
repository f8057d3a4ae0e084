# SPDX-License-Identifier: Apache-2.0
"""A guest whose exception vector faults itself executes nothing, so that under icount no time goes
by: the tools notice, end QEMU, and keep what came before."""

import struct

import pytest
from click.testing import CliRunner

from hypbench.cli import main
from hypbench.records import read_log
from lab import board_facts, image_of

PLAN = "order once\nlimit_ms 200\nconfig trapped\nbench hvc n=50\nbench hostile_loop\nbench hvc\n"
# Vectors are in the image itself: adr x1, .; msr vbar_el1, x1; isb. add r0, pc, #56;
# mcr p15, 0, r0, c12, c0, 0. After them everything is udf #0.
OWN_VECTORS = {"armv8": [0x10000001, 0xd518c001, 0xd5033fdf, *[0x00000000] * 500],
               "armv7": [0xe28f0038, 0xee0c0f10, *[0xe7f000f0] * 500]}
SAYS = "no instruction was executed any more"


LIMIT_S = 3600  # no test says how long it takes: QEMU's processor time alone ends these runs


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("hypbench.watch.STUCK_S", 0.5)


def hypbench(*words: object):
    result = CliRunner().invoke(main, list(map(str, words)))
    assert isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.planted("vectors fault")
def test_a_run_ends_by_itself_and_keeps_what_came_before(built, tmp_path, monkeypatch):
    image = image_of(built, "vectors fault")
    monkeypatch.setattr("hypbench.session.read_bytes", lambda path: image)
    plan = tmp_path / "p.plan"
    plan.write_text(PLAN)
    result = hypbench("run", "--board", built, "--plan", plan, "--out", tmp_path)
    assert result.exit_code == 1
    lines = [line for line in result.stderr.splitlines() if SAYS in line]
    assert len(lines) == 1 and "in step 2 of 3, hostile_loop trapped (pass 0): " in lines[0]
    log = read_log((tmp_path / "records.jsonl").read_bytes())
    assert [step["outcome"] for step in log.of_kind("step")] == ["done"]
    assert {data["step"] for data in log.of_kind("bench")} == {0}


def test_a_guest_that_is_not_our_own(built, tmp_path):
    image = tmp_path / "image"
    words = OWN_VECTORS[board_facts(built)["ISA"]]
    image.write_bytes(struct.pack(f"<{len(words)}I", *words))
    result = hypbench("run-guest", "--board", built, "--clock", "icount", "--limit", LIMIT_S, image)
    assert result.exit_code == 1 and SAYS in result.stderr.splitlines()[-1]
