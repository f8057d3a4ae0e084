# SPDX-License-Identifier: Apache-2.0
"""Interrupts that are pending together: the time to each handler, against the list registers."""

from dataclasses import dataclass
from math import inf

from hypbench.axes import settings_of
from hypbench.records import Log
from hypbench.rows import Row, rows_of

BENCH = "irq_storm"


@dataclass(frozen=True)
class StormRow:
    config: str
    pended: int
    position: int  # of the handler, from 1
    row: Row  # ticks from unmasking to that handler
    beyond: bool  # more than the list registers hold: it waited for one to be free


def is_whole(row: Row) -> bool:
    """Of interrupts pended together the last handler alone: the others are hundreds."""
    return row.bench != BENCH or row.first.get("position") == row.first.get("pended")


def storm_rows(log: Log) -> list[StormRow]:
    """By configuration, number pended and position."""
    rows = {(row.config, row.first["pended"], row.first["position"]): row for row in rows_of(log)
            if row.bench == BENCH and {"pended", "position"} <= row.first.keys()}
    configs = list(dict.fromkeys(config for config, _, _ in rows))
    order = sorted(rows, key=lambda key: (configs.index(key[0]), *key[1:]))
    return [StormRow(*key, rows[key], key[2] > capacity(log, key[0])) for key in order]


def capacity(log: Log, config: str) -> float:
    """How many interrupts the hypervisor can show the guest at a time; any, where it shows none."""
    trapped = settings_of(log).get(config, {}).get("irq") == "trapped"
    return log.run["lr_count"] if trapped else inf
