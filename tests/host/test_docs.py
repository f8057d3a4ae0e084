# SPDX-License-Identifier: Apache-2.0
"""The texts and numbers of the pages equal those of the source, the tools and the kept runs."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from hypbench import abi, scenario
from hypbench.guests import devicetree, formats, machine, placement
from hypbench.guests.machine import size_text
from hypbench.peers.kept import kept_columns
from hypbench.peers.probe import PATHS
from hypbench.tree import Tree

ROOT = Path(__file__).resolve().parents[2]


def test_each_table_of_kept_figures_is_compared_with_a_run():
    compared = re.findall(r'kept\("([^"]+)"', (ROOT / "tests/qemu/test_documents.py").read_text())
    tables = json.loads((ROOT / "tests/figures.json").read_text())["tables"]
    assert sorted(compared) == sorted(tables)


GUESTS = (ROOT / "docs" / "guests.md").read_text()


def test_the_page_on_guests_names_configurations_and_formats():
    section = GUESTS[GUESTS.index("## Configurations"):GUESTS.index("## Limits")]
    assert set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)) == set(abi.presets())
    rows = GUESTS[GUESTS.index("## Formats"):GUESTS.index("Other files that hold an image")]
    for name in re.split(r", |; ", formats.FORMATS)[:4]:
        assert f"\n| {name} |" in rows
    for packer in (*formats.PACKERS, "gzip"):
        assert packer in rows


def test_the_page_on_guests_has_every_word_that_make_takes():
    recipe = re.search(r"^run_guest = .*?\n\n", (ROOT / "Makefile").read_text(),
                       re.MULTILINE | re.DOTALL)[0]
    words = set(re.findall(r",([A-Z_]+)\)", recipe)) | {"GUEST", "BOARD", "STATS", "CLOCK"}
    usage = GUESTS[GUESTS.index("make run-guest GUEST"):GUESTS.index("runs an unmodified image")]
    assert words == set(re.findall(r"\b([A-Z_]{4,})=", usage))


@pytest.mark.parametrize("text", [
    f"| {machine.VIRT_RAM:#010x} |", f"{machine.VIRT_GICD:#010x}, {machine.VIRT_GICC:#010x} |",
    f"{machine.VIRT_GICD:#010x}; {machine.VIRT_GICR:#010x} |",
    f"INTID {machine.VIRT_UART_INTID} | {machine.VIRT_UART:#010x} |",
    f"{devicetree.UART_HZ // 10**6} MHz", f"0x0, {machine.FLASH_BANK:#010x} |",
    f"CNTV, PPI {devicetree.TIMER_PPIS['virtual']}",
    f"CNTP, PPI {devicetree.TIMER_PPIS['physical']}",
    f"{placement.ZIMAGE_OFFSET >> 20} MiB into RAM ({placement.ZIMAGE_LOW_OFFSET >> 10} KiB with"
    f" less than {2 * placement.ZIMAGE_OFFSET >> 20} MiB)",
    f"{placement.DTB_FAR >> 20} MiB into RAM",
    f"at most {placement.LOADS_MAX - 2} segments", f"at most {placement.DTB_ROOM >> 20} MiB",
    f"{formats.ZIMAGE_MAGIC:#x} at {formats.ZIMAGE_AT:#x}", f"at byte {formats.IMAGE_MAGIC_AT}",
    f"{machine.REDISTRIBUTOR >> 10} KiB a vCPU",
    f"{placement.RAW_OFFSET >> 20} MiB into RAM without"])
def test_the_page_on_guests_says_what_the_tool_does(text):
    assert text in GUESTS


@pytest.mark.parametrize("name", ["virt-a15", "virt-a72", "virt-a72-gicv3"])
def test_the_page_on_guests_says_what_boards_have(name):
    board = machine.describe_board(machine.Tree(), name)
    limits = GUESTS[GUESTS.index("## Limits"):]
    assert f"{board.store_size >> 20} MiB on the `virt` boards" in limits
    assert f"`guest_size`, {size_text(board.ram_size)[:-1]} GiB" in limits
    assert f"cores, {board.cores}." in limits and f"RAM at {board.ram:#x}" in GUESTS


def generated_rows(page: str, name: str, head: str = "") -> dict[str, list[str]]:
    """Return the rows of a generated part by their first cells: the rows of the table whose first
    cell is `head`, or of all tables."""
    text = (ROOT / page).read_text().split(f"<!-- made: {name} -->")[1].split("<!-- end -->")[0]
    tables = [table for table in text.split("\n\n") if table.strip().startswith(f"| {head}")]
    rows = [line.strip("| ").split(" | ") for table in tables for line in table.splitlines()
            if line.startswith("|")]
    return {name: cells for name, *cells in rows}


@cache
def kept_figures() -> dict[str, dict]:
    return {column.system: column.figures for column in kept_columns("virt-a72")}


def added(path: str, system: str) -> int | None:
    """Return how much a system's median is above the median without a hypervisor, computed from the
    kept logs."""
    columns = kept_figures()
    natively = columns["native"].get(path)
    figure = columns[system].get(path)
    return figure.p50 - (natively.p50 if natively else 0) if figure else None


@pytest.mark.parametrize("page, name, all_systems", [("README.md", "first_page", False),
                                                     ("docs/results.md", "beside_others", True)])
def test_every_number_of_another_system_is_of_a_kept_run(page, name, all_systems):
    """Each row has one base and one factor, and the shortest system comes first."""
    rows = generated_rows(page, name, "instructions that a path adds")
    head = rows["instructions that a path adds"]
    paths = [path for path in PATHS if row_name(path) in rows]
    assert len(paths) >= 4
    for path in paths:
        hypbench_cell, *cells = rows[row_name(path)]
        hypbench_ticks = added(path, "hypbench")
        assert hypbench_cell.split()[0] == str(hypbench_ticks or "–"), path
        for family, cell in zip(head[1:], cells, strict=True):
            lengths = sorted(length for system in kept_figures()
                             if system.startswith(family.split()[0].lower())
                             and (length := added(path, system)) is not None)
            numbers = [int(number) for number in re.findall(r"(?:^|; )(\d+)", cell)]
            assert numbers == lengths[:None if all_systems else 1] or (
                len(set(lengths)) == 1 and numbers == lengths[:1]), (path, family)
            assert re.findall(r"×([0-9.]+)", cell)[:1] == (
                [f"{lengths[0] / hypbench_ticks:.1f}"] if lengths and hypbench_ticks else []), (
                    path, family)
            assert lengths or cell == "–"


def row_name(path: str) -> str:
    return f"{PATHS[path]}{'' if added(path, 'native') == 0 else ' (whole)'}"


@pytest.mark.parametrize("page, name", [("README.md", "first_page"),
                                        ("docs/results.md", "between_vms")])
def test_the_general_case_stands_before_the_best_case(page, name):
    lengths = json.loads((ROOT / "tests/expected/12.2/virt-a72.json").read_text())["figures"]
    rows = generated_rows(page, name)
    natively = lengths["native"]["timer_wakeup wfi-vector"]
    for word, config, path, best, base in (
            ("VM switch", "switch", "vm_switch preempt", "vm_switch preempt", natively),
            ("yield", "yield", "vm_yield yield", "vm_yield yield", 0),
            ("fail over", "failover", "failover control", "failover call", 0)):
        [cells] = [cells for name, cells in rows.items() if name.startswith(f"{word}: ")]
        assert cells == [str(lengths[f"{config}{case}"][row] - base)
                         for case, row in (("", path), ("-idle", path), ("-best", best))]


CHOOSER = ROOT / "docs" / "scenario-chooser.md"
CHOICE = re.compile(r"^\| (?P<question>[^|]+\?) \| (?P<scenarios>[^|]+) \| (?P<command>[^|]+)"
                    r" \| (?P<meaning>[^|]+) \|$", re.MULTILINE)


def choices() -> list[re.Match[str]]:
    return list(CHOICE.finditer(CHOOSER.read_text()))


def test_the_chooser_leads_to_every_scenario_once():
    names = [word for row in choices() for word in re.findall(r"`([\w-]+)`", row["scenarios"])]
    assert sorted(names) == sorted(Tree().scenarios())


def test_a_command_of_the_chooser_is_one_of_make_for_a_scenario_of_its_row():
    """A row without SCENARIO= is about the scenario that its target runs by default."""
    makefiles = [ROOT / "Makefile", ROOT / "boards" / "images.mk"]
    targets = [target for file in makefiles for target in re.findall(
        r"^## ([a-z0-9-]+): ", file.read_text(), re.MULTILINE)]
    defaults = {"bench": "default", "trace": "trace", "report": "profile", "sdcard": "board"}
    for row in choices():
        command, *_ = re.findall(r"`make ([^`]+)`", row["command"])
        target, *settings = command.split()
        variables = dict(word.split("=") for word in settings)
        word = variables.get("SCENARIO", defaults.get(target))
        assert target in targets and variables.keys() <= {"SCENARIO", "BOARD", "GUEST"}, row[0]
        assert variables.get("BOARD", "virt-a72") in Tree().boards(), row[0]
        assert f"`{word}`" in row["scenarios"], row[0]
        assert ("GUEST" in variables) == wants_image(word), row[0]


def wants_image(word: str) -> bool:
    return any(guest.recipe == "image" for guest in Tree().plan(word).guests.values())


def test_the_chooser_names_gem5_where_a_scenario_needs_caches():
    for row in choices():
        word = re.search(r"SCENARIO=([\w-]+)", row["command"])
        needs = word and scenario.heading(Tree().scenario_files()[word[1]].read_text(),
                                          word[1]).get("needs", [])
        assert bool(needs) == ("BOARD=gem5" in row["command"]), row[0]
