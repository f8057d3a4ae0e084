# SPDX-License-Identifier: Apache-2.0
"""Path lengths of a reference run: a time is worth something as long as the path that it times has
the length it had.

reference/<board>/<plan>.lengths.json has the instructions of each row of the run, counted under
QEMU's -icount on the board of QEMU that has the same isa and GIC, from the commit of the run. It
also has the rows whose length has moved since, with today's length: a test holds them against a run
of today's image, and neither the page nor a document shows the times of those rows.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import click

from hypbench.plan_model import Plan
from hypbench.records import Data, Log, Record
from hypbench.rows import UNMODELLED_BENCHES
from hypbench.tree import Tree, read_text, write_whole

MOST = 0.02  # of a length: a path that moves by more is another path
PART, WHOLE = "irq_phases ", "-total"  # a phase is judged by the whole that it is a part of
START, STARTS = ("stage2_boot", "start"), ("start_ticks", "build_ticks")  # a check has them
DIRTY = "-dirty"  # ends the name of a build with changes that no commit has

Figures = dict[str, dict[str, int]]  # configuration → "benchmark variant" → instructions


@dataclass(frozen=True)
class Lengths:
    made: str  # by which command, of which commit
    compiler: str
    lengths: Figures
    moved: Figures = field(default_factory=dict)  # those of another length now, with that length

    def is_moved(self, config: str, path: str) -> bool:
        return path in self.moved.get(config, {})

    @property
    def notes(self) -> list[str]:
        """A line for each path that has moved, with its configurations."""
        found: dict[tuple[str, int, int], list[str]] = {}
        for config, paths in self.moved.items():
            for path, now in paths.items():
                found.setdefault((path, self.lengths[config][path], now), []).append(config)
        return [f"{path} ({', '.join(configs)}): path changed since, {before} instructions then,"
                f" {now} now; its times are not shown"
                for (path, before, now), configs in found.items()]


def path_of(records: Path) -> Path:
    return records.with_name(records.name.partition(".")[0] + ".lengths.json")


def read(records: Path) -> Lengths | None:
    """Return the lengths beside the kept records of a run; None where there are none."""
    path = path_of(records)
    return Lengths(**json.loads(read_text(path))) if path.is_file() else None


def write(records: Path, lengths: Lengths) -> None:
    """A line for each configuration."""
    content = asdict(lengths)
    for name in ("lengths", "moved"):
        lines = ",\n".join(f"  {json.dumps(config)}: {json.dumps(paths)}"
                           for config, paths in content[name].items())
        content[name] = f"{{\n{lines}\n }}" if lines else "{}"
    text = ",\n".join(f' "{name}": ' + (value if name in ("lengths", "moved") else
                                        json.dumps(value)) for name, value in content.items())
    write_whole(path_of(records), f"{{\n{text}\n}}\n")


def is_dirty(build: str) -> bool:
    return build.endswith(DIRTY)


def refuse_dirty(build: str) -> None:
    if is_dirty(build):
        raise click.ClickException(f"build {build} has changes that no commit has, so that no run"
                                   " of it is kept: commit them, and build the image again")


def sibling(tree: Tree, board: str) -> str:
    """The board of QEMU that counts the instructions of a board that gem5 plays."""
    def kind(name: str) -> tuple[str, str]:
        return tree.board_fact(name, "ISA"), tree.board_fact(name, "GIC")

    found = [name for name in tree.reference_boards()
             if not tree.is_gem5(name) and kind(name) == kind(board)]
    if not found:
        raise click.ClickException(f"no board of QEMU has the isa and the GIC of {board}, so that"
                                   " nothing counts the instructions of a reference run")
    return found[0]


def countable(plan: Plan) -> Plan:
    """The plan without the events that QEMU's PMU does not count."""
    return replace(plan, configs={name: config | {"events": 0}
                                  for name, config in plan.configs.items()})


def lengths_in(record: Data) -> dict[str, int]:
    """The paths that a record has the length of. The least sample holds no turn of another core."""
    path = f"{record['bench']} {record['variant']}"
    if record["kind"] == "bench":
        return {path: record["min"]}
    if (record["bench"], record["variant"]) == START and STARTS[0] in record:
        return {f"{path} {name}": record[name] for name in STARTS}
    return {}


def figures_of(log: Log) -> Figures:
    """The length of each path; without those of which QEMU models nothing."""
    found: Figures = {}
    for record in log.of_kind("bench", "check"):
        if "walk_refs" not in record and record["bench"] not in UNMODELLED_BENCHES:
            paths = found.setdefault(record["config"], {})
            for path, length in lengths_in(record).items():
                paths[path] = min(length, paths.get(path, length))
    return found


def judged_by(path: str) -> str:
    """A phase of an interrupt has a few instructions, and the phase before it may take one over."""
    if not path.startswith(PART):
        return path
    source = path.removeprefix(PART).partition("-")[0]
    return f"{PART}{source}{WHOLE}"


def moved(before: Figures, now: Figures) -> Figures:
    """The rows whose path has another length now, by more than MOST."""
    found: Figures = {}
    for config, paths in before.items():
        others = now.get(config, {})
        for path in paths:
            whole = judged_by(path) if judged_by(path) in paths else path
            old, new = paths[whole], others.get(whole)
            if new is None or abs(new - old) > MOST * old:
                found.setdefault(config, {})[path] = others.get(path, 0)
    return found


def without_moved(log: Log, lengths: Lengths) -> Log:
    """The log without the results whose path has another length now."""
    def stays(record: Record) -> bool:
        return (record.kind not in ("bench", "check") or record.faults != ()
                or not any(lengths.is_moved(record.data["config"], path)
                           for path in lengths_in(record.data)))

    return replace(log, records=[record for record in log.records if stays(record)])
