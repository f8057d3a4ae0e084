# SPDX-License-Identifier: Apache-2.0
"""The longest path as an integer program. A variable is the number of times that a path takes an
edge. A path enters each block as often as it leaves the block, each loop keeps its limit, and the
number of instructions is maximal."""

import math
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hypbench.bound.graph import Block, Graphs

UNLIMITED = 2  # turns of a loop without a bound; enough to see whether a path goes back there
SECONDS = 60.0
INFEASIBLE = 2  # status of the solver


NEARLY = 1e-4


@contextmanager
def silent() -> Iterator[None]:
    """Silence HiGHS, which writes to the process's standard output."""
    sys.stdout.flush()
    stdout_copy = os.dup(1)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(stdout_copy, 1)
            os.close(stdout_copy)


class Copy(NamedTuple):
    """A copy of a function. A recursive function has a copy for each depth; a function that is
    called in a batch has another copy for these calls."""

    function: int
    depth: int = 0
    batched: bool = False


class Node(NamedTuple):
    """A block in a copy of its function."""

    copy: Copy
    block: int

    @property
    def function(self) -> int:
        return self.copy.function

    def block_of(self, graphs: Graphs) -> Block:
        return graphs.function(self.function).blocks[self.block]


class Infeasible(Exception):
    """No such path exists, or the solver found none."""


@dataclass
class Program:
    lengths: dict[Node, int] = field(default_factory=dict)
    ways: list[tuple[Node | None, Node | None]] = field(default_factory=list)
    into: dict[Node, list[int]] = field(default_factory=lambda: defaultdict(list))
    out: dict[Node, list[int]] = field(default_factory=lambda: defaultdict(list))
    rows: list[tuple[dict[int, float], float, float]] = field(default_factory=list)
    waits: dict[int, int] = field(default_factory=dict)  # cost of a way in addition to its blocks

    def way(self, start: Node | None, to: Node | None) -> int:
        """Add a variable: the number of times that a path takes this edge."""
        self.ways.append((start, to))
        number = len(self.ways) - 1
        if start:
            self.out[start].append(number)
        if to:
            self.into[to].append(number)
        return number

    def call(self, start: Node, to: Node) -> int:
        """Add a variable for a call, after which the caller's block continues."""
        self.ways.append((start, to))
        self.into[to].append(len(self.ways) - 1)
        return len(self.ways) - 1

    def at_most(self, left: list[int], times: float, right: list[int], more: float = 0) -> None:
        """Limit the sum of `left` to `times` the sum of `right`, and `more`."""
        row: dict[int, float] = defaultdict(float)
        for number in left:
            row[number] += 1
        for number in right:
            row[number] -= times
        self.rows.append((row, -math.inf, more))

    def at_most_each(self, left: list[int], times: dict[int, int]) -> None:
        """Limit the sum of `left` to the sum of these edges, each with its factor."""
        row: dict[int, float] = defaultdict(float)
        for number in left:
            row[number] += 1
        for number, turns in times.items():
            row[number] -= turns
        self.rows.append((row, -math.inf, 0))

    def equal(self, left: list[int], right: list[int], value: float = 0) -> None:
        row: dict[int, float] = defaultdict(float)
        for number in left:
            row[number] += 1
        for number in right:
            row[number] -= 1
        self.rows.append((row, value, value))

    def at_least(self, left: list[int], value: float) -> None:
        self.rows.append((dict.fromkeys(left, 1.0), value, math.inf))

    def longest(self) -> tuple[int, list[int]]:
        """Return the length of the longest path, and how often the path takes each edge."""
        cost = [0.0] * len(self.ways)
        for node, length in self.lengths.items():
            for number in self.into[node]:
                cost[number] -= length
        for number, wait in self.waits.items():
            cost[number] -= wait
        return self.optimum(cost)

    def most_of(self, ways: list[int]) -> list[int]:
        """Return how often a path takes each edge, for the path that takes these edges most
        often."""
        cost = [0.0] * len(self.ways)
        for number in ways:
            cost[number] = -1.0
        return self.optimum(cost)[1]

    def optimum(self, cost: list[float]) -> tuple[int, list[int]]:
        length, counts = self.solution(cost, 0)
        if any(abs(times - round(times)) > NEARLY for times in counts):
            length, counts = self.solution(cost, 1)
        return length, [round(times) for times in counts]

    def solution(self, cost: list[float], integrality: int) -> tuple[int, list[float]]:
        """Solve with or without integrality. The result without integrality is also a bound, and
        usually equals the result with integrality."""
        # Loading scipy takes a while, and other commands do not need scipy: the import is here.
        from scipy.optimize import Bounds, milp

        rows = self.constraints(len(cost))
        # With large numbers the solver fails on some programs in some of these forms.
        for whole, presolve in ((integrality, True), (integrality, False), (1, True)):
            with silent():
                result = milp(cost, integrality=[whole] * len(cost),
                              bounds=Bounds(0, math.inf), constraints=rows,
                              options={"time_limit": SECONDS, "presolve": presolve})
            if result.status == INFEASIBLE or result.x is not None:
                break
        if result.status == INFEASIBLE:
            raise Infeasible("no path is like this")
        if result.x is None:
            raise Infeasible(f"the solver gave up: {result.message}")
        # The bound of the solver is valid even if the solver's time ran out.
        best = result.mip_dual_bound if whole else result.fun
        return math.floor(-best + NEARLY), list(result.x)

    def constraints(self, count: int) -> Any:
        from scipy.optimize import LinearConstraint
        from scipy.sparse import coo_array

        entries = [(value, number, column) for number, (row, _, _) in enumerate(self.rows)
                   for column, value in row.items()]
        values, rows, columns = zip(*entries)
        matrix = coo_array((values, (rows, columns)), shape=(len(self.rows), count)).tocsr()
        return LinearConstraint(matrix, [row[1] for row in self.rows],
                                [row[2] for row in self.rows])
