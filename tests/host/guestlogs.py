# SPDX-License-Identifier: Apache-2.0
"""Lines that the hypervisor prints around an unmodified guest."""

from logmaker import HZ, TRAPPED, end_record, exits_record, log_of, run_record, step_head

HEAD = step_head(0, 0, "trapped", "guest")
FAULT = {"kind": "fault", "reason": "data-abort", "class": "0x24", "esr": "0x93000046",
         "pc": "0x40200010", "va": "0x90000000", "ipa": "0x90000000", "vcpu": 2,
         "at": "nothing"}


def guest_log(outcome: str = "done", platform: str = "qemu-host", exits: bool = True,
              before: tuple[dict, ...] = ()) -> bytes:
    """Return lines of records: run, the records of `before`, exits, step, end."""
    run = run_record(1, platform, (TRAPPED,), plan="guest",
                     order="once", limit_ms=0)
    bodies = [run, *(HEAD | body for body in before)]
    if exits:
        bodies.append(exits_record(HEAD, "hvc", [100] * 9 + [200]))
    bodies.append(HEAD | {"kind": "step", "steps": 1, "outcome": outcome, "ticks": 2 * HZ,
                          "smc": 0})
    faults = sum(body["kind"] == "fault" for body in bodies)
    status = "ok" if outcome == "done" else "failed"
    return log_of([*bodies, end_record(len(bodies) + 1, faults=faults, status=status)])
