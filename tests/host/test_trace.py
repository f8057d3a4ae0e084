# SPDX-License-Identifier: Apache-2.0
"""The trace for the Perfetto UI, of a few exits whose meaning is known."""

from dataclasses import replace

import pytest

from hypbench.html import timeline
from hypbench.plan_language import parse, words_of
from hypbench.trace import doorbells_of, exits_of, trace_of, with_trace
from traceparts import Slice, flows_of, slices_of

PLAN = parse("config a trapped sched=fp fp=lazy beside=load_cpu trace=on\nbench b\n")
HZ = 62_500_000
NS = 16  # a tick


class Records:
    """As much of a log as a trace needs: (vm, begin, ticks, kind, arg, paused)."""

    run = {"hz": HZ}

    def __init__(self, *exits: tuple):
        self.exits = exits

    def of_kind(self, kind: str) -> list[dict]:
        if kind == "step":
            return [{"step": 0, "bench": "b", "config": "a"}]
        return [{"step": 0, "vm": vm, "vcpu": 0, "t": t, "dur": dur, "event": event,
                 "arg": hex(arg), "paused": int(any(paused))}
                for vm, t, dur, event, arg, *paused in self.exits]


def parts(*exits: tuple) -> list[Slice]:
    return slices_of(trace_of(Records(*exits), PLAN))


def on(track: str, found: list[Slice]) -> list[tuple[str, int, int]]:
    return [(one.name, one.start // NS, one.end // NS) for one in found if one.track[-1] == track]


def test_a_core_has_a_turn_for_each_vcpu_in_a_row():
    found = parts(("load0", 90, 10, "irq", 27), ("bench", 100, 5, "hvc", 0x86000000),
                  ("bench", 200, 30, "wfi", 0), ("load0", 300, 20, "other", 27),
                  ("bench", 400, 10, "wfi", 0))
    assert on("core 0", found) == [("bench vCPU 0", 100, 230), ("load0 vCPU 0", 230, 320),
                                   ("bench vCPU 0", 320, 410)]


def test_a_vcpu_runs_between_its_exits():
    found = parts(("bench", 100, 5, "hvc", 0x86000000), ("bench", 150, 10, "irq", 27),
                  ("bench", 200, 7, "wfi", 0x7e00000))
    assert on("bench vCPU 0", found) == [
        ("hvc NULL", 100, 105), ("guest", 105, 150), ("irq 27", 150, 160), ("guest", 160, 200),
        ("wfi 0x7e00000", 200, 207)]
    assert on("core 0", found) == [("bench vCPU 0", 100, 207)]
    assert on("steps", found) == [("b, a", 100, 207)]


@pytest.mark.parametrize("forged", [("other", 160, 5, "irq", 27),
                                    ("background", 160, 5, "irq", 27),
                                    ("bench", 160, 2**64 - 1, "irq", 27)])
def test_a_forged_record_is_no_exit(forged):
    found = (("bench", 100, 5, "hvc", 0x86000000), ("bench", 200, 7, "wfi", 0))
    assert parts(*found, forged) == parts(*found)


@pytest.mark.parametrize("vcpu", [{"vcpu": 1}, {}])
def test_a_record_of_another_vcpu_is_no_exit(vcpu):
    log = Records()
    log.of_kind = lambda kind: [{"step": 0, "vm": "bench", "t": 1, "dur": 1, "event": "irq",
                                 "arg": "0x1b"} | vcpu]
    assert not exits_of(log, PLAN)


def test_a_vm_is_paused_until_its_partner_is():
    found = parts(("bench", 50, 5, "wfi", 0), ("load0", 60, 5, "wfi", 0),
                  ("bench", 100, 5, "hvc", 0x8600000c, True), ("load0", 140, 4, "wfi", 0),
                  ("load0", 150, 5, "hvc", 0x8600000c, True),
                  ("bench", 200, 5, "hvc", 0x8600000c, True))
    assert on("bench vCPU 0", found) == [
        ("guest", 65, 100), ("hvc FAIL_OVER", 100, 105), ("paused", 105, 155),
        ("guest", 155, 200), ("hvc FAIL_OVER", 200, 205)]
    assert ("paused", 155, 205) not in on("load0 vCPU 0", found)  # it may be for ever


def test_a_vm_that_nothing_else_resumed_is_paused_until_its_next_exit():
    found = parts(("bench", 100, 5, "hyp-timer", 26, True), ("bench", 300, 5, "wfi", 0))
    assert on("bench vCPU 0", found) == [("hyp-timer 26", 100, 105), ("paused", 105, 300),
                                         ("wfi 0x0", 300, 305)]


def test_a_vm_that_an_event_resumes_is_paused_until_then():
    """Also where it does not exit again."""
    found = parts(("bench", 100, 5, "hyp-timer", 26, True), ("bench", 110, 0, "pause", 0, True),
                  ("bench", 180, 0, "resume", 0, True), ("bench", 300, 5, "wfi", 0, True),
                  ("bench", 400, 0, "resume", 0, True))
    assert on("bench vCPU 0", found) == [
        ("hyp-timer 26", 100, 105), ("paused", 105, 180), ("guest", 180, 300),
        ("wfi 0x0", 300, 305), ("paused", 305, 400)]
    assert on("core 0", found) == [("bench vCPU 0", 100, 305)]


def test_a_vm_that_an_event_pauses_while_it_sleeps_in_el2_is_paused_from_then_on():
    found = parts(("bench", 100, 5, "wfi", 0), ("load0", 120, 5, "wfi", 0),
                  ("bench", 150, 0, "pause", 0, True), ("load0", 160, 5, "wfi", 0),
                  ("bench", 180, 0, "resume", 0, True), ("bench", 300, 5, "wfi", 0))
    assert ("paused", 150, 180) in on("bench vCPU 0", found)
    assert on("core 0", found) == [("load0 vCPU 0", 120, 165), ("bench vCPU 0", 165, 305)]


def test_a_step_with_events_alone_has_no_slice():
    assert parts(("bench", 100, 0, "pause", 0, True), ("bench", 200, 0, "resume", 0, True)) == []


def test_an_exit_of_less_than_a_tick_is_a_slice():
    found = parts(("bench", 100, 0, "wfi", 0), ("bench", 100, 5, "wfi", 0))
    assert on("bench vCPU 0", found) == [("wfi 0x0", 100, 100), ("wfi 0x0", 100, 105)]


def test_an_interrupt_flows_to_the_vm_that_handles_it():
    trace = trace_of(Records(("load0", 100, 5, "wfi", 0), ("bench", 150, 4, "wfi", 0),
                             ("load0", 200, 30, "other", 27), ("bench", 300, 20, "wfi", 0)), PLAN)
    [(begin, end)] = flows_of(trace)
    assert (begin.track[-1], begin.name) == ("load0 vCPU 0", "other 27")
    assert (end.track[-1], end.name, end.start) == ("bench vCPU 0", "guest", 230 * NS)


def test_an_interrupt_of_el2_that_changes_no_vcpu_has_no_flow():
    """What the guest goes on with is no handler of it."""
    assert flows_of(trace_of(Records(("bench", 100, 5, "hyp-timer", 26),
                                     ("bench", 200, 5, "hvc", 0x86000000),
                                     ("bench", 300, 5, "maintenance", 25),
                                     ("bench", 400, 5, "wfi", 0)), PLAN)) == []
    trace = trace_of(Records(("load0", 10, 5, "wfi", 0), ("bench", 50, 5, "wfi", 0),
                             ("load0", 100, 5, "hyp-timer", 26), ("bench", 200, 5, "wfi", 0)), PLAN)
    [(begin, end)] = flows_of(trace)
    assert (begin.name, end.track[-1]) == ("hyp-timer 26", "bench vCPU 0")


def late(ticks: int, intid: int = 27) -> int:
    return ticks << 32 | intid


def test_a_timer_flows_from_where_it_fires_to_its_exit():
    trace = trace_of(Records(
        ("load0", 90, 5, "wfi", 0), ("bench", 100, 5, "wfi", 0),
        ("bench", 150, 5, "irq", late(20)), ("load0", 250, 5, "hyp-timer", late(30, 26)),
        ("bench", 300, 5, "irq", late(0, 40)),
        ("bench", 330, 5, "irq", late(30)), ("load0", 400, 5, "wfi", 0)), PLAN)
    found = slices_of(trace)
    assert on("bench vCPU 0, INTID 27", found) == [("fired", 130, 150), ("fired", 300, 330)]
    assert on("load0 vCPU 0, INTID 26", found) == [("fired", 220, 250)]
    flows = flows_of(trace)
    ends = {begin.end // NS: (end.name, end.start // NS) for begin, end in flows
            if begin.name == "fired"}
    assert ends == {150: ("irq 27", 150), 250: ("hyp-timer 26", 250), 330: ("irq 27", 330)}
    assert sorted(begin.name for begin, _ in flows) == [
        "fired", "fired", "fired", "hyp-timer 26", "irq 27", "irq 27", "irq 40"]


@pytest.mark.parametrize("ticks", [0, 51, 200, 2**32 - 1])
def test_a_compare_value_from_before_the_last_exit_says_not_when_its_timer_fired(ticks):
    found = parts(("load0", 90, 5, "wfi", 0), ("bench", 100, 5, "wfi", 0),
                  ("bench", 150, 5, "irq", 27),
                  ("bench", 200, 5, "irq", late(ticks)), ("bench", 300, 5, "wfi", 0))
    assert not [one for one in found if one.name == "fired"]
    assert ("irq 27", 200, 205) in on("bench vCPU 0", found)


LINKED = parse("config a trapped beside=load_echo trace=on\nbench b\n")
BOARD = {"guest_base": 0x80000000, "guest_size": 0x40000000, "gic.dist": 0x8000000}
DOORBELL = 0xbfe00000
TRIP = (("bench", 100, 60, "mmio-write", DOORBELL), ("load1", 230, 55, "irq", 110),
        ("load1", 500, 60, "mmio-write", DOORBELL), ("bench", 640, 55, "irq", 108),
        ("bench", 1000, 60, "mmio-write", 0x8000204), ("load1", 1100, 55, "irq", 27),
        ("bench", 1200, 60, "mmio-write", DOORBELL), ("bench", 1300, 60, "mmio-write", DOORBELL),
        ("load1", 1500, 55, "irq", 110), ("load1", 1600, 5, "wfi", 0), ("bench", 1700, 5, "wfi", 0))


def test_a_ring_flows_to_the_interrupt_that_it_makes():
    """The first of several; neither another device's register nor another interrupt."""
    flows = flows_of(trace_of(Records(*TRIP), LINKED, BOARD))
    rings = sorted((begin.start // NS, begin.track[-1], end.start // NS, end.track[-1])
                   for begin, end in flows if end.name != "guest")
    assert rings == [(100, "bench vCPU 0", 230, "load1 vCPU 0"),
                     (500, "load1 vCPU 0", 640, "bench vCPU 0"),
                     (1200, "bench vCPU 0", 1500, "load1 vCPU 0")]
    handled = [begin.name for begin, end in flows if end.name == "guest"]
    assert sorted(handled) == ["irq 108", "irq 110", "irq 110", "irq 27"]


def test_of_a_virtio_device_a_notification_is_the_ring():
    trip = [("bench", 50, 20, "mmio-write", DOORBELL + 0x70), *(
        (vm, start, ticks, kind, arg + (0x50 if arg == DOORBELL else 0))
        for vm, start, ticks, kind, arg in TRIP),
        ("load1", 1560, 20, "mmio-write", DOORBELL + 0x64)]
    linked = replace(LINKED, links={name: replace(link, kind="virtio")
                                    for name, link in LINKED.links.items()})
    flows = flows_of(trace_of(Records(*trip), linked, BOARD))
    assert sorted(begin.start // NS for begin, end in flows if end.name != "guest") == [
        100, 500, 1200]


def test_a_ring_flows_to_an_exit_of_the_vm_that_has_the_core():
    """That goes on: the other VM's handler is later."""
    trip = [*TRIP, ("bench", 2000, 20, "mmio-write", DOORBELL), ("bench", 2100, 30, "other", 110),
            ("bench", 2200, 5, "hvc", 0)]
    flows = flows_of(trace_of(Records(*trip), LINKED, BOARD))
    assert [(begin.start // NS, end.name) for begin, end in flows if begin.start >= 2000 * NS] == [
        (2000, "other 110")]


TWO = parse("config a trapped trace=on\nbench b\nvm bench cores=0-1\n")
V2, V3 = BOARD, {**BOARD, "gic.redist": 0x80a0000}


def store(value: int, ipa: int = 0x8000f00) -> tuple[str, int]:
    return "mmio-write", value >> 8 << 40 | ipa


def msr(value: int, syndrome: int = 0x623a3016) -> tuple[str, int]:
    return "sysreg", value << 32 | syndrome


def flows_between(board: dict, *exits: tuple) -> list[tuple[int, int]]:
    """Of the VM's two vCPUs, each on its core: (vCPU, begin, kind, arg)."""
    log = Records()
    log.of_kind = lambda kind: [] if kind == "step" else [
        {"step": 0, "vm": "bench", "vcpu": vcpu, "t": t, "dur": 5, "event": event, "arg": hex(arg),
         "paused": int(any(paused))} for vcpu, t, event, arg, *paused in exits]
    flows = flows_of(trace_of(log, TWO, board))
    return [(begin.start // NS, end.start // NS) for begin, end in flows]


BEFORE = (0, 10, "hvc", 0x86000000), (1, 10, "hvc", 0x86000000)
KICK = 1, 120, "kick", 7


@pytest.mark.parametrize("board, sgi", [
    (V2, store(2 << 16 | 5)), (V2, store(3 << 16)), (V2, store(1 << 24)), (V3, msr(5 << 24 | 2)),
    (V3, msr(3)), (V3, msr(0))])
def test_an_sgi_flows_to_the_kick_of_the_vcpu_that_it_goes_to(board, sgi):
    assert (100, 120) in flows_between(board, *BEFORE, (0, 100, *sgi), KICK)
    assert (100, 120) in flows_between(board, *BEFORE, (0, 100, *sgi), (1, 110, "irq", 27), KICK)
    two = flows_between(board, *BEFORE, (0, 100, *sgi), (0, 110, *sgi), KICK)
    assert {(100, 120), (110, 120)} <= set(two)  # one kick for both


@pytest.mark.parametrize("board, sgi", [
    (V2, store(1 << 16)), (V2, store(2 << 24)), (V2, store(3 << 24)), (V2, store(0)),
    (V2, store(2 << 16, 0x8000f10)), (V3, store(2 << 16)), (V3, msr(1)),
    (V3, msr(2, 0x623a3017)), (V3, msr(2, 0x623c3016))])
def test_what_is_no_sgi_to_another_vcpu_does_not_flow_to_its_kick(board, sgi):
    assert (100, 120) not in flows_between(board, *BEFORE, (0, 100, *sgi), KICK)


@pytest.mark.parametrize("between", [
    (1, 110, "hvc", 0x86000000), (1, 90, "hvc", 0x84000002), (1, 90, "hyp-timer", 26, True),
    (1, 90, "pause", 0, True)])
def test_an_sgi_to_a_vcpu_that_does_not_run_does_not_flow_to_a_later_kick(between):
    assert flows_between(V2, *BEFORE, (0, 100, *store(2 << 16)), between, KICK) == []


def test_an_sgi_to_a_vcpu_that_waits_or_is_resumed_flows_to_its_kick():
    for last in ((1, 90, "wfi", 0x7e00000), (1, 90, "resume", 0, True)):
        found = flows_between(V2, *BEFORE, (0, 100, *store(2 << 16)), last, KICK)
        assert (100, 120) in found


@pytest.mark.parametrize("board, sgi", [
    (V2, store(2 << 24)), (V2, store(1 << 16)), (V3, msr(1)), (V3, msr(3))])
def test_an_sgi_to_itself_is_handled_after_its_exit(board, sgi):
    last = 0, 200, "hvc", 0x86000000
    assert flows_between(board, *BEFORE, (0, 100, *sgi), last) == [(100, 105)]
    assert flows_between(board, *BEFORE, (0, 100, "hvc", 0x86000000), last) == []


def test_the_picture_is_of_a_request_and_its_answer():
    log = Records(*TRIP)
    log.run = {"hz": HZ, "platform": "qemu-icount"}
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
    none = Records(*TRIP[:2])
    none.run = log.run
    assert timeline.picture_of(none, LINKED, BOARD) == ""


def test_nothing_is_shown_from_before_a_vcpus_first_exit_that_is_kept():
    found = parts(("load0", 10, 5, "wfi", 0), ("load0", 50, 5, "irq", 27),
                  ("bench", 100, 5, "wfi", 0), ("load0", 200, 5, "irq", 27))
    assert on("core 0", found) == [("bench vCPU 0", 100, 105), ("load0 vCPU 0", 105, 205)]
    assert min(one.start for one in found) == 100 * NS


def test_the_last_interrupt_has_no_flow():
    assert flows_of(trace_of(Records(("bench", 100, 5, "irq", 27)), PLAN)) == []


@pytest.mark.parametrize("axes, traced", [
    ("trapped", True), ("native", True), ("trapped probes=on", False),
    ("trapped lr_sync=full", False)])
def test_what_cannot_be_traced_stays_as_it_is(axes, traced):
    plan = with_trace(parse(f"config a {axes}\nbench b\n"))
    assert (words_of(plan.configs["a"])["trace"] == "on") == traced
