# SPDX-License-Identifier: Apache-2.0
"""A link between two VMs: a ring, and requests with their answers."""

from hypbench.html import charts
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, missing, steps
from hypbench.html.units import counted
from hypbench.rows import Row

PLAN = "links"
BENCH = "net_rr"
PATHS = {"ring": "ring to the other VM's handler", "rr": "request to its answer, one flow",
         "rr-20": "request to its answer, 20 flows at once"}


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("links", "A link between two VMs")
    source = board.first_with(BENCH, PLAN)
    rows = [row for row in source.of_bench(BENCH) if row.variant in PATHS]
    if not rows:
        made.add(missing(board, "links", PLAN))
        return made
    made.add(Text(
        "Requests of 64 bytes and their answers: between two VMs that share memory and ring each"
        " other's doorbell, or, in a configuration without a second VM, from a VM to itself. Study"
        " S4 sent requests over a network, 20 flows at once: most were answered within 3 ms, the"
        " slowest in 15.864 ms." + (" Instructions of all cores count here." if board.clock.exact
                                    else "")),
        figure("links", board, f"20 flows at once: share of the answers up to a value, in"
               f" {source.clock.axis}; a dot marks the last answer of all.", charts.ecdf(
                   [one for row in rows if row.variant == "rr-20"
                    for one in steps(row, source.clock)], source.clock.axis)),
        Table(f"tab-links-{board.name}", "Rings, requests and answers",
              ("path", "configuration", ">samples", ">p50", ">p99", ">max", ">cold"),
              [cells(board, source, row) for variant in PATHS for row in rows
               if row.variant == variant], notes(source)))
    return made


def cells(board: Board, source: Source, row: Row) -> list[str | Cell]:
    pool, show = row.pool, source.clock.show
    return [PATHS[row.variant], row.config, counted(pool.n, "sample"),
            linked(board, source, row, show(row.p50)), show(pool.percentiles().get("p99")),
            show(pool.high), show(pool.cold)]


def notes(source: Source) -> tuple[str, ...]:
    checks = [check for check in source.log.of_kind("check") if check["bench"] == BENCH]
    sent, answered, wrong = (sum(check.get(name, 0) for check in checks)
                             for name in ("sent", "answered", "wrong"))
    return (f"{counted(sent, 'request')}, {counted(answered, 'answer')},"
            f" {counted(wrong, 'wrong word')}.",)
