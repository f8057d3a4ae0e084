# SPDX-License-Identifier: Apache-2.0
"""The phases of an interrupt add up, each delay is in its own phase, and the probes' cost is known
to the instruction."""

from itertools import product

import pytest

import expected
from lab import ALL_CONFIGS, board_facts
from proofs import DELAYS, VALUES, delay_lines, values

N = 20
EL2_DELAY = 100
PLAN = "order once\n" + "".join(
    f"config {name}\nconfig {name}-probes {name} probes=on\n" for name in ALL_CONFIGS) + f"""
config full trapped frame=full
config full-probes trapped frame=full probes=on
config late-probes trapped probes=on delay_el2={EL2_DELAY}
config sw-late-probes trapped-sw probes=on delay_el2={EL2_DELAY}
config full-late-probes trapped probes=on frame=full delay_el2={EL2_DELAY}
config direct-late-probes direct probes=on delay_el2={EL2_DELAY}
""" + delay_lines("irq_phases", f"n={N}") + f"bench timer_wakeup n={N}\n"

SOURCES = ("timer", "device")
PHASES = ("el2-vector", "acknowledged", "injected", "eret", "el1-vector", "handler", "eoi", "task")
EL2_PHASES = PHASES[:4]

# Instructions of a stamp; each of the four at EL2 and the three at EL1 costs so many.
EL1_STAMP = {"armv8": 4, "armv7": 5}
EL2_STAMP = 4
EL1_STAMPS = 3
# Instructions beside the stamps: the vector checks for a delay; C code saves and restores the
# registers of two stamps; and an interrupt of EL2 itself (the end of an interrupt without a linked
# list register) is read twice and leaves without a stamp.
NO_DELAY = {"armv8": 3, "armv7": 4}
EL2_BESIDE = {("armv8", "v2"): 9 + NO_DELAY["armv8"], ("armv8", "v3"): 7 + NO_DELAY["armv8"],
              ("armv7", "v2"): 10 + NO_DELAY["armv7"]}
EL2_OWN = {("armv8", "v2"): 18 + NO_DELAY["armv8"], ("armv8", "v3"): 16 + NO_DELAY["armv8"],
           ("armv7", "v2"): 16 + NO_DELAY["armv7"]}

# Instructions by which a full frame is longer than a light one: to save the other registers, and to
# restore them before and after the stamp of the return.
FULL_FRAME = {"armv8": (13, 1, 11), "armv7": (2, 0, 2)}

pytestmark = pytest.mark.job(PLAN)


def is_trapped(config: str) -> bool:
    return not config.startswith(("native", "direct"))


def phases_of(config: str) -> tuple[str, ...]:
    return PHASES if is_trapped(config) else PHASES[4:]


FIGURES: dict[tuple[int, int], dict] = {}  # by run and bench line, so that each is selected once


def config_phases(result, config: str, line: int = 0) -> dict[str, dict]:
    """Return the phases of a configuration by variant."""
    key = id(result), line
    if key not in FIGURES:
        FIGURES[key] = result.figures(line)
    return {variant: record for (name, variant), record in FIGURES[key].items()
            if name == config}


def lengths(result, config: str, line: int = 0) -> dict[str, list[int]]:
    return {variant: values(record)
            for variant, record in config_phases(result, config, line).items()}


def more(ticks: list[int], by: int) -> list[int]:
    return [value + by for value in ticks]


def probed(result) -> list[str]:
    return [config for config in result.configs if config.endswith("probes")]


def isa_of(board: str) -> str:
    return board_facts(board)["ISA"]


def test_every_phase_is_there_in_order(result):
    for config in result.configs:
        variants = [f"{source}-total" for source in SOURCES]
        if config.endswith("probes"):
            variants = [f"{source}-{phase}" for source in SOURCES
                        for phase in ("total", *phases_of(config))]
            variants += ["probe-el1"] + ["probe-el2"] * is_trapped(config)
        figures = config_phases(result, config)
        assert list(figures) == variants
        for variant, record in figures.items():
            source, _, phase = variant.partition("-")
            if source in SOURCES:
                assert record["phases"] == len(phases_of(config))
            if phase in PHASES:
                assert record["phase"] == phases_of(config).index(phase) + 1


def test_phases_add_up_to_the_total(result):
    for line in range(len(DELAYS)):
        for config in probed(result):
            ticks = lengths(result, config, line)
            for source in SOURCES:
                parts = [ticks[f"{source}-{phase}"] for phase in phases_of(config)]
                assert [sum(column) for column in zip(*parts)] == ticks[f"{source}-total"]


def test_the_guest_has_added_them_up_too(result):
    checks = result.records("check", bench="irq_phases")
    assert len(checks) == len(SOURCES) * len(probed(result)) * len(DELAYS)
    for check in checks:
        assert check["ok"] and check["unequal"] == 0
        assert check["samples"] == N + 1
        assert check["phase_ticks"] == check["total_ticks"] > 0


def test_a_benchmark_without_phases_finds_the_same_total(result):
    for config in (*ALL_CONFIGS, "full"):
        wakeup = config_phases(result, config, len(DELAYS))["busy-task"]
        assert config_phases(result, config)["timer-total"]["p50"] == wakeup["p50"], config


def test_what_a_stamp_costs(result, board):
    for config in probed(result):
        figures = config_phases(result, config)
        assert values(figures["probe-el1"]) == [EL1_STAMP[isa_of(board)]] * len(VALUES)
        if is_trapped(config):
            assert values(figures["probe-el2"]) == [EL2_STAMP] * len(VALUES)


def test_probes_cost_their_stamps(result, board):
    """The total with probes, minus its stamps, is the total without."""
    if isa_of(board) == "armv7" and not expected.read(board, result.log.run["compiler"]):
        pytest.skip("another compiler may save other registers")
    for config, source in product((*ALL_CONFIGS, "full"), SOURCES):
        check_stamps(result, config, source)


def check_stamps(result, config: str, source: str) -> None:
    isa, gic = (result.log.run[name] for name in ("isa", "gic"))
    plain, with_probes = (config_phases(result, name) for name in (config, f"{config}-probes"))
    stamps = EL1_STAMPS * with_probes["probe-el1"]["p50"]
    beside = 0
    if is_trapped(config):
        stamps += len(EL2_PHASES) * with_probes["probe-el2"]["p50"]
        beside += EL2_BESIDE[isa, gic]
    if config == "trapped-sw":
        beside += EL2_OWN[isa, gic]
    total = f"{source}-total"
    assert with_probes[total]["p50"] - stamps - beside == plain[total]["p50"]


def test_direct_is_native(result):
    for end in ("", "-probes"):
        assert lengths(result, f"direct{end}") == lengths(result, f"native{end}")


def test_a_link_shortens_the_end_alone(result):
    """With and without the link the phases are the same, except for the phase that contains the
    exit."""
    linked, unlinked = (lengths(result, f"{name}-probes") for name in ("trapped", "trapped-sw"))
    differing = {variant for variant, ticks in linked.items() if ticks[1:] != unlinked[variant][1:]}
    assert differing == {f"{source}-{phase}" for source in SOURCES for phase in ("eoi", "total")}


def test_first_instructions_are_as_counted(result, board):
    """The guest's vector, natively: stp, nop, mrs; b, push, mrrc, push, nop, mrrc. EL2's vector:
    stp, nop, mrs; b, push, nop, mrrc; and the check for a delay."""
    isa = isa_of(board)
    native, trapped = (lengths(result, f"{name}-probes") for name in ("native", "trapped"))
    assert set(native["timer-el1-vector"]) == {{"armv8": 3, "armv7": 6}[isa]}
    assert set(trapped["timer-el2-vector"]) == {{"armv8": 3, "armv7": 4}[isa] + NO_DELAY[isa]}


def test_a_delay_is_in_the_vector_and_the_total(result):
    for line, config in product(range(1, len(DELAYS)), result.configs):
        plain, delayed = lengths(result, config), lengths(result, config, line)
        assert plain and plain.keys() == delayed.keys()
        for variant, ticks in delayed.items():
            is_late = variant.endswith(("-el1-vector", "-total"))
            assert ticks == more(plain[variant], DELAYS[line] if is_late else 0), (config, variant)


@pytest.mark.parametrize("late, like, phases", [
    ("late-probes", "trapped-probes", {"el2-vector": 1}),
    ("full-late-probes", "full-probes", {"el2-vector": 1}),
    # The exit at the interrupt's end has the delay, too.
    ("sw-late-probes", "trapped-sw-probes", {"el2-vector": 1, "eoi": 1}),
    ("direct-late-probes", "direct-probes", {}),
])
def test_a_delay_at_el2_is_in_its_phase_and_the_total(result, late, like, phases):
    plain, delayed = (config_phases(result, config) for config in (like, late))
    assert plain and plain.keys() == delayed.keys()
    for variant, record in delayed.items():
        source, _, phase = variant.partition("-")
        times = sum(phases.values()) if phase == "total" else phases.get(phase, 0)
        late_ticks, plain_ticks = values(record)[1:], values(plain[variant])[1:]
        assert late_ticks == more(plain_ticks, EL2_DELAY * times), variant


def test_a_full_frame_is_in_the_phases_that_save_and_restore(result, board):
    """The device's first phase contains the return from HC_RAISE. On AArch64 the code of a full
    frame does not fit into the vector and costs a branch."""
    light, full = (lengths(result, f"{name}-probes") for name in ("trapped", "full"))
    save, before, after = FULL_FRAME[isa_of(board)]
    costs = {"device-el2-vector": after}
    for source, back in (("timer", 0), ("device", after)):
        costs |= {f"{source}-acknowledged": save, f"{source}-eret": before,
                  f"{source}-el1-vector": after,
                  f"{source}-total": save + before + after + back}
    for variant, ticks in full.items():
        branch = isa_of(board) == "armv8" and variant.endswith(("-el2-vector", "-total"))
        assert ticks[1:] == more(light[variant], costs.get(variant, 0) + branch)[1:], variant
