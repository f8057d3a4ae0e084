# SPDX-License-Identifier: Apache-2.0
"""Cost vectors of made-up windows, with lines, pages and accesses counted by hand."""

from dataclasses import asdict
from types import SimpleNamespace

import pytest

from hypbench import cost
from hypbench.cost import Machine, accesses_of, cost_of, costs_of, problems, visits_of
from hypbench.instructions import a32, a64
from hypbench.tree import HOME

A64_WORDS = {0x1000: 0xD53C1100, 0x1004: 0xD51C1100, 0x1008: 0xD5033F9F, 0x100C: 0xD508871F,
             0x1010: 0xD69F03E0}  # MRS, MSR HCR_EL2; DSB SY; TLBI VMALLE1; ERET
GIC = {0x08000000: "GICD", 0x08010000: "GICC", 0x080A0000: "GICR"}


class MadeUp(Machine):
    bases = GIC

    def __init__(self):
        self.classes = a64
        self.registers = cost.registers((HOME / cost.GIC_REGISTERS).read_text())

    def read(self, address, size):
        return A64_WORDS.get(address, 0)


def cost_of_lines(path, data=""):
    [visit] = visits_of(["window 100 10 90 1 0 0", f"path {path}", f"data {data}"])
    return cost_of(visit, MadeUp())


def test_kinds_of_instructions_are_counted_each():
    vector = cost_of_lines("g9000+4 h1000+5 g9010+1")
    assert (vector.instructions, vector.register_reads, vector.register_writes, vector.barriers,
            vector.maintenance, vector.entries, vector.returns) == (5, 1, 1, 1, 1, 1, 1)


@pytest.mark.parametrize("count", (1, 5, 40))
def test_n_lines_and_n_pages_are_n(count):
    lines = " ".join(f"h{0x10000 + 64 * i:x}+1" for i in range(count))
    pages = " ".join(f"lM{0x20000 + 4096 * i:x}+8" for i in range(count))
    vector = cost_of_lines(lines, pages)
    assert (vector.text_lines, vector.text_pages) == (count, 1)
    assert (vector.data_lines, vector.data_pages, vector.loads) == (count, count, count)
    assert (vector.text_fill, vector.data_fill) == (round(4 / 64, 2), round(8 / 64, 2))


def test_an_access_across_lines_touches_both():
    assert cost_of_lines("h1000+1", "lM203c+8").data_lines == 2
    assert cost_of_lines("h1000+1", "lM2038+8").data_lines == 1


def test_accesses_of_one_instruction_count_once():
    vector = cost_of_lines("h1000+1", "lM2000+8,lM2008+8 lM2010+8 lM2018+4,sM2018+4")
    assert (vector.loads, vector.stores) == (2, 1)  # LDP, LDR, STXR


def test_devices_are_named_by_their_registers_and_are_no_memory():
    vector = cost_of_lines("h1000+1", "lD801000c+4 sD8010010+4 sD8010010+4 lD80b0100+4 lD9000018+4")
    assert vector.devices == {"GICC_EOIR": 2, "GICC_IAR": 1, "GICR_ISENABLER": 1, "other": 1}
    assert (vector.loads, vector.stores, vector.data_lines) == (0, 0, 0)


def test_accesses_read_back():
    first, second = accesses_of("sM40001000+8,lD8+4")
    assert first == (True, False, 0x40001000, 8, False, 0x40001000)
    assert second == (False, True, 8, 4, True, 8)


@pytest.mark.parametrize("word, kind", [
    (0xE160006E, "RETURN"), (0xF57FF04F, "BARRIER"), (0xEE070F95, "BARRIER"),
    (0xEE080F17, "MAINTENANCE"), (0xEE110F10, "READ"), (0xEC510F1E, "READ"),
    (0xE10F0000, "READ"), (0xE129F000, "WRITE"), (0xF1020016, "WRITE"), (0xE320F000, "OTHER"),
    (0xE1A00000, "OTHER")])
def test_a32_kinds(word, kind):
    assert a32(word).name == kind


# --- windows and records ---

def records(*lengths, n=1):
    return [{"step": 0, "config": "trapped", "bench": "failover", "variant": f"v{i}", "n": n,
             "raw_p50": length} for i, length in enumerate(lengths)]


def plugin_lines(*ticks):
    return [line for i, tick in enumerate(ticks) for line in (
        f"window {tick} 1 {tick} 1 0 0", f"path h1000+{tick}", "data")]


def paths(log_records, lines):
    log = SimpleNamespace(of_kind=lambda kind: log_records)
    return {path: vector.instructions
            for path, vector in costs_of(log, lines, MadeUp()).get("trapped", {}).items()}


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
    vector = cost_of_lines("h1000+5", "lM2000+8")
    old = {"trapped": {"hvc null": asdict(vector)}}
    changed = cost.Cost(**asdict(vector) | change(asdict(vector)))
    return list(problems(old, {"trapped": {"hvc null": changed}}))


@pytest.mark.parametrize("name", cost.EXACT)
def test_each_exact_part_must_be_the_same(name):
    def more(vector):
        return {name: {"GICC_IAR": 1} if name == "devices" else vector[name] + 1}
    [problem] = gate(more)
    assert problem.startswith(f"trapped hvc null: {name} ")


@pytest.mark.parametrize("name", cost.CEILINGS)
def test_a_line_more_is_let_pass_and_two_are_not(name):
    assert gate(lambda vector: {name: vector[name] + 1}) == []
    assert gate(lambda vector: {name: vector[name] - 1}) == []
    assert len(gate(lambda vector: {name: vector[name] + 2})) == 1


def test_a_row_that_came_or_went_is_a_problem():
    vectors = {"trapped": {"hvc null": cost_of_lines("h1000+5")}}
    assert list(problems({}, vectors)) == ["trapped hvc null: only found"]
    assert len(list(problems({"trapped": {"hvc null": {}}}, {}))) == 1
