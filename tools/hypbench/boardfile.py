# SPDX-License-Identifier: Apache-2.0
"""Read every number of a board's files by its place: members of initialisers (gic.dist,
console[1]), macros by name, and the other numbers of the code.

The host tools take a board's addresses from here, and a test checks that every number is known. The
compiler's DWARF has the same numbers, but only for a board that is built, and no command that makes
or checks a plan needs a built board.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from hypbench.tree import with_parts

NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
TOKEN = re.compile(r"[{},]|[^{},]+")
# Upper-case words that are not macros with numbers.
ENUMERATORS = {"CORES_BOOT_ONLY", "CORES_SPIN_TABLE", "CORES_PSCI", "CORES_PEN", "CORES_TOGETHER",
               "NULL"}
# A smaller number in the code is a bit or a count, and not an address, a size or an SPI.
SMALL = 32


class Unreadable(Exception):
    """This reader cannot evaluate a number, which must be written more simply."""


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r'^#include.*$', "", text, flags=re.MULTILINE)
    return re.sub(r'"[^"]*"', '""', text).replace("\\\n", " ")


def value_of(expression: str, macros: dict[str, int]) -> int | None:
    """Return the value of an expression, or None for an expression without a number, such as a
    function's name."""
    decimal = NUMBER.sub(lambda match: str(int(match[1], 0)), expression.strip())
    words = WORD.findall(decimal)
    unknown = [word for word in words if word not in macros]
    if not NUMBER.search(decimal) and len(unknown) == len(words):
        if any(word.isupper() and word not in ENUMERATORS for word in words):
            raise Unreadable(expression)
        return None
    if unknown:
        raise Unreadable(expression)
    try:
        return int(eval(decimal.replace("/", "//"),  # pylint: disable=eval-used
                        {"__builtins__": {}}, macros))
    except (SyntaxError, TypeError) as error:
        raise Unreadable(expression) from error


def initialiser(tokens: list[str], path: str, macros: dict[str, int]) -> dict[str, int]:
    """Return the numbers from an opening brace, which is already consumed, to its closing brace."""
    numbers: dict[str, int] = {}
    index, name = 0, ""
    while True:
        token = tokens.pop(0).strip()
        if token in (",", "}"):
            if token == "}":
                return numbers
            index, name = index + 1, ""
        elif token == "{":
            numbers |= initialiser(tokens, name or f"{path}[{index}]", macros)
        elif token:
            member, equals, value = token.rpartition("=")
            if equals:
                name = f"{path}{member.strip()}".lstrip(".")
            number = value_of(value, macros) if value.strip() else None
            if number is not None:
                numbers[name or f"{path}[{index}]"] = number


def numbers_of(text: str, definitions: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
    """Return the numbers of a board.c, including those that the Makefile defines."""
    text = without_comments(text)
    numbers = dict(definitions)
    for name, expression in re.findall(r"^#define[ \t]+(\w+)[ \t]+(.+)$", text, re.MULTILINE):
        number = value_of(expression, numbers)
        if number is not None:
            numbers[name] = number
    text = re.sub(r"^#define[ \t]+\w+[ \t]+.+$", "", text, flags=re.MULTILINE)
    macros = dict(numbers)
    while start := re.search(r"(\w+)\s*=\s*\{", text):
        tokens = TOKEN.findall(text[start.end():])
        # The paths of members leave out the name of this struct, which every board has.
        path = "" if start[1] == "board" else start[1]
        numbers |= initialiser(tokens, path, macros)
        text = text[:start.start()] + "".join(tokens)
    for literal in NUMBER.findall(text):
        if int(literal, 0) >= SMALL:
            numbers[f"code {literal}"] = int(literal, 0)
    return numbers


def board_numbers(folder: Path) -> dict[str, int]:
    """Return the numbers of board.c and of the assignments in board.mk."""
    assignments = re.findall(r"^(\w+)\s*:=\s*(0x[0-9a-fA-F]+)\s*$", with_parts(folder / "board.mk"),
                            re.MULTILINE)
    return numbers_of(with_parts(folder / "board.c"),
                      {name: int(value, 16) for name, value in assignments})
