# SPDX-License-Identifier: Apache-2.0
"""The parts of a guest get places that do not overlap, and places in the store. The plan describes
these to the hypervisor."""

from itertools import combinations
from pathlib import Path

import pytest

import golden
from guestfiles import A64_LOOP, MIB, arm64_image, elf, zimage
from hypbench.guests.formats import read_image
from hypbench.guests.machine import (BadGuest, Board, check_ram, machine_of, read_board,
                                     size_of)
from hypbench.guests.placement import Piece, loads, place
from hypbench.tree import Tree

RAM = 0x40000000
TREE = Tree()
A72, A15, V3 = (read_board(TREE, name) for name in ("virt-a72", "virt-a15", "virt-a72-gicv3"))


def layout_of(tmp_path: Path, content: bytes, board: Board = A72, ram: int = 256 * MIB,
              initrd: int = 0, address: int | None = None, native: bool = False):
    (tmp_path / "image").write_bytes(content)
    image = read_image(tmp_path / "image", board.isa, board.store_size, address is not None)
    if initrd:
        with (tmp_path / "initrd").open("wb") as file:
            file.truncate(initrd)
    layout = place(image, machine_of(board, 1, ram, native), address,
                   tmp_path / "initrd" if initrd else None)
    for first, second in combinations(layout.room, 2):
        assert first.end <= second.address or second.end <= first.address, (first, second)
    return layout


def elf_of(*starts: int, sizes: tuple[int, ...] = (4, 4096)) -> bytes:
    """Return an ELF with segments at these addresses, each with the bytes of memory of every number
    in `sizes`."""
    return elf(segments=tuple((start, start, A64_LOOP, size)
                              for start, size in zip(starts, (*sizes, *[4] * len(starts)))))


def at(address: int, content: bytes = A64_LOOP, **more) -> dict:
    return {"content": content, "address": address} | more


ARM64, ZIMAGE = arm64_image(4096), zimage(6 * MIB)
# arch/arm/booting.rst: a zImage is above 32 MiB, the other parts above 128 MiB. A raw binary does
# not state how much memory it needs, so its device tree is far above it.
LAYOUTS = {
    **{f"arm64 Image, text_offset {offset:#x}": {
        "content": arm64_image(4096, offset, 5 * MIB), "initrd": 3 * MIB}
       for offset in (0, 0x80000, 0x1000)},
    "arm64 Image with 2 MiB of RAM": {"content": ARM64, "ram": 2 * MIB},
    "arm64 Image, native": {"content": ARM64, "native": True},
    **{f"zImage with {ram} MiB of RAM": {
        "content": ZIMAGE, "board": A15, "ram": ram * MIB, "initrd": 5 * MIB}
       for ram in (4, 8, 12, 32, 64, 128, 130, 256)},
    **{f"raw binary of {size} bytes with {ram} MiB of RAM on {board.name}": {
        "content": A64_LOOP.ljust(size, b"\0"), "board": board, "ram": ram * MIB, "initrd": 100}
       for board in (A72, A15)
       for size, ram in ((4, 256), (4, 64), (4, 8), (200 * MIB, 256))},
    "raw binary with 2 MiB of RAM": {"content": A64_LOOP, "ram": 2 * MIB},
    **{f"raw binary at {address:#x}": at(address) for address in (
        0x40000000, 0x401ff000, 0x40200000, 0x48000004, 0, 0x04000000)},
    **{f"raw binary of 8 bytes at {address:#x}": at(address, A64_LOOP * 2) for address in (
        0x3ffffffc, 0x4ffffffe, 0x4ffffffc, 0x50000000, 0x08000000, 0x07fffffc, 0x10)},
    "raw binary in flash, native": at(0, native=True),
    "ELF": {"content": elf_of(0x40300000, 0x48000000), "initrd": 1},
    "ELF in flash": {"content": elf_of(0, 0x40000000)},
    "ELF outside of RAM": {"content": elf_of(0x80000000)},
    "ELF with segments that overlap": {"content": elf_of(0x40200000, 0x40200004, sizes=(8, 4))},
    "ELF of 7 segments": {"content": elf_of(*(RAM + n * 4096 for n in range(1, 8)),
                                            sizes=(4, 4))}}


def described(layout) -> str:
    image = ", ".join(f"{piece.address:#x}+{piece.size}" for piece in layout.image)
    initrd = f", initrd {layout.initrd.address:#x}+{layout.initrd.size}" if layout.initrd else ""
    return f"image {image}, entry {layout.entry:#x}, device tree {layout.dtb:#x}{initrd}"


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_places_of_a_guests_parts(tmp_path, name):
    """golden/guest-layouts.json has the places, or the message if the parts do not fit."""
    try:
        answer = described(layout_of(tmp_path, **LAYOUTS[name]))
    except BadGuest as error:
        answer = error.message
    golden.check_case("guest-layouts", name, answer)


def test_ram_that_the_parts_do_not_fit_in_names_what_would_do(tmp_path):
    image = arm64_image(4096, memory=30 * MIB)
    with pytest.raises(BadGuest, match="the arm64 Image .* GUEST_RAM=34M would hold it"):
        layout_of(tmp_path, image, ram=16 * MIB)
    for ram in range(2, 60, 2):
        try:
            layout_of(tmp_path, image, ram=ram * MIB, initrd=9 * MIB)
        except BadGuest:
            continue
        break
    assert ram == 44  # MiB: 2 + 30 + 2 + 10
    with pytest.raises(BadGuest, match="GUEST_RAM=42M is too little: the initrd .* need 44M"):
        layout_of(tmp_path, image, ram=42 * MIB, initrd=9 * MIB)


def test_more_than_the_store_holds(tmp_path):
    with (tmp_path / "initrd").open("wb") as file:
        file.truncate(A72.store_size - 2 * MIB)
    pieces = [Piece("the Image", RAM, 4096, bytes(4096)),
              Piece("the initrd", RAM, A72.store_size - 2 * MIB, tmp_path / "initrd")]
    loads(pieces, A72, tmp_path)
    with pytest.raises(BadGuest, match="the store of board 'virt-a72' has 896M"):
        loads([*pieces, Piece("one more", RAM, 1, b"x")], A72, tmp_path)


@pytest.mark.parametrize("board", [A72, A15, V3])
def test_more_ram_than_the_board_has(board):
    check_ram(board, board.ram_size)
    with pytest.raises(BadGuest, match=f"GUEST_RAM=1026M: board '{board.name}' has 1G of RAM for"
                                       f" guests .boards/{board.name}/board.c, guest_size"):
        check_ram(board, board.ram_size + 2 * MIB)
    for size in (0, MIB, 3 * MIB):
        with pytest.raises(BadGuest, match="must be a multiple of 2M"):
            check_ram(board, size)


def test_sizes():
    assert [size_of(text) for text in ("256M", "1G", "64", "2048k", "16MiB")] == [
        256 * MIB, 1 << 30, 64 * MIB, 2 * MIB, 16 * MIB]
