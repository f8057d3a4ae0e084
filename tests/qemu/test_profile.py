# SPDX-License-Identifier: Apache-2.0
"""The flame graphs of the report: the instructions of the functions of a path add up to the
path."""

from collections.abc import Iterator

import pytest

import el2count
import expected
from hypbench import profile
from hypbench.profile import EXITS, Flame, Node
from lab import TREE, Job
from planlines import plan_lines

PLAN = plan_lines("profile")
EXTRA = 4

pytestmark = pytest.mark.long


def run(lab, board: str, plan: str = PLAN) -> el2count.Counted:
    return el2count.counted(lab, Job(board, plan), "paths")


def flames(counted: el2count.Counted, board: str) -> dict[str, Flame]:
    graphs = profile.flames_of(TREE.build(board), counted.result.log, counted.lines)
    return {flame.name: flame for flame in graphs}


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


def part(flame: Flame, level: str) -> int:
    return sum(child.count for child in flame.root.children if child.name == level)


def test_functions_of_a_path_sum_up_to_its_length(lab, built, board):
    counted = run(lab, built)
    graphs = flames(counted, built)
    committed = expected.read(board, counted.result.log.run["compiler"])
    assert list(graphs) == list(EXITS)
    for flame in graphs.values():
        print(board, flame.name, flame.length, part(flame, "EL2"))
        assert flame.root.count == flame.length
        assert part(flame, "guest") + part(flame, "EL2") == flame.length
        for node in nodes(flame.root):
            assert sum(child.count for child in node.children) <= node.count
            assert not node.name.startswith(("0x", "?"))
        if committed and flame.config in committed["figures"]:
            figures = committed["figures"][flame.config]
            assert figures.get(f"{flame.bench} {flame.variant}", flame.length) == flame.length


def test_functions_are_those_that_run(lab, built):
    graphs = flames(run(lab, built), built)
    for name, function in (("null hypercall", "trap_hvc"), ("timer interrupt, to the handler",
                           "trap_irq"), ("VM switch, by a timer's interrupt", "vcpu_switch"),
                           ("stage-2 fault that maps a page", "stage2_lazy_fault")):
        assert function in {node.name for node in nodes(graphs[name].root)}


def test_a_longer_exit_is_in_el2s_functions(lab, built):
    longer = PLAN.replace(" trapped", f" trapped delay_el2={EXTRA}")
    plain, delayed = flames(run(lab, built), built), flames(run(lab, built, longer), built)
    for name, flame in delayed.items():
        assert part(flame, "EL2") > part(plain[name], "EL2")
        assert part(flame, "guest") == part(plain[name], "guest")
        assert flame.root.count == flame.length
        assert flame.root.count != plain[name].length
