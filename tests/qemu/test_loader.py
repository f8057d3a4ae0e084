# SPDX-License-Identifier: Apache-2.0
"""The hypervisor starts alike from any state that a boot loader left: arch/loader.c."""

from functools import cache


from assembler import assemble
from lab import Job, board_facts

LOADER_ADDRESS = 0x50000000  # RAM after the hypervisor

MMU_AND_CACHES = 1 << 12 | 1 << 2 | 1 << 0  # of SCTLR_EL2 and HSCTLR: I, C, M
HCR_PRESET = 1 << 4 | 1 << 5 | 1 << 13  # IMO, AMO, TWI

PLAN = """order once
config native
config trapped
config slice trapped sched=rr
bench hvc n=10
bench timer_wakeup n=10
"""

# Registers of the private interrupts: GICD, on a GICv3 GICR's SGI_base.
GIC_PRIVATE = {"gicv2": 0x08000000, "gicv3": 0x080b0000}


@cache
def started_by_loader(board: str, hyp_base: str):
    """Return QEMU's options that start the loader; the image is in memory, too."""
    gic = board_facts(board)["GIC"]
    private, version = GIC_PRIVATE[gic], gic.removeprefix("gicv")
    loader = assemble(board, "vcpus", LOADER_ADDRESS, f"HYP_BASE={hyp_base}",
                      f"GIC_PRIVATE={private:#x}", f"GIC_VERSION={version}",
                      sources=("loader.c",)).elf

    def machine(options: list[str]) -> list[str]:
        return [*options, "-device", f"loader,file={loader},cpu-num=0"]
    return machine


def test_a_loaders_leftovers_change_nothing(lab, built):
    hyp_base = board_facts(built)["HYP_BASE"]
    plain, loaded = (lab.ended(Job(built, PLAN, machine=machine))
                     for machine in (None, started_by_loader(built, hyp_base)))
    assert loaded.without_run_record == plain.without_run_record
    sctlr = int(loaded.log.run["entry_sctlr"], 16)
    assert int(loaded.log.run["entry_hcr"], 16) & HCR_PRESET == HCR_PRESET
    assert sctlr & MMU_AND_CACHES == MMU_AND_CACHES != int(plain.log.run["entry_sctlr"], 16)
