# SPDX-License-Identifier: Apache-2.0
"""Tables and constants of abi/, read from the headers that the hypervisor is built from. This
module needs only the standard library, because the build compiles the default plan before there is
a Python environment."""

import re
from functools import cache

from hypbench.home import HOME

ABI = HOME / "abi"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ENUM = re.compile(r"enum \w+ \{([^}(]*)\}")
Range = tuple[int, int]


@cache
def source() -> str:
    names = ("run_config.h", "plan.h", "virt.h", "link.h", "virtio_net.h", "hypercall.h")
    text = "".join((ABI / name).read_text() for name in names)
    return COMMENT.sub("", text)


@cache
def table(name: str) -> list[list[str]]:
    """Return the entries of an X-macro table: the arguments of each X(…)."""
    body = find_match(rf"#define {name}\(X\)((?:.*\\\n)*.*)")[1]
    body = re.sub(r'"\s*\\\n\s*"', "", body)  # joins the string literals of an expression
    return [[word.strip().strip('"') for word in entry.split(",")]
            for entry in re.findall(r"X\(([^)]*)\)", body)]


@cache
def constant(name: str) -> int:
    return number(find_match(rf"^#define {name} (\w+)")[1])


@cache
def string(name: str) -> str:
    return find_match(rf'^#define {name} "(.*)"')[1]


def find_match(pattern: str) -> re.Match[str]:
    match = re.search(pattern, source(), re.MULTILINE)
    if not match:
        raise KeyError(f"abi/ has nothing that matches {pattern}")
    return match


def number(text: str) -> int:
    return int(text.rstrip("u"), 0)


@cache
def enumerators() -> dict[str, int]:
    """Return each constant of the enums in the text, with its value."""
    return {name.strip(): value for names in ENUM.findall(source())
            for value, name in enumerate(names.rstrip(", \t\n").split(","))}


@cache
def axes() -> dict[str, tuple[str, ...]]:
    """Return every axis with its values in their order; a numeric axis has no values."""
    return ({axis: tuple(words.split()) for axis, words in table("CONFIG_AXES")}
            | dict.fromkeys(numbers("CONFIG_NUMBERS"), ()))


@cache
def presets() -> dict[str, dict[str, int]]:
    """Return each preset with the value of every axis."""
    return {name: dict.fromkeys(axes(), 0) | dict(map(setting, settings))
            for name, *settings in table("CONFIG_PRESETS")}


def setting(text: str) -> tuple[str, int]:
    """Return the axis and the value of a designated initialiser such as .stage2 = STAGE2_2M."""
    axis, _, value = text.removeprefix(".").partition(" = ")
    return axis, enumerators()[value] if value in enumerators() else number(value)


@cache
def numbers(name: str) -> dict[str, Range]:
    """Return the least and the greatest value of each field, from X(field, …, max)."""
    return {field: (number(arguments[-2]) if arguments[1:] else 0, number(arguments[-1]))
            for field, *arguments in table(name)}


@cache
def defaults(name: str) -> dict[str, int]:
    """Return the default of each field, from X(field, default, min, max)."""
    return {entry[0]: number(entry[1]) for entry in table(name)}
