# SPDX-License-Identifier: Apache-2.0
"""Attack a VM of priority 9 by VMs of priority 1 (arch/attack.c, guest/loads) and by events. The
latency of its timer must stay below that of the VM alone plus a bound, which comes from a run. The
VM is on core 0; an attack is *near*, from core 0, or *far*, from core 1. CNTPCT counts both
cores."""

import random
from dataclasses import replace
from functools import cache

import pytest

from hypbench.plan import find_section
from hypbench.plan_binary import SECTION_SIZE
from assembler import Program, assemble
from lab import Job, Result
from old_qemu import divides_otherwise
from proofs import cores
from talk import ENTRY, RAM, facts, gic, with_image

MIB = 1 << 20
HEAD = "order once\nlimit_ms 60000\n"
URGENT = "vm rt image=bench cores=0 prio=9\n"
BENCH = "bench timer_wakeup n=100 after_ms=20\n"  # the other VMs have begun by this time
FP = "trapped-sw sched=fp fp=lazy"

# The order is that of attacks[] in arch/attack.c, by the image of the attacking VM.
GUESTS = ("idles", "resets", "faults", "sgis", "kicks", "retargets", "refills", "starts", "calls",
          "frames", "empty_frames")
CORES = {"near": "0,1", "far": "1,0"}  # cores of vCPU 0, which attacks, and of vCPU 1


def program(board: str) -> Program:
    return assemble(board, "vcpus", ENTRY, f"GIC={gic(board)}",
                    f"SPI={facts(board)['spi_first']}", sources=("attack.c",))


def guest_line(board: str, name: str, cpus: int = 2, size: int = 0) -> str:
    mode = RAM + 0x1000 * (1 + GUESTS.index(name))
    return (f"guest {name} ram={RAM:#x} ram_mib=64 cpus={cpus} entry={ENTRY:#x} dtb={mode:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={max(size, len(program(board).binary))}\n")


def run_of(board: str, plan: str) -> Job:
    return Job(board, HEAD + plan, with_image(board, program(board), 2))


def storms(board: str, names: tuple[str, ...]) -> str:
    """Return a step for each attack, near and far, with the attacking VM beside the urgent VM."""
    steps = [(name, place) for name in names for place in CORES]
    return ("".join(f"config {name}-{place} {FP}\n" for name, place in steps) + BENCH
            + "".join(guest_line(board, name) for name in names) + URGENT
            + "".join(f"vm {name}-{place} image={name} cores={CORES[place]} prio=1 "
                      f"configs={name}-{place}\n" for name, place in steps))


def frames(board: str, _names: tuple[str, ...]) -> str:
    """Return steps in which the receiver answers ping, beside the urgent VM."""
    steps = {"frames-far": 1, "frames-near": 0, "empty_frames-far": 1}
    return ("".join(f"config {step} {FP}\n" for step in steps) + BENCH
            + "".join(guest_line(board, name, 1) for name in GUESTS[-2:]) + URGENT
            + "".join(f"vm {step} image={step.split('-')[0]} cores={core} prio=1 configs={step}\n"
                      f"vm to-{step} image=load load=load_ping cores=0 prio=1 configs={step}\n"
                      f"link {step} kind=virtio a={step} b=to-{step}\n"
                      for step, core in steps.items()))


def rings(_board: str, _names: tuple[str, ...]) -> str:
    """Return steps with a storm of rings to a VM beside the urgent VM."""
    steps = {"rings-far": 1, "rings-near": 0}
    return ("".join(f"config {step} {FP}\n" for step in steps) + BENCH + URGENT
            + "".join(f"vm {step} image=load load=load_ring cores={core} prio=2 "
                      f"configs={step}\n"
                      f"vm to-{step} image=load load=load_echo cores=0 prio=1 configs={step}\n"
                      f"link {step} kind=doorbell a={step} b=to-{step}\n"
                      for step, core in steps.items()))


LIVES = {"destroy": ("destroy", "create"), "pause": ("pause", "resume"), "restart": ("reset",) * 2}


def lives(board: str, _names: tuple[str, ...]) -> str:
    """Return steps with events on a small guest, and on a guest whose images have 24 MiB. In the
    far steps the urgent VM is alone on its core."""
    near = [f"{kind}-near" for kind in LIVES]
    far = [f"{kind}-far" for kind in LIVES]
    steps = dict.fromkeys([*near, "image-near"], FP) | dict.fromkeys(far, "trapped-sw")
    vms = {step: f"image={'resets' if 'image' in step else 'idles'} "
                 f"cores={int(step.endswith('far'))}" for step in steps}
    events = LIVES | {"image": LIVES["destroy"]}
    return ("".join(f"config {step} {axes}\n" for step, axes in steps.items()) + BENCH
            + guest_line(board, "idles", 1) + guest_line(board, "resets", 1, 24 * MIB) + URGENT
            + "".join(f"vm {step} {words} prio=1 configs={step}\n" for step, words in vms.items())
            + "".join(f"at {at + n * 490} {kind} {step}\n" for at in range(1000, 70000, 1000)
                      for n in range(2) for step in vms
                      for kind in [events[step.split("-")[0]][n]]))


PLANS = {"interrupts": (storms, GUESTS[3:6]), "states": (storms, GUESTS[6:8]),
         "calls": (storms, ("resets", "calls")), "frames": (frames, ()), "rings": (rings, ()),
         "lives": (lives, ())}


@cache
def attack(board: str, group: str) -> Job:
    plan, names = PLANS[group]
    return run_of(board, plan(board, names))


def alone(board: str) -> Job:
    return Job(board, f"{HEAD}config alone trapped-sw\n{BENCH}")


# The most instructions by which the urgent VM may be later than without an attack. Near: one exit
# or one piece of EL2's work for a VM (2500), and one turn of EL2's loop with a VM switch. Far: also
# the attacker's own step. An event that makes a VM anew may come in the turn of EL2's loop after a
# piece of that VM's work. With a fault QEMU executes a turn of the other core's loop and the piece
# after it, and core 0 executes the event.
LATE = {"near": 3600, "image-near": 4500, "far": 6000, "faults-far": 8000}


def late(result: Result, baseline: Result) -> dict[str, int]:
    """Return the largest delay of each step, over all samples."""
    least = {bench["variant"]: max(bench["max"], bench["cold"])
             for bench in baseline.records("bench")}
    delays: dict[str, int] = {}
    for bench in result.records("bench"):
        ticks = max(bench["max"], bench["cold"]) - least[bench["variant"]]
        delays[bench["config"]] = max(delays.get(bench["config"], 0), ticks)
    return delays


@pytest.mark.every_board
@divides_otherwise
@pytest.mark.parametrize("group", PLANS)
def test_the_urgent_vm_is_late_by_a_bound(lab, built, group):
    result = lab.ended(attack(built, group))
    delays = late(result, lab.ended(alone(built)))
    assert {step: ticks for step, ticks in delays.items()
            if ticks > LATE.get(step, LATE[step.split("-")[-1]])} == {}
    assert {vm["vm"] for vm in result.records("vm")} >= set(delays)


@divides_otherwise
def test_the_attacks_are_what_their_names_are(lab, built):
    """Each VM ran, and no VM ended by itself."""
    for group in PLANS:
        for vm in lab.ended(attack(built, group)).records("vm"):
            assert vm["outcome"] in ("stopped", "reset") and vm.get("rounds") != 0 or (
                vm["vm"].startswith("to-")), vm
    restarts = lab.ended(attack(built, "calls")).records("vm")
    assert all(vm["resets"] > 30 for vm in restarts if vm["vm"].startswith("resets"))
    vms = {vm["vm"]: vm for vm in lab.ended(attack(built, "frames")).records("vm")}
    assert vms["to-frames-far"]["net_received"] > 10
    assert vms["empty_frames-far"]["net_broken"] > 10
    steps = {step["config"]: step for step in lab.ended(attack(built, "lives")).records("step")}
    assert all(step["events"] > 30 for step in steps.values())


# --- faults ---


def faults(board: str) -> Job:
    """Return steps in which events start a VM again and again. In each life EL2 injects an abort,
    whose vector is in flash, where no code is. In some lives the next event comes before the fault
    record is printed."""
    axes = {"faults-near": FP, "faults-far": "trapped-sw"}
    cores = {"faults-near": 0, "faults-far": 1}
    events = [f"at {at} reset {step}\n" for ms in range(1, 70)
              for at in (1000 * ms, 1000 * ms + 20 * (ms % 30)) for step in axes]
    plan = ("".join(f"config {step} {words}\n" for step, words in axes.items()) + BENCH
            + guest_line(board, "faults", 1) + URGENT
            + "".join(f"vm {step} image=faults cores={core} prio=1 configs={step}\n"
                      for step, core in cores.items())
            + "".join(events))
    return replace(run_of(board, plan), status=1)


@pytest.mark.every_board
@divides_otherwise
def test_each_fault_has_a_whole_record_that_delays_no_other_vm(lab, built):
    result = lab.ended(faults(built))
    delays = late(result, lab.ended(alone(built)))
    assert [step for step, ticks in delays.items() if ticks > LATE.get(step, LATE["near"])] == []
    for step in delays:
        records = result.records("fault", config=step)
        assert len(records) > 15
        assert {(record["vm"], record["vcpu"], record["reason"], record["class"], record["at"])
                for record in records} == {(step, 0, "prefetch-abort", "0x20", "flash")}


@divides_otherwise
def test_a_fault_is_reported_while_other_vms_run(lab, built):
    """The VM `idles` runs up to its time limit. A record printed at the end of the step would come
    before the record of `faults`."""
    job = run_of(built, f"config one trapped\n{guest_line(built, 'faults', 1)}"
                        f"{guest_line(built, 'idles', 1)}vm idles image=idles cores=0\n"
                        "vm faults image=faults cores=1\n")
    result = lab.ended(replace(job, plan=job.plan.replace("60000", "300"), status=1))
    assert [(fault["vm"], fault["reason"]) for fault in result.records("fault")] == [
        ("faults", "prefetch-abort"), ("idles", "time-limit")]


# --- rings to a receiver ---

RING_TICKS = 1250  # DOORBELL_REST_US in ticks
RINGS = (f"{HEAD}config storm trapped\n{BENCH}vm rt image=bench cores=0\n"
         "vm from image=load load=load_ring cores=1\nvm to image=load load=load_echo cores=2\n"
         "link storm kind=doorbell a=from b=to\n")


@divides_otherwise  # The receiver's core gets a little less time, so there are fewer answers.
@pytest.mark.job(RINGS, machine=cores(3))
def test_rings_without_an_answer_are_merged(result):
    """The receiver gets at most one of several rings within one rest."""
    rounds = {vm["vm"]: vm["rounds"] for vm in result.records("vm")}
    most = result.record("step")["ticks"] // RING_TICKS
    assert most / 2 < rounds["to"] <= most + 3 < rounds["from"]


# --- events on a VM that commands, and on the last VM ---

PAIR = ("order once\nlimit_ms 300\nconfig pair trapped sched=fp fp=lazy beside=active_control\n"
        "bench failover n=50\nvm rt image=bench cores=0 prio=2\n"
        "vm active image=load cores=0 prio=2\nvm control image=control cores=1\n")
NOBODY = "no other VM runs, result"
COMMANDED = {  # the events, and how the step ends
    "control pauses": ("at 500 pause control\nat 900 resume control\n", "done"),
    "control anew": ("at 500 destroy control\nat 900 create control\n", "done"),
    "control again": ("at 500 reset control\n", "done"),
    "active pauses": ("at 500 pause active\nat 900 resume active\n", "done"),
    "active anew": ("at 500 destroy active\nat 1500 create active\n", NOBODY),
    "active again": ("at 500 reset active\n", NOBODY),
    "both anew": ("at 500 destroy active\nat 500 destroy control\nat 1500 create active\n"
                  "at 1600 create control\n", NOBODY),
    "control gone": ("at 500 destroy control\n", "time-limit"),
}


@divides_otherwise
@pytest.mark.parametrize("name", COMMANDED)
def test_events_on_a_pair_end_its_step_or_change_nothing(lab, built, name):
    """The step has at most one record with the reason of its end, and the run reaches its end."""
    events, end = COMMANDED[name]
    result = lab.run(Job(built, PAIR + events, cores(2)))
    assert len(result.records("end")) == 1 and not result.timed_out, result.explain()
    step = result.record("step")
    assert (step["events"], step["ignored"]) == (events.count("at "), 0)
    reasons = ([error["what"].split(":")[0] for error in result.records("error")]
               + [fault["reason"] for fault in result.records("fault")])
    assert reasons == ([] if end == "done" else [end])
    assert result.status == (end != "done")


@divides_otherwise
def test_the_last_vm_leaves_and_comes_back(lab, built):
    """A step without a benchmark continues until no event is left."""
    events = "".join(f"at {at} {event} only\n" for at, event in (
        (500, "pause"), (900, "destroy"), (1300, "create"), (1900, "reset"), (2500, "destroy"),
        (2900, "create"), (3500, "pause"), (3900, "resume"), (4300, "destroy")))
    plan = f"config one trapped\n{guest_line(built, 'idles', 1)}vm only image=idles\n{events}"
    result = lab.ended(run_of(built, plan))
    step = result.record("step")
    assert (step["outcome"], step["events"], step["ignored"]) == ("done", 9, 0)
    assert [vm["outcome"] for vm in result.records("vm")] == ["stopped"] * 3


# --- the limit of a VM that starts again and again ---

PIECE = 2500  # instructions of one piece, the end of EL2's loop, and the load of a vCPU


@pytest.mark.parametrize("core", ["0", "1"])
def test_a_time_limit_ends_a_vm_whose_images_are_copied(lab, built, core):
    """24 MiB take longer than the limit, so each restart's worker is in its core's run queue."""
    plan = (f"order once\nlimit_ms 10\nconfig trapped\n{guest_line(built, 'resets', 1, 24 * MIB)}"
            f"vm resets image=resets cores={core}\n")
    result = lab.run(Job(built, plan, with_image(built, program(built), 2)))
    assert result.record("fault")["reason"] == "time-limit", result.explain()
    step = result.record("step")
    assert (step["outcome"], step["resets"]) == ("fault", 1)
    # The ticks include the record of the fault.
    assert step["ticks"] <= result.log.run["hz"] // 100 + 4 * PIECE
    assert len(result.records("end")) == 1 and not result.timed_out


# --- wrong plans in memory ---


def fuzzed(seed: int):
    """Flip a bit of the plan's section, or replace its end by zeros."""
    def change(image: bytes, _board: str) -> bytes:
        generator = random.Random(seed)
        start = find_section(image)
        section = bytearray(image[start:start + SECTION_SIZE])
        last = max(at for at, byte in enumerate(section) if byte)
        if seed % 2:
            section[generator.randrange(SECTION_SIZE)] ^= 1 << generator.randrange(8)
        else:
            cut = generator.randrange(last)
            section[cut:] = bytes(SECTION_SIZE - cut)
        return image[:start] + bytes(section) + image[start + SECTION_SIZE:]
    return change


def test_a_fuzzed_plan_is_refused(lab, built):
    for seed in range(16):
        result = lab.run(Job(built, f"{HEAD}config direct\nbench hvc n=10\n",
                             change=fuzzed(seed)))
        assert not result.timed_out and result.status not in (0, None), seed
        assert [error["where"] for error in result.records("error")] == ["plan"], seed
        assert result.records("step") == []
