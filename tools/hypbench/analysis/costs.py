# SPDX-License-Identifier: Apache-2.0
"""Cost vectors: a row for each path, with the configurations that have the same vector."""

from collections import Counter

from hypbench.cost import Cost
from hypbench.model import Section

COST_HEAD = (">exits", ">instr", ">lines", ">pages", ">mem", ">sysreg", ">barrier", ">maint",
             "devices")
HEAD = ("bench", "variant", "configuration", *COST_HEAD)
COST_NOTE = ("At EL2, in the last sample of each path: instructions; 64-byte lines and 4 KiB"
             " pages, of text + of data; instructions that load + that store; that read + that"
             " write system registers; barriers; maintenance of TLBs and caches; accesses to"
             " devices.")


def cost_section(costs: dict[str, dict[str, Cost]]) -> Section:
    """Return the table, or a sentence if no path enters EL2."""
    section = Section("costs", "What each path makes the core do at EL2", "")
    section.table("costs", "", HEAD, [
        [bench, ", ".join(variants), ", ".join(configs), *map(str, cells(cost))]
        for bench, variants, configs, cost in alike(costs)], (COST_NOTE,))
    if not section.blocks:
        section.text("No path of this scenario enters EL2 in a window.")
    return section


def alike(costs: dict[str, dict[str, Cost]]) -> list[tuple[str, list[str], list[str], Cost]]:
    """Return (benchmark, variants, configurations, cost), sorted by benchmark, with one row for
    each cost."""
    configs_of: dict[tuple[str, str, str], list[str]] = {}
    cost_of: dict[str, Cost] = {}
    for config, paths in costs.items():
        for path, cost in paths.items():
            bench, variant = path.split(maxsplit=1)
            cost_of[repr(cost)] = cost
            configs_of.setdefault((bench, variant, repr(cost)), []).append(config)
    variants_of: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for (bench, variant, cost_text), configs in configs_of.items():
        variants_of.setdefault((bench, tuple(configs), cost_text), []).append(variant)
    rows = [(bench, variants, list(configs), cost_of[cost_text])
            for (bench, configs, cost_text), variants in variants_of.items()]
    return sorted(rows, key=lambda row: row[0])


def cells(cost: Cost) -> tuple[object, ...]:
    parts = Counter[str]()
    for register, count in cost.devices.items():
        parts[register.partition("_")[0]] += count
    devices = ", ".join(f"{count} {part}" for part, count in parts.items())
    return (cost.entries, cost.instructions, f"{cost.text_lines}+{cost.data_lines}",
            f"{cost.text_pages}+{cost.data_pages}", f"{cost.loads}+{cost.stores}",
            f"{cost.register_reads}+{cost.register_writes}", cost.barriers, cost.maintenance,
            devices or "-")
