# SPDX-License-Identifier: Apache-2.0
"""QEMU's words for a guest that is not our own: the hypervisor with a plan that names the guest,
and the guest's files in the board's store."""

import re
from dataclasses import dataclass
from pathlib import Path

from hypbench import plan as plans
from hypbench import qemu
from image import Change
from lab import CLOCK, PLATFORM, ROOT, TREE, board_facts, image_of

MIB = 1 << 20
RAM, RAM_MIB = 0x40000000, 256


@dataclass(frozen=True)
class Guest:
    """`files`: what lies where, by the guest's addresses; `change`: of the hypervisor's image."""

    board: str
    config: str
    entry: int
    dtb: int
    files: tuple[tuple[Path, int], ...]
    cpus: int = 1
    typed: bool = False
    change: Change | None = None


def store_base(board: str) -> int:
    text = (ROOT / "boards" / board / "board.c").read_text()
    return int(re.search(r"\.store_base = (0x\w+)", text)[1], 16)


def loads(guest: Guest) -> tuple[str, list[str]]:
    """The plan's lines and QEMU's words that bring the files there."""
    lines, words, offset = "", [], 0
    for path, place in guest.files:
        size = path.stat().st_size
        lines += f"load store={offset:#x} ipa={place:#x} size={size:#x}\n"
        words += ["-device", f"loader,file={path},addr={store_base(guest.board) + offset:#x},"
                             "force-raw=on"]
        offset += -(-size // MIB) * MIB
    return lines, words


def guest_words(guest: Guest, folder: Path) -> list[str]:
    lines, words = loads(guest)
    plan = (f"order once\nlimit_ms 0\nconfig {guest.config}\nguest ram={RAM:#x} ram_mib={RAM_MIB}"
            f" cpus={guest.cpus} entry={guest.entry:#x} dtb={guest.dtb:#x}\n{lines}")
    image = plans.write_plan(image_of(guest.board), plan, PLATFORM)
    if guest.change:
        image = guest.change(image, guest.board)
    path = folder / "hypbench.elf"
    path.write_bytes(image)
    return machine_words(guest, TREE.qemu_options(guest.board), path) + words


def bare_words(guest: Guest, kernel: Path) -> list[str]:
    """The machine without EL2, so that a kernel starts where it does as a guest: at EL1."""
    options = [word.replace("virtualization=on,", "") for word in TREE.qemu_options(guest.board)]
    options[options.index("-m") + 1] = f"{RAM_MIB}M"
    return machine_words(guest, options, kernel)


def machine_words(guest: Guest, options: list[str], image: Path) -> list[str]:
    words = qemu.command([*options, "-smp", str(guest.cpus)], CLOCK, image)
    if guest.typed:  # while QEMU records, it takes no input
        words = [word.removesuffix(qemu.RECORDING) for word in words]
    return words


# --- scratch: replaced by the host tool's ---
def device_tree_text(board: str, cpus: int, initrd: tuple[int, int] | None, args: str) -> str:
    isa = board_facts(board)["ISA"]
    cpu = board_facts(board)["CPU"]
    nodes = "".join(f"""cpu@{n} {{ device_type = "cpu"; compatible = "arm,{cpu}"; reg = <{n}>;
 enable-method = "psci"; }};""" for n in range(cpus))
    v3 = board_facts(board)["GIC"] == "gicv3"
    ids = "cpu_on = <0xc4000003>;" if isa == "armv8" else "cpu_on = <0x84000003>;"
    second = f"0x80a0000 0 {0x20000 * cpus:#x}" if v3 else "0x8010000 0 0x10000"
    place = (f"linux,initrd-start = <{initrd[0]:#x}>; linux,initrd-end = <{initrd[1]:#x}>;"
             if initrd else "")
    return f"""/dts-v1/;
/ {{
 #address-cells = <2>; #size-cells = <2>;
 compatible = "linux,dummy-virt"; model = "hypbench guest";
 interrupt-parent = <&gic>;
 chosen {{ bootargs = "{args}"; stdout-path = "/pl011@9000000"; {place} }};
 aliases {{ serial0 = "/pl011@9000000"; }};
 memory@40000000 {{ device_type = "memory"; reg = <0 {RAM:#x} 0 {RAM_MIB * MIB:#x}>; }};
 cpus {{ #address-cells = <1>; #size-cells = <0>; {nodes} }};
 psci {{ compatible = "arm,psci-1.0", "arm,psci-0.2"; method = "hvc"; {ids} }};
 timer {{ compatible = "arm,armv8-timer", "arm,armv7-timer"; always-on;
  interrupts = <1 13 0x104 1 14 0x104 1 11 0x104 1 10 0x104>; }};
 clk: apb-pclk {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <24000000>; }};
 gic: intc@8000000 {{ compatible = "{'arm,gic-v3' if v3 else 'arm,cortex-a15-gic'}";
  #interrupt-cells = <3>; interrupt-controller; reg = <0 0x8000000 0 0x10000 0 {second}>; }};
 pl011@9000000 {{ compatible = "arm,pl011", "arm,primecell"; reg = <0 0x9000000 0 0x1000>;
  interrupts = <0 1 4>; clocks = <&clk>, <&clk>; clock-names = "uartclk", "apb_pclk"; }};
}};"""
