# SPDX-License-Identifier: Apache-2.0
"""Read the facts that comments of the source state: `bound: N` and `wait: WORD` at a loop, `total:
N` at a loop or before a function, `depth: N` before a recursive function, `calls: a b` at a call
through a pointer, `argument: N` at a call of a function whose loops depend on it, `most: N` at a
call in a loop, `sum: N` at a loop whose calls pass such arguments."""

import ast
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import click

from hypbench.bound.image import Line
from hypbench.checks.base import code_only

WORDS = "batch|bound|total|assumed|most|sum|wait|depth|calls|argument"
FACT = re.compile(rf"(?:^/\* |; )({WORDS}): ([^;:]+?)\s*(?=;|:|\*/)")
ARGUMENT = re.compile(r"\bARGUMENT_(\d)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
LOOP = re.compile(r"\b(for|while|do)\b")
DEFINE = re.compile(r"^#define (\w+) (.+?)(?:\s*/\*.*)?$", re.MULTILINE)
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv,
             ast.LShift: operator.lshift, ast.Mod: operator.mod}


@dataclass(frozen=True)
class SourceLoop:
    """A loop statement: its lines, and the facts of its comment."""

    file: str
    first: int
    last: int
    facts: tuple[tuple[str, str], ...]

    def holds(self, line: Line) -> bool:
        return line.file == self.file and self.first <= line.line <= self.last

    def is_inside(self, outer: "SourceLoop") -> bool:
        """Return whether this loop may be inside the outer loop. A loop of another file belongs to
        an inlined function."""
        return self.file != outer.file or (self != outer and outer.first <= self.first
                                           and self.last <= outer.last) or not (
            outer.first <= self.first <= outer.last or self.first <= outer.first <= self.last)

    def fact(self, name: str) -> str:
        return dict(self.facts).get(name, "")

    def __str__(self) -> str:
        return f"{self.file}:{self.first}"


@dataclass
class Source:
    """One source file: its text, the text without comments, and its loops."""

    path: str
    text: str
    loops: list[SourceLoop] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.code = code_only(self.text)
        self.lines, self.code_lines = self.text.split("\n"), self.code.split("\n")
        tails: set[int] = set()
        for match in LOOP.finditer(self.code):
            if match.start() not in tails:
                self.loops.append(self.loop_at(match.start(), match[1], tails))

    def loop_at(self, at: int, word: str, tails: set[int]) -> SourceLoop:
        if word == "do":
            tail = self.code.index("while", statement_end(self.code, at + 2))
            tails.add(tail)
            head, end = at, self.code.index(";", tail)
        else:
            head = matching(self.code, self.code.index("(", at))
            end = statement_end(self.code, head + 1)
        first = self.line_at(at)
        # The comment may follow the condition on its line.
        return SourceLoop(self.path, first, self.line_at(end),
                          tuple(self.facts(first, self.line_at(head))))

    def line_at(self, at: int) -> int:
        return self.code.count("\n", 0, at) + 1

    def facts(self, first: int, last: int) -> Iterator[tuple[str, str]]:
        """Yield the facts in comments on these lines, and on the comment lines directly before."""
        lines, code = self.lines, self.code_lines
        while first > 1 and lines[first - 2].strip() and not code[first - 2].strip():
            first -= 1
        text = "\n".join(lines[first - 1:last])
        for comment in COMMENT.findall(text):
            for name, text in FACT.findall(re.sub(r"\s*\n\s*\*?", " ", comment)):
                yield name, text.strip()


def matching(code: str, at: int) -> int:
    """Return the end of the part that the bracket at `at` begins."""
    depth = 0
    for end in range(at, len(code)):
        depth += (code[end] in "({[") - (code[end] in ")}]")
        if not depth:
            return end
    raise click.ClickException("a bracket has no end")


def statement_end(code: str, at: int) -> int:
    while code[at].isspace():
        at += 1
    if code[at] == "{":
        return matching(code, at)
    keyword = re.compile(r"(for|while|if|switch)\b").match(code, at)
    if not keyword:
        return next(end for end in outside_brackets(code, at) if code[end] == ";")
    end = statement_end(code, matching(code, code.index("(", at)) + 1)
    alternative = re.compile(r"\s*else\b").match(code, end + 1)
    return statement_end(code, alternative.end()) if keyword[1] == "if" and alternative else end


def outside_brackets(code: str, at: int) -> Iterator[int]:
    while True:
        if code[at] in "({[":
            at = matching(code, at)
        yield at
        at += 1


def holds(loop: SourceLoop, frames: list[Line]) -> bool:
    return any(loop.holds(line) for line in frames)


def is_inside(loop: SourceLoop, around: tuple[SourceLoop, ...]) -> bool:
    """Return whether a statement may be inside the last of these nested statements."""
    return loop not in around and loop.is_inside(around[-1])


def smallest(loops: Iterable[SourceLoop], frames: list[Line]) -> SourceLoop | None:
    """Return the innermost statement. A loop of an inlined function is inside the loops of the
    function's caller."""
    def size(loop: SourceLoop) -> tuple[int, int]:
        return [loop.holds(line) for line in frames].index(True), loop.last - loop.first

    return min(loops, key=size, default=None)


class Facts:
    """The facts of a tree for one isa. `sizes`: values of names on a board."""

    def __init__(self, root: Path, isa: str, sizes: dict[str, int]):
        self.root = root
        self.isa = isa
        self.sizes = sizes
        self.sources: dict[str, Source] = {}
        self.near_facts: dict[Line, dict[str, str]] = {}

    def source(self, file: str) -> Source:
        if file not in self.sources:
            path = self.root / file
            is_c = path.suffix in (".c", ".h", ".inc") and path.is_file()
            self.sources[file] = Source(file, path.read_text() if is_c else "")
        return self.sources[file]

    def loop(self, controls: list[list[Line]], around: tuple[SourceLoop, ...] = ()
             ) -> SourceLoop | None:
        """Return the smallest loop statement that contains each of these instructions, or the calls
        that were inlined around them. A loop inside another loop has a statement inside the
        statement of the outer loop. The statement of most instructions decides, because the
        compiler may have moved some instructions."""
        files = dict.fromkeys(line.file for frames in controls for line in frames)
        loops = [loop for file in files for loop in self.source(file).loops]
        statement = smallest(
            (loop for loop in loops if all(holds(loop, frames) for frames in controls)),
            controls[0] if controls else [])
        if not around or (statement and is_inside(statement, around)):
            return statement
        votes = Counter(loop for frames in controls if (loop := smallest(
            (loop for loop in loops if holds(loop, frames) and is_inside(loop, around)), frames)))
        return votes.most_common(1)[0][0] if votes else None

    def near(self, line: Line, name: str) -> str:
        """Return a fact that belongs to no loop: a fact of a call, or before a function's first
        line."""
        if line not in self.near_facts:
            source = self.source(line.file)
            # An assembly file has no text here.
            self.near_facts[line] = dict(source.facts(line.line, line.line)) if source.text else {}
        return self.near_facts[line].get(name, "")

    def argument(self, lines: list[Line]) -> int | str | None:
        """Return the value that comments state for an argument, at a call and at the calls that
        were inlined around it: a number, or an argument of the function that has the code."""
        text = ""
        for line in lines:
            text = self.near(line, "argument")
            if not ARGUMENT.search(text):
                return self.number(text, line) if text else None
        return text or None

    @cached_property
    def defines(self) -> dict[str, str]:
        defines: dict[str, str] = {}
        for folder in ("abi", "lib", "arch/common", f"arch/{self.isa}", "drivers", "hyp"):
            for path in sorted((self.root / folder).rglob("*.[ch]")):
                defines |= dict(DEFINE.findall(path.read_text()))
        return defines

    def number(self, text: str, where: object, argument: int = 0, vcpus: int = 2) -> int:
        """Return the value of a comment's expression. `argument` is the value of ARGUMENT_0 and so
        on, `vcpus` is the value of VCPUS."""
        text = re.sub(r"\bVCPUS\b", str(vcpus), text)
        try:
            return self.value(ast.parse(ARGUMENT.sub(str(argument), plain_numbers(text)),
                                        mode="eval").body)
        except (SyntaxError, KeyError, ValueError) as error:
            raise click.ClickException(f"{where}: '{text}' is no number: {error}") from error

    def value(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Name):
            if node.id in self.sizes:
                return self.sizes[node.id]
            return self.value(ast.parse(plain_numbers(self.defines[node.id]), mode="eval").body)
        raise ValueError("only numbers, names and + - * / % << are known")


def plain_numbers(text: str) -> str:
    """Remove suffixes of C's numbers, because Python has none."""
    return re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)


