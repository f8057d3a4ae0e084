# SPDX-License-Identifier: Apache-2.0
"""gem5 and QEMU are two models of one architecture: in both a guest sees the same machine, a
misbehaving guest ends alike, and a path has the same instructions. Only gem5 gives times."""

import re

import pytest

from hypbench.gem5 import CLOCK_MHZ
from in_gem5 import TICK_MHZ, TWINS, Gem5Job, plan_for
from lab import ALL_CONFIGS, Job, board_facts

CONFIGS = "".join(f"config {name}\n" for name in ALL_CONFIGS)
ORDER = f"""order once
limit_ms 1000
{CONFIGS}config full trapped frame=full
bench irq_order
bench timer_wakeup n=20
"""
SHARED = """order once
limit_ms 1000
config slice trapped-sw sched=rr
bench irq_order
"""
HOSTILE = """order once
limit_ms 400
config direct
config trapped
config trapped-sw
""" + "".join(f"bench {bench}\n" for bench in (
    "sgi_self n=20", "hostile_read", "hostile_device", "hostile_jump", "hostile_smc",
    "hostile_loop", "hostile_random n=200", "sgi_self n=20"))
REFUSED = """order once
config trapped
config trapped-sw
bench conter n=5
bench hvc n=5
"""
OPINIONS = {"order": ORDER, "hostile": HOSTILE, "refused": REFUSED, "shared": SHARED}

FIGURES = f"order once\n{CONFIGS}config full trapped frame=full\n" + "".join(
    f"bench {bench} n=20\n" for bench in (
        "counter", "hvc", "mmio_read", "mmio_write", "sysreg", "sgi_self", "timer_wakeup"))
DELAYS = (0, 400, 4000)
WINDOWS = (("hvc n=10", "sysreg n=10", "mmio_read n=10", "mmio_write n=10", "sgi_self n=10",
            "timer_wakeup n=10", "irq_phases n=10"),
           ("page_fault n=10", "tlb_chase n=4 pages=8", "lat_mem_rd n=4 pages=8",
            "revisit n=4 pages=8", "tlb_maintenance n=4 pages=8"))
TIMED = ["order once\nconfig native\nconfig trapped\n" + "".join(
    f"bench {window} delay={delay}\n" for window in windows for delay in DELAYS)
    for windows in WINDOWS]
# The most instructions of a path on gem5: FACTOR times those on QEMU, because gem5 counts LDP and
# LDM as several operations; and BESIDE more, which the core executes before an interrupt arrives.
# An interrupt arrives later from a memory-mapped CPU interface.
FACTOR = 2
BESIDE = {"gicv3": 4, "gicv2": 16}
# Cycles of one of the two instructions of the delay's loop, by core model. A turn of the loop takes
# whole cycles; their number depends on the place of the loop in a fetch.
CYCLES = {"out-of-order": (0.5, 1.0), "in-order": (2.0, 3.0)}
# In irq_phases a delay is in one phase and in the total, and not in the cost of a stamp.
PHASE = re.compile("^((timer|device)-(?!total)|probe-)")

pytestmark = pytest.mark.gem5


def verdicts(result) -> list[tuple]:
    """Return the results that depend neither on time nor on EL3. Without EL3, HCR_EL2.TSC may have
    no effect (DDI 0487 D19.2.48), and has none in gem5."""
    def known(*kinds: str) -> list[dict]:
        return [record for record in result.records(*kinds)
                if result.log.run["isa"] == "armv7" or record.get("bench") != "hostile_smc"]
    results = [("step", step["bench"], step["config"], step["outcome"]) for step in known("step")]
    results += [("fault", fault["bench"], fault["config"], fault["reason"], fault.get("class"),
                 fault.get("at")) for fault in known("fault")]
    results += [("check", check["bench"], check["config"], check["variant"], check["ok"])
                for check in known("check")]
    return results + [("error", error["what"]) for error in known("error")]


@pytest.mark.parametrize("plan", OPINIONS)
def test_both_models_are_of_one_opinion(lab, built, plan):
    run = lab.run(Job(built, OPINIONS[plan]))
    twin = lab.run(Job(TWINS[built], plan_for(built, OPINIONS[plan])))
    assert run.log.problems == twin.log.problems == [], run.explain()
    assert verdicts(run) == verdicts(twin)


def figures(result) -> dict[tuple[str, str], dict[str, list[int]]]:
    paths: dict = {}
    for record in result.records("bench"):
        paths.setdefault((record["bench"], record["variant"]), {})[record["config"]] = [
            record[name] for name in ("min", "p50", "max")]
    return paths


def test_what_costs_more_in_one_model_costs_more_in_the_other(lab, built):
    """The configurations are native, direct and trapped, with and without linked list registers."""
    run = lab.run(Gem5Job(built, FIGURES, clock_mhz=TICK_MHZ))
    twin = lab.run(Job(TWINS[built], plan_for(built, FIGURES)))
    assert run.status == twin.status == 0, run.explain()
    measured, expected = figures(run), figures(twin)
    beside = BESIDE[board_facts(built)["GIC"]]
    assert measured.keys() == expected.keys()
    for key, by_config in expected.items():
        assert measured[key].keys() == by_config.keys()
        for config, values in by_config.items():
            for ticks, least in zip(measured[key][config], values):
                assert least <= ticks <= FACTOR * least + beside, (key, config, ticks, least)
            for other_config, other_values in by_config.items():
                assert (order(measured[key][config], measured[key][other_config])
                        == order(values, other_values)), (key, config, other_config)


def order(first: list[int], second: list[int]) -> list[int]:
    return [(a > b) - (a < b) for a, b in zip(first, second)]


def test_counted_instructions_are_as_many(lab, built):
    run = lab.run(Gem5Job(built, FIGURES, clock_mhz=TICK_MHZ))
    for variant, count in (("nop10", 10), ("loop200", 200)):
        for config, values in figures(run)["counter", variant].items():
            assert values == [count] * 3, config


SEVERAL = """order once
limit_ms 2000
config alone direct
config first direct beside=load_mem_read
config again direct beside=load_cpu
bench timer_wakeup n=60
vm bench
""" + "".join(f"vm load{core} image=load cores={core}\n" for core in (1, 2, 3))


def test_loads_on_three_other_cores_work_in_each_step(lab, built):
    """Each core finds its own redistributor, and no timer of EL2 is due without end."""
    result = lab.ended(Gem5Job(built, SEVERAL))
    rounds = {(vm["config"], vm["vm"]): vm["rounds"] for vm in result.records("vm")}
    assert len(rounds) == 2 * 3 and min(rounds.values()) > 10, rounds
    alone = {row["variant"]: row["p50"] for row in result.records("bench", config="alone")}
    # The model without caches runs this plan, so no time of another core shows.
    for row in result.records("bench"):
        assert abs(row["p50"] - alone[row["variant"]]) <= 2, row


# --- times ---

CORES = ("out-of-order", "in-order")
of_each_core = pytest.mark.parametrize("core", CORES)


def timed(lab, board: str, core: str, plan: str = TIMED[0], attempt: int = 0):
    if board != "gem5-a72" and core != CORES[0]:
        pytest.skip("on gem5-a72")
    result = lab.ended(Gem5Job(board, plan, core=core, attempt=attempt))
    return result


@of_each_core
@pytest.mark.parametrize("plan, windows", list(zip(TIMED, WINDOWS)), ids=["exits", "memory"])
def test_a_delay_is_seen_in_every_timed_window(lab, built, core, plan, windows):
    """The core may execute the first instruction of the delay in parallel with the window's own
    instructions; the others take as many cycles as the loop needs on this core."""
    result = timed(lab, built, core, plan)
    for first in range(0, len(windows) * len(DELAYS), len(DELAYS)):
        lines = [result.figures(first + i) for i in range(len(DELAYS))]
        for key in lines[0]:
            if PHASE.search(key[1]):
                continue
            p50 = [line[key]["p50"] for line in lines]
            assert p50 == sorted(set(p50)), (key, p50)
            cycles = (p50[-1] - p50[-2]) * CLOCK_MHZ[core] / 1000 / (DELAYS[-1] - DELAYS[-2])
            assert any(abs(cycles - expected) <= 0.05 * expected for expected in CYCLES[core]), (
                key, cycles)


@of_each_core
def test_counter_and_cycles_agree(lab, built, core):
    """This holds for every window longer than 1 us in which the core does not sleep."""
    count = 0
    for record in timed(lab, built, core).records("bench"):
        if record["p50"] > 1000 and "cycles_p50" in record and "wfi" not in record["variant"]:
            ns = record["cycles_mean"] * 1000 / CLOCK_MHZ[core]
            assert abs(ns - record["mean"]) <= 0.01 * record["mean"], record
            count += 1
    assert count


def test_two_runs_are_identical(lab, built):
    assert timed(lab, built, CORES[0], attempt=1).console == timed(lab, built, CORES[0]).console


NEIGHBOUR = ("order once\nconfig direct\nconfig loud direct beside=load_mem_write\n"
             "bench revisit n=4 period_us=400 pages=128\n")


def test_a_neighbour_takes_lines_of_the_shared_cache_alone(lab, built):
    """On two cores 16 KiB are in the victim's own cache, 256 KiB in the shared one."""
    result = timed(lab, built, CORES[0], NEIGHBOUR)
    assert result.record("vm", config="loud")["rounds"] > 0
    p50 = {key: record["p50"] for key, record in result.figures(0).items()}
    assert p50["loud", "16K"] <= 1.1 * p50["direct", "16K"]
    assert p50["loud", "256K"] >= 1.5 * p50["direct", "256K"]
