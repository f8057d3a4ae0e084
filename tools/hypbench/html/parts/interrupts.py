# SPDX-License-Identifier: Apache-2.0
"""The way of an interrupt: phases, distributions, storms, and waiting for the scheduler."""

from hypbench.analysis.phases import PROBE_COSTS, Waterfall, waterfalls
from hypbench.html import data, figures
from hypbench.html.blocks import Cell, Figure, Figures, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import config_looks, figure, missing
from hypbench.html.units import NONE, Clock, counted
from hypbench.rows import TIME, Row

DEVICES = {"timer": "virtual timer", "device": "device interrupt"}
TIMER_PANELS = ("busy-handler", "busy-task", "wfi-task")
CYCLIC_PANELS = ("periodic", "oneshot")
STORM_POINTS = (1, 4, 5, 8, 16, 32)
SCHED_WAYS = ("alone", "slice", "priority")


def section(boards: list[Board]) -> Section:
    made = Section("interrupts", "The way of an interrupt")
    phases(made, boards)
    distributions(made, boards)
    storms(made, boards)
    scheduling(made, boards)
    return made


def phases(made: Section, boards: list[Board]) -> None:
    made.add(Text(
        "Each phase lasts from the stamp before it to its own: the first begins when the timer's"
        " compare value is reached, or when the device raises its line. Where the hypervisor takes"
        " the interrupt it passes EL2; natively and with direct interrupts it goes straight to the"
        " guest's vector. The stamps cost something themselves: the table gives what one costs,"
        " and the whole path with and without them."))
    for device, name in DEVICES.items():
        shown, rows = [], []
        for board in boards:
            source = board.first_with("irq_phases", "interrupts")
            falls = [fall for fall in waterfalls(source.log) if fall.source == device]
            if falls:
                shown.append(waterfall_figure(board, source, device, name, falls))
            rows += [phase_row(board, source.clock, fall) for fall in falls]
        made.add(Figures(shown), Table(
            f"tab-phases-{device}", f"Phases of the {name} and what the probes cost",
            ("board", "configuration", ">sum of phases", ">total, stamped", "sums up",
             ">total without probes", ">probes' cost", ">one stamp, EL1", ">one stamp, EL2"),
            rows))
    made.add(missing([board for board in boards if not board.first_with("irq_phases").rows],
                     "the interrupt's phases", "interrupts"))
    times(made, boards)


def times(made: Section, boards: list[Board]) -> None:
    """For each board whose ticks are time: its phases beside their instructions."""
    shown, rows = [], []
    for board in boards:
        other = counterpart(board, boards)
        if not other:
            continue
        pairs = phase_pairs(other, board)
        if pairs:
            shown.append(times_figure(other, board, pairs))
        rows += [time_row(board, other, by_count, by_time, at)
                 for by_count, by_time in pairs for at in range(len(by_count.phases))]
    if shown:
        made.add(Text("A phase is long because it has many instructions, or because some of them"
                      " wait: for a device (the GIC's registers), an exception's entry, a miss."
                      " Many nanoseconds an instruction are the second."))
    made.add(Figures(shown), Table(
        "tab-phase-times", "Phases of the virtual timer in instructions and in time, means",
        ("board", "configuration", "phase", ">instructions", ">time", ">ns an instruction"), rows,
        tuple(f"Instructions: {other.label}; time: {board.label}." for board in boards
              if (other := counterpart(board, boards)) and phase_pairs(other, board))))


def counterpart(board: Board, boards: list[Board]) -> Board | None:
    """For a board whose ticks are time one that counts instructions: of the same isa, and where
    there is one with the same GIC."""
    run = board.run
    found = [one for one in boards if run and one.run and one.clock.exact
             and run["platform"] in TIME and one.run["isa"] == run["isa"]
             and phase_pairs(one, board)]
    return min(found, key=lambda one: one.run["gic"] != run["gic"], default=None)


def phase_pairs(by_count: Board, by_time: Board) -> list[tuple[Waterfall, Waterfall]]:
    """The timer's waterfalls of configurations that both have, phase for phase."""
    left, right = ({fall.config: fall for fall in
                    waterfalls(board.first_with("irq_phases", "interrupts").log)
                    if fall.source == "timer"} for board in (by_count, by_time))
    return [(fall, right[config]) for config, fall in left.items() if config in right
            and [phase.name for phase in fall.phases]
            == [phase.name for phase in right[config].phases]]


def times_figure(other: Board, board: Board, pairs: list[tuple[Waterfall, Waterfall]]) -> Figure:
    return figure("time-timer", board, "phases of a virtual timer's interrupt in time (right),"
                  f" beside their instructions on {other.label} (left); mean of each, probes on.",
                  "Two waterfalls of a timer interrupt: instructions and time.",
                  figures.waterfalls([[one for one, _ in pairs], [two for _, two in pairs]],
                                     [other.clock.axis, board.clock.axis]), wide=True)


def time_row(board: Board, other: Board, by_count: Waterfall, by_time: Waterfall, at: int
             ) -> list[str]:
    one, two = by_count.phases[at], by_time.phases[at]
    each = two.mean * 1e9 / board.clock.hz / one.mean if one.mean > 0 else None
    return [board.name, by_time.config.removesuffix("-probes"),
            figures.PHASE_LABELS.get(two.name, two.name), other.clock.show(one.mean),
            board.clock.show(two.mean), NONE if each is None else f"{each:.1f}"]


def waterfall_figure(board: Board, source: Source, device: str, name: str,
                     falls: list[Waterfall]) -> Figure:
    said = "; ".join(f"{fall.config}: {len(fall.phases)} phases, {fall.sum:g} {source.clock.axis}"
                     for fall in falls)
    return figure(f"waterfall-{device}", board,
                  f"phases of a {name}, mean of each, one after the other. With probes on.",
                  f"Waterfall of a {name}. {said}.", figures.waterfall(falls, source.clock.axis))


def phase_row(board: Board, clock: Clock, fall: Waterfall) -> list[str | Cell]:
    total, bare = mean_of(fall.total), mean_of(fall.without_probes)
    off = fall.sum - total if total is not None else None
    verdict = (Cell("yes", "good") if fall.adds_up
               else Cell("no total" if off is None else f"off by {clock.change(off)}", "bad"))
    cost = total - bare if None not in (total, bare) else None
    return [board.name, fall.config, clock.show(fall.sum), clock.show(total), verdict,
            clock.show(bare), clock.change(cost),
            *(clock.show(fall.probe_costs.get(name)) for name in PROBE_COSTS)]


def mean_of(row: Row | None) -> float | None:
    """Phases add up by their means."""
    return row.pool.mean if row else None


def distributions(made: Section, boards: list[Board]) -> None:
    made.add(Text(
        "All samples, not an average: counts are on a logarithmic axis, so that one late sample"
        " among many shows. A distribution of few values is drawn as single lines with a marker,"
        " one of many as an outline."
        + (" Under an instruction counter a path nothing disturbs is one line: every sample has the"
           " same length." if any(board.clock.exact for board in boards) else "")))
    shown: list[Figure] = []
    for bench, panels, plan in (("timer_wakeup", TIMER_PANELS, "default"),
                                ("cyclic", CYCLIC_PANELS, "paper-s1")):
        found = {board.name: panels_of(board.first_with(bench, plan), bench, panels)
                 for board in boards}
        made.add(missing([board for board in boards if not found[board.name]], bench, plan))
        shown += [histogram_figure(board, board.first_with(bench, plan), bench, found[board.name])
                  for board in boards if found[board.name]]
    made.add(Figures(shown))
    made.add(Table("tab-distributions", "The same distributions in numbers",
                   ("board", "benchmark", "variant", "configuration", ">samples", ">min", ">p50",
                    ">p95", ">p99.9", ">max", ">cold"),
                   [row for board in boards for row in distribution_rows(board)]))


def usual(source: Source, bench: str) -> list[Row]:
    """In the presets, where the plan has those."""
    rows = source.of_bench(bench)
    return [row for row in rows if data.is_plain(source.configs[row.config])] or rows


def panels_of(source: Source, bench: str, variants: tuple[str, ...]) -> dict:
    panels: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for variant in variants:
        rows = {row.config: row for row in usual(source, bench) if row.variant == variant}
        if rows:
            panels[f"{bench} {variant}"] = {config: data.histogram(rows[config])
                                            for config in config_looks(rows)}
    return panels


def histogram_figure(board: Board, source: Source, bench: str, panels: dict) -> Figure:
    variants = ", ".join(title.split()[1] for title in panels)
    return figure(f"histogram-{bench.replace('_', '-')}", board,
                  f"latency of {bench} ({variants}), both passes, a logarithmic count axis.",
                  f"Histograms of {bench}, overlaid by configuration.",
                  figures.histograms(panels, source.clock.axis))


def distribution_rows(board: Board) -> list[list[str]]:
    rows = []
    for bench, variants, plan in (("timer_wakeup", TIMER_PANELS, "default"),
                                  ("cyclic", CYCLIC_PANELS, "paper-s1")):
        source = board.first_with(bench, plan)
        for row in usual(source, bench):
            if row.variant in variants:
                pool, show, carried = row.pool, source.clock.show, row.pool.percentiles()
                rows.append([board.name, bench, row.variant, row.config, counted(pool.n, "sample"),
                             show(pool.low), show(row.p50), show(carried.get("p95")),
                             show(carried.get("p999")), show(pool.high), show(pool.cold)])
    return rows


def storms(made: Section, boards: list[Board]) -> None:
    shown, rows, without = [], [], []
    for board in boards:
        source = board.first_with("irq_storm", "storm")
        found = data.storm(source.log)
        if not found:
            without.append(board)
            continue
        most = max(max(by_count) for by_count in found.values())
        curves = {config: found[config][most] for config in config_looks(found)
                  if most in found[config]}
        lr_count = source.log.run["lr_count"] if source.log.run else 0
        shown.append(figure(
            "storm", board, f"{most} interrupts pended at once: time from unmasking to each"
            " handler. Natively the GIC hands out one after the other; beyond the list registers"
            " the hypervisor must refill them.",
            f"Time to the handler by position, one line per configuration, {lr_count} list"
            " registers marked.", figures.storm(curves, lr_count, source.clock.axis)))
        rows += [storm_row(board, source.clock, config, pended, points)
                 for config in curves for pended, points in sorted(found[config].items())
                 if pended in STORM_POINTS]
    made.add(missing(without, "irq_storm", "storm"))
    if shown:
        made.add(Text("Many interrupts at once: how long each waits for the ones before it."))
    made.add(Figures(shown), Table(
        "tab-storm", "Interrupts pended at once", ("board", "configuration", ">pended",
                                                   ">to the first", ">to the last",
                                                   ">each, on average"), rows))


def storm_row(board: Board, clock: Clock, config: str, pended: int,
              points: list[tuple[int, int]]) -> list[str]:
    return [board.name, config, counted(pended, "interrupt"), clock.show(points[0][1]),
            clock.show(points[-1][1]), clock.show(points[-1][1] / pended)]


def scheduling(made: Section, boards: list[Board]) -> None:
    shown, rows = [], []
    for board in boards:
        source = board.source("sched")
        found = sched_rows(source)
        for bench, ranges in found.items():
            shown.append(figure(
                f"sched-{bench.replace('_', '-')}", board,
                f"{bench}: an interrupt's guest has the core alone, waits for its slice (queued),"
                " or is switched in at once (priority-routed).",
                f"Ranges of {bench} for alone, slice and priority on a logarithmic axis.",
                figures.ranges(ranges, dict(zip([label for label, _ in ranges], [
                    config_looks([label.split()[-1]])[label.split()[-1]]
                    for label, _ in ranges])), source.clock.axis)))
            rows += [[board.name, bench, label, *(source.clock.show(numbers.get(name))
                                                  for name in ("min", "p50", "p99", "max"))]
                     for label, numbers in ranges]
    made.add(missing([board for board in boards if not sched_rows(board.source("sched"))],
                     "a core shared with a background VM", "sched"))
    if shown:
        made.add(Text("With a background VM on the same core the wait for the scheduler is what"
                      " dominates, unless the interrupt's owner is switched in at once."))
    made.add(Figures(shown), Table(
        "tab-sched", "Queued against priority-routed", (
            "board", "benchmark", "variant and configuration", ">min", ">p50", ">p99", ">max"),
        rows))


def sched_rows(source: Source) -> dict[str, list[tuple[str, dict[str, int]]]]:
    """Benchmark → [(variant and configuration, its numbers)]."""
    found: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for bench, variants in (("timer_wakeup", TIMER_PANELS), ("cyclic", CYCLIC_PANELS)):
        for row in source.of_bench(bench):
            if row.variant in variants and row.config in SCHED_WAYS:
                numbers = {"min": row.pool.low, "max": row.pool.high} | row.pool.percentiles()
                found.setdefault(bench, []).append((f"{row.variant} {row.config}", numbers))
    return found
