# SPDX-License-Identifier: Apache-2.0
"""The trace of a run for the Perfetto UI. golden/traces.txt has exits as records give them, and the
slices ("=") and flows (">") of their trace; for several vCPUs of one VM only the flows."""

from dataclasses import replace

import pytest

from golden import FOLDER, UPDATING
from hypbench.html import timeline
from hypbench.plan_language import parse
from hypbench.plan_model import words_of
from hypbench.trace import doorbells_of, exits_of, trace_of, with_trace
from hypbench.trace_names import arguments
from traceparts import Slice, flows_of, slices_of

HZ = 62_500_000
NS = 16  # ns of a tick
CASES = (FOLDER / "traces.txt").read_text().rstrip().split("\n\n")
LINKED = parse("config a trapped beside=load_echo trace=on\nbench b\n")
TWO = parse("config a trapped trace=on\nbench b\nvm bench cores=0-1\n")
PLANS = {
    "alone": parse("config a trapped sched=fp fp=lazy beside=load_cpu trace=on\nbench b\n"),
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


def said(one: Slice) -> str:
    words = [f"{name}={value}" for name, value in one.args if name not in PLACE]
    return " ".join([f"{one.track[-1]}:", one.name, *words, f"{one.start // NS}-{one.end // NS}"])


def answered(case: str) -> str:
    """Return the case with the slices and flows that the tool makes."""
    given = [line for line in case.splitlines() if line[:1] not in "=>"]
    name = given[1].removeprefix("plan ")
    made = trace_of(Records(given[2:]), PLANS[name], V3 if name.endswith("v3") else BOARD)
    slices = [] if name.startswith("two") else sorted(f"= {said(one)}" for one in slices_of(made))
    flows = sorted(f"> {said(begin)} -> {said(end)}" for begin, end in flows_of(made))
    return "\n".join([*given, *slices, *flows])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0].removeprefix("# "))
def test_slices_and_flows(case):
    assert answered(case) == case


@pytest.mark.skipif(not UPDATING, reason="UPDATE_GOLDEN=1 rewrites golden/traces.txt")
def test_the_cases_are_rewritten():
    (FOLDER / "traces.txt").write_text("\n\n".join(map(answered, CASES)) + "\n")


DIST, REDIST = BOARD["gic.dist"], V3["gic.redist"]
SGI1R = 0x18 << 26 | 3 << 20 | 5 << 17 | 12 << 10 | 11 << 1
DOORBELL = 0xbfe00000  # the last 2 MiB of guest RAM


@pytest.mark.parametrize("kind, arg, board, plan, found", [
    ("mmio-write", DIST + 0xf00, BOARD, "alone", {
        "ipa": "0x8000f00", "device": "GICD", "register": "GICD_SGIR", "value": "0x10000"}),
    ("mmio-read", DIST + 0x104, BOARD, "alone", {
        "ipa": "0x8000104", "device": "GICD", "register": "GICD_ISENABLER"}),
    ("mmio-read", DIST + 0xc, BOARD, "alone", {"ipa": "0x800000c", "device": "GICD"}),
    ("mmio-read", DIST + 0x6100, V3, "alone", {
        "ipa": "0x8006100", "device": "GICD", "register": "GICD_IROUTER"}),
    ("mmio-read", DIST + 0x6100, BOARD, "alone", {"ipa": "0x8006100"}),
    ("mmio-read", REDIST + 0x20014, V3, "alone", {
        "ipa": "0x80c0014", "device": "GICR", "register": "GICR_WAKER", "frame": 1}),
    ("mmio-read", REDIST + 0x10180, V3, "alone", {
        "ipa": "0x80b0180", "device": "GICR", "register": "GICR_ICENABLER", "frame": 0}),
    ("mmio-read", 0x1000, BOARD, "alone", {"ipa": "0x1000"}),
    ("mmio-write", DOORBELL, BOARD, "linked", {
        "ipa": "0xbfe00000", "device": "doorbell", "link": "bench-load1", "value": "0x10000"}),
    ("mmio-write", DOORBELL + 0x50, BOARD, "virtio", {
        "ipa": "0xbfe00050", "device": "VIRTIO", "register": "VIRTIO_QUEUE_NOTIFY",
        "link": "bench-load1", "value": "0x10000"}),
    ("stage2-fault", 0x2000, BOARD, "alone", {"ipa": "0x2000"}),
    ("sysreg", SGI1R, V3, "alone", {"register": "ICC_SGI1R_EL1", "access": "write"}),
    ("sysreg", 0x18 << 26 | 3 << 20 | 3 << 14 | 9 << 10 | 13 << 1 | 1, BOARD, "alone", {
        "register": "S3_3_C9_C13_0", "access": "read"}),
    ("sysreg", 0x03 << 26 | 1 << 17 | 1 << 10 | 1, BOARD, "alone", {
        "register": "ACTLR", "access": "read"}),
    ("hvc", 0x86000000, BOARD, "alone", {"call": "NULL"}),
    ("smc", 0xc4000003, BOARD, "alone", {"call": "CPU_ON"}),
    ("hvc", 0x12, BOARD, "alone", {"function": "0x12"}),
    ("kick", 7, BOARD, "alone", {"intid": 7}), ("wfi", 0, BOARD, "alone", {}),
    ("other", 0x5e000000, BOARD, "alone", {"syndrome": "0x5e000000"})])
def test_the_arguments_of_an_exit_by_name(kind, arg, board, plan, found):
    assert arguments(kind, arg, 0x10000, doorbells_of(PLANS[plan], BOARD), board) == found


def test_a_name_has_no_number_and_every_slice_has_its_category():
    """SQL can therefore group exits by name, by category and by argument; the test reads them by
    protobuf."""
    lines = ["bench 0 100 10 irq 0x1b", "bench 0 200 10 mmio-write 0x8000f00",
             "bench 0 300 10 mmio-write 0x8000104", "bench 0 400 10 hvc 0x86000000",
             "bench 0 500 10 wfi 0x0"]
    made = slices_of(trace_of(Records(lines), PLANS["alone"], BOARD))
    exits = [(one.name, one.category, one.arg("register") or one.arg("call") or one.arg("intid"))
             for one in made if one.arg("ticks")]
    assert exits == [("irq", "interrupt", 27), ("mmio-write", "device", "GICD_SGIR"),
                     ("mmio-write", "device", "GICD_ISENABLER"), ("hvc", "call", "NULL"),
                     ("wfi", "wait", None)]
    assert {one.category for one in made} == {"interrupt", "device", "call", "wait", "guest",
                                              "core", "step"}
    assert {(one.arg("vm"), one.arg("vcpu"), one.arg("core"), one.arg("ticks"))
            for one in made if one.arg("ticks")} == {("bench", 0, 0, 10)}


def test_the_picture_is_of_a_request_and_its_answer():
    trip = next(case for case in CASES if case.startswith("# A ring flows to the interrupt"))
    log = Records([line for line in trip.splitlines()[2:] if line[0] not in "=>"])
    [exits] = exits_of(log, LINKED).values()
    doorbells = doorbells_of(LINKED, BOARD)
    assert timeline.round_trip(exits, doorbells) == (100, 695)
    spec = timeline.timeline(exits, doorbells, (100, 695), "instructions")
    arrows = spec["layer"][2]["data"]["values"]
    assert [(one["from"], one["to"], one["shape"]) for one in arrows] == [
        (60, 130, "triangle-down"), (460, 540, "triangle-up")]
    slices = {(one["name"], one["from"], one["to"]) for one in spec["data"]["values"]}
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
