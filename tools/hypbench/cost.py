# SPDX-License-Identifier: Apache-2.0
"""The cost vector of a path at EL2, counted from outside: instructions, cache lines, pages, loads
and stores, device accesses by register, system registers, barriers, maintenance, entries and
returns. A user gives these parts prices for a core, because an instruction is not a cycle."""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate, groupby, islice
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from hypbench import counting
from hypbench.counting import Block, Window
from hypbench.instructions import CLASSES, Classes, Kind
from hypbench.records import Data, Log
from hypbench.tree import Tree

LINE, PAGE = 6, 12  # address bits within a cache line, and within a page
SWITCHES = ("paths", "data")
BASES = ("GICD", "GICC", "GICH", "GICV", "GICR")  # members of struct gic_bases, in order
GIC_REGISTERS = "drivers/gic/gic_regs.h"
REGISTER = re.compile(r"^#define (GIC[A-Z])_(\w+) (0x[0-9a-f]+)u$", re.MULTILINE)
FRAME = 0x10000  # offset of a redistributor's second frame, and size of a GIC part
EXACT = ("instructions", "loads", "stores", "devices", "register_reads", "register_writes",
         "barriers", "maintenance", "entries", "returns")
Devices = Callable[[int], str]  # physical address → register of a device
CEILINGS = ("text_lines", "text_pages", "data_lines", "data_pages")


class Access(NamedTuple):
    """A load or store by one instruction, or by several that `joined` it."""

    store: bool
    device: bool
    address: int
    size: int
    joined: bool
    place: int  # the physical address; EL2's tables here translate an address to itself


class Executed(NamedTuple):
    """An instruction that was executed."""

    address: int
    place: int  # the same for two addresses of the same memory
    word: int


class Visit(NamedTuple):
    """A window of the guest, with what EL2 executed and accessed in the window."""

    window: Window
    blocks: list[Block]
    accesses: list[Access]


@dataclass
class Cost:
    """The cost vector of one path at EL2. Lines have 64 bytes, pages 4 KiB; `fill` is the share of
    the lines' bytes that the path uses."""

    instructions: int = 0
    text_lines: int = 0
    text_pages: int = 0
    data_lines: int = 0
    data_pages: int = 0
    loads: int = 0
    stores: int = 0
    devices: dict[str, int] = field(default_factory=dict)  # number of accesses by register
    register_reads: int = 0
    register_writes: int = 0
    barriers: int = 0
    maintenance: int = 0
    entries: int = 0
    returns: int = 0
    text_fill: float = 0.0
    data_fill: float = 0.0

    def kinds(self) -> dict[str, int]:
        """Count the instructions by kind."""
        counts = {"load": self.loads, "store": self.stores,
                  "device access": sum(self.devices.values()),
                  "system register read": self.register_reads,
                  "system register write": self.register_writes,
                  "barrier, maintenance": self.barriers + self.maintenance,
                  "exception return": self.returns}
        return {"arithmetic, branch": self.instructions - sum(counts.values())} | counts


class Machine:
    """The image of a board: its instructions, and the addresses of its GIC."""

    def __init__(self, tree: Tree, board: str):
        with (tree.build(board) / "hypbench.elf").open("rb") as file:
            elf = ELFFile(file)
            self.classes: Classes = CLASSES[elf["e_machine"]]
            self.word = elf.elfclass // 8
            self.segments = [(segment["p_vaddr"], segment.data())
                             for segment in elf.iter_segments("PT_LOAD")]
            self.board = next(symbol["st_value"] for symbol in counting.symbol_table(elf)
                              if symbol.name == "board")
        self.registers = registers((tree.root / GIC_REGISTERS).read_text())

    def read(self, address: int, size: int) -> int:
        for start, data in self.segments:
            if start <= address and address + size <= start + len(data):
                return int.from_bytes(data[address - start:][:size], "little")
        raise ValueError(f"the image has no {address:#x}")

    def kind(self, address: int) -> Kind:
        return self.classes(self.read(address, 4))

    @cached_property
    def bases(self) -> dict[int, str]:
        """Return the part of the GIC at each address. struct gic_bases is the first member of
        struct board."""
        part_by_base = {self.read(self.board + i * self.word, self.word): part
                        for i, part in enumerate(BASES)}
        return {base: part for base, part in part_by_base.items() if base}

    def device(self, address: int) -> str:
        base = max((base for base in self.bases if base <= address), default=None)
        part = self.bases.get(base or 0)
        if base is None or not part or address - base >= 0x200000:
            return "other"
        offset = address - base
        if part == "GICR" and offset % (2 * FRAME) >= FRAME:  # SGI_base has the layout of GICD
            return f"GICR_{self.register('GICD', offset % FRAME)}"
        return f"{part}_{self.register(part, offset % (2 * FRAME))}"

    def register(self, part: str, offset: int) -> str:
        entries = self.registers["GICC" if part == "GICV" else part]
        at = bisect_right([start for start, _ in entries], offset) - 1
        return entries[at][1] if at >= 0 else f"{offset:#x}"


def registers(header: str) -> dict[str, list[tuple[int, str]]]:
    """Return for each part of the GIC the offsets and names of its registers, ascending."""
    names_by_part: dict[str, list[tuple[int, str]]] = {}
    for part, name, offset in REGISTER.findall(header):
        names_by_part.setdefault(part, []).append((int(offset, 16), name))
    return {part: sorted(names) for part, names in names_by_part.items()}


# --- reading the plugin's lines ---

def visits_of(lines: Iterable[str]) -> Iterator[Visit]:
    """Return each window in the order of the run. A window whose end was lost has only its
    ticks."""
    last: Visit | None = None
    for line in lines:
        kind, *words = line.split()
        if kind == "window":
            last = Visit(Window(*map(int, words)), [], [])
        elif kind == "path" and last:
            last.blocks.extend(block for block in map(counting.block_of, words)
                               if block.level == "h")
        elif kind == "data" and last:
            last.accesses.extend(access for word in words for access in accesses_of(word))
            yield last
            last = None
        elif kind == "lost" and len(words) == 2:
            yield Visit(Window(int(words[1]) - int(words[0]), 0, 0, 0, 0, 0), [], [])


def accesses_of(word: str) -> Iterator[Access]:
    for i, text in enumerate(word.split(",")):
        address, size = text[2:].split("+")
        yield Access(text[0] == "s", text[1] == "D", int(address, 16), int(size), i > 0,
                     int(address, 16))


def cost_of(visit: Visit, machine: Machine) -> Cost:
    addresses = [address for block in visit.blocks
                 for address in range(block.address, block.address + 4 * block.length, 4)]
    return vector([Executed(address, address, machine.read(address, 4)) for address in addresses],
                  visit.accesses, visit.window.visits, machine.classes, machine.device)


def vector(executed: list[Executed], accesses: list[Access], entries: int, classes: Classes,
           device: Devices) -> Cost:
    """Return the cost vector. Lines are counted by their place in memory, as in a cache; pages by
    their address, as in a TLB."""
    text = {instruction.place + byte for instruction in executed for byte in range(4)}
    memory = [access for access in accesses if not access.device]
    data = {access.place + byte for access in memory for byte in range(access.size)}
    kinds = Counter(classes(instruction.word) for instruction in executed)
    loads, stores = instructions_with(accesses)
    devices = Counter(device(access.place) for access in accesses if access.device)
    return Cost(
        instructions=len(executed), loads=loads, stores=stores,
        text_lines=parts(text, LINE),
        text_pages=parts({instruction.address for instruction in executed}, PAGE),
        data_lines=parts(data, LINE),
        data_pages=parts({access.address + last for access in memory
                          for last in (0, access.size - 1)}, PAGE),
        devices=dict(sorted(devices.items())),
        register_reads=kinds[Kind.READ], register_writes=kinds[Kind.WRITE],
        barriers=kinds[Kind.BARRIER], maintenance=kinds[Kind.MAINTENANCE],
        entries=entries, returns=kinds[Kind.RETURN],
        text_fill=fill(text), data_fill=fill(data))


def parts(bytes_used: set[int], bits: int) -> int:
    return len({address >> bits for address in bytes_used})


def fill(bytes_used: set[int]) -> float:
    lines = parts(bytes_used, LINE)
    return round(len(bytes_used) / (lines << LINE), 2) if lines else 0.0


def instructions_with(accesses: list[Access]) -> tuple[int, int]:
    """Count instructions that only load from memory, and instructions that store to memory. An
    exclusive store counts as a store, though QEMU also loads."""
    stores: list[bool] = []
    for access in accesses:
        if access.device:
            continue
        if access.joined and stores:
            stores[-1] |= access.store
        else:
            stores.append(access.store)
    return len(stores) - sum(stores), sum(stores)


# --- committed vectors ---

def written(content: dict[str, Any]) -> str:
    """Return JSON with each row on a line of its own."""
    rows = content["costs"]
    head = json.dumps(content | {"costs": {}}, indent=1)[:-len("{}\n}")]
    configs = ",\n".join(
        f'  "{config}": {{\n' + ",\n".join(f'   "{path}": {json.dumps(cost)}'
                                          for path, cost in paths.items()) + "\n  }"
        for config, paths in rows.items())
    return f"{head}{{\n{configs}\n }}\n}}\n"


def problems(committed: dict[str, dict[str, Data]], counted: dict[str, dict[str, Cost]]
             ) -> Iterator[str]:
    """Return a line for each part of a vector that differs from the committed vector. The number of
    lines or of pages may exceed the committed number by one."""
    for config in sorted(committed.keys() | counted.keys()):
        old, new = committed.get(config, {}), counted.get(config, {})
        for path in sorted(old.keys() | new.keys()):
            if path not in old or path not in new:
                yield f"{config} {path}: only {'committed' if path in old else 'found'}"
                continue
            yield from (f"{config} {path}: {text}"
                        for text in differences(old[path], asdict(new[path])))


def differences(old: Data, new: Data) -> Iterator[str]:
    for name in EXACT:
        if old[name] != new[name]:
            yield f"{name} {new[name]}, {old[name]} committed"
    for name in CEILINGS:
        if new[name] > old[name] + 1:
            yield f"{name} {new[name]}, at most {old[name]} + 1"


# --- costs of a run ---

def row_name(record: Data) -> str:
    return f"{record['bench']} {record['variant']}"


def paths_of(log: Log, lines: Iterable[str]) -> Iterator[tuple[Data, Visit]]:
    """Return each row's record with the window of its last sample, which is warm. Rows without EL2
    and rows with a lost window are left out."""
    visits = visits_of(lines)
    for _, records in groupby(log.of_kind("bench"), key=lambda record: record["step"]):
        for record, last in last_windows(list(records), visits):
            if last.blocks:
                yield record, last


def costs_of(log: Log, lines: Iterable[str], machine: Machine) -> dict[str, dict[str, Cost]]:
    """Return the cost of the last sample, by configuration and row."""
    costs: dict[str, dict[str, Cost]] = {}
    for record, last in paths_of(log, lines):
        costs.setdefault(record["config"], {})[row_name(record)] = cost_of(last, machine)
    return costs


def last_windows(records: list[Data], visits: Iterator[Visit]) -> list[tuple[Data, Visit]]:
    """Return the last window of each record of a step. A benchmark takes the samples of its
    variants one variant after the other, or in turns; the ticks show which order it is."""
    windows = list(islice(visits, sum(record["n"] + 1 for record in records)))
    lengths = [record["n"] + 1 for record in records]
    ends = [windows[end - 1] for end in accumulate(lengths) if end <= len(windows)]
    for lasts in (ends, windows[-len(records):]):
        if [visit.window.ticks for visit in lasts] == [record["raw_p50"] for record in records]:
            return list(zip(records, lasts))
    return []
