# SPDX-License-Identifier: Apache-2.0
"""The plan language (docs/plans.md): from text to a Plan, and back. A line is words between blanks;
the first word is the statement. Every vocabulary comes from the tables in abi/, so a message that
lists the valid words is always complete."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from hypbench import abi
from hypbench.renamed import current

LIMIT_MS_DEFAULT = 20_000
LIMIT_MS_MAX = 14_400_000
QUOTE_MAX = 40  # at most this much of what the plan says is repeated in a message
SPACE_END = 1 << 32  # of the intermediate physical addresses
RAM_GRAIN = 0x200000
LOAD_GRAIN = 0x1000
U32_MAX = (1 << 32) - 1
BLANKS = " \t\r"

ORDERS = [word for _, word in abi.table("PLAN_ORDERS")]
PLATFORMS = [word for _, word in abi.table("PLATFORMS")]
Fields = dict[str, int]


class PlanError(ValueError):
    """The first mistake of a plan, and its line, from 1; of the plan as a whole, the last line."""

    def __init__(self, line: int, message: str):
        super().__init__(f"plan line {line}: {message}")
        self.line, self.message = line, message


class Mistake(ValueError):
    """The same, where the line is not known yet."""


@dataclass
class Plan:
    name: str = ""
    platform: int = 0
    machine: str = ""
    order: int = ORDERS.index("abba")
    limit_ms: int = LIMIT_MS_DEFAULT
    configs: dict[str, Fields] = field(default_factory=dict)  # by name: every axis, by index
    benches: list[tuple[str, Fields]] = field(default_factory=list)
    guest: Fields = field(default_factory=dict)  # empty: benchmarks
    loads: list[Fields] = field(default_factory=list)

    def in_ram(self, ipa: int) -> bool:
        return self.guest["ram"] <= ipa < self.ram_end

    @property
    def ram_end(self) -> int:
        return self.guest["ram"] + (self.guest["ram_mib"] << 20)


def quoted(word: str) -> str:
    shown = re.sub("[^!-~]", "?", word[:QUOTE_MAX])
    return f"'{shown}...'" if len(word) > QUOTE_MAX else f"'{shown}'"


def unknown(what: str, word: str | None, valid: Iterable[str]) -> Mistake:
    shown = what if word is None else f"{what} {quoted(word)}"
    return Mistake(f"{shown}; valid: {' '.join(valid)}")


def to_u32(word: str) -> int:
    """Decimal, or hexadecimal after 0x; -1: neither, or too large."""
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


def option_value(name: str, word: str, said: str, words: tuple[str, ...],
                 valid: abi.Range | None) -> int:
    if words:
        if said not in words:
            raise unknown("unknown value", word, words)
        return words.index(said)
    value = number(word, said, *valid)
    # Loops of two instructions make the delays, so an odd count would never end; at EL2 two more
    # load the count.
    if name.startswith("delay") and (value % 2 or value == 2):
        raise Mistake(f"must be even, and not 2: {quoted(word)}")
    return value


def check_renamed(word: str) -> None:
    """Refuse an axis or a value by its old name."""
    axis, equals, value = word.partition("=")
    new_axis, new_value = current(axis, value)
    what = f"axis {axis} is now {new_axis}" if axis != new_axis else (
        f"value {value} of axis {axis} is now {new_value}")
    if (axis, value) != (new_axis, new_value):
        raise Mistake(f"{what}: {new_axis}{equals}{new_value}")


def options(words: list[str], kind: str, valid: dict[str, tuple[str, ...]],
            ranges: dict[str, abi.Range]) -> Fields:
    """The rest of a line: words like name=value."""
    found = {}
    for word in words:
        name, equals, said = word.partition("=")
        if name not in valid:
            raise unknown(f"unknown {kind}", word, valid)
        if not equals:
            raise Mistake(f"not name=value: {quoted(word)}")
        if name in found:
            raise Mistake(f"said twice: {quoted(word)}")
        found[name] = option_value(name, word, said, valid[name], ranges.get(name))
    words.clear()
    return found


def numbers(words: list[str], kind: str, table: str) -> Fields:
    ranges = abi.numbers(table)
    return abi.defaults(table) | options(words, kind, dict.fromkeys(ranges, ()), ranges)


def check_config(name: str, config: Fields) -> None:
    """Values that each mean something, but not together."""
    said = {axis: words[config[axis]] for axis, words in abi.axes().items() if words}
    off = said["stage2"] == "off"
    trapped = said["irq"] == "trapped"
    accounts = "on" in (said["stats"], said["trace"])
    probes = said["probes"] == "on"
    wrong = [
        # Without stage 2 the guest would reach the real distributor, the hypervisor's own.
        (off and trapped, "irq=trapped needs stage 2: stage2=off in config"),
        (off and said["fill"] == "lazy", "fill=lazy needs stage 2: stage2=off in config"),
        (said["lr_sync"] == "full" and (not trapped or probes or accounts),
         "lr_sync=full needs irq=trapped, and goes without probes, stats and trace: config"),
        # Vector tables have the ones or the others.
        (probes and accounts, "probes=on goes without stats=on and trace=on: config"),
        (said["events"] != "off" and said["cycles"] == "off",
         "events are counted beside cycles: cycles=off in config"),
        # An interrupt that goes straight to EL1 would go to whichever VM has the core.
        (said["sched"] != "null" and not trapped,
         "a second VM (sched) needs irq=trapped: irq=direct in config"),
        # What the hypervisor's timer is to signal for CNTP it must inject.
        (said["cntp"] == "emulated" and not trapped,
         "cntp=emulated needs irq=trapped: irq=direct in config")]
    for message in (message for fault, message in wrong if fault):
        raise Mistake(f"{message} {quoted(name)}")


def config_of(words: list[str]) -> tuple[str, Fields]:
    """What follows `config`: a name, a preset unless the name is one, and settings."""
    name = name_of(words)
    presets = abi.presets()
    said = words.pop(0) if words and "=" not in words[0] else ""
    if said and said not in presets:
        raise unknown("unknown preset", said, presets)
    if not said and name not in presets:
        raise unknown("a preset is missing behind", name, presets)
    for word in words:
        check_renamed(word)
    config = presets[said or name] | options(words, "axis", abi.axes(),
                                             abi.numbers("CONFIG_NUMBERS"))
    check_config(name, config)
    return name, config


def overlap(one: Fields, other: Fields) -> bool:
    return (one["ipa"] < other["ipa"] + other["size"]
            and other["ipa"] < one["ipa"] + one["size"])


def check_place(plan: Plan, load: Fields) -> None:
    """In the guest's RAM as a whole, or wholly outside; that is mapped, in pages."""
    end = load["ipa"] + load["size"]
    ram = {"ipa": plan.guest["ram"], "size": plan.guest["ram_mib"] << 20}
    if end > SPACE_END:
        raise Mistake("the load ends above 4 GiB")
    if plan.in_ram(load["ipa"]):
        if end > plan.ram_end:
            raise Mistake("the load ends behind the guest's RAM")
    elif overlap(load, ram):
        raise Mistake("the load reaches into the guest's RAM")
    elif load["ipa"] % LOAD_GRAIN:
        raise Mistake("ipa of a load outside of RAM is not a multiple of 4 KiB")


def check_load(plan: Plan, load: Fields) -> None:
    if not load["size"]:
        raise Mistake("a load's size is missing")
    if load["store"] % LOAD_GRAIN:
        raise Mistake("store is not a multiple of 4 KiB")
    check_place(plan, load)
    if any(overlap(load, other) for other in plan.loads):
        raise Mistake("the load overlaps another")


def check_guest(plan: Plan) -> None:
    """What needs the whole plan."""
    guest = plan.guest
    if not plan.loads:
        raise Mistake("the guest has no load line")

    def is_there(ipa: int) -> bool:
        return plan.in_ram(ipa) or any(0 <= ipa - load["ipa"] < load["size"]
                                       for load in plan.loads)
    if guest["entry"] % 4 or not is_there(guest["entry"]):
        raise Mistake("entry is not in the guest's RAM or a load, or not aligned")
    if guest["dtb"] and not is_there(guest["dtb"]):
        raise Mistake("dtb is not in the guest's RAM or a load")
    for name, config in plan.configs.items():
        if config["probes"]:
            raise Mistake(f"probes=on is for benchmarks: config {quoted(name)}")
        if config["sched"]:
            raise Mistake(f"a second VM (sched) is for benchmarks: config {quoted(name)}")


class Parser:
    """A method a statement: it takes its words off the line."""

    def __init__(self, benches: Collection[str] | None):
        self.plan = Plan()
        self.benches = benches  # those that exist; None: not known
        self.line = 1
        self.guest_line = 0  # where the guest was said; 0: not yet
        self.unlimited_line = 0  # limit_ms 0

    def name(self, words: list[str]) -> None:
        self.plan.name = name_of(words)

    def platform(self, words: list[str]) -> None:
        self.plan.platform = choice(words, PLATFORMS)

    def order(self, words: list[str]) -> None:
        self.plan.order = choice(words, ORDERS)

    def limit_ms(self, words: list[str]) -> None:
        word = words.pop(0) if words else ""
        value = to_u32(word)
        if not 0 <= value <= LIMIT_MS_MAX:
            raise Mistake(f"wrong number {quoted(word)}; valid: 1 to {LIMIT_MS_MAX}")
        self.plan.limit_ms = value
        self.unlimited_line = 0 if value else self.line

    def machine(self, text: str) -> None:
        """The rest of the line, for people and for comparisons."""
        most = abi.constant("PLAN_MACHINE_SIZE") - 1
        if len(text) > most:
            raise Mistake(f"machine is longer than {most} characters")
        self.plan.machine = text

    def config(self, words: list[str]) -> None:
        most = abi.constant("PLAN_CONFIG_MAX")
        if len(self.plan.configs) == most:
            raise Mistake(f"too many configs, at most {most}")
        if words[:1] and words[0] in self.plan.configs:
            raise Mistake(f"there is already a config {quoted(words[0])}")
        name, config = config_of(words)
        self.plan.configs[name] = config

    def bench(self, words: list[str]) -> None:
        most = abi.constant("PLAN_BENCH_MAX")
        if self.guest_line:
            raise Mistake("a plan has bench lines or a guest, not both")
        if len(self.plan.benches) == most:
            raise Mistake(f"too many benches, at most {most}")
        name = name_of(words)
        if self.benches is not None and name not in self.benches:
            raise unknown("no benchmark", name, self.benches)
        self.plan.benches.append((name, numbers(words, "parameter", "BENCH_PARAMS")))

    def guest(self, words: list[str]) -> None:
        if self.guest_line:
            raise Mistake("there is already a guest")
        if self.plan.benches:
            raise Mistake("a plan has bench lines or a guest, not both")
        self.guest_line = self.line
        self.plan.guest = numbers(words, "field", "PLAN_GUEST_FIELDS")
        if self.plan.guest["ram"] % RAM_GRAIN:
            raise Mistake("ram is not a multiple of 2 MiB")
        if self.plan.ram_end > SPACE_END:
            raise Mistake("the RAM ends above 4 GiB")

    def load(self, words: list[str]) -> None:
        most = abi.constant("PLAN_LOAD_MAX")
        if not self.guest_line:
            raise Mistake("a load needs a guest line before it")
        if len(self.plan.loads) == most:
            raise Mistake(f"too many loads, at most {most}")
        load = numbers(words, "field", "PLAN_LOAD_FIELDS")
        check_load(self.plan, load)
        self.plan.loads.append(load)

    STATEMENTS = {"name": name, "platform": platform, "machine": machine, "order": order,
                  "limit_ms": limit_ms, "config": config, "bench": bench, "guest": guest,
                  "load": load}

    def take(self, line: str) -> None:
        if re.search(r"[^\t\r -~]", line):
            raise Mistake("characters that are not printable ASCII")
        line = line.partition("#")[0]
        words = line.split()
        if not words:
            return
        if words[0] == "machine":
            self.machine(line.lstrip(BLANKS).removeprefix("machine").lstrip(BLANKS))
            return
        choice(words[:1], self.STATEMENTS)
        self.STATEMENTS[words.pop(0)](self, words)
        if words:
            raise Mistake(f"one word too many: {quoted(words[0])}")

    def finish(self) -> None:
        plan = self.plan
        if not plan.configs:
            raise Mistake("the plan has no config line")
        if self.guest_line:
            self.line = self.guest_line
            check_guest(plan)
            plan.order = ORDERS.index("once")  # nothing to compare
        elif not plan.benches:
            raise Mistake("the plan has no bench line")
        elif self.unlimited_line:
            self.line = self.unlimited_line
            raise Mistake("limit_ms 0 is for a guest, not for benchmarks")


def parse(text: str, more: Iterable[str] = (), benches: Collection[str] | None = None) -> Plan:
    """A plan, or PlanError. `more` are lines of the host tool's own; `benches`: the benchmarks
    there are, where only these may be named."""
    parser = Parser(benches)
    try:
        for parser.line, line in enumerate(text.removesuffix("\n").split("\n"), 1):
            parser.take(line)
        for line in more:
            parser.take(line)
        parser.finish()
    except Mistake as mistake:
        raise PlanError(parser.line, str(mistake)) from mistake
    return parser.plan


def shown(value: Fields, default: Fields) -> str:
    """The settings that differ, as the language has them."""
    def word(name: str) -> str:
        words = abi.axes().get(name, ())
        return words[value[name]] if words else str(value[name])
    return "".join(f" {name}={word(name)}" for name in value if value[name] != default.get(name))


def config_line(name: str, config: Fields) -> str:
    """From the preset of that name, or else the nearest."""
    presets = abi.presets()
    preset = name if name in presets else min(
        presets, key=lambda one: len(config.items() - presets[one].items()))
    said = "" if name == preset else f" {preset}"
    return f"config {name}{said}{shown(config, presets[preset])}"


def numbers_of(said: Fields) -> str:
    """Addresses and sizes in bytes are hexadecimal."""
    return "".join(f" {name}={value if name in ('cpus', 'ram_mib') else hex(value)}"
                   for name, value in said.items())


def text_of(plan: Plan) -> str:
    """A text that means this plan; what is as by default is left out."""
    params = abi.defaults("BENCH_PARAMS")
    lines = [f"name {plan.name}"] if plan.name else []
    lines.append(f"order {ORDERS[plan.order]}")
    if plan.limit_ms != LIMIT_MS_DEFAULT:
        lines.append(f"limit_ms {plan.limit_ms}")
    lines += [config_line(name, config) for name, config in plan.configs.items()]
    lines += [f"bench {name}{shown(said, params)}" for name, said in plan.benches]
    if plan.guest:
        lines += [f"guest{numbers_of(plan.guest)}",
                  *(f"load{numbers_of(load)}" for load in plan.loads)]
    lines.append(f"platform {PLATFORMS[plan.platform]}")
    if plan.machine:
        lines.append(f"machine {plan.machine}")
    return "\n".join([*lines, ""])
