# SPDX-License-Identifier: Apache-2.0
"""Every address, INTID, size and frequency of a board agrees with its device tree: Linux' trees for
boards, and QEMU's own tree for its machine. A number that this test does not know is a failure,
too."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from devicetree import DeviceTree, Region, grouped, parent
from golden import FOLDER
from hypbench import debian
from hypbench.apt_sources import NotDebian
from hypbench.boardfile import Unreadable, board_numbers, numbers_of, value_of
from hypbench.tree import HOME, Tree

MIB = 1 << 20
HYP_SIZE = 2 * MIB  # more than the hypervisor with the guest's image in it
BLOCK = 2 * MIB
# Each line of a board describes one number, or several numbers: names = a kind and its words. The
# kinds are below.
DESCRIBED = tomllib.loads((FOLDER / "boards.toml").read_text())
OTHER_WORDS = ("blob", "idle_ram")  # words of a board that describe no number
Numbers = dict[str, int]


def only(numbers: list[int]) -> int:
    assert len(numbers) == 1, numbers
    return numbers[0]


def consecutive(numbers: list[int]) -> list[int]:
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
    return [numbers[0], len(numbers)]


def spin_table(tree: DeviceTree) -> int:
    """Return the address of core 0's word; each core has eight bytes."""
    words = [grouped(tree.cells(node, "cpu-release-addr"), (2,))[0][0]
             for node in tree.processors()]
    assert words == [words[0] + 8 * core for core in range(len(words))]
    return words[0]


def address(tree: DeviceTree, node: str, *more: int) -> int:
    """Return the address of the node's first entry, plus an offset."""
    region = tree.reg(node)
    assert sum(more) < region.size
    return region.address + sum(more)


def ram_of(tree: DeviceTree, node: str) -> tuple[int, int]:
    """Return the first address and the end of RAM. Linux' tree of a Raspberry Pi has the size 0,
    which the firmware replaces; RAM ends where devices begin."""
    region = tree.reg(node)
    if region.size == 0:
        return 0, tree.reg("/soc/serial@7e201000").address
    return region.address, region.end


def guest(tree: DeviceTree, node: str, base: int, size: int, end: int | None = None) -> list[int]:
    """Return the base and size of the guest's RAM. They are a choice: from a 2 MiB boundary up to
    the boot loader's RAM."""
    first, last = ram_of(tree, node)
    assert base % BLOCK == 0 and first <= base and base + size <= (end or last)
    return [base, size]


def hypervisor(tree: DeviceTree, node: str, base: int, guest_at: int, end: int | None = None
               ) -> int:
    first, last = ram_of(tree, node)
    assert first <= base and base + HYP_SIZE <= (end or last)
    assert base + HYP_SIZE <= guest_at or guest_at < base
    return base


def store(_: DeviceTree, base: int, size: int, end: int, *hyp: int) -> list[int]:
    """Return the base and size of the store. They are a choice: RAM from a 2 MiB boundary up to
    `end`, apart from the hypervisor's RAM."""
    assert base % BLOCK == 0 and base + size <= end
    assert all(base + size <= at or at + HYP_SIZE <= base for at in hyp)
    return [base, size]


def unused(tree: DeviceTree, first: int, count: int) -> list[int]:
    """Return the SPIs of the guest, which no device uses."""
    virt = "/pcie@10000000" in tree.children("/")
    used = virt_interrupts(tree) if virt else vexpress_interrupts(tree)
    both = used & set(range(first, first + count))
    assert used and not both, f"of devices: {both}"
    return [first, count]


def vexpress_interrupts(tree: DeviceTree) -> set[int]:
    """Return all interrupts: the motherboard's, which interrupt-map numbers, and the core
    tile's."""
    board = {32 + number for node in tree.all_nodes("/bus@8000000")
             if tree.has_property(node, "interrupts") for number in tree.cells(node, "interrupts")}
    tile = {intid for node in tree.children("/") if tree.has_property(node, "interrupts")
            for intid in tree.intids(node)}
    return board | tile


def virt_interrupts(tree: DeviceTree) -> set[int]:
    """Return the interrupts of every node. The PCIe bridge has them in its interrupt-map, after
    each pin's cells."""
    intids = {intid for node in tree.all_nodes() if tree.has_property(node, "interrupts")
              for intid in tree.intids(node)}
    entries = grouped(tree.cells("/pcie@10000000", "interrupt-map"), (3, 1, 1, 2, 1, 1, 1))
    assert {kind for *_, kind, _, _ in entries} == {0}
    return intids | {32 + number for *_, number, _ in entries}


def free(tree: DeviceTree, controller: str, first: int, count: int) -> list[int]:
    """Check that no device of the tree has one of these interrupts of the GIC."""
    gic = tree.cells(controller, "phandle")
    used = {intid for node in tree.all_nodes() if tree.has_property(node, "interrupts")
            and tree.inherited(node, "interrupt-parent") == gic for intid in tree.intids(node)}
    both = used & set(range(first, first + count))
    assert used and not both, f"of devices: {both}"
    return [first, count]


def last_repeat(tree: DeviceTree, node: str, part: int) -> int:
    """Return the last repeat of a GIC-400's first page. Each of its pages of 4 KiB repeats up to
    64 KiB, and the second page follows the last repeat of the first."""
    region = tree.reg(node, part)
    assert tree.text(node, "compatible") == "arm,gic-400" and region.size == 2 * 0x10000
    return region.address + 0x10000 - 0x1000


def upper_half(tree: DeviceTree, node: str) -> int:
    """Return the address of the upper half of RAM. The tree has 1 GiB; QEMU gets 2 GiB, of which
    the guest has the upper one."""
    assert "-m 2G" in " ".join(Tree().qemu_options("vexpress-a15"))
    assert tree.reg(node).size == 1024 * MIB
    return tree.reg(node).end


def kept_by_uboot(tree: DeviceTree, node: str, base: int) -> int:
    assert tree.reg(node).end - base == 112 * MIB
    return base


def clock_hz(tree: DeviceTree, *nodes: str) -> int:
    """Return the rate of the first of these nodes that the tree has: Linux 6.12 renamed clocks."""
    [node] = [path for path in nodes if path in tree.children(parent(path))]
    return only(tree.cells(node, "clock-frequency"))


KINDS: dict[str, Callable[..., int | list[int]]] = {
    "number": lambda tree, *numbers: list(numbers),  # in no device tree; a comment has the source
    "address": address, "guest": guest, "hypervisor": hypervisor, "store": store, "unused": unused,
    "free": free, "last_repeat": last_repeat,
    # The parts of a GIC in the order of the binding's `reg`. CBAR is not read, because it has
    # another place on Exynos.
    "gic": lambda tree, node, count: [only(tree.intids(node)), *(
        tree.reg(node, part).address for part in range(count))],
    "timer": lambda tree, node: tree.intids(node)[1:4],  # the first one is the Secure timer's
    "device": lambda tree, node: [address(tree, node), only(tree.intids(node))],
    "spis": lambda tree, node, *which: consecutive(
        [tree.intids(node)[index] for index in which] or tree.intids(node)),
    "devices": lambda tree, *nodes: consecutive([only(tree.intids(node)) for node in nodes]),
    "console": lambda tree: tree.reg(tree.console()[0]).address,
    "console_intid": lambda tree: only(tree.intids(tree.console()[0])),
    "baud": lambda tree: tree.console()[1],
    "cores": lambda tree: len(tree.processors()), "spin_table": spin_table,
    "hz": clock_hz,
    "motherboard_intid": lambda tree, node: 32 + only(tree.cells(node, "interrupts")),
    "pmu": lambda tree: (only(tree.intids("/pmu")) if tree.has_property("/pmu", "interrupts")
                         else 23),
    "upper_half": upper_half, "kept_by_uboot": kept_by_uboot}


def truths(tree: DeviceTree, kinds: dict[str, list]) -> Numbers:
    """Return the right value of each number of a board. Names beyond the values of a kind repeat
    the first value."""
    numbers: Numbers = {}
    for names, (kind, *words) in kinds.items():
        values = KINDS[kind](tree, *words)
        values = values if isinstance(values, list) else [values]
        for at, name in enumerate(names.split()):
            numbers[name] = values[at] if at < len(values) else values[0]
    return numbers


BOARDS = {board: kinds for table, kinds in DESCRIBED.items() for board in table.split()}
# Numbers that every board has.
NEEDED = {"HYP_BASE", "GUEST_BASE", "guest_base", "guest_size", "gic.dist", "hyp_timer_intid",
          "virt_timer_intid", "phys_timer_intid", "maintenance_intid", "spi_first", "spi_count"}


def problems(numbers: dict[str, int], truths: dict[str, int]) -> list[str]:
    """Return the numbers that differ from the device tree, are missing, or are unknown to this
    test."""
    problems = [f"{name}: missing" for name in NEEDED - set(numbers)]
    for name, number in numbers.items():
        if name not in truths:
            problems.append(f"{name} = {number:#x}: nothing to compare it with")
        elif number != truths[name]:
            problems.append(f"{name} = {number:#x}, not {truths[name]:#x}")
    return problems


def qemus_own(board: str, folder: Path) -> Path:
    options = Tree().qemu_options(board)
    if not shutil.which(options[0]):
        pytest.skip(f"{options[0]} is missing: `make setup` installs it")
    blob = folder / f"{board}.dtb"
    machine = options.index("-M") + 1
    options[machine] += f",dumpdtb={blob}"
    subprocess.run([*options, "-nic", "none", "-display", "none"], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)
    return without_nops(blob)


def without_nops(blob: Path) -> Path:
    """Return the same tree, written by dtc: fdtget lists no node after the FDT_NOP tags that QEMU
    leaves."""
    plain = blob.with_suffix(".plain.dtb")
    subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dtb", "-o", plain, blob], check=True)
    return plain


def linuxs(name: str, arch: str) -> Path:
    try:
        return debian.device_tree(name, arch)
    except (debian.Offline, NotDebian) as error:
        pytest.skip(f"no {name}: {error.message.splitlines()[0]}")


@pytest.fixture(scope="module")
def tree_of(tmp_path_factory) -> Callable[[str], DeviceTree]:
    """Return a function from a board's name to the device tree with the board's numbers."""
    @cache
    def tree(name: str) -> DeviceTree:
        blob = BOARDS[name].get("blob")
        return DeviceTree(linuxs(*blob) if blob else qemus_own(
            name, tmp_path_factory.mktemp("dtb")))
    return tree


def areas(numbers: Numbers) -> dict[str, Region]:
    """Return the RAM that a board's two files take."""
    areas = {"hypervisor": Region(numbers["HYP_BASE"], HYP_SIZE)}
    for name in ("guest", "store"):
        if f"{name}_size" in numbers:
            areas[name] = Region(numbers[f"{name}_base"], numbers[f"{name}_size"])
    return areas


def overlaps(numbers: Numbers, reserved: dict[str, Region], idle: Region) -> list[str]:
    """Return the areas that overlap reserved RAM, except RAM that is idle here."""
    return [f"{name}: {node}" for name, area in areas(numbers).items()
            for node, region in reserved.items()
            if area.address < region.end and region.address < area.end
            and not (idle.address <= region.address and region.end <= idle.end)]


def test_no_board_is_left_out():
    """No device tree has the numbers of gem5's boards: test_the_numbers_of_a_board_of_gem5."""
    tree = Tree()
    assert set(BOARDS) == {board for board in tree.boards() if not tree.is_gem5(board)}


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_every_number_is_the_device_trees(name, tree_of):
    expected = {names: words for names, words in BOARDS[name].items() if names not in OTHER_WORDS}
    assert problems(board_numbers(HOME / "boards" / name), truths(tree_of(name), expected)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_no_ram_is_taken_that_the_device_tree_reserves(name, tree_of):
    idle = Region(*BOARDS[name].get("idle_ram", (0, 0)))
    assert overlaps(board_numbers(HOME / "boards" / name), tree_of(name).reserved(), idle) == []


@pytest.mark.parametrize("board", [board for board in Tree().boards() if Tree().is_gem5(board)])
def test_the_numbers_of_a_board_of_gem5(board):
    """The addresses are those of gem5's own platforms (src/dev/arm/RealView.py)."""
    tree = Tree()
    gic = ({"gic.dist": 0x2c000000, "gic.redist": 0x2c010000} if tree.board_fact(board, "GIC")
           == "gicv3" else {"gic.dist": 0x2c001000, "gic.cpu": 0x2c002000,
                            "gic.hyp": 0x2c004000, "gic.vcpu": 0x2c006000})
    numbers = board_numbers(HOME / "boards" / board)
    assert gic.items() <= numbers.items()
    assert numbers["HYP_BASE"] > 0x80000000 and numbers["GUEST_BASE"] == numbers["guest_base"]


@pytest.mark.parametrize("name", Tree().boards())
def test_the_guest_ram_has_room_for_the_bench_guest(name):
    numbers = board_numbers(HOME / "boards" / name)
    script = (HOME / "linker/guest.ld.S").read_text()
    room = int(re.search(r"#define MEMORY_SIZE (\w+)", script)[1], 0)
    assert room <= numbers["guest_size"]


def test_numbers_of_a_board_file():
    numbers = numbers_of("""/* 0x1 */
#include "a/b64.h"
#define BASE 0x1000u
#define REGISTER (BASE + 0x40u)
static const struct port other = { &part, REGISTER };
const struct board board = {
	.name = "x86",
	.gic = { .dist = 0x2000, .cpu = BASE }, /* 0x3 */
	.cores = { .count = 2, .start = CORES_PEN },
	.windows = { { BASE, 0x10 }, { 0x4000, 1u << 12 } },
	.flag = true,
};
static int f(void) { return BASE + 3 + 0x123; }
""")
    assert numbers == {"BASE": 0x1000, "REGISTER": 0x1040, "other[1]": 0x1040, "gic.dist": 0x2000,
                       "gic.cpu": 0x1000, "cores.count": 2, "windows[0][0]": 0x1000,
                       "windows[0][1]": 0x10, "windows[1][0]": 0x4000, "windows[1][1]": 0x1000,
                       "code 0x123": 0x123}


@pytest.mark.parametrize("expression", ["OTHER_FILES", "OTHER + 1", "sizeof(x) * 2", "1 +"])
def test_a_number_that_cannot_be_told_is_refused(expression):
    with pytest.raises(Unreadable):
        value_of(expression, {"BASE": 1})
