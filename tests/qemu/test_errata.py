# SPDX-License-Identifier: Apache-2.0
"""Errata of the core: EL2 works around the errata of the core that MIDR names, at a known cost.
QEMU's cores accept any MIDR, so the image runs as on the revisions of boards, though QEMU's cores
have none of the errata. tests/unit/test_errata.c tests which revision needs which workaround, and
the order of a VM switch."""

from dataclasses import replace
from functools import cache

import pytest

from lab import BOARDS, Job, board_facts
from test_refused import SECURE
from test_registers import failed_checks, guest, with_guest

MIDRS = {
    "armv8": {"A72 r0p0": 0x410fd080, "A72 r0p3": 0x410fd083, "A72 r1p0": 0x411fd080,
              "A53 r0p4": 0x410fd034, "A35 r1p0": 0x411fd040},
    "armv7": {"A15 r0p4": 0x410fc0f4, "A15 r0p5": 0x410fc0f5, "A15 r2p1": 0x412fc0f1,
              "A15 r3p4": 0x413fc0f4, "A15 r4p0": 0x414fc0f0},
}
# The images are those of the reference boards, none of which is built for a Cortex-A53.
HANDLED = {
    "A72 r0p0": ["1319367"], "A72 r0p3": ["1319367"], "A72 r1p0": ["1319367"],
    "A53 r0p4": ["1530924"], "A35 r1p0": [],
    "A15 r0p4": ["798181", "766422"], "A15 r0p5": ["798181"], "A15 r2p1": ["798181"],
    "A15 r3p4": [], "A15 r4p0": [],
}
MISSING = {"A53 r0p4": ["835769", "843419"], "A15 r0p4": ["773022", "774769"]}
WITHOUT_FIRMWARE = {"A72 r0p3": ["859971"], "A72 r1p0": [], "A53 r0p4": ["855873"]}

SWITCH = """order once
config applied trapped sched=fp
config ignored trapped sched=fp errata=ignored
bench timer_wakeup n=100
"""
GUARD = 3  # instructions: the VTTBR of an empty stage 2, and two ISBs
TLB = """order once
config applied direct
config ignored direct errata=ignored
bench tlb_maintenance n=20 pages=8
"""
# The most instructions by which TLB maintenance of the local core differs from a broadcast: a
# branch, which is not taken on one of the two ways.
LOCAL_COST = {"vmid": 1, "all": 1, "switch": 0, "switch-flush": 0}
ONE_WORD = "order once\nconfig native\nbench counter n=10\n"
THUMB = """order once
limit_ms 1000
config applied trapped
config ignored trapped errata=ignored
bench registers
"""

ARMV8 = [board for board in BOARDS if board_facts(board)["ISA"] == "armv8"]
ARMV7 = [board for board in BOARDS if board_facts(board)["ISA"] == "armv7"]


@cache
def core(midr: int):
    """Return QEMU's core with another MIDR."""
    def machine(options: list[str]) -> list[str]:
        at = options.index("-cpu") + 1
        return [*options[:at], f"{options[at]},midr={midr:#x}", *options[at + 1:]]
    return machine


def job_as(board: str, name: str, plan: str, **more) -> Job:
    return Job(board, plan, machine=core(MIDRS[board_facts(board)["ISA"]][name]), **more)


def cores(boards: list[str], *names: str) -> list[tuple[str, str]]:
    return [(board, name) for board in boards for name in MIDRS[board_facts(board)["ISA"]]
            if not names or name in names]


# --- the errata of a core ---

@pytest.mark.job(ONE_WORD)
def test_run_record_of_the_board_as_it_is(result, board):
    run = result.log.run
    assert run["errata_missing"] == []
    assert run["errata"] == (["1319367"] if board in ARMV8 else [])


@pytest.mark.parametrize("on, name", cores(BOARDS))
def test_run_record_names_the_errata_of_a_core(lab, on, name):
    run = lab.ended(job_as(on, name, ONE_WORD)).log.run
    assert (run["errata"], run["errata_missing"]) == (HANDLED[name], MISSING.get(name, []))


@pytest.mark.parametrize("on, name", cores(ARMV8, *WITHOUT_FIRMWARE))
def test_an_image_that_enters_at_el3_misses_what_firmware_sets(lab, on, name):
    job = job_as(on, name, ONE_WORD)
    run = lab.ended(replace(job, machine=lambda options: SECURE(job.machine(options)))).log.run
    assert run["entry_level"] == "el3" and run["errata"] == HANDLED[name]
    assert run["errata_missing"] == MISSING.get(name, []) + WITHOUT_FIRMWARE[name]


# --- 1319367: a switch of VMs ---

def lengths(result, config: str) -> dict[str, tuple[int, int]]:
    return {record["variant"]: (record["min"], record["max"])
            for record in result.records("bench", config=config)
            if record["variant"] in ("wfi-vector", "wfi-handler")}


@pytest.mark.parametrize("on, name", cores(BOARDS))
def test_switch_takes_as_many_instructions_more_as_the_guard_has(lab, on, name):
    result = lab.ended(job_as(on, name, SWITCH))
    guard = GUARD if {"1319367", "1530924"} & set(HANDLED[name]) else 0
    applied, ignored = lengths(result, "applied"), lengths(result, "ignored")
    assert len(applied) == 2
    for variant, (low, high) in applied.items():
        assert low == high
        assert ignored[variant] == (low - guard, high - guard), variant


# --- 798181: TLB maintenance ---

def stale_operations(result) -> dict[str, int]:
    return {record["config"]: record["stale"]
            for record in result.records("check", bench="tlb_maintenance", variant="effect")}


@pytest.mark.planted("{damage} {kind}")
@pytest.mark.parametrize("on, name", cores(ARMV7, "A15 r0p4", "A15 r4p0"))
@pytest.mark.parametrize("kind", ["vmid", "all"])
@pytest.mark.parametrize("damage", ["local", "broadcast"])
def test_maintenance_is_this_cores_where_a_broadcast_may_be_lost(lab, on, name, kind, damage):
    """QEMU keeps a translation until a TLB operation removes it. A planted fault that removes the
    operation in use leaves an old page; a fault that removes the other operation leaves none."""
    result = lab.run(job_as(on, name, TLB, planted=f"{damage} {kind}"))
    needed = "798181" in HANDLED[name]
    used = {"applied": "local" if needed else "broadcast", "ignored": "broadcast"}
    stale = stale_operations(result)
    assert {config: count > 0 for config, count in stale.items()} == {
        config: used[config] == damage for config in stale}
    assert len(stale) == 2


@pytest.mark.parametrize("on, name", cores(ARMV7, "A15 r0p4", "A15 r4p0"))
def test_maintenance_takes_as_many_instructions_either_way(lab, on, name):
    """The two operations differ only in the cores that they reach."""
    result = lab.ended(job_as(on, name, TLB))
    assert stale_operations(result) == {"applied": 0, "ignored": 0}
    for variant, cost in LOCAL_COST.items():
        applied, ignored = (result.record("bench", config=config, variant=variant)
                            for config in ("applied", "ignored"))
        at_most = cost if "798181" in HANDLED[name] else 0
        assert all(abs(applied[x] - ignored[x]) <= at_most for x in ("min", "p50", "max")), variant


# --- 766422: a Thumb store to an emulated device ---

@pytest.mark.parametrize("on, name", cores(ARMV7, "A15 r0p4", "A15 r0p5", "A15 r4p0"))
def test_thumb_store_stops_the_guest_that_cannot_be_emulated(lab, on, name):
    """The guest of test_registers.py stores from every register, first as ARM code, then as Thumb
    code."""
    result = lab.run(job_as(on, name, THUMB, change=with_guest))
    failures = failed_checks(result)
    if "766422" not in HANDLED[name]:
        assert failures == {}
        assert result.status == 0, result.explain()
        return
    assert failures.keys() == {"applied"}
    fault = result.record("fault")
    assert (fault["reason"], fault["class"]) == ("mmio-thumb-store", "0x24")
    assert guest(on).label_at(int(fault["pc"], 16)) == "stub_code"
    assert result.record("step", config="ignored")["outcome"] == "done"
