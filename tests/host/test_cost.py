# SPDX-License-Identifier: Apache-2.0
"""Windows of a run belong to its records, and cost vectors are compared with the committed ones.
test_outside.py and tests/qemu/test_costs.py show what a vector counts."""

from dataclasses import asdict
from types import SimpleNamespace

import pytest

from hypbench import cost
from hypbench.cost import Machine, accesses_of, cost_of, costs_of, problems, visits_of
from hypbench.instructions import a64


class MadeUp(Machine):
    """An image of instructions without a kind, and no device."""

    bases = {}

    def __init__(self):
        self.classes = a64

    def read(self, address, size):
        return 0


def cost_of_lines(path, data=""):
    [visit] = visits_of(["window 100 10 90 1 0 0", f"path {path}", f"data {data}"])
    return cost_of(visit, MadeUp())


def test_accesses_read_back():
    first, second = accesses_of("sM40001000+8,lD8+4")
    assert first == (True, False, 0x40001000, 8, False, 0x40001000)
    assert second == (False, True, 8, 4, True, 8)


# --- windows and records ---

def records(*lengths, n=1):
    return [{"step": 0, "config": "trapped", "bench": "failover", "variant": f"v{i}", "n": n,
             "raw_p50": length} for i, length in enumerate(lengths)]


def plugin_lines(*ticks):
    return [line for i, tick in enumerate(ticks) for line in (
        f"window {tick} 1 {tick} 1 0 0", f"path h1000+{tick}", "data")]


def paths(log_records, lines):
    log = SimpleNamespace(of_kind=lambda kind: log_records)
    return {path: made.instructions
            for path, made in costs_of(log, lines, MadeUp()).get("trapped", {}).items()}


def test_windows_of_phases_belong_to_their_variants():
    in_turn = plugin_lines(9, 7, 5, 3)
    assert paths(records(5, 3), in_turn) == {"failover v0": 5, "failover v1": 3}
    one_by_one = plugin_lines(9, 5, 7, 3)
    assert paths(records(5, 3), one_by_one) == {"failover v0": 5, "failover v1": 3}


def test_a_window_that_is_of_no_record_gives_no_cost():
    assert paths(records(5, 3), plugin_lines(9, 7, 6, 3)) == {}


def test_a_window_that_was_not_seen_gives_no_cost_and_shifts_no_other():
    lines = [*plugin_lines(9, 5), "lost 100 110", "lost 100 103"]
    assert paths(records(5, 3), lines) == {"failover v0": 5}


# --- the gate ---

def gate(change):
    made = cost_of_lines("h1000+5", "lM2000+8")
    old = {"trapped": {"hvc null": asdict(made)}}
    changed = cost.Cost(**asdict(made) | change(asdict(made)))
    return list(problems(old, {"trapped": {"hvc null": changed}}))


@pytest.mark.parametrize("name", cost.EXACT)
def test_each_exact_part_must_be_the_same(name):
    def more(made):
        return {name: {"GICC_IAR": 1} if name == "devices" else made[name] + 1}
    [problem] = gate(more)
    assert problem.startswith(f"trapped hvc null: {name} ")


@pytest.mark.parametrize("name", cost.CEILINGS)
def test_a_line_more_is_let_pass_and_two_are_not(name):
    assert gate(lambda made: {name: made[name] + 1}) == []
    assert gate(lambda made: {name: made[name] - 1}) == []
    assert len(gate(lambda made: {name: made[name] + 2})) == 1


def test_a_row_that_came_or_went_is_a_problem():
    made = {"trapped": {"hvc null": cost_of_lines("h1000+5")}}
    assert list(problems({}, made)) == ["trapped hvc null: only found"]
    assert len(list(problems({"trapped": {"hvc null": {}}}, {}))) == 1
