# SPDX-License-Identifier: Apache-2.0
"""A guest finds in its registers what it left there, whatever exit it takes, and an emulated access
reads and writes the register that it names: arch/registers.c checks it from inside."""

from functools import cache

import pytest

from assembler import assemble
from image import GUEST_IMAGE_OFFSET, Change, find_guest, patched, read_header
from lab import TREE, Job, board_facts

# Every vector table (hyp/arch/<isa>/vectors.S), every way to deactivate, to wait, to map.
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
PLANTED_PLAN = HEAD + "config trapped\nbench registers\n"

# A changed build, and the check that must find it: on armv8, on armv7.
PLANTED = {
    "another IIDR": ("IIDR=0x43c", "ldr_w0", "IIDR=0x43c", "ldr_r0_svc"),
    "another result of HVC": ("HVC_RESULT=1", "hvc", "HVC_RESULT=1", "hvc_fiq"),
    "another result of SMC": ("SMC_RESULT=0", "smc", "SMC_RESULT=0", "smc_fiq"),
    "caller-saved": ("SPOIL=mov x9,#0", "ldr_w0", "SPOIL=mov r12,#0", "ldr_r0_svc"),
    "callee-saved": ("SPOIL=mov w28,w28", "ldr_w0", "SPOIL=mov r11,#0", "ldr_r0_svc"),
    "x18, r9": ("SPOIL=mov x18,#0", "ldr_w0", "SPOIL=mov r9,#0", "ldr_r0_svc"),
    "link register": ("SPOIL=add x30,x30,#1", "ldr_w0", "SPOIL=add lr,lr,#1", "ldr_r0_svc"),
    "stack pointer": ("SPOIL=add sp,sp,#16", "ldr_w0", "SPOIL=add sp,sp,#4", "ldr_r0_svc"),
    "another stack pointer": ("SPOIL=msr sp_el0,xzr", "ldr_w0",
                              "SPOIL=msr sp_abt,r1", "ldr_r0_svc"),
    "flags": ("SPOIL=cmp wzr,wzr", "ldr_w0", "SPOIL=cmp pc,#0", "ldr_r0_svc"),
}


def guest(board: str, *defines: str):
    facts = board_facts(board)
    return assemble(board, "bench", int(facts["GUEST_BASE"], 16) + GUEST_IMAGE_OFFSET,
                    f'REGISTERS_ISA="registers_{facts["ISA"]}.h"',
                    *["IN_GEM5"] * TREE.is_gem5(board), *defines, also=("registers.c",))


@cache
def with_guest(*defines: str) -> Change:
    """The guest of arch/ in the place of the real one."""
    def change(image: bytes, board: str) -> bytes:
        new = guest(board, *defines).binary
        assert len(new) <= read_header(image, board)["image_size"]
        return patched(image, find_guest(image, board), new)
    return change


def failed_checks(result) -> dict[str, str]:
    """By configuration: the name of the check that ended the guest."""
    named = {error["config"]: error["what"] for error in result.records("error")}
    return {fault["config"]: named.get(fault["config"], fault["reason"])
            for fault in result.records("fault")}


@pytest.mark.gem5
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.job(PLAN, change=with_guest())
def test_every_register_is_the_guests_own(result, config):
    assert failed_checks(result).get(config) is None
    assert result.one("step", config=config)["outcome"] == "done", result.explain()


@pytest.mark.job(PLAN, change=with_guest())
def test_the_guest_ran_in_every_configuration(result, board):
    assert result.status == 0, result.explain()
    assert result.log.problems == []
    assert result.configs == list(CONFIGS)
    smc = {step["smc"] for step in result.records("step")}
    assert len(smc) == 1 and smc != {0}


@pytest.mark.job(PLAN, change=with_guest())
def test_every_kind_of_exit_was_taken(result):
    def kinds(config: str) -> set[str]:
        return {exits["exit"] for exits in result.records("exits", config=config)}
    assert kinds("stats") == {"hvc", "smc", "mmio-read", "mmio-write", "sysreg", "irq"}
    assert kinds("all") == kinds("stats") | {"wfi", "maintenance"}


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_fault_is_found(lab, built, fault):
    armv7 = board_facts(built)["ISA"] == "armv7"
    define, check = PLANTED[fault][2:] if armv7 else PLANTED[fault][:2]
    result = lab.run(Job(built, PLANTED_PLAN, change=with_guest(define)))
    assert result.status == 1, result.explain()
    assert failed_checks(result) == {"trapped": check}
