# SPDX-License-Identifier: Apache-2.0
"""Make the device tree of a guest's machine with dtc, or complete the user's own tree: the
loader of a kernel adds initrd and arguments to /chosen.

A template and dtc make the tree, because libfdt's Python builds a tree call by call.
"""

from pathlib import Path

from hypbench import abi
from hypbench.boards.programs import run
from hypbench.guests.formats import read_file
from hypbench.guests.machine import FLASH_BANK, REDISTRIBUTOR, BadGuest, Machine
from hypbench.guests.placement import DTB_ROOM, Layout
from hypbench.template import filled_in

MAGIC = bytes.fromhex("d00dfeed")
SPARE = 4096  # room in which firmware can still insert something
UART_HZ = 24_000_000  # frequency of virt's UART clock
TIMER_PPIS = {"secure": 29, "physical": 30, "virtual": 27, "hypervisor": 26}


def source(machine: Machine, layout: Layout, arguments: str, network: bool = False) -> str:
    """Return the tree as text. The tree has flash if the image lies in flash. `network`: the guest
    has an end of a link of kind=virtio."""
    in_flash = any(piece.address < machine.ram for piece in layout.image)
    return filled_in(
        "guests/guest.dts.j2", machine=machine, bootargs=escaped(arguments), hex=hex,
        initrd=initrd_words(layout), network=network, constant=abi.constant, uart_hz=UART_HZ,
        timers=TIMER_PPIS.values(), redistributor=REDISTRIBUTOR,
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
    """Make guest.dts and guest.dtb in a folder."""
    text, blob = folder / "guest.dts", folder / "guest.dtb"
    text.write_text(source(machine, layout, arguments, network))
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-p", SPARE, "-o", blob, text)
    return blob


def read(path: Path) -> bytes:
    """Read the user's own tree, which must be complete."""
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


def complete_tree(content: bytes, layout: Layout, arguments: str, folder: Path) -> Path:
    """Return a copy of the user's tree. /chosen of the copy has the initrd and the arguments that
    the user has given."""
    blob = folder / "guest.dtb"
    blob.write_bytes(content)
    if arguments:
        check_arguments(arguments)
        run("fdtput", "-p", "-t", "s", "--", blob, "/chosen", "bootargs", arguments)
    for name, address in initrd_words(layout):
        run("fdtput", "-p", "-t", "x", blob, "/chosen", name,
            *(f"{word:x}" for word in (address >> 32, address & 0xffffffff)))
    return blob
