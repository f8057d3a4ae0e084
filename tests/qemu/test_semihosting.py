# SPDX-License-Identifier: Apache-2.0
"""The emulator gives a guest nothing by semihosting: arch/semihosting.c."""

from pathlib import Path


from assembler import assemble
from image import GUEST_IMAGE_OFFSET, find_guest, patched, read_header
from lab import Job, board_facts

CONFIGS = ("native", "direct", "trapped")
PLAN = "order once\n" + "".join(f"config {name}\n" for name in CONFIGS) + "bench semihosting\n"


def asking_guest(folder: Path):
    def change(image: bytes, board: str) -> bytes:
        home = int(board_facts(board)["GUEST_BASE"], 16) + GUEST_IMAGE_OFFSET
        new = assemble(board, "bench", home, f'FOLDER="{folder}"',
                       also=("semihosting.c",)).binary
        assert len(new) <= read_header(image, board)["image_size"]
        return patched(image, find_guest(image, board), new)
    return change


def test_a_guest_gets_no_command_and_no_file_of_the_host(lab, built, tmp_path):
    kept = tmp_path / "kept"
    kept.write_bytes(b"")
    result = lab.run(Job(built, PLAN, change=asking_guest(tmp_path)))
    assert list(tmp_path.iterdir()) == [kept], result.explain()
    steps = {step["config"]: step["outcome"] for step in result.records("step")}
    assert steps == dict.fromkeys(CONFIGS, "done")
    assert result.status == 0 and result.log.problems == [], result.explain()
