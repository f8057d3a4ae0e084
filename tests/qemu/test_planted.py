# SPDX-License-Identifier: Apache-2.0
"""The detectors can fail: each sees a fault that is planted in the image or in the records."""

import copy
import shutil

import pytest

import expected
from hypbench.records import read_log
from lab import ALL_CONFIGS, TREE
from planted import PATCHES

CONFIGS = "".join(f"config {name}\n" for name in ALL_CONFIGS)
SHORT = f"order once\n{CONFIGS}bench counter n=10\nbench sgi_self n=10\nbench timer_wakeup n=10\n"
ORDER = f"order once\n{CONFIGS}bench irq_order\n"
ESCAPE = "order once\nlimit_ms 1000\nconfig native\nconfig direct\nbench hostile_read\n"
UNMAP = "order once\nconfig lazy trapped stage2=4K fill=lazy\nbench hostile_unmap\n"
FIRMWARE = "order once\nconfig native\nbench hostile_smc\nbench counter\n"


@pytest.mark.parametrize("name", PATCHES)
def test_every_patch_applies(tmp_path, name):
    """Each is of this source; one that is not is named."""
    for patch in PATCHES[name]:
        (tmp_path / patch.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE.root / patch.path, tmp_path / patch.path)
    for patch in PATCHES[name]:
        patch.apply(tmp_path, name)


@pytest.mark.job(SHORT, planted="task_wake")
def test_task_that_is_not_woken_is_refused(result):
    assert result.status == 1, result.explain()
    for config in ALL_CONFIGS:
        step = result.one("step", bench="timer_wakeup", config=config)
        error = result.one("error", bench="timer_wakeup", config=config)
        assert step["outcome"] == "refused"
        assert "the task missed wakes" in error["what"]


@pytest.mark.job(SHORT, planted="gic_eoi")
def test_interrupt_that_is_lost_is_refused(result):
    """The guest never ends an interrupt, so that the second one never comes."""
    assert result.status == 1, result.explain()
    for config in ALL_CONFIGS:
        for bench, says in (("sgi_self", "SGI to self did not arrive"),
                            ("timer_wakeup", "interrupts are missing")):
            assert result.one("step", bench=bench, config=config)["outcome"] == "refused"
            assert says in result.one("error", bench=bench, config=config)["what"]


@pytest.mark.job(ORDER, planted="gic_set_priority")
def test_wrong_order_is_found(result):
    """Without priorities they come in the order of their numbers."""
    checks = result.records("check", variant="spi")
    assert len(checks) == len(ALL_CONFIGS)
    for check in checks:
        assert not check["ok"] and check["out_of_order"] > 0
        assert check["handled"] == check["pended"]
    assert any("check failed" in problem for problem in result.problems)


@pytest.mark.job(ORDER, planted="gic_set_priority")
def test_failed_check_fails_the_run(result):
    assert result.one("end")["status"] == "failed"
    assert result.status == 1


@pytest.mark.job(ESCAPE, planted="needs_stage2")
def test_guest_that_escapes_is_found(result):
    """Without stage 2 the read succeeds, and that is what the check is for."""
    check = result.one("check", bench="hostile_read", config="native")
    assert not check["ok"]
    assert result.one("fault", config="direct")["reason"] == "data-abort"
    assert result.problems


@pytest.mark.job(UNMAP, planted="invalidate")
def test_unmapping_that_the_tlb_does_not_see_is_found(result):
    """No entry of stage 2 that goes is taken out of the TLBs: make without break. QEMU may still
    drop one, where another takes its place."""
    check = result.one("check", bench="hostile_unmap")
    assert not check["ok"] and check["unmapped"] and check["faults"] <= 1
    assert result.status == 1


@pytest.mark.job(FIRMWARE, planted="needs_trapped_smc")
def test_call_that_reaches_the_firmware_is_found(result):
    """Not trapped, it switches the machine off: QEMU ends with 0, and the log has no end."""
    assert result.status == 0
    assert any("no end record" in problem for problem in result.problems)


@pytest.mark.job(SHORT, planted="samples_add crashes")
def test_guest_that_crashes_is_reported(result):
    assert result.status == 1, result.explain()
    faults = result.records("fault")
    assert len(faults) == 3 * len(ALL_CONFIGS)
    assert {fault["reason"] for fault in faults} == {"guest-crash"}
    assert {step["outcome"] for step in result.records("step")} == {"crashed"}


@pytest.mark.job(SHORT, planted="stamps swapped")
def test_counter_that_runs_backwards_is_refused(result):
    for config in ALL_CONFIGS:
        assert result.one("step", bench="counter", config=config)["outcome"] == "refused"
        assert "ran backwards" in result.one("error", bench="counter", config=config)["what"]


def mutated(console: bytes, number: int, change) -> list[str]:
    """The problems of a console whose record `number` was changed."""
    lines = console.splitlines(keepends=True)
    lines[number] = change(lines[number])
    return [str(problem) for problem in read_log(b"".join(lines)).problems]


@pytest.mark.job(SHORT)
@pytest.mark.parametrize("change, says", [
    (lambda line: line.replace(b'"p50":10', b'"p50":11'), "garbled: the crc is"),
    (lambda line: b"", "missing"),
    (lambda line: line + line, "is duplicated"),
    (lambda line: line[:40] + b"\r\n", "cut"),
    (lambda line: line, None),
], ids=["changed", "lost", "twice", "cut", "intact"])
def test_damaged_console_is_found(result, change, says):
    number = next(index for index, line in enumerate(result.console.splitlines())
                  if b'"variant":"nop10"' in line)
    found = mutated(result.console, number, change)
    if says:
        assert any(says in problem for problem in found)
    else:
        assert found == []


@pytest.mark.job(expected.PLAN)
def test_one_instruction_more_is_found(result):
    figures = expected.figures_of(result)
    longer = copy.deepcopy(figures)
    longer["trapped"]["hvc null"] += 1
    assert expected.differences(figures, figures) == []
    assert len(expected.differences(figures, longer)) == 1
    del longer["trapped"]["hvc null"]
    assert "not there" in expected.differences(figures, longer)[0]


@pytest.mark.job(expected.PLAN)
def test_path_above_its_ceiling_is_found(result, board):
    figures = expected.figures_of(result)
    figures["trapped"]["hvc null"] = 100
    assert len(expected.above_ceilings(board, figures)) == 1
