# SPDX-License-Identifier: Apache-2.0
"""Check the language: codespell reads documents, comments and messages, with its own dictionary and
words.txt. Check also that the files exist that pages name."""

import io
import re
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypbench.checks.base import C_SUFFIXES, COMMENT_OR_STRING, Violation, blank, lines_of
from hypbench.checks.linters import linter_violations
from hypbench.tree import Tree

WORDS = Path(__file__).with_name("words.txt")
PAGE_WORDS = Path(__file__).with_name("words_pages.txt")  # additional words, for pages alone
SINGLE = r"[\w'-]+"
# codespell reports these words, which are correct in this tree.
KNOWN = ("bord", "caf", "conter", "hist", "inout", "sme", "te", "tge", "tre")
EXEMPT = {"CHANGELOG.md",  # this file has old names
          "tests/host/test_checks.py"}  # this file plants mistakes
HASH_SUFFIXES = {".sh", ".mk", ".toml", ".cmd"}
SCRIPT_SUFFIXES = {".js", ".json"}
SCRIPT = re.compile(r"//[^\n]*|\"[^\"\n]*\"|`[^`]*`")
# The kinds of tokens that are comments and strings.
PROSE_TOKENS = {tokenize.COMMENT, tokenize.STRING,
                getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}  # exists from Python 3.12 on
WRITTEN = re.compile(r"^```\w+ (\S+)", re.MULTILINE)  # a how-to writes this file
LINK = re.compile(r"\]\(([\w./-]+)\)")
PATHS = re.compile(r"`((?:abi|arch|boards|docs|drivers|guest|hyp|lib|linker|reference|scenarios"
                   r"|tests|tools)/[\w./-]*)`")
PAGE = re.compile(r"(?<![\w/])docs/[\w/-]+\.(?:md|svg|json)\b")


def check_words(tree: Tree) -> Iterator[Violation]:
    """Run codespell over a copy of the tree in which code is blanked, because codespell reads
    whole files."""
    phrases = [line.partition("->")[0] for line in WORDS.read_text().splitlines()
               if " " in line.partition("->")[0]]
    pattern = "|".join([rf"\b(?i:{phrase})\b" for phrase in map(re.escape, phrases)] + [SINGLE])
    with tempfile.TemporaryDirectory() as folder:
        copies = {"pages": ["-", WORDS, PAGE_WORDS], "sources": ["-", WORDS]}
        for path in tree.files():
            if (path.as_posix() not in EXEMPT
                    # An empty file replaces codespell's own settings.
                    and path.name != "pyproject.toml"):
                copy = Path(folder) / ("pages" if path.suffix == ".md" else "sources") / path
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(prose_of(path, "\n".join(lines_of(tree, path))))
        for name, dictionaries in copies.items():
            (Path(folder) / name).mkdir(exist_ok=True)
            command = [sys.executable, "-m", "codespell_lib",
                       *(f"--dictionary={dictionary}" for dictionary in dictionaries),
                       "--regex", pattern, "--ignore-words-list", ",".join(KNOWN),
                       "--check-hidden", "--quiet-level", "3", "."]
            for violation in linter_violations(replace(tree, root=Path(folder) / name), command):
                yield replace(violation, path=Path(violation.path.as_posix().removeprefix("./")))


def prose_of(path: Path, text: str) -> str:
    """Return the same lines, with code blanked."""
    if path.suffix in C_SUFFIXES:
        return blank_outside(text, [match.span() for match in COMMENT_OR_STRING.finditer(text)])
    if path.suffix == ".py":
        return blank_outside(text, list(python_prose(text)))
    if path.suffix in HASH_SUFFIXES or path.name == "Makefile":
        return blank_outside(
            text, [match.span() for match in re.finditer(r"#.*|\"[^\"\n]*\"", text)])
    if path.suffix in SCRIPT_SUFFIXES:
        return blank_outside(text, [match.span() for match in SCRIPT.finditer(text)])
    return text if path.suffix in (".md", ".j2") else ""


def python_prose(text: str) -> Iterator[tuple[int, int]]:
    begins = [0]
    for line in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in PROSE_TOKENS:
            yield (begins[token.start[0] - 1] + token.start[1],
                   begins[token.end[0] - 1] + token.end[1])


def blank_outside(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text, with everything outside of these parts blanked."""
    parts, at = [], 0
    for begin, end in spans:
        parts += [blank(text[at:begin]), text[begin:end]]
        at = end
    return "".join([*parts, blank(text[at:])])


def check_links(tree: Tree) -> Iterator[Violation]:
    """Check that a page, or a file that a page names, exists."""
    for path in tree.files():
        if path.as_posix() in EXEMPT:
            continue
        lines = lines_of(tree, path)
        written = set(WRITTEN.findall("\n".join(lines)))
        for number, line in enumerate(lines, 1):
            names = [(Path(), name) for name in PAGE.findall(line)]
            if path.suffix == ".md":
                names += [(Path(), name) for name in PATHS.findall(line)]
                names += [(path.parent, name) for name in LINK.findall(line)]
            for folder, name in names:
                if name not in written and not (tree.root / folder / name).exists():
                    yield Violation(path, number, f"there is no {name}")
