# SPDX-License-Identifier: Apache-2.0
"""The image as it lies on a card or in flash: the size of the image and its vectors, the place of
per-core variables (lib/percpu.h), and the registers that the hypervisor's code leaves alone because
a light frame lacks them (arch/trap_frame.h)."""

import re

import pytest

from assembler import run
from lab import ANY_BOARD
from hypervisor import tool
from lab import ROOT, TREE, board_facts

SIZE_MAX = 512 << 10  # in bytes
VECTORS_MAX = 40 << 10
PLAIN_LINES_MAX = 80
PAGE, LINE = 4096, 64
PREFETCHED_LINES = 3  # 100095 4.3.67: lines after an instruction miss, on a Cortex-A72 at reset
# Some variables that exist with every optimiser.
PER_CORE = ("first", "vcpu_host_sp", "sched", "number")
SHARED = ("inbox", "vms", "core_stack", "up")
NOT_SAVED = re.compile(r"\b([xw]([6-9]|1[0-578])|[vqdsh]\d+)\b")
# Code that may write these registers: assembly that saves and switches them, or that runs before
# the first guest; the parser of the plan, which returns structures through x8 and has ended before
# the first guest runs; and functions with variable arguments, which store x6 and x7 and write
# neither.
EXEMPT = re.compile(r"^(vectors|vcpu_run|guest_serror|leav|another_|cpu_fp_|_start|clear_bss)"
                    r"|^(move_image$|fail|message|parse|plan|text_quote|word)|^(raw|text_format)$")

any_board = pytest.mark.parametrize("name", ANY_BOARD)


def elf_of(name: str):
    elf = TREE.build(name) / "hypbench.elf"
    assert elf.is_file(), f"{elf} is missing: make image BOARD={name}"
    return elf


@any_board
def test_the_flat_image_is_small(name):
    elf = elf_of(name)
    lines = run(tool("readelf", "arm-none-eabi-readelf"), "-lW", elf)
    loads = [[int(word, 16) for word in load] for load in
             re.findall(r"LOAD +0x\w+ 0x\w+ 0x(\w+) 0x(\w+)", lines)]
    assert len(loads) == 3
    size = max(start + length for start, length in loads) - min(start for start, _ in loads)
    assert size <= SIZE_MAX
    flat = elf.with_suffix(".bin")
    assert not flat.is_file() or flat.stat().st_size == size


@any_board
def test_the_vector_tables_are_small(name):
    isa = board_facts(name)["ISA"]
    folders = sorted(TREE.builds.glob(f"{isa}*/hyp/hyp/arch/{isa}"))
    assert folders, f"the objects of {name} are missing: make image BOARD={name}"
    for folder in folders:
        rows = run(tool("size", "arm-none-eabi-size"), "-A", *sorted(folder.glob("v*.S.o")))
        assert 0 < sum(map(int, re.findall(r"^\.text +(\d+)", rows, re.M))) <= VECTORS_MAX


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_the_plain_vector_table_is_straight_text(isa):
    lines = (TREE.root / "hyp" / "arch" / isa / "vectors.S").read_text().splitlines()
    assert len(lines) <= PLAIN_LINES_MAX
    assert not [line for line in lines if line.strip().startswith((".macro", ".if"))]


@any_board
def test_the_exit_of_an_interrupt_is_contiguous(name):
    """One miss of the vector's line makes a core with a prefetcher read the whole exit."""
    if board_facts(name).get("GIC_ENDS") == "combined":
        pytest.skip("trap_irq is too long for its place in the vector table (linker/hot.ld.inc)")
    lines = run(tool("nm", "arm-none-eabi-nm"), elf_of(name)).splitlines()
    symbols = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    entry = symbols["vectors_irq"]
    end = entry - entry % LINE + (1 + PREFETCHED_LINES) * LINE
    assert entry < symbols["trap_irq"] < symbols["vectors_rest"] <= end


@any_board
def test_each_core_has_whole_pages_of_its_own(name):
    lines = run(tool("nm", "arm-none-eabi-nm"), elf_of(name)).splitlines()
    # The optimiser may add a suffix: number.lto_priv.0.
    symbols = {words[2].split(".")[0]: int(words[0], 16) for words in map(str.split, lines)
               if len(words) == 3 and words[1] in "bBdD"}
    start, end = symbols["__percore_start"], symbols["__percore_end"]
    copies, data_end = symbols["__percore_copies"], symbols["__data_end"]
    cores = int(re.search(r"#define CORE_MAX (\d+)", (ROOT / "lib/percpu.h").read_text())[1])
    assert start % PAGE == end % PAGE == copies % PAGE == 0 and start < end
    assert data_end - copies == (cores - 1) * (end - start)
    # These variables are cleared at the start with all of bss; a core's copy is made when the core
    # starts.
    assert symbols["__bss_start"] <= start and end <= symbols["__bss_end"] <= copies
    assert all(start <= symbols[variable] < end for variable in PER_CORE), symbols
    assert not any(start <= symbols[variable] < end for variable in SHARED), symbols


def offenders(disassembly: str) -> set[str]:
    functions, function = set(), ""
    for line in disassembly.splitlines():
        head = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if head:
            function = head[1]
            continue
        code = re.sub(r"<.*?>|//.*", "", line.partition(":")[2])
        if NOT_SAVED.search(code) and not EXEMPT.match(function):
            functions.add(function)
    return functions


@pytest.mark.parametrize("armv8_board", ["virt-a72", "virt-a72-gicv3"])
def test_no_register_that_a_light_frame_does_not_hold_is_used(armv8_board):
    objdump = tool("aarch64-none-elf-objdump", "aarch64-linux-gnu-objdump")
    text = run(objdump, "-d", "--no-show-raw-insn", elf_of(armv8_board))
    assert "<trap_sync>" in text or "<on_data_abort>" in text
    assert offenders(text) == set()
