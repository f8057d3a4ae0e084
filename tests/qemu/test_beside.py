# SPDX-License-Identifier: Apache-2.0
"""A VM with a load beside the measured one: on another core nothing changes, to the instruction; on
the same core the policy bounds the changes."""

from collections import Counter
from itertools import product

import pytest

import el2count
from hypbench import abi
from hypbench.analysis.bound import bounds_of
from hypbench.plan_model import PARTNERS
from hypbench.plan_vms import LINUX, REQUESTERS
from lab import Job, Result
from old_qemu import divides_otherwise
from planlines import plan_lines
from proofs import cores

LOADS = [load for load in abi.axes()["beside"][1:]
         if load not in (*PARTNERS, *REQUESTERS, LINUX)]
ALONE = "alone"
RARE = 2  # samples in 1000 whose sleep ends late on a machine of several cores (CAVEATS.md)


def rounds(result: Result) -> list[int]:
    """Return the rounds of each load in each step with a load."""
    return [vm["rounds"] for vm in result.records("vm")]


FAILS = ("order once\nconfig direct\nconfig a direct beside=load_cpu\nconfig b trapped\n"
         "config c trapped beside=load_cpu\nconfig d trapped sched=fp beside=load_cpu\n"
         "bench timer_wakeup n=200\n")


@pytest.mark.job(FAILS, machine=cores(2), planted="load crashes", status=1)
def test_a_load_that_fails_ends_the_step(result):
    assert [step["outcome"] for step in result.records("step")] == [
        "done", "fault", "done", "fault", "fault"]
    # A direct guest may also take the SGI with which EL2 calls core 0, and does not know that SGI.
    first = {fault["config"]: fault["vm"] for fault in reversed(result.records("fault"))}
    assert first == {"a": "load1", "c": "load1", "d": "load0"}


@pytest.mark.job(FAILS, machine=cores(2), planted="distributor off")
def test_a_measured_vm_that_turned_the_distributor_off_leaves_a_load_that_stops(result):
    """A call would not reach the load's core if the measured VM had turned the real distributor
    off."""
    assert len(rounds(result)) == 3 and min(rounds(result)) > 10


# --- counted from outside, on the measured core alone ---

THREE = "vm bench\n" + "".join(f"vm load{core} image=load cores={core}\n" for core in (1, 2, 3))
REQUESTS = "".join(f"vm {vm} image=load {role}cores={core} configs={','.join(REQUESTERS)}\n"
                   for vm, role, core in (("far", "", 1), ("served", "load=load_echo ", 2))
                   ) + "link far kind=doorbell a=far b=served\n"
DELAY = 4  # instructions of EL2


def apart(preset: str, loads, vms: str) -> Job:
    plan = (f"order once\nconfig native\nconfig {ALONE} {preset}\n"
            + "".join(f"config {load} {preset} beside={load}\n" for load in loads)
            + f"config later {preset} delay_el2={DELAY}\n"
            f"bench timer_wakeup n=1000 period=1500\n{vms}")
    return pytest.mark.job(plan, machine=cores(4))


@pytest.mark.long
@pytest.mark.counted
@pytest.mark.parametrize("preset, loads", [
    pytest.param(preset, loads, marks=apart(preset, loads, vms))
    for preset in ("direct", "trapped")
    for loads, vms in ((LOADS, THREE), (REQUESTERS, "vm bench\n" + REQUESTS))])
def test_no_sample_beside_loads_has_an_instruction_more(lab, job, preset, loads):
    """The plugin counts the measured core's instructions in each of the 1000 samples, from the
    timer's expiry to the task, whichever core QEMU runs meanwhile. Beside VMs that ring each other,
    once in thousands of samples, QEMU's clock passes the compare value while the guest still arms
    its timer with interrupts masked."""
    counted = el2count.counted(lab, job)
    assert counted.result.status == 0 and counted.lost == [], counted.result.explain()
    lengths = {(record["config"], record["variant"]): Counter(
        (window.guest, window.el2) for window in warm) for record, (_, *warm) in counted.rows()}
    variants = {variant for _, variant in lengths}
    assert len(variants) == 6
    for variant in variants:
        [(guest, el2)] = lengths[ALONE, variant]
        assert {(guest, el2)} == set(lengths["native", variant]) or preset == "trapped" and el2 > 20
        for load in loads:
            counts = lengths[load, variant]
            missed = RARE if load in REQUESTERS else 0
            assert counts[guest, el2] >= 1000 - missed and (
                {length for _, length in counts} == {el2}), (load, variant, counts)
        assert set(lengths["later", variant]) == {(guest, el2 and el2 + DELAY)}
    load_rounds = {(vm["config"], vm["vm"]): vm["rounds"] for vm in counted.result.records("vm")}
    assert {config for config, _ in load_rounds} >= set(loads) and (
        min(load_rounds.values()) > 100), load_rounds


# --- loads on the same core ---

SLICE_TICKS = 12_500  # with slice_us=200
WFI = ("wfi-vector", "wfi-handler", "wfi-task")  # variants that find the other VM on the core


COUNTED = "order once\nlimit_ms 60000\n" + "".join(
    f"config {load} trapped sched=fp stats=on beside={load}\n" for load in LOADS) + (
    "bench timer_wakeup n=100\n")
EXITS_OF = {"load_exit": {"hvc", "mmio-read"}, "load_irq": {"irq"}}  # unlisted loads make no exits
MANY = 1000  # more than the exits of a kind at a load's start


@pytest.mark.job(COUNTED)
def test_a_load_exits_as_its_name_is(result):
    """Exits of the kind hyp-timer do not count: the measured VM causes them when it preempts the
    load."""
    sends = "sysreg" if result.log.run["gic"] == "v3" else "mmio-write"
    for load in LOADS:
        kinds = {exits["exit"] for exits in result.records("exits", vm="load0", config=load)
                 if exits["n"] > MANY and exits["exit"] != "hyp-timer"}
        assert kinds == (EXITS_OF | {"load_sgi": {sends}}).get(load, set()), load


def check_bounds(result: Result, loads: set[str]) -> None:
    """Check the bound of every variant beside every load whose exits were counted. If the image has
    proven ceilings, the loads without a count have a bound, too."""
    assert result.status == 0 and result.problems == [], result.explain()
    bounds = bounds_of(result.log)
    counted = [bound for bound in bounds if bound.exit is not None]
    variants = {bench["variant"] for bench in result.records("bench", config=ALONE)}
    assert Counter((bound.load, bound.variant) for bound in counted) == dict.fromkeys(
        product(loads, variants), 1)
    assert all(bound.holds for bound in bounds), bounds
    for bound in counted:
        assert (bound.switch > 200) == (bound.variant in WFI) and bound.exit > 150, bound


BOUND, BOUND_RINGS = map(plan_lines, ("bound", "bound-rings"))


@pytest.mark.job(BOUND.replace("n=1000", "n=100"))
def test_the_bound_that_is_printed_holds(result):
    check_bounds(result, {*LOADS} - {"load_sgi"})


@divides_otherwise
@pytest.mark.long
@pytest.mark.job(BOUND_RINGS, machine=cores(2))
def test_so_it_does_of_loads_that_ring(result):
    check_bounds(result, {"load_sgi", *REQUESTERS})


# Every latency benchmark without a sleep in its windows, with enough samples that slices end.
AWAKE = {"hvc": 1000, "smc": 1000, "sysreg": 1000, "wfi": 1000, "mmio_read": 200, "mmio_write": 200,
         "sgi_self": 200, "irq_phases": 200, "irq_storm": 40, "fp_first_use": 1000,
         "cntp_access": 1000, "page_fault": 200, "tlb_chase": 200, "tlb_maintenance": 200,
         "lat_mem_rd": 100, "revisit": 100}
SLEEPING = {"timer_wakeup": 100, "cntp_wakeup": 100, "cyclic": 100}
PERIOD = dict.fromkeys(("cyclic", "revisit"), " period_us=1000")
# A slice is longer than one window and the time to the next window together, so that each slice has
# a whole window. With slices of 200 us each window of irq_storm could contain the end of a slice:
# 32 interrupts take 10123 ticks, and samples are about 38400 ticks apart.
VICTIM_SLICE_US = 800
VICTIMS = ("order once\nlimit_ms 60000\nconfig alone trapped\n"
           "config fp trapped sched=fp beside=load_cpu\n"
           f"config rr trapped sched=rr slice_us={VICTIM_SLICE_US} beside=load_cpu\n" + "".join(
               f"bench {bench} n={n} pages=8{PERIOD.get(bench, '')}\n"
               for bench, n in (AWAKE | SLEEPING).items()))


def longest_slices(ticks: int) -> int:
    """Return the total length of the other VM's slices that a window may contain, each with both VM
    switches."""
    slice_ticks = VICTIM_SLICE_US * SLICE_TICKS // 200
    return (ticks // slice_ticks + 1) * (slice_ticks + 1500)


@pytest.mark.long
@pytest.mark.job(VICTIMS)
def test_every_latency_beside_a_load_on_the_core(result):
    """Under sched=fp each latency is exactly that without a load, except for the VM switch after a
    sleep; under sched=rr slices may also come between."""
    turns = {(step["config"], step["bench"]): step.get("other_turns")
             for step in result.records("step")}
    assert min(turns["rr", bench] for bench in (AWAKE | SLEEPING)) > 3, turns
    assert all(turns["fp", bench] for bench in SLEEPING), turns
    rows = {(row["bench"], row["variant"], row["config"]): row for row in result.records("bench")}
    assert {bench for bench, _, _ in rows} == {*AWAKE, *SLEEPING}
    for bench, variant in {(bench, variant) for bench, variant, _ in rows}:
        alone, fp, rr = (rows[bench, variant, config] for config in ("alone", "fp", "rr"))
        if bench in AWAKE or variant.startswith("busy"):
            assert fp["hist"] == alone["hist"], (bench, variant)
            assert rr["min"] == alone["min"], (bench, variant)
            assert rr["max"] <= alone["max"] + longest_slices(alone["max"]), (bench, variant)
            assert rr["p50"] == alone["p50"] or alone["p50"] > 500, (bench, variant)
        else:
            assert 200 < fp["p50"] - alone["p50"] < 1000, (bench, variant)
            assert fp["p50"] < rr["max"] <= alone["max"] + longest_slices(alone["max"]), (
                bench, variant)
