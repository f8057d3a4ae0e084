# SPDX-License-Identifier: Apache-2.0
"""A link between two VMs: rings, requests with their answers, and streams, by kind of link, without
and with other VMs."""

from dataclasses import dataclass

from hypbench.analysis.beside import NEIGHBOUR_IDLE, alone_of, idle_steps
from hypbench.analysis.interrupts import distinct
from hypbench import charts
from hypbench.model import NONE, Cell, Cells, Section, counted, number, prose, ratio
from hypbench.frame import Board, Source
from hypbench.records import Data
from hypbench.rows import Row, settings_of

PLAN, VIRTIO = "links", "virtio"
# Each plan has its kind of link.
BESIDE = {"links-beside": "A doorbell", "virtio-beside": "virtio"}
BENCH, STREAM = "net_rr", "net_stream"
PATHS = {"ring": "ring to the other VM's handler", "rr": "request to its answer, one flow",
         "rr-20": "request to its answer, 20 flows at once"}
BATCHES = {f"batch-{blocks}": f"{blocks} KiB, until the other VM has taken {pronoun}"
           for blocks, pronoun in ((1, "it"), (8, "them"), (32, "them"))}
RATE = "bytes_per_million"
# Each column has a name, a plan and a configuration.
KINDS = (("loop-back, native", PLAN, "native"), ("doorbell, two cores", PLAN, "link-cores"),
         ("doorbell, one core", PLAN, "link-core"), ("virtio, two cores", VIRTIO, "link-cores"),
         ("virtio, one core", VIRTIO, "link-core"))
COMPARED = (BENCH, "ring"), (BENCH, "rr"), (STREAM, "batch-32")
# This VM of the plans links-beside and virtio-beside answers the load, or has nothing to answer.
SERVERS = ("served",)


@dataclass(frozen=True)
class Kind:
    name: str
    source: Source
    config: str

    def row(self, variant: str) -> Row | None:
        return self.source.row(BENCH if variant in PATHS else STREAM, variant, self.config)


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("links", "A link between two VMs", board.name)
    source = board.first_with(BENCH, PLAN)
    rows = [row for row in source.of_bench(BENCH) if row.variant in PATHS]
    if not rows:
        section.add(board.missing("links", PLAN))
        return section
    section.text(prose("links", exact=board.clock.exact))
    add_kinds(section, board)
    flows = [row for row in rows if row.variant == "rr-20"]
    drawn = distinct(flows)
    hidden = [row.config for row in flows if row not in drawn]
    section.figure("links", prose("links_figure", source=source, hidden=hidden), charts.ecdf(
        source.steps(drawn), source.clock.axis))
    section.table("links", "Rings, requests and answers",
                  ("path", "configuration", ">samples", ">p50", ">p99", ">max", ">cold"),
                  [cells(source, row) for variant in PATHS for row in rows
                   if row.variant == variant],
                  notes(source))
    for plan, kind in BESIDE.items():
        add_third_vm(section, board.source(plan), kind)
    return section


def add_kinds(section: Section, board: Board) -> None:
    """Add every kind of link that has records: p50 of each path, and bytes in a million ticks."""
    kinds = [kind for name, plan, config in KINDS
             if (kind := Kind(name, board.source(plan), config)).row("rr")]
    if len(kinds) < 2:
        return
    first, unit = kinds[0], board.clock.axis
    values = [{"what": path, "config": kind.name, "factor": row.p50 / base.p50,
               "note": kind.source.note(row, f"{kind.name}, {path}")}
              for variant, path in (PATHS | BATCHES).items() for kind in kinds
              if (row := kind.row(variant)) and (base := first.row(variant)) and base.p50 > 0]
    section.figure("links-kinds", f"Each kind of link, p50 as a multiple of {first.name}.",
                   charts.dots(values, f"times {first.name} (log)", True))
    rows: list[Cells] = [[path, *(kind.source.cell(kind.row(variant)) for kind in kinds)]
                         for variant, path in (PATHS | BATCHES).items()]
    rows += [[f"bytes, {variant.removeprefix('batch-')} KiB at a time",
              *(rate(kind, variant) for kind in kinds)] for variant in BATCHES]
    section.table("kinds-of-links", "Kinds of link side by side: p50, and bytes in a million"
                  f" {unit.split(' ')[0]}", ("path", *(f">{kind.name}" for kind in kinds)), rows)


def rate(kind: Kind, variant: str) -> str | Cell:
    row = kind.row(variant)
    return (kind.source.cell(row, f"{number(row.first[RATE])}\u00a0bytes")
            if row and RATE in row.first else NONE)


def add_third_vm(section: Section, source: Source, kind: str) -> None:
    """Add a link beside a third VM, as multiples of the same link alone."""
    exact = source.clock.exact
    settings, idle = settings_of(source.log), idle_steps(source.log, SERVERS)

    def value(row: Row) -> int:
        return row.pool.low if exact else row.p50

    def pair(key: tuple[str, str], config: str) -> tuple[Row, Row] | None:
        row = source.row(*key, config)
        alone = source.row(*key, alone_of(settings, config) or config)
        return (row, alone) if row and alone else None

    def cell(rows: tuple[Row, Row] | None) -> str | Cell:
        if rows is None:
            return NONE
        row, alone = rows
        if (row.config, row.bench) in idle:
            return source.cell(row, NEIGHBOUR_IDLE, "quiet")
        return source.cell(row, f"{ratio(value(row), value(alone))}:"
                           f" {source.clock.show(value(row))}")
    configs = [config for config in settings if source.row(BENCH, "rr", config)]
    if not configs:
        return
    paths = PATHS | BATCHES
    values: list[Data] = [
        {"what": paths[key[1]], "config": config, "factor": value(rows[0]) / value(rows[1]),
         "note": source.note(rows[0], config)}
        for key in COMPARED for config in configs
        if (rows := pair(key, config)) and rows[0] is not rows[1]
        and (config, key[0]) not in idle]
    title = f"{kind} beside a third VM, as multiples of the same alone"
    if not exact:
        section.figure(source.plan, f"{title}.",
                       charts.dots(values, "times alone (log)", True))
    section.table(f"third-{source.plan}", title,
                  ("third VM", *(f">{paths[name]}" for _, name in COMPARED)),
                  [[config, *(cell(pair(key, config)) for key in COMPARED)] for config in configs],
                  (prose("third_vm"), *((prose("shortest_sample"),) if exact else ())),
                  folded=f"{kind} beside a third VM, in numbers")


def cells(source: Source, row: Row) -> Cells:
    pool = row.pool
    return [PATHS[row.variant], row.config, source.cell(row, counted(pool.n, "sample")),
            *source.cells(row, row.p50, pool.percentiles().get("p99"), pool.high, pool.cold)]


def notes(source: Source) -> tuple[str, ...]:
    checks = [check for check in source.log.of_kind("check") if check["bench"] == BENCH]
    sent, answered, wrong = (sum(check.get(name, 0) for check in checks)
                             for name in ("sent", "answered", "wrong"))
    return (f"{counted(sent, 'request')}, {counted(answered, 'answer')},"
            f" {counted(wrong, 'wrong word')}.",)
