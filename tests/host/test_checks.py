# SPDX-License-Identifier: Apache-2.0
"""Each check of the source tree finds the fault it is for, planted in a small good tree."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hypbench.checks.source import BUDGETS
from hypbench.cli import main
from hypbench.plan_language import Parser
from hypbench.tree import HOME

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
GOOD = {
    "abi/record.h": "#pragma once\n#define RECORD 1\n",
    "lib/bits.h": '#pragma once\n\n#include "abi/record.h"\n',
    "lib/bits.c": '/* "arch/types.h" is not for lib */\n#include "lib/bits.h"\n',
    "drivers/uart/pl011.h": '#pragma once\n\n#include "arch/types.h"\n#include "lib/bits.h"\n',
    "hyp/main.c": '#include "drivers/uart/pl011.h"\n\n#include <stdint.h>\n',
    "hyp/arch/armv8/start.S": '#include "arch/types.h"\n#ifdef __aarch64__\n#endif\n',
    "guest/main.c": '#include "guest_arch/ops.h"\n',
    "guest/arch/armv7/include/guest_arch/ops.h": "#pragma once\n",
    "guest/arch/armv8/include/guest_arch/ops.h": "#pragma once\n",
    "linker/hyp.ld.S": "ENTRY(start)\n",
    "arch/common/include/arch/esr.h": "#pragma once\n",
    "arch/armv7/include/arch/types.h": '#pragma once\n__asm__(".cpu cortex-a15");\n',
    "arch/armv8/include/arch/types.h": '#pragma once\n__asm__(".cpu cortex-a72");\n',
    "arch/armv7/include/arch/sysreg.h":
        "#pragma once\n#define SYSREG32(name, op1, crn, crm, op2)\\\n\tSYSREG32_READ(name, 0, 0)\n"
        "SYSREG32(hcr_el2, 4, c1, c1, 0)\nSYSREG32_READ(iar, 0, c12, c12, 0)\n"
        "SYSREG32_WRITE(eoir, 0, c12, c12, 1)\nSYSREG64(cntvoff_el2, 4, c14)\n",
    "arch/armv8/include/arch/sysreg.h":
        "#pragma once\n#define SYSREG(name) SYSREG_READ(name) SYSREG_WRITE(name)\n"
        "SYSREG(hcr_el2)\nSYSREG_READ(iar)\nSYSREG_WRITE(eoir)\n",
}


class Planted:
    """A good tree, to plant faults in."""

    def __init__(self, root: Path):
        self.root = root
        subprocess.run(["git", "init", "-q", root], check=True)
        for name, text in GOOD.items():
            self.write(name, SPDX + text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add(self, name: str, text: str) -> None:
        path = self.root / name
        self.write(name, (path.read_text() if path.exists() else SPDX) + text)

    def check(self, name: str):
        return CliRunner().invoke(main, ["--root", str(self.root), "dev", "check", name])

    def finds(self, check: str, *says: str) -> None:
        result = self.check(check)
        assert result.exit_code == 1, result.output
        for text in says:
            assert text in result.output

    def is_good(self, check: str) -> None:
        result = self.check(check)
        assert result.exit_code == 0, result.output


@pytest.fixture
def tree(tmp_path):
    return Planted(tmp_path)


@pytest.mark.parametrize("check", ["layers", "circles", "sizes", "isa", "sysregs", "text"])
def test_good_tree(tree, check):
    tree.is_good(check)


@pytest.mark.parametrize("name, include, says", [
    ("hyp/main.c", '"guest_arch/ops.h"', "hyp/main.c:5: hyp must not include guest"),
    ("guest/main.c", '"hyp/vm.h"', "guest must not include hyp"),
    ("lib/bits.c", '"arch/types.h"', "lib/bits.c:4: lib must not include arch"),
    ("abi/record.h", '"lib/bits.h"', "abi must not include lib"),
    ("arch/common/include/arch/esr.h", '"abi/record.h"', "arch must not include abi"),
    ("drivers/uart/pl011.h", '"hyp/vm.h"', "drivers must not include hyp"),
    ("hyp/main.c", '"vm.h"', '"vm.h" is not spelled from the top'),
    ("hyp/main.c", '"../lib/bits.h"', "is not spelled from the top"),
    ("hyp/main.c", '"arch/armv7/include/arch/types.h"', "is not spelled from the top"),
    ("hyp/main.c", '"lib/nothing.h"', "or does not exist"),
    ("lib/bits.c", "<hyp/vm.h>", "it goes in quotes"),
    ("extra/main.c", "<stdint.h>", "extra/main.c:1: 'extra' is no layer"),
])
def test_layers(tree, name, include, says):
    tree.add("hyp/vm.h", "#pragma once\n")
    tree.add(name, f"#include {include}\n")
    tree.finds("layers", says)


@pytest.mark.parametrize("check, fault, says", [
    ("analyzer", "int f(int *p);\nint f(int *p)\n{\n\treturn p ? 0 : *p;\n}\n",
     "lib/bits.c:7: warning: dereference of NULL '0'"),
    ("cppcheck", "int f(void);\nint f(void)\n{\n\tint a[2] = { 0 };\n\n\treturn a[2];\n}\n",
     "lib/bits.c:9: Array 'a[2]' accessed at index 2"),
])
def test_an_analyzer_finds_a_fault(tree, check, fault, says):
    tree.is_good(check)
    tree.add("lib/bits.c", fault)
    tree.finds(check, says)


@pytest.mark.parametrize("name, include, says", [
    ("hyp/vcpu/vgic.c", "hyp/vm/vm.h", "vgic.c:2: hyp/vcpu must not include hyp/vm"),
    ("hyp/base/record.h", "hyp/cpu/smp.h", "hyp/base must not include hyp/cpu"),
    ("hyp/cpu/smp.h", "hyp/vcpu/vcpu.h", "hyp/cpu must not include hyp/vcpu"),
    ("hyp/trap/trap.c", "hyp/run/main.h", "hyp/trap must not include hyp/run"),
])
def test_a_folder_of_hyp_does_not_include_a_later_one(tree, name, include, says):
    tree.add(include, "#pragma once\n")
    tree.add(name, f'#include "{include}"\n')
    tree.finds("layers", says)


def test_a_folder_of_hyp_includes_itself_and_earlier_ones(tree):
    tree.add("hyp/vcpu/vgic.h", "#pragma once\n")
    tree.add("hyp/vcpu/vcpu.h", '#include "hyp/vcpu/vgic.h"\n')
    tree.add("hyp/vm/vm.c", '#include "hyp/vcpu/vcpu.h"\n#include "hyp/arch/cpu.h"\n')
    tree.add("hyp/arch/cpu.h", '#include "hyp/vm/vm.h"\n')
    tree.add("hyp/vm/vm.h", "#pragma once\n")
    tree.is_good("layers")


def test_a_circle_is_shown_as_it_goes(tree):
    tree.add("hyp/vm/a.c", '#include "hyp/vm/a.h"\n#include "hyp/vm/b.h"\n')
    tree.add("hyp/vm/a.h", "/* #include \"hyp/vm/a.c\" */\n")
    tree.add("hyp/vm/b.h", '#include "hyp/vm/c.h"\n')
    tree.add("hyp/vm/c.h", "#pragma once\n")
    tree.is_good("circles")
    tree.add("hyp/vm/c.c", '#include "hyp/vm/a.h"\n')
    tree.finds("circles", "includes itself", "hyp/vm/b -> hyp/vm/c")


def test_no_circle_is_exempt(tree):
    tree.add("hyp/vcpu/vgic_lr.h", '#include "hyp/vcpu/vgic.h"\n')
    tree.add("hyp/vcpu/vgic.h", "#pragma once\n")
    tree.is_good("circles")
    tree.add("hyp/vcpu/vgic.c", '#include "hyp/vcpu/vgic_lr.h"\n')
    tree.finds("circles", "includes itself", "hyp/vcpu/vgic_lr -> hyp/vcpu/vgic")


@pytest.mark.parametrize("more", [0, 1])
def test_a_budget_counts_code_alone(tree, more):
    lines = BUDGETS["hyp/mem"] + more
    tree.write("hyp/mem/pool.c", SPDX + "\n/* two\nlines */\n" + "int x;\n" * (lines - 1))
    tree.write("hyp/mem/pool.h", SPDX + 'const char *x = "//"; /* why */\n')
    if not more:
        tree.is_good("sizes")
    else:
        tree.finds("sizes", f"hyp/mem:1: {lines} lines of code, its budget is {lines - 1}")


def test_tests_may_include_everything(tree):
    tree.add("tests/unit/test.c", '#include "hyp/main.c"\n#include "fake.h"\n')
    tree.is_good("layers")


@pytest.mark.parametrize("name, text, says", [
    ("hyp/main.c", "#if DEBUG\n#endif\n", "hyp/main.c:5: #if outside"),
    ("lib/bits.h", "  # ifdef X\n#endif\n", "lib/bits.h:5: #ifdef outside"),
    ("abi/record.h", "#ifndef X\n#endif\n", "#ifndef outside"),
    ("hyp/main.c", "#elif X\n", "#elif outside"),
    ("hyp/start.S", "nop\n", "hyp/start.S:1: an assembly file outside"),
    ("lib/bits.c", "int isa = __ARM_ARCH;\n", "__ARM_ARCH outside"),
    ("guest/main.c", "int x = __aarch64__;\n", "__aarch64__ outside"),
    ("drivers/uart/pl011.c", 'void f(void)\n{\n\t__asm__("nop");\n}\n',
     "pl011.c:4: inline assembly outside"),
    ("boards/x/board.c", 'asm("nop");\n', "boards/x/board.c:2: inline assembly outside"),
    ("boards/x/parts.inc", "nop\n", "boards/x/parts.inc:1: an assembly file outside"),
    ("boards/x/parts.c.inc", "#if X\n#endif\n", "boards/x/parts.c.inc:2: #if outside"),
    ("linker/hyp.ld.S", "#ifdef X\n#endif\n", "linker/hyp.ld.S:3: #ifdef outside"),
])
def test_isa(tree, name, text, says):
    tree.add(name, text)
    tree.finds("isa", says)


@pytest.mark.parametrize("text", [
    "#ifndef __ASSEMBLER__\n#endif\n", "/* #if 0\n#if 1\n */\n", "// __asm__ is not for here\n",
    'const char *s = "asm __arm__";\n'])
def test_isa_leaves_what_is_no_fault(tree, text):
    tree.add("hyp/main.c", text)
    tree.is_good("isa")


@pytest.mark.parametrize("isa, text, says", [
    ("armv7", "SYSREG32(other, 4, c1, c1, 0)\n",
     "sysreg.h:9: read of encoding 4, 1, 1, 0 of other is that of hcr_el2"),
    ("armv7", "SYSREG32_WRITE(other, 4, 1, 1, 0)\n", "write of encoding 4, 1, 1, 0 of other"),
    ("armv7", "SYSREG64_READ(other, 4, c14)\n", "read of encoding 4, 14 of other"),
    ("armv7", "SYSREG32_READ(iar, 0, c12, c12, 5)\n", "read of iar is that of iar"),
    ("armv8", "SYSREG_WRITE(hcr_el2)\n", "sysreg.h:7: write of hcr_el2"),
    ("armv8", "SYSREG(eoir)\n", "write of eoir"),
])
def test_sysregs(tree, isa, text, says):
    tree.add(f"arch/{isa}/include/arch/sysreg.h", text)
    tree.finds("sysregs", says)


def test_sysregs_across_headers(tree):
    tree.add("arch/armv7/include/arch/sysreg_gic.h", "SYSREG32(other, 4, c1, c1, 0)\n")
    tree.finds("sysregs", "of other is that of hcr_el2 (arch/armv7/include/arch/sysreg.h:5) too")


def test_sysregs_in_the_list_of_a_guests_registers(tree):
    tree.add("arch/armv7/include/arch/el1_regs.h", "#pragma once\n#define EL1_REGS(X) \\\n"
             "\tX(other, 0, SYSREG32, 4, c1, c1, 0)\n")
    tree.finds("sysregs", "of hcr_el2 is that of other (arch/armv7/include/arch/el1_regs.h:4) too")


@pytest.mark.parametrize("text, says", [
    ("SYSREG32(other, 4, c1, c1, 0)\n", "read of encoding 4, 1, 1, 0 of other is that of hcr_el2"),
    ("SYSREG64_READ(eoir, 5, c3)\nSYSREG32_WRITE(eoir, 1, c2, c3, 4)\n", "write of eoir"),
])
def test_sysregs_of_both_isas(tree, text, says):
    tree.add("arch/common/include/arch/sysreg.inc", text)
    tree.finds("sysregs", says)


def test_read_and_write_may_share_an_encoding(tree):
    tree.add("arch/armv7/include/arch/sysreg.h",
             "SYSREG32_READ(one, 1, c2, c3, 4)\nSYSREG32_WRITE(two, 1, c2, c3, 4)\n")
    tree.is_good("sysregs")


def test_sysregs_that_the_check_cannot_see(tree):
    tree.write("arch/armv8/include/arch/sysreg.h", SPDX + "#define hcr_el2 1\n")
    tree.finds("sysregs", "this check sees nothing")


@pytest.mark.parametrize("name", ["README.md", "tools/x.sh", ".ci/run"])
def test_text(tree, name):
    tree.add(name, "see /" + "home/someone/x\n")
    tree.finds("text", f"{name}:2: a path of one machine")


def test_text_leaves_other_paths(tree):
    tree.write("README.md", "tools/work/x $(OUT)/root ../home build/root */work\n")
    tree.is_good("text")


needs_compilers = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("aarch64-linux-gnu-gcc")),
    reason="the cross compilers are missing")


@needs_compilers
@pytest.mark.parametrize("name, text, says", [
    ("lib/late.h", "#pragma once\nuint32_t late(void);\n", "lib/late.h:3: armv7: unknown type"),
    ("arch/armv8/include/arch/late.h", "reg_t late(void);\n", "late.h:2: armv8: "),
    ("guest/late.h", '#include "guest_arch/none.h"\n', "guest/late.h:2: armv8: guest_arch/none.h"),
    ("hyp/late.h", "static inline unsigned char f(int x)\n{\n\treturn x;\n}\n", "conversion"),
    ("hyp/late.h", '#include "guest_arch/ops.h"\n', "hyp/late.h:2: armv7: guest_arch/ops.h"),
])
def test_headers(tree, name, text, says):
    for isa in ("armv7", "armv8"):
        tree.write(f"arch/{isa}/include/arch/sysreg.h", SPDX + "#pragma once\n")
    tree.is_good("headers")
    tree.add(name, text)
    tree.finds("headers", says)


DESCRIBED = {
    "abi/exit_kind.h": '#define EXIT_KINDS(X) \\\n\tX(HVC, "hvc") /* a call */\n\n'
                       '#define FAULT_REASONS(X) \\\n\tX(LATE, "late") /* too late */\n\n',
    "abi/run_config.h": "/*\n *   mode  slow or\n *         fast (docs/tour.md)\n */\n"
                        '#define CONFIG_AXES(X) \\\n\tX(mode, "slow fast")\n\n'
                        "/*\n *   most  the limit\n */\n#define CONFIG_NUMBERS(X) X(most, 9u)\n\n"
                        "enum mode { MODE_SLOW, MODE_FAST };\n\n/*\n *   quick  how quick?\n */\n"
                        '#define CONFIG_PRESETS(X) X("quick", .mode = MODE_FAST)\n\n',
    "abi/plan.h": "".join(f"#define {name} 7\n" for statement in Parser.STATEMENTS.values()
                          for name in re.findall(r"{(\w+)}", statement.__doc__ or ""))
                  + "".join(f"/*\n *   {name.lower()}  a field\n */\n#define {name}(X) X("
                            f"{name.lower()}, 1, 2, 3)\n\n"
                            for name in ("BENCH_PARAMS", "PLAN_GUEST_FIELDS", "PLAN_LOAD_FIELDS",
                                         "PLAN_VM_FIELDS"))
                  + "".join(f'#define {name}(X) X(ONE, "one") /* a word */\n\n'
                            for name in ("PLAN_IMAGES", "PLAN_EVENTS", "PLATFORMS")),
    "tests/figures.json": json.dumps({"tables": {"Programs": {"`one`": {"virt-a72": [5, 70]}}}}),
    "docs/numbers.md": "# Numbers\n\n<!-- made: figures -->\n<!-- end -->\n\nAs it was.\n",
    "tools/hypbench/html/studies.json": json.dumps({
        "S1": {"title": "S1: a study", "cite": "somebody"}}),
    "docs/records.schema.json": json.dumps({
        "properties": {"kind": {"enum": ["run"]}},
        "$defs": {name: {"description": f"a {name}", "properties": {
            "t": {"description": "how long", "$ref": "#/$defs/count"}}}
            for name in ("frame", "in_step", "run")}}),
    "plans/one.plan": "# What one costs,\n# and more.\nconfig native\nbench one\n",
    "guest/one.h": "/* As it waits. */\n",
    "guest/bench/one.c": "/*\n * See guest/one.h:\n *   fast  at once\n *         or soon\n"
                         ' * Slowly.\n */\nstatic struct bench one = { .name = "one" };\n'}


@pytest.fixture
def described(tree):
    for name, text in DESCRIBED.items():
        tree.write(name, SPDX + text if name.endswith((".c", ".h")) else text)
    CliRunner().invoke(main, ["--root", str(tree.root), "dev", "reference"])
    return tree


def test_the_reference_is_made_of_the_source(described):
    described.is_good("reference")
    pages = {path.name: path.read_text() for path in (described.root / "docs/reference").iterdir()}
    assert "| `hvc` | a call |" in pages["exits.md"] and "| `late` | too" in pages["exits.md"]
    assert "| `one` | What one costs, and more. |" in pages["plans.md"]
    assert "| `mode` | `slow` `fast` | slow or fast (`docs/tour.md`) |" in pages["axes.md"]
    assert "| `quick` | `mode=fast` | how quick? |" in pages["axes.md"]
    assert "| `most` | 0 to 9 | the limit |" in pages["axes.md"]
    assert "| `bench_params` | 1 | 2 | 3 | a field |" in pages["plan-lines.md"]
    assert "| `at TIME EVENT VM` | what happens" in pages["plan-lines.md"]
    assert "## `run`\n\na run\n\n" in pages["records.md"]
    assert "| `t` | integer | how long |" in pages["records.md"]
    assert ("## one\n\nSee `guest/one.h`:\n\n- `fast`: at once\n  or soon\n\nSlowly.\n\n"
            "As it waits.\n\n`guest/bench/one.c`; plans: one\n") in pages["benchmarks.md"]


@pytest.mark.parametrize("name, word, page", [
    ("abi/exit_kind.h", "a call", "exits"), ("plans/one.plan", "costs", "plans"),
    ("guest/one.h", "waits", "benchmarks"), ("guest/bench/one.c", "at once", "benchmarks"),
    ("abi/run_config.h", "slow or", "axes"), ("abi/plan.h", "a field", "plan-lines"),
    ("docs/records.schema.json", "how long", "records"),
    ("tools/hypbench/html/studies.json", "somebody", "studies"),
    ("tests/figures.json", "`one`", "figures")])
def test_the_reference_follows_its_source(described, name, word, page):
    path = described.root / name
    path.write_text(path.read_text().replace(word, "other"))
    described.finds("reference", f"docs/reference/{page}.md:1: not what `hypbench dev reference`")


def test_a_part_of_a_page_is_made_of_figures(described):
    page = described.root / "docs/numbers.md"
    assert re.fullmatch(r"# Numbers\n\n<!-- made: figures -->\n(.+)<!-- end -->\n\nAs it was.\n",
                        page.read_text(), re.DOTALL)
    assert "| | virt-a72 |\n|---|---|\n| `one` | 5 / 70 |\n" in page.read_text()
    page.write_text(page.read_text().replace("5 / 70", "5 / 7"))
    described.finds("reference", "docs/numbers.md:1: not what `hypbench dev reference` makes of")


@pytest.mark.parametrize("name, says", [
    ("figure", "docs/numbers.md has `made: figure`; there are: beside_loads, beside_machines, "),
    ("first_page", "docs/numbers.md, first_page: no figure of 'virt-a72'")])
def test_a_part_of_a_page_has_a_known_name_and_all_its_figures(described, name, says):
    page = described.root / "docs/numbers.md"
    page.write_text(page.read_text().replace("figures", name))
    described.finds("reference", says)


def test_the_reference_wants_a_meaning_of_each_axis(described):
    path = described.root / "abi/run_config.h"
    path.write_text(path.read_text().replace("*   mode ", "*   mood "))
    described.finds("reference", "check reference: abi/run_config.h: the comment before CONFIG_AXES"
                                 " has no line on mode")


def test_the_reference_wants_a_comment_of_each_benchmark(described):
    described.write("guest/bench/two.c", SPDX + 'static struct bench two = { .name = "two" };\n')
    described.finds("reference", "check reference: guest/bench/two.c: no comment on its windows")


def test_the_reference_wants_a_docstring_of_each_statement(described, monkeypatch):
    monkeypatch.setitem(Parser.STATEMENTS, "odd", lambda _: None)
    described.finds("reference", "check reference: the parser's statement odd has no docstring")


def test_this_trees_reference_says_something_of_each():
    for path in (HOME / "docs" / "reference").iterdir():
        text = path.read_text()
        assert "|  |" not in text and "\n\n\n" not in text, path


@pytest.mark.parametrize("name, text, fault", [
    ("docs/a.md", "A mended page\n", "docs/a.md:1: mended ==> fixed"),
    ("docs/a.md", "A page\nof a foreign guest\n", "docs/a.md:2: foreign guest ==> unmodified"),
    ("docs/a.md", "a teh word\n", "docs/a.md:1: teh ==> the"),
    ("docs/a.md", "It says so\n", "docs/a.md:1: says ==> reports, has, shows"),
    ("lib/a.c", "/* the\n * absent vCPU */\n", "lib/a.c:3: absent vCPU ==> vcpu that is not"),
    ("lib/a.c", 'static char text[] = "teh word";\n', "lib/a.c:2: teh ==> the"),
    ("tools/a.py", '"""What one\nis told."""\n', "tools/a.py:2: told ==> reported, given"),
    ("tools/a.json", '{"teh": "a",\n "a": "teh word"}\n', "tools/a.json:2: teh ==> the"),
    ("tools/a.js", "told = `teh ${word}`; // told\n", "tools/a.js:1: teh ==> the"),
    ("tools/a.py", "f(f'is told {one}')\n", "tools/a.py:1: told ==> reported, given"),
    ("tools/a.sh", "true # nobody\n", "tools/a.sh:1: nobody ==> no core, no guest, nothing")])
def test_a_word_is_found_where_people_read_it(tree, name, text, fault):
    tree.is_good("words")
    tree.add(name, text) if name.startswith("lib") else tree.write(name, text)
    tree.finds("words", fault)


@pytest.mark.parametrize("name, text", [
    ("lib/a.c", "int told(int teh); /* it says so */\n"), ("tools/a.py", "told = teh\n"),
    ("CHANGELOG.md", "vdist is vgicd\n"), ("tools/a.sh", "told=1\n"),
    ("tools/a.js", "told = 1;\n")])
def test_names_in_code_and_in_history_are_no_prose(tree, name, text):
    tree.add(name, text) if name.startswith("lib") else tree.write(name, text)
    tree.is_good("words")


@pytest.mark.parametrize("name, text, fault", [
    ("docs/a.md", "as `lib/none.c` does\n", "docs/a.md:1: there is no lib/none.c"),
    ("docs/a.md", "![x](none.svg)\n", "docs/a.md:1: there is no none.svg"),
    ("lib/a.c", "/* docs/" "none.md */\n", "lib/a.c:1: there is no docs/" "none.md")])
def test_a_link_to_nothing_is_found(tree, name, text, fault):
    tree.write("docs/b.md", "`lib/bits.c`, [a](b.md)\n```c hyp/own.c\n```\nand `hyp/own.c`\n")
    tree.is_good("links")
    tree.write(name, text)
    tree.finds("links", fault)


@pytest.mark.parametrize("name, most", [
    ("README.md", 500), ("docs/tour.md", 900), ("docs/howto/a.md", 400), ("docs/a/a.md", 1000)])
def test_a_page_that_is_too_long_is_found(tree, name, most):
    tree.write(name, "word\n" * most)
    tree.is_good("pages")
    tree.write(name, "word\n" * (most + 1))
    tree.finds("pages", f"{name}:1: {most + 1} words, {most} are the most")


def test_a_page_of_tables_may_be_long(tree):
    tree.write("docs/a.md", "word\n" * 900 + "| a b |\n" * 300)
    tree.is_good("pages")
    tree.write("docs/a.md", "word\n" * 900 + "| a b |\n" * 200)
    tree.finds("pages", "docs/a.md:1: 1700 words, 1000 are the most")


GOOD_SCRIPT = "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\necho \"$1\"\n"


@pytest.fixture
def linted(tree):
    """With a package, a script, and what this tree asks of them."""
    shutil.copy(HOME / "pyproject.toml", tree.root)
    tree.write("tools/hypbench/__init__.py", "")
    tree.write("tools/hypbench/one.py", "def one() -> int:\n    return 1\n")
    tree.write("tools/good.sh", GOOD_SCRIPT)
    return tree


@pytest.mark.parametrize("check, name, text, says", [
    ("types", "tools/hypbench/two.py", "def two() -> int:\n    return 'two'\n",
     "two.py:2: error: Incompatible return value type"),
    ("types", "tools/hypbench/two.py", "def two():\n    return 2\n",
     "two.py:1: error: Function is missing a return type annotation"),
    ("types", "tools/hypbench/two.py", "from hypbench.one import none\n",
     'two.py:1: error: Module "hypbench.one" has no attribute "none"'),
    ("python", "tests/host/two.py", "import os\n", "two.py:1: F401"),
    ("python", "tools/hypbench/two.py", "def two(one=[]):\n    return one\n", "two.py:1: B006"),
    ("shell", "tools/two.sh", "#!/bin/sh\nrm $1/*\n", "tools/two.sh:2: note: Double quote"),
    ("shell", ".ci/two", "#!/usr/bin/env bash\necho $other\n", ".ci/two:2: warning: other is"),
])
def test_linters(linted, check, name, text, says):
    linted.is_good(check)
    linted.write(name, text)
    linted.finds(check, says)


def test_missing_compiler_is_named(tree, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    tree.finds("headers", "arm-none-eabi-gcc is missing: `tools/setup.sh armv7` installs it")
    tree.finds("format", "clang-format is missing: `tools/setup.sh check` installs it")
    tree.write("tools/good.sh", GOOD_SCRIPT)
    tree.finds("shell", "shellcheck is missing: `tools/setup.sh check` installs it")


@pytest.fixture
def formatted(tree):
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is missing")
    shutil.copy(HOME / ".clang-format", tree.root)
    for name in GOOD:  # only the faults planted below are to be found
        (tree.root / name).unlink()
    tree.write("hyp/main.c", SPDX + "int f(void)\n{\n\treturn 0;\n}\n")
    tree.is_good("format")
    return tree


@pytest.mark.parametrize("name, text, says", [
    ("hyp/main.c", "int g(void) {return 0;}\n", "hyp/main.c:6: not as clang-format lays it out"),
    ("hyp/start.S", "nop \n", "hyp/start.S:2: trailing blanks"),
    ("README.md", "text \n", "README.md:2: trailing blanks"),
    ("boards/x/board.mk", "X := " + "x" * 100 + "\n", "board.mk:2: 105 columns"),
    ("linker/x.ld.S", "\t" * 12 + "x" * 5 + "\n", "x.ld.S:2: 101 columns"),
])
def test_format(formatted, name, text, says):
    formatted.add(name, text)
    formatted.finds("format", says)


@pytest.mark.parametrize("name", ["hyp/vm.h", "Makefile", "tools/x.py", ".ci/run", "boards/x/b.mk"])
def test_licence_line(formatted, name):
    formatted.write(name, "\n")
    formatted.finds("format", f"{name}:1: no line SPDX")


def test_unknown_check_lists_them(tree):
    result = tree.check("layer")
    assert result.exit_code == 2
    assert "there are: layers, circles, sizes, isa, headers, sysregs, format, text, ref" in (
        result.output)
