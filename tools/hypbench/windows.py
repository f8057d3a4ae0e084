# SPDX-License-Identifier: Apache-2.0
"""Describe the windows of the benchmarks. The text is from the comment at the beginning of a
benchmark's file, and from the comments of the guest's headers that this comment names."""

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
    """Return the first comment of a file, without the stars of its lines."""
    match = COMMENT.search(source)
    return re.sub(r"^ \* ?", "", match[1].strip("\n"), flags=re.MULTILINE) if match else ""


def comments(root: Path, source: str) -> list[str]:
    first = comment(source)
    return [first, *(comment((root / name).read_text()) for name in HEADER.findall(first))]


def names(source: str) -> list[str]:
    """Return the names of the benchmarks, or of the program, in a file."""
    return [bench or program for bench, program in NAME.findall(source)]


def meanings(text: str) -> dict[str, str]:
    """Return the texts of a comment on variants, each joined from its lines, by the variant."""
    variants: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if match := VARIANT.match(line):
            last = match[1]
            variants[last] = match[2]
        elif last and line.startswith("   "):
            variants[last] += f" {line.strip()}"
        else:
            last = ""
    return variants


@cache
def benchmark_texts(root: Path = HOME) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the first sentence on each benchmark, and the texts on its variants."""
    benches: dict[str, tuple[str, dict[str, str]]] = {}
    for folder in ("bench", "programs"):
        for path in sorted((root / "guest" / folder).glob("*.c")):
            source = path.read_text()
            texts = comments(root, source)
            lines = {name: text for part in texts for name, text in meanings(part).items()}
            benches |= {name: (sentence(" ".join(texts[0].split())), lines)
                        for name in names(source)}
    return benches


def sentence(text: str) -> str:
    return SENTENCE.split(text, maxsplit=1)[0].rstrip(".:")


def window_of(bench: str, variant: str) -> str:
    """Return the words on a window. If the name of a variant has the names of several variants
    (busy-handler, timer-eret), it has the words on each."""
    first, lines = benchmark_texts().get(bench, ("", {}))
    matches = [name for name in lines
               if re.fullmatch(rf"(.*-)?{pattern(name)}(-.*)?", variant)]
    exact = [name for name in matches if name == variant] or [
        name for name in matches if re.fullmatch(pattern(name), variant)]
    return "; ".join(sentence(lines[name]) for name in exact or matches) or first


def pattern(name: str) -> str:
    return re.sub("<.*?>", ".+", name)
