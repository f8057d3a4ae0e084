# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs for tests of the report: boards of made-up records, and a section's tables and
charts."""

from functools import cache

from hypbench.model import Chart, Section
from hypbench.frame import Board, Source, lost_steps
from hypbench.plan_language import parse
from hypbench.peers.kept import Column
from hypbench.peers.probe import Figure
from hypbench.profile import Flame, Node
from hypbench.records import read_log
from hypbench.rules import check_rules
from logmaker import log_of
from reportlogs import bodies_of, gem5_log, plan_text, plans, report_log


FLAME = Flame("null hypercall", "hvc", "null", "trapped", 41, Node("", 41, [
    Node("guest", 4, [Node("hvc_run", 4)]), Node("EL2", 37, [
        Node("vectors_sync", 37, [Node("trap_hvc", 9, [Node("hc_null", 2)]), Node("isb", 1)])])]))


@cache
def source(plan: str, platform: str = "qemu-icount", raw: bytes | None = None) -> Source:
    log = read_log(report_log(plan, platform) if raw is None else raw)
    problems = [str(problem) for problem in log.problems + check_rules(log)]
    return Source(plan, log, problems, lost_steps(log, parse(plan_text(plan))))


@cache
def board(platform: str = "qemu-icount", *names: str) -> Board:
    return Board("virt-a72", {name: source(name, platform) for name in names or plans()},
                 flames=[FLAME] if platform == "qemu-icount" else [])


def column(system: str, label: str, **medians: int) -> Column:
    """Return a kept run in which all samples of a path are equal."""
    return Column(system, label, {}, {path: Figure(1000, value, value, value, value, 1000)
                                      for path, value in medians.items()})


KEPT_PATHS = {"psci_version": "a call", "timer_busy": "a timer", "wake": "a switch"}
COLUMNS = [column("hypbench", "hypbench", psci_version=48, timer_busy=42, wake=600),
           column("native", "native", psci_version=4, timer_busy=1),
           column("xen-credit", "Xen 4.17.5, credit", psci_version=476, timer_busy=1062, wake=3017),
           column("xen-credit2", "Xen 4.17.5, credit2", psci_version=470, timer_busy=1062,
                  wake=4090)]


def changed(plan: str, change) -> bytes:
    """Return the plan's log, with change(body) applied to each record's body."""
    bodies = bodies_of(plan)
    for body in bodies:
        change(body)
    return log_of(bodies)


def section_of(part, *boards: Board) -> Section:
    """Return the section that a part makes of the first board."""
    return part.section(boards[0], list(boards))


def chart_data(section: Section) -> dict[str, list[dict]]:
    """Return the data of a section's charts."""
    return {block.id: block.spec["data"]["values"] for block in section.blocks
            if isinstance(block, Chart)}


@cache
def simulated() -> Board:
    """Return a board with reference runs: few plans, and a tick is a nanosecond."""
    return Board("gem5-a72", {plan: Source(plan, read_log(gem5_log(plan)), is_reference=True)
                              for plan in ("tlb", "timed")})


@cache
def damaged(damage: str) -> Board:
    def source_of(plan: str) -> Source:
        raw = report_log(plan)
        return source(plan, raw={"cut": raw[:len(raw) // 2], "empty": b"",
                                 "garbled": raw.replace(b'"p50"', b'"p5O"')}[damage])
    names = plans() if damage != "nothing" else []
    return Board("virt-a72", {name: source_of(name) for name in names})
