# SPDX-License-Identifier: Apache-2.0
"""The paths of one kind of exit through all functions that it reaches, as one integer program."""

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cache

from hypbench.bound.batch import Batches
from hypbench.bound.calls import Calls, Unresolved
from hypbench.bound.constants import Constants
from hypbench.bound.decode import BadCode
from hypbench.bound.facts import ARGUMENT
from hypbench.bound.graph import Block, Function, plain_name
from hypbench.bound.kinds import Kind
from hypbench.bound.limits import Limit, Limits
from hypbench.bound.locks import CORES, Locks, Region
from hypbench.bound.loops import components
from hypbench.bound.program import UNLIMITED, Copy, Infeasible, Node, Program

CHANGED = re.compile(r"\.(isra|constprop|part)\b")  # a copy for calls that pass other arguments
LOCK = "lock"  # the word of a `wait` whose turns are counted


@dataclass
class Ceiling:
    kind: Kind
    instructions: int | None = None
    errors: list[str] = field(default_factory=list)
    assumptions: set[tuple[str, str]] = field(default_factory=set)  # a word and its place
    trusted: set[str] = field(default_factory=set)  # loops whose bound only a comment states
    shares: Counter[str] = field(default_factory=Counter)  # instructions by function
    waits: dict[str, int] = field(default_factory=dict)  # instructions of a wait for each lock


class Prover:
    """Find ceilings in one image. All kinds share the facts about a function."""

    def __init__(self, calls: Calls, limits: Limits):
        self.calls = calls
        self.graphs = calls.graphs
        self.image = calls.graphs.image
        self.facts = limits.facts
        self.limits = limits
        self.limits_by_entry: dict[int, list[Limit]] = {}
        self.returning: dict[int, bool] = {}
        self.locks = Locks(self.graphs, self.facts)
        self.batches = Batches(self.image, self.facts)
        self.waits: dict[str, int | None] = {}
        self.holders: list[Ceiling] = []

    def limits_of(self, function: Function) -> list[Limit]:
        if function.entry not in self.limits_by_entry:
            self.limits_by_entry[function.entry] = self.limits.of(function)
        return self.limits_by_entry[function.entry]

    @cache  # noqa: B019 (a prover lives as long as the image)
    def rare_calls(self, entry: int) -> list[tuple[int, int]]:
        return list(self.limits.rare_calls(self.graphs.function(entry)))

    def returns(self, entry: int) -> bool:
        """Return whether a function returns to its caller; panic() does not."""
        if entry not in self.returning:
            self.returning[entry] = True  # assumed until the function is read
            self.returning[entry] = any(
                block.ends == "return"
                for block in self.reached_blocks(self.graphs.function(entry)))
        return self.returning[entry]

    def reached_blocks(self, function: Function, never: Container[str] = (),
                       region: Region | None = None) -> Iterator[Block]:
        """Yield the blocks that a path can reach without passing one of these labels."""
        starts = region.starts if region else [function.entry]
        worklist, visited = list(starts), set(starts)
        while worklist:
            block = function.blocks[worklist.pop()]
            if block.calls and not all(map(self.returns, block.calls)):
                continue
            if block.runs_out:
                raise BadCode(f"{block.last.address:#x}: no code follows this instruction")
            yield block
            if region and block.start in region.ends:
                continue
            for start in set(block.following) - visited:
                if self.image.labels.get(start) not in never:
                    visited.add(start)
                    worklist.append(start)

    def depth_of(self, entry: int) -> int | None:
        """Return how many calls of a recursive function are active at once, from its comment."""
        line = self.image.lines.declared.get(entry)
        text = self.facts.near(line, "depth") if line else ""
        return self.facts.number(text, line) if text else None

    def argument(self, node: Node, callee: int, number: int) -> int | str | None:
        """Return an argument of a call: a known value, or the value that a comment at the call
        states, which may be an argument of the caller."""
        block = node.block_of(self.graphs)
        lines = self.image.lines.frames(block.last.address)
        if lines and self.facts.near(lines[0], "argument"):
            return self.facts.argument(lines)
        if CHANGED.search(self.image.name_at(callee)):
            return None
        constants = Constants(self.image, self.graphs.function(node.function))
        *_, (_, state) = constants.states(block)
        return state.get(f"{'x' if self.image.is_a64 else 'r'}{number}")

    def wait_for(self, lock: str) -> int | None:
        """Return the longest wait of a core for a lock. A holder waits for no core
        (hyp/base/lock.h), so the waits of two locks form no circle."""
        if lock not in self.waits:
            self.waits[lock] = 0
            holds = list(map(self.longest_hold, self.locks.holders(lock)))
            other_cores = self.facts.number(CORES, "the number of cores") - 1
            self.waits[lock] = (None if None in holds
                                else other_cores * max(filter(None, holds), default=0))
        return self.waits[lock]

    def longest_hold(self, region: Region) -> int | None:
        kind = Kind(self.image.name_at(region.function), region.function)
        ceiling = Search(self, kind, region).ceiling()
        self.holders.append(ceiling)
        return ceiling.instructions

    def ceiling(self, kind: Kind) -> Ceiling:
        return Search(self, kind).ceiling()


class Search:
    """The integer program of one kind, or of the part of a function that `region` limits."""

    def __init__(self, prover: Prover, kind: Kind, region: Region | None = None):
        self.prover = prover
        self.kind = kind
        self.region = region or Region(kind.entry, frozenset([kind.entry]), frozenset())
        self.image = prover.image
        self.result = Ceiling(kind)
        self.program = Program()
        self.copies: set[Copy] = set()
        self.worklist: list[Copy] = []
        self.edges: dict[Copy, dict[tuple[int, int], list[int]]] = {}
        self.ways_by_node: dict[Node, list[int]] = {}  # ways of the calls by block
        self.ways_by_name: dict[str, list[int]] = {}
        self.unlimited: list[tuple[str, list[int]]] = []
        self.callers: dict[int, Node] = {}  # block of each call
        self.totals: dict[tuple[str, str, object], list[int]] = {}
        self.targets: dict[int, list[int]] = {}
        self.group: dict[int, int] = {}  # functions that call each other
        self.sums: list[tuple[Copy, Limit]] = []

    def ceiling(self) -> Ceiling:
        try:
            self.build()
            self.solve()
        except (BadCode, Infeasible, Unresolved) as error:
            self.result.errors.append(str(error))
        return self.result

    def error(self, text: str) -> None:
        if text not in self.result.errors:
            self.result.errors.append(text)

    # --- calls of a block ---

    def callees(self, block: Block) -> list[int]:
        if block.site is None:
            return [entry for entry in block.calls if self.may_enter(entry)]
        address = block.site.address
        if address not in self.targets:
            self.targets[address] = self.pointer_targets(block)
        return self.targets[address]

    def pointer_targets(self, block: Block) -> list[int]:
        assert block.site
        targets = self.prover.calls.targets(block.site)
        line = self.image.lines.of(block.site.address)
        for name in self.prover.calls.names_at(block.site):
            allowed = self.kind.calls.get(name.removeprefix("->"))
            stated = self.prover.facts.near(line, "calls").split() if line else []
            for names in filter(None, (allowed, stated)):
                targets = [entry for entry in targets if self.name(entry) in names]
        return [entry for entry in targets if self.may_enter(entry)]

    def name(self, entry: int) -> str:
        return plain_name(self.image.name_at(entry))

    def may_enter(self, entry: int) -> bool:
        return self.name(entry) not in self.kind.never and self.prover.returns(entry)

    def reached_blocks(self, entry: int) -> Iterator[Block]:
        return self.prover.reached_blocks(self.prover.graphs.function(entry), self.kind.never,
                                          self.region if entry == self.kind.entry else None)

    # --- copies of functions ---

    def build(self) -> None:
        entry = Copy(self.kind.entry)
        self.find_recursion(entry.function)
        self.copy(entry)
        first = [self.program.way(None, Node(entry, start)) for start in self.region.starts]
        self.edges[entry][-1, entry.function] = first
        self.program.equal(first, [], 1)
        while self.worklist:
            self.fill(self.worklist.pop())
        self.sums = [(copy, limit) for copy in sorted(self.copies)
                     for limit in self.limits_of(copy) if limit.sum is not None]
        for copy in sorted(self.copies):
            self.limit(copy)
        for node, ways in self.ways_by_node.items():
            self.program.equal(ways, self.program.into[node])
            self.limit_site(node)
        for node in self.program.lengths:
            self.program.equal(self.program.into[node], self.program.out[node])
        for function in sorted({copy.function for copy in self.copies}):
            self.limit_calls(function)
        for (where_stated, text, _), ways in self.totals.items():
            most = self.prover.facts.number(text, where_stated, vcpus=self.vcpus())
            self.program.at_most(ways, 0, [], most)
        for name in (*self.kind.through, *self.pointer_keys()):
            self.program.at_least(self.ways_by_name.get(name, []), 1)

    def vcpus(self) -> int:
        """Return how many vCPUs such a visit loads, one after another."""
        return 2 if self.ways_by_name.get("vcpu_switch") else 1

    def pointer_keys(self) -> Iterator[str]:
        """Yield a name for all functions of each pointer; the path calls one of them."""
        for pointer, names in self.kind.calls.items():
            key = f"->{pointer}"
            self.ways_by_name[key] = [way for name in names
                                      for way in self.ways_by_name.get(name, [])]
            yield key

    def find_recursion(self, entry: int) -> None:
        callees: dict[int, list[int]] = {}
        worklist = [entry]
        while worklist:
            function = worklist.pop()
            if function in callees:
                continue
            blocks = self.reached_blocks(function)
            callees[function] = [to for block in blocks for to in self.callees(block)]
            worklist += callees[function]
        for number, group in enumerate(components(callees, callees.__getitem__), 1):
            self.group.update(dict.fromkeys(group, number))
            unbounded = {member for member in group if self.prover.depth_of(member) is None}
            calls = {member: [to for to in callees[member] if to in unbounded]
                     for member in unbounded}
            if components(unbounded, calls.__getitem__):
                self.error("recursion without a depth: "
                           + ", ".join(map(self.name, sorted(unbounded))))

    def depth_in(self, caller: int, depth: int, callee: int) -> int | None:
        """Return the depth of the called copy; None if the call is impossible."""
        if not self.group.get(callee) or self.group.get(callee) != self.group.get(caller):
            return 0
        most = self.prover.depth_of(callee)
        if most is None:
            return depth
        self.result.trusted.add(f"{self.name(callee)}() has depth {most}")
        return depth + 1 if depth + 1 < most else None

    def copy(self, copy: Copy) -> None:
        if copy not in self.copies:
            self.copies.add(copy)
            self.edges[copy] = {}
            self.worklist.append(copy)

    def fill(self, copy: Copy) -> None:
        if any(error.startswith("recursion") for error in self.result.errors):
            return
        blocks = {block.start: block for block in self.reached_blocks(copy.function)}
        starts = self.region.starts if copy.function == self.kind.entry else [copy.function]
        batched = self.prover.batches.inside(starts, blocks, copy.batched)
        for block in blocks.values():
            node = Node(copy, block.start)
            self.program.lengths[node] = block.length
            is_last = copy == Copy(self.kind.entry) and block.start in self.region.ends
            for to in block.following:
                if to in blocks and not is_last:
                    self.edge(copy, block.start, to)
            if block.ends or is_last:
                self.program.way(node, None)
            if block.is_call:
                self.call(node, block, block.start in batched)

    def edge(self, copy: Copy, start: int, to: int) -> None:
        way = self.program.way(Node(copy, start), Node(copy, to))
        self.edges[copy].setdefault((start, to), []).append(way)
        if label := self.image.labels.get(to):
            self.ways_by_name.setdefault(label, []).append(way)

    def call(self, node: Node, block: Block, batched: bool) -> None:
        self.ways_by_node[node] = []
        if batched and self.prover.batches.excludes(block):
            self.result.trusted.add(str(self.image.lines.of(block.last.address)))
            return
        for to in self.callees(block):
            depth = self.depth_in(node.function, node.copy.depth, to)
            if depth is None:
                continue
            if to == self.kind.entry and self.region.ends:
                raise Unresolved(f"{self.name(to)}() is called while it holds a lock")
            copy = Copy(to, depth, batched and not self.prover.batches.word(to))
            self.copy(copy)
            way = self.program.call(node, Node(copy, to))
            self.callers[way] = node
            self.edges[copy].setdefault((-1, to), []).append(way)
            self.ways_by_name.setdefault(self.name(to), []).append(way)
            self.ways_by_node[node].append(way)

    # --- limits of loops ---

    def limits_of(self, copy: Copy) -> list[Limit]:
        return self.prover.limits_of(self.prover.graphs.function(copy.function))

    def entries(self, copy: Copy, limit: Limit) -> list[int]:
        return [way for edge in limit.entries for way in self.edges[copy].get(edge, [])]

    def limit(self, copy: Copy) -> None:
        edges = self.edges[copy]
        calls = edges[-1, copy.function]
        for start, times in self.prover.rare_calls(copy.function):
            if (node := Node(copy, start)) in self.program.lengths:
                self.program.at_most(self.program.into[node], times, calls)
        for limit in self.limits_of(copy):
            back = [way for edge in limit.back for way in edges.get(edge, [])]
            entries = self.entries(copy, limit)
            if not back:
                continue
            for block, times in limit.capped_calls:
                self.program.at_most(self.program.into[Node(copy, block)], times, entries)
            if limit.argument_bound:
                self.limit_of_calls(limit, back, calls)
                continue
            turns = UNLIMITED if limit.turns is None else limit.turns
            self.program.at_most(back, turns, entries)
            if limit.turns is None:
                self.unlimited.append((f"loop at {limit.where}", back))
            if limit.total:
                self.totals.setdefault((limit.where, limit.total, None), []).extend(
                    back + entries * limit.at_latches)
            if limit.assumption == LOCK:
                self.add_wait(limit, entries)
            elif limit.assumption:
                self.result.assumptions.add((limit.assumption, limit.where))
            if limit.is_trusted:
                self.result.trusted.add(limit.where)

    def limit_of_calls(self, limit: Limit, back: list[int], calls: list[int]) -> None:
        """Limit a loop by an argument that each call passes."""
        turns: Counter[int] = Counter()
        outer_limits: dict[tuple[Copy, int], Limit] = {}
        self.result.trusted.add(limit.where)
        for way in calls:
            copy, outer = self.sum_at(way)
            if outer and "%" not in limit.argument_bound:
                outer_limits[copy, outer.header] = outer
                turns[way] += self.turns(limit, 0)
                continue
            for call, argument in self.passed_by(way, limit.argument_bound):
                if argument is None:
                    self.unlimited.append((f"loop at {limit.where}{self.place_of_call(way)}",
                                           [call]))
                turns[call] += UNLIMITED if argument is None else self.turns(limit, argument)
        for (copy, _), outer in outer_limits.items():
            assert outer.sum is not None
            self.result.trusted.add(outer.where)
            for entry in self.entries(copy, outer):
                turns[entry] += self.turns(limit, outer.sum)
        self.program.at_most_each(back, turns)

    def turns(self, limit: Limit, argument: int) -> int:
        return self.prover.facts.number(limit.argument_bound, limit.where, argument)

    def place_of_call(self, way: int) -> str:
        caller = self.callers.get(way)
        line = caller and self.image.lines.of(caller.block_of(self.prover.graphs).last.address)
        return f", called at {line}," if line else ""

    def sum_at(self, way: int) -> tuple[Copy, Limit | None]:
        """Return the limit of the loop with a `sum` that has a call, and the loop's copy."""
        caller = self.callers.get(way)
        for copy, limit in self.sums:
            if caller and copy == caller.copy and caller.block in limit.blocks:
                return copy, limit
        return Copy(0), None

    def passed_by(self, way: int, text: str) -> Iterator[tuple[int, int | None]]:
        """Yield the calls that pass an argument, each with the argument's value, or with None if
        the value is unknown. A call that passes an argument of its own function is executed once
        for each call of that function."""
        caller = self.callers.get(way)
        callee = self.program.ways[way][1]
        value = (self.prover.argument(caller, callee.function, int(ARGUMENT.findall(text)[0]))
                 if caller and callee else None)
        if not isinstance(value, str):
            yield way, value
            return
        assert caller
        if any(caller.block in limit.blocks for limit in self.limits_of(caller.copy)):
            yield way, None
            return
        for outer in self.edges[caller.copy][-1, caller.function]:
            yield from self.passed_by(outer, value)

    def add_wait(self, limit: Limit, entries: list[int]) -> None:
        """Add a wait for each entry of the loop. If lock_take() is not inlined, the calls of
        lock_take() name the lock."""
        if limit.function.name == "lock_take":
            for way in self.ways_by_name["lock_take"]:
                self.add_lock_wait(self.callers[way].block_of(self.prover.graphs).last.address,
                                   [way])
        else:
            self.add_lock_wait(limit.header, entries)

    def add_lock_wait(self, address: int, ways: list[int]) -> None:
        lock = self.prover.locks.name_at(address)
        wait = self.prover.wait_for(lock)
        if wait is None:
            self.unlimited.append((f"a holder of the lock of {lock}", ways))
        else:
            self.result.waits[lock] = wait
            self.program.waits.update(dict.fromkeys(ways, wait))

    def limit_site(self, node: Node) -> None:
        """Limit a call of the source if a comment states the most times of the call. The compiler
        may have made several calls of this one, or inlined the called function with its own
        calls."""
        block = node.block_of(self.prover.graphs)
        lines = self.image.lines.frames(block.last.address) if block.instructions else []
        for line in lines:
            if text := self.prover.facts.near(line, "total"):
                self.totals.setdefault((str(line), text, lines[0]), []).extend(
                    self.program.into[node])
                self.result.trusted.add(str(line))
                if word := self.prover.facts.near(line, "assumed"):
                    self.result.assumptions.add((word, str(line)))

    def limit_calls(self, entry: int) -> None:
        most = self.prover.limits.calls_of(entry)
        calls = self.ways_by_name.get(self.name(entry), [])
        if most is not None and calls:
            self.program.at_most(calls, 0, [], most)
            self.result.trusted.add(f"{self.name(entry)}()")

    # --- the result ---

    def solve(self) -> None:
        if self.result.errors:
            return
        if self.unlimited:
            endless = sorted({way for _, back in self.unlimited for way in back})
            counts = self.program.most_of(endless)
            for where, back in self.unlimited:
                if any(counts[way] for way in back):
                    self.error(f"{where} has no bound")
        if not self.result.errors:
            self.result.instructions, counts = self.program.longest()
            for node, instructions in self.program.lengths.items():
                times = sum(counts[way] for way in self.program.into[node])
                self.result.shares[self.name(node.function)] += instructions * times
