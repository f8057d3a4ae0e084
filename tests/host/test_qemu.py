# SPDX-License-Identifier: Apache-2.0
"""QEMU's command line, and the boards that the installed QEMU can run."""

import pytest

from hypbench.boardfile import board_numbers
from hypbench.tree import Tree


def test_what_a_board_includes_is_its_own(bench):
    bench.write("boards/machine/parts.mk", "CPU := cortex-a15\nHYP_BASE := 0x1000\n")
    bench.write("boards/machine/parts.c.inc", ".store_base = 0x2000,\n")
    bench.write("boards/mine/board.mk", "ISA := armv7\ninclude boards/machine/parts.mk\n")
    bench.write("boards/mine/board.c", """const struct board board = {
#include "boards/machine/parts.c.inc"
};
""")
    tree = Tree(bench.root)
    assert "machine" not in tree.boards()
    assert tree.board_facts("mine") == {"ISA": "armv7", "CPU": "cortex-a15", "HYP_BASE": "0x1000"}
    assert board_numbers(bench.root / "boards/mine") == {"HYP_BASE": 0x1000, "store_base": 0x2000}


def test_run_takes_that_image(bench):
    image = bench.out / "hypbench.elf"
    image.rename(image.with_suffix(".bin"))
    board = bench.root / "boards" / "virt-a72" / "board.mk"
    board.write_text(board.read_text() + "QEMU_IMAGE := hypbench.bin\n")
    result = bench.run()
    assert result.exit_code == 0, result.output
    assert (bench.out / "hypbench-run.bin").is_file()


@pytest.mark.parametrize("needs, runs", [("9.0", False), ("8.2.1", True), ("8.2", True)])
def test_dev_boards_lists_what_the_installed_qemu_can_run(bench, needs, runs):
    bench.set_qemu(b"QEMU emulator version 8.2.1 (Debian)\n")
    bench.write("boards/newer/board.mk", f"QEMU := {bench.qemu} -M new\nQEMU_NEEDS := {needs}\n")
    result = bench("dev", "boards")
    assert result.exit_code == 0
    assert result.stdout.split() == ["newer", "virt-a72"][not runs:]
    assert "silicon: QEMU does not have it" in result.stderr
    assert ("newer: " in result.stderr) == (not runs)
