# SPDX-License-Identifier: Apache-2.0
"""Find the line of each key of a TOML text. The standard library's reader does not keep lines."""

import re
from dataclasses import dataclass, field

from hypbench.plan_model import Place

WORD = r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'"""
KEY = rf"(?:{WORD})(?:\s*\.\s*(?:{WORD}))*"
HEADER = re.compile(rf"\s*(\[\[?)\s*({KEY})\s*\]\]?")
SETTING = re.compile(rf"\s*({KEY})\s*=\s*(.*)")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#.*')
LONG_STRINGS = ('"""', "'''")


@dataclass
class Places:
    """The line of each key of a text that tomllib has read without an error."""

    lines: dict[Place, int] = field(default_factory=dict)
    table: Place = ()  # the table of the last header
    array: Place = ()  # the array whose elements follow
    count: int = 0  # number of elements of that array so far
    depth: int = 0  # number of open brackets
    long_string: str = ""  # the quotes that end an open string of several lines
    # number of tables of each [[array]] so far
    tables: dict[Place, int] = field(default_factory=dict)

    def take(self, number: int, line: str) -> None:
        if self.long_string:
            if self.long_string in line:
                self.long_string = ""
            return
        if self.depth:
            self.element(number, line)
        elif match := HEADER.match(line):
            self.header(number, match[1] == "[[", words(match[2]))
            return
        elif match := SETTING.match(line):
            self.setting(number, words(match[1]), match[2])
        code = STRING.sub("", line)
        self.depth += (sum(code.count(bracket) for bracket in "[{")
                       - sum(code.count(bracket) for bracket in "]}"))

    def header(self, number: int, array: bool, path: Place) -> None:
        for end in range(1, len(path)):  # a path through an array leads through its last element
            if path[:end] in self.tables:
                path = (*path[:end], self.tables[path[:end]] - 1, *path[end:])
        if array:
            self.lines.setdefault(path, number)
            index = self.tables.get(path, 0)
            self.tables[path] = index + 1
            path = (*path, index)
        self.table = path
        self.lines.setdefault(path, number)

    def setting(self, number: int, key: Place, value: str) -> None:
        path = (*self.table, *key)
        self.lines.setdefault(path, number)
        self.array, self.count = path, 0
        for quotes in LONG_STRINGS:
            if value.startswith(quotes) and quotes not in value.removeprefix(quotes):
                self.long_string = quotes

    def element(self, number: int, line: str) -> None:
        """Note the line of a table in braces that is an element of an array of several lines."""
        if self.depth == 1 and line.lstrip().startswith("{"):
            self.lines.setdefault((*self.array, self.count), number)
            self.count += 1


def words(key: str) -> Place:
    return tuple(word.strip("\"'") for word in re.findall(WORD, key))


def places(text: str) -> dict[Place, int]:
    reader = Places()
    for number, line in enumerate(text.splitlines(), 1):
        reader.take(number, line)
    return reader.lines


def line_of(lines: dict[Place, int], path: Place) -> int:
    """Return the line of a key, or of the innermost table around the key whose line is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
