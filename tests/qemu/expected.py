# SPDX-License-Identifier: Apache-2.0
"""Read, write and compare the committed path lengths, tests/expected/<compiler>/<board>.json, and
the ceilings that hold for every compiler. One run has the paths of one VM, another run has the
switches from one VM to the next (scenario switches)."""

import json
import re
from pathlib import Path

from lab import ALL_CONFIGS, ROOT, Job, Result
from planlines import plan_lines
from proofs import gated

FOLDER = ROOT / "tests" / "expected"
CHANGELOG = ROOT / "CHANGELOG.md"
SAMPLES = 200
SWITCHES = plan_lines("switches").replace("n=1000", f"n={SAMPLES}")
SWITCH_BENCHES = re.findall(r"^bench (\w+)", SWITCHES, re.MULTILINE)
PLAN = ("name figures\norder once\n" + "".join(f"config {config}\n" for config in ALL_CONFIGS)
        + "".join(f"bench {bench} n={SAMPLES}\n" for bench in gated()
                  if bench not in SWITCH_BENCHES))

REFERENCE = "virt-a72"
DOCUMENTED = "12.2"  # the compiler of the documents' figures
# This image compares two boards: an access to the GIC takes as many instructions on both.
LOADED = "addresses of the GIC in memory"
SLACK = 1.3  # margin of another board over the ceilings of the reference board

# Ceilings of the reference board: (config, bench, variant, minus native, instructions).
CEILINGS = [
    *((config, "hvc", variant, False, 37)
      for config in ("direct", "trapped", "trapped-sw") for variant in ("null", "unknown")),
    *((config, bench, variant, False, 120) for config in ("direct", "trapped", "trapped-sw")
      for bench, variant in (("smc", "unknown"), ("sysreg", "actlr"))),
    *((config, "mmio_read", "vgic", False, 90) for config in ("trapped", "trapped-sw")),
    *((config, "sgi_self", "vector", False, 110) for config in ("trapped", "trapped-sw")),
    *((config, "mmio_read", "isenabler", False, 250) for config in ("trapped", "trapped-sw")),
    *((config, "mmio_write", "vgic", False, 320) for config in ("trapped", "trapped-sw")),
    *((config, bench, "null", False, 170) for config in ("direct", "trapped", "trapped-sw")
      for bench in ("mmio_read", "mmio_write")),
    ("trapped", "sgi_self", "handler", False, 200),
    ("trapped-sw", "sgi_self", "handler", False, 200),
    *(("trapped", "timer_wakeup", f"{state}-{stage}", True, 100)
      for state in ("busy", "wfi") for stage in ("vector", "handler", "task")),
    # Without a linked list register an interrupt exits twice up to the task.
    *(("trapped-sw", "timer_wakeup", f"{state}-{stage}", True, 100)
      for state in ("busy", "wfi") for stage in ("vector", "handler")),
    *(("trapped", "lr_forward", f"lr{lr}", False, 41) for lr in range(4)),
    ("switch", "vm_switch", "preempt", False, 450),
    ("switch-lazy", "vm_switch", "preempt", False, 400),
    ("switch-idle", "vm_switch", "preempt", False, 450),
    ("switch-best", "vm_switch", "preempt", False, 330),
    ("yield", "vm_yield", "yield", False, 410),
    ("yield-lazy", "vm_yield", "yield", False, 360),
    ("yield-idle", "vm_yield", "yield", False, 410),
    ("yield-best", "vm_yield", "yield", False, 300),
    ("failover", "failover", "control", False, 650),
    ("failover-lazy", "failover", "control", False, 600),
    ("failover-call", "failover", "call", False, 500),
    ("failover-idle", "failover", "control", False, 680),
    ("failover-best", "failover", "call", False, 400),
]

Figures = dict[str, dict[str, int]]  # by configuration, then by "benchmark variant": p50


def series(compiler: str) -> str:
    """Return 12.2 for 12.2.0."""
    return ".".join(compiler.split(".")[:2])


def path_of(board: str, compiler: str) -> Path:
    return FOLDER / series(compiler) / f"{board}.json"


def jobs_for(board: str) -> tuple[Job, ...]:
    return Job(board, PLAN), Job(board, SWITCHES)


def figures_of(*results: Result) -> Figures:
    figures: Figures = {config: {} for result in results for config in result.configs}
    for record in (record for result in results for record in result.records("bench")):
        figures[record["config"]][f"{record['bench']} {record['variant']}"] = record["p50"]
    return figures


def document(results: list[Result], changelog: str) -> dict:
    run = results[0].log.run
    return {"board": run["board"], "compiler": run["compiler"], "changelog": changelog,
            "unit": f"instructions, p50 of {SAMPLES}", "figures": figures_of(*results)}


def written(content: dict) -> str:
    return json.dumps(content, indent=1) + "\n"


def read(board: str, compiler: str) -> dict | None:
    """Return the committed figures if the same compiler made them, or else None."""
    path = path_of(board, compiler)
    committed = json.loads(path.read_text()) if path.is_file() else {}
    return committed if committed.get("compiler") == compiler else None


def differences(expected: Figures, measured: Figures) -> list[str]:
    """Return one readable line for each path that is longer, shorter, new or gone."""
    lines = []
    for config in sorted(expected.keys() | measured.keys()):
        old, new = expected.get(config, {}), measured.get(config, {})
        for path in sorted(old.keys() | new.keys()):
            if old.get(path) != new.get(path):
                lines.append(f"{config} {path}: {old.get(path, 'not there')} expected,"
                             f" {new.get(path, 'not there')} found")
    return lines


def above_ceilings(board: str, figures: Figures) -> list[str]:
    slack = 1 if board == REFERENCE else SLACK
    lines = []
    for config, bench, variant, minus_native, ceiling in CEILINGS:
        path = f"{bench} {variant}"
        value = figures[config][path] - (figures["native"][path] if minus_native else 0)
        if value > ceiling * slack:
            lines.append(f"{config} {path}{' - native' if minus_native else ''}: {value},"
                         f" {ceiling * slack:g} at most")
    return lines


def changelog_section(heading: str, text: str) -> str | None:
    """Return the text under `## heading`, or None."""
    match = re.search(rf"^## {re.escape(heading)}[ \t]*$(.*?)(?=^## |\Z)", text,
                      re.MULTILINE | re.DOTALL)
    return match[1] if match else None


def latest_heading(text: str) -> str:
    match = re.search(r"^## (.+?)[ \t]*$", text, re.MULTILINE)
    return match[1] if match else ""
