# SPDX-License-Identifier: Apache-2.0
"""The cost of an exit by its kind, the effect of each switch, and the states of the core."""

from hypbench.analysis.switches import SwitchRow
from hypbench.html import data, figures
from hypbench.html.blocks import Cell, Figures, Section, Table, Text
from hypbench.html.data import Board, Source, switch_label
from hypbench.html.parts.common import config_looks, figure, missing
from hypbench.html.style import SERIES
from hypbench.html.units import Clock, ratio

EXIT_BENCHES = ("hvc", "hypercall", "smc", "sysreg", "wfi", "mmio", "mmio_read", "mmio_write",
                "sgi_self", "fp_first_use")
MODES = ("native", "direct", "trapped", "trapped-sw")
# One path of a kind is enough to see what a switch does to it: (shown as, bench, variants).
KINDS = (("hypercall", "hvc", ("null",)), ("hypercall", "hypercall", ("null",)),
         ("MMIO read", "mmio_read", ("vgic",)), ("MMIO read", "mmio", ("iidr",)),
         ("interrupt", "timer_wakeup", ("busy-handler",)),
         ("interrupt", "irq_phases", ("timer-total",)),
         ("interrupt", "irq_storm", ("1-1",)), ("interrupt, to its end", "timer_wakeup",
                                               ("busy-task",)),
         ("wake from WFI", "timer_wakeup", ("wfi-handler", "wfi-task")),
         ("WFI", "wfi", ("pending",)), ("first FP use", "fp_first_use", ("use",)),
         ("FP release", "fp_first_use", ("release",)))
STATE_PATHS = ("hvc null", "sysreg actlr", "mmio_read vgic", "sgi_self handler",
               "timer_wakeup busy-handler", "timer_wakeup wfi-task")
STATE_PLANS = ("states", "timed", "timed-sw")
SWITCH_PLANS = ("traps", "interrupts", "storm", "timers", "sched", "default")


def section(boards: list[Board]) -> Section:
    made = Section("traps", "Exits, and what each switch costs")
    made.add(Text("The cost of one exit of each kind, from the instruction that exits to the one"
                  " after it. Natively and with direct interrupts a path may not exit at all:"
                  " then the bar is the instruction itself, or there is none."))
    exits(made, boards)
    made.add(Text("Every convenience of the hypervisor is a switch. Each bar is the median with"
                  " the switch thrown minus the median without it, in the same boot; ±0 is a"
                  " switch that costs nothing on that path."))
    ab_switches(made, boards)
    states(made, boards)
    return made


def exits(made: Section, boards: list[Board]) -> None:
    shown, found, without = [], [], []
    for board in boards:
        plans = ("traps", "default", *board.sources)
        source = next((source for source in map(board.source, plans)
                       if data.paths(source, EXIT_BENCHES)), board.source("traps"))
        groups = [data.Group(group.label, {config: value for config, value in group.values.items()
                                           if config in MODES})
                  for group in data.paths(source, EXIT_BENCHES)]
        groups = [group for group in groups if group.values]
        if not groups:
            without.append(board)
            continue
        looks = config_looks(config for group in groups for config in group.values)
        shown.append(figure("exits", board, "cost of an exit by its kind, median.",
                            "Bars of the cost of each kind of exit, by configuration.",
                            figures.bars(groups, looks, source.clock.axis)))
        found += [(board, source.clock, group) for group in groups]
    made.add(missing(without, "exits by kind", "traps"))
    modes = [mode for mode in MODES if any(mode in group.values for _, _, group in found)]
    made.add(Figures(shown), Table("tab-exits", "Cost of an exit by its kind, median", (
        "board", "path", *(f">{mode}" for mode in modes), ">trapped to native"),
        [path_row(board, clock, group, modes) for board, clock, group in found]))


def path_row(board: Board, clock: Clock, group: data.Group, modes: list[str]) -> list[str]:
    values = group.values
    return [board.name, group.label, *(clock.show(values.get(mode)) for mode in modes),
            ratio(values.get("trapped"), values.get("native"))]


def ab_switches(made: Section, boards: list[Board]) -> None:
    shown, rows = [], []
    made.add(missing([board for board in boards if not all_effects(board)],
                     "A/B twins of one configuration", "traps"))
    for board in boards:
        found = all_effects(board)
        clock = board.clock
        groups, looks = switch_groups(found)
        if groups:
            shown.append(figure(
                "switches", board, "what each switch changes, by the median. A path that a switch"
                " leaves as it is has no bar, unless it is the only one.",
                "Bars of the change each switch makes, by path.",
                figures.bars(groups, looks, f"{clock.axis} more", signed=True)))
        rows += [effect_row(board, clock, effect) for effect in found
                 if effect.change and not in_detail(effect)]
    made.add(Figures(shown), Table(
        "tab-switches", "Every path that a switch changes; the other paths of the same plans stay"
        " as they are", ("board", "switch", "configuration", "path", ">without", ">with",
                         ">change"), rows))


def all_effects(board: Board) -> list[SwitchRow]:
    """Each switch and path once: of the first two configurations between which it changes."""
    found: dict[tuple, SwitchRow] = {}
    for plan in SWITCH_PLANS:
        for effect in data.switched(board.source(plan)):
            key = (switch_label(effect), effect.bench, effect.variant)
            if key not in found or not found[key].change:
                found[key] = effect
    order = data.SWITCHES
    return sorted(found.values(), key=lambda effect: order.index(effect.axis))


def switch_groups(found: list[SwitchRow]) -> tuple[list[data.Group], dict]:
    labels = list(dict.fromkeys(label for label, _, _ in KINDS))
    looks = dict(zip(labels, SERIES))
    groups: dict[str, dict[str, float]] = {}
    for label, bench, variants in KINDS:
        for effect in found:
            if effect.bench == bench and effect.variant in variants:
                groups.setdefault(switch_label(effect), {}).setdefault(label, effect.change)
    order = list(dict.fromkeys(map(switch_label, found)))
    return [data.Group(name, changed(groups[name])) for name in order if name in groups], looks


def changed(values: dict[str, float]) -> dict[str, float]:
    """The paths a switch changes; one of them where it changes none."""
    return ({path: value for path, value in values.items() if value}
            or dict(list(values.items())[:1]))


def in_detail(effect: SwitchRow) -> bool:
    """A part of another row: a phase, or a position in a storm that is not its last."""
    if effect.bench == "irq_phases":
        return not effect.variant.endswith("-total")
    pended, _, position = effect.variant.partition("-")
    return effect.bench == "irq_storm" and pended != position


def effect_row(board: Board, clock: Clock, effect: SwitchRow) -> list[str | Cell]:
    return [board.name, switch_label(effect), effect.base, f"{effect.bench} {effect.variant}",
            clock.show(effect.a.p50), clock.show(effect.b.p50),
            Cell(clock.change(effect.change), "strong")]


def states(made: Section, boards: list[Board]) -> None:
    shown, rows = [], []
    looks = dict(zip(data.STATES, SERIES))
    for board in boards:
        source = board.any_of(*STATE_PLANS)
        for config, groups in data.state_groups(source.log).items():
            drawn = [group for group in groups if group.label in STATE_PATHS]
            if drawn and (config in ("trapped", "trapped-sw") or not source.clock.exact):
                shown.append(figure(
                    f"states-{config}", board, f"{config}, with what state a sample begins."
                    + unmodelled(source), f"Bars by state of caches and TLBs, {config}.",
                    figures.bars(drawn, looks, source.clock.axis)))
            rows += [[board.name, config, group.label,
                      *(source.clock.show(group.values.get(state)) for state in data.STATES)]
                     for group in groups]
    without = [board for board in boards
               if not data.state_groups(board.any_of(*STATE_PLANS).log)]
    made.add(missing(without, "warm and cold states", "states"))
    made.add(Figures(shown), Table("tab-states", "By the state a sample begins with, median", (
        "board", "configuration", "path", *(f">{state}" for state in data.STATES)), rows))


def unmodelled(source: Source) -> str:
    return (" Caches and TLBs cost nothing on this platform, so equal bars are what to expect"
            " here; a board shows the difference." if source.clock.exact else "")
