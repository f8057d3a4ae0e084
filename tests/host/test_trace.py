# SPDX-License-Identifier: Apache-2.0
"""The trace of a run for the Perfetto UI. golden/traces.txt has exits as records give them, and the
slices ("=") and flows (">") of their trace; for several vCPUs of one VM only the flows."""

from dataclasses import replace

import pytest

from golden import FOLDER, check_block
from hypbench.html import timeline
from hypbench.plan_language import parse
from hypbench.plan_model import words_of
from hypbench.trace import doorbells_of, exits_of, trace_of, with_trace
from traceparts import Slice, flows_of, slices_of

HZ = 62_500_000
NS = 16  # ns of a tick
CASES = (FOLDER / "traces.txt").read_text().rstrip().split("\n\n")
LINKED = parse("config a trapped beside=load_echo trace=on\nbench b\n")
TWO = parse("config a trapped trace=on\nbench b\nvm bench cores=0-1\n")
ALONE = parse("config a trapped sched=fp fp=lazy beside=load_cpu trace=on\nbench b\n")
PLANS = {
    "alone": ALONE, "alone-gicv3": ALONE,
    "linked": LINKED, "two-gicv2": TWO, "two-gicv3": TWO,
    "virtio": replace(LINKED, links={name: replace(link, kind="virtio")
                                     for name, link in LINKED.links.items()})}
BOARD = {"guest_base": 0x80000000, "guest_size": 0x40000000, "gic.dist": 0x8000000}
V3 = BOARD | {"gic.redist": 0x80a0000}


class Records:
    """The parts of a log that a trace needs."""

    run = {"hz": HZ, "platform": "qemu-icount"}

    def __init__(self, lines: list[str]):
        self.exits = [self.exit(*line.split()) for line in lines]

    @staticmethod
    def exit(vm: str, vcpu: str, t: str, dur: str, event: str, arg: str, paused: str = "") -> dict:
        return {"step": 0, "vm": vm, "t": int(t), "dur": int(dur), "event": event, "arg": arg,
                "paused": int(bool(paused))} | ({"vcpu": int(vcpu)} if vcpu != "-" else {})

    def of_kind(self, kind: str) -> list[dict]:
        return [{"step": 0, "bench": "b", "config": "a"}] if kind == "step" else self.exits


PLACE = ("ticks", "vm", "vcpu", "core")  # arguments of every exit


def line_of(slice_: Slice, *without: str) -> str:
    words = [f"{name}={value}" for name, value in slice_.args if name not in without]
    return " ".join([f"{slice_.track[-1]}:", slice_.name, *words,
                     f"{slice_.start // NS}-{slice_.end // NS}"])


def answered(case: str) -> str:
    """Return the case with the slices and flows that the tool makes."""
    lines = [line for line in case.splitlines() if line[:1] not in "=>"]
    name = lines[1].removeprefix("plan ")
    trace = trace_of(Records(lines[2:]), PLANS[name], V3 if name.endswith("v3") else BOARD)
    slices = [] if name.startswith("two") else sorted(
        f"= {line_of(slice_)} {slice_.category}" for slice_ in slices_of(trace))
    flows = sorted(f"> {line_of(begin, *PLACE)} -> {line_of(end, *PLACE)}"
                   for begin, end in flows_of(trace))
    return "\n".join([*lines, *slices, *flows])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0].removeprefix("# "))
def test_slices_and_flows(case):
    check_block("traces.txt", case, answered(case))


def test_the_picture_is_of_a_request_and_its_answer():
    trip = next(case for case in CASES if case.startswith("# A ring flows to the interrupt"))
    log = Records([line for line in trip.splitlines()[2:] if line[0] not in "=>"])
    [exits] = exits_of(log, LINKED).values()
    doorbells = doorbells_of(LINKED, BOARD)
    assert timeline.round_trip(exits, doorbells) == (100, 695)
    spec = timeline.timeline(exits, doorbells, (100, 695), "instructions")
    arrows = spec["layer"][2]["data"]["values"]
    assert [(arrow["from"], arrow["to"], arrow["shape"]) for arrow in arrows] == [
        (60, 130, "triangle-down"), (460, 540, "triangle-up")]
    slices = {(bar["name"], bar["from"], bar["to"]) for bar in spec["data"]["values"]}
    assert {("ring", 0, 60), ("irq 110", 130, 185), ("handles irq 110", 185, 400)} <= slices
    drawn = timeline.picture_of(log, LINKED, BOARD)
    assert drawn.startswith("<svg") and drawn.count("handles irq 110") == 1
    log.exits = log.exits[:2]
    assert timeline.picture_of(log, LINKED, BOARD) == ""


@pytest.mark.parametrize("axes, traced", [
    ("trapped", True), ("native", True), ("trapped probes=on", False),
    ("trapped lr_sync=full", False)])
def test_what_cannot_be_traced_stays_as_it_is(axes, traced):
    plan = with_trace(parse(f"config a {axes}\nbench b\n"))
    assert (words_of(plan.configs["a"])["trace"] == "on") == traced
