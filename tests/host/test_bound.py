# SPDX-License-Identifier: Apache-2.0
"""Ceilings of small programs whose longest path is known, in both instruction sets. A program
without a ceiling is an error."""

import shutil
import subprocess

import pytest

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
LEAST = {"armv8": "subs w1, w1, #1", "armv7": "subs r1, r1, #1"}
BITS = {"armv8": "sub w1, w0, #1\n ands w0, w0, w1", "armv7": "sub r1, r0, #1\n ands r0, r0, r1"}
FIVE = {"armv8": "mov w1, #5", "armv7": "mov r1, #5"}
SKIP = {"armv8": "cbz x0,", "armv7": "cmp r0, #0\n beq"}
RETRY = {"armv8": "1: ldxr w1, [x0]\n stxr w2, w1, [x0]\n cbnz w2, 1b",
         "armv7": "1: ldrex r1, [r0]\n strex r2, r1, [r0]\n cmp r2, #0\n bne 1b"}
CORES = 4
HEAD = "#define nop() __asm__ volatile(\"nop\")\n"

pytestmark = pytest.mark.parametrize("isa", ["armv7", "armv8"])


@pytest.fixture
def prove(tmp_path, isa):
    """Return the ceiling of what begins at `entry` in a program, and the wrong statements of its
    comments."""
    def proved(text: str, suffix: str = ".c", **kind):
        source = tmp_path / f"program{suffix}"
        source.write_text(text if suffix == ".c" else f".text\n.global entry\n{text}\n")
        compiler = next(filter(shutil.which, CROSS[isa]))
        subprocess.run([compiler, *FLAGS[isa], "-O2", "-g", "-ffreestanding", "-nostdlib",
                        "-static", "-Wl,-e,entry", "-Wl,--build-id=none", "-Wl,-n",
                        f"-ffile-prefix-map={tmp_path}/=", source, "-o", tmp_path / "program"],
                       check=True)
        made = image.load(tmp_path / "program")
        sites = calls.Calls(Graphs(made), tmp_path)
        calls.all_taken(sites, made)
        limits = Limits(made, Facts(tmp_path, isa, {"SIZE": 4, "CORE_MAX": CORES}))
        found = Prover(sites, limits).ceiling(Kind("kind", made.symbols["entry"], **kind))
        return found, limits.wrong
    return proved


def ceiling(proved) -> int:
    found, wrong = proved
    assert found.errors == wrong == []
    return found.instructions


def error(proved) -> str:
    found, _ = proved
    assert found.instructions is None
    return "; ".join(found.errors)


# --- paths ---

def test_longer_of_two_ways_is_taken(prove, isa):
    test = 1 if isa == "armv8" else 2
    text = "entry: {} 1f\n nop\n nop\n nop\n eret\n1: nop\n eret"
    assert ceiling(prove(text.format(SKIP[isa]), ".S")) == test + 4


def test_each_call_counts(prove, isa):
    leave = "ret" if isa == "armv8" else "bx lr"
    text = f"entry: bl other\n nop\n bl other\n eret\n.type other, %function\nother: nop\n {leave}"
    assert ceiling(prove(text, ".S")) == 4 + 2 * 2


def test_condition_of_a_return_is_a_way(prove, isa):
    leave = {"armv8": "b.eq 2f", "armv7": "bxeq lr"}
    text = f"entry: {FIVE[isa]}\n1: {LEAST[isa]}\n {leave[isa]}\n nop\n b 1b\n2: ret"
    if isa == "armv7":
        text = text.removesuffix("2: ret")
    assert ceiling(prove(text, ".S")) == 1 + 5 * 2 + 4 * 2 + (isa == "armv8")


OFFSETS = """entry: cmp r0, #2
 bhi 9f
 ldr r1, =table
 {load} r0, [r1, r0]
 add pc, pc, r0, lsl #2
 nop
8: nop
 nop
9: eret
 nop
 nop
 b 8b
{constant}
table: .byte 1, {second}, 2
.align 2
.text
"""
CONSTANT = ".section .rodata, \"a\""


# 5 up to the jump, and the longest way from an entry of the table on.
@pytest.mark.parametrize("load, second, most", [
    ("ldrb", 0, 5 + 3), ("ldrb", 3, 5 + 6), ("ldrb", 5, 5 + 4), ("ldrsb", 255, 5 + 4)])
def test_jump_by_a_table_of_offsets_leads_to_each_entry(prove, isa, load, second, most):
    if isa == "armv8":
        pytest.skip("A64's images have no such tables")
    text = OFFSETS.format(load=load, second=second, constant=CONSTANT)
    assert ceiling(prove(text, ".S")) == most


def test_jump_by_a_table_that_can_change_is_an_error(prove, isa):
    if isa == "armv8":
        pytest.skip("A64's images have no such tables")
    assert "a jump's table is no constant of the image" in error(
        prove(OFFSETS.format(load="ldrb", second=3, constant=".data"), ".S"))


# --- loops ---

def test_loop_that_counts_to_a_known_value_is_exact(prove, isa):
    text = f"entry: {FIVE[isa]}\n1: nop\n {LEAST[isa]}\n bne 1b\n eret"
    assert ceiling(prove(text, ".S")) == 1 + 5 * 3 + 1


def test_loop_inside_a_loop_is_executed_anew_each_time(prove, isa):
    inner = f"{FIVE[isa]}\n2: nop\n {LEAST[isa]}\n bne 2b"
    outer = FIVE[isa].replace("1, #5", "3, #3"), LEAST[isa].replace("1", "3", 2)
    text = f"entry: {outer[0]}\n1: {inner}\n {outer[1].replace('#3', '#1')}\n bne 1b\n eret"
    assert ceiling(prove(text, ".S")) == 1 + 3 * (1 + 5 * 3 + 2) + 1


def test_loop_over_the_bits_of_a_register_ends_with_the_last(prove, isa):
    assert ceiling(prove(f"entry: {BITS[isa]}\n bne entry\n eret", ".S")) == 32 * 3 + 1


def test_loop_without_a_bound_is_an_error(prove, isa):
    text = f"entry: {LEAST[isa]}\n bne entry\n eret"
    assert "has no bound" in error(prove(text, ".S"))


def test_loop_that_no_path_enters_needs_no_bound(prove, isa):
    text = f"entry: {SKIP[isa]} out\n1: {LEAST[isa]}\n bne 1b\n eret\nout: nop\n eret"
    assert "has no bound" in error(prove(text, ".S"))
    assert ceiling(prove(text, ".S", through=("out",))) == (3 if isa == "armv8" else 4)


def test_region_with_two_entries_is_a_loop(prove, isa):
    text = f"entry: {SKIP[isa]} 2f\n1: nop\n2: nop\n {LEAST[isa]}\n bne 1b\n eret"
    assert "has no bound" in error(prove(text, ".S"))


def test_retry_of_an_exclusive_store_is_an_assumption(prove, isa):
    found, _ = prove(f"entry: {RETRY[isa]}\n eret", ".S")
    assert found.instructions == RETRY[isa].count("\n") + 2
    assert [word for word, _ in found.assumptions] == ["retry"]


# --- comments ---

LOOP = HEAD + """
unsigned entry(volatile unsigned *from)
{
	unsigned sum = 0;

	%s
	while (*from)
		sum++;
	return sum;
}
"""


def test_comment_bounds_the_loop_where_it_stands(prove, isa):
    lengths = [ceiling(prove(LOOP % f"/* bound: {bound} */")) for bound in (1, 2, 3, "SIZE + 4")]
    turn = lengths[1] - lengths[0]
    assert turn > 2
    assert lengths[2:] == [lengths[0] + 2 * turn, lengths[0] + 7 * turn]


def test_removed_comment_is_an_error(prove, isa):
    assert error(prove(LOOP % "")) == "loop at program.c:8 has no bound"


def test_wait_is_an_assumption(prove, isa):
    found, _ = prove(LOOP % "/* wait: uart */")
    assert found.assumptions == {("uart", "program.c:8")}
    assert found.instructions


COUNTS = HEAD + """
void entry(void)
{
	%s
	for (unsigned i = 0; i < 100; i++)
		nop();
}
"""


def test_comment_that_is_too_small_is_caught_by_the_compare(prove, isa):
    _, wrong = prove(COUNTS % "/* bound: 99 */")
    assert wrong == ["program.c:6: the comment states fewer turns than the compare: 98, not 99"]
    exact = ceiling(prove(COUNTS % ""))
    assert ceiling(prove(COUNTS % "/* bound: 100 */")) == exact
    assert ceiling(prove(COUNTS % "/* bound: 200 */")) == exact


def test_inlined_loops_have_the_bound_of_their_own_statement(prove, isa):
    text = HEAD + """
static inline __attribute__((always_inline)) unsigned inner(volatile unsigned *from)
{
	unsigned sum = 0;

	/* bound: %d */
	while (*from) {
		nop();
		sum++;
	}
	return sum;
}

unsigned entry(volatile unsigned *from)
{
	unsigned sum = 0;

	/* bound: %d */
	while (from[1])
		sum += inner(from + 2);
	return sum;
}
"""
    base, more, outer = (ceiling(prove(text % bounds)) for bounds in ((4, 3), (5, 3), (4, 4)))
    turn = (more - base) // 3
    assert turn > 2 and more - base == 3 * turn
    assert outer - base > 4 * turn


def test_bound_by_an_argument_is_that_of_each_call(prove, isa):
    text = HEAD + """
__attribute__((noipa)) void times(unsigned count)
{
	/* bound: ARGUMENT_0 */
	while (count--)
		nop();
}

void entry(unsigned count)
{
	times(%s);
	times(7);
}
"""
    lengths = [ceiling(prove(text % count)) for count in (3, 4, 6)]
    turn = lengths[1] - lengths[0]
    assert lengths[2] == lengths[0] + 3 * turn
    assert "has no bound" in error(prove(text % "count"))
    assert ceiling(prove((text % "count").replace("times(c", "/* argument: 6 */\n\ttimes(c"))
                   ) == pytest.approx(lengths[2], abs=1)


COPY = HEAD + """
%s void copy(unsigned count)
{
	/* bound: ARGUMENT_0 */
	while (count--)
		nop();
}
"""
APART, INLINE = "__attribute__((noipa))", "static inline __attribute__((always_inline))"


def test_sum_bounds_the_arguments_of_all_calls_in_a_loop(prove, isa):
    text = COPY % APART + """
void entry(volatile unsigned *from)
{
	/* bound: %d; sum: %d */
	while (*from)
		copy(*from);
}
"""
    first, sum_, turns = (ceiling(prove(text % numbers)) for numbers in ((4, 5), (4, 9), (8, 5)))
    nops = (sum_ - first) / 4
    assert 2 < nops < 8
    assert turns > first and (turns - first) / 4 == int((turns - first) / 4)
    assert "has no bound" in error(prove((text % (4, 5)).replace("; sum: 5", "")))


PASSED = COPY % APART + APART + """ void between(unsigned count)
{
	nop();
	%scopy(count); /* argument: %s */
	nop();
}

void entry(void)
{
	between(%d);
	between(2);
}
"""


def test_argument_that_is_passed_on_is_that_of_the_outer_call(prove, isa):
    first, second, fixed = (ceiling(prove(PASSED % ("", *numbers)))
                            for numbers in (("ARGUMENT_0", 3), ("ARGUMENT_0", 4), ("3", 4)))
    turn = second - first
    assert 1 < turn < 8 and fixed == first + turn
    again = "while (*(volatile unsigned *)64) /* bound: 2 */\n\t\t"
    assert "has no bound" in error(prove(PASSED % (again, "ARGUMENT_0", 3)))


def test_argument_of_an_inlined_function_is_not_that_of_the_function_around(prove, isa):
    text = COPY % INLINE + APART + """ void around(unsigned n, volatile unsigned *from)
{
	%s
	copy(*from);
}

void entry(volatile unsigned *from) { around(3, from); }
"""
    assert "has no bound" in error(prove(text % ""))
    five, six = (ceiling(prove(text % f"/* argument: {n} */")) for n in (5, 6))
    assert 1 < six - five < 8


def test_call_that_seldom_comes_is_allowed_as_often_as_its_comment_states(prove, isa):
    text = COPY % APART + """
void entry(volatile unsigned *from)
{
	nop();
	if (*from)
		/* most: %d */
		copy(7);
	nop();
}
"""
    never, once = (ceiling(prove(text % most)) for most in (0, 1))
    assert once - never > 7


TOTAL = COPY % APART + """
void entry(volatile unsigned *from)
{
	/* bound: 9; %s */
	while (*from) {
		nop();
		/* bound: 9; %s */
		do {
			/* %s */
			copy(3);
		} while (from[1]);
	}
}
"""


@pytest.mark.parametrize("facts", [("total: %d", "-", "-"), ("-", "total: %d", "-"),
                                   ("-", "-", "total: %d")], ids=["outer", "inner", "call"])
def test_total_counts_the_turns_of_a_whole_visit(prove, isa, facts):
    """An inner loop's turns count however often the loop is entered, including the first turn."""
    def copied(number: int) -> int:
        found, _ = prove(TOTAL % tuple(fact.replace("%d", str(number)) for fact in facts))
        assert found.errors == []
        return found.shares["copy"]

    first = copied(1)
    turns = 9 if facts[0] != "-" else 1  # an outer turn is nine inner ones
    assert 5 * turns < first < 30 * turns
    assert [copied(number) for number in (2, 3, 4)] == [2 * first, 3 * first, 4 * first]


def test_assumed_total_is_an_assumption(prove, isa):
    found, _ = prove(TOTAL % ("total: 3; assumed: ends", "-", "-"))
    assert found.assumptions == {("ends", "program.c:13")}


def test_loops_that_begin_with_the_same_block_have_the_product_of_their_bounds(prove, isa):
    text = COPY % APART + """
void entry(volatile unsigned *from)
{
	/* bound: %d */
	while (*from)
		/* bound: %d */
		do {
			copy(3);
		} while (from[1]);
}
"""
    few, many = (ceiling(prove(text % bounds)) for bounds in ((2, 2), (9, 9)))
    assert few > 4 * 8 and many > 81 * 8
    assert "has no bound" in error(prove(text.replace("/* bound: %d */\n\t\tdo", "do") % 2))


LOCK = HEAD + """
struct lock { volatile unsigned next, now; } lock, another;

static inline void lock_take(struct lock *of)
{
	unsigned ticket = of->next++;

	/* wait: lock */
	while (of->now != ticket)
		nop();
}

static inline int lock_try(struct lock *of)
{
	return of->next == of->now ? ++of->next : 0;
}

static inline void lock_release(struct lock *of) { of->now++; }

%s
void entry(void)
{
	lock_take(&lock);
	lock_release(&lock);
}
"""
HOLDERS = {
    "itself": APART + """ void holder(void)
{
	lock_take(&%s);
	%s
	lock_release(&%s);
}
""",
    "without waiting": APART + """ void holder(void)
{
	if (!lock_try(&%s))
		return;
	%s
	lock_release(&%s);
}
""",
    "by others": APART + " void take(void) { lock_take(&%s); nop(); }\n" + APART
                 + " void release(void);\n" + APART + """ void holder(void)
{
	take();
	%s
	release();
}
void release(void) { lock_release(&%s); nop(); }
"""}


@pytest.mark.parametrize("how", HOLDERS)
def test_lock_waits_for_the_longest_holder_of_each_other_core(prove, isa, how):
    """No path of the kind calls the holder."""
    def waited(lock: str, nops: int) -> int:
        return ceiling(prove(LOCK % (HOLDERS[how] % (lock, "nop();" * nops, lock))))

    one, two, other = waited("lock", 40), waited("lock", 80), waited("another", 80)
    # the linker changes the code of an address
    assert two == pytest.approx(one + 40 * (CORES - 1), abs=2)
    assert other < one - 30 * (CORES - 1)


# --- calls ---

TABLE = HEAD + """
typedef void action(int *);
typedef void other(unsigned);

static __attribute__((noipa)) void shorter(int *at) { *at = 1; }
static __attribute__((noipa)) void longer(int *at) { *at = 1; nop(); nop(); nop(); }
__attribute__((noipa)) void unrelated(unsigned n) { nop(); nop(); nop(); nop(); nop(); nop(); }

action *const actions[] = { shorter, longer };
other *const others[] = { unrelated };
__attribute__((noipa)) void choose(unsigned n, int *at) { %s; nop(); }
void entry(unsigned n, int *at) { choose(n, at); }
"""


def test_pointer_leads_to_each_function_of_its_type(prove, isa):
    both = ceiling(prove(TABLE % "actions[n](at)"))
    assert ceiling(prove(TABLE % "longer(at)")) <= both
    assert both - ceiling(prove(TABLE % "actions[n](at)", calls={"actions": ["shorter"]})) == 3


def test_pointer_that_the_source_does_not_name_is_an_error(prove, isa):
    register = "blr x0" if isa == "armv8" else "blx r0"
    assert "the targets of this call are not known" in error(
        prove(f"entry: {register}\n eret", ".S"))


RECURSION = HEAD + """
%s
__attribute__((noipa)) unsigned down(volatile unsigned *at)
{
	unsigned sum = 1;

	if (*at) {
		sum += down(at + 1);
		nop();
		sum *= down(at + 2);
		nop();
	}
	return sum;
}

unsigned entry(volatile unsigned *at)
{
	return down(at) + 1;
}
"""


def test_recursion_without_a_depth_is_an_error(prove, isa):
    assert error(prove(RECURSION % "")).startswith("recursion without a depth: down")


def test_depth_bounds_a_recursion(prove, isa):
    """A call at the allowed depth calls nothing: each further depth has twice the calls."""
    first, second, third = (ceiling(prove(RECURSION % f"/* depth: {depth} */"))
                            for depth in (1, 2, 3))
    assert second > first
    assert third - second == 2 * (second - first)
