# SPDX-License-Identifier: Apache-2.0
"""Isolation, by a sweep of the tables: each page that the stage 2 of a VM maps is RAM of this VM,
or a device that its configuration gives it. The test reads the tables from the machine's memory.
The allowed pages come from the board's facts and the linker's symbols."""

from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

import talk
from assembler import Program, assemble
from gdbstub import Machine
from hypbench import plan as plans
from hypbench import qemu
from hypbench.plan_language import parse
from hypervisor import symbols
from image import guest_symbols, read_header
from lab import CLOCK, PLATFORM, TREE, image_of
from old_qemu import divides_otherwise
from test_hostile_vcpus import ENTRY, RAM
from test_hostile_vcpus import program as hostile_program
from stage2_tables import PAGE, Range, join, mapped_areas

GRAINS, FILLS, IRQS = ("4K", "2M", "1G"), ("eager", "lazy"), ("trapped", "direct")
MATRIX = [(grain, fill, irq) for grain in GRAINS for fill in FILLS for irq in IRQS]
MATRIX_CONFIGS = "".join(f"config {'-'.join(axes)} {axes[2]} stage2={axes[0]} fill={axes[1]}\n"
                         for axes in MATRIX)
SHARED_CONFIGS = "".join(f"config {sched} trapped sched={sched} slice_us=100\n"
                         for sched in ("rr", "fp"))
GICC_SIZE, GICD_SIZE, GICV3_GICD_SIZE, GICR_SIZE = 0x2000, 0x1000, 0x10000, 0x20000
# Memory map of an unmodified guest (abi/virt.h).
VIRT_FLASH, VIRT_GICD, VIRT_GICC = range(0x8000000), 0x8000000, 0x8010000
VIRT_GICR, VIRT_UART = 0x80a0000, 0x9000000
RAM_SIZE = 64 << 20
IN_FLASH, IN_STORE, LOAD_SIZE = 0x1000, 0x100000, 3 * PAGE  # a load of the plan outside of RAM


# --- allowed pages ---

@cache
def symbol(board: str, name: str) -> int:
    return next(address for address, label in symbols(board) if label == name)


def gic(board: str, irq: str, at: dict[str, int], cpus: int = 1,
        traps_dir: bool = False) -> Iterator[Range]:
    """Return the parts of the GIC that a guest owns, at their addresses in the guest."""
    facts, direct = talk.facts(board), irq == "direct"
    if "gic.cpu" in facts:
        part = facts["gic.cpu"] if direct else facts["gic.vcpu"]
        size = PAGE if traps_dir and not direct else GICC_SIZE
        yield Range(at["gic.cpu"], part, size, "device")
        if direct:
            yield Range(at["gic.dist"], facts["gic.dist"], GICD_SIZE, "device")
    elif direct:
        yield Range(at["gic.dist"], facts["gic.dist"], GICV3_GICD_SIZE, "device")
        yield Range(at["gic.redist"], facts["gic.redist"], GICR_SIZE * cpus, "device")


def bench_guest(board: str, irq: str, ram: bool) -> list[Range]:
    """Return the pages that the bench guest may have; their IPA is their physical address."""
    facts = talk.facts(board)
    memory = Range(facts["guest_base"], facts["guest_base"], facts["guest_size"], "ram")
    return join([*gic(board, irq, facts), *[memory] * ram])


def background_guest(board: str) -> list[Range]:
    """Return the background VM's pages: its code, and on a GICv2 the page of the virtual CPU
    interface that background.S writes."""
    code, gicv = symbol(board, "__background_start"), talk.facts(board).get("gic.vcpu")
    pages = [Range(code, code, PAGE, "code")]
    return join([*pages, Range(code ^ PAGE, gicv, PAGE, "device")] if gicv else pages)


def unmodified_guest(board: str, irq: str, cpus: int = 1) -> list[Range]:
    """Return the pages of an unmodified guest except its flash, which flash() returns."""
    facts = talk.facts(board)
    at = {"gic.cpu": VIRT_GICC, "gic.dist": VIRT_GICD, "gic.redist": VIRT_GICR}
    uart = Range(VIRT_UART, facts["console[1]"], PAGE, "device")
    return join([Range(RAM, facts["guest_base"], RAM_SIZE, "ram"),
                 *gic(board, irq, at, cpus, traps_dir=True), *[uart] * (irq == "direct")])


def foreign_areas(pages: list[Range], allowed: list[Range]) -> list[str]:
    return [str(area) for area in pages
            if not any(allowed_area.holds(area) for allowed_area in allowed)]


def differences(pages: list[Range], expected: list[Range]) -> list[str]:
    return (foreign_areas(pages, expected) +
            [f"missing: {area}" for area in foreign_areas(expected, pages)])


# --- the machine, halted ---

def command(board: str, plan: str, folder, cpus: int = 1, store: bytes = b"") -> list[str]:
    image, files = folder / "hypbench.elf", folder / "store"
    image.write_bytes(plans.write_plan(image_of(board), parse(plan), PLATFORM))
    options = [*TREE.qemu_options(board), "-smp", str(cpus)]
    if store:
        files.write_bytes(store)
        base = talk.facts(board)["store_base"]
        options += ["-device", f"loader,file={files},addr={base:#x},force-raw=on"]
    # A halted machine is asleep to QEMU, and must not wake at the next deadline.
    return [word.replace("sleep=off", "sleep=on")
            for word in qemu.unrecorded(qemu.command(options, CLOCK, image))]


def in_guest(machine: Machine) -> bool:
    """Return whether the core is at EL1, or in a mode of AArch32 other than HYP."""
    mode = machine.register("cpsr") & 0x1f
    return mode != 0x1a if mode & 0x10 else mode & 0xc == 4


def guest_stops(machine: Machine, places: dict[int, str]) -> Iterator[str]:
    """Return the stops in a guest. The machine stops twice at an instruction that is not mapped yet
    or is interrupted."""
    last = 0
    for address in machine.stops(*places):
        if in_guest(machine) and address != last:
            yield places[address]
            last = address


# --- the bench guest, and the VM beside it ---

def sweep(board: str, words: list[str], places: dict[int, str], has_flash: bool = False
          ) -> Iterator[tuple[str, list[Range]]]:
    """Return the mappings, without flash, at each stop of a guest at one of these places."""
    with Machine(words) as machine:
        for place in guest_stops(machine, places):
            pages = mapped_areas(machine)
            allowed = set(flash(machine, board, pages) if has_flash else ())
            yield place, [area for area in pages if area not in allowed]


def flash(machine: Machine, board: str, pages: list[Range]) -> list[Range]:
    """Return the allowed pages of an unmodified guest's flash: pages that the plan loads there, and
    erased pages, which EL2 maps to a page of ones among its constants."""
    loaded = Range(IN_FLASH, talk.facts(board)["store_base"] + IN_STORE, LOAD_SIZE, "code")
    constants = range(symbol(board, "__rodata_start"), symbol(board, "__rodata_end"))
    inside = [area for area in pages if area.ipa in VIRT_FLASH]
    erased = {pa for pa in {area.pa for area in inside} & set(constants)
              if set(machine.read(pa, PAGE)) == {0xff}}
    return [area for area in inside if loaded.holds(area)
            or area.kind == "data" and area.size == PAGE and area.pa in erased]


def sweep_bench(board: str, plan: str, folder) -> list[tuple[str, list[Range]]]:
    """Return the mappings at the first and the last instruction of the bench guest, and at the
    first instruction of the background VM."""
    places = {read_header(image_of(board), board)["entry"]: "entry",
              guest_symbols(board)["guest_exit"]: "exit",
              symbol(board, "__background_start"): "background"}
    return list(sweep(board, command(board, plan, folder), places))


def test_each_page_of_a_bench_guest_is_its_own(built, tmp_path):
    """The guest touches every page of its RAM between the two stops."""
    mappings = sweep_bench(built, f"order once\n{MATRIX_CONFIGS}bench hostile_touch\n", tmp_path)
    assert [place for place, _ in mappings] == ["entry", "exit"] * len(MATRIX)
    for number, (place, pages) in enumerate(mappings):
        grain, fill, irq = MATRIX[number // 2]
        expected = bench_guest(built, irq, ram=fill == "eager" or place == "exit")
        assert differences(pages, expected) == [], (grain, fill, irq, place)


def test_each_page_of_two_vms_on_a_core_is_its_own(built, tmp_path):
    mappings = sweep_bench(built, f"order once\n{SHARED_CONFIGS}bench timer_wakeup n=5\n", tmp_path)
    places = [place for place, _ in mappings]
    assert all(places.count(place) >= 2 for place in ("entry", "background", "exit"))
    for place, pages in mappings:
        expected = (background_guest(built) if place == "background"
                    else bench_guest(built, "trapped", ram=True))
        assert differences(pages, expected) == [], place


# --- unmodified guests: arch/visitor.c, and arch/hostile.c, which does whatever it can ---

UNMODIFIED = {
    **{"-".join(axes): f"{axes[2]} stage2={axes[0]} fill={axes[1]}" for axes in MATRIX},
    "trapped-sw": "trapped-sw",
}


def guest_plan(program: Program, configs: dict[str, str], cpus: int = 1) -> str:
    lines = "".join(f"config {name} {words}\n" for name, words in configs.items())
    return (f"order once\nlimit_ms 60000\n{lines}"
            f"guest ram={RAM:#x} ram_mib={RAM_SIZE >> 20} cpus={cpus} entry={ENTRY:#x}\n"
            f"load store=0 ipa={ENTRY:#x} size={len(program.binary)}\n"
            f"load store={IN_STORE:#x} ipa={IN_FLASH:#x} size={LOAD_SIZE:#x}\n")


def places_of(program: Program) -> dict[int, str]:
    return {address: name for address, name in program.labels
            if name in ("first_main", "second_main", "psci")}


def sweep_unmodified(board: str, program: Program, plan: str, folder, cpus: int = 1
                     ) -> Iterator[tuple[str, list[Range]]]:
    words = command(board, plan, folder, cpus, program.binary)
    return sweep(board, words, places_of(program), has_flash=True)


@pytest.mark.long
def test_each_page_of_an_unmodified_guest_is_its_own(built, tmp_path):
    """The tables are read at the start and at the end of the guest."""
    program = assemble(built, "vcpus", ENTRY, 'SCRIPT="q"', "INITRD=0", sources=("visitor.c",))
    mappings = list(sweep_unmodified(built, program, guest_plan(program, UNMODIFIED), tmp_path))
    assert [place for place, _ in mappings] == ["first_main", "psci"] * len(UNMODIFIED)
    for number, (place, pages) in enumerate(mappings):
        name = list(UNMODIFIED)[number // 2]
        expected = unmodified_guest(built, "direct" if "direct" in name else "trapped")
        assert foreign_areas(pages, expected) == [], (name, place)
        if "lazy" not in name:
            assert differences(pages, expected) == [], (name, place)


@pytest.mark.long
@divides_otherwise
def test_each_page_of_a_hostile_guest_is_its_own(built, tmp_path):
    """The tables are read whenever a vCPU of the guest is turned on, whatever the guest did in its
    earlier lives."""
    program = hostile_program(built, 2, compare=0)
    plan = guest_plan(program, {"quiet": "trapped", "hostile": "trapped stage2=4K"}, 2)
    mappings = list(islice(sweep_unmodified(built, program, plan, tmp_path, 2), 12))
    assert len(mappings) == 12
    for place, pages in mappings:
        assert foreign_areas(pages, unmodified_guest(built, "trapped")) == [], place
