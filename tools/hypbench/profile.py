# SPDX-License-Identifier: Apache-2.0
"""The instructions of one path of each kind of exit, by function: plan `profile`, run under the
plugin that counts from outside. Their sum is the path's length."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

from hypbench import counting
from hypbench.counting import Block, Window
from hypbench.records import Data, Log
from hypbench.stacks import Image
from hypbench.tree import Tree

PLAN = "profile"
# What the page calls it: benchmark, variant, configuration.
EXITS = {
    "null hypercall": ("hvc", "null", "trapped"),
    "timer interrupt, to the handler": ("timer_wakeup", "busy-handler", "trapped"),
    "emulated read of GICD_IIDR": ("mmio_read", "vgic", "trapped"),
    "SGI to itself, to the vector": ("sgi_self", "vector", "trapped"),
    "VM switch, by a timer's interrupt": ("timer_wakeup", "wfi-vector", "switch"),
    "stage-2 fault that maps a page": ("page_fault", "stage2", "lazy")}
LEVELS = {"g": "guest", "h": "EL2", "s": "EL3"}
IMAGES = {"g": "guest.elf", "h": "hypbench.elf"}


@dataclass
class Node:
    """A function, in the stack above it; `count` has those of its children in it."""

    name: str
    count: int = 0
    children: list["Node"] = field(default_factory=list)

    def child(self, name: str) -> "Node":
        found = next((one for one in self.children if one.name == name), None)
        if not found:
            found = Node(name)
            self.children.append(found)
        return found


@dataclass
class Flame:
    """`length` is the record's median; the root's count is what was executed."""

    name: str
    bench: str
    variant: str
    config: str
    length: int
    root: Node


def library(tree: Tree) -> Path:
    return tree.builds / "report" / "el2count.so"


def why_not(tree: Tree, board: str) -> str:
    """Why the paths of this board cannot be counted; "" where they can."""
    options = tree.qemu_options(board)
    return (counting.reason_not_to(options[0], library(tree)) if options
            else "QEMU has no such board")


def plugin(tree: Tree, board: str, counts: Path) -> list[str]:
    """QEMU's words."""
    return counting.options(library(tree), tree.build(board) / "guest.elf",
                            tree.board_fact(board, "ISA"), counts, paths=True)


def sources() -> list[Path]:
    """What a profile is made by, beside the image."""
    here = Path(__file__).parent
    return [*sorted(counting.SOURCES.iterdir()), *(here / f"{name}.py" for name in (
        "counting", "profile", "stacks"))]


def flames_of(home: Path, log: Log, counts: Iterable[str]) -> list[Flame]:
    """Of the last sample of each, since the first is cold. `home` has the images, `counts` are the
    plugin's lines."""
    windows = iter(counting.paths_of(counts))
    found = []
    for record in log.of_kind("bench"):
        *_, last = [next(windows, None) for _ in range(record["n"] + 1)]
        name = next((name for name, path in EXITS.items() if path == (
            record["bench"], record["variant"], record["config"])), None)
        if name and last and last[1]:
            found.append((name, record, list(path_of(record, *last))))
    images = {level: Image(home / file, [
        address for _, _, path in found for where, address in path if where == level])
        for level, file in IMAGES.items()}
    made = [Flame(name, record["bench"], record["variant"], record["config"], record["p50"],
                  tree_of(path, images)) for name, record, path in found]
    return sorted(made, key=lambda flame: list(EXITS).index(flame.name))


def path_of(record: Data, window: Window, blocks: list[Block]) -> Iterator[tuple[str, int]]:
    """Level and address of each instruction that the record counts: without the stamps' own, and
    without an access that is aborted into EL2, which icount does not count."""
    path = [(block.level, address) for block in blocks
            for address in range(block.address, block.address + 4 * block.length, 4)]
    stamps = window.ticks - record["p50"]
    path = path[1:len(path) - stamps + 1] if stamps > 0 else path
    for one, following in zip(path, [*path[1:], path[-1]]):
        if not (window.aborted and one[0] == "g" and following[0] == "h"):
            yield one


def tree_of(path: list[tuple[str, int]], images: dict[str, Image]) -> Node:
    root = Node("")
    for level, some in groupby(path, key=lambda one: one[0]):
        addresses = [address for _, address in some]
        stacks = images[level].stacks(addresses) if level in images else iter(
            [()] * len(addresses))
        for stack in stacks:
            root.count, node = root.count + 1, root
            for name in (LEVELS[level], *stack):
                node = node.child(name)
                node.count += 1
    return root


def write(flames: list[Flame], path: Path) -> None:
    path.write_text(json.dumps([asdict(flame) for flame in flames]) + "\n")


def read(path: Path) -> list[Flame]:
    """[] where there are none."""
    if not path.is_file():
        return []
    return [Flame(**one | {"root": node_of(one["root"])}) for one in json.loads(path.read_text())]


def node_of(value: Data) -> Node:
    return Node(value["name"], value["count"], [node_of(one) for one in value["children"]])
