# SPDX-License-Identifier: Apache-2.0
"""A refused run gives its reason in one record: a wrong plan, a wrong machine."""

import pytest

from hypbench.plan import find_section, write_plan
from hypbench.plan_binary import HEADER, MAGIC, SECTION_SIZE, VERSION
from hypbench.plan_language import parse
from image import GUEST_IMAGE_OFFSET, patched, read_header
from lab import BOARDS, Job, board_facts, image_of
from talk import facts

GOOD = "order once\nconfig direct\nbench counter n=5\n"
LENGTH = SECTION_SIZE - HEADER.size  # length of a plan
IMPOSSIBLE = 2  # QEMU's exit status for a run that could not start


def refused(**more):
    """A run that cannot start."""
    return pytest.mark.job(GOOD, status=IMPOSSIBLE, **more)


def only_error(result) -> dict:
    """Return the only error record; the end is the only other record."""
    assert result.log.text == []
    assert [record.kind for record in result.log.records] == ["error", "end"]
    error, end = (record.data for record in result.log.records)
    assert end["status"] == "failed" and end["errors"] == 1
    assert all(record.faults == () for record in result.log.records)
    return error


def test_the_guest_in_the_image_is_linked_for_its_board(built):
    """linker/guest.ld.S keeps the guest smaller than any board's guest RAM."""
    header, board = read_header(image_of(built), built), facts(built)
    base, end = header["load_address"], header["memory_end"]
    assert base == board["guest_base"] + GUEST_IMAGE_OFFSET
    assert base <= header["entry"] < base + header["image_size"] <= end
    assert end <= board["guest_base"] + board["guest_size"]


# A changed byte of the plan's section, and what EL2 reports.
VERSION_AT = len(MAGIC)
DAMAGES = {
    VERSION_AT - 2: f"the plan section's magic is not {MAGIC.decode()[:-1]}",
    VERSION_AT: f"version {VERSION ^ 1}; valid: {VERSION}",
    VERSION_AT + 4: f"length {LENGTH ^ 1}; valid: {LENGTH}",
    HEADER.size - 1: "wrong CRC-32: the plan is damaged or cut",
    HEADER.size: "wrong CRC-32: the plan is damaged or cut",
    HEADER.size + LENGTH - 1: "wrong CRC-32: the plan is damaged or cut",
}


def damaged(place: int):
    def change(image: bytes, _board: str) -> bytes:
        at = find_section(image) + place
        return patched(image, at, bytes([image[at] ^ 1]))
    return change


@pytest.mark.parametrize("message", [
    pytest.param(message, id=str(place), marks=refused(change=damaged(place)))
    for place, message in DAMAGES.items()])
@pytest.mark.gem5
def test_a_binary_plan_that_is_damaged_is_refused(result, message):
    error = only_error(result)
    assert (error["where"], error["what"]) == ("plan", message)


def with_gem5_platform(image: bytes, board: str) -> bytes:
    return write_plan(image, parse(GOOD), "gem5")


@refused(change=with_gem5_platform)
def test_a_board_that_gem5_does_not_play_is_refused_m5_operations(result):
    assert "is not a model of gem5's" in only_error(result)["what"]


UNKNOWN = """order once
config direct
config trapped
bench counter n=5
bench conter n=5
bench hvc n=5
"""


@pytest.mark.job(UNKNOWN, status=1)
def test_unknown_benchmark_is_refused_and_the_plan_goes_on(result):
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
    """Return QEMU's options with other -M properties; None removes one."""
    def machine(options: list[str]) -> list[str]:
        at = options.index("-M") + 1
        name, *words = options[at].split(",")
        have = dict(word.split("=") for word in words) | properties
        settings = [f"{key}={value}" for key, value in have.items() if value is not None]
        return [*options[:at], ",".join([name, *settings]), *options[at + 1:]]
    return machine


WITHOUT_EL2 = machine_with(virtualization=None)
SECURE = machine_with(secure="on")
OTHER_GIC = {"2": machine_with(**{"gic-version": "3"}), "3": machine_with(**{"gic-version": "2"})}


def other_gic(options: list[str]) -> list[str]:
    present = "3" if any("gic-version=3" in word for word in options) else "2"
    return OTHER_GIC[present](options)


@refused(machine=WITHOUT_EL2)
def test_machine_without_virtualization_is_refused(result):
    error = only_error(result)
    assert error["where"] == "self-check"
    assert "EL2" in error["what"] and "virtualization=on" in error["what"]


@pytest.mark.parametrize("on", [board for board in BOARDS if board_facts(board)["ISA"] == "armv7"])
def test_start_in_secure_state_is_refused(lab, on):
    """ARMv8 descends from EL3 by itself: see test_entry_armv8.py."""
    error = only_error(lab.ended(Job(on, GOOD, machine=SECURE, status=IMPOSSIBLE)))
    assert error["where"] == "self-check"
    assert "entered in Secure SVC, not in HYP mode" in error["what"]


@refused(machine=other_gic)
def test_another_gic_version_is_refused(result, board):
    error = only_error(result)
    assert error["where"] == "self-check"
    assert f"no {board_facts(board)['GIC'].replace('gic', 'GIC')}" in error["what"]


def with_less_ram(options: list[str]) -> list[str]:
    """Return options with less RAM than the `virt` boards' guest needs, [0x80000000,
    0xc0000000)."""
    at = options.index("-m") + 1
    return [*options[:at], "2047M", *options[at + 1:]]


@refused(machine=with_less_ram)
def test_less_ram_is_refused(result):
    error = only_error(result)
    assert error == error | {"where": "self-check", "what": "the guest's RAM is not there: the "
                             "board has less than 1024 MiB at 0x80000000"}


@pytest.mark.long
def test_the_gic_is_found_where_the_id_register_names_none(lab):
    """ID_AA64PFR0_EL1.GIC is 0 in gem5, for any GIC."""
    board, fault = "virt-a72-gicv3", "id_aa64pfr0"
    lab.ended(Job(board, GOOD, planted=fault))
    error = only_error(lab.ended(Job(board, GOOD, other_gic, planted=fault, status=IMPOSSIBLE)))
    assert error["where"] == "self-check" and "no GICv3" in error["what"]
