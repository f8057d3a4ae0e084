# SPDX-License-Identifier: Apache-2.0
"""Run a plan under the plugin that counts cost vectors from outside."""

from dataclasses import replace
from pathlib import Path

import click

from hypbench import plan as plans
from hypbench.cost import Cost, Machine, costs_of
from hypbench.plan_model import ORDERS, Plan
from hypbench.profile import plugin, reason_not_to_count
from hypbench.session import built_image, run_board
from hypbench.tree import Tree

SAMPLES = 10  # samples of each benchmark; under icount all warm samples are equal


def few_samples(plan: Plan) -> Plan:
    """Return the plan with SAMPLES samples of each benchmark, and each configuration once."""
    return replace(plan, order=ORDERS.index("once"),
                   benches=[(name, params | {"n": SAMPLES}) for name, params in plan.benches])


def check_possible(tree: Tree, board: str, clock: str, guest: Path | None = None) -> None:
    """Refuse a plan that cannot be counted, before anything is built."""
    if guest:
        raise click.UsageError(f"costs are counted of the bench guest, not of GUEST={guest}")
    if clock != "icount":
        raise click.UsageError("costs are counted with CLOCK=icount alone")
    if reason := reason_not_to_count(tree, board):
        raise click.ClickException(f"costs of {board} cannot be counted: {reason}")


def run(tree: Tree, board: str, plan: str | None, folder: Path, timeout: float | None
        ) -> dict[str, dict[str, Cost]]:
    """Run the plan once more with few samples, and count it from outside."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = folder / "counts"
    whole = tree.plan(plan) if plan else plans.read_plan(built_image(tree, board))
    outcome = run_board(tree, board, few_samples(whole), "icount", timeout, folder, quiet=True,
                        more=plugin(tree, board, counts))
    if outcome.status:
        raise click.ClickException(f"the counted run failed: {', '.join(outcome.problems)}")
    with counts.open() as lines:
        return costs_of(outcome.log, lines, Machine(tree, board))
