# SPDX-License-Identifier: Apache-2.0
"""Guests give FP and SIMD registers up and use them again: the cost, and that the registers keep
their content."""

import pytest

from lab import board_facts
from proofs import assert_delay_is_seen, delay_lines


N = 50
EL2_DELAY = 100
PROOF = f"""order once
config native
config static trapped
config lazy trapped fp=lazy
config eager trapped fp=eager
config direct-lazy direct fp=lazy
config lazy-late trapped fp=lazy delay_el2={EL2_DELAY}
config eager-late trapped fp=eager delay_el2={EL2_DELAY}
config stats trapped fp=lazy stats=on
""" + delay_lines("fp_first_use", f"n={N}")
# Instructions of the first use, and of giving the registers up, in the lazy and the eager
# configuration: 32 registers and the status are saved and loaded, once or twice.
LENGTHS = {
    "armv8": {("lazy", "use"): (100, 140), ("lazy", "release"): (100, 130),
              ("eager", "release"): (140, 180)},
    "armv7": {("lazy", "use"): (60, 90), ("lazy", "release"): (70, 100),
              ("eager", "release"): (90, 130)},
}
KEPT = "order once\nconfig native\nconfig native-lazy native fp=lazy\n" + "".join(
    f"config {sched}-{fp} trapped sched={sched} fp={fp} slice_us=200\n"
    for sched in ("null", "rr") for fp in ("static", "lazy", "eager")) + \
    "bench fp_first_use n=20\n"


@pytest.mark.job(PROOF)
def test_known_delay_is_seen_exactly(result):
    assert_delay_is_seen(result, 0)


@pytest.mark.job(PROOF)
def test_lengths(result, board):
    figures = result.figures(0)
    for config in ("native", "static", "eager"):
        use = figures[config, "use"]
        assert (use["cold"], use["min"], use["max"]) == (1, 1, 1), config
    for key, (low, high) in LENGTHS[board_facts(board)["ISA"]].items():
        record = figures[key]
        assert record["min"] == record["max"] == record["cold"], key
        assert low <= record["p50"] <= high, key
    assert figures["static", "release"]["max"] < figures["lazy", "release"]["min"]
    assert ("native", "release") not in figures


@pytest.mark.job(PROOF)
def test_delay_at_el2_is_seen_once_an_exit(result):
    """Lazy: one exit gives the registers up, and the first use is another exit. Eager: a use does
    not trap."""
    figures = result.figures(0)
    for fp, variant, exits in (("lazy", "use", 1), ("lazy", "release", 1),
                               ("eager", "use", 0), ("eager", "release", 1)):
        late = figures[f"{fp}-late", variant]["p50"]
        assert late == figures[fp, variant]["p50"] + exits * EL2_DELAY, (fp, variant)


@pytest.mark.job(PROOF)
def test_each_first_use_is_one_exit(result):
    """`use` and `release` have one exit for each of their n samples and for the cold one; `kept`
    has 99 rounds that give the registers up."""
    exits = [record for record in result.records("exits", config="stats", exit="fp")
             if result.line_of(record) == 0]
    assert [record["n"] for record in exits] == [2 * (N + 1) + 99]
    assert not result.records("exits", config="stats", exit="other")


@pytest.mark.job(KEPT)
def test_registers_hold_what_they_held(result):
    checks = result.records("check", variant="kept")
    assert [check["config"] for check in checks] == result.configs
    words = 65 if result.log.run["isa"] == "armv7" else 130
    for check in checks:
        assert (check["words"], check["rounds"], check["wrong"]) == (words, 100, 0)
    for step in result.records("step"):
        assert step.get("other_turns", 2) >= 2
