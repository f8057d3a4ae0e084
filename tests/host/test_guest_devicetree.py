# SPDX-License-Identifier: Apache-2.0
"""The device tree of a guest: the tests compile the tree, and read it as a guest does. Other tests
check the changes that the tool makes in a user's tree."""

import shutil
import subprocess

import pytest

import golden
from devicetree import DeviceTree, grouped
from guestfiles import A64_LOOP, MIB, arm64_image, device_tree
from hypbench.guests import devicetree as trees
from hypbench.guests.machine import BadGuest, machine_of, read_board
from hypbench.tree import Tree
from test_guest_placement import layout_of

TREE = Tree()
BOARDS = ("virt-a15", "virt-a72", "virt-a72-gicv3")
each_board = pytest.mark.parametrize("name", BOARDS)


def make_tree(tmp_path, name: str, cpus: int = 2, arguments: str = "", initrd: int = 0,
              native: bool = False, address: int | None = 0x40200000) -> DeviceTree:
    board = read_board(TREE, name)
    native_address = board.ram + 2 * MIB if native else address
    layout = layout_of(tmp_path, A64_LOOP, board, initrd=initrd, address=native_address,
                       native=native)
    machine = machine_of(board, cpus, 256 * MIB, native)
    return DeviceTree(trees.make(machine, layout, arguments, tmp_path))


@each_board
def test_dtc_finds_nothing_to_warn_of(tmp_path, name):
    make_tree(tmp_path, name, arguments="x", initrd=4096, address=0)
    process = subprocess.run(["dtc", "-I", "dts", "-O", "dtb", "-o", "/dev/null",
                              tmp_path / "guest.dts"], capture_output=True, text=True, check=True)
    assert process.stderr == ""


TREES = {
    **{name: {"name": name, "cpus": 3} for name in BOARDS},
    **{f"{name}, native": {"name": name, "native": True} for name in BOARDS},
    "without a PMU": {"name": "vexpress-a15"},
    "arguments and initrd": {"name": "virt-a72", "arguments": 'console=ttyAMA0 a="b c" \\ #',
                             "initrd": 5000},
    "in flash": {"name": "virt-a72", "address": 0}}


@pytest.mark.parametrize("case", TREES)
def test_what_a_guest_finds(tmp_path, case):
    """golden/guest-trees.json has the source of each tree."""
    make_tree(tmp_path, **TREES[case])
    lines = (tmp_path / "guest.dts").read_text().splitlines()
    golden.check_case("guest-trees", case, {"guest.dts": [[line] for line in lines]})


def test_what_the_user_says_to_the_kernel(tmp_path):
    text = TREES["arguments and initrd"]["arguments"]
    assert make_tree(tmp_path, "virt-a72", arguments=text).text("/chosen", "bootargs") == text
    with pytest.raises(BadGuest, match="not printable ASCII"):
        make_tree(tmp_path, "virt-a72", arguments="a\nb")


def qemus_tree(tmp_path, name: str, cpus: int) -> DeviceTree:
    program, *options = TREE.qemu_options(name)
    options[options.index("-M") + 1] += f",dumpdtb={tmp_path}/qemu.dtb"
    assert shutil.which(program), program
    subprocess.run([program, *options, "-smp", str(cpus), "-nic", "none", "-display", "none"],
                   check=True, capture_output=True)
    return DeviceTree(tmp_path / "qemu.dtb")


@each_board
def test_it_agrees_with_qemus_own(tmp_path, name):
    """The trees agree on each device of the guest that both describe. The flash is a ROM in
    ours."""
    ours, theirs = make_tree(tmp_path, name, cpus=2, address=0), qemus_tree(tmp_path, name, 2)
    assert ours.reg("/flash@0") == theirs.reg("/flash@0")
    for node in ("/intc@8000000", "/pl011@9000000"):
        assert ours.reg(node).address == theirs.reg(node).address
        assert ours.text(node, "compatible") == theirs.text(node, "compatible")
        assert ours.reg(node, int(node < "/p")).address == theirs.reg(
            node, int(node < "/p")).address
    for node in ("/pl011@9000000", "/timer"):
        assert ours.cells(node, "interrupts") == theirs.cells(node, "interrupts")
    assert ours.text("/timer", "compatible") == theirs.text("/timer", "compatible")
    assert ours.number("/apb-pclk", "clock-frequency", 0) == theirs.number(
        "/apb-pclk", "clock-frequency", 1)
    assert [ours.cells(node, "reg") for node in ours.processors()] == [
        theirs.cells(node, "reg") for node in theirs.processors()]


def read_blob(tmp_path, content: bytes) -> bytes:
    path = tmp_path / "mine.dtb"
    path.write_bytes(content)
    return trees.read(path)


def test_initrd_and_arguments_are_put_into_the_users_own(tmp_path):
    content = read_blob(tmp_path, device_tree())
    layout = layout_of(tmp_path, arm64_image(4096), initrd=4097)
    tree = DeviceTree(trees.complete_tree(content, layout, "root=/dev/ram 'x'", tmp_path))
    assert tree.text("/chosen", "bootargs") == "root=/dev/ram 'x'"
    assert [grouped(tree.cells("/chosen", f"linux,initrd-{end}"), (2,))[0][0]
            for end in ("start", "end")] == [layout.initrd.address, layout.initrd.address + 4097]


@pytest.mark.parametrize("content, says", [
    (b"", "has 0 bytes"), (b"/dts-v1/;\n", "no device tree blob .*; dtc compiles it"),
    (b"ARMd" * 10, "it begins with 41524d64, not d00dfeed"),
    (device_tree(size=4096), "device tree is cut: its header gives 4096 bytes, the file has 80"),
    (device_tree() + bytes(2 * MIB), "has 2097232 bytes: the room for it has 2M")])
def test_what_is_no_device_tree(tmp_path, content, says):
    with pytest.raises(BadGuest, match=f"GUEST_DTB=.*mine.dtb.*{says}"):
        read_blob(tmp_path, content)
