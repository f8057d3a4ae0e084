# SPDX-License-Identifier: Apache-2.0
"""The words of the plan language: names, numbers and settings, and the messages for wrong ones.
Every vocabulary comes from the tables in abi/, so a message that lists the valid words is always
complete."""

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from hypbench import abi
from hypbench.renamed import current

QUOTE_MAX = 40  # characters of the plan that a message repeats at most
U32_MAX = (1 << 32) - 1
Fields = dict[str, int]


class PlanError(ValueError):
    """A mistake of a plan with its line, from 1. A mistake of the whole plan has the last line."""

    def __init__(self, line: int, message: str, file: str = ""):
        super().__init__(f"{file}:{line}: {message}" if file else f"plan line {line}: {message}")
        self.line, self.message = line, message


class Mistake(ValueError):
    """A mistake whose line is not known yet."""


def quoted(word: str) -> str:
    text = re.sub("[^!-~]", "?", word[:QUOTE_MAX])
    return f"'{text}...'" if len(word) > QUOTE_MAX else f"'{text}'"


def nearest(word: str, valid: Iterable[str]) -> str:
    """Return the valid word that is most like `word`, or like either side of its `=`; "" if no word
    is near."""
    by_case = {valid_word.lower(): valid_word for valid_word in valid}
    parts = (part.lower() for part in dict.fromkeys((word, *word.split("="))))
    close = (get_close_matches(part, by_case, 1) for part in parts)
    return next((by_case[matches[0]] for matches in close if matches), "")


def unknown(problem: str, word: str | None, valid: Collection[str]) -> Mistake:
    text = problem if word is None else f"{problem} {quoted(word)}"
    near = nearest(word or "", valid)
    return Mistake(f"{text}{near and f', nearest {quoted(near)}'}; valid: {' '.join(valid)}")


def missing(kind: str, name: str, valid: Collection[str]) -> Mistake:
    """Return the mistake for a name that needs a word of this kind: either the name is mistyped, or
    the word is missing after the name."""
    if nearest(name, valid):
        return unknown(f"unknown {kind}", name, valid)
    article = "an" if kind[0] in "aeiou" else "a"
    return unknown(f"{article} {kind} is missing after", name, valid)


def check_room(count: int, parts: str, limit: str) -> None:
    """Check that a plan with `count` parts has room for another one; `limit` is a constant of
    abi/."""
    most = abi.constant(limit)
    if count == most:
        raise Mistake(f"too many {parts}, at most {most}")


def to_u32(word: str) -> int:
    """Parse a decimal number, or a hexadecimal one after 0x; return -1 for another text or a number
    that is too large."""
    if not re.fullmatch("[0-9]+|0x[0-9a-f]+", word):
        return -1
    value = int(word, 16 if word.startswith("0x") else 10)
    return value if value <= U32_MAX else -1


def number(word: str, digits: str, least: int, most: int) -> int:
    value = to_u32(digits)
    if not least <= value <= most:
        raise Mistake(f"wrong number {quoted(word)}; valid: {least} to {most}")
    return value


def choice(words: list[str], valid: Collection[str]) -> int:
    if not words:
        raise unknown("a word is missing", None, valid)
    word = words.pop(0)
    if word not in valid:
        raise unknown("unknown word", word, valid)
    return list(valid).index(word)


def name_of(words: list[str]) -> str:
    if not words:
        raise Mistake("a name is missing")
    word = words.pop(0)
    most = abi.constant("PLAN_NAME_SIZE") - 1
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", word):
        raise Mistake(f"not a name (A-Z a-z 0-9 _ . -): {quoted(word)}")
    if len(word) > most:
        raise Mistake(f"name longer than {most} characters: {quoted(word)}")
    return word


def option_value(name: str, text: str, words: tuple[str, ...], valid: abi.Range) -> int:
    word = f"{name}={text}"
    if words:
        if text not in words:
            raise unknown("unknown value", word, words)
        return words.index(text)
    value = number(word, text, *valid)
    # A delay is a loop of two instructions, so an odd count would never end. Two more
    # instructions load the count at EL2.
    if name.startswith("delay") and (value % 2 or value == 2):
        raise Mistake(f"must be even, and not 2: {quoted(word)}")
    return value


def check_renamed(word: str) -> None:
    """Refuse an axis or a value by its old name."""
    axis, equals, value = word.partition("=")
    new_axis, new_value = current(axis, value)
    change = f"axis {axis} is now {new_axis}" if axis != new_axis else (
        f"value {value} of axis {axis} is now {new_value}")
    if (axis, value) != (new_axis, new_value):
        raise Mistake(f"{change}: {new_axis}{equals}{new_value}")


def settings(words: list[str], kind: str, valid: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each word name=value, then remove the words."""
    names = set()
    for word in words:
        name, equals, value = word.partition("=")
        if name not in valid:
            raise unknown(f"unknown {kind}", word, valid)
        if not equals:
            raise Mistake(f"not name=value: {quoted(word)}")
        if name in names:
            raise Mistake(f"said twice: {quoted(word)}")
        names.add(name)
        yield name, value
    words.clear()


def options(words: list[str], kind: str, valid: dict[str, tuple[str, ...]],
            ranges: dict[str, abi.Range]) -> Fields:
    return {name: option_value(name, value, valid[name], ranges.get(name, (0, 0)))
            for name, value in settings(words, kind, valid)}


def numbers(words: list[str], kind: str, table: str) -> Fields:
    ranges = abi.numbers(table)
    return abi.defaults(table) | options(words, kind, dict.fromkeys(ranges, ()), ranges)
