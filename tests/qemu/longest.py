# SPDX-License-Identifier: Apache-2.0
"""Runs of guests whose exits are long (arch/longest.c): the tests measure their visits to EL2."""

from functools import cache

from assembler import Program, assemble
from lab import Job
from talk import ENTRY, RAM, gic, with_image

HEAD = "order once\nlimit_ms 60000\n"
FOR_EVER = 1_000_000_000  # rounds


def program(board: str, rounds: int, seed: int = 1) -> Program:
    return assemble(board, "vcpus", ENTRY, f"GIC={gic(board)}", f"SEED={seed}",
                    f"ROUNDS={rounds}", "STACKS=0x100000", sources=("longest.c",))


def guest(board: str, rounds: int, ram_mib: int = 64, name: str = "", dtb: int = 0) -> str:
    return (f"guest {name} ram={RAM:#x} ram_mib={ram_mib} cpus=2 entry={ENTRY:#x} dtb={dtb:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={len(program(board, rounds).binary)}\n")


def run_of(board: str, plan: str, rounds: int) -> Job:
    return Job(board, HEAD + plan, with_image(board, program(board, rounds), 2))


def events(names: tuple[str, ...], kinds: tuple[str, ...], every_us: int, until_us: int) -> str:
    """Return lines with an event on each VM in turn, each kind on all VMs before the next."""
    times = range(every_us, until_us, every_us)
    return "".join(f"at {at} {kinds[number // len(names) % len(kinds)]} "
                   f"{names[number % len(names)]}\n" for number, at in enumerate(times))


def pairs(board: str) -> Job:
    """Return a run of two VMs with their vCPUs on the same two cores, and of one VM alone."""
    rounds = 300
    return run_of(board, (
        "config alone trapped cntp=emulated wfi=trapped\n"
        "config turns trapped cntp=emulated sched=rr slice_us=50 fp=lazy\n"
        "config turns-sw trapped-sw sched=rr slice_us=50 fp=eager\n"
        "config urgent trapped cntp=emulated sched=fp fp=lazy\n"
        f"{guest(board, rounds, name='guest')}{guest(board, rounds, name='naps', dtb=RAM)}"
        "vm one image=guest cores=0,1 prio=1\n"
        "vm other image=guest cores=1,0 prio=2 configs=turns,turns-sw\n"
        "vm sleeper image=naps cores=1,0 prio=2 configs=urgent\n"
        + events(("one",), ("pause", "resume"), 300, 200_000)), rounds)


def crowd(board: str) -> Job:
    """Return a run with as many vCPUs on each core as there can be, and with events."""
    rounds = 60
    names = tuple(f"vm{number}" for number in range(8))
    return run_of(board, (
        "config crowd trapped cntp=emulated sched=rr slice_us=1000 fp=lazy\n"
        f"{guest(board, rounds, 16)}"
        + "".join(f"vm {name} image=guest cores={number % 2},{1 - number % 2}\n"
                  for number, name in enumerate(names))
        + events(names, ("pause", "resume", "reset", "destroy", "create"), 500, 80_000)), rounds)


FAIL_OVERS = ("active_call", "active_heartbeat", "active_control", "active_random")


def fail_overs(board: str) -> Job:
    """Return a run with fail overs and yields of bench guests, beside a VM with long exits."""
    return run_of(board, (
        "".join(f"config {beside} trapped sched=rr fp=lazy slice_us=50 beside={beside}\n"
                for beside in FAIL_OVERS)
        + "config yield trapped fp=lazy sched=rr beside=load_yield slice_us=1000\n"
        "bench vm_yield n=120\nbench failover n=120\n"
        f"{guest(board, FOR_EVER)}vm rt image=bench cores=0 prio=2\n"
        "vm active image=load cores=0 prio=2\n"
        "vm control image=control cores=0 configs=active_control\n"
        "vm guest image=guest cores=0,1 prio=2\n"), FOR_EVER)


RUNS = {"long exits of two VMs": pairs, "long exits of eight VMs": crowd,
        "long exits beside fail overs": fail_overs}


@cache
def jobs(board: str) -> dict[str, Job]:
    """Return the runs by their names in the table of ceilings."""
    return {name: run(board) for name, run in RUNS.items()}
