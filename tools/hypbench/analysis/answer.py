# SPDX-License-Identifier: Apache-2.0
"""The answer: what a path costs here, what that means, and how far others are from it."""

from collections.abc import Iterable

from hypbench.analysis.failover import CORES, fail_overs
from hypbench.analysis.tlb import CHASE, READ, STUDY_RATIO, slowdowns
from hypbench.html import charts
from hypbench.html.blocks import (NONE, Band, Cell, Cells, Figure, Section, cited, number,
                                  prose)
from hypbench.html.data import Board, Source, published
from hypbench.records import Data
from hypbench.rows import Row

PLANS = ("traps", "default", "interrupts", "timed", "timed-sw")
SYSTEMS = published("peers")["systems"]
MODES = (("native", ("native",)), ("direct", ("direct",)), ("trapped", ("trapped", "trapped-sw")))
SWITCH = ("priority", "switch")  # where a VM's interrupt takes the core from another VM
# Name, benchmark and variant, meaning, row of peers.json.
FIGURES = (
    ("timer to handler", ("timer_wakeup", "busy-handler"), "From the virtual timer's expiry to the"
     " guest's handler; trapped: EL2 takes the interrupt and injects it.", "timer"),
    ("hypercall", ("hvc", "null"), "A hypercall that does nothing, there and back.", "hypercall"))


def section(board: Board, boards: list[Board]) -> Section:
    made = Section("answer", "The answer", board.name)
    found = [figure_of(board, *row) for row in FIGURES]
    found += [translation(board, boards), vm_switch(board), fail_over(board)]
    band = Band(tuple(one for one in found if one))
    if not band.figures:
        made.text(f"{board.label}: no records of the paths that are shown here.")
    else:
        made.text(prose("answer", board=board))
        made.add(band)
    peers(made, board)
    return made


def first_row(board: Board, benches: Iterable[tuple[str, str]], configs: Iterable[str]
              ) -> tuple[Source, Row] | None:
    return next(((source, row) for path in benches
                 for source in map(board.source, (*PLANS, *board.sources)) for config in configs
                 if (row := source.row(*path, config))), None)


def figure_of(board: Board, name: str, bench: tuple[str, str], meaning: str, peer: str
              ) -> Figure | None:
    found = [(mode, *one) for mode, configs in MODES if (one := first_row(board, [bench], configs))]
    return Figure(tuple((mode, source.cell(row)) for mode, source, row in found), name, meaning,
                  said_of_others(board, peer)) if found else None


def said_of_others(board: Board, ident: str) -> tuple[str, ...]:
    row = next(row for row in published("peers")["rows"] if row["id"] == ident)
    return tuple(f"{SYSTEMS[system]} ×{factor:.1f}"
                 for system, (_, factor) in factors_of(board, row).items())


def vm_switch(board: Board) -> Figure | None:
    """What the switch adds: the same window natively has no other VM to switch from."""
    bench = [("timer_wakeup", "wfi-vector")]
    found, base = first_row(board, bench, SWITCH), first_row(board, bench, ("native",))
    if not (found and base):
        return None
    (source, row), natively = found, base[1].p50
    show = source.clock.show
    return Figure((("trapped", source.cell(row, show(row.p50 - natively))),), "VM switch",
                  prose("vm_switch", loaded=show(row.p50), natively=show(natively)),
                  said_of_others(board, "switch"))


def fail_over(board: Board) -> Figure | None:
    source = board.first_with("failover", "failover")
    found = [one for one in fail_overs(source.log) if one.way == "call" and not one.held]
    return Figure(tuple((CORES[one.cores], source.cell(one.total)) for one in found), "fail over",
                  "From the active VM's call to the first instruction of its standby.",
                  said_of_others(board, "standby")) if found else None


def translation(board: Board, boards: list[Board]) -> Figure | None:
    """Random loads of the largest working set under the finest stage 2, against none; where the
    board does not model them, those of another board of the isa that does."""
    study = cited(f"S1 (KVM, Cortex-A15) ×{STUDY_RATIO}", board.name)
    if board.clock.exact:
        board = next((one for one in boards if not one.clock.exact and one.run and board.run
                      and one.run["isa"] == board.run["isa"]), board)
    source = board.first_with(CHASE, "tlb", "tlb-matrix")
    found = [one for one in slowdowns(source.log) if one.source in (CHASE, READ)]
    if board.clock.exact or not found:
        return None
    worst = max(found, key=lambda one: one.ratio)
    row = source.row(worst.source, f"random-{worst.size}", worst.config)
    return Figure(((f"on {board.name}", source.cell(row, f"×{worst.ratio:.2f}")),),
                  "TLB miss", f"A random load over the largest working set: {worst.config} against"
                  f" {worst.base}.", (study,))


def theirs(board: Board, row: Data) -> Data:
    """Records of the same isa; with GICv2 where there is nothing for GICv3."""
    run = board.run or {"isa": "", "gic": ""}
    return row.get(f"{run['isa']}-{run['gic']}") or row.get(f"{run['isa']}-v2") or {}


def only_gicv2(board: Board, row: Data) -> bool:
    run = board.run or {"isa": "", "gic": "v2"}
    return run["gic"] != "v2" and f"{run['isa']}-{run['gic']}" not in row


def ours(board: Board, row: Data, mode: str) -> tuple[Source, Row] | None:
    """By our benchmark for a row of peers.json, the first that was measured, in its configurations
    where they are not the mode's own."""
    configs = row.get("configs", [])
    if configs and mode == "direct":
        return None  # a switch of VMs has no such mode
    return first_row(board, row.get("ours", []), configs if configs and mode == "trapped"
                     else [mode])


def least(value: int | list[int]) -> int:
    return value[0] if isinstance(value, list) else value


def factors_of(board: Board, row: Data) -> dict[str, tuple[int, float]]:
    """System → (instructions it adds to the path, how many times ours); where ticks are
    instructions."""
    if not board.clock.exact or not board.run:
        return {}
    trapped, native = ours(board, row, "trapped"), ours(board, row, "native")
    if trapped is None:
        return {}
    mine = trapped[1].p50 - (native[1].p50 if native else 0)
    numbers = theirs(board, row)
    base = numbers.get("none", 0) if native else 0
    return {system: (least(numbers[system]) - base, (least(numbers[system]) - base) / mine)
            for system in SYSTEMS if system in numbers and mine > 0}


def peers(made: Section, board: Board) -> None:
    known = published("peers")
    if not (board.clock.exact and board.run):
        made.text(known["silicon"]["cite"], known["silicon"]["url"])
        silicon(made, known["silicon"])
        return
    values: list[Data] = []
    for row in known["rows"]:
        mine, factors = ours(board, row, "trapped"), factors_of(board, row)
        if factors and mine:
            values.append({"what": row["what"], "config": "hypbench", "factor": 1,
                           "note": mine[0].note(mine[1])})
        values += [{"what": row["what"], "config": SYSTEMS[system], "factor": factor,
                    "note": f"{SYSTEMS[system]}: {number(added)} instructions added,"
                            f" ×{factor:.1f} of hypbench"}
                   for system, (added, factor) in factors.items()]
    if values:
        made.figure("peers", prose("peers"), charts.dots(values, "times hypbench (log)", True))
    made.table("peers", "Path lengths in instructions: as measured, the guest's own included", (
        "path", ">no hypervisor, theirs", *(f">{name}" for name in SYSTEMS.values()),
        ">hypbench native", ">hypbench direct", ">hypbench trapped"),
        [peer_row(board, row) for row in known["rows"] if theirs(board, row)],
        (known["conditions"], *known["notes"]), folded="Bao, Xen and KVM in numbers")


def peer_row(board: Board, row: Data) -> Cells:
    what = row["what"] + (" (theirs: GICv2)" if only_gicv2(board, row) else "")
    mine = [ours(board, row, config) for config in ("native", "direct", "trapped")]
    return [what, *(Cell(instructions(theirs(board, row).get(name)), "theirs")
                    for name in ("none", *SYSTEMS)),
            *(one[0].cell(one[1], instructions(one[1].p50)) if one else NONE for one in mine)]


def instructions(value: int | list[int] | None) -> str:
    if value is None:
        return NONE
    said = map(number, value if isinstance(value, list) else [value])
    return f"{' to '.join(said)}\u00a0instr"


def silicon(made: Section, known: Data) -> None:
    rows = [[row["system"], f"{number(row['alone_ns'])}\u00a0ns",
             f"{number(row['loaded_ns'])}\u00a0ns" if "loaded_ns" in row else NONE,
             instructions(row["instructions"])] for row in known["rows"]]
    made.table("silicon", "What others published: a timer interrupt on silicon",
               ("system", ">alone", ">with a memory co-runner", ">at EL2 per interrupt"), rows,
               (f"{known['conditions']} Another core than this board's: no factor is given.",),
               folded="Others on silicon")
