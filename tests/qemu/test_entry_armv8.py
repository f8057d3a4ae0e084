# SPDX-License-Identifier: Apache-2.0
"""The ARMv8 image starts at EL3, as an arm64 Image, or at an address other than the linked one, and
reports an early failure."""

import shutil
from functools import cache

import pytest

from assembler import CROSS, assemble
from assembler import run as run_tool
from lab import BOARDS
from hypbench import plan as plans
from hypbench import qemu
from hypbench.plan_language import parse
from lab import CLOCK, PLATFORM, TREE, Job, Result, board_facts, image_of, run_qemu
from test_refused import SECURE, WITHOUT_EL2

ARMV8 = [board for board in BOARDS if board_facts(board)["ISA"] == "armv8"]
LOADER_ADDRESS = 0x50000000  # RAM after the hypervisor

PLAN = """order once
config native
config direct
config trapped
bench hvc n=10
bench sgi_self n=10
bench timer_wakeup n=10
"""


@pytest.fixture(params=ARMV8)
def v8(request) -> str:
    return request.param


def hyp_base(board: str) -> int:
    return int(board_facts(board)["HYP_BASE"], 16)


def good(result):
    assert not result.timed_out and result.status == 0, result.explain()
    assert result.problems == [] and result.log.text == []
    return result


@pytest.fixture
def plain(lab, v8) -> bytes:
    """Return the console after the run record, from the usual start."""
    return good(lab.run(Job(v8, PLAN))).without_run_record


# ---- at EL3

@cache
def loaded_at_el3(begin: int, board: str):
    def machine(options: list[str]) -> list[str]:
        version = board_facts(board)["GIC"].removeprefix("gicv")
        loader = assemble(board, "loader_el3", LOADER_ADDRESS, f"BEGIN={begin}",
                          f"GIC_VERSION={version}").elf
        return [*SECURE(options), "-device", f"loader,file={loader},cpu-num=0"]
    return machine


def test_from_el3_it_goes_down_by_itself(lab, v8, plain):
    """At EL3 the GIC has two security states, and every interrupt is Secure at first."""
    result = good(lab.run(Job(v8, PLAN, machine=SECURE)))
    assert result.log.run["entry_level"] == "el3"
    assert result.log.run["cores"] == ["el3"]
    assert result.without_run_record == plain


def test_what_a_loader_left_at_el3_changes_nothing(lab, v8, plain):
    result = good(lab.run(Job(v8, PLAN, machine=loaded_at_el3(hyp_base(v8), v8))))
    assert result.log.run["entry_level"] == "el3"
    assert result.log.run["entry_psr"] == "0x0"
    assert result.without_run_record == plain


# ---- as a flat image

def flat_image(board: str, folder, planted: str = "") -> bytes:
    """Return the file that `objcopy -O binary` makes, with the plan of these tests in it."""
    elf = folder / "changed.elf"
    elf.write_bytes(image_of(board, planted))
    cross = next(filter(lambda prefix: shutil.which(f"{prefix}objcopy"), CROSS["armv8"]))
    run_tool(f"{cross}objcopy", "-O", "binary", elf, elf.with_suffix(".bin"))
    return plans.write_plan(elf.with_suffix(".bin").read_bytes(), parse(PLAN), PLATFORM)


def run_of(board: str, image, *instead_of_kernel: str) -> Result:
    words = qemu.command(TREE.qemu_options(board), CLOCK, image)
    if instead_of_kernel:
        words = [*words[:-2], *instead_of_kernel]
    return good(run_qemu(words))


@pytest.mark.long
def test_it_is_an_arm64_image(v8, plain, tmp_path):
    """QEMU accepts the file as an arm64 Image and puts it at its linked address; x0 is then the
    device tree."""
    path = tmp_path / "hypbench.bin"
    path.write_bytes(flat_image(v8, tmp_path, "image not moved"))
    result = run_of(v8, path)
    assert result.log.run["entry_level"] == "el2"
    assert result.without_run_record == plain


@pytest.mark.parametrize("distance", [-0x10000, 0x10000, 0x8000000])
def test_loaded_elsewhere_it_moves_to_where_it_is_linked(v8, plain, tmp_path, distance):
    path = tmp_path / "hypbench.bin"
    path.write_bytes(flat_image(v8, tmp_path))
    loader = f"loader,file={path},addr={hyp_base(v8) + distance:#x},force-raw=on,cpu-num=0"
    assert run_of(v8, path, "-device", loader).without_run_record == plain


# ---- early failures

MACHINES = {"el1": WITHOUT_EL2, "el2": None, "el3": SECURE}


@pytest.mark.long
@pytest.mark.parametrize("level", MACHINES)
def test_an_early_exception_says_so(lab, v8, level):
    """The exception comes after the first instructions, before bss is cleared and anything is set
    up."""
    result = lab.run(Job(v8, PLAN, machine=MACHINES[level], planted="crash in clear_bss"))
    assert result.status == 2, result.explain()
    text = "\n".join(result.log.text)
    assert "panic: hyp/trap/trap.c:" in text and "exception in the hypervisor: synchronous" in text
    assert f"currentel 0x{4 * int(level[-1]):x}" in text
    assert result.log.records == []
