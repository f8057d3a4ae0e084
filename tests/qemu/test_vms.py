# SPDX-License-Identifier: Apache-2.0
"""Several VMs at once: 8 VMs with 4 vCPUs each on 4 cores are made, paused, reset and destroyed in
any order. Some of their guests do all that a guest can do (arch/storm.c)."""

import random
import zlib
from dataclasses import replace
from functools import cache

import pytest

from assembler import assemble
from hypbench.records import TAIL
from lab import Job
from old_qemu import divides_otherwise
from talk import ENTRY, facts, gic, guest_lines, with_image
from test_cores import END_FAULT, several

CORES = 4
CONFIGS = {
    "rr": "trapped sched=rr fp=lazy slice_us=50",
    "fp": "trapped sched=fp fp=eager slice_us=50",
    "sw": "trapped-sw sched=rr fp=lazy frame=full slice_us=50",
}
ALONE = "trapped stats=on"


def storm(board: str, lives: int):
    return assemble(board, "vcpus", ENTRY, f"CPUS={CORES}", f"GIC={gic(board)}",
                    f"SPI={facts(board)['spi_first']}", f"LIVES={lives}", sources=("storm.c",))


@cache
def many(board: str, config: str, count: int, lives: int, events: str = "",
         limit_ms: int = 20_000) -> Job:
    """Return a run of `count` VMs of the same guest, each with 4 vCPUs on cores in another
    order."""
    program = storm(board, lives)
    cores = ["0-3", "3,2,1,0", "1,0,3,2", "2-3,0-1"]
    vms = "".join(f"vm v{n} image=guest cores={cores[n % 4]} prio={n % 3}\n" for n in range(count))
    plan = (f"config {config} {CONFIGS.get(config, ALONE)}\n{guest_lines(program, CORES)}{vms}"
            f"{events}limit_ms {limit_ms}\norder once\n")
    return Job(board, plan, with_image(board, program, CORES))


@pytest.mark.parametrize("config", CONFIGS)
def test_vms_run_side_by_side(lab, built, config):
    count, lives = 8, 5
    result = lab.ended(many(built, config, count, lives))
    vms = {vm["vm"]: vm for vm in result.records("vm")}
    assert sorted(vms) == [f"v{n}" for n in range(count)]
    for vm in vms.values():
        assert (vm["outcome"], vm["resets"]) == ("done", lives - 1)


NEXT = {"absent": ["create"], "runs": ["pause", "reset", "destroy"],
        "paused": ["resume", "reset", "destroy"]}
STATE = {"create": "runs", "resume": "runs", "reset": "runs", "pause": "paused",
         "destroy": "absent"}


def lives_of(seed: int, count: int, number: int, step_us: int) -> list[tuple[int, str, str]]:
    """Return events in random order that end with the destruction of all VMs. Each event has a
    meaning in the state of its VM."""
    generator = random.Random(seed)
    state = {f"v{n}": "runs" for n in range(count)}
    events = []
    for n in range(number):
        vm = generator.choice(list(state))
        event = generator.choice(NEXT[state[vm]])
        state[vm] = STATE[event]
        events.append(((n + 1) * step_us, event, vm))
    return events + [((number + 1) * step_us, "destroy", vm) for vm in state
                     if state[vm] != "absent"]


def words_of(events: list[tuple[int, str, str]]) -> str:
    return "".join(f"at {time} {event} {vm}\n" for time, event, vm in events)


@pytest.mark.parametrize("config", CONFIGS)
def test_vms_live_and_die_in_any_order(lab, built, config):
    events = lives_of(7, 8, 1000, 600)
    result = lab.ended(many(built, config, 8, 1_000_000, words_of(events), 60_000))
    step = result.record("step")
    assert (step["outcome"], step["events"], step["ignored"]) == ("done", len(events), 0)
    # Another event may end a life before the VM ran; such a life may have fewer tables.
    lives = [vm for vm in result.records("vm") if vm["resets"]]
    tables = {vm["vm"]: vm["tables"] for vm in lives}
    # The VMs of the lowest priority, v0, v3 and v6, may never run a whole life beside the others.
    assert len(lives) > 30
    assert tables.keys() >= {f"v{n}" for n in range(8) if n % 3}
    assert all(vm["tables"] == tables[vm["vm"]] for vm in lives)


def with_small_checksum(line: bytes, version: bytes) -> bytes:
    """Return a version of the same length with which the checksum of the run record has six
    digits."""
    for number in range(100_000):
        candidate = f"{number:0{len(version)}}".encode()
        if zlib.crc32(line.replace(version, candidate)) < 1 << 24:
            return candidate
    raise AssertionError("no version found")


def test_the_version_changes_no_time(lab, built):
    """A checksum is printed in the same number of instructions whatever its value. Otherwise the
    order of a run's events would depend on the version in its records."""
    job = many(built, "rr", 8, 5)
    before = lab.ended(job)
    version = before.log.run["build"].encode()
    lines = before.console.splitlines()
    at, line = next((at, line) for at, line in enumerate(lines) if version in line)
    new_version = with_small_checksum(TAIL.split(line)[0], version)
    after = lab.ended(replace(job, change=lambda image, _: image.replace(version, new_version)))
    assert after.log.run["build"] == new_version.decode()
    assert after.console.splitlines()[at + 1:] == lines[at + 1:]


def test_a_vm_takes_over_where_another_one_is_through(lab, built):
    """v1 starts at v0's end, and v2 begins another life when v1 requests its first restart. Each
    line is served once, even if its condition holds again."""
    events = ("at 0 pause v1\non v1 done pause v2\non v1 reset reset v2\non v0 done resume v1\n"
              "on v1 done resume v2\n")
    result = lab.ended(many(built, "rr", 3, 3, events))
    outcomes = {vm["vm"]: vm["outcome"] for vm in result.records("vm")}
    assert outcomes == dict.fromkeys(["v0", "v1", "v2"], "done")
    step = result.record("step")
    assert step["events"] + step["ignored"] == 5


def test_a_vm_that_faults_starts_again_once(lab, built):
    """The VM's second fault ends the VM, and with it the step."""
    job = several(built, ending=END_FAULT)
    result = lab.run(replace(job, plan=f"{job.plan}on guest fault reset guest\n"))
    assert len(result.records("fault")) == 2
    step = result.record("step")
    assert (step["outcome"], step["events"], step["ignored"]) == ("fault", 1, 0)


@divides_otherwise
def test_statistics_of_a_vm_that_is_made_anew_go_on(lab, built):
    events = words_of([(400 * n, event, "v0")
                       for n, event in enumerate(["destroy", "create"] * 9, 1)]
                      + [(9000, "destroy", "v0")])
    result = lab.ended(many(built, "alone", 1, 1_000_000, events))
    assert len(result.records("vm")) == 10
    assert {exits["vcpu"] for exits in result.records("exits")} >= {0, 1}


def medians_beside(lab, board: str, posts: int) -> dict[str, int]:
    """Return the medians of the bench guest beside VMs with posts, on the core of a vCPU that is
    off."""
    program = assemble(board, "vcpus", ENTRY, f"GIC={gic(board)}", f"POSTS={posts}",
                       sources=("poster.c",))
    plan = ("order once\nlimit_ms 60000\nconfig trapped sched=fp fp=lazy\n"
            f"bench timer_wakeup n=1000\n{guest_lines(program, 2)}"
            "vm rt image=bench cores=0 prio=9\nvm other image=guest cores=1,0\n")
    result = lab.ended(Job(board, plan, with_image(board, program, 2)))
    assert result.record("vm")["outcome"] == "stopped"
    return {bench["variant"]: bench["p50"] for bench in result.records("bench")}


def test_posts_to_a_vcpu_that_is_off_do_not_reach_its_core(lab, built):
    """The core of the vCPU that is off runs another VM's vCPU."""
    assert medians_beside(lab, built, posts=1) == medians_beside(lab, built, posts=0)
