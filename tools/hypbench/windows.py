# SPDX-License-Identifier: Apache-2.0
"""Describe the windows of the benchmarks from the comment at the beginning of a benchmark's file,
and from the comment of a header of the guest that it names."""

import re
from functools import cache
from pathlib import Path

from hypbench.tree import HOME

COMMENT = re.compile(r"^/\*(?! SPDX)(.*?)\*/", re.MULTILINE | re.DOTALL)
NAME = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)
HEADER = re.compile(r"guest/[\w/]+\.h")
VARIANT = re.compile(r"^ {2,}([\w<>-]+) {2,}(\S.*)$")
SENTENCE = re.compile(r"(?<=[a-z\d)`])\.(?= )")


def comment(source: str) -> str:
    """Return the first comment of a file, without its stars."""
    found = COMMENT.search(source)
    return re.sub(r"^ \* ?", "", found[1].strip("\n"), flags=re.MULTILINE) if found else ""


def comments(root: Path, source: str) -> list[str]:
    first = comment(source)
    return [first, *(comment((root / name).read_text()) for name in HEADER.findall(first))]


def names(source: str) -> list[str]:
    """Return the names of the benchmarks, or of the program, in a file."""
    return [bench or program for bench, program in NAME.findall(source)]


def meanings(text: str) -> dict[str, str]:
    """Return the lines on variants, each joined with its continuation."""
    found: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if begins := VARIANT.match(line):
            last = begins[1]
            found[last] = begins[2]
        elif last and line.startswith("   "):
            found[last] += f" {line.strip()}"
        else:
            last = ""
    return found


@cache
def said(root: Path = HOME) -> dict[str, tuple[str, dict[str, str]]]:
    """Return for each benchmark the first sentence on it, and the text on its variants."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for folder in ("bench", "programs"):
        for path in sorted((root / "guest" / folder).glob("*.c")):
            source = path.read_text()
            texts = comments(root, source)
            lines = {name: text for one in texts for name, text in meanings(one).items()}
            found |= {name: (sentence(" ".join(texts[0].split())), lines)
                      for name in names(source)}
    return found


def sentence(text: str) -> str:
    return SENTENCE.split(text, maxsplit=1)[0].rstrip(".:")


def window_of(bench: str, variant: str) -> str:
    """Return a window in words. A variant that is made of several (busy-handler, timer-eret) has
    the words of those."""
    first, lines = said().get(bench, ("", {}))
    known = [name for name in lines
             if re.fullmatch(rf"(.*-)?{pattern(name)}(-.*)?", variant)]
    exact = [name for name in known if name == variant] or [
        name for name in known if re.fullmatch(pattern(name), variant)]
    return "; ".join(sentence(lines[name]) for name in exact or known) or first


def pattern(name: str) -> str:
    return re.sub("<.*?>", ".+", name)
