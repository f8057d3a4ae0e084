# SPDX-License-Identifier: Apache-2.0
"""gem5 and QEMU are two models of one architecture: what a guest sees, how a misbehaving one ends
and how many instructions a path has are the same in both. And what gem5 alone can say: times."""

from dataclasses import replace

import pytest

from conftest import BOARDS
from in_gem5 import TICK_MHZ, TWINS, Gem5Job, plan_for
from lab import ALL_CONFIGS, TREE, Job

CONFIGS = "".join(f"config {name}\n" for name in ALL_CONFIGS)
ORDER = f"""order once
{CONFIGS}config full trapped frame=full
config slice trapped-sw sched=slice
config 4K trapped stage2=4K
bench irq_order
bench timer_wakeup n=20
"""
HOSTILE = """order once
limit_ms 400
config direct
config trapped
config trapped-sw stage2=4K
""" + "".join(f"bench {bench}\n" for bench in (
    "sgi_self n=20", "hostile_read", "hostile_device", "hostile_jump", "hostile_smc",
    "hostile_loop", "hostile_random n=200", "hostile_registers n=500", "sgi_self n=20"))
REFUSED = """order once
config trapped
config trapped-sw
bench conter n=5
bench hvc n=5
"""
OPINIONS = {"order": ORDER, "hostile": HOSTILE, "refused": REFUSED}

FIGURES = f"order once\n{CONFIGS}config full trapped frame=full\n" + "".join(
    f"bench {bench} n=20\n" for bench in (
        "counter", "hvc", "mmio_read", "mmio_write", "sysreg", "smc", "sgi_self", "timer_wakeup"))
DELAYS = (0, 200, 400, 4000)
TIMED = "order once\nconfig native\nconfig trapped\n" + "".join(
    f"bench {bench} n=10 delay={delay}\n"
    for bench in ("hvc", "timer_wakeup") for delay in DELAYS)

pytestmark = pytest.mark.gem5


@pytest.fixture(autouse=True)
def in_gem5(board):
    if not TREE.is_gem5(board):
        pytest.skip("a board that gem5 plays")


def verdicts(result) -> list[tuple]:
    """What does not depend on time."""
    found = [("step", step["bench"], step["config"], step["outcome"])
             for step in result.records("step")]
    found += [("fault", fault["bench"], fault["config"], fault["reason"], fault["class"],
               fault["at"]) for fault in result.records("fault")]
    found += [("check", check["bench"], check["config"], check["variant"], check["ok"])
              for check in result.records("check")]
    return found + [("error", error["what"]) for error in result.records("error")]


@pytest.mark.parametrize("plan", OPINIONS)
def test_both_models_are_of_one_opinion(lab, built, plan):
    ours = lab.run(Job(built, OPINIONS[plan]))
    twin = lab.run(Job(TWINS[built], plan_for(built, OPINIONS[plan])))
    assert ours.log.problems == twin.log.problems == [], ours.explain()
    assert verdicts(ours) == verdicts(twin)
