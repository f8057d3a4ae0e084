# SPDX-License-Identifier: Apache-2.0
"""Count the instructions of one path of each kind of exit by function. Scenario `profile` runs
under the plugin that counts from outside. The sum of the counts is the path's length. The image's
symbols give the call stack of each instruction, and addr2line adds the functions that the compiler
inlined, from the image's DWARF."""

import json
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

from elftools.elf.elffile import ELFFile

from hypbench import counting
from hypbench.cost import SWITCHES, Cost, Machine, costs_of, row_name
from hypbench.counting import Block, Window, symbol_table
from hypbench.records import Data, Log
from hypbench.tree import Tree

Stack = tuple[str, ...]  # functions of the stack, outermost first
ACCESSORS = "/include/arch/"
CALLS = {"EM_AARCH64": ((0xFC000000, 0x94000000), (0xFFFFFC1F, 0xD63F0000)),  # BL, BLR
         "EM_ARM": ((0x0F000000, 0x0B000000), (0x0FFFFFF0, 0x012FFF30))}  # BL, BLX

ADDR2LINE = {"EM_AARCH64": ("aarch64-none-elf-addr2line", "aarch64-linux-gnu-addr2line"),
             "EM_ARM": ("arm-none-eabi-addr2line",)}
PLAN = "profile"
# The page's name of each path: benchmark, variant, configuration. A trapped system register is left
# out, because QEMU counts one instruction too many there (CAVEATS.md).
EXITS = {
    "null hypercall": ("hvc", "null", "trapped"),
    "timer interrupt, to the handler": ("timer_wakeup", "busy-handler", "trapped"),
    "SMC that EL2 answers": ("smc", "unknown", "trapped"),
    "emulated read of GICD_IIDR": ("mmio_read", "vgic", "trapped"),
    "emulated write of GICD_IPRIORITYR": ("mmio_write", "vgic", "trapped"),
    "WFI that traps, an interrupt pending": ("wfi", "pending", "waits"),
    "first use of FP registers": ("fp_first_use", "use", "fp"),
    "SGI to itself, to the vector": ("sgi_self", "vector", "trapped"),
    "VM switch, by a timer's interrupt": ("timer_wakeup", "wfi-vector", "switch"),
    "stage-2 fault that maps a page": ("page_fault", "stage2", "lazy")}
LEVELS = {"g": "guest", "h": "EL2", "s": "EL3"}
IMAGES = {"g": "guest.elf", "h": "hypbench.elf"}


@dataclass
class Frame:
    back: int  # address to which the frame returns
    names: Stack  # the stack at the frame's last instruction


class Image:
    """An ELF file with the names of its functions by address."""

    def __init__(self, path: Path, addresses: Iterable[int]):
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.calls = CALLS[elf["e_machine"]]
            self.texts = [(section["sh_addr"], section.data()) for section in elf.iter_sections()
                          if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & 4]
            self.names = functions_of(elf)
            self.starts = sorted(self.names)
            self.inlined = inlined_at(path, elf["e_machine"], set(addresses))

    def function(self, address: int) -> tuple[int, str]:
        """Return the begin and the name of the function at an address."""
        at = bisect_right(self.starts, address) - 1
        start = self.starts[at] if at >= 0 else 0
        return start, self.names.get(start, f"{address:#x}")

    def is_call(self, address: int) -> bool:
        for start, text in self.texts:
            if start <= address < start + len(text):
                word = int.from_bytes(text[address - start:][:4], "little")
                return any(word & mask == value for mask, value in self.calls)
        return False

    def stacks(self, addresses: Iterable[int]) -> Iterator[Stack]:
        """Yield the stack of each instruction of a path. A call opens a frame, and the address
        after the call closes it. A jump to another function replaces a frame."""
        frames = [Frame(0, ())]
        called, previous = False, 0
        for address in addresses:
            start, name = self.function(address)
            places = [at for at, frame in enumerate(frames) if frame.back == address]
            if called:
                frames.append(Frame(previous + 4, ()))
            elif places:
                del frames[places[-1]:]
            frames[-1].names = (name, *self.inlined.get(address, ()))
            called, previous = self.is_call(address), address
            yield tuple(name for frame in frames for name in frame.names)


def functions_of(elf: ELFFile) -> dict[int, str]:
    """Return the functions, and the labels of assembly, by address. A function's name wins over a
    label's."""
    names: dict[int, tuple[bool, str]] = {}
    for symbol in symbol_table(elf):
        kind, name = symbol["st_info"]["type"], symbol.name
        if kind not in ("STT_FUNC", "STT_NOTYPE") or not name or name[0] == "$" or not isinstance(
                symbol["st_shndx"], int):
            continue
        text = elf.get_section(symbol["st_shndx"])
        if text["sh_flags"] & 4:
            names[symbol["st_value"]] = max(names.get(symbol["st_value"], (False, "")),
                                            (kind == "STT_FUNC", name))
    return {address: plain(name) for address, (_, name) in names.items()}


def plain(name: str) -> str:
    """Return the name without the compiler's suffix for a part or copy of a function."""
    return name.split(".")[0] or name


def inlined_at(image: Path, machine: str, addresses: Iterable[int]) -> dict[int, Stack]:
    """Return by address the inlined functions that an instruction belongs to, outermost first.
    Accessors of arch/ are left out, because each is one instruction. The result is {} if the
    binutils that built the image are missing."""
    program = next(filter(None, map(shutil.which, ADDR2LINE[machine])), None)
    if not program:
        return {}
    output = subprocess.run([program, "-afi", "-e", image], input="\n".join(map(hex, addresses)),
                            capture_output=True, text=True, check=True).stdout
    stacks: dict[int, Stack] = {}
    for part in filter(None, output.split("\n0x")):
        address, *lines = part.removeprefix("0x").splitlines()
        inlined = list(zip(lines[::2], lines[1::2]))[-2::-1]  # the last pair is the function itself
        stacks[int(address, 16)] = tuple(plain(name) for name, where in inlined
                                         if ACCESSORS not in where)
    return stacks


@dataclass
class Node:
    """A function in the stack; `count` includes the functions that it calls."""

    name: str
    count: int = 0
    children: list["Node"] = field(default_factory=list)

    def child(self, name: str) -> "Node":
        child = next((node for node in self.children if node.name == name), None)
        if not child:
            child = Node(name)
            self.children.append(child)
        return child


@dataclass
class Flame:
    """The flame graph of one path. `length` is the record's median, and the root's count is the
    number of executed instructions."""

    name: str
    bench: str
    variant: str
    config: str
    length: int
    root: Node
    cost: Cost | None = None  # the cost vector, if the plugin also counted data


def library(tree: Tree) -> Path:
    return tree.builds / "report" / "el2count.so"


def reason_not_to_count(tree: Tree, board: str) -> str:
    """Return why the paths of this board cannot be counted, or ""."""
    options = tree.qemu_options(board)
    return (counting.reason_not_to(options[0], library(tree)) if options
            else "QEMU has no such board")


def plugin(tree: Tree, board: str, counts: Path) -> list[str]:
    """Return QEMU's options for the plugin."""
    return counting.options(library(tree), tree.build(board) / "guest.elf",
                            tree.board_fact(board, "ISA"), counts, switches=SWITCHES)


def sources() -> list[Path]:
    """Return the files beside the image that decide a profile."""
    here = Path(__file__).parent
    return [*sorted(counting.SOURCES.iterdir()), *(here / f"{name}.py" for name in (
        "cost", "counting", "instructions", "profile"))]


def flames_of(home: Path, log: Log, counts: list[str], machine: Machine | None = None
              ) -> list[Flame]:
    """Return the flame graph of the last sample of each path, because the first sample is cold.
    `home` has the images, and `counts` are the plugin's lines. Each flame graph has its cost if the
    board's `machine` is given."""
    windows = iter(counting.paths_of(counts))
    costs = costs_of(log, counts, machine) if machine else {}
    paths = []
    for record in log.of_kind("bench"):
        *_, last = [next(windows, None) for _ in range(record["n"] + 1)]
        name = next((name for name, path in EXITS.items() if path == (
            record["bench"], record["variant"], record["config"])), None)
        if name and last and last[1]:
            paths.append((name, record, list(path_of(record, *last))))
    images = {level: Image(home / file, [
        address for _, _, path in paths for at_level, address in path if at_level == level])
        for level, file in IMAGES.items()}
    flames = [Flame(name, record["bench"], record["variant"], record["config"], record["p50"],
                    tree_of(path, images), costs.get(record["config"], {}).get(row_name(record)))
              for name, record, path in paths]
    return sorted(flames, key=lambda flame: list(EXITS).index(flame.name))


def path_of(record: Data, window: Window, blocks: list[Block]) -> Iterator[tuple[str, int]]:
    """Yield the level and the address of each instruction that the record counts. The record does
    not count the stamps' instructions, nor an access that aborts into EL2, because icount does not
    count such an access."""
    path = [(block.level, address) for block in blocks
            for address in range(block.address, block.address + 4 * block.length, 4)]
    stamps = window.ticks - record["p50"]
    path = path[1:len(path) - stamps + 1] if stamps > 0 else path
    for instruction, following in zip(path, [*path[1:], path[-1]]):
        if not (window.aborted and instruction[0] == "g" and following[0] == "h"):
            yield instruction


def tree_of(path: list[tuple[str, int]], images: dict[str, Image]) -> Node:
    root = Node("")
    for level, instructions in groupby(path, key=lambda instruction: instruction[0]):
        addresses = [address for _, address in instructions]
        stacks = images[level].stacks(addresses) if level in images else iter([()] * len(addresses))
        for stack in stacks:
            root.count, node = root.count + 1, root
            for name in (LEVELS[level], *stack):
                node = node.child(name)
                node.count += 1
    return root


def write(flames: list[Flame], path: Path) -> None:
    path.write_text(json.dumps([asdict(flame) for flame in flames]) + "\n")


def read(path: Path) -> list[Flame]:
    """Return the kept flame graphs, or [] if there are none."""
    if not path.is_file():
        return []
    return [Flame(**flame | {"root": node_of(flame["root"]),
                           "cost": Cost(**flame["cost"]) if flame["cost"] else None})
            for flame in json.loads(path.read_text())]


def node_of(value: Data) -> Node:
    return Node(value["name"], value["count"], [node_of(child) for child in value["children"]])
