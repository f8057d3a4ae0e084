# SPDX-License-Identifier: Apache-2.0
"""VMs whose RAM has pages of some colours of the last-level cache: the same paths as without
colours, pages of these colours alone, seen from outside, and links between such VMs."""

from collections.abc import Iterator
from functools import cache

import pytest

import talk
from gdbstub import Machine
from hypbench.plan_vms import LOAD_MIB
from image import guest_symbols, read_header
from lab import Job, image_of
from proofs import job, two_cores
from stage2_tables import PAGE, Range, join, mapped_areas
from test_isolation import command, in_guest
from test_links import assert_all_answered, sent_for

pytestmark = pytest.mark.long

COLOURS = 16
MEASURED, OTHER = (0, 2, 3, 4, 7), tuple(range(8, 16))
HEAD = "order once\nlimit_ms 60000\n"


def colour_list(colours: tuple[int, ...]) -> str:
    return ",".join(map(str, colours))


VMS = (f"vm bench cores=0 colours={colour_list(MEASURED)}\n"
       f"vm near image=load cores=0 colours={colour_list(OTHER)}\n"
       f"vm far image=load cores=1 colours={colour_list(OTHER)}\n")


# --- the same paths ---

KINDS = {"direct": "direct", "trapped": "trapped", "sw": "trapped-sw", "lazy-fp": "trapped fp=lazy",
         "probes": "trapped probes=on"}
BENCHES = ("counter n=20", "hvc n=20", "timer_wakeup n=50", "sgi_self n=20", "irq_phases n=20",
           "mmio_read n=20", "page_fault n=20", "tlb_chase n=5 pages=512", "hostile_touch",
           "tlb_maintenance n=10 pages=64")


PATHS = HEAD + "".join(f"config {name}-{colouring} {axes} stage2=4K colouring={colouring}\n"
                       for name, axes in KINDS.items() for colouring in ("off", "on")) + (
    VMS.splitlines(keepends=True)[0] + "".join(f"bench {bench}\n" for bench in BENCHES))


@pytest.mark.job(PATHS)
def test_paths_are_as_long_with_colours_as_without(result):
    rows = {(row["bench"], row["config"], row["variant"]): row for row in result.records("bench")}
    kinds = {config.rpartition("-")[0] for _, config, _ in rows}
    assert kinds == set(KINDS) and len(rows) > 400
    for (bench, config, variant), row in rows.items():
        kind, _, colouring = config.rpartition("-")
        if colouring == "on":
            off = rows[bench, f"{kind}-off", variant]
            assert [row[value] for value in ("min", "p50", "max", "hist")] == [
                off[value] for value in ("min", "p50", "max", "hist")], (bench, config, variant)


# --- seen from outside ---

def pages_of(base: int, window: int, size: int, colours: tuple[int, ...]) -> Iterator[Range]:
    """Return the RAM that the plan describes for a VM: in each row of pages, the pages of its
    colours."""
    for page in range(size // PAGE):
        row, column = divmod(page, len(colours))
        yield Range(base + page * PAGE, window + (row * COLOURS + colours[column]) * PAGE, PAGE,
                    "ram")


@cache
def rams(board: str) -> dict[str, list[Range]]:
    """Return the windows: the measured VM's is the first, the load's the last."""
    facts = talk.facts(board)
    base, size = facts["guest_base"], facts["guest_size"]
    window = LOAD_MIB * COLOURS // len(OTHER) << 20
    measured = (size - window) // COLOURS * len(MEASURED) & -0x200000
    return {"bench": join(pages_of(base, base, measured, MEASURED)),
            "load": join(pages_of(base, base + size - window, LOAD_MIB << 20, OTHER))}


def sweep(board: str, folder, axes: str) -> list[tuple[str, list[Range]]]:
    """Return the RAM that stage 2 maps for either VM, at its first instruction and at its end."""
    plan = (f"{HEAD}config on trapped stage2=4K colouring=on sched=rr slice_us=100 fp=lazy"
            f" beside=load_mem_write {axes}\nbench hostile_touch\n"
            + "".join(line for line in VMS.splitlines(keepends=True) if "far" not in line))
    places = {read_header(image_of(board), board)["entry"]: "entry",
              guest_symbols(board)["guest_exit"]: "exit"}
    mappings = []
    with Machine(command(board, plan, folder)) as machine:
        for address in machine.stops(*places):
            if in_guest(machine):
                mappings.append((places[address], [area for area in mapped_areas(machine)
                                                   if area.kind == "ram"]))
    return mappings


def places_of(ram: list[Range]) -> dict[int, int]:
    """Return the physical address of each page."""
    return {area.ipa + at: area.pa + at for area in ram for at in range(0, area.size, PAGE)}


def colours_of(ram: list[Range]) -> set[int]:
    return {pa // PAGE % COLOURS for area in ram
            for pa in range(area.pa, area.pa + area.size, PAGE)}


def test_each_page_has_a_colour_of_its_vm(built, tmp_path):
    mappings = sweep(built, tmp_path, "fill=eager")
    expected = rams(built)
    vms = set()
    for place, ram in mappings:
        vm = "load" if sum(area.size for area in ram) == LOAD_MIB << 20 else "bench"
        vms.add(vm)
        assert ram == expected[vm], (place, vm)
        assert colours_of(ram) == set(MEASURED if vm == "bench" else OTHER)
    assert vms == {"bench", "load"}


def test_each_page_that_a_touch_maps_has_a_colour_of_its_vm(built, tmp_path):
    mappings = sweep(built, tmp_path, "fill=lazy")
    expected = rams(built)
    places = {vm: places_of(ram) for vm, ram in expected.items()}
    assert mappings[0][1] == []
    for place, ram in mappings:
        vm = "load" if colours_of(ram) <= set(OTHER) else "bench"
        assert places_of(ram).items() <= places[vm].items(), (place, vm)
    assert mappings[-1][1] == expected["bench"]  # the guest touches every page


# --- links ---

# With lr=hw QEMU's GICv2 loses the SPI of a frame that comes while the SPI is still active
# (CAVEATS.md).
LINKED = {"cores": "trapped-sw beside=load_echo", "core": "trapped-sw sched=fp fp=lazy"
          " beside=load_echo", "lazy": "trapped-sw beside=load_echo fill=lazy"}
LINKS = HEAD + "".join(f"config {name} {axes} stage2=4K colouring=on\n"
                       for name, axes in LINKED.items()) + VMS
DOORBELL = "".join(f"link {vm} kind=doorbell a=bench b={vm}\n" for vm in ("near", "far"))
VIRTIO = DOORBELL.replace("doorbell", "virtio")
ROUNDS = "bench net_rr n=50\n"
STREAM = "bench net_stream n=20\n"


@pytest.mark.parametrize("links", [DOORBELL, VIRTIO], ids=["doorbell", "virtio"])
def test_vms_with_colours_answer_each_other(lab, built, links):
    result = lab.ended(Job(built, LINKS + links + ROUNDS + STREAM, machine=two_cores))
    checks = result.records("check", bench="net_stream")
    assert len(checks) == len(LINKED)
    assert all(check["ok"] and check["sent"] == check["taken"] for check in checks)
    assert_all_answered(result, len(LINKED), sent_for(50))
    assert {vm.get("net_broken", 0) for vm in result.records("vm")} == {0}
    assert (links == VIRTIO) == all("net_broken" in vm for vm in result.records("vm"))


# --- the cache ---

@job(f"{HEAD}config on trapped stage2=4K colouring=on\nbench hvc n=5\n{VMS}",
     planted="few colours", status=1)
def test_a_cache_with_fewer_colours_is_refused(result):
    error = result.record("error")
    assert "colouring needs a cache of 16 colours: this core's has 8" in error["what"]
