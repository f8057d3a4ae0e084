# SPDX-License-Identifier: Apache-2.0
"""Checks that refuse a plan which no machine can run, or which this board cannot run."""

from collections.abc import Collection

from hypbench import abi
from hypbench.plan_vms import Guest, Vm, most_ram, overlap, taking_part
from hypbench.plan_words import Mistake, quoted

MIB = 1 << 20
VIRT = {name: abi.constant(f"VIRT_{name}") for name in (
    "FLASH", "FLASH_BANK_SIZE", "FLASH_BANKS", "GICD", "GICC", "GICR", "UART", "UART_SIZE")}
FRAMES = 0x10000  # size of a distributor, and of a CPU interface
REDISTRIBUTOR = 2 * FRAMES  # size of a redistributor
STATS_MAX = abi.constant("PLAN_STATS_VCPUS")
Board = dict[str, int]  # the numbers in the board's files (boardfile.py)


def check_devices(guest: Guest, cpus: int, where: str) -> None:
    """Check that no memory overlaps a device. A load may be in the flash, RAM may not. `where` is
    the end of the message."""
    ram = {"ipa": guest.fields["ram"], "size": guest.ram_end - guest.fields["ram"]}
    flash = ("flash", VIRT["FLASH"], VIRT["FLASH_BANKS"] * VIRT["FLASH_BANK_SIZE"])
    devices = [("distributor", VIRT["GICD"], FRAMES), ("CPU interface", VIRT["GICC"], FRAMES),
               ("redistributors", VIRT["GICR"], REDISTRIBUTOR * cpus),
               ("UART", VIRT["UART"], VIRT["UART_SIZE"])]
    for part, places in [(ram, [*devices, flash]), *((load, devices) for load in guest.loads)]:
        for name, base, size in places:
            if overlap(part, {"ipa": base, "size": size}):
                raise Mistake(f"a load, or the RAM, overlaps the {name}{where}")


def check_guest_in(config: str, axes: dict[str, str], guest: Guest, cpus: int) -> None:
    """Check a guest with this number of vCPUs in a configuration, on any board."""
    where = f"in config {quoted(config)}"
    if cpus > 1 and axes["irq"] != "trapped":
        raise Mistake(f"several vCPUs need irq=trapped: irq={axes['irq']} {where}")
    if cpus > 1 and axes["fill"] == "lazy":
        raise Mistake(f"several vCPUs need fill=eager: fill=lazy {where}")
    if axes["stage2"] != "off":
        check_devices(guest, cpus, f": stage2={axes['stage2']} {where}")


def check_guest_on(board: Board, guest: Guest) -> None:
    """Check a guest's memory on a board, in any configuration."""
    if guest.recipe:
        raise Mistake(f"recipe={guest.recipe} is for `make bench` under QEMU, which places the"
                      " guest's images")
    mib, most = guest.fields["ram_mib"], board["guest_size"] // MIB
    if mib > most:
        raise Mistake(f"ram_mib={mib}: this board has {most} MiB for a guest")
    store = board.get("store_size", 0)
    end = max(load["store"] + load["size"] for load in guest.loads)
    if end > store:
        raise Mistake(f"a load ends at {end:#x} of the store, which has {store:#x} bytes"
                      f"{'' if store else ' on this board'}")


def check_native(board: Board, config: str, guest: Guest) -> None:
    """Check a guest in a configuration with stage2=off, where every address is the board's own."""
    where = f"in config {quoted(config)}"
    base, size = board["guest_base"], board["guest_size"]
    if not base <= guest.fields["ram"] <= guest.ram_end <= base + size:
        raise Mistake(f"the guest's RAM is not in this board's, {size // MIB} MiB at {base:#x}:"
                      f" stage2=off {where}")
    for load in guest.loads:
        if not guest.in_ram(load["ipa"]) and load["ipa"] != board["store_base"] + load["store"]:
            raise Mistake("a load outside of RAM stays where the store has it,"
                          f" {board['store_base'] + load['store']:#x}: stage2=off {where}")


def check_together(board: Board, vms: dict[str, Vm], configs: Collection[dict[str, str]]) -> None:
    """Check all VMs together on a board."""
    mib, most = most_ram(vms, configs), board["guest_size"] // MIB
    if mib > most:
        raise Mistake(f"the VMs need {mib} MiB of RAM: this board has {most} MiB for guests")
    needed = 1 + max(core for vm in vms.values() for core in vm.cores)
    cores = board.get("cores.count", 1)
    if needed > cores:
        raise Mistake(f"the VMs want {needed} cores: this board has {cores}")


def check_stats(vms: dict[str, Vm], config: str, axes: dict[str, str]) -> None:
    count = sum(len(vm.cores) for vm in taking_part(vms, axes).values())
    if "on" in (axes["stats"], axes["trace"]) and count > STATS_MAX:
        raise Mistake(f"stats and trace are for {STATS_MAX} vCPUs, not {count}:"
                      f" config {quoted(config)}")
