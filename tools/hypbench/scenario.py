# SPDX-License-Identifier: Apache-2.0
"""Read a scenario, a TOML file of scenarios/ (docs/scenarios.md), into a Plan. The reader collects
every mistake of a file.

Reading needs the standard library alone, because an image is built before the host tools'
environment exists. Commands also check a scenario against the schema.
"""

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any

from hypbench import abi
from hypbench.plan_language import Parser
from hypbench.plan_machine import Board
from hypbench.plan_model import Place, Plan, words_of
from hypbench.plan_vms import BENCH, check_guest, make_vm, mark_neighbours
from hypbench.plan_words import Mistake, name_of, nearest, quoted, unknown
from hypbench.scenario_places import line_of, places

Table = dict[str, Any]
Validate = Callable[[Table], Iterable[tuple[Place, str]]]
AXIS_OF = {"load": "beside", "policy": "sched"}  # keys of a matrix that are not the name of an axis
VICTIM, FROM, VARIANT = "victim", "from", "variant"
PREFIXES = ("load_", "active_", "mem_")  # a configuration's name has the values without these
TOML_LINE = r" (at line "


class ScenarioError(ValueError):
    """Every mistake of a scenario, each with its line and its message."""

    def __init__(self, file: str, mistakes: Iterable[tuple[int, str]]):
        self.mistakes = sorted(dict.fromkeys(mistakes))
        super().__init__("\n".join(f"{file}:{line}: {text}" for line, text in self.mistakes))


class Reader(Parser):
    """Turn the tables of a scenario into the statements of a plan. Messages name `file`."""

    def __init__(self, text: str, file: str, benches: Collection[str] | None, board: Board | None):
        super().__init__(benches, board)
        self.file, self.mistakes = file, list[tuple[int, str]]()
        self.document = self.read(text)
        self.places = places(text)
        self.tables: Table = {}  # the selected scenario of the document
        self.config_lines: dict[str, int] = {}
        self.wrong: list[Place] = []  # keys that the schema does not allow

    def read(self, text: str) -> Table:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message, _, where = str(error).partition(TOML_LINE)
            digits = where.split(",")[0].rstrip(")")
            line = int(digits) if digits.isdigit() else max(1, text.rstrip().count("\n") + 1)
            raise ScenarioError(self.file, [(line, f"no TOML: {message}")]) from error

    def refuse(self, line: int, message: str) -> None:
        self.mistakes.append((line, message))

    def stop_if_wrong(self) -> None:
        if self.mistakes:
            raise ScenarioError(self.file, self.mistakes)

    def check(self, validate: Validate) -> None:
        for path, message in validate(self.document):
            self.wrong.append(path)
            self.refuse(line_of(self.places, path), message)

    def choose(self, name: str) -> None:
        """Select the variant `name`, or the scenario of the file if no variant has that name."""
        variant = self.document.get(VARIANT, {}).get(name)
        common = {key: value for key, value in self.document.items() if key != VARIANT}
        self.tables = common | (variant or {})
        self.prefix: dict[str, Place] = dict.fromkeys(variant or {}, (VARIANT, name))

    def place(self, key: str, *more: str | int) -> Place:
        return (*self.prefix.get(key, ()), key, *more)

    def attempt(self, place: Place, take: Callable[..., None], *parts: Any) -> None:
        """Take a part of the scenario and keep its mistake. Skip a part in which the schema has
        already found a mistake."""
        if any(place == path[:len(place)] for path in self.wrong):
            return
        self.line = line_of(self.places, place)
        try:
            take(*parts)
        except Mistake as mistake:
            self.refuse(self.line, str(mistake))

    def take_all(self, name: str) -> Plan:
        tables = self.tables
        self.attempt(("title",), self.name, [name])
        if "order" in tables:
            self.attempt(self.place("order"), self.order, [tables["order"]])
        if "limit_ms" in tables:
            self.attempt(self.place("limit_ms"), self.limit_ms, [str(tables["limit_ms"])])
        self.take_configs()
        for number, bench in enumerate(self.entries("bench")):
            self.attempt(self.place("bench", number), self.take_bench, bench)
        for key, take in (("guest", self.take_guest), ("vm", self.take_vm),
                          ("link", self.take_link)):
            for label, table in self.named_tables(key):
                self.attempt(self.place(key, label), take, label, table)
        for number, event in enumerate(self.entries("event")):
            self.attempt(self.place("event", number), self.take_event, event)
        self.stop_if_wrong()
        self.attempt((), self.finish)
        self.stop_if_wrong()
        self.plan.file = self.file
        return self.plan

    def entries(self, key: str) -> list[Table]:
        value = self.tables.get(key, [])
        return ([entry for entry in value if isinstance(entry, dict)]
                if isinstance(value, list) else [])

    def named_tables(self, key: str) -> Iterator[tuple[str, Table]]:
        value = self.tables.get(key, {})
        return ((name, table) for name, table in (value.items() if isinstance(value, dict) else ())
                if isinstance(table, dict))

    # --- configurations ---

    def take_configs(self) -> None:
        known = {**self.document.get("config", {}), **self.tables.get("config", {})}
        matrices = self.tables.get("matrix", [])
        several = isinstance(matrices, list)
        matrices = matrices if several else [matrices]
        victims = {name for matrix in matrices if isinstance(matrix, dict)
                   for _, name in parts_of(VICTIM, matrix.get(VICTIM, []))}
        for name, table in self.named_tables("config"):
            place = self.place("config", name)
            if name not in victims:
                self.attempt(place, self.take_config, place, name, known, table | {})
            else:
                self.attempt(place, self.check_victim, name, known)
        for number, matrix in enumerate(matrices):
            place = self.place("matrix", *([number] if several else []))
            self.attempt(place, self.take_matrix, place, known, matrix)

    def take_config(self, place: Place, name: str, known: Table, table: Table) -> None:
        base = table.pop(FROM, name)
        self.line = line_of(self.places, (*place, FROM))
        preset, settings = self.settings(base, known | {name: {}} if base == name else known)
        self.add_config(place, name, preset, settings | table)

    def check_victim(self, name: str, known: Table) -> None:
        self.settings(name, known)

    def add_config(self, place: Place, name: str, preset: str, settings: Table) -> None:
        name_of([name])
        self.config([name, preset, *spelled(settings)])
        self.config_lines[name] = line_of(self.places, place)

    def settings(self, name: str, known: Table, inside: tuple[str, ...] = ()) -> tuple[str, Table]:
        """Return the preset and the settings of a configuration, with all inherited settings.
        `inside`: the configurations that inherit from this configuration."""
        presets = abi.presets()
        table = dict(known.get(name, {}))
        base = table.pop(FROM, "")
        if name in inside:
            raise Mistake(f"config {quoted(name)} inherits from itself")
        if base and base != name:
            preset, settings = self.settings(base, known, (*inside, name))
        elif name in presets:
            preset, settings = name, {}
        elif name in known:
            near = nearest(name, presets)
            raise Mistake(f"config {quoted(name)} has no from{near and f', nearest {near!r}'};"
                          f" valid: {' '.join(presets | known)}")
        else:
            raise unknown("no config or preset", name, list(presets | known))
        return preset, settings | table

    def take_matrix(self, place: Place, known: Table, matrix: Table) -> None:
        """Make the configurations of a matrix. The lists are nested in the order of the keys. The
        parts of a name have the same order."""
        if VICTIM not in matrix:
            raise Mistake(f"the key {quoted(VICTIM)} is missing")
        for combination in product(*(parts_of(key, values) for key, values in matrix.items())):
            chosen = dict(zip(matrix, combination))
            name = "-".join(part for part, _ in combination if part)
            preset, settings = self.settings(chosen.pop(VICTIM)[1], known)
            more = {AXIS_OF.get(key, key): value for key, (_, value) in chosen.items()}
            self.add_config(place, name, preset, settings | more)

    # --- VMs, links, events ---

    def take_bench(self, bench: Table) -> None:
        more = {key: value for key, value in bench.items() if key != "name"}
        self.bench([bench["name"], *spelled(more)])

    def take_guest(self, name: str, table: Table) -> None:
        fields = dict(table)
        loads = fields.pop("load", [])
        recipe = [f"recipe={fields.pop('recipe')}"] if "recipe" in fields else []
        self.guest([name, *recipe, *spelled(fields)])
        for load in loads:
            self.load(spelled(load))
        check_guest(self.plan.guests[name])

    def take_vm(self, name: str, table: Table) -> None:
        """Take a VM. A mistake of the VM is reported only if its guest has none."""
        self.vm([name, *spelled(table)])
        image = table.get("image", name)
        if image in self.plan.guests or image not in self.tables.get("guest", {}):
            make_vm(name, self.vms[name][1], self.plan.guests)

    def take_link(self, name: str, table: Table) -> None:
        self.link([name, *spelled(table)])

    def take_event(self, event: Table) -> None:
        if ("at_us" in event) == ("on" in event):
            raise Mistake("an event has at_us, or on and end")
        if "on" in event:
            end = event.get("end")
            self.on([event["on"], *([end] if end else []), event["do"], event["vm"]])
        else:
            self.at([str(event["at_us"]), event["do"], event["vm"]])

    def make_vms(self) -> None:
        """Make the VMs. A scenario without VMs has only the measured VM."""
        plan = self.plan
        if not self.vms:
            names = list(plan.guests) or [BENCH]
            plan.vms = {names[0]: make_vm(names[0], {}, plan.guests)}
        for name, (_, settings) in self.vms.items():
            plan.vms[name] = make_vm(name, settings, plan.guests)
        mark_neighbours(plan.vms, plan.guests, map(words_of, plan.configs.values()))

    def lines(self) -> dict[Place, int]:
        return super().lines() | {("config", name): line
                                  for name, line in self.config_lines.items()}


def spelled(table: Table) -> list[str]:
    """Return the settings of a table as words name=value."""
    return [f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
            for key, value in table.items()]


def parts_of(key: str, values: Any) -> list[tuple[str, Any]]:
    """Return each value of a matrix' list with its part of a configuration's name."""
    if isinstance(values, dict):
        return list(values.items())
    if not isinstance(values, list):
        return [("", values)]
    return [(short(key, value), value) for value in values]


def short(key: str, value: Any) -> str:
    """Return the word for a value in a name; "" for the axis' first value, which is its default."""
    axis = AXIS_OF.get(key, key)
    default = (abi.axes().get(axis) or ("",))[0]
    if value == default or axis in abi.numbers("CONFIG_NUMBERS") and not value:
        return ""
    for prefix in PREFIXES:
        value = str(value).removeprefix(prefix)
    return axis if value == "on" else value


@cache
def names_in(text: str, stem: str) -> tuple[str, ...]:
    """Return the words that select the scenarios of a file."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return (stem,)
    variants = document.get(VARIANT, {})
    return (stem, *variants) if isinstance(variants, dict) else (stem,)


def heading(text: str, name: str) -> Table:
    """Return the title, the question and the needs of a scenario. A variant without a question has
    the question of its file."""
    document = tomllib.loads(text)
    return document | document.get(VARIANT, {}).get(name, {})


def read(text: str, name: str, file: str = "", validate: Validate | None = None,
         benches: Collection[str] | None = None, board: Board | None = None) -> Plan:
    """Return the scenario of a file that the word `name` selects, or raise ScenarioError."""
    reader = Reader(text, file or f"{name}.toml", benches, board)
    if validate:
        reader.check(validate)
    reader.choose(name)
    return reader.take_all(name)
