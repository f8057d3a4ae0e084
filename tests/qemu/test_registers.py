# SPDX-License-Identifier: Apache-2.0
"""A guest finds its registers unchanged after every kind of exit, and an emulated access reads and
writes the register that it names. arch/registers.c makes these checks in the guest."""

import pytest

from assembler import Program, assemble
from image import guest_home, replaced
from lab import TREE, board_facts

# Every vector table (hyp/arch/<isa>/vectors.S), and every way to deactivate an interrupt, to wait
# and to map.
CONFIGS = {
    "trapped": "",
    "trapped-sw": "",
    "wfi": "trapped wfi=trapped",
    "4K": "trapped stage2=4K",
    "full": "trapped frame=full",
    "stats": "trapped stats=on",
    "delay": "trapped delay_el2=4",
    "full-stats": "trapped frame=full stats=on trace=on",
    "full-delay": "trapped frame=full delay_el2=4",
    "stats-delay": "trapped stats=on delay_el2=4",
    "all": "trapped-sw frame=full stats=on delay_el2=4 wfi=trapped stage2=4K",
}
HEAD = "order once\nlimit_ms 1000\n"
PLAN = HEAD + "".join(f"config {name} {words}\n" for name, words in CONFIGS.items()) + \
    "bench registers\n"  # the hypervisor knows no benchmark by name


def guest(board: str) -> Program:
    return assemble(board, "bench", guest_home(board),
                    f'REGISTERS_ISA="registers_{board_facts(board)["ISA"]}.h"',
                    *["IN_GEM5"] * TREE.is_gem5(board), sources=("registers.c",))


def with_guest(image: bytes, board: str) -> bytes:
    """Return the image with the guest of arch/ in place of the bench guest."""
    return replaced(image, board, guest(board).binary)


def failed_checks(result) -> dict[str, str]:
    """Return by configuration the name of the check that ended the guest."""
    messages = {error["config"]: error["what"] for error in result.records("error")}
    return {fault["config"]: messages.get(fault["config"], fault["reason"])
            for fault in result.records("fault")}


@pytest.fixture
def result(lab, job):
    """Return the run of the guest of arch/, which measures nothing."""
    result = lab.run(job)
    assert result.status == 0 and result.log.problems == [], result.explain()
    return result


@pytest.mark.gem5
@pytest.mark.job(PLAN, change=with_guest)
def test_every_register_is_the_guests_own(result):
    assert failed_checks(result) == {}
    assert {step["config"]: step["outcome"] for step in result.records("step")} == dict.fromkeys(
        CONFIGS, "done"), result.explain()
    smc = {step["smc"] for step in result.records("step")}
    assert len(smc) == 1 and smc != {0}


@pytest.mark.job(PLAN, change=with_guest)
def test_every_kind_of_exit_was_taken(result):
    def kinds(config: str) -> set[str]:
        return {exits["exit"] for exits in result.records("exits", config=config)}
    # A kick continues a write to many interrupts.
    assert kinds("stats") == {"hvc", "smc", "mmio-read", "mmio-write", "sysreg", "irq", "kick"}
    assert kinds("all") == kinds("stats") | {"wfi", "maintenance"}
