# SPDX-License-Identifier: Apache-2.0
"""Run a guest: write its plan into the image, start QEMU, report the outcome."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench import qemu
from hypbench.guests import terminal
from hypbench.guests.machine import size_text
from hypbench.guests.prepare import Prepared, Wish, prepare
from hypbench.guests.status import status_of
from hypbench.records import Data, Log
from hypbench.report import note_of
from hypbench.session import ending_problems, problems_of, stuck_text, write_image, write_results
from hypbench.tree import Tree, alone_in

Say = Callable[[str], None]
FAIR = (8, 1)  # the first QEMU whose vCPUs take turns by icount
ENDED_BY_US = re.compile(r"terminating on signal \d+ from pid")


def folder_of(tree: Tree, board: str) -> Path:
    # build/<board>/guest/ has the objects of the bench guest.
    return tree.build(board) / "run-guest"


def command(tree: Tree, wish: Wish, prepared: Prepared, image: Path) -> list[str]:
    options = tree.qemu_options(wish.board)
    if "-smp" not in options:
        options = [*options, "-smp", str(wish.cpus)]
    words = qemu.command(options, wish.clock, image)
    if terminal.can_type():  # a recording QEMU does not receive the user's input
        words = qemu.unrecorded(words)
    return [*words, *(word for load in prepared.loads for word in load.option(prepared.board))]


def opening_line(wish: Wish, prepared: Prepared) -> str:
    """Describe the machine and the images in a line."""
    machine, layout = prepared.machine, prepared.layout
    parts = [f"{prepared.image} at {layout.image[0].address:#x}"]
    if layout.entry != layout.image[0].address:
        parts.append(f"entry {layout.entry:#x}")
    parts.append(f"device tree at {layout.dtb:#x}")
    if layout.initrd:
        parts.append(f"initrd at {layout.initrd.address:#x}")
    cpus = f"{machine.cpus} vCPU{'s' if machine.cpus > 1 else ''}"
    return (f"{', '.join(parts)}; {wish.board}, {wish.config}, {cpus},"
            f" {size_text(machine.ram_size)} at {machine.ram:#x}")


def starvation_warning(wish: Wish, program: str) -> str:
    """Return a warning if the installed QEMU, under icount, gives all turns to a single vCPU of
    several, or ""."""
    if wish.clock != "icount" or wish.cpus == 1:
        return ""
    installed = qemu.version(program)
    if not installed or installed >= FAIR:
        return ""
    return (f"{program} is version {'.'.join(map(str, installed))}: with CLOCK=icount a vCPU that"
            f" waits with a time-out starves the others before {'.'.join(map(str, FAIR))}; CPUS=1,"
            " CLOCK=host or a newer QEMU does not")


@dataclass(frozen=True)
class Verdict:
    status: int
    lines: list[str]


def run(tree: Tree, wish: Wish, say: Say) -> tuple[Log, Verdict]:
    """Run the guest on this terminal. `say` prints all other text."""
    if reason := qemu.too_old(tree.qemu_options(wish.board),
                              tree.board_fact(wish.board, "QEMU_NEEDS")):
        raise click.ClickException(f"{wish.board}: {reason}")
    folder = folder_of(tree, wish.board)
    with alone_in(folder, f"a guest on {wish.board}"):
        return run_alone(tree, wish, say, folder)


def run_alone(tree: Tree, wish: Wish, say: Say, folder: Path) -> tuple[Log, Verdict]:
    prepared = prepare(tree, wish, folder)
    image = write_image(tree, wish.board, prepared.plan,
                        qemu.PLATFORM_OF_CLOCK[wish.clock], folder)
    words = command(tree, wish, prepared, image)
    session = terminal.Session(words, wish.limit_s)
    say(opening_line(wish, prepared))
    if warning := starvation_warning(wish, words[0]):
        say(warning)
    with (folder / "console.log").open("wb") as console:
        session.run(console, terminal.show)
    write_results(session.stream.log, folder)
    return session.stream.log, verdict(session, wish, prepared.board.gic)


def verdict(session: terminal.Session, wish: Wish, gic: str) -> Verdict:
    """Return this command's exit status, and the lines of the outcome and of QEMU's messages."""
    result = outcome(session, wish, gic)
    messages = [line for line in session.stderr.splitlines() if not ENDED_BY_US.search(line)]
    return Verdict(result.status, [*result.lines, *(f"QEMU reports: {line}" for line in messages)])


def outcome(session: terminal.Session, wish: Wish, gic: str) -> Verdict:
    """Return the outcome without QEMU's own messages."""
    log = session.stream.log
    faults = [note_of(data, short=False) for data in log.of_kind("fault", "error")]
    if session.ended_by_user:
        return Verdict(0, [*faults, "ended by the user; the guest had not powered off"
                           + silence(session, gic)])
    if session.stuck:
        return Verdict(1, [*faults, stuck_text(log)])
    if session.timed_out:
        return Verdict(1, [*faults, f"time limit: QEMU was ended after {session.limit_s:g} s; the"
                                    f" guest had not powered off{restarts(log)}"
                                    f"{silence(session, gic)}"])
    steps = log.of_kind("step")
    if not faults and log.run and steps and steps[-1]["outcome"] == "done":
        problems = all_problems(log, session, wish)
        status, remark = guest_status(session, wish)
        return Verdict(status or int(bool(problems)), [summary(log, steps[-1]) + remark, *problems])
    problems = [] if faults else all_problems(log, session, wish)
    return Verdict(1, faults + problems)


def restarts(log: Log) -> str:
    """Return the restarts of a guest that did not end; records count them by powers of two."""
    counts = [data.get("count") for data in log.of_kind("check")
              if data.get("variant") == "resets"]
    return f"; the guest reset {counts[-1]} times or more" if counts else ""


def silence(session: terminal.Session, gic: str) -> str:
    """Return the usual cause of a guest that hangs before its first line: EL2 does not see
    exceptions at EL1, and real-time systems are built for one GIC."""
    if session.printed:
        return ""
    return (f"; it printed nothing: was it built for this board's {gic.replace('gic', 'GIC')}?"
            " A hypervisor needs EL2, and a guest has EL1")


def guest_status(session: terminal.Session, wish: Wish) -> tuple[int, str]:
    """Return the guest's own exit status and a remark, or 0 if the user did not ask for a
    status."""
    if not wish.guest_status:
        return 0, ""
    code = session.exit_line.code
    status = status_of(code, wish.guest_status)
    if status is None:
        form = "EXIT: STATUS=n" if code is None else "EXIT: STATUS=n with an odd n"
        return 1, f"; GUEST_STATUS={wish.guest_status}: it printed no line {form}"
    return status, f"; its own status is {status}"


def all_problems(log: Log, session: terminal.Session, wish: Wish) -> list[str]:
    return problems_of(log, qemu.PLATFORM_OF_CLOCK[wish.clock]) + ending_problems(session, log)


def summary(log: Log, step: Data) -> str:
    """Return a summary. The time is in ticks even under icount, because the counter advances
    without instructions while the guest sleeps."""
    ticks = step["ticks"]
    exits = log.of_kind("exits")
    counts = f", {sum(data['n'] for data in exits)} exits" if exits else ""
    if step.get("resets"):
        counts += f", {step['resets']} restarts"
    if step.get("rom_writes"):
        counts += f", {step['rom_writes']} stores to read-only memory ignored"
    return f"the guest powered off after {ticks} ticks ({ticks / log.run['hz']:.3f} s){counts}"
