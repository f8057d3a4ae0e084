# SPDX-License-Identifier: Apache-2.0
"""Memory through one and two stages: every page leads to its place through leaves of the requested
size; the chases visit the lines that they should; and their windows have the instructions that were
counted by hand."""

from itertools import product

import pytest

from image import read_header
from lab import board_facts, image_of
from planlines import plan_lines
from proofs import DELAYS, assert_delay_is_seen, delay_lines

MIB = 1 << 20
LEVELS = {"off": 0, "4K": 3, "2M": 2, "1G": 1}
PAGES = 1024
TOUCHED = 64
MATRIX = plan_lines("tlb-matrix")
SMALL = "\n".join(line for line in MATRIX.splitlines() if not line.startswith("bench")) + f"""
config late direct delay_el2=100
config trapped
bench tlb_chase n=2 pages={PAGES}
bench lat_mem_rd n=2 pages={PAGES}
bench tlb_maintenance n=4 pages={TOUCHED}
"""
GRAINS = [f"{s1}-{s2}" for s1 in ("4K", "2M", "1G") for s2 in LEVELS]
BENCHES = ("tlb_chase", "lat_mem_rd", "tlb_maintenance")
SETS = (8, 10, 16, 24, 32, 40, 48, 64, 128, 256, 512, 640, 1024)
SIZES_KIB = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)

# Instructions between the counter reads, natively: DSB, TLBI, DSB, ISB.
EL1_OPERATIONS = {"va": 4, "asid": 4, "all-el1": 4}
# The most instructions, including the way to EL2 and back.
EL2_OPERATIONS = {"vmid": 70, "all": 70, "switch": 80, "switch-flush": 85}

small = pytest.mark.job(SMALL)


def levels_of(config: str) -> tuple[int, int]:
    stage1, stage2 = config.split("-") if "-" in config else ("4K", "2M")
    return LEVELS[stage1], LEVELS[stage2]


@small
def test_run_ends_well(result):
    assert result.configs == [*GRAINS, "late", "trapped"]
    assert result.records("skip") == []


@small
def test_every_page_leads_where_both_stages_say(result):
    pages = {"tlb_chase": PAGES + 1, "lat_mem_rd": PAGES, "tlb_maintenance": TOUCHED + 1}
    for bench, config in product(BENCHES, result.configs):
        check = result.record("check", variant="mapping", bench=bench, config=config)
        assert (check["wrong_alias"], check["wrong_peek"]) == (0, 0)
        assert check["pages"] == pages[bench]
        assert (check["s1_level"], check["s2_level"]) == levels_of(config)


@small
def test_records_carry_the_walk(result):
    walks = [record for record in result.records("bench") if "walk_refs" in record]
    refills = 1 + len(EL1_OPERATIONS) + len(EL2_OPERATIONS)
    assert {record["bench"] for record in walks} == set(BENCHES)
    assert len([record for record in walks if record["config"] == "1G-4K"]) == (
        3 * len(SETS) + 2 * len(SIZES_KIB) + refills)
    for record in walks:
        n, m = levels_of(record["config"])
        assert (record["s1_levels"], record["s2_levels"]) == (n, m)
        assert record["walk_refs"] == (n + 1) * (m + 1) - 1
    references = {record["config"]: record["walk_refs"] for record in walks}
    assert references["4K-off"] == 3 and references["4K-4K"] == 15
    assert references["4K-2M"] == 11 and references["4K-1G"] == 7
    assert references["1G-off"] == 1 and references["1G-1G"] == 3


# --- the lines that the chases visit ---

@small
def test_chases_visit_every_page_once(result):
    for record in result.records("bench", bench="tlb_chase"):
        shape, pages = record["variant"].rstrip("p").split("-")
        check = result.record("check", bench="tlb_chase", config=record["config"],
                              variant=record["variant"])
        assert record["pages"] == check["lines"] == int(pages)
        assert check["visited"] == check["pages"]
        assert check["closed"] == 1
        if shape == "packed":  # as many lines, in as few pages as hold them
            assert check["pages"] == -(-int(pages) // 64)
        else:
            assert (check["pages"], check["same_page"]) == (int(pages), 0)
        if shape == "seq":
            assert check["descents"] == 1
        elif int(pages) >= 64:
            assert check["lines"] * 0.3 < check["descents"] < check["lines"] * 0.7


@small
def test_reads_visit_every_line_once(result):
    for config in result.configs:
        sizes = {(record["variant"], record["kib"])
                 for record in result.records("bench", bench="lat_mem_rd", config=config)}
        assert sizes == {(f"{shape}-{kib}K", kib)
                         for kib in SIZES_KIB for shape in ("seq", "random")}
    for record in result.records("bench", bench="lat_mem_rd"):
        check = result.record("check", bench="lat_mem_rd", config=record["config"],
                              variant=record["variant"])
        assert check["lines"] == check["visited"] == record["kib"] * 1024 // 64
        assert (check["closed"], check["apart"]) == (1, 1)
        if record["variant"].startswith("seq"):
            assert check["descents"] == 1
        else:
            assert check["lines"] * 0.3 < check["descents"] < check["lines"] * 0.7


@small
def test_refills_touch_every_page_once(result):
    for config in result.configs:
        check = result.record("check", bench="tlb_maintenance", variant="pattern", config=config)
        assert (check["pages"], check["visited"], check["closed"]) == (TOUCHED, TOUCHED, 1)
        assert check["asid"] == 1


@small
def test_all_configurations_chase_the_same_way(result):
    """A comparison of two configurations compares the same loads."""
    for bench in BENCHES:
        shapes = {}
        for check in result.records("check", bench=bench):
            if check["variant"] not in ("mapping", "effect"):
                shapes.setdefault(check["variant"], set()).add(
                    tuple(value for name, value in check.items()
                          if name not in ("seq", "step", "config", "crc")))
        assert all(len(chases) == 1 for chases in shapes.values())


@small
def test_maintenance_makes_a_new_mapping_visible(result):
    for config in result.configs:
        check = result.record("check", bench="tlb_maintenance", variant="effect", config=config)
        assert (check["operations"], check["stale"]) == (6 if levels_of(config)[1] else 3, 0)


# --- instructions counted by hand ---

def assert_exact(record: dict, instructions: int) -> None:
    values = [record[name] for name in ("cold", "min", "p50", "max")]
    assert values == [instructions] * 4, (record["config"], record["variant"])


@small
def test_a_load_is_an_instruction(result):
    for bench in ("tlb_chase", "lat_mem_rd"):
        for record in result.records("bench", bench=bench):
            assert record["batch"] == 256
            assert_exact(record, 256)


@small
def test_a_refill_is_three_instructions_a_page(result):
    """These are mov once; then ldr, cmp, bne for each page."""
    for record in result.records("bench", bench="tlb_maintenance"):
        if record["variant"].endswith("-refill"):
            assert record["pages"] == record["batch"] == TOUCHED
            assert_exact(record, 1 + 3 * TOUCHED)


@small
def test_maintenance_is_what_was_counted(result):
    for config in result.configs:
        records = {record["variant"]: record for record in
                   result.records("bench", bench="tlb_maintenance", config=config)}
        expected = set(EL1_OPERATIONS) | (set(EL2_OPERATIONS) if levels_of(config)[1] else set())
        assert set(records) == (expected | {f"{name}-refill" for name in expected}
                                | {"none-refill"}), config
        for name in EL1_OPERATIONS:
            assert_exact(records[name], EL1_OPERATIONS[name])


@small
def test_maintenance_at_el2_is_a_hypercall(result, board):
    """The length is the same for all tables. A flush is DSB, TLBI, DSB, ISB more. EL2 is entered
    once. On AArch32 EL2 also checks the reach of the operation (erratum 798181)."""
    for name, most in EL2_OPERATIONS.items():
        lengths = {record["config"]: record["p50"]
                   for record in result.records("bench", bench="tlb_maintenance", variant=name)}
        late = lengths.pop("late")
        assert len(lengths) == 10 and len(set(lengths.values())) == 1
        assert 20 <= lengths["4K-2M"] <= most
        assert late == lengths["4K-2M"] + 100
    figures = {name: result.record("bench", variant=name, config="4K-2M")["p50"]
               for name in EL2_OPERATIONS}
    reach_check = 4 if board_facts(board)["ISA"] == "armv7" else 0
    assert 4 + reach_check <= figures["switch-flush"] - figures["switch"] <= 6 + reach_check
    assert figures["switch"] > figures["vmid"]


# --- the injected delay ---

DELAYED = "order once\nconfig native\nconfig direct\nconfig trapped stage1=2M\n" + delay_lines(
    "lat_mem_rd", "n=20 pages=8") + delay_lines("tlb_maintenance", "n=20 pages=8")


@pytest.mark.job(DELAYED)
def test_known_delay_is_seen_exactly(result):
    assert_delay_is_seen(result, 0)
    assert_delay_is_seen(result, len(DELAYS))


# --- memory on a small board ---

WHOLE = "order once\nconfig native\n" + "".join(
    f"bench {bench} n=1 pages=65536\n" for bench in BENCHES)


@pytest.mark.long
@pytest.mark.job(WHOLE)
def test_image_and_largest_region_fit_a_small_board(result, job):
    """Guest RAM of 512 MiB is what a board of 1 GiB has to give."""
    base = int(board_facts(job.board)["GUEST_BASE"], 16)
    image = read_header(image_of(job.board), job.board)["memory_end"] - base
    needs = {check["bench"]: check["ram_need"]
             for check in result.records("check", variant="mapping")}
    assert set(needs) == set(BENCHES)
    start = -(-image // (2 * MIB)) * 2 * MIB  # working memory begins at a multiple of 2 MiB
    assert needs["lat_mem_rd"] == start + 256 * MIB
    # the list of the memory's lines follows
    assert needs["tlb_chase"] == start + 256 * MIB + 65536 * 4
    assert needs["tlb_maintenance"] == start + 65536 * (4096 + 64)
    assert max(needs.values()) <= 512 * MIB


@pytest.mark.long
@pytest.mark.job("order once\nconfig native\nbench lat_mem_rd n=1\nbench lat_mem_rd n=300\n")
def test_no_line_of_a_large_region_is_visited_twice(result):
    """The reads go over the whole region, in random order; ascending reads would stay where they
    began."""
    lines = [{check["variant"]: check for check in result.records("check")
              if result.line_of(check) == line} for line in (0, 1)]
    for kib, (checks, most) in product((8192, 16384, 65536, 262144),
                                       zip(lines, (65536, 301 * 256))):
        seq, random = checks[f"seq-{kib}K"], checks[f"random-{kib}K"]
        assert (seq["visited"], seq["apart"], seq["descents"]) == (most, 1, 1)
        assert random["visited"] == random["lines"] == kib * 16 // random["apart"]
        assert most <= random["visited"] < 3 * most
        assert random["apart"] % 2 == 1
        assert random["lines"] * 0.3 < random["descents"] < random["lines"] * 0.7
