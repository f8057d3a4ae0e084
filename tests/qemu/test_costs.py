# SPDX-License-Identifier: Apache-2.0
"""The cost vector of each path, counted from outside, equals the committed vector."""

import re
from dataclasses import replace

import capstone
import pytest
from elftools.elf.elffile import ELFFile

import costs
import el2count
import expected
from hypbench import cost, counting, profile
from hypbench.instructions import Kind
from lab import ROOT, TREE, Job, board_facts

pytestmark = pytest.mark.long

# These benchmarks have paths that never enter EL2, or windows that begin or end at EL2's own stamp.
UNCOUNTED_BENCHES = {"cntp_access", "counter", "fp_first_use", "wfi"}
UNCOUNTED_PATHS = {"cyclic periodic", "irq_phases device-total"}
MNEMONICS = {"mrs": Kind.READ, "mrc": Kind.READ, "mrrc": Kind.READ, "vmrs": Kind.READ,
             "msr": Kind.WRITE, "mcr": Kind.WRITE, "mcrr": Kind.WRITE, "vmsr": Kind.WRITE,
             "cps": Kind.WRITE, "cpsid": Kind.WRITE, "cpsie": Kind.WRITE,
             "dsb": Kind.BARRIER, "dmb": Kind.BARRIER, "isb": Kind.BARRIER,
             "tlbi": Kind.MAINTENANCE, "ic": Kind.MAINTENANCE, "dc": Kind.MAINTENANCE,
             "at": Kind.MAINTENANCE, "eret": Kind.RETURN}
DELAYED = """order once
config plain trapped
config delayed trapped delay_el2=100
bench hvc n=10
"""


@pytest.fixture
def counted(lab, built):
    def run(*jobs: Job) -> costs.Costs:
        return costs.counted(built, jobs or costs.jobs_for(built), lambda job: el2count.counted(
            lab, job, *cost.SWITCHES))
    return run


@pytest.mark.every_board
def test_every_vector_is_the_committed_one(counted, built):
    vectors, compiler = counted()
    committed = costs.read(built, compiler)
    if not committed:
        pytest.skip(f"no costs of gcc {compiler} are committed")
    assert list(cost.problems(committed["costs"], vectors)) == []


@pytest.mark.every_board
def test_every_path_into_el2_has_a_vector(counted, built):
    vectors, compiler = counted()
    figures = expected.read(built, compiler)["figures"]
    for config in ("trapped", "trapped-sw", "switch", "yield", "failover-best"):
        missing = {path for path in figures[config].keys() - vectors[config].keys()
                   if path not in UNCOUNTED_PATHS and path.split()[0] not in UNCOUNTED_BENCHES}
        assert all(path.startswith("failover ") and "-" in path for path in missing), missing


@pytest.mark.every_board
def test_every_path_stays_in_the_hot_text(lab, built):
    image = TREE.build(built) / "hypbench.elf"
    symbols = counting.symbols_of(image)
    hot = range(symbols["__hot_start"], symbols["__hot_end"])
    with image.open("rb") as file:
        functions = profile.functions_of(ELFFile(file))
    executed = set()
    for job in costs.jobs_for(built):
        counts = el2count.counted(lab, job, *cost.SWITCHES)
        for _, visit in cost.paths_of(counts.result.log, counts.lines):
            executed |= {block.address for block in visit.blocks}
    elsewhere = {functions[max(start for start in functions if start <= address)]
                 for address in executed if address not in hot}
    assert executed and elsewhere == set(), "linker/hot.ld.inc does not list these functions"


def test_each_function_of_the_hot_text_is_in_the_source():
    names = re.findall(r"\bHOT\((\w+)\)", (ROOT / "linker" / "hot.ld.inc").read_text())
    assert names and len(names) == len(set(names))
    source = "".join(path.read_text() for path in (ROOT / "hyp").rglob("*.[cS]"))
    defined = set(re.findall(r"^\w[^\n;=]*\b(\w+)\(|^\t\.section \.text\.(\w+)", source,
                             re.MULTILINE))
    assert set(names) <= {name for pair in defined for name in pair}


def test_spin_at_each_entry_is_in_instructions_and_in_the_load_of_its_length(counted, built):
    vectors, _ = counted(Job(built, DELAYED))
    assert vectors["plain"]
    for path, plain in vectors["plain"].items():
        delayed = vectors["delayed"][path]
        assert delayed == replace(
            plain, instructions=plain.instructions + 100, loads=plain.loads + 1,
            data_lines=plain.data_lines + 1, data_fill=delayed.data_fill,
            text_lines=delayed.text_lines, text_pages=delayed.text_pages,
            text_fill=delayed.text_fill), path
        assert 0 <= delayed.text_lines - plain.text_lines <= 1, path
        # The vectors with a delay loop are outside of the hot text.
        assert 0 <= delayed.text_pages - plain.text_pages <= 1, path


def test_instructions_are_what_a_disassembler_names(built):
    machine = cost.Machine(TREE, built)
    is_a64 = board_facts(built)["ISA"] == "armv8"
    disassembler = capstone.Cs(*(
        (capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN) if is_a64
        else (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM | capstone.CS_MODE_V8)))
    start, text = machine.segments[0]
    kinds = set()
    for address in range(start, start + len(text) // 4 * 4, 4):
        for instruction in disassembler.disasm(text[address - start:][:4], address, 1):
            kind = machine.kind(address)
            kinds.add(kind)
            assert kind is kind_of(instruction), (hex(address), instruction.mnemonic)
    assert kinds == set(Kind)


def kind_of(instruction) -> Kind:
    """Classify an instruction by its mnemonic without the condition. CP15's c7 and c8 are
    maintenance."""
    mnemonic = instruction.mnemonic
    if mnemonic not in MNEMONICS and mnemonic[:-2] in MNEMONICS:
        mnemonic = mnemonic[:-2]
    operands = instruction.op_str.split(", ")
    if mnemonic == "mcr" and operands[0] == "p15" and operands[3] in ("c7", "c8"):
        return Kind.MAINTENANCE
    return MNEMONICS.get(mnemonic, Kind.OTHER)
