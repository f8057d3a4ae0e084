# SPDX-License-Identifier: Apache-2.0
"""Every address, INTID, size and frequency of a board against its device tree: Linux' for boards,
QEMU's own for its machine. A number that nothing here knows is a failure, too."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from devicetree import DeviceTree, grouped
from hypbench import debian
from hypbench.apt_sources import NotDebian
from hypbench.boardfile import Unreadable, board_numbers, numbers_of, value_of
from hypbench.tree import HOME, Tree

MIB = 1 << 20
Truth = Callable[[DeviceTree], int]
HYP_SIZE = 2 * MIB  # more than the hypervisor with the guest's image in it


def given(number: int) -> Truth:
    """Not in a device tree: a comment beside the use says where it is from."""
    return lambda _: number


def address(node: str, index: int = 0, offset: int = 0) -> Truth:
    def truth(tree: DeviceTree) -> int:
        region = tree.reg(node, index)
        assert offset < region.size, f"{node} has no offset {offset:#x}"
        return region.address + offset
    return truth


def console(tree: DeviceTree) -> int:
    return tree.reg(tree.console()[0]).address


def gic(node: str, *parts: str) -> dict[str, Truth]:
    """The parts in the order of the binding's `reg`; CBAR, which says another place on Exynos, is
    not asked. The sizes of GICC and GICV, 4 KiB in some trees, are the architecture's 8 KiB."""
    def intid(tree: DeviceTree) -> int:
        return only(tree.intids(node))
    return {f"gic.{part}": address(node, index) for index, part in enumerate(parts)} | {
        "maintenance_intid": intid}


def only(found: list[int]) -> int:
    assert len(found) == 1, found
    return found[0]


def timer(node: str) -> dict[str, Truth]:
    """Its interrupts: secure, non-secure, virtual, hypervisor's."""
    return {"phys_timer_intid": lambda tree: tree.intids(node)[1],
            "virt_timer_intid": lambda tree: tree.intids(node)[2],
            "hyp_timer_intid": lambda tree: tree.intids(node)[3]}


def interrupts_of(node: str, *which: int) -> dict[str, Truth]:
    """The guest's SPIs are those of a device that nothing starts."""
    def intids(tree: DeviceTree) -> list[int]:
        found = tree.intids(node)
        chosen = [found[index] for index in which] if which else found
        assert chosen == list(range(chosen[0], chosen[0] + len(chosen)))
        return chosen
    return {"spi_first": lambda tree: intids(tree)[0], "spi_count": lambda tree: len(intids(tree))}


def unused_interrupts(first: int, count: int, used: Callable[[DeviceTree], set[int]],
                      ) -> dict[str, Truth]:
    """The guest's SPIs are those that no device has."""
    def free_first(tree: DeviceTree) -> int:
        both = used(tree) & set(range(first, first + count))
        assert used(tree) and not both, f"of devices: {both}"
        return first
    return {"spi_first": free_first, "spi_count": given(count)}


def cores(tree: DeviceTree) -> int:
    return len(tree.processors())


def spin_table(tree: DeviceTree) -> int:
    """The word of core 0, eight bytes a core."""
    words = [grouped(tree.cells(node, "cpu-release-addr"), (2,))[0][0]
             for node in tree.processors()]
    assert words == [words[0] + 8 * core for core in range(len(words))]
    return words[0]


def frequency(node: str) -> Truth:
    return lambda tree: only(tree.cells(node, "clock-frequency"))


def guest(base: int, size: int, memory: str, end: int | None = None) -> dict[str, Truth]:
    """A choice: 2 MiB aligned RAM, up to where a boot loader's begins. HYP_BASE is the other."""
    def fits(tree: DeviceTree) -> int:
        ram = tree.reg(memory)
        assert base % (2 * MIB) == 0 and ram.address <= base and base + size <= (end or ram.end)
        return base
    return {"guest_base": fits, "GUEST_BASE": fits, "RAM_BASE": fits,
            "guest_size": given(size), "GUEST_SIZE": given(size)}


def hypervisor(base: int, memory: str, guest_at: range, end: int | None = None) -> dict[str, Truth]:
    def fits(tree: DeviceTree) -> int:
        ram = tree.reg(memory)
        assert ram.address <= base and base + HYP_SIZE <= (end or ram.end)
        assert base + HYP_SIZE <= guest_at.start or guest_at.stop <= base
        return base
    return {"HYP_BASE": fits}


def store(base: int, size: int, end: int, *others: range) -> dict[str, Truth]:
    """A choice: 2 MiB aligned RAM, up to `end`, apart from the hypervisor's and the guest's."""
    def fits(_: DeviceTree) -> int:
        assert base % (2 * MIB) == 0 and base + size <= end
        for other in others:
            assert base + size <= other.start or other.stop <= base, f"{other} is not the store's"
        return base
    return {"store_base": fits, "store_size": given(size)}


def console_intid(tree: DeviceTree) -> int:
    return only(tree.intids(tree.console()[0]))


def intid_of(node: str) -> Truth:
    return lambda tree: only(tree.intids(node))


def reset_device(node: str) -> dict[str, Truth]:
    """A page from where the device begins."""
    return {"reset_device[0]": address(node), "reset_device[1]": given(0x1000)}


def kernels(name: str, arch: str) -> Callable[[], Path]:
    def blob() -> Path:
        try:
            return debian.device_tree(name, arch)
        except (debian.Offline, NotDebian) as error:
            pytest.skip(f"no {name}: {error.message.splitlines()[0]}")
    return blob


@dataclass(frozen=True)
class Board:
    blob: Callable[[], Path] | None  # none: QEMU's own
    truths: dict[str, Truth]


# --- Arndale ---

ARNDALE_KEPT = 0xb9000000  # from here on U-Boot's: its comment in board.c
ARNDALE_GUEST = (0x40000000, 0x40000000)
MCT, PMU, SYSRAM = ("/soc/timer@101c0000", "/soc/system-controller@10040000",
                    "/soc/sram@2020000/smp-sram@0")


def arndale_kept(tree: DeviceTree) -> int:
    assert tree.reg("/memory@40000000").end - ARNDALE_KEPT == 112 * MIB
    return ARNDALE_KEPT


ARNDALE = Board(kernels("exynos5250-arndale.dtb", "armhf"), {
    **gic("/soc/interrupt-controller@10481000", "dist", "cpu", "hyp", "vcpu"),
    **timer("/timer"),
    **interrupts_of("/soc/pwm@12dd0000"),
    **guest(*ARNDALE_GUEST, "/memory@40000000", ARNDALE_KEPT),
    **hypervisor(0x82000000, "/memory@40000000", range(0x40000000, 0x80000000), ARNDALE_KEPT),
    **reset_device(PMU),
    "RAM_KEPT": arndale_kept,
    "console[1]": console,
    "console[2]": console_intid,
    "counter_hz": frequency("/timer"),
    "MCT": address(MCT),
    "PMU": address(PMU),
    "PMU_SWRESET": address(PMU, offset=0x400),
    "SYSRAM": address(SYSRAM),
    "SYSRAM_RELEASE": address(SYSRAM),
    "cores.count": cores,
    "cores.release": address(SYSRAM),
    "ACTLR_SMP": given(1 << 6),
})

# --- Raspberry Pi 4 B: its device tree gives addresses of the VideoCore's bus ---

RPI4_GUEST = (0x40000000, 0x40000000)
RPI4_VIDEOCORE = 0x3b400000  # from here on its own, up to 1 GiB
MINI_UART, PL011 = "/soc/serial@7e215040", "/soc/serial@7e201000"
GPIO, AUX, PM = "/soc/gpio@7e200000", "/soc/aux@7e215000", "/soc/watchdog@7e100000"


def rpi4_ram(base: int) -> Truth:
    """The firmware writes the size: the tree as Linux has it says 0. Devices are above it all."""
    def truth(tree: DeviceTree) -> int:
        start, size = grouped(tree.cells("/memory@0", "reg"), (2, 1))[0]
        assert start == size == 0
        assert base + RPI4_GUEST[1] <= tree.reg(PL011).address
        assert base == RPI4_GUEST[0] or base + HYP_SIZE <= RPI4_GUEST[0]
        return base
    return truth


def rpi4_baud(tree: DeviceTree) -> int:
    return tree.console()[1]


RPI4 = Board(kernels("bcm2711-rpi-4-b.dtb", "arm64"), {
    **gic("/soc/interrupt-controller@40041000", "dist", "cpu", "hyp", "vcpu"),
    **timer("/timer"),
    **interrupts_of("/soc/timer@7e003000", 1),
    **reset_device(PM),
    "guest_base": rpi4_ram(RPI4_GUEST[0]),
    "GUEST_BASE": rpi4_ram(RPI4_GUEST[0]),
    "guest_size": given(RPI4_GUEST[1]),
    "HYP_BASE": rpi4_ram(0x200000),
    **store(0x10000000, 0x20000000, RPI4_VIDEOCORE, range(0x200000, 0x200000 + HYP_SIZE)),
    "console[1]": console,
    "mini_uart[1]": address(MINI_UART),
    "mini_uart[2]": intid_of(MINI_UART),
    "pl011[1]": address(PL011),
    "pl011[2]": intid_of(PL011),
    "counter_hz": frequency("/clocks/clk-osc"),
    "cores.count": cores,
    "cores.release": spin_table,
    "GPIO": address(GPIO),
    "AUX": address(AUX),
    "PM": address(PM),
    "BAUD": rpi4_baud,
    "UART_HZ": given(48000000),
    "PM_PASSWORD": given(0x5a000000),
    **{name: given(number) for name, number in {
        "GPFSEL1": 0x04, "GPIO14_SHIFT": 12, "GPIO15_SHIFT": 15, "FSEL_MASK": 7, "FSEL_ALT0": 4,
        "FSEL_ALT5": 2, "AUX_ENABLES": 4, "AUX_ENABLES_MINI_UART": 1, "PM_RSTC": 0x1c,
        "PM_WDOG": 0x24, "PM_RSTC_WRCFG": 0x30, "PM_RSTC_FULL_RESET": 0x20, "PM_WDOG_TICKS": 10,
    }.items()},
})

# --- Versatile Express ---

V2M = "/bus@8000000/motherboard-bus@8000000/iofpga-bus@300000000"


def vexpress_interrupts(tree: DeviceTree) -> set[int]:
    """Of the motherboard by the numbers of its own that interrupt-map gives; of the core tile."""
    board = {32 + number for node in tree.all_nodes("/bus@8000000")
             if tree.has(node, "interrupts") for number in tree.cells(node, "interrupts")}
    tile = {intid for node in tree.children("/") if tree.has(node, "interrupts")
            for intid in tree.intids(node)}
    return board | tile


def vexpress_guest(tree: DeviceTree) -> int:
    """The tree says 1 GiB; QEMU is given 2, of which the guest has the upper."""
    ram = tree.reg("/memory@80000000")
    assert "-m 2G" in " ".join(Tree().qemu_options("vexpress-a15"))
    assert ram.size == 1024 * MIB
    return ram.end


def vexpress_console_intid(tree: DeviceTree) -> int:
    return 32 + only(tree.cells(f"{V2M}/serial@90000", "interrupts"))


VEXPRESS = Board(kernels("vexpress-v2p-ca15-tc1.dtb", "armhf"), {
    **gic("/interrupt-controller@2c001000", "dist", "cpu", "hyp", "vcpu"),
    **timer("/timer"),
    **unused_interrupts(64, 8, vexpress_interrupts),
    **hypervisor(0x80200000, "/memory@80000000", range(0xc0000000, 0x100000000)),
    "guest_base": vexpress_guest,
    "GUEST_BASE": vexpress_guest,
    "guest_size": given(0x40000000),
    **store(0x90000000, 0x30000000, 0xc0000000, range(0x80200000, 0x80200000 + HYP_SIZE)),
    "console[1]": address(f"{V2M}/serial@90000"),
    "console[2]": vexpress_console_intid,
    "SYS_FLAGS": address(f"{V2M}/sysreg@10000", offset=0x30),
    "cores.count": cores,
    "cores.release": address(f"{V2M}/sysreg@10000", offset=0x30),
})

# --- QEMU's virt ---

VIRT_GUEST = (0x80000000, 0x40000000)


def virt_interrupts(tree: DeviceTree) -> set[int]:
    """Every node's; those of the PCIe bridge are in its interrupt-map, after each pin's cells."""
    found = {intid for node in tree.all_nodes() if tree.has(node, "interrupts")
             for intid in tree.intids(node)}
    entries = grouped(tree.cells("/pcie@10000000", "interrupt-map"), (3, 1, 1, 2, 1, 1, 1))
    assert {kind for *_, kind, _, _ in entries} == {0}
    return found | {32 + number for *_, number, _ in entries}


def virt_pmu(tree: DeviceTree) -> int:
    """QEMU's tree has a node without it for a Cortex-A15."""
    return only(tree.intids("/pmu")) if tree.has("/pmu", "interrupts") else 23


def virt(*parts: str) -> Board:
    return Board(None, {
        "pmu_intid": virt_pmu,
        **gic("/intc@8000000", *parts),
        **timer("/timer"),
        **unused_interrupts(80, 32, virt_interrupts),
        **guest(*VIRT_GUEST, "/memory@40000000"),
        **hypervisor(0x40200000, "/memory@40000000", range(0x80000000, 0xc0000000)),
        **store(0x48000000, 0x38000000, VIRT_GUEST[0], range(0x40200000, 0x40200000 + HYP_SIZE)),
        "console[1]": console,
        "console[2]": console_intid,
        "cores.count": given(4),  # a choice: QEMU makes as many as it is given
    })


BOARDS = {
    "arndale": ARNDALE,
    "rpi4": RPI4,
    "vexpress-a15": VEXPRESS,
    "virt-a15": virt("dist", "cpu", "hyp", "vcpu"),
    "virt-a72": virt("dist", "cpu", "hyp", "vcpu"),
    "virt-a72-gicv3": virt("dist", "redist"),
}
# without which a board is none
NEEDED = {"HYP_BASE", "GUEST_BASE", "guest_base", "guest_size", "gic.dist", "hyp_timer_intid",
          "virt_timer_intid", "phys_timer_intid", "maintenance_intid", "spi_first", "spi_count"}


def problems(numbers: dict[str, int], truths: dict[str, int]) -> list[str]:
    """Numbers that differ from the device tree, are missing, or are unknown to this test."""
    found = [f"{name}: missing" for name in NEEDED - set(numbers)]
    for name, number in numbers.items():
        if name not in truths:
            found.append(f"{name} = {number:#x}: nothing to compare it with")
        elif number != truths[name]:
            found.append(f"{name} = {number:#x}, not {truths[name]:#x}")
    return found


def qemus_own(board: str, folder: Path) -> Path:
    options = Tree().qemu_options(board)
    if not shutil.which(options[0]):
        pytest.skip(f"{options[0]} is missing: `make setup` installs it")
    blob = folder / f"{board}.dtb"
    machine = options.index("-M") + 1
    options[machine] += f",dumpdtb={blob}"
    subprocess.run([*options, "-nic", "none", "-display", "none"], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)
    return blob


@pytest.fixture(scope="module")
def truths_of(tmp_path_factory) -> Callable[[str], dict[str, int]]:
    """By a board's name: what each of its numbers is to be."""
    @cache
    def truths(name: str) -> dict[str, int]:
        board = BOARDS[name]
        blob = board.blob() if board.blob else qemus_own(name, tmp_path_factory.mktemp("dtb"))
        tree = DeviceTree(blob)
        return {place: truth(tree) for place, truth in board.truths.items()}
    return truths


def test_no_board_is_left_out():
    """Of gem5's boards no device tree has the numbers: tests/host/test_gem5.py."""
    tree = Tree()
    assert set(BOARDS) == {board for board in tree.boards() if not tree.is_gem5(board)}


@pytest.mark.parametrize("name", BOARDS)
def test_every_number_is_the_device_trees(name, truths_of):
    assert problems(board_numbers(HOME / "boards" / name), truths_of(name)) == []


@pytest.mark.parametrize("name", Tree().boards())
def test_the_guest_ram_has_room_for_the_bench_guest(name):
    numbers = board_numbers(HOME / "boards" / name)
    script = (HOME / "linker/guest.ld.S").read_text()
    room = int(re.search(r"#define MEMORY_SIZE (\w+)", script)[1], 0)
    assert room <= numbers["guest_size"]


@pytest.mark.parametrize("name", BOARDS)
def test_any_wrong_number_is_found(name, truths_of):
    numbers = board_numbers(HOME / "boards" / name)
    for place in numbers:
        for wrong in (numbers[place] + 1, numbers[place] ^ 0x1000):
            found = problems(numbers | {place: wrong}, truths_of(name))
            assert [line.partition(" ")[0] for line in found] == [place]


@pytest.mark.parametrize("name", BOARDS)
def test_an_unknown_number_is_found(name, truths_of):
    text = (HOME / "boards" / name / "board.c").read_text()
    for planted, place in [
            (text.replace("\t.name =", "\t.spare = 0x1234,\n\t.name ="), "spare"),
            (text.replace("\t.gic = {", "\t.gic = {\n\t\t.its = 0x8080000,"), "gic.its"),
            (f"#define SPARE (1u << 12)\n{text}", "SPARE"),
            (f"{text}\nvoid f(void)\n{{\n\tg(0x10040400);\n}}\n", "code 0x10040400")]:
        right = board_numbers(HOME / "boards" / name)
        numbers = numbers_of(planted, {"GUEST_BASE": right["GUEST_BASE"]}) | right
        found = problems(numbers, truths_of(name))
        assert len(found) == 1 and found[0].startswith(f"{place} = "), found


def test_numbers_of_a_board_file():
    found = numbers_of("""/* 0x1 */
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
    assert found == {"BASE": 0x1000, "REGISTER": 0x1040, "other[1]": 0x1040, "gic.dist": 0x2000,
                     "gic.cpu": 0x1000, "cores.count": 2, "windows[0][0]": 0x1000,
                     "windows[0][1]": 0x10, "windows[1][0]": 0x4000, "windows[1][1]": 0x1000,
                     "code 0x123": 0x123}


@pytest.mark.parametrize("expression", ["OTHER_FILES", "OTHER + 1", "sizeof(x) * 2", "1 +"])
def test_a_number_that_cannot_be_told_is_refused(expression):
    with pytest.raises(Unreadable):
        value_of(expression, {"BASE": 1})


def test_ranges_translate_through_every_bus(tmp_path):
    """A bus in a bus, with addresses of differing width, and one that changes nothing."""
    source = tmp_path / "x.dts"
    source.write_text("""/dts-v1/;
/ { #address-cells = <2>; #size-cells = <2>;
  a { #address-cells = <1>; #size-cells = <1>;
      ranges = <0x7c000000 0x1 0xfc000000 0x1000000>, <0x40000000 0x0 0xff800000 0x800000>;
      b { #address-cells = <2>; #size-cells = <1>; ranges = <3 0 0x40041000 0x2000>;
          d@0 { reg = <3 0x10 0x100>, <3 0x1000 0x20>; }; };
      c { #address-cells = <1>; #size-cells = <1>; ranges;
          d@7c000010 { reg = <0x7c000010 4>; }; }; }; };
""")
    blob = tmp_path / "x.dtb"
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", blob, source], check=True)
    tree = DeviceTree(blob)
    assert tree.reg("/a/b/d@0", 0) == (0xff841010, 0x100)
    assert tree.reg("/a/b/d@0", 1) == (0xff842000, 0x20)
    assert tree.reg("/a/c/d@7c000010") == (0x1fc000010, 4)
