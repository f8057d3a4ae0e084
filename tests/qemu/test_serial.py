# SPDX-License-Identifier: Apache-2.0
"""A run over a serial line: how long the default plan's output takes, and that a capture of it is
the run."""

import os
import re
import threading
import tty

import pytest
from click.testing import CliRunner

import test_run
from hypbench import capture
from hypbench.cli import main
from lab import PLATFORM, TREE

BYTES_A_SECOND = 115200 // 10  # 8N1: ten bits a byte
LIMIT_S = 60
BUCKETS = 40  # in use at most, when each sample has a length of its own
BUCKET = len("[1234,5],")

DEFAULT = TREE.plan_text("default")
BOTH_CLOCKS = re.sub(r"^(config .*)$", r"\1 cycles=on", DEFAULT, flags=re.MULTILINE)


def spread_size(result) -> int:
    """Under the instruction counter a histogram has one bucket; a board's clocks spread it."""
    more = sum((min(BUCKETS, record["n"]) - 1) * BUCKET * (1 + ("cycles_hist" in record))
               for record in result.records("bench"))
    return len(result.console) + more


@pytest.mark.long
@pytest.mark.job(BOTH_CLOCKS)
def test_the_default_plan_passes_a_serial_line_in_time(result):
    """As a board prints it, with the cycle counter beside the ticks."""
    assert sum("cycles_hist" in record for record in result.records("bench")) > 400
    size = spread_size(result)
    assert size < LIMIT_S * BYTES_A_SECOND, f"{size / BYTES_A_SECOND:.1f} s at 115200 8N1"


@pytest.mark.job(test_run.PLAN)
def test_a_capture_of_it_is_the_run(result, board, tmp_path, monkeypatch):
    for folder in ("boards", "plans"):
        (tmp_path / folder).symlink_to(TREE.root / folder)
    master, slave = os.openpty()
    tty.setraw(slave)

    def send() -> None:
        sent = 0
        while sent < len(result.console):
            sent += os.write(master, result.console[sent:sent + 512])

    class Line(capture.Line):
        def __init__(self, *words):
            super().__init__(*words)
            threading.Thread(target=send, daemon=True).start()

    monkeypatch.setattr(capture, "Line", Line)
    try:
        done = CliRunner().invoke(main, [
            "--root", str(tmp_path), "capture", "--board", board, "--tty", os.ttyname(slave),
            "--platform", PLATFORM, "--quiet"])
    finally:
        os.close(slave)
        os.close(master)
    assert done.exit_code == 0, done.output
    assert "none is missing" in done.stdout
    kept = (tmp_path / "build" / board / "records.jsonl").read_bytes()
    assert kept == result.console.replace(b"\r", b"")
