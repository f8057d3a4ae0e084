# SPDX-License-Identifier: Apache-2.0
"""Physical SPIs that are a guest's: what it programs arrives at the physical distributor, and they
at the vCPU that is their target. By a guest that checks what it sees (arch/spis.c), and by QEMU's
trace of the physical GIC, which is read up to each of the guest's marks."""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest

from assembler import assemble
from hypbench import qemu
from lab import Job, TREE
from talk import ENTRY, facts, gic
from test_cores import CONFIGS, WRONG, run_of

EVENTS = ("gic_dist_write", "gic_acknowledge_irq", "gicv3_dist_write", "gicv3_icc_iar1_read",
          "pl011_write")
NOBODY = None

# State of A and B in the physical distributor at each mark, changes only: enabled, priority,
# edge, core; and which cores took A there. Each mark's line is the effect of the step before it.
RESET = {"enabled": False, "priority": 0xa0, "edge": False, "core": 0}
PROGRAM = [
    ("a", {}, {}, []),
    ("b", {"priority": 0x90, "edge": True}, {"priority": 0x48}, []),
    ("c", {"enabled": True}, {"enabled": True}, []),
    ("d", {}, {"enabled": False}, []),
]
ALONE = [*PROGRAM, ("z", {}, {}, [0])]
BOTH = [
    *PROGRAM,
    ("e", {}, {}, [0]),
    ("f", {"core": 1}, {}, []),
    ("g", {}, {}, [1]),
    ("h", {"core": 0}, {}, [0]),
    ("i", {"core": 1}, {}, [1]),
    ("j", {"enabled": False}, {}, []),
    ("k", {"core": 0}, {}, []),
    ("l", {"enabled": True}, {}, [0]),
    ("m", {}, {}, [0]),
    ("n", {}, {}, []),  # active: it stays, and is pending after that
    ("o", {"core": 1}, {}, [1]),
    ("p", {"priority": 0x20, "edge": False}, {}, []),
    ("q", {"enabled": False}, {}, []),
    ("r", {}, {}, []),  # enabled by the guest, and nobody's
    ("s", {"enabled": True, "core": 0}, {}, [0]),
    ("t", {}, {}, [0]),
    ("z", {"core": 1}, {}, [1]),
]
STEPS = {1: ALONE, 2: BOTH}


@dataclass
class Distributor:
    """GICD as the writes that were traced leave it."""
    version: int
    bytes: dict[int, int] = field(default_factory=dict)
    enabled: set[int] = field(default_factory=set)
    taken: list[tuple[int, int]] = field(default_factory=list)  # core, INTID

    def write(self, offset: int, value: int, size: int) -> None:
        if 0x100 <= offset < 0x200:
            first = offset % 0x80 * 8
            these = {first + bit for bit in range(8 * size) if value >> bit & 1}
            self.enabled = self.enabled | these if offset < 0x180 else self.enabled - these
            return
        for at in range(size):
            self.bytes[offset + at] = value >> 8 * at & 0xff

    def core(self, intid: int) -> int | None:
        if self.version == 3:
            route = [self.bytes.get(0x6000 + 8 * intid + at, 0) for at in range(8)]
            return route[0] if not any(route[1:]) else NOBODY
        targets = self.bytes.get(0x800 + intid, 0)
        return {1: 0, 2: 1}.get(targets, NOBODY)

    def holds(self, intid: int) -> dict:
        config = self.bytes.get(0xc00 + intid // 4, 0) >> intid % 4 * 2
        return {"enabled": intid in self.enabled, "priority": self.bytes.get(0x400 + intid, 0),
                "edge": bool(config & 2), "core": self.core(intid)}


def spi(board: str) -> int:
    return facts(board)["spi_first"]


def trace_of(job: Job) -> Path:
    tail = re.sub(r"\W+", "_", f"{job.attempt}")
    return TREE.build(job.board) / "tests" / f"spis-{tail}.trace"


@cache
def spis(board: str, cpus: int = 2, config: str = "trapped", vms: str = "") -> Job:
    if gic(board) == "2" and cpus > 1 and qemu.version("qemu-system-aarch64") < (8,):
        pytest.skip("what is pending does not follow ITARGETSR in QEMU 7.2: CAVEATS.md")
    program = assemble(board, "vcpus", ENTRY, f"CPUS={cpus}", f"GIC={gic(board)}",
                       f"SPI={spi(board)}", also=("spis.c",))
    plain = run_of(board, program, f"{config} {CONFIGS[config]}", cpus, cpus)

    def machine(words: list[str]) -> list[str]:
        return [*plain.machine(words), "-D", str(trace_of(job)),
                "-d", ",".join(f"trace:{event}" for event in EVENTS)]
    job = replace(plain, plan=plain.plan + vms, machine=machine, attempt=f"{cpus}-{config}-{vms}")
    return job


def number(pattern: str, line: str) -> list[int] | None:
    found = re.search(pattern, line)
    return [int(group, 0) for group in found.groups()] if found else None


def marks_of(job: Job) -> list[tuple[str, dict, dict, dict, list[int]]]:
    """At each mark: what is held of A, of B, of the one that is left alone, and who took A."""
    board, marks, sent = job.board, [], ""
    first = spi(board)
    gicd = Distributor(int(gic(board)))
    for line in trace_of(job).read_text().splitlines():
        if found := number(r"dist write at (0x\w+) size (\d+): (0x\w+)", line):
            gicd.write(found[0], found[2], found[1])
        elif found := number(r"distributor write: offset (0x\w+) data (0x\w+) size (\d+)", line):
            gicd.write(*found)
        elif found := (number(r" cpu (\d+) acknowledged irq (\d+)", line)
                       or number(r"ICC_IAR1 read cpu (0x\w+) value (0x\w+)", line)):
            gicd.taken.append((found[0], found[1] & 0x3ff))
        elif found := number(r"pl011_write addr 0x0+ value (0x\w+)", line):
            sent = sent[-1:] + chr(found[0])
            if sent[0] == "~":
                taken = [core for core, intid in gicd.taken if intid == first]
                marks.append((sent[1], *(gicd.holds(first + n) for n in range(3)), taken))
                gicd.taken.clear()
    return marks


def should_be(cpus: int) -> list[tuple[str, dict, dict, dict, list[int]]]:
    a, b, marks = RESET, RESET, []
    for letter, of_a, of_b, taken in STEPS[cpus]:
        a, b = a | of_a, b | of_b
        marks.append((letter, a, b, RESET, taken))
    return marks


def without_targets(marks: list) -> list:
    """A GICv2 with one core has none (IHI 0048B 4.3.12)."""
    return [(letter, *(held | {"core": 0} for held in (a, b, c)), taken)
            for letter, a, b, c, taken in marks]


def swapped(marks: list) -> list:
    """vCPU 0 on core 1, and vCPU 1 on core 0."""
    return [(letter, *(held | {"core": 1 - held["core"]} for held in (a, b, c)),
             [1 - core for core in taken]) for letter, a, b, c, taken in marks]


def first_wrong(job: Job, cpus: int, seen=lambda marks: marks) -> str | None:
    """The letter after the first step that did something else to the physical distributor."""
    marks = seen(marks_of(job))
    if cpus == 1 and "gic.cpu" in facts(job.board):
        marks = without_targets(marks)
    right = should_be(cpus)
    for found, wanted in zip(marks, right):
        if found != wanted:
            return wanted[0]
    return None if len(marks) == len(right) else right[len(marks)][0]


def explain(result, job: Job) -> str:
    faults = [chr(int(fault["ipa"], 16) - WRONG) if fault["reason"] == "mmio-syndrome" else fault
              for fault in result.records("fault")]
    marks = "\n".join(map(str, marks_of(job)))
    return f"wrong in step {faults}\n{result.explain()}\n{marks}"


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("cpus", [1, 2])
def test_what_a_guest_says_of_its_spis_is_so(lab, built, cpus, config):
    job = spis(built, cpus, config)
    result = lab.run(job)
    assert result.status == 0 and result.one("step")["outcome"] == "done", explain(result, job)
    assert first_wrong(job, cpus) is None, explain(result, job)


def test_an_spi_goes_to_the_core_of_its_vcpu(lab, built):
    job = spis(built, vms="vm guest cores=1,0\n")
    result = lab.run(job)
    assert result.status == 0 and result.one("step")["outcome"] == "done", explain(result, job)
    assert first_wrong(job, 2, swapped) is None, explain(result, job)
