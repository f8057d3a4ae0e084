# SPDX-License-Identifier: Apache-2.0
"""Place a guest's image, device tree and initrd in the guest's memory, and in the board's store,
which holds them before the start."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from hypbench.guests.formats import IMAGE_ALIGNMENT, Image
from hypbench.guests.machine import (FLASH_END, KIB, MIB, BadGuest, Board, Machine, size_text)

PAGE = 4 * KIB
INSTRUCTION = 4  # bytes of an instruction of A64 and A32
DTB_ROOM = 2 * MIB  # Linux, booting.rst: the tree's largest size; it must not cross such a boundary
RAW_OFFSET = 2 * MIB
# Linux, arch/arm/booting.rst: the kernel need not move from there before it unpacks
ZIMAGE_OFFSET = 32 * MIB
ZIMAGE_LOW_OFFSET = 0x8000
DTB_FAR = 128 * MIB  # a place above an unpacked zImage, and above a raw binary's bss
STORE_UNIT = 2 * MIB
LOADS_MAX = 8  # PLAN_LOAD_MAX of abi/plan.h


@dataclass(frozen=True)
class Piece:
    """Bytes of a guest's memory with their place and their source."""

    name: str
    address: int
    size: int
    # The content of a device tree is None until all other pieces are placed.
    content: bytes | Path | None = None

    @property
    def end(self) -> int:
        return self.address + self.size

    def __str__(self) -> str:
        return f"{self.name} ({self.address:#x} to {self.end - 1:#x})"


@dataclass(frozen=True)
class Layout:
    entry: int
    image: list[Piece]
    dtb: int
    initrd: Piece | None = None
    room: list[Piece] = field(default_factory=list)  # all pieces with a place


def place(image: Image, machine: Machine, address: int | None, initrd: Path | None) -> Layout:
    """Place the parts of a guest. `address`: the user's address for a raw binary."""
    pieces, entry = image_pieces(image, machine, address)
    if entry % INSTRUCTION:
        raise BadGuest(f"the first instruction, at {entry:#x}, is not at a multiple of"
                       f" {INSTRUCTION}; guests do not begin in Thumb state")
    for piece in pieces:
        check_inside(piece, machine, image, image.kind != "ELF" and address is None)
    size = initrd.stat().st_size if initrd else 0
    dtb = dtb_place(image, machine, pieces, size, address is not None)
    room = [*pieces, Piece("the device tree", dtb, DTB_ROOM)]
    ramdisk = None
    if initrd:
        ramdisk = Piece("the initrd", after(room, machine), size, initrd)
        room.append(ramdisk)
    check_room(room, machine)
    return Layout(entry, pieces, dtb, ramdisk, room)


def image_pieces(image: Image, machine: Machine, address: int | None) -> tuple[list[Piece], int]:
    if image.kind == "ELF":
        pieces = [Piece("a segment of the ELF", part.address, len(part.data), part.data)
                  for part in image.parts]
        if len(pieces) > LOADS_MAX - 2:
            raise BadGuest(f"the ELF has {len(pieces)} segments to load; at most {LOADS_MAX - 2}"
                           " can be")
        return pieces, image.entry
    start = start_of(image, machine) if address is None else address
    return [Piece(f"the {image.kind}", start, image.memory, image.data)], start


def start_of(image: Image, machine: Machine) -> int:
    if image.kind == "arm64 Image":
        # The image begins after the first page, where QEMU and others have their own boot code.
        low = image.text_offset < PAGE
        return machine.ram + image.text_offset + (IMAGE_ALIGNMENT if low else 0)
    if image.kind == "zImage":
        high = machine.ram_size >= 2 * ZIMAGE_OFFSET
        return machine.ram + (ZIMAGE_OFFSET if high else ZIMAGE_LOW_OFFSET)
    return machine.ram + RAW_OFFSET


def check_inside(piece: Piece, machine: Machine, image: Image, chosen: bool) -> None:
    """Check that a piece is inside RAM. `chosen`: this tool chose the address, and not the image or
    the user."""
    ram = f"the guest's RAM ({machine.ram:#x} to {machine.ram_end - 1:#x})"
    if machine.ram <= piece.address and piece.end <= machine.ram_end:
        return
    if chosen or machine.ram <= piece.address < machine.ram_end:
        tree_room = DTB_ROOM if chosen else 0  # the device tree follows such a piece
        needed = up(piece.end - machine.ram, DTB_ROOM) + tree_room
        raise BadGuest(f"{piece} does not fit into {ram}: GUEST_RAM={size_text(needed)}"
                       " would hold it")
    if machine.native:
        raise BadGuest(f"{piece} is outside of {ram}; natively there is nothing else")
    if piece.end > FLASH_END:
        remedy = ("link it there, or" if image.kind == "ELF" else "GUEST_ADDRESS= is to be there,"
                  " or")
        raise BadGuest(f"{piece} is outside of {ram}: {remedy} in the flash (0x0 to"
                       f" {FLASH_END - 1:#x})")
    if piece.address % PAGE:
        raise BadGuest(f"{piece} begins in the middle of a page: flash is mapped in pages of"
                       f" {size_text(PAGE)}")


def dtb_place(image: Image, machine: Machine, pieces: list[Piece], initrd_size: int,
              has_address: bool) -> int:
    """Return a place for the device tree that the image does not clear.

    An ELF and an arm64 Image state their size in memory. A raw binary may clear memory on both
    sides of itself, which QEMU's virt allows: virt puts the tree of such a kernel 128 MiB into RAM.
    For an ELF, and for a raw binary with an address, the tree is at the beginning of RAM if this
    place is free, as on virt.
    """
    if (image.kind == "ELF" or has_address) and all(
            piece.address >= machine.ram + DTB_ROOM or piece.end <= machine.ram
            for piece in pieces):
        return machine.ram
    if image.kind in ("ELF", "arm64 Image"):
        return after(pieces, machine)
    room = DTB_ROOM + up(initrd_size, PAGE)
    far = machine.ram + min(DTB_FAR, down(machine.ram_size - room, DTB_ROOM))
    return max(far, after(pieces, machine))


def after(pieces: list[Piece], machine: Machine) -> int:
    ends = [piece.end for piece in pieces if machine.ram <= piece.address < machine.ram_end]
    return up(max(ends, default=machine.ram), DTB_ROOM)


def check_room(room: list[Piece], machine: Machine) -> None:
    """Check that no pieces overlap, and that all pieces of RAM are inside RAM."""
    last = max(room, key=lambda piece: piece.end)
    lowest = min(room, key=lambda piece: piece.address)
    if last.end > machine.ram_end or (lowest.address < machine.ram and lowest.content is None):
        needed = sum(up(piece.size, DTB_ROOM) for piece in room) + DTB_ROOM
        raise BadGuest(f"GUEST_RAM={size_text(machine.ram_size)} is too little: {last} ends beyond"
                       f" {machine.ram_end - 1:#x}; together they need"
                       f" {size_text(max(needed, up(last.end - machine.ram, DTB_ROOM)))}")
    for first, second in combinations(room, 2):
        if first.address < second.end and second.address < first.end:
            raise BadGuest(f"GUEST_RAM={size_text(machine.ram_size)} is too little, or the image is"
                           f" linked badly: {first} and {second} overlap")


@dataclass(frozen=True)
class Load:
    """A file in the store, and its place in the guest: a `load` line of the plan."""

    file: Path
    store: int
    ipa: int
    size: int

    def option(self, board: Board) -> list[str]:
        """Return QEMU's option. QEMU reads two commas as a comma in a file's name."""
        file = str(self.file).replace(",", ",,")
        return ["-device", f"loader,file={file},addr={board.store + self.store:#x},force-raw=on"]


def loads(pieces: list[Piece], board: Board, folder: Path) -> list[Load]:
    """Return a load for each piece. A piece that is not a file becomes a file."""
    guest_loads = list(store_pieces(pieces, folder))
    end = guest_loads[-1].store + guest_loads[-1].size
    if end > board.store_size:
        raise BadGuest(f"together these files have {size_text(up(end, KIB))}: the store of board"
                       f" '{board.name}' has {size_text(board.store_size)} ({board.file},"
                       " store_size)")
    return guest_loads


def store_pieces(pieces: list[Piece], folder: Path) -> Iterator[Load]:
    store = 0
    for number, piece in enumerate(pieces):
        if isinstance(piece.content, bytes):
            file = folder / f"load-{number}.bin"
            size = file.write_bytes(piece.content)
        else:
            assert piece.content, f"the {piece.name} is made by now"
            file, size = piece.content, piece.size
        yield Load(file, store, piece.address, size)
        store = up(store + size, STORE_UNIT)


def up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def down(number: int, unit: int) -> int:
    return number // unit * unit
