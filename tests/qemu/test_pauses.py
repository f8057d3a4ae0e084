# SPDX-License-Identifier: Apache-2.0
"""A VM is paused in any state: asleep, in a hypercall, with an SGI or a timer interrupt on its way,
with several vCPUs asleep. Nothing is lost. A pause of a paused VM is an error."""

import random
from dataclasses import replace

import pytest

from assembler import assemble
from lab import Job
from old_qemu import divides_otherwise
from proofs import two_cores
from talk import ENTRY, facts, gic
from test_cores import run_of
from test_vms import words_of

CONFIGS = {
    "native-wfi": "trapped",
    "trapped-wfi": "trapped wfi=trapped",
    "sw": "trapped-sw frame=full",
    "beside": "trapped beside=load_sgi",
}
HEAD = "order once\nlimit_ms 60000\n"
US_PER_S = 1_000_000
PAUSES, LATE = 500, 500  # more ticks than a wake-up takes without a pause


def pauses() -> str:
    generator, now, events = random.Random(1), 100, []
    for _ in range(PAUSES):
        for most, event in ((300, "pause"), (120, "resume")):
            now += generator.randrange(1, most)
            events.append((now, event, "bench"))
    return words_of(events)


BENCHES = "bench timer_wakeup n=100\nbench sgi_self n=5000\nbench hvc n=30000\nbench irq_order\n"
PLAN = (HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items()) + BENCHES
        + pauses())


@pytest.mark.long
@divides_otherwise
@pytest.mark.job(PLAN, machine=two_cores)
def test_a_vm_is_paused_wherever_it_is(result):
    """Each benchmark refuses the step if an interrupt is lost or comes twice."""
    assert len(result.records("step")) == 4 * len(CONFIGS)
    for step in result.records("step"):
        assert (step["outcome"], step["ignored"]) == ("done", 0)
        assert step["bench"] == "irq_order" or step["events"] > 40, step
    for config in ("native-wfi", "trapped-wfi", "sw"):  # some of the sleeps contained a pause
        assert max(record["max"] for record in result.records("bench", config=config)
                   if record["variant"].startswith("wfi")) > LATE


def paused(*events: tuple[int, str, str], bench: str = "bench hvc n=500\n") -> str:
    return HEAD + f"config a trapped\n{bench}" + words_of(list(events))


def test_an_event_that_is_due_as_the_guest_ends_is_not_served(lab, built):
    """Each step is longer than the step before it, so in one of them the pause is due as the step
    ends."""
    benches = "".join(f"bench hvc n={n}\n" for n in range(20, 52))
    alone = lab.ended(Job(built, paused(bench=benches)))
    first, *_, last = [step["ticks"] for step in alone.records("step")]
    middle = (first + last) * US_PER_S // 2 // alone.log.run["hz"]
    job = Job(built, paused((middle, "pause", "bench"), (middle + 9, "resume", "bench"),
                            bench=benches))
    steps = lab.ended(job).records("step")
    assert {(step["outcome"], step["ignored"]) for step in steps} == {("done", 0)}
    assert {step["events"] for step in steps} == {0, 2}


@pytest.mark.parametrize("message", [
    pytest.param("pause of a VM that is paused", marks=pytest.mark.job(
        paused((50, "pause", "bench"), (60, "pause", "bench"), (90, "resume", "bench")),
        status=1)),
    pytest.param("resume of a VM that runs", marks=pytest.mark.job(
        paused((50, "pause", "bench"), (60, "resume", "bench"), (60, "resume", "bench")),
        status=1))])
def test_what_changes_nothing_is_an_error_with_a_name(result, message):
    assert [(error["where"], error["what"]) for error in result.records("error")] == [
        ("bench", message)]
    step = result.record("step")
    assert (step["outcome"], step["events"], step["ignored"]) == ("done", 2, 1)


@divides_otherwise
def test_all_vcpus_asleep_are_paused_and_go_on(lab, built):
    """Each of the four vCPUs sleeps until the SGI of the vCPU before it (arch/ring.c)."""
    program = assemble(built, "vcpus", ENTRY, "CPUS=4", f"GIC={gic(built)}",
                       f"SPI={facts(built)['spi_first']}", "ROUNDS=400", sources=("ring.c",))
    events = [(200 + n * 137 + later, event, "v") for n in range(300)
              for later, event in ((0, "pause"), (41 + n % 11, "resume"))]
    job = run_of(built, program, "a trapped wfi=trapped\nconfig b trapped-sw wfi=trapped", 4, 4,
                 limit_ms=20_000)
    plan = f"{job.plan}vm v image=guest cores=0-3\n{words_of(events)}"
    result = lab.ended(replace(job, plan=plan))
    assert len(result.records("step")) == 2
    for step in result.records("step"):
        assert step["outcome"] == "done" and step["events"] > 100, step
