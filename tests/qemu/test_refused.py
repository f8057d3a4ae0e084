# SPDX-License-Identifier: Apache-2.0
"""What cannot run says why, in one record: a damaged guest image, a wrong plan, a wrong machine."""

import pytest

from hypervisor import reading_zero
from image import header_with
from lab import TREE, Job, board_facts

GOOD = "order once\nconfig direct\nbench counter n=5\n"
IMPOSSIBLE = 2  # QEMU's exit status for a run that could not start


def only_error(result) -> dict:
    """Nothing but one error record and the end."""
    assert result.status == IMPOSSIBLE, result.explain()
    assert result.log.text == []
    assert [record.kind for record in result.log.records] == ["error", "end"]
    error, end = (record.data for record in result.log.records)
    assert end["status"] == "failed" and end["errors"] == 1
    assert all(record.faults == () for record in result.log.records)
    return error


def bad_header(name: str, says: str, **changes):
    return pytest.param(says, id=name,
                        marks=pytest.mark.job(GOOD, change=header_with(**changes)))


@pytest.mark.gem5
@pytest.mark.parametrize("says", [
    bad_header("magic", "magic", magic=lambda old: b"HYPBENCH-GUEST2\0"),
    bad_header("load_address", "linked for another address",
               load_address=lambda old: old["load_address"] + 0x1000),
    bad_header("image_size_more", "cut", image_size=lambda old: old["image_size"] + 0x100000),
    bad_header("image_size_less", "cut", image_size=lambda old: 8),
    bad_header("entry_before", "entry", entry=lambda old: old["load_address"] - 4),
    bad_header("entry_behind", "entry",
               entry=lambda old: old["load_address"] + old["image_size"]),
    bad_header("memory_end_more", "does not fit",
               memory_end=lambda old: old["memory_end"] + (1 << 31)),
    bad_header("memory_end_most", "does not fit", memory_end=lambda old: (1 << 64) - 1),
    bad_header("memory_end_less", "does not fit",
               memory_end=lambda old: old["load_address"]),
])
def test_damaged_guest_image_is_refused(result, says):
    error = only_error(result)
    assert error["where"] == "guest image"
    assert says in error["what"]


@pytest.mark.job(GOOD, change=header_with())
def test_undamaged_guest_image_runs(result):
    """The same way of changing the image, changing nothing."""
    assert result.status == 0, result.explain()


def bad_plan(name: str, plan: str, line: int, *says: str):
    return pytest.param(line, says, id=name, marks=pytest.mark.job(plan))


AXES = ("stage1", "stage2", "fill", "irq", "lr", "lrs", "eoi", "wfi", "traps", "frame", "fp",
        "sched", "errata", "state", "stats", "trace", "probes", "cntp", "delay_el2",
        "slice_us", "cntvoff_us")


@pytest.mark.gem5
@pytest.mark.parametrize("line, says", [
    bad_plan("statement", "order once\nconfi native\nbench counter\n", 2, "'confi'", "name",
             "platform", "order", "limit_ms", "config", "bench"),
    bad_plan("preset", "config nativ\nbench counter\n", 1, "'nativ'", "native", "direct",
             "trapped", "trapped-sw"),
    bad_plan("axis", "\n# nothing\nconfig a native stage3=4K\nbench counter\n", 3, "stage3", *AXES),
    bad_plan("value", "config a native stage2=8K\nbench counter\n", 1, "stage2=8K", "off", "4K",
             "2M", "1G"),
    bad_plan("parameter", "config native\nbench counter m=5\n", 2, "m=5", "n", "delay", "pages",
             "period", "seed"),
    bad_plan("number", "config native\nbench counter n=0\n", 2, "n=0", "1 to 1000000"),
    bad_plan("odd_delay", "config native\nbench counter delay=3\n", 2, "delay=3", "even"),
    bad_plan("order", "order abab\n", 1, "'abab'", "abba", "once"),
    bad_plan("twice", "config native\nconfig native\nbench counter\n", 2, "native"),
    bad_plan("trapped_without_stage2", "config a trapped stage2=off\nbench counter\n", 1, "'a'",
             "irq=trapped needs stage 2"),
    # The host tool's line with the platform is the last one, for gem5 that with the machine.
    bad_plan("no_bench", "config native\n", 2, "no bench"),
    bad_plan("empty", "", 2, "no config"),
])
def test_wrong_plan_is_refused_with_line_and_words(result, board, line, says):
    error = only_error(result)
    at_the_end = says[0].startswith("no ")
    assert error["where"] == f"plan line {line + (at_the_end and TREE.is_gem5(board))}"
    for word in says:
        assert word in error["what"]


def said_to_be_gem5(image: bytes, _board: str) -> bytes:
    there, instead = b"platform qemu-icount", b"platform gem5"
    assert image.count(there) == 1
    return image.replace(there, instead.ljust(len(there)))


@pytest.mark.job(GOOD, change=said_to_be_gem5)
def test_a_board_that_gem5_does_not_play_is_refused_m5_operations(result):
    assert "is not a model of gem5's" in only_error(result)["what"]


UNKNOWN = """order once
config direct
config trapped
bench counter n=5
bench conter n=5
bench hvc n=5
"""


@pytest.mark.job(UNKNOWN)
def test_unknown_benchmark_is_refused_and_the_plan_goes_on(result):
    assert result.status == 1, result.explain()
    errors = result.records("error")
    assert [error["config"] for error in errors] == ["direct", "trapped"]
    for error in errors:
        assert error["bench"] == "conter" and "'conter'" in error["what"]
        assert {"counter", "hvc", "mmio_read", "irq_order", "sgi_self", "timer_wakeup",
                "tlb_chase"} <= set(error["what"].split())
    outcomes = {(step["bench"], step["outcome"]) for step in result.records("step")}
    assert outcomes == {("counter", "done"), ("conter", "refused"), ("hvc", "done")}
    assert len(result.records("bench", bench="hvc")) == 2 * 2  # variants, configurations


def machine_with(**properties):
    """QEMU's options with other -M properties; None takes one away."""
    def machine(options: list[str]) -> list[str]:
        at = options.index("-M") + 1
        name, *words = options[at].split(",")
        have = dict(word.split("=") for word in words) | properties
        said = [f"{key}={value}" for key, value in have.items() if value is not None]
        return [*options[:at], ",".join([name, *said]), *options[at + 1:]]
    return machine


WITHOUT_EL2 = machine_with(virtualization=None)
SECURE = machine_with(secure="on")
OTHER_GIC = {"2": machine_with(**{"gic-version": "3"}), "3": machine_with(**{"gic-version": "2"})}


def other_gic(options: list[str]) -> list[str]:
    present = "3" if any("gic-version=3" in word for word in options) else "2"
    return OTHER_GIC[present](options)


@pytest.mark.job(GOOD, machine=WITHOUT_EL2)
def test_machine_without_virtualization_is_refused(result):
    error = only_error(result)
    assert error["where"] == "self-check"
    assert "EL2" in error["what"] and "virtualization=on" in error["what"]


@pytest.mark.job(GOOD, machine=SECURE)
def test_start_in_secure_state(result, board):
    if board_facts(board)["ISA"] == "armv8":  # goes down by itself: test_entry_armv8.py
        assert result.status == 0 and result.log.run["entry_level"] == "el3", result.explain()
        return
    error = only_error(result)
    assert error["where"] == "self-check"
    assert "entered in Secure SVC, not in HYP mode" in error["what"]


@pytest.mark.job(GOOD, machine=other_gic)
def test_another_gic_version_is_refused(result, board):
    error = only_error(result)
    assert error["where"] == "self-check"
    assert f"no {board_facts(board)['GIC'].replace('gic', 'GIC')}" in error["what"]


GICV3 = "virt-a72-gicv3"
WITHOUT_ID_FIELD = reading_zero("hyp_main", armv8="mrs x0, id_aa64pfr0_el1")


def test_gicv3_is_found_where_the_id_register_names_none(lab):
    """ID_AA64PFR0_EL1.GIC is 0 in gem5, whatever the GIC."""
    result = lab.run(Job(GICV3, GOOD, change=WITHOUT_ID_FIELD))
    assert result.status == 0, result.explain()
    assert result.problems == []


def test_gicv2_is_refused_where_the_id_register_names_none(lab):
    error = only_error(lab.run(Job(GICV3, GOOD, machine=other_gic, change=WITHOUT_ID_FIELD)))
    assert error["where"] == "self-check" and "no GICv3" in error["what"]
