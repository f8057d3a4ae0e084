# SPDX-License-Identifier: Apache-2.0
"""The answer: what a path costs here, what that means, and how far others are from it."""

from hypbench.analysis.studies import S1_RATIO
from hypbench.analysis.tlb import CHASE, READ, slowdowns
from hypbench.html import charts
from hypbench.html.blocks import Band, Cell, Figure, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, note_of, published
from hypbench.html.units import NONE, number
from hypbench.rows import Row

TIMER = "timer_wakeup", "busy-handler"
PLANS = ("traps", "default", "interrupts", "timed", "timed-sw")
SYSTEMS = published("peers")["systems"]
# Name, benchmark and variant, configurations (the first that was measured), meaning, row of peers.
FIGURES = (
    ("timer, native", TIMER, ("native",), "From the virtual timer's expiry to the guest's handler,"
     " without a hypervisor.", None),
    ("timer, direct", TIMER, ("direct",), "The same under stage 2; the guest owns the GIC and no"
     " interrupt enters EL2.", None),
    ("timer, trapped", TIMER, ("trapped", "trapped-sw"), "The same; EL2 takes the interrupt and"
     " injects it through a list register.", "timer"),
    ("hypercall", ("hvc", "null"), ("trapped", "direct"), "A hypercall that does nothing, there and"
     " back.", "hypercall"),
    ("VM switch", ("timer_wakeup", "wfi-vector"), ("priority", "switch"), "From a timer's expiry to"
     " the vector of the VM that owns it, while another VM has the core.", "switch"))
# Our benchmark for a row of peers.json: the first that was measured counts.
MEASURED = {
    "hypercall": (("hvc", "null"), ("hypercall", "null")),
    "mmio": (("mmio_read", "vgic"), ("mmio", "iidr")),
    "sgi": (("sgi_self", "handler"),),
    "timer": (("timer_wakeup", "busy-handler"),),
    "timer-wfi": (("timer_wakeup", "wfi-handler"),),
    "switch": (("timer_wakeup", "wfi-vector"),),
}


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("answer", "The answer")
    found = [one for row in FIGURES if (one := figure_of(board, *row))]
    found += filter(None, [translation(board)])
    if not found:
        made.add(Text(f"{board.label}: no records of the paths that are shown here."))
    else:
        made.add(Text(f"Medians on {board.label}, in {board.clock.axis}. Each number leads to its"
                      " row in summary.csv."), Band(tuple(found)))
    peers(made, board)
    return made


def first_row(board: Board, benches, configs) -> tuple[Source, Row] | None:
    for bench, variant in benches:
        for plan in (*PLANS, *board.sources):
            for config in configs:
                row = board.source(plan).row(bench, variant, config)
                if row:
                    return board.source(plan), row
    return None


def figure_of(board: Board, name: str, bench: tuple[str, str], configs: tuple[str, ...],
              meaning: str, peer: str | None) -> Figure | None:
    found = first_row(board, [bench], configs)
    if not found:
        return None
    source, row = found
    more = next((one for one in published("peers")["rows"] if one["id"] == peer), None)
    factors = factors_of(board, more) if more else {}
    said = tuple(f"{SYSTEMS[system]} ×{factor:.1f}" for system, (_, factor) in factors.items())
    return Figure(linked(board, source, row, source.clock.show(row.p50)), name, meaning, said)


def translation(board: Board) -> Figure | None:
    """Random loads of the largest working set under the finest stage 2, against none."""
    if board.clock.exact:
        return None
    source = board.first_with(CHASE, "tlb", "tlb-matrix")
    found = [one for one in slowdowns(source.log) if one.source in (CHASE, READ)]
    if not found:
        return None
    worst = max(found, key=lambda one: one.ratio)
    row = source.row(worst.source, f"random-{worst.size}", worst.config)
    return Figure(linked(board, source, row, f"×{worst.ratio:.2f}"), "TLB miss",
                  f"A random load over the largest working set: {worst.config} against"
                  f" {worst.base}.", (f"S1 (KVM, Cortex-A15) ×{S1_RATIO}",))


def theirs(board: Board, row: dict) -> dict:
    """Records of the same isa; with GICv2 where there is nothing for GICv3."""
    run = board.run
    return row.get(f"{run['isa']}-{run['gic']}") or row.get(f"{run['isa']}-v2") or {}


def only_gicv2(board: Board, row: dict) -> bool:
    return board.run["gic"] != "v2" and f"{board.run['isa']}-{board.run['gic']}" not in row


def ours(board: Board, row: dict, config: str) -> Row | None:
    configs = ("priority",) if row["id"] == "switch" and config == "trapped" else (config,)
    if row["id"] == "switch" and config != "trapped":
        return None
    found = first_row(board, MEASURED.get(row["id"], ()), configs)
    return found[1] if found else None


def least(value: int | list[int]) -> int:
    return value[0] if isinstance(value, list) else value


def factors_of(board: Board, row: dict) -> dict[str, tuple[int, float]]:
    """System → (instructions it adds to the path, how many times ours); where ticks are
    instructions."""
    if not board.clock.exact or not board.run:
        return {}
    trapped, native = ours(board, row, "trapped"), ours(board, row, "native")
    if trapped is None:
        return {}
    mine = trapped.p50 - (native.p50 if native else 0)
    numbers = theirs(board, row)
    base = numbers.get("none", 0) if native else 0
    return {system: (least(numbers[system]) - base, (least(numbers[system]) - base) / mine)
            for system in SYSTEMS if system in numbers and mine > 0}


def peers(made: Section, board: Board) -> None:
    known = published("peers")
    if board.clock.exact and board.run:
        values, rows = [], []
        for row in known["rows"]:
            mine, factors = ours(board, row, "trapped"), factors_of(board, row)
            if factors:
                values.append({"what": row["what"], "config": "hypbench", "factor": 1, "note":
                               note_of(mine, board.clock)})
            values += [{"what": row["what"], "config": SYSTEMS[system], "factor": factor,
                        "note": f"{SYSTEMS[system]}: {number(added)} instructions added,"
                                f" ×{factor:.1f} of hypbench"}
                       for system, (added, factor) in factors.items()]
            rows += [line for line in [peer_row(board, row)] if line]
        if values:
            made.add(figure("peers", board, "What each hypervisor adds to a path, as a factor to"
                            " hypbench. Other systems do far more; the figure says what a path"
                            " costs when it holds nothing else.",
                            charts.dots(values, "times the instructions of hypbench (log)", True)))
        made.add(Table(
            f"tab-peers-{board.name}", "Path lengths in instructions: as measured, the guest's own"
            " included", ("path", ">no hypervisor, theirs", *(f">{name}" for name in
                                                              SYSTEMS.values()),
                          ">hypbench native", ">hypbench direct", ">hypbench trapped"), rows,
            (known["conditions"], *known["notes"]), folded="Bao, Xen and KVM in numbers"))
    else:
        made.add(silicon(board, known["silicon"]))


def peer_row(board: Board, row: dict) -> list[str | Cell] | None:
    numbers = theirs(board, row)
    if not numbers:
        return None
    what = row["what"] + (" (theirs: GICv2)" if only_gicv2(board, row) else "")
    mine = [ours(board, row, config) for config in ("native", "direct", "trapped")]
    return [what, *(Cell(instructions(numbers.get(name)), "theirs")
                    for name in ("none", *SYSTEMS)),
            *(instructions(one.p50 if one else None) for one in mine)]


def instructions(value: int | list[int] | None) -> str:
    if value is None:
        return NONE
    if isinstance(value, list):
        return f"{number(value[0])} to {number(value[1])}\u00a0instr"
    return f"{number(value)}\u00a0instr"


def silicon(board: Board, known: dict) -> Table:
    rows = [[row["system"], f"{number(row['alone_ns'])}\u00a0ns",
             f"{number(row['loaded_ns'])}\u00a0ns" if "loaded_ns" in row else NONE,
             instructions(row["instructions"])] for row in known["rows"]]
    return Table(f"tab-silicon-{board.name}", "What others published: a timer interrupt on silicon",
                 ("system", ">alone", ">with a memory co-runner", ">at EL2 per interrupt"), rows, (
                     known["conditions"] + " J. Martins, S. Pinto, “Shedding Light on Static"
                     " Partitioning Hypervisors for Arm-based Mixed-Criticality Systems”, RTAS"
                     " 2023. Another core than this board's: no factor is given.",),
                 folded="Others on silicon")
