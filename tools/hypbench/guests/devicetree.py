# SPDX-License-Identifier: Apache-2.0
"""The device tree of a guest's machine, compiled by dtc; or the user's own, with what the loader of
a kernel has to say put into its /chosen."""

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from hypbench import abi
from hypbench.boards.programs import run
from hypbench.guests.formats import read_file
from hypbench.guests.machine import FLASH_BANK, REDISTRIBUTOR, BadGuest, Machine
from hypbench.guests.placement import DTB_ROOM, Layout

MAGIC = bytes.fromhex("d00dfeed")
SPARE = 4096  # bytes that firmware can still put something into
UART_HZ = 24_000_000  # virt's
TIMER_PPIS = {"secure": 29, "physical": 30, "virtual": 27, "hypervisor": 26}


@dataclass(frozen=True)
class Network:
    """The end of a link of kind=virtio."""

    address: int = abi.constant("VIRT_VIRTIO")
    size: int = abi.constant("VIRTIO_SIZE")
    intid: int = abi.constant("VIRT_VIRTIO_INTID")


def source(machine: Machine, layout: Layout, arguments: str, network: bool = False) -> str:
    """The tree as text. It has flash where the image lies in it."""
    environment = Environment(loader=PackageLoader("hypbench.guests", ""), trim_blocks=True,
                              lstrip_blocks=True, undefined=StrictUndefined,
                              keep_trailing_newline=True)
    in_flash = any(piece.address < machine.ram for piece in layout.image)
    return environment.get_template("guest.dts.j2").render(
        machine=machine, bootargs=escaped(arguments), initrd=initrd_words(layout), hex=hex,
        network=Network() if network else None, timers=TIMER_PPIS.values(), uart_hz=UART_HZ,
        redistributor=REDISTRIBUTOR,
        flash=FLASH_BANK if in_flash else 0)


def initrd_words(layout: Layout) -> list[tuple[str, int]]:
    initrd = layout.initrd
    return [("linux,initrd-start", initrd.address), ("linux,initrd-end", initrd.end)
            ] if initrd else []


def escaped(text: str) -> str:
    check_arguments(text)
    return text.replace("\\", "\\\\").replace('"', '\\"')


def check_arguments(text: str) -> None:
    if not text.isascii() or not text.isprintable():
        raise BadGuest("GUEST_ARGS has characters that are not printable ASCII")


def make(machine: Machine, layout: Layout, arguments: str, folder: Path,
         network: bool = False) -> Path:
    """guest.dts and guest.dtb of that folder."""
    text, blob = folder / "guest.dts", folder / "guest.dtb"
    text.write_text(source(machine, layout, arguments, network))
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-p", SPARE, "-o", blob, text)
    return blob


def read(path: Path) -> bytes:
    """The user's own, which must be a whole one."""
    content = read_file(path, "GUEST_DTB", DTB_ROOM, "the room for it")
    if not content.startswith(MAGIC):
        hint = "; dtc compiles it" if content.startswith(b"/dts-v1/") else ""
        raise BadGuest(f"GUEST_DTB={path}: this is no device tree blob (it begins with"
                       f" {content[:4].hex()}, not {MAGIC.hex()}){hint}")
    size = int.from_bytes(content[4:8], "big")
    if size > len(content):
        raise BadGuest(f"GUEST_DTB={path}: this device tree is cut: its header gives {size}"
                       f" bytes, the file has {len(content)}")
    return content


def completed(content: bytes, layout: Layout, arguments: str, folder: Path) -> Path:
    """A copy of the user's, with initrd and arguments in /chosen where the user has given any."""
    blob = folder / "guest.dtb"
    blob.write_bytes(content)
    if arguments:
        check_arguments(arguments)
        run("fdtput", "-p", "-t", "s", "--", blob, "/chosen", "bootargs", arguments)
    for name, address in initrd_words(layout):
        run("fdtput", "-p", "-t", "x", blob, "/chosen", name,
            *(f"{word:x}" for word in (address >> 32, address & 0xffffffff)))
    return blob
