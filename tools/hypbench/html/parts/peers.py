# SPDX-License-Identifier: Apache-2.0
"""Path lengths beside those of whole hypervisors, with the conditions of each."""

from hypbench.html import figures
from hypbench.html.blocks import Cell, Figures, Section, Table, Text
from hypbench.html.data import Board, Group
from hypbench.html.parts.common import figure, published
from hypbench.html.style import BLACK, BLUE, ORANGE, SKY, VERMILION, Look
from hypbench.html.units import NONE, number

OURS = "hypbench, trapped"
LOOKS = {OURS: Look(VERMILION, "\\\\\\\\"), "bao": Look(SKY, ""), "xen": Look(ORANGE, "////"),
         "kvm": Look(BLUE, "xxxx"), "none": Look(BLACK)}
# Our benchmark for a row: (bench, variant), the first that was measured counts.
MEASURED = {
    "hypercall": (("hvc", "null"), ("hypercall", "null")),
    "mmio": (("mmio_read", "vgic"), ("mmio", "iidr")),
    "sgi": (("sgi_self", "handler"),),
    "timer": (("timer_wakeup", "busy-handler"),),
    "timer-wfi": (("timer_wakeup", "wfi-handler"),),
}
PLANS = ("traps", "default", "interrupts")


def section(boards: list[Board]) -> Section:
    peers = published("peers")
    made = Section("peers", "Beside Bao, Xen and KVM")
    made.add(Text("Path lengths of systems that do far more than this testbed, measured on the same"
                  " emulated machine. " + peers["conditions"]))
    made.add(Text("Added by the hypervisor means: theirs minus what the same program takes without"
                  " a hypervisor; ours trapped minus native. A hypercall has no native counterpart"
                  " and is given whole: ours with 4 instructions of the guest, theirs with 6."
                  " make peers measures all with the same windows (docs/peers.md)."))
    shown, rows = [], []
    for board in boards:
        if not board.clock.exact or not board.run:
            made.add(None if board.partial else Text(
                f"{board.label}: no path lengths, since its ticks are no instructions."))
            continue
        groups = [group for row in peers["rows"] if (group := added(board, row))]
        if groups:
            shown.append(figure("peers", board, "instructions the hypervisor adds to a path, a"
                                " logarithmic axis.", "Bars of path lengths: hypbench, Bao, Xen,"
                                " KVM.", figures.bars(named(groups), named_looks(),
                                                      "instructions added (log)", log=True)))
        rows += [line for row in peers["rows"] if (line := peer_row(board, row))]
    systems = peers["systems"]
    made.add(Figures(shown), Table(
        "tab-peers", "Path lengths in instructions: as measured, the guest's own included",
        ("board", "path", ">no hypervisor, theirs", *(f">{name}" for name in systems.values()),
         ">hypbench native", ">hypbench direct", ">hypbench trapped"), rows,
        tuple(peers["notes"])))
    made.add(silicon(peers["silicon"]))
    return made


def theirs(board: Board, row: dict) -> dict:
    """Records of the same isa; with GICv2 where there is nothing for GICv3."""
    run = board.run
    return row.get(f"{run['isa']}-{run['gic']}") or row.get(f"{run['isa']}-v2") or {}


def only_gicv2(board: Board, row: dict) -> bool:
    return board.run["gic"] != "v2" and f"{board.run['isa']}-{board.run['gic']}" not in row


def ours(board: Board, row: dict, config: str) -> int | None:
    for bench, variant in MEASURED.get(row["id"], ()):
        for plan in (*PLANS, *board.sources):
            found = board.source(plan).p50(bench, variant, config)
            if found is not None:
                return found
    return None


def added(board: Board, row: dict) -> Group | None:
    """The ticks that each system adds to the path."""
    trapped, native = ours(board, row, "trapped"), ours(board, row, "native")
    if trapped is None:
        return None
    values: dict[str, float] = {OURS: trapped - (native or 0)}
    numbers = theirs(board, row)
    base = numbers.get("none", 0) if native is not None else 0
    for system in published("peers")["systems"]:
        if system in numbers:
            found = numbers[system]
            values[system] = (found[0] if isinstance(found, list) else found) - base
    return Group(row["what"], values)


def named(groups: list[Group]) -> list[Group]:
    names = published("peers")["systems"]
    return [Group(breakable(group.label), {names.get(key, key): value
                                           for key, value in group.values.items()})
            for group in groups]


def breakable(label: str) -> str:
    """Long labels take two lines."""
    words, middle = label.split(), len(label) // 2
    if len(label) < 22:
        return label
    best = min(range(1, len(words)), key=lambda cut: abs(len(" ".join(words[:cut])) - middle))
    return " ".join(words[:best]) + "\n" + " ".join(words[best:])


def named_looks() -> dict[str, Look]:
    names = published("peers")["systems"]
    return {names.get(key, key): look for key, look in LOOKS.items() if key != "none"}


def peer_row(board: Board, row: dict) -> list[str | Cell] | None:
    numbers = theirs(board, row)
    if not numbers:
        return None
    what = row["what"] + (" (theirs: GICv2)" if only_gicv2(board, row) else "")
    systems = ("none", *published("peers")["systems"])
    return [board.name, what, *(Cell(instructions(numbers.get(name)), "theirs")
                                for name in systems),
            *(instructions(ours(board, row, config))
              for config in ("native", "direct", "trapped"))]


def instructions(value: int | list[int] | None) -> str:
    if value is None:
        return NONE
    if isinstance(value, list):
        return f"{number(value[0])} to {number(value[1])}\u00a0instr"
    return f"{number(value)}\u00a0instr"


def silicon(published_rows: dict) -> Table:
    rows = [[row["system"], f"{number(row['alone_ns'])}\u00a0ns",
             f"{number(row['loaded_ns'])}\u00a0ns" if "loaded_ns" in row else NONE,
             instructions(row["instructions"])] for row in published_rows["rows"]]
    return Table("tab-silicon", "What others published: a timer interrupt on silicon", (
        "system", ">alone", ">with a memory co-runner", ">at EL2 per interrupt"), rows,
        (published_rows["conditions"] + " Nothing of ours stands beside it: no row here was"
         " measured on silicon.",))
