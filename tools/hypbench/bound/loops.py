# SPDX-License-Identifier: Apache-2.0
"""Find the nested loops of a function: regions of blocks that reach each other. An irreducible
region, which has several entries, is also a loop: each turn passes its header."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hypbench.bound.decode import Flow
from hypbench.bound.graph import Block, Function

Edge = tuple[int, int]


@dataclass
class Loop:
    function: Function
    header: int
    blocks: frozenset[int]
    entries: list[Edge]  # edges from outside; (-1, …) if the function begins here
    back: list[Edge]  # edges to the header
    exits: list[Edge]
    inner: list["Loop"] = field(default_factory=list)

    @property
    def is_reducible(self) -> bool:
        return all(to == self.header for _, to in self.entries)

    @property
    def latches(self) -> set[int]:
        return {start for start, _ in self.back}

    @property
    def ends_at_latches(self) -> bool:
        """Return whether the loop tests its condition after the body, so that each turn executes
        the header once."""
        return self.is_reducible and {start for start, _ in self.exits} <= self.latches

    def body(self) -> Iterator[Block]:
        for start in sorted(self.blocks):
            yield self.function.blocks[start]

    def own_blocks(self) -> Iterator[Block]:
        """Return the blocks outside of inner loops."""
        inside = {start for loop in self.inner for start in loop.blocks}
        return (block for block in self.body() if block.start not in inside)

    def always(self, *starts: int) -> bool:
        """Return whether each turn passes one of these blocks."""
        return self.header in starts or not has_cycle(
            self.function, self.blocks - set(starts), self.header)

    def only_retries(self) -> bool:
        """Return whether each turn follows a failed store-exclusive."""
        failed_edges = {(block.start, to) for block in self.body() if has_status_test(block)
                        for to in block.following if to in self.blocks}
        cut_edges = failed_edges | {edge for loop in all_loops(self.inner) for edge in loop.back}
        return bool(failed_edges) and not regions(
            self.function, self.blocks, cut_edges | set(self.exits))


def has_status_test(block: Block) -> bool:
    """Return whether a block ends with a branch on the status of its store-exclusive."""
    statuses = [insn.operands[0][1] for insn in block.instructions
                if insn.name.startswith(("stxr", "stlxr", "strex", "stlex"))]
    tested = [insn.operands[0][1] for insn in block.instructions
              if insn.name in ("cbnz", "cbz", "cmp", "teq") and insn.operands[0][0] == "reg"]
    return bool(statuses) and block.last.flow is Flow.JUMP and statuses[-1] in tested[-1:]


def has_cycle(function: Function, blocks: frozenset[int], header: int) -> bool:
    """Return whether a path within `blocks` leads from the header back to the header."""
    worklist, visited = [header], set()
    while worklist:
        for start in function.blocks[worklist.pop()].following:
            if start == header:
                return True
            if start in blocks and start not in visited:
                visited.add(start)
                worklist.append(start)
    return False


def loops_of(function: Function) -> list[Loop]:
    """Return the outermost loops; each has the loops inside it."""
    return loops_inside(function, frozenset(function.blocks), set())


def all_loops(loops: list[Loop]) -> Iterator[Loop]:
    for loop in loops:
        yield loop
        yield from all_loops(loop.inner)


def loops_inside(function: Function, blocks: frozenset[int], removed: set[Edge]) -> list[Loop]:
    loops = []
    predecessors = function.predecessors()
    for region in regions(function, blocks, removed):
        loop = loop_of(function, region, predecessors, removed)
        loop.inner = loops_inside(function, region, removed | set(loop.back))
        loops.append(loop)
    return loops


def loop_of(function: Function, region: frozenset[int], predecessors: dict[int, list[int]],
            removed: set[Edge]) -> Loop:
    """Make a loop. The `removed` edges are back edges to the headers of loops around this loop;
    they enter this loop."""
    def is_in(edge: Edge) -> bool:
        return edge[0] in region and edge not in removed

    entries = [(start, to) for to in sorted(region) for start in predecessors[to]
               if not is_in((start, to))]
    if function.entry in region:
        entries.insert(0, (-1, function.entry))
    header = header_of(function, region, [to for _, to in entries], removed)
    return Loop(function, header, region, entries,
                back=[(start, header) for start in predecessors[header] if is_in((start, header))],
                exits=[(start, to) for start in sorted(region)
                       for to in function.blocks[start].following
                       if to not in region or (start, to) in removed])


def header_of(function: Function, region: frozenset[int], candidates: list[int],
              removed: set[Edge]) -> int:
    """Return the entry whose removal leaves the fewest blocks that still reach each other."""
    def remaining_blocks(header: int) -> int:
        cut_edges = removed | {(start, header) for start in region}
        return sum(map(len, regions(function, region, cut_edges)))

    headers = list(dict.fromkeys(candidates))
    return headers[0] if len(headers) == 1 else min(headers, key=remaining_blocks)


def regions(function: Function, blocks: frozenset[int], removed: set[Edge]
            ) -> list[frozenset[int]]:
    """Return regions of blocks that reach each other without the removed edges."""
    def next_of(start: int) -> list[int]:
        return [to for to in function.blocks[start].following
                if to in blocks and (start, to) not in removed]

    return components(sorted(blocks), next_of)


def components(nodes: Iterable[int], next_of: Callable[[int], list[int]]) -> list[frozenset[int]]:
    """Return Tarjan's strongly connected components that have a cycle."""
    search = Search(next_of)
    for root in nodes:
        if root not in search.order:
            search.run(root)
    return [component for component in search.components
            if len(component) > 1 or (only := next(iter(component))) in next_of(only)]


class Search:
    """Tarjan's search without recursion."""

    def __init__(self, next_of: Callable[[int], list[int]]):
        self.next_of = next_of
        self.order: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.stack: list[int] = []
        self.work: list[tuple[int, Iterator[int]]] = []
        self.components: list[frozenset[int]] = []

    def run(self, root: int) -> None:
        self.enter(root)
        while self.work:
            node, following = self.work[-1]
            to = next(following, None)
            if to is None:
                self.leave(node)
            elif to not in self.order:
                self.enter(to)
            else:
                self.low[node] = min(self.low[node], self.low[to])

    def enter(self, node: int) -> None:
        self.order[node] = self.low[node] = len(self.order)
        self.stack.append(node)
        self.work.append((node, iter(self.next_of(node))))

    def leave(self, node: int) -> None:
        self.work.pop()
        if self.work:
            parent = self.work[-1][0]
            self.low[parent] = min(self.low[parent], self.low[node])
        if self.low[node] == self.order[node]:
            at = self.stack.index(node)
            component = frozenset(self.stack[at:])
            del self.stack[at:]
            self.low.update(dict.fromkeys(component, 1 << 32))
            self.components.append(component)
