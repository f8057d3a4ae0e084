# SPDX-License-Identifier: Apache-2.0
"""Ceilings of small programs whose longest path is known, in both instruction sets. A program
without a ceiling is an error. golden/bound-assembly.txt has programs in assembly, and below each
program the answer for each isa; $WORD is one of the isa's own instructions. The programs in C are
in golden/bound-programs.txt; their lengths depend on the compiler."""

import re
import shutil
import subprocess
from string import Template

import pytest

from golden import FOLDER, check_block
from hypbench.bound import calls, image
from hypbench.bound.facts import Facts
from hypbench.bound.graph import Graphs
from hypbench.bound.kinds import Kind
from hypbench.bound.limits import Limits
from hypbench.bound.paths import Prover

CROSS = {"armv8": ("aarch64-none-elf-gcc", "aarch64-linux-gnu-gcc"),
         "armv7": ("arm-none-eabi-gcc",)}
FLAGS = {"armv8": ("-mgeneral-regs-only",), "armv7": ("-marm", "-mcpu=cortex-a15",
                                                      "-mfloat-abi=soft")}
WORDS = {
    "armv8": {"LEAST": "subs w1, w1, #1", "BITS": "sub w1, w0, #1\n ands w0, w0, w1",
              "FIVE": "mov w1, #5", "SKIP": "cbz x0,", "LEAVE": "ret", "CALL": "blr x0",
              "RETRY": "1: ldxr w1, [x0]\n stxr w2, w1, [x0]\n cbnz w2, 1b"},
    "armv7": {"LEAST": "subs r1, r1, #1", "BITS": "sub r1, r0, #1\n ands r0, r0, r1",
              "FIVE": "mov r1, #5", "SKIP": "cmp r0, #0\n beq", "LEAVE": "bx lr", "CALL": "blx r0",
              "RETRY": "1: ldrex r1, [r0]\n strex r2, r1, [r0]\n cmp r2, #0\n bne 1b"}}
CORES = 4
HEAD = "#define nop() __asm__ volatile(\"nop\")\n\n"
ASSEMBLY = (FOLDER / "bound-assembly.txt").read_text().rstrip().split("\n\n")
PROGRAMS = {name: HEAD + text for name, _, text in (
    part.partition("\n") for part in
    (FOLDER / "bound-programs.txt").read_text().removeprefix("=== ").split("\n=== "))}
HOLDERS = {name.removeprefix("holder "): text.removeprefix(HEAD)
           for name, text in PROGRAMS.items() if name.startswith("holder ")}

PLACE = re.compile(r"\S*/(?=program\.S:)|0x[0-9a-f]+: ")  # depends on this machine and its linker

each_isa = pytest.mark.parametrize("isa", list(CROSS))


@pytest.fixture
def prove(tmp_path, isa):
    return lambda text, **kind: prove_program(tmp_path, isa, text, ".c", **kind)


def prove_program(tmp_path, isa: str, text: str, suffix: str, **kind):
    """Return the ceiling of a program from `entry` on, and the wrong statements of its comments."""
    source = tmp_path / f"program{suffix}"
    source.write_text(text if suffix == ".c" else f".text\n.global entry\n{text}\n")
    compiler = next(filter(shutil.which, CROSS[isa]))
    subprocess.run([compiler, *FLAGS[isa], "-O2", "-g", "-ffreestanding", "-nostdlib",
                    "-static", "-Wl,-e,entry", "-Wl,--build-id=none", "-Wl,-n",
                    f"-ffile-prefix-map={tmp_path}/=", source, "-o", tmp_path / "program"],
                   check=True)
    program = image.load(tmp_path / "program")
    sites = calls.Calls(Graphs(program), tmp_path)
    calls.note_all_addresses(sites, program)
    limits = Limits(program, Facts(tmp_path, isa, {"SIZE": 4, "CORE_MAX": CORES}))
    result = Prover(sites, limits).ceiling(Kind("kind", program.symbols["entry"], **kind))
    return result, limits.contradictions


def ceiling(proof) -> int:
    result, wrong = proof
    assert result.errors == wrong == []
    return result.instructions


def error(proof) -> str:
    result, _ = proof
    assert result.instructions is None
    return "; ".join(result.errors)


# --- assembly ---

def answered(tmp_path, block: str) -> str:
    """Return the block with the answer for each isa. The title may restrict the block to one isa; a
    line `through` lists places that the path must go through."""
    title, *lines = [line for line in block.splitlines() if line[0] != "="]
    through = tuple(line.split()[1] for line in lines if line.startswith("through "))
    text = Template("\n".join(lines[len(through):]))
    answers = []
    for isa in CROSS:
        if f"({isa})" in title or "(" not in title:
            result, _ = prove_program(tmp_path, isa, text.substitute(WORDS[isa]), ".S",
                                      through=through)
            errors = PLACE.sub("", "; ".join(result.errors))
            assumed = "".join(f", assumes {word}" for word, _ in result.assumptions)
            answers.append(f"= {isa}: {result.instructions or errors}{assumed}")
    return "\n".join([title, *lines, *answers])


@pytest.mark.parametrize("block", ASSEMBLY, ids=lambda block: block.splitlines()[0][2:])
def test_the_ceiling_of_a_program_in_assembly(tmp_path, block):
    check_block("bound-assembly.txt", block, answered(tmp_path, block))


# --- comments ---

@each_isa
def test_comment_bounds_the_loop_where_it_stands(prove):
    lengths = [ceiling(prove(PROGRAMS["loop"] % f"/* bound: {bound} */"))
               for bound in (1, 2, 3, "SIZE + 4")]
    turn = lengths[1] - lengths[0]
    assert turn > 2
    assert lengths[2:] == [lengths[0] + 2 * turn, lengths[0] + 7 * turn]


@each_isa
def test_wait_is_an_assumption(prove):
    result, _ = prove(PROGRAMS["loop"] % "/* wait: uart */")
    assert result.assumptions == {("uart", "program.c:8")}
    assert result.instructions


@each_isa
def test_comment_that_is_too_small_is_caught_by_the_compare(prove):
    _, wrong = prove(PROGRAMS["counts"] % "/* bound: 99 */")
    assert wrong == ["program.c:6: the comment states fewer turns than the compare: 98, not 99"]
    exact = ceiling(prove(PROGRAMS["counts"] % ""))
    assert ceiling(prove(PROGRAMS["counts"] % "/* bound: 100 */")) == exact
    assert ceiling(prove(PROGRAMS["counts"] % "/* bound: 200 */")) == exact


@each_isa
def test_inlined_loops_have_the_bound_of_their_own_statement(prove):
    text = PROGRAMS["inlined"]
    base, more, outer = (ceiling(prove(text % bounds)) for bounds in ((4, 3), (5, 3), (4, 4)))
    turn = (more - base) // 3
    assert turn > 2 and more - base == 3 * turn
    assert outer - base > 4 * turn


@each_isa
def test_bound_by_an_argument_is_that_of_each_call(prove):
    text = PROGRAMS["argument"]
    lengths = [ceiling(prove(text % count)) for count in (3, 4, 6)]
    turn = lengths[1] - lengths[0]
    assert lengths[2] == lengths[0] + 3 * turn
    assert "has no bound" in error(prove(text % "count"))
    assert ceiling(prove((text % "count").replace("times(c", "/* argument: 6 */\n\ttimes(c"))
                   ) == pytest.approx(lengths[2], abs=1)


@each_isa
def test_sum_bounds_the_arguments_of_all_calls_in_a_loop(prove):
    text = PROGRAMS["sum"]
    first, sum_, turns = (ceiling(prove(text % numbers)) for numbers in ((4, 5), (4, 9), (8, 5)))
    nops = (sum_ - first) / 4
    assert 2 < nops < 8
    assert turns > first and (turns - first) / 4 == int((turns - first) / 4)
    assert "has no bound" in error(prove((text % (4, 5)).replace("; sum: 5", "")))


@each_isa
def test_argument_that_is_passed_on_is_that_of_the_outer_call(prove):
    first, second, fixed = (ceiling(prove(PROGRAMS["passed"] % ("", *numbers)))
                            for numbers in (("ARGUMENT_0", 3), ("ARGUMENT_0", 4), ("3", 4)))
    turn = second - first
    assert 1 < turn < 8 and fixed == first + turn
    again = "while (*(volatile unsigned *)64) /* bound: 2 */\n\t\t"
    assert "has no bound" in error(prove(PROGRAMS["passed"] % (again, "ARGUMENT_0", 3)))


@each_isa
def test_argument_of_an_inlined_function_is_not_that_of_the_function_around(prove):
    text = PROGRAMS["inlined argument"]
    assert "has no bound" in error(prove(text % ""))
    five, six = (ceiling(prove(text % f"/* argument: {n} */")) for n in (5, 6))
    assert 1 < six - five < 8


@each_isa
def test_call_that_seldom_comes_is_allowed_as_often_as_its_comment_states(prove):
    text = PROGRAMS["seldom"]
    never, once = (ceiling(prove(text % most)) for most in (0, 1))
    assert once - never > 7


@each_isa
@pytest.mark.parametrize("fact, begins, ends, fills", [
    ("batch: none", "begin()", ("end()", "change()"), 2),
    ("batch: none", "begin()", ("nop()", "nop()"), 0),
    ("batch: none", "if (from[1]) begin()", ("end()", "nop()"), 6),
    ("batch: none", "nop()", ("begin()", "end()"), 6),
    ("-", "begin()", ("end()", "nop()"), 6),
])
def test_a_batch_makes_no_call_that_its_comment_excludes(prove, fact, begins, ends, fills):
    """A batch begins and ends on every path, also inside the functions that it calls."""
    def filled(*words: str) -> int:
        result, _ = prove(PROGRAMS["batch"] % words)
        assert result.errors == []
        return result.shares["fill"]

    once = filled("batch: none", "begin()", "end()", "nop()")
    assert once > 200
    assert filled(fact, begins, *ends) == fills * once


@each_isa
@pytest.mark.parametrize("facts", [("total: %d", "-", "-"), ("-", "total: %d", "-"),
                                   ("-", "-", "total: %d")], ids=["outer", "inner", "call"])
def test_total_counts_the_turns_of_a_whole_visit(prove, facts):
    """An inner loop's turns count in a whole visit, however often the loop is entered. The first
    turn counts, too."""
    def copied(number: int) -> int:
        result, _ = prove(PROGRAMS["total"] % tuple(
            fact.replace("%d", str(number)) for fact in facts))
        assert result.errors == []
        return result.shares["copy"]

    first = copied(1)
    turns = 9 if facts[0] != "-" else 1  # an outer turn is nine inner ones
    assert 5 * turns < first < 30 * turns
    assert [copied(number) for number in (2, 3, 4)] == [2 * first, 3 * first, 4 * first]


@each_isa
@pytest.mark.parametrize("facts", [("total: 3; assumed: ends", "-", "-"),
                                   ("-", "-", "total: 3; assumed: ends")], ids=["loop", "call"])
def test_assumed_total_is_an_assumption(prove, facts):
    result, _ = prove(PROGRAMS["total"] % facts)
    assert [word for word, _ in result.assumptions] == ["ends"]


@each_isa
def test_loops_that_begin_with_the_same_block_have_the_product_of_their_bounds(prove):
    text = PROGRAMS["same block"]
    few, many = (ceiling(prove(text % bounds)) for bounds in ((2, 2), (9, 9)))
    assert few > 4 * 8 and many > 81 * 8
    assert "has no bound" in error(prove(text.replace("/* bound: %d */\n\t\tdo", "do") % 2))


@each_isa
@pytest.mark.parametrize("holder", HOLDERS)
def test_lock_waits_for_the_longest_holder_of_each_other_core(prove, holder):
    """No path of the kind calls the function that holds the lock."""
    def waited(lock: str, nops: int) -> int:
        return ceiling(prove(PROGRAMS["lock"] % (HOLDERS[holder] % (lock, "nop();" * nops, lock))))

    short, long, unrelated = waited("lock", 40), waited("lock", 80), waited("another", 80)
    # The linker changes the instructions that load an address, by at most two.
    assert long == pytest.approx(short + 40 * (CORES - 1), abs=2)
    assert unrelated < short - 30 * (CORES - 1)


@each_isa
def test_a_holder_of_a_lock_is_in_no_batch_that_it_has_not_begun(prove):
    functions = PROGRAMS["batch"].partition("void entry")[0] % "batch: none"
    holder = HOLDERS["itself"].replace("\tlock_take", "\tbegin();\n\tend();\n\tlock_take")

    def waited(call: str) -> int:
        program = PROGRAMS["lock"] % (holder % ("lock", call, "lock"))
        return ceiling(prove(functions + program.removeprefix(HEAD)))

    assert waited("change();") > waited("nop();") + 200 * (CORES - 1)


# --- calls ---

@each_isa
def test_pointer_leads_to_each_function_of_its_type(prove):
    through = PROGRAMS["table"] % "actions[n](at)"
    both = ceiling(prove(through))
    assert ceiling(prove(PROGRAMS["table"] % "longer(at)")) <= both
    assert both - ceiling(prove(through, calls={"actions": ["shorter"]})) == 3


@each_isa
def test_recursion_without_a_depth_is_an_error(prove):
    assert error(prove(PROGRAMS["recursion"] % "")).startswith("recursion without a depth: down")


@each_isa
def test_depth_bounds_a_recursion(prove):
    """A call at the allowed depth calls nothing: each further depth has twice the calls."""
    first, second, third = (ceiling(prove(PROGRAMS["recursion"] % f"/* depth: {depth} */"))
                            for depth in (1, 2, 3))
    assert second > first
    assert third - second == 2 * (second - first)
