# SPDX-License-Identifier: Apache-2.0
"""Each check of the source tree. golden/checks.txt has a small clean tree, and for each check files
to add ("+"; lines go to the end of an existing file) and the violations ("!") that the check then
reports."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from golden import FOLDER, check_block
from hypbench.checks.cli import CHECKS
from hypbench.cli import main
from hypbench.tree import HOME

pytestmark = pytest.mark.long


def unmarked(text: str) -> str:
    """Restore marks that the golden file writes differently, because it must pass the checks of
    this tree itself: a blank at a line's end, and a path under docs/."""
    return text.replace("␣", " ").replace("docs/·", "docs/")


def marked(text: str) -> str:
    return re.sub(" $", "␣", text, flags=re.MULTILINE).replace("docs/", "docs/·")


TREE, *BLOCKS = unmarked((FOLDER / "checks.txt").read_text()).rstrip("\n").split("\n=====\n")
OF_CHECK = {block.splitlines()[0].removeprefix("check "): block for block in BLOCKS}
# The messages of these checks change with a version of a tool.
OF_THE_MACHINE = ("headers", "analyzer", "cppcheck", "shell")
CLOSING = re.compile(r"^check \w+: (ok|\d+ violations)$")


class Planted:
    """The clean tree, and a way to plant faults in it."""

    def __init__(self, root: Path):
        self.root = root
        subprocess.run(["git", "init", "-q", root], check=True)
        for name in ("pyproject.toml", ".clang-format", "tools/site_pages.py"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HOME / name, root / name)
        self.add(TREE)

    def add(self, block: str) -> None:
        for part in re.split(r"^\+ ", block, flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write("".join(f"{line}\n" for line in text.splitlines()
                                   if not line.startswith("! ")))

    def __call__(self, *words: str):
        return CliRunner().invoke(main, ["--root", str(self.root), "dev", *words])

    def violations(self, check: str) -> list[str]:
        result = self("check", check)
        # Standard output does not have the note on another clang-format.
        *violations, closing = result.stdout.splitlines()
        assert CLOSING.match(closing) and result.exit_code == bool(violations), result.output
        if check in OF_THE_MACHINE:
            return sorted({":".join(line.split(":")[:2]) for line in violations})
        return violations


@pytest.fixture
def tree(tmp_path):
    return Planted(tmp_path)


def answered(tree: Planted, block: str) -> str:
    """Return the block with the violations that the check reports."""
    tree.add(block)
    violations = tree.violations(block.splitlines()[0].removeprefix("check "))
    return "\n".join([line for line in block.splitlines() if not line.startswith("! ")]
                     + [f"! {violation}" for violation in violations])


@pytest.mark.parametrize("check", OF_CHECK)
def test_a_check_reports_these_violations_and_no_other(tree, check):
    assert tree.violations(check) == []
    check_block("checks.txt", marked(OF_CHECK[check]), marked(answered(tree, OF_CHECK[check])))


def test_every_check_has_its_violations():
    assert OF_CHECK.keys() | {"text", "reference"} == CHECKS.keys()


def test_a_path_of_one_machine(tree):
    (tree.root / "README.md").write_text("tools/work/x $(OUT)/root ../" "home */work\nsee /"
                                         "home/someone/x\n")
    assert tree.violations("text") == ["README.md:2: a path of one machine: /" "home"]


def test_what_a_check_cannot_do_is_said(tree, monkeypatch):
    header = tree.root / "arch/armv8/include/arch/sysreg.h"
    header.write_text("#define hcr_el2 1\n")
    assert "this check sees nothing" in tree("check", "sysregs").output
    monkeypatch.setattr("shutil.which", lambda name: None)
    for check, says in (("headers", "arm-none-eabi-gcc is missing: `tools/setup.sh armv7`"),
                        ("format", "clang-format is missing: `tools/setup.sh check`"),
                        ("shell", "shellcheck is missing: `tools/setup.sh check`")):
        assert says in tree("check", check).output
    unknown = tree("check", "layer")
    assert unknown.exit_code == 2 and "there are: layers, circles, isa" in unknown.output


# --- the reference is made from the source ---

GENERATED = {"exits": ["| `hvc` | a call |", "| `late` | too late |"],
             "scenarios": ["How much?", "| `one` | What one costs | – |"],
             "axes": ["| `mode` | `slow` `fast` | slow or fast (`docs/tour.md`) |",
                      "| `quick` | `mode=fast` | how quick? |", "| `most` | 0 to 9 | the limit |"],
             "scenario-keys": ["| `bench_params` | 1 | 2 | 3 | a field |",
                               "| `do` of `event` | What happens. |"],
             "records": ["## `run`\n\na run\n\n", "| `t` | integer | how long |"],
             "benchmarks": ["## one\n\nSee `guest/one.h`:\n\n- `fast`: at once\n  or soon\n\n"
                            "Slowly.\n\nAs it waits.\n\n`guest/bench/one.c`; scenarios: one\n"]}


@pytest.fixture
def described(tree):
    tree.add(unmarked((FOLDER / "described.txt").read_text()))
    tree("reference")
    return tree


def change(tree, name: str, old: str, new: str = "other") -> None:
    path = tree.root / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_the_reference_is_made_of_the_source(described):
    assert described.violations("reference") == []
    for name, lines in GENERATED.items():
        text = (described.root / "docs/reference" / f"{name}.md").read_text()
        assert all(line in text for line in lines), name
    page = (described.root / "docs/numbers.md").read_text()
    assert page.startswith("# Numbers\n\n<!-- made: figures -->\n")
    assert page.endswith("<!-- end -->\n\nAs it was.\n")
    assert "| | virt-a72 |\n|---|---|\n| `one` | 5 / 70 |\n" in page


@pytest.mark.parametrize("name, word, page", [
    ("abi/exit_kind.h", "a call", "exits"), ("scenarios/one.toml", "costs", "scenarios"),
    ("guest/one.h", "waits", "benchmarks"), ("guest/bench/one.c", "at once", "benchmarks"),
    ("abi/run_config.h", "slow or", "axes"), ("abi/plan.h", "a field", "scenario-keys"),
    ("docs/records.schema.json", "how long", "records"),
    ("tools/hypbench/analysis/studies.json", "somebody", "studies"),
    ("tests/figures.json", "`one`", "figures")])
def test_the_reference_follows_its_source(described, name, word, page):
    change(described, name, word)
    assert any(violation.startswith(f"docs/reference/{page}.md:1: not what"
                                    " `hypbench dev reference`")
               for violation in described.violations("reference"))


@pytest.mark.parametrize("name, old, new, says", [
    ("docs/numbers.md", "5 / 70", "5 / 7", "docs/numbers.md:1: not what `hypbench dev reference`"),
    ("docs/numbers.md", "figures", "figure", "docs/numbers.md has `made: figure`; there are: "),
    ("docs/numbers.md", "figures", "first_page", "first_page: no figure of 'virt-a72'"),
    ("abi/run_config.h", "*   mode ", "*   mood ", "the comment before CONFIG_AXES has no line on"
     " mode"),
    ("guest/bench/one.c", "/*\n * See guest/one.h:\n *   fast  at once\n *         or soon\n"
     " * Slowly.\n */\n", "", "guest/bench/one.c: no comment on its windows")])
def test_the_reference_wants_every_part_of_its_source(described, name, old, new, says):
    change(described, name, old, new)
    assert says in described("check", "reference").output
