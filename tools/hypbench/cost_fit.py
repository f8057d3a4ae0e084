# SPDX-License-Identifier: Apache-2.0
"""The price of each part of a cost vector on a simulated core: a least-squares fit of the times of
a reference run to the vectors of the same paths. reference/<board>/<plan>.costs.json has the
vectors, counted at the commit of the run. docs/reference/cost-fit.md shows the fit."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from hypbench.reading import read_file
from hypbench.records import Data, Log
from hypbench.tree import Tree

BOARD, PLAN = "gem5-a72", "timed"
COLD = "-cold-caches"
# The fit subtracts the guest's own part of these paths, which is the same natively.
ADDED = ("timer_wakeup", "sgi_self")
PHASED = "irq_phases"  # the stamps of these paths are a part of the path
Part = tuple[str, Callable[[Data], float]]
CONSTANT: Part = ("constant", lambda cost: 1)
WARM: tuple[Part, ...] = (
    CONSTANT, ("instruction", lambda cost: cost["instructions"]),
    ("system register", lambda cost: cost["register_reads"] + cost["register_writes"]))
CACHES: tuple[Part, ...] = (
    CONSTANT, ("line of text", lambda cost: cost["text_lines"]),
    ("line of data", lambda cost: cost["data_lines"]))


@dataclass(frozen=True)
class Fit:
    """A linear model of the rows: the price of each part, and the measured and the modelled time of
    each row."""

    parts: tuple[str, ...]
    prices: list[float]
    rows: list[tuple[str, str, float, float]]  # one row: configuration, path, ns, ns of the model

    @property
    def rms(self) -> float:
        return float(np.sqrt(np.mean([(time - model) ** 2 for *_, time, model in self.rows])))

    @property
    def explained(self) -> float:
        """Return R², the share of the variance that the model explains."""
        times = np.array([time for *_, time, _ in self.rows])
        residual = sum((time - model) ** 2 for *_, time, model in self.rows)
        return 1 - float(residual / ((times - times.mean()) ** 2).sum())


def fit(rows: list[tuple[str, str, Data, float]], parts: tuple[Part, ...]) -> Fit:
    matrix = np.array([[value(cost) for _, value in parts] for _, _, cost, _ in rows], float)
    times = np.array([time for *_, time in rows], float)
    prices, *_ = np.linalg.lstsq(matrix, times)
    return Fit(tuple(name for name, _ in parts), [float(price) for price in prices],
               [(config, path, time, float(model))
                for (config, path, _, time), model in zip(rows, matrix @ prices)])


def medians(log: Log) -> dict[tuple[str, str], float]:
    """Return the median ns by configuration and path."""
    return {(record["config"], f"{record['bench']} {record['variant']}"):
            record["p50"] * 1e9 / record["hz"] for record in log.of_kind("bench")}


def times_of(costs: dict[str, dict[str, Data]], times: dict[tuple[str, str], float]
             ) -> Iterator[tuple[str, str, Data, float, float | None]]:
    """Return each path with its vector, its warm time and the time that cold caches add."""
    for config, paths in costs.items():
        for path, cost in paths.items():
            bench = path.split()[0]
            if (config, path) not in times or bench == PHASED:
                continue
            native, cold_native = (times.get((name, path), 0.0) if bench in ADDED else 0.0
                                   for name in ("native", "native" + COLD))
            warm = times[config, path] - native
            cold = times.get((config + COLD, path))
            yield config, path, cost, warm, None if cold is None else cold - cold_native - warm


def vectors(tree: Tree) -> Path:
    return tree.reference(BOARD, PLAN).with_name(f"{PLAN}.costs.json")


def fits(tree: Tree) -> tuple[Fit, Fit]:
    """Fit the warm times, and the times that cold caches add."""
    records = tree.reference(BOARD, PLAN)
    content = json.loads(vectors(tree).read_text())
    log = read_file(records).log
    if content["build"] != log.run["build"]:
        raise click.ClickException(f"{PLAN}.costs.json of {BOARD} is of build {content['build']},"
                                   f" the run of {log.run['build']}: keep the vectors of that"
                                   " commit")
    rows = list(times_of(content["costs"], medians(log)))
    return (fit([row[:4] for row in rows], WARM),
            fit([(*row[:3], row[4]) for row in rows if row[4] is not None], CACHES))


def table(result: Fit) -> str:
    prices = " + ".join(f"{price:.2f} · {part}" if part != "constant" else f"{price:.1f}"
                        for part, price in zip(result.parts, result.prices))
    lines = [f"ns = {prices}; R² {result.explained:.3f}, rms {result.rms:.0f} ns,"
             f" {len(result.rows)} rows", "", "| configuration | path | ns | model | residual |",
             "|---|---|---|---|---|"]
    lines += [f"| {config} | {path} | {time:.0f} | {model:.0f} | {time - model:+.0f} |"
              for config, path, time, model in result.rows]
    return "\n".join(lines)


def page(tree: Tree) -> str:
    warm, cold = fits(tree)
    return f"""# Times by cost vectors

`reference/{BOARD}/{PLAN}.jsonl.xz` has times of paths on gem5, and `{PLAN}.costs.json` the cost
vectors of the same paths at the commit of that run (`docs/design/costs.md`). A least-squares fit
gives a price to each part of a vector. The time of an interrupt and of an SGI is what EL2 adds to
`native`; that of a hypercall, a trap and an emulated access is the whole. A residual is what the
model misses.

## Warm

{table(warm)}

## What cold caches add

{table(cold)}

The constant is {cold.prices[0]:.0f} ns, and no experiment isolates its cause. No row has a part of
the exit warm: HC_COLD returns by code of its own. Only a line of text has a stable price: at commit
7ec3f280, where HC_COLD still returned by the exit of a hypercall, the same fit gave 61 ns a line of
text, 7 ns a line of data and a constant of 90 ns; at commit a9659d5b, where a light frame was three
lines, 13 ns a line of data and a constant of -30 ns.
"""
