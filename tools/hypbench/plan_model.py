# SPDX-License-Identifier: Apache-2.0
"""A plan: the configurations, benchmarks, guests, VMs, links and events of one boot of an image.
The host tools make a Plan from a scenario (scenario.py), and plan_binary.py packs the Plan for
EL2."""

from dataclasses import dataclass, field

from hypbench import abi
from hypbench.plan_vms import CONFIG, Event, Guest, Link, Vm
from hypbench.plan_words import (Fields, Mistake, check_renamed, missing, name_of, options, quoted,
                                 unknown)

LIMIT_MS_DEFAULT = 20_000
LIMIT_MS_MAX = 14_400_000
ORDERS = ("abba", "once")  # the configurations forth and back, or forth only
PLATFORMS = [word for _, word in abi.table("PLATFORMS")]
Place = tuple[str | int, ...]  # a part of a plan, such as ("vm", "bench")


@dataclass
class Plan:
    name: str = ""
    board: str = ""  # the board of the image; a plan's text has no board
    platform: int = 0
    machine: str = ""
    order: int = ORDERS.index("abba")
    limit_ms: int = LIMIT_MS_DEFAULT
    # each configuration's name, with the index of each axis' value
    configs: dict[str, Fields] = field(default_factory=dict)
    benches: list[tuple[str, Fields]] = field(default_factory=list)
    guests: dict[str, Guest] = field(default_factory=dict)
    vms: dict[str, Vm] = field(default_factory=dict)  # never empty
    links: dict[str, Link] = field(default_factory=dict)
    # the `at` events in the order of their times, then the `on` events
    events: list[Event] = field(default_factory=list)
    # The file that the plan was read from, and the lines of the plan's parts, for messages.
    file: str = field(default="", compare=False, repr=False)
    lines: dict[Place, int] = field(default_factory=dict, compare=False, repr=False)


# The measured VM takes turns with these loads, or has a link to them, so they are no disturbance.
PARTNERS = ("load_echo", "load_ping", "load_ring", "load_yield", "active_call", "active_heartbeat",
            "active_fault", "active_interrupt", "active_control", "active_random")


def words_of(config: Fields) -> dict[str, str]:
    return {axis: words[config[axis]] for axis, words in abi.axes().items() if words}


def words_of_configs(plan: Plan) -> dict[str, dict[str, str]]:
    """Return the words of each configuration, from which taking_part() chooses the VMs."""
    return {name: words_of(config) | {CONFIG: name} for name, config in plan.configs.items()}


def check_config(name: str, config: Fields) -> None:
    """Refuse values that are valid alone and contradict each other."""
    axes = words_of(config)
    off = axes["stage2"] == "off"
    trapped = axes["irq"] == "trapped"
    accounts = "on" in (axes["stats"], axes["trace"])
    probes = axes["probes"] == "on"
    rules = [
        # A block has pages of every colour.
        (axes["colouring"] == "on" and axes["stage2"] != "4K",
         "colouring=on is valid with stage2=4K alone (direct, trapped and trapped-sw):"
         f" stage2={axes['stage2']} in config"),
        # The guest would reach the real distributor, the hypervisor's own, without stage 2.
        (off and trapped, "irq=trapped needs stage 2: stage2=off in config"),
        (off and axes["fill"] == "lazy", "fill=lazy needs stage 2: stage2=off in config"),
        (axes["lr_sync"] == "full" and (not trapped or probes or accounts),
         "lr_sync=full needs irq=trapped, and excludes probes, stats and trace: config"),
        # One vector table has probes, another one has stats and trace, and no table has both.
        (probes and accounts, "probes=on excludes stats=on and trace=on: config"),
        (axes["events"] != "off" and axes["cycles"] == "off",
         "events need cycles: cycles=off in config"),
        # A direct interrupt would reach whichever VM has the core.
        (axes["sched"] != "null" and not trapped,
         "a second VM (sched) needs irq=trapped: irq=direct in config"),
        # The hypervisor must inject the interrupt of an emulated CNTP.
        (axes["cntp"] == "emulated" and not trapped,
         "cntp=emulated needs irq=trapped: irq=direct in config"),
        # EL2 takes the interrupts of a VM that gives its core away.
        (axes["beside"] in PARTNERS and not trapped,
         f"beside={axes['beside']} needs irq=trapped: irq=direct in config")]
    for message in (message for fault, message in rules if fault):
        raise Mistake(f"{message} {quoted(name)}")


def config_of(words: list[str]) -> tuple[str, Fields]:
    """Parse the words after `config`: a name, a preset, and settings. A name without a preset after
    it is the preset."""
    name = name_of(words)
    presets = abi.presets()
    preset = words.pop(0) if words and "=" not in words[0] else ""
    if preset and preset not in presets:
        raise unknown("unknown preset", preset, presets)
    if not preset and name not in presets:
        raise missing("preset", name, presets)
    for word in words:
        check_renamed(word)
    config = presets[preset or name] | options(words, "axis", abi.axes(),
                                               abi.numbers("CONFIG_NUMBERS"))
    check_config(name, config)
    return name, config
