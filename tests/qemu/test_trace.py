# SPDX-License-Identifier: Apache-2.0
"""The trace of real runs for the Perfetto UI contains the data of all records, and nothing else."""

from collections import Counter

import pytest

import expected
from hypbench.html.timeline import picture_of
from hypbench.plan import board_of
from hypbench.plan_language import parse
from hypbench.trace import exits_of, sgi_targets, trace_of
from hypbench.trace_names import INTERRUPTS
from lab import Job
from pages import page, picture_words
from planlines import plan_lines
from proofs import two_cores
from test_cores import several
from traceparts import flows_of, slices_of

TEXT = plan_lines("trace").replace("beside", "trace=on beside")
PLAN = parse(TEXT)
SOON_THERE = 8000  # ns from the end of a sender's exit to the kick: 500 instructions
SOON = 4  # instructions from a timer's compare value to the vector's read of the counter
OUT_OF_WFI = 2


pytestmark = [pytest.mark.long, pytest.mark.job(TEXT, machine=two_cores)]


@pytest.fixture
def trace(result) -> bytes:
    assert result.status == 0, result.explain()
    return trace_of(result.log, PLAN, board_of(result.log.run["board"]))


def test_each_exit_is_a_slice_at_its_time(result, trace):
    ns = 1_000_000_000 // result.log.run["hz"]
    drawn = {(span.start, span.end) for span in slices_of(trace)
             if span.track[0] == "vCPUs" and span.name not in ("guest", "paused")}
    steps = exits_of(result.log, PLAN)
    exits = [span for group in steps.values() for span in group]
    assert len(steps) == len(result.records("step"))
    assert drawn == {(span.start * ns, span.end * ns) for span in exits}
    recorded = {(data["t"] * ns, (data["t"] + data["dur"]) * ns)
                for data in result.records("trace")}
    assert drawn <= recorded and len(drawn) > len(recorded) / 4


def test_a_pair_takes_turns_in_being_paused(trace):
    """On one core a pause lasts from the end of a fail over to the end of the next."""
    slices = slices_of(trace)
    paused = [span for span in slices if span.name == "paused"]
    ends = {span.end: span.track for span in slices if span.arg("call") == "FAIL_OVER"}
    assert {span.track[1] for span in paused} == {"bench vCPU 0", "load0 vCPU 0"}
    assert len(paused) >= 100
    for span in paused:
        assert ends[span.start] == span.track != ends[span.end]


def test_timers_flow_from_where_they_fire_to_their_exit(result, trace):
    """The exit of a busy guest's timer begins within SOON instructions of the compare value, and
    that of a guest in WFI within two more, so the trace has the right compare value. An exit of
    another kind is not late."""
    fires = [(begin, end) for begin, end in flows_of(trace) if begin.name == "fired"]
    assert len(fires) > 100 and {(end.name, end.arg("intid")) for _, end in fires} == {
        ("irq", 27), ("hyp-timer", 26)}
    assert all(begin.end == end.start for begin, end in fires)
    late = {end.name: Counter() for _, end in fires}
    for begin, end in fires:
        late[end.name][(end.start - begin.start) * result.log.run["hz"] // 1_000_000_000] += 1
    for name, ticks in late.items():
        soon = sum(count for tick, count in ticks.items() if tick <= SOON)
        assert 3 * soon > ticks.total(), (name, ticks)
        assert ticks.most_common(1)[0][0] <= SOON + OUT_OF_WFI, (name, ticks)
    args = [(data["event"], int(data["arg"], 0)) for data in result.records("trace")]
    assert not [arg for event, arg in args
                if event in INTERRUPTS and arg >> 32 and arg % (1 << 32) not in (26, 27)]


@pytest.mark.every_board
def test_a_request_and_its_answer_are_drawn(result):
    run = result.log.run
    marks = picture_words(picture_of(result.log, PLAN, board_of(run["board"])))
    assert "handles irq" in " ".join(marks)
    documented = expected.REFERENCE, expected.DOCUMENTED
    if (run["board"], expected.series(run["compiler"])) == documented:
        assert picture_words(page("docs/pictures/trace-virt-a72.svg")) == marks


EVENTS = ("order once\nconfig a trapped sched=rr slice_us=1000 fp=lazy trace=on beside=load_cpu"
          " wfi=trapped\nbench timer_wakeup n=20\n"
          "at 30000 pause load0\nat 32000 resume load0\n"
          "at 35000 pause bench\nat 38000 resume bench\n")
PAUSES_MS = {"load0 vCPU 0": 2, "bench vCPU 0": 3}


def test_an_event_pauses_a_vm_until_another_resumes_it(lab, built):
    """A pause may be late, because EL2 prints a guest's record on that core."""
    result = lab.ended(Job(built, EVENTS))
    slices = slices_of(trace_of(result.log, parse(EVENTS), board_of(built)))
    paused = {span.track[-1]: span.end - span.start for span in slices if span.name == "paused"}
    assert paused.keys() == PAUSES_MS.keys()
    at = {(data["vm"], data["event"]): data["t"] * 1_000_000_000 // result.log.run["hz"]
          for data in result.records("trace") if data["event"] in ("pause", "resume")}
    for vcpu, ms in PAUSES_MS.items():
        vm = vcpu.split()[0]
        assert paused[vcpu] == at[vm, "resume"] - at[vm, "pause"]
        assert ms / 2 * 1_000_000 < paused[vcpu] < ms * 1_000_000 + 20_000, paused


LIVES, ROUNDS, SGIS = 2, 2, 3  # cores.c sends SGIs 3 and 4 to vCPU 1, SGI 5 to vCPU 0


@pytest.mark.parametrize("config", ["trapped", "trapped-wfi"])
def test_an_sgi_flows_to_the_kick_of_the_vcpu_that_it_goes_to(lab, built, config):
    job = several(built, config, options="trace=on")
    result = lab.ended(job)
    plan, board = parse(job.plan), board_of(built)
    [exits] = exits_of(result.log, plan).values()
    sent = [sgi_targets(event, plan, board) for event in exits]
    assert [targets for targets in sent if targets] == [{1}, {0}, {1}] * ROUNDS * LIVES
    every = flows_of(trace_of(result.log, plan, board))
    flows = [(begin, end) for begin, end in every if (end.name, end.arg("intid")) == ("kick", 7)]
    handled = {begin for begin, end in every if end.name == "guest" and end.track == begin.track}
    assert len(flows) == SGIS * ROUNDS * LIVES and handled >= {end for _, end in flows}
    for begin, end in flows:
        assert begin.arg("register") in ("GICD_SGIR", "ICC_SGI1R_EL1")
        assert begin.track != end.track
        assert 0 < end.start - begin.end < SOON_THERE
