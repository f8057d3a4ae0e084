# SPDX-License-Identifier: Apache-2.0
"""Where a guest finds its parts, that none lies in another, where they lie in the store, and the
plan that says so to the hypervisor."""

from itertools import combinations
from pathlib import Path

import pytest

from guestfiles import A64_LOOP, MIB, arm64_image, elf, zimage
from hypbench.guests.formats import read_image
from hypbench.guests.machine import (BadGuest, Board, check_cpus, check_ram, machine_of, read_board,
                                     size_of)
from hypbench.guests.placement import Piece, loads, place
from hypbench.guests.prepare import loses_timers, plan_text, usual_config
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
    made = place(image, machine_of(board, 1, ram, native), address,
                 tmp_path / "initrd" if initrd else None)
    for one, other in combinations(made.room, 2):
        assert one.end <= other.address or other.end <= one.address, (one, other)
    return made


@pytest.mark.parametrize("offset, start", [(0, 0x200000), (0x80000, 0x80000), (0x1000, 0x1000)])
def test_an_arm64_image_is_at_its_text_offset(tmp_path, offset, start):
    """From a 2 MiB boundary; where that is the first of RAM, from the second, as QEMU does it."""
    made = layout_of(tmp_path, arm64_image(4096, offset, 5 * MIB), initrd=3 * MIB)
    assert made.entry == made.image[0].address == RAM + start
    assert made.dtb % (2 * MIB) == 0 and made.dtb >= RAM + start + 5 * MIB
    assert made.initrd.address >= made.dtb + 2 * MIB
    assert made.initrd.end == made.initrd.address + 3 * MIB


def test_a_zimage_unpacks_below_its_device_tree_and_initrd(tmp_path):
    """arch/arm/booting.rst: the image above 32 MiB, the others above 128 MiB."""
    made = layout_of(tmp_path, zimage(6 * MIB), A15, initrd=5 * MIB)
    assert made.entry == RAM + 32 * MIB
    assert made.dtb == RAM + 128 * MIB and made.initrd.address == RAM + 130 * MIB


@pytest.mark.parametrize("ram", [32 * MIB, 64 * MIB, 128 * MIB, 130 * MIB])
def test_with_little_ram_they_are_at_its_end(tmp_path, ram):
    made = layout_of(tmp_path, zimage(6 * MIB), A15, ram, initrd=5 * MIB)
    assert made.initrd.end <= RAM + ram
    assert RAM + ram - made.dtb <= 10 * MIB


@pytest.mark.parametrize("board", [A72, A15])
@pytest.mark.parametrize("size, ram, dtb", [
    (4, 256 * MIB, 128 * MIB), (4, 64 * MIB, 60 * MIB), (4, 8 * MIB, 4 * MIB),
    (200 * MIB, 256 * MIB, 202 * MIB)])
def test_a_raw_binary_may_clear_what_is_around_it(tmp_path, board, size, ram, dtb):
    """It does not say how much memory it takes: its device tree is far after it."""
    made = layout_of(tmp_path, A64_LOOP.ljust(size, b"\0"), board, ram, initrd=100)
    assert (made.entry, made.dtb) == (0x40200000, RAM + dtb)
    assert made.initrd.address == made.dtb + 2 * MIB


@pytest.mark.parametrize("address, dtb", [
    (0x40000000, 0x48000000), (0x401ff000, 0x48000000), (0x40200000, RAM), (0x48000004, RAM),
    (0, RAM), (0x04000000, RAM)])
def test_a_raw_binary_is_where_the_user_says(tmp_path, address, dtb):
    made = layout_of(tmp_path, A64_LOOP, address=address)
    assert (made.entry, made.dtb) == (address, dtb)


def test_too_little_ram_for_where_we_would_put_it(tmp_path):
    """Its remedy is more RAM: no address was given."""
    for image, remedy in ((A64_LOOP, "GUEST_RAM=6M would"), (arm64_image(4096), "GUEST_RAM=6M")):
        with pytest.raises(BadGuest, match=f"does not fit into the guest's RAM .*: {remedy}"):
            layout_of(tmp_path, image, ram=2 * MIB)


@pytest.mark.parametrize("address, says", [
    (0x3ffffffc, "is outside of the guest's RAM"),
    (0x4ffffffe, "the first instruction, at 0x4ffffffe, is not at a multiple of 4"),
    (0x4ffffffc, r"does not fit into the guest's RAM .* GUEST_RAM=258M would hold it"),
    (0x50000000, r"is outside of the guest's RAM \(0x40000000 to 0x4fffffff\): GUEST_ADDRESS="),
    (0x08000000, r"in the flash \(0x0 to 0x7ffffff\)"), (0x07fffffc, "is outside of"),
    (0x10, "begins in the middle of a page")])
def test_an_address_where_nothing_is(tmp_path, address, says):
    with pytest.raises(BadGuest, match=says):
        layout_of(tmp_path, A64_LOOP * 2, address=address)


def test_an_elf_is_where_it_says(tmp_path):
    parts = ((0x40300000, 0x40300000, A64_LOOP, 4), (0x48000000, 0x48000000, b"data", 4096))
    made = layout_of(tmp_path, elf(segments=parts), initrd=1)
    assert [(piece.address, piece.size) for piece in made.image] == [(0x40300000, 4),
                                                                     (0x48000000, 4096)]
    assert (made.entry, made.dtb, made.initrd.address) == (0x40300000, RAM, 0x48200000)


def test_an_elf_may_lie_in_flash(tmp_path):
    parts = ((0, 0, A64_LOOP, 4), (0x40000000, 0x40000000, b"data", 4096))
    made = layout_of(tmp_path, elf(segments=parts))
    assert (made.entry, made.dtb) == (0, 0x40200000)


def test_an_elf_that_is_linked_elsewhere(tmp_path):
    with pytest.raises(BadGuest, match=r"a segment of the ELF \(0x80000000 to 0x80000003\) is "
                                       "outside of the guest's RAM .*: link it there, or in the"):
        layout_of(tmp_path, elf(segments=((0x80000000, 0x80000000, A64_LOOP, 4),)))
    twice = ((0x40200000, 0x40200000, A64_LOOP, 8), (0x40200004, 0x40200004, A64_LOOP, 4))
    with pytest.raises(BadGuest, match="linked badly: a segment of the ELF .* overlap"):
        layout_of(tmp_path, elf(segments=twice))
    many = tuple((RAM + n * 4096, RAM + n * 4096, A64_LOOP, 4) for n in range(1, 8))
    with pytest.raises(BadGuest, match="7 segments to load; at most 6"):
        layout_of(tmp_path, elf(segments=many))


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
    assert ram == 44  # 2 + 30 + 2 + 10
    with pytest.raises(BadGuest, match="GUEST_RAM=42M is too little: the initrd .* need 44M"):
        layout_of(tmp_path, image, ram=42 * MIB, initrd=9 * MIB)


def test_natively_it_is_in_the_boards_own_ram(tmp_path):
    made = layout_of(tmp_path, arm64_image(4096), native=True)
    assert made.entry == A72.ram + 2 * MIB and made.dtb == A72.ram + 4 * MIB
    with pytest.raises(BadGuest, match="natively there is nothing else"):
        layout_of(tmp_path, A64_LOOP, address=0, native=True)


def test_in_the_store_each_begins_a_block_and_a_plan_says_where(tmp_path):
    made = layout_of(tmp_path, arm64_image(3 * MIB, memory=30 * MIB), initrd=5)
    tree = Piece("the device tree", made.dtb, 77, bytes(77))
    stored = loads([*made.image, tree, made.initrd], A72, tmp_path)
    assert [(load.store, load.ipa, load.size) for load in stored] == [
        (0, made.entry, 3 * MIB), (4 * MIB, made.dtb, 77), (6 * MIB, made.initrd.address, 5)]
    assert stored[0].file.read_bytes() == made.image[0].content
    assert stored[2].file == tmp_path / "initrd"
    machine = machine_of(A72, 2, 256 * MIB, False)
    assert plan_text("trapped lr=sw", True, machine, made, stored).splitlines() == [
        "name guest", "order once", "limit_ms 0", "config trapped lr=sw stats=on",
        "guest ram=0x40000000 ram_mib=256 cpus=2 entry=0x40200000 dtb=0x42000000",
        "load store=0x0 ipa=0x40200000 size=0x300000",
        "load store=0x400000 ipa=0x42000000 size=0x4d",
        "load store=0x600000 ipa=0x42200000 size=0x5"]
    assert stored[1].option(A72) == [
        "-device", f"loader,file={tmp_path}/load-1.bin,addr={A72.store + 4 * MIB:#x},force-raw=on"]


def test_qemu_wants_a_comma_twice(tmp_path):
    folder = tmp_path / "a,b"
    folder.mkdir()
    load, = loads([Piece("it", RAM, 1, b"x")], A72, folder)
    assert "/a,,b/load-0.bin,addr=" in load.option(A72)[1]


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


def board_with(cores: int) -> Board:
    return Board("one", "armv8", "cortex-a72", "gicv2", {"cores.count": cores})


def test_more_vcpus_than_the_board_has_cores():
    for cores in (0, 1):
        check_cpus(board_with(cores), 1)
        with pytest.raises(BadGuest, match="CPUS=2: board 'one' has 1 core for guests"):
            check_cpus(board_with(cores), 2)
    check_cpus(board_with(3), 3)
    with pytest.raises(BadGuest, match="CPUS=5: board 'one' has 4 cores .* at most 4"):
        check_cpus(board_with(8), 5)
    with pytest.raises(BadGuest, match="CPUS=0: a guest has at least 1"):
        check_cpus(board_with(1), 0)


def test_boards_that_cannot_are_told_those_that_can():
    with pytest.raises(BadGuest, match="QEMU, which has no board 'arndale'; it has: "):
        read_board(TREE, "arndale")


@pytest.mark.parametrize("words, gic, clock, loses", [
    ("trapped", "gicv2", "host", True), ("trapped-sw lr=hw", "gicv2", "host", True),
    ("trapped", "gicv3", "host", False), ("trapped", "gicv2", "icount", False),
    ("trapped lr=sw", "gicv2", "host", False), ("direct", "gicv2", "host", False),
    ("direct irq=trapped", "gicv2", "host", True), ("native", "gicv2", "host", False)])
def test_where_qemu_loses_timers(words, gic, clock, loses):
    assert loses_timers(words, gic, clock) == loses
    assert not loses_timers(usual_config(gic, clock), gic, clock)
    assert usual_config("gicv3", clock) == usual_config(gic, "icount") == "trapped"
