# SPDX-License-Identifier: Apache-2.0
"""The null device answers as abi/null_device.h says, one exit an access; without stage 2 there is
memory in its place."""

import pytest

from lab import board_facts

EMULATED = ("direct", "trapped", "trapped-sw", "4K", "1G-direct", "full")
PLAN = """order once
config native
config direct
config trapped
config trapped-sw
config 4K trapped stage2=4K
config 1G-direct direct stage2=1G
config full trapped frame=full
config stats direct stats=on
config open native traps=on
bench counter n=1
bench null_device
bench null_device
"""
# The values that guest/bench/null_device.c looks at, by check.
TRIED = {"reset": 1024, "scratch": 6, "data": 6, "others": 2 + 1020 + 1, "double": 2}
MEMORY = {"reset": 1024, "memory": 1024}
# Its accesses; those of 64 bits are two on armv7.
READS = 1024 + 6 + 6 + (2 + TRIED["others"]) + 2
WRITES = 3 + 102 + 1022
DOUBLE_READS, DOUBLE_WRITES = 2, 1


def tried(result, config: str) -> list[dict[str, int]]:
    """Of both steps, what each check tried; all of it was right."""
    lines: dict[int, dict[str, int]] = {}
    for check in result.records("check", bench="null_device", config=config):
        assert check["ok"] and check["wrong"] == 0, check
        lines.setdefault(result.line_of(check), {})[check["variant"]] = check["tried"]
    return list(lines.values())


@pytest.mark.job(PLAN)
def test_run_ends_well(result):
    assert result.status == 0, result.explain()
    assert result.problems == []


@pytest.mark.job(PLAN)
def test_registers_are_right(result):
    """In the second step too: nothing is left of the first."""
    for config in EMULATED:
        assert tried(result, config) == [TRIED, TRIED], config


@pytest.mark.job(PLAN)
def test_without_stage2_it_is_memory(result):
    for config in ("native", "open"):
        assert tried(result, config) == [MEMORY, MEMORY], config


@pytest.mark.job(PLAN)
def test_every_access_is_one_exit(result, board):
    """With direct interrupts nothing else is emulated."""
    factor = 2 if board_facts(board)["ISA"] == "armv7" else 1
    for line in (1, 2):
        counts = {record["exit"]: record["n"] for record in result.records("exits", config="stats")
                  if result.line_of(record) == line}
        assert counts["mmio-read"] == READS + factor * DOUBLE_READS
        assert counts["mmio-write"] == WRITES + factor * DOUBLE_WRITES
    counter = {record["exit"] for record in result.records("exits", config="stats")
               if result.line_of(record) == 0}
    assert not counter & {"mmio-read", "mmio-write"}
