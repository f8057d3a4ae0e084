# SPDX-License-Identifier: Apache-2.0
"""Read the counts of QEMU's plugin tools/plugin/outside.c: the work of the core for a system,
outside of the guest, on paths of the probe. The plugin knows no system, so it counts all systems
alike: everything that the core executes from the guest's exit to the guest's next instruction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from hypbench.cost import Access, Cost, Devices, Executed, vector
from hypbench.instructions import CLASSES
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PATHS, NotMeasured, Probe

SAMPLES = 20  # samples of a path after the first sample
COUNTED = ("psci_version", "gicd_iidr", "sgi_self", "timer_busy")
MACHINES = {"armv8": "EM_AARCH64", "armv7": "EM_ARM"}

# CLOSING is the instruction that closes a window of the probe, CLOSING_VECTOR the instruction that
# closes an interrupt's window (guest/probe/arch/<isa>/windows.S).
CLOSING = {"armv8": 0xD53BE056, "armv7": 0xEC5BAF1E}
CLOSING_VECTOR = {"armv8": 0xD53BE048, "armv7": 0xEC5BAF1E}

# Exception classes (DDI 0487 D17.2.37), and the probe's requests.
INTERRUPT, HVC, REGISTER, DATA_ABORT = 0, (0x12, 0x16), 0x18, 0x24
PSCI_VERSION = 0x84000000
PAGE = 0xFFF
IIDR, SGIR = 0x008, 0xF00  # offsets within GICD's first page


class Code(NamedTuple):
    """A translation block: the address of its first instruction, its words, and their pages of
    memory."""

    address: int
    words: tuple[int, ...]
    pages: tuple[int, ...]

    def executed(self, begun: int) -> Iterator[Executed]:
        for i in range(begun):
            address = self.address + 4 * i
            yield Executed(address, self.pages[i] << 12 | address & PAGE, self.words[i])


@dataclass
class Visit:
    """A visit to the system, from the guest's exit to the guest's next instruction."""

    kind: int  # exception class, 0 for an interrupt
    argument: int  # x0 at the exit
    fault: int  # FAR_EL2
    executed: list[Executed] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)


@dataclass
class Window:
    """A window between two reads of the guest's counter."""

    closing: int  # the instruction of the second read
    lines: list[str]  # lines of the plugin's file
    visits: list[Visit] = field(default_factory=list)

    def path(self, isa: str) -> str:
        """The path of the probe that this window is a sample of, or "" if the path is not
        counted."""
        first = self.visits[0]
        if self.closing == CLOSING[isa]:
            if first.kind in HVC and first.argument == PSCI_VERSION:
                return "psci_version"
            if first.kind == DATA_ABORT and first.fault & PAGE == IIDR:
                return "gicd_iidr"
        if self.closing == CLOSING_VECTOR[isa]:
            if first.kind == REGISTER or first.kind == DATA_ABORT and first.fault & PAGE == SGIR:
                return "sgi_self"
            if all(visit.kind == INTERRUPT for visit in self.visits):
                return "timer_busy"
        return ""

    def counted(self, isa: str) -> list[Visit]:
        """Return the visits that count. A timer's window begins at its expiry, so earlier visits do
        not count."""
        return self.visits[-1:] if self.path(isa) == "timer_busy" else self.visits

    def length(self, isa: str) -> int:
        return sum(len(visit.executed) for visit in self.counted(isa))

    def cost(self, isa: str, devices: Devices) -> Cost:
        visits = self.counted(isa)
        return vector([instruction for visit in visits for instruction in visit.executed],
                      [access for visit in visits for access in visit.accesses], len(visits),
                      CLASSES[MACHINES[isa]], devices)


def windows_of(lines: Iterable[str]) -> Iterator[Window]:
    """Read the windows of a file. Raise NotMeasured for a file that no run of the plugin wrote."""
    codes: dict[int, tuple[str, Code]] = {}
    current: Window | None = None
    try:
        for line in lines:
            kind, *words = line.split()
            if kind == "code":
                codes[int(words[0], 16)] = line, code_of(words)
                continue
            if kind in ("window", "lost") and current:
                yield current
            if kind == "window":
                current = Window(int(words[0], 16), [line])
            elif kind == "lost":
                current = None
            elif current:
                add_line(current, kind, words, line, codes)
    except (ValueError, KeyError, IndexError) as error:
        raise NotMeasured(f"the plugin's file has a line that it never writes: {line[:80]}"
                          ) from error
    if current:
        yield current


def code_of(words: list[str]) -> Code:
    pairs = [word.split("@") for word in words[2:]]
    return Code(int(words[1], 16), tuple(int(word, 16) for word, _ in pairs),
                tuple(int(page, 16) for _, page in pairs))


def add_line(window: Window, keyword: str, words: list[str], line: str,
             codes: dict[int, tuple[str, Code]]) -> None:
    if keyword == "visit":
        kind, argument, fault = (int(word, 16) for word in words)
        window.visits.append(Visit(kind, argument, fault))
    elif keyword == "path":
        for word in words:
            number, begun = (int(part, 16) for part in word.split("+"))
            text, code = codes[number]
            if text not in window.lines:
                window.lines.insert(0, text)
            window.visits[-1].executed.extend(code.executed(begun))
    elif keyword == "data":
        window.visits[-1].accesses.extend(access for word in words for access in accesses_of(word))
    else:
        raise ValueError(keyword)
    window.lines.append(line)


def accesses_of(word: str) -> Iterator[Access]:
    for i, text in enumerate(word.split(",")):
        address, extent = text[2:].split(":")
        place, size = extent.split("+")
        yield Access(text[0] == "s", text[1] == "D", int(address, 16), int(size, 16), i > 0,
                     int(place, 16))


def guest_instructions(path: str, isa: str, gic: int) -> int:
    """Return the number of the guest's instructions in a window (docs/design/probe.md)."""
    if path in ("psci_version", "gicd_iidr"):
        return {"psci_version": 4, "gicd_iidr": 3}[path]
    trapped_write = path == "sgi_self" and gic == 3  # this write counts, an aborted store does not
    return 1 + (isa == "armv7") + trapped_write


def median_samples(lines: Iterable[str], peer: Peer, probe: Probe) -> dict[str, Window]:
    """Return, for each path that the probe measured, a sample as long as the probe's median. The
    probe counts inside the guest, and the plugin outside: raise NotMeasured if they differ."""
    windows: dict[str, list[Window]] = {path: [] for path in COUNTED if path in probe.figures}
    for window in windows_of(lines):
        if (path := window.path(peer.isa)) in windows:
            windows[path].append(window)
    return {path: median(path, samples, peer, probe) for path, samples in windows.items()}


def median(path: str, windows: list[Window], peer: Peer, probe: Probe) -> Window:
    expected = probe.figures[path].p50 - guest_instructions(path, peer.isa, peer.gic)
    if len(windows) <= SAMPLES:
        raise NotMeasured(f"the plugin saw {len(windows)} samples of {PATHS[path]}, not the first"
                          f" and {SAMPLES} more")
    lengths = sorted(window.length(peer.isa) for window in windows[1:])
    if expected not in lengths:
        raise NotMeasured(f"{PATHS[path]}: the probe's median has {expected} instructions outside"
                          f" of the guest, and the plugin counted {lengths[0]} to {lengths[-1]}")
    return next(window for window in windows[1:] if window.length(peer.isa) == expected)
