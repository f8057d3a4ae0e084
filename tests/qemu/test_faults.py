# SPDX-License-Identifier: Apache-2.0
"""Page faults of both stages, and a stage 2 that is filled at first touch. Every fault is counted
where it was caused, its instructions are all explained, and no guest gets more memory than its
own."""

import pytest

from image import read_header
from lab import board_facts, image_of
from proofs import DELAYS, assert_delay_is_seen, delay_lines, values

N = 20
EL2_DELAY = 100
# Pages of working memory. A 2 MiB block has 512 pages, so both sizes need two blocks.
PAGES = (600, 1000)
PAGE = 0x1000
BLOCK = 1 << 21
RUN_PAGES = 1  # pages of struct guest_run; only records touch the record buffer
RECORD_PAGES = 1
EAGER = {"native", "4K", "2M", "trapped"}
# For each configuration, the configuration with fill=eager, and the level of the leaves.
LAZY = {"lazy-4K": ("4K", 3), "lazy-2M": ("2M", 2), "lazy-1G": ("2M", 1),
        "trapped-lazy": ("trapped", 3), "late": ("4K", 3), "stats": ("4K", 3), "trace": ("2M", 1)}
PLAN = f"""order once
config native
config 4K direct stage2=4K
config 2M direct
config trapped trapped stage2=4K
config lazy-4K direct stage2=4K fill=lazy
config lazy-2M direct stage2=2M fill=lazy
config lazy-1G direct stage2=1G fill=lazy
config trapped-lazy trapped stage2=4K fill=lazy
config late direct stage2=4K fill=lazy delay_el2={EL2_DELAY}
config stats direct stage2=4K fill=lazy stats=on
config trace direct stage2=1G fill=lazy trace=on
""" + delay_lines("page_fault", f"n={N}") + "".join(f"bench stage2_boot pages={pages}\n"
                                                    for pages in PAGES)
BOOT_LINE = len(DELAYS)

# The most instructions of a fault at EL2: in the handler, and outside of it, from the vector to the
# handler and back. ARMv7 handles 64-bit entries in 32-bit registers.
FAULT_MAX = {"armv8": 450, "armv7": 800}
OUTSIDE_MAX = 160
STATS_MAX = 170  # with exit statistics or the trace
# The most instructions from the stamp to the handler of the first fetch, and from the guest's read
# of the start's length to its hypercall.
START_MAX = 80
STAGE1_MAX = {"armv8": 450, "armv7": 700}  # instructions of the guest's kernel

BOOTS = list(enumerate(PAGES, BOOT_LINE))
job = pytest.mark.job(PLAN)


def starts(result, line: int) -> dict[str, dict]:
    return {check["config"]: check for check in result.records("check", bench="stage2_boot")
            if result.line_of(check) == line}


def leaves(board: str, level: int, pages: int) -> int:
    """Return the leaves that stage2_boot touches: the run page, the image, and its working memory,
    which begins in a block of 2 MiB of its own."""
    header = read_header(image_of(board), board)
    if level == 1:
        return 1
    if level == 3:
        return RUN_PAGES + -(-(header["memory_end"] - header["load_address"]) // PAGE) + pages
    ram_base = header["load_address"] & ~(BLOCK - 1)
    return -(-(header["memory_end"] - ram_base) // BLOCK) + -(-pages * PAGE // BLOCK)


# --- page_fault ---

@job
def test_known_delay_is_seen_exactly(result):
    assert_delay_is_seen(result, 0)


@job
def test_variants_are_there_where_they_mean_something(result):
    for config in result.configs:
        variants = {variant for name, variant in result.figures(0) if name == config}
        alone = config in EAGER | {"lazy-1G", "trace"}
        assert variants == ({"none", "stage1"} if alone else {"none", "stage1", "stage2", "both"})
        skips = [skip["reason"] for skip in result.records("skip", config=config)]
        assert len(skips) == (len(DELAYS) if alone else 0)
        for reason in skips:
            assert ("fill=lazy" if config in EAGER else "1 GiB") in reason


@job
def test_faults_are_as_many_as_samples(result):
    checks = result.records("check", bench="page_fault")
    assert len(checks) == len(result.records("bench", bench="page_fault"))
    for check in checks:
        variant = check["variant"].removeprefix("faults-")
        assert check["ok"] and check["samples"] == N + 1
        assert check["stage1"] == (N + 1 if variant in ("stage1", "both") else 0)
        assert check["stage2"] == (N + 1 if variant in ("stage2", "both") else 0)


@job
def test_empty_window_of_el0_is_calibrated(result):
    """EL0 has a calibration of its own, beside that of the kernel: isb, isb, mrs."""
    for config in result.configs:
        calibrations = [calibration for calibration in
                        result.records("calibration", bench="page_fault", config=config)
                        if result.line_of(calibration) == 0]
        assert [(record["min"], record["p50"], record["max"])
                for record in calibrations] == [(3, 3, 3)] * 2


@job
def test_mapped_page_takes_one_instruction(result):
    for config in result.configs:
        assert set(values(result.figures(0)[config, "none"])) == {1}


@job
def test_stage1_fault_does_not_know_of_stage2(result, board):
    lengths = {(*values(record),) for (_, variant), record in result.figures(0).items()
               if variant == "stage1"}
    assert len(lengths) == 1
    assert 1 < min(*lengths.pop()) <= STAGE1_MAX[board_facts(board)["ISA"]]


@job
def test_faults_of_both_stages_add_up(result):
    """The length of each fault includes the load that faults, one instruction."""
    figures = result.figures(0)
    configs = [config for config, variant in figures if variant == "both"]
    assert configs
    for config in configs:
        none, stage1, stage2, both = (values(figures[config, variant])
                                      for variant in ("none", "stage1", "stage2", "both"))
        assert both == [a + b - c for a, b, c in zip(stage1, stage2, none)], config


@job
@pytest.mark.parametrize("variant, exits", [("none", 0), ("stage1", 0), ("stage2", 1), ("both", 1)])
def test_delay_at_el2_is_seen_once_a_stage2_fault(result, variant, exits):
    figures = result.figures(0)
    plain, late = figures["lazy-4K", variant], figures["late", variant]
    assert values(late) == [value + exits * EL2_DELAY for value in values(plain)]


# --- stage2_boot ---

@job
@pytest.mark.parametrize("line, pages", BOOTS)
def test_faults_of_a_start_are_the_leaves_it_touches(result, board, line, pages):
    checks = starts(result, line)
    assert set(checks) == EAGER | set(LAZY)
    for config, start in checks.items():
        assert start["ok"] and start["touched_pages"] == pages
        expected = 0 if config in EAGER else leaves(board, LAZY[config][1], pages)
        assert start["faults"] == expected, config


@job
def test_eager_start_is_as_long_as_a_native_one(result):
    for line, _ in BOOTS:
        checks = starts(result, line)
        for config in ("4K", "2M"):
            assert checks[config]["start_ticks"] == checks["native"]["start_ticks"]
        for config in EAGER:
            assert checks[config]["fault_ticks"] == checks[config]["fault_max"] == 0
        assert checks["native"]["build_ticks"] == 0
        assert checks["4K"]["build_ticks"] > 100 * checks["2M"]["build_ticks"] > 0
        assert 0 < checks["lazy-4K"]["build_ticks"] < checks["2M"]["build_ticks"]


@job
def test_start_is_stamped_just_before_the_first_instruction(result):
    """The first instruction faults. The trace has the time of that fault, and the time of the
    hypercall with which the guest asked for the faults, directly after it read how long its start
    took."""
    for line, _ in BOOTS:
        events = [event for event in result.records("trace", config="trace")
                  if result.line_of(event) == line]
        assert [event["event"] for event in events[:2]] == ["stage2-map", "hvc"]
        started = events[1]["t"] - starts(result, line)["trace"]["start_ticks"]
        assert 0 < events[0]["t"] - started <= START_MAX


def outside(checks: dict[str, dict], config: str) -> int:
    """Return the ticks by which a lazy start is longer than an eager one, minus the time in the
    handler: the ways from the vector to the handler and back."""
    lazy, eager = checks[config], checks[LAZY[config][0]]
    return lazy["start_ticks"] - eager["start_ticks"] - lazy["fault_ticks"]


def extra(config: str) -> int:
    return {"late": EL2_DELAY, "stats": STATS_MAX, "trace": STATS_MAX}.get(config, 0)


@job
def test_lazy_start_is_explained_by_its_faults(result):
    """The two sizes differ only by data aborts, each of which takes as long as in page_fault."""
    less, more = (starts(result, line) for line, _ in BOOTS)
    count = PAGES[1] - PAGES[0]
    for config in (config for config, (_, level) in LAZY.items() if level == 3):
        each, remainder = divmod(outside(more, config) - outside(less, config), count)
        handler = more[config]["fault_min"]
        assert remainder == 0, config
        assert 50 <= each <= OUTSIDE_MAX + extra(config), config
        assert more[config]["fault_ticks"] - less[config]["fault_ticks"] == count * handler
        measured = result.figures(0)[config, "stage2"]["p50"] - 1
        assert measured == each + handler, config


@job
def test_every_fault_takes_the_same_way_but_for_its_kind(result, board):
    """Instruction aborts take a little less, because EL2 does not look for a device."""
    late, plain = (outside(starts(result, BOOT_LINE), config) for config in ("late", "lazy-4K"))
    faults = starts(result, BOOT_LINE)["lazy-4K"]["faults"]
    assert late - plain == EL2_DELAY * faults
    for config in LAZY:
        checks = starts(result, BOOT_LINE)
        each = outside(checks, config) / checks[config]["faults"]
        assert 50 <= each <= OUTSIDE_MAX + extra(config), config
        assert 100 <= checks[config]["fault_min"] <= FAULT_MAX[board_facts(board)["ISA"]], config


@job
def test_exit_statistics_know_first_touches(result):
    for line, _ in BOOTS:
        start = starts(result, line)["stats"]
        exits, = (record for record in result.records("exits", exit="stage2-map", config="stats")
                  if result.line_of(record) == line)
        assert exits["n"] == start["faults"] + RECORD_PAGES
        assert exits["min"] >= start["fault_min"] and exits["total"] > start["fault_ticks"]
        assert sum(count for _, count in exits["hist"]) == exits["n"]


# --- guests that take more than they may ---

HOSTILE = """order once
limit_ms 20000
config 4K trapped stage2=4K
config lazy-4K trapped stage2=4K fill=lazy
config lazy-2M direct stage2=2M fill=lazy
config lazy-1G trapped stage2=1G fill=lazy
bench hostile_touch
bench hostile_unmap
bench hostile_edge
"""
LEAVES = {"4K": 0, "lazy-4K": 1 << 18, "lazy-2M": 1 << 9, "lazy-1G": 1}  # leaves of 1 GiB
hostile = pytest.mark.job(HOSTILE, status=1)


@hostile
def test_all_memory_can_be_touched(result):
    for config, count in LEAVES.items():
        check = result.record("check", bench="hostile_touch", config=config)
        assert check["ok"] and check["faults"] == check["leaves"] == count
        assert check["pages"] == 1 << 18


@hostile
def test_guest_survives_unmapping_what_it_runs_on(result):
    """The guest unmaps its code, its stack or its tables; the tables fault on a stage-1 walk."""
    assert "fill=lazy" in result.record("skip", bench="hostile_unmap", config="4K")["reason"]
    for config in ("lazy-4K", "lazy-2M", "lazy-1G"):
        check = result.record("check", bench="hostile_unmap", config=config)
        assert check["ok"] and check["wrong_results"] == 0
        assert 1 < check["faults"] <= check["unmapped"]
        assert config == "lazy-4K" or check["faults"] == check["unmapped"] > 100


@hostile
def test_a_read_beyond_its_memory_stops_the_guest(result):
    reasons = {fault["config"]: fault["reason"]
               for fault in result.records("fault", bench="hostile_edge")}
    assert reasons == dict.fromkeys(LEAVES, "data-abort")
