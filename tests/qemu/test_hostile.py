# SPDX-License-Identifier: Apache-2.0
"""A misbehaving guest stops only itself: it ends with a fault record, and the plan continues."""

import pytest

from image import read_header
from lab import board_facts, image_of
from proofs import content

PROBES = ("hvc n=10", "timer_wakeup n=10", "sgi_self n=10")
HOSTILE = ("hostile_read", "hostile_device", "hostile_jump", "hostile_smc", "hostile_loop",
           "hostile_random n=1000", "hostile_random n=1000 seed=2")
LIMIT_MS = 200
PLAN = f"""order once
limit_ms {LIMIT_MS}
config native
config direct
config trapped
config trapped-sw
config lazy trapped stage2=4K fill=lazy
""" + "".join(f"bench {line}\n"
              for line in (*PROBES, *(line for hostile in HOSTILE for line in (hostile, *PROBES))))
CONTAINED = ("direct", "trapped", "trapped-sw", "lazy")
PREEMPTED = ("trapped", "trapped-sw", "lazy")
HYP_SIZE = 0x1000000  # bytes, more than enough for the hypervisor

pytestmark = [pytest.mark.long, pytest.mark.job(PLAN, status=1)]


def faults(result, bench: str) -> dict[str, dict]:
    return {fault["config"]: fault for fault in result.records("fault", bench=bench)}


def outcomes(result, bench: str) -> dict[str, set[str]]:
    return {config: {step["outcome"]
                     for step in result.records("step", bench=bench, config=config)}
            for config in result.configs}


def in_guest_image(board: str, address: int) -> bool:
    header = read_header(image_of(board), board)
    return 0 <= address - header["load_address"] < header["image_size"]


def in_hypervisor(board: str, address: int) -> bool:
    return 0 <= address - int(board_facts(board)["HYP_BASE"], 16) < HYP_SIZE


def test_plan_goes_on_to_its_end(result):
    assert len(result.records("step")) == result.log.run["steps"]
    assert result.records("error") == []
    end = result.record("end")
    assert (end["status"], end["faults"]) == ("failed", 4 + 4 + 4 + 3)


def test_read_outside_is_a_data_abort(result, board):
    records = faults(result, "hostile_read")
    assert set(records) == set(CONTAINED)
    for fault in records.values():
        assert (fault["reason"], fault["vcpu"], fault["at"]) == ("data-abort", 0, "nothing")
        assert fault["class"] == "0x24"  # a data abort from a lower level
        assert in_guest_image(board, int(fault["pc"], 16))
        assert in_hypervisor(board, int(fault["ipa"], 16))
        assert fault["va"] == fault["ipa"]


def test_device_that_is_not_mapped_is_a_data_abort(result, board):
    records = faults(result, "hostile_device")
    assert set(records) == set(CONTAINED)
    for fault in records.values():
        assert (fault["reason"], fault["vcpu"], fault["at"]) == ("data-abort", 0, "nothing")
        assert fault["ipa"] == fault["va"] and int(fault["ipa"], 16) % 0x1000 == 0
        assert in_guest_image(board, int(fault["pc"], 16))
    assert b"!" not in result.console


def test_jump_outside_is_a_prefetch_abort(result, board):
    records = faults(result, "hostile_jump")
    assert set(records) == set(CONTAINED)
    for fault in records.values():
        assert (fault["reason"], fault["at"]) == ("prefetch-abort", "nothing")
        assert fault["class"] == "0x20"  # an instruction abort from a lower level
        assert in_hypervisor(board, int(fault["pc"], 16))
        assert fault["pc"] == fault["va"] == fault["ipa"]


def test_smc_is_answered_and_reaches_no_firmware(result):
    for config in CONTAINED:
        check = result.record("check", bench="hostile_smc", config=config)
        assert check["ok"] and check["result"] == -1
        assert result.record("step", bench="hostile_smc", config=config)["smc"] == 1
    assert {step["smc"] for step in result.records("step") if step["bench"] != "hostile_smc"} == {0}


def test_endless_loop_is_preempted_at_the_limit(result, board):
    records = faults(result, "hostile_loop")
    assert set(records) == set(PREEMPTED)
    limit = result.log.run["hz"] * LIMIT_MS // 1000
    for config, fault in records.items():
        assert fault["reason"] == "time-limit"
        assert in_guest_image(board, int(fault["pc"], 16))
        ticks = result.record("step", bench="hostile_loop", config=config)["ticks"]
        assert limit <= ticks < limit + limit // 100  # the excess is the time of the fault record


def test_fault_ends_its_step(result):
    for bench in ("hostile_read", "hostile_device", "hostile_jump", "hostile_loop"):
        spared = {"native", "direct"} if bench == "hostile_loop" else {"native"}
        assert outcomes(result, bench) == {config: {"done" if config in spared else "fault"}
                                           for config in result.configs}, bench
        skips = result.records("skip", bench=bench)
        assert {skip["config"] for skip in skips} == spared, bench
        assert all(skip["reason"] for skip in skips), bench


def test_random_hypercalls_and_accesses_change_nothing(result):
    checks = result.records("check", bench="hostile_random")
    assert len(checks) == 2 * len(CONTAINED)
    for check in checks:
        assert check["ok"] and check["wrong_results"] == 0
        assert check["hypercalls"] == 10000
        assert check["accesses"] == (0 if check["config"] == "direct" else 10000)


def test_next_guest_measures_the_same(result):
    for probe in range(len(PROBES)):
        first = content(result, probe)
        assert first
        for after, hostile in enumerate(HOSTILE, 1):
            assert content(result, after * (len(PROBES) + 1) + probe) == first, hostile
