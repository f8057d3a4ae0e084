# SPDX-License-Identifier: Apache-2.0
"""The proven ceilings of a board's image, and the longest visit of each kind in runs under the
plugin of tools/plugin/."""

from dataclasses import dataclass
from typing import NamedTuple

import el2count
import longest as longest_exits
from el2count import Counted, Watched
from hypbench.bound import kinds, proof
from hypbench.bound.image import Image
from hypbench.bound.kinds import Kind
from lab import ROOT, Job, Lab, board_facts, build_of
from planlines import plan_lines
from proofs import two_cores
from test_attacks import attack
from test_hostile_vcpus import hostile

EXITS = """order once
config direct
config trapped
config trapped-sw
config wfi trapped wfi=trapped
config cntp trapped cntp=emulated
config fp trapped fp=lazy fill=lazy
config slice trapped sched=rr
config priority trapped-sw sched=fp fp=lazy
config stats trapped stats=on
config cold trapped state=cold-caches
""" + "".join(f"bench {bench}\n" for bench in (
    "hvc n=2", "smc n=2", "sysreg n=2", "wfi n=2", "mmio_read n=2", "mmio_write n=2",
    "sgi_self n=2", "timer_wakeup n=5", "irq_phases n=5", "fp_first_use n=2", "cntp_access n=2",
    "irq_order n=2", "measure n=2", "tlb_maintenance n=2", "page_fault n=2"))
# Scenarios with several VMs, and guests that do at random everything that a guest can do, by their
# number of vCPUs.
PLANS = ("failover", "links", "virtio")
FAULTS = "order once\nlimit_ms 50\nconfig trapped\n" + "".join(
    f"bench hostile_{kind}\n" for kind in ("read", "device", "jump", "loop"))
HOSTILE = (1, 2)
LIVES = 23  # lives of the guest in each hostile step
ATTACKS = ("states", "calls", "frames", "lives")  # these have longer exits than the other runs


class Longest(NamedTuple):
    """The longest visit so far, and the run that had it."""

    instructions: int
    run: str


@dataclass(frozen=True)
class Marks:
    """The addresses that the plugin watches, with the name of each."""

    names: tuple[str, ...]
    addresses: tuple[int, ...]

    def passed(self, bits: int) -> set[str]:
        return {name for number, name in enumerate(self.names) if bits >> number & 1}


def marks_of(image: Image, known: list[Kind]) -> Marks:
    entries = [(entry_name(kind), kind.entry) for kind in known]
    marks = list(dict.fromkeys([*entries, *kinds.marks(image, known)]))
    return Marks(tuple(name for name, _ in marks), tuple(address for _, address in marks))


def entry_name(kind: Kind) -> str:
    return f"entry {kind.entry:#x}"


def jobs(board: str) -> dict[str, Job]:
    """Return the measured runs by their names in the table."""
    runs = {"each exit": Job(board, EXITS), "faults": Job(board, FAULTS)}
    for plan in PLANS:
        text = plan_lines(plan)
        runs[plan] = Job(board, text.replace("n=1000", "n=5"), machine=two_cores)
    runs |= {f"attack by {group}": attack(board, group) for group in ATTACKS}
    runs |= longest_exits.jobs(board)
    return runs | {f"hostile, {cpus} vCPUs": hostile(board, cpus, lives=LIVES)
                   for cpus in HOSTILE}


def reason_not_to(board: str) -> str:
    """Return why this board's runs cannot be measured, or ""."""
    return el2count.reason_not_to(Job(board, EXITS))


def longest(counted: dict[str, Counted], marks: Marks, known: list[Kind]) -> dict[str, Longest]:
    """Return the longest visit of each kind in any of the runs."""
    visits: dict[str, Longest] = {}
    for run, result in counted.items():
        for visit in result.marked:
            passed = marks.passed(visit.marks)
            for kind in known:
                if entry_name(kind) in passed and kind.is_like(passed):
                    visits[kind.name] = max(visits.get(kind.name, Longest(0, "")),
                                            Longest(visit.length, run))
    return visits


def measure(board: str, image_proof: proof.Proof, lab: Lab | None = None) -> dict[str, Longest]:
    marks = marks_of(image_proof.image, image_proof.kinds)
    pieces = tuple({kind.entry for kind in image_proof.kinds if not kind.is_exit})
    counted = {}
    for name, job in jobs(board).items():
        watched = Watched(job, None, (), marks.addresses,
                          image_proof.image.symbols[kinds.LEAVE], pieces)
        counted[name] = lab.run(watched, el2count.perform) if lab else el2count.perform(watched)
        assert counted[name].marked, counted[name].result.explain()
    return longest(counted, marks, image_proof.kinds)


def proof_of(board: str, planted: str = "") -> proof.Proof:
    return proof.Proof(ROOT, build_of(board, planted) / "hypbench.elf", board_facts(board))
