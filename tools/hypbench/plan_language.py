# SPDX-License-Identifier: Apache-2.0
"""The line language of plans. `hypbench convert` turns a file in this language into a scenario
(docs/scenarios.md), and tests write plans in this language. A line has words between blanks, and
the first word names the statement. A scenario has the same statements in the form of TOML."""

import re
from collections.abc import Callable, Collection

from hypbench import abi
from hypbench.plan_checks import Checks
from hypbench.plan_machine import Board
from hypbench.plan_model import (LIMIT_MS_DEFAULT, LIMIT_MS_MAX, ORDERS, PLATFORMS, Place, Plan,
                                 config_of, words_of_configs)
from hypbench.plan_vms import (Event, Link, add_load, check_guest, event_of, guest_lines, guest_of,
                               link_line, link_of, make_vm, mark_neighbours, on_of, usual_links,
                               usual_vms, vm_line, vm_of)
from hypbench.plan_words import (Fields, Mistake, PlanError, check_room, choice, name_of, numbers,
                                 quoted, to_u32, unknown)

BLANKS = " \t\r"


class Parser:
    """A parser with a method for each statement. The method gets the words after the statement's
    name. {NAME} in a docstring stands for a constant of abi/."""

    def __init__(self, benches: Collection[str] | None, board: Board | None):
        self.plan = Plan()
        self.board = board  # None if unknown
        self.benches = benches  # benchmarks that exist; None if unknown
        self.line = 1
        self.bench_line = 0  # line of the first `bench`; 0 before it
        self.guest_lines: dict[str, int] = {}
        self.vms: dict[str, tuple[int, dict[str, str]]] = {}  # number of the line, and its settings
        self.links: dict[str, tuple[int, Link]] = {}  # number of the line, and the link
        self.events: list[tuple[int, Event]] = []  # number of the line, and the event
        self.unlimited_line = 0  # line of `limit_ms 0`

    def name(self, words: list[str]) -> None:
        """name WORD: the plan's name for the run record, empty by default."""
        self.plan.name = name_of(words)

    def platform(self, words: list[str]) -> None:
        """platform WORD: the machine that executes the image, which decides the worth of a tick;
        silicon by default. The host tool appends this line."""
        self.plan.platform = choice(words, PLATFORMS)

    def order(self, words: list[str]) -> None:
        """order abba|once: abba has two passes, forth and back, and is the default; once has one
        pass."""
        self.plan.order = choice(words, ORDERS)

    def limit_ms(self, words: list[str]) -> None:
        """limit_ms NUMBER: EL2 stops a step that takes longer by the counter: 1 to 14400000, 20000
        by default. 0 means no limit, and is valid only in a plan without benchmarks."""
        word = words.pop(0) if words else ""
        value = to_u32(word)
        if not 0 <= value <= LIMIT_MS_MAX:
            raise Mistake(f"wrong number {quoted(word)}; valid: 1 to {LIMIT_MS_MAX}")
        self.plan.limit_ms = value
        self.unlimited_line = 0 if value else self.line

    def machine(self, text: str) -> None:
        """machine TEXT: the description of the platform for the run record. The text is the rest of
        the line, at most 511 characters. The host tool appends the line for gem5."""
        most = abi.constant("PLAN_MACHINE_SIZE") - 1
        if len(text) > most:
            raise Mistake(f"machine is longer than {most} characters")
        self.plan.machine = text

    def config(self, words: list[str]) -> None:
        """config NAME [PRESET] [axis=value …]: a configuration, which is a preset with some axes
        changed (docs/reference/axes.md). NAME is the preset if the line has no PRESET. A plan has
        at most {PLAN_CONFIG_MAX} configurations, each with a name of its own."""
        check_room(len(self.plan.configs), "configs", "PLAN_CONFIG_MAX")
        if words[:1] and words[0] in self.plan.configs:
            raise Mistake(f"there is already a config {quoted(words[0])}")
        name, config = config_of(words)
        self.plan.configs[name] = config

    def bench(self, words: list[str]) -> None:
        """bench NAME [param=number …]: a benchmark with some parameters changed. A plan has at most
        {PLAN_BENCH_MAX} of these lines, and may have several for one benchmark."""
        check_room(len(self.plan.benches), "benches", "PLAN_BENCH_MAX")
        name = name_of(words)
        if self.benches is not None and name not in self.benches:
            raise unknown("no benchmark", name, self.benches)
        self.plan.benches.append((name, numbers(words, "parameter", "BENCH_PARAMS")))
        self.bench_line = self.bench_line or self.line

    def guest(self, words: list[str]) -> None:
        """guest [NAME] [recipe=WORD] [field=number …]: an unmodified guest, which has the name
        `guest` by default. A plan has at most {PLAN_GUEST_MAX} guests. A plan with guest and bench
        lines needs vm lines. If the guest has a recipe (`docs/guests.md`), `make bench` under QEMU
        fetches and places its images."""
        check_room(len(self.plan.guests), "guests", "PLAN_GUEST_MAX")
        name, guest = guest_of(words)
        if name in self.plan.guests:
            raise Mistake(f"there is already a guest {quoted(name)}")
        self.plan.guests[name] = guest
        self.guest_lines[name] = self.line

    def load(self, words: list[str]) -> None:
        """load [field=number …]: a part of the images of the guest whose line came last. A guest
        has at most {PLAN_LOAD_MAX} loads."""
        if not self.plan.guests:
            raise Mistake("a load needs a guest line before it")
        add_load(list(self.plan.guests.values())[-1], words)

    def vm(self, words: list[str]) -> None:
        """vm NAME [image=WORD] [cores=LIST] [field=number …]: a VM. image: the VM's image, NAME
        by default. cores: a different core, 0 to 3, for each vCPU, such as 2 or 0,2 or 0-3; by
        default 0 to cpus - 1. load: the load that a VM with image=load runs in place of the load of
        axis `beside`. colours: the colours of the VM's pages (axis `colouring`), a set of 0 to 15,
        such as 0-7 or 1,3. configs=NAME,…: the only configurations in which the VM takes part. A
        plan has at most {PLAN_VM_MAX} VMs, each with a name of its own."""
        check_room(len(self.vms), "VMs", "PLAN_VM_MAX")
        name, fields = vm_of(words)
        if name in self.vms:
            raise Mistake(f"there is already a vm {quoted(name)}")
        self.vms[name] = self.line, fields

    def link(self, words: list[str]) -> None:
        """link NAME kind=doorbell|virtio a=VM b=VM: memory that two VMs share, with a doorbell in
        each direction or a network device in each VM (`docs/neighbours.md`). The link is present
        where both VMs take part, and needs irq=trapped, except a doorbell between two loads. A
        doorbell is for image=bench and load only. A plan has at most {PLAN_LINK_MAX} links, and a
        VM has at most one link in a configuration. A plan without link lines has a doorbell for
        beside=load_echo."""
        check_room(len(self.links), "links", "PLAN_LINK_MAX")
        name, link = link_of(words)
        if name in self.links:
            raise Mistake(f"there is already a link {quoted(name)}")
        self.links[name] = self.line, link

    def at(self, words: list[str]) -> None:
        """at TIME EVENT VM: an event for a VM, TIME µs after the step's begin. A plan has at most
        {PLAN_EVENT_MAX} of these lines. A VM with image=bench has only pause and resume. A step
        counts and ignores an event without a meaning in the VM's state. A pause of a paused VM and
        a resume of a running VM are errors."""
        self.add_event(event_of(words), "PLAN_EVENT_MAX")

    def on(self, words: list[str]) -> None:
        """on VM END EVENT VM: an event for the second VM, once, when the first VM comes to END for
        the first time. The two may be one VM. END is an end of a guest, and the first VM has
        another image than bench. The other rules of `at` apply. A plan has at most {PLAN_ON_MAX} of
        these lines."""
        self.add_event(on_of(words), "PLAN_ON_MAX")

    def add_event(self, event: Event, limit: str) -> None:
        check_room(sum(bool(earlier.of) == bool(event.of) for _, earlier in self.events),
                   "events", limit)
        self.events.append((self.line, event))

    STATEMENTS: dict[str, Callable[..., None]] = {
        "name": name, "platform": platform, "machine": machine, "order": order,
        "limit_ms": limit_ms, "config": config, "bench": bench, "guest": guest, "load": load,
        "vm": vm, "link": link, "at": at, "on": on}

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

    def refuse(self, line: int, message: str) -> None:
        raise PlanError(line, message)

    def finish(self) -> None:
        plan, last = self.plan, self.line
        if plan.benches and plan.guests and not self.vms:
            self.line = max(self.bench_line, next(iter(self.guest_lines.values())))
            raise Mistake("a plan has bench lines or a guest, not both, without vm lines")
        self.make_vms()
        plan.links = ({name: link for name, (_, link) in self.links.items()}
                      or usual_links(plan.vms, words_of_configs(plan).values()))
        self.events.sort(key=lambda entry: (bool(entry[1].of), entry[1].at_us))
        plan.events = [event for _, event in self.events]
        if not plan.benches:
            plan.order = ORDERS.index("once")  # a second pass without benchmarks compares nothing
        plan.lines = self.lines() | {(): last}
        Checks(plan, self.board, self.refuse).run()

    def make_vms(self) -> None:
        plan = self.plan
        for name, line in self.guest_lines.items():
            self.line = line
            check_guest(plan.guests[name])
        for name, (line, fields) in self.vms.items():
            self.line = line
            plan.vms[name] = make_vm(name, fields, plan.guests)
        if not self.vms:
            plan.vms = usual_vms(plan.guests, words_of_configs(plan).values())
        mark_neighbours(plan.vms, plan.guests, words_of_configs(plan).values())

    def lines(self) -> dict[Place, int]:
        """Return the line number of each part of the plan."""
        return ({("guest", name): line for name, line in self.guest_lines.items()}
                | {("vm", name): line for name, (line, _) in self.vms.items()}
                | {("link", name): line for name, (line, _) in self.links.items()}
                | {("event", number): line for number, (line, _) in enumerate(self.events)}
                | {("limit_ms",): self.unlimited_line})


def parse(text: str, benches: Collection[str] | None = None, board: Board | None = None) -> Plan:
    """Return the plan of a text, or raise PlanError. `benches` has the benchmarks that exist, and
    `board` the numbers of the board; None means that they are not known."""
    parser = Parser(benches, board)
    try:
        for parser.line, line in enumerate(text.removesuffix("\n").split("\n"), 1):
            parser.take(line)
        parser.finish()
    except Mistake as mistake:
        raise PlanError(parser.line, str(mistake)) from mistake
    return parser.plan


def text_of_changes(values: Fields, defaults: Fields) -> str:
    """Return the settings that differ from the defaults, as words name=value."""
    def word(name: str) -> str:
        words = abi.axes().get(name, ())
        return words[values[name]] if words else str(values[name])
    return "".join(f" {name}={word(name)}" for name in values if values[name] != defaults.get(name))


def config_line(name: str, config: Fields) -> str:
    """Return the line of a configuration. The line has the preset of the configuration's name, or
    else the nearest preset."""
    presets = abi.presets()
    preset = name if name in presets else min(
        presets, key=lambda candidate: len(config.items() - presets[candidate].items()))
    base = "" if name == preset else f" {preset}"
    return f"config {name}{base}{text_of_changes(config, presets[preset])}"


def text_of(plan: Plan) -> str:
    """Return a text that means this plan. The text leaves out the defaults of configurations, of
    benchmarks and of the limit."""
    params = abi.defaults("BENCH_PARAMS")
    lines = [f"name {plan.name}"] if plan.name else []
    lines.append(f"order {ORDERS[plan.order]}")
    if plan.limit_ms != LIMIT_MS_DEFAULT:
        lines.append(f"limit_ms {plan.limit_ms}")
    lines += [config_line(name, config) for name, config in plan.configs.items()]
    lines += [f"bench {name}{text_of_changes(values, params)}" for name, values in plan.benches]
    for name, guest in plan.guests.items():
        lines += guest_lines(name, guest)
    lines += [vm_line(name, vm) for name, vm in plan.vms.items()]
    lines += [link_line(name, link) for name, link in plan.links.items()]
    lines += [event.line for event in plan.events]
    lines.append(f"platform {PLATFORMS[plan.platform]}")
    if plan.machine:
        lines.append(f"machine {plan.machine}")
    return "\n".join([*lines, ""])
