# SPDX-License-Identifier: Apache-2.0
"""A guest cannot use the emulator's semihosting (arch/semihosting.c)."""

from pathlib import Path


from assembler import assemble
from image import guest_home, replaced
from lab import Job

CONFIGS = ("native", "direct", "trapped")
PLAN = "order once\n" + "".join(f"config {name}\n" for name in CONFIGS) + "bench semihosting\n"


def asking_guest(folder: Path):
    return lambda image, board: replaced(image, board, assemble(
        board, "bench", guest_home(board), f'FOLDER="{folder}"', sources=("semihosting.c",)).binary)


def test_a_guest_gets_no_command_and_no_file_of_the_host(lab, built, tmp_path):
    file = tmp_path / "kept"
    file.write_bytes(b"")
    result = lab.run(Job(built, PLAN, change=asking_guest(tmp_path)))
    assert list(tmp_path.iterdir()) == [file], result.explain()
    steps = {step["config"]: step["outcome"] for step in result.records("step")}
    assert steps == dict.fromkeys(CONFIGS, "done")
    assert result.status == 0 and result.log.problems == [], result.explain()
