# SPDX-License-Identifier: Apache-2.0
"""docs/reference/: pages made from the text that they are about: the benchmarks, the plans, the
exit kinds, the axes, the plan lines, the records, the path lengths. The committed pages are what
this makes."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench.checks.base import Violation
from hypbench.checks.reference_tables import (Header, axes, linked, path_lengths, plan_lines,
                                               records, table)
from hypbench.tree import Tree

FOLDER = Path("docs/reference")
MADE = "<!-- Made by `hypbench dev reference`: change the source instead. -->"
COMMENT = re.compile(r"^/\*(?! SPDX)(.*?)\*/", re.MULTILINE | re.DOTALL)
NAME = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)
HEADER = re.compile(r"guest/\w+\.h")
VARIANT = re.compile(r"^ {2,}([\w<>-]+) {2,}(\S.*)$")
LINE = re.compile(r"^bench (\w+)", re.MULTILINE)


def pages(tree: Tree) -> dict[Path, str]:
    made = {"benchmarks.md": benchmarks(tree), "plans.md": plans(tree), "exits.md": exits(tree),
            "axes.md": axes(tree), "plan-lines.md": plan_lines(tree), "records.md": records(tree),
            "path-lengths.md": path_lengths(tree)}
    return {FOLDER / name: f"{MADE}\n{text}" for name, text in made.items()}


def check(tree: Tree) -> Iterator[Violation]:
    for path, text in pages(tree).items():
        there = (tree.root / path).read_text() if (tree.root / path).is_file() else ""
        if there != text:
            yield Violation(path, 1, "not what `hypbench dev reference` makes of the source")


@click.command()
@click.pass_obj
def reference(tree: Tree) -> None:
    """Write docs/reference/ anew."""
    for path, text in pages(tree).items():
        (tree.root / path).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / path).write_text(text)


def benchmarks(tree: Tree) -> str:
    """A section a file: its names, the plans that have them, its comment."""
    used: dict[str, list[str]] = {}
    for path in sorted(tree.root.glob("plans/*.plan")):
        for name in dict.fromkeys(LINE.findall(path.read_text())):
            used.setdefault(name, []).append(path.stem)
    parts = ["# Benchmarks\n\nEach is a file of `guest/bench/`, or a program of `guest/programs/`;"
             " what every window has in common: `docs/design/windows.md`.\n"]
    for folder in ("bench", "programs"):
        for path in sorted(tree.root.glob(f"guest/{folder}/*.c")):
            source = path.read_text()
            names = [bench or program for bench, program in NAME.findall(source)]
            if not comment(source):
                raise click.ClickException(f"{path.relative_to(tree.root)}: no comment on its"
                                           " windows before the code")
            inside = sorted({plan for name in names for plan in used.get(name, [])})
            parts.append(f"## {', '.join(names)}\n\n{described(tree, source)}\n\n"
                         f"`{path.relative_to(tree.root)}`; plans: {', '.join(inside) or 'none'}\n")
    return "\n".join(parts)


def described(tree: Tree, source: str) -> str:
    """The comment that a file begins with; then that of a header of the guest which it names."""
    text = comment(source)
    more = [comment((tree.root / name).read_text()) for name in HEADER.findall(text)]
    return linked("\n\n".join(markdown(one) for one in [text, *more]))


def comment(source: str) -> str:
    found = COMMENT.search(source)
    return re.sub(r"^ \* ?", "", found[1].strip("\n"), flags=re.MULTILINE) if found else ""


def markdown(text: str) -> str:
    """Lines that begin with a variant's name become a list, which further lines go on with while
    they are indented."""
    lines: list[str] = []
    listed = False
    for line in text.rstrip().splitlines():
        variant = VARIANT.match(line)
        if variant:
            lines += [""] * (not listed) + [f"- `{variant[1]}`: {variant[2]}"]
        else:
            indented = line.startswith("   ")
            lines += [""] * (listed and not indented)
            lines.append("  " * (listed and indented) + line.strip())
            listed = listed and indented
        listed = listed or bool(variant)
    return "\n".join(lines).strip()


def plans(tree: Tree) -> str:
    rows = ((f"`{path.stem}`", " ".join(heading(path.read_text())))
            for path in sorted(tree.root.glob("plans/*.plan")))
    return "# Plans\n\nThe files of `plans/`, by their first lines.\n\n" + table(
        "", ("plan", "what it is for"), rows)


def heading(text: str) -> Iterator[str]:
    """The comment that a plan begins with."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line.removeprefix("#").strip()


def exits(tree: Tree) -> str:
    header = Header(tree, "exit_kind.h")
    head = ("word", "meaning")
    return "\n".join([
        "# Exits and faults\n",
        table("Kinds of exits to EL2, in `exits` and `trace` records", head,
              header.words("EXIT_KINDS")),
        table("Why EL2 stopped a guest, in `fault` records", head,
              header.words("FAULT_REASONS"))])
