# SPDX-License-Identifier: Apache-2.0
"""The path lengths of a reference run. A kept time is valid only while its path has this length.

reference/<board>/<plan>.lengths.json has the instructions of each row of the run. They were counted
under QEMU's -icount, from the commit of the run, on the board of QEMU that has the same isa and
GIC. The file also has the rows whose length has changed since, with today's length. A test compares
these with a run of today's image, and neither the page nor a document shows the times of those
rows.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import click

from hypbench.plan_model import Plan
from hypbench.records import Data, Log, Record
from hypbench.rows import UNMODELLED_BENCHES
from hypbench.tree import Tree, read_text, write_whole

MOST = 0.02  # share of a length; a path that changes by more counts as another path
PART, WHOLE = "irq_phases ", "-total"  # the length of the whole path decides about a phase
# A `check` record has these lengths.
START, STARTS = ("stage2_boot", "start"), ("start_ticks", "build_ticks")
DIRTY = "-dirty"  # end of the name of a build with uncommitted changes

Figures = dict[str, dict[str, int]]  # by configuration, then by "benchmark variant": instructions


@dataclass(frozen=True)
class Lengths:
    made: str  # command and commit of the count
    compiler: str
    lengths: Figures
    # The rows whose length has changed, with today's length.
    moved: Figures = field(default_factory=dict)

    def is_moved(self, config: str, path: str) -> bool:
        return path in self.moved.get(config, {})

    @property
    def notes(self) -> list[str]:
        """Return a line for each changed path, with its configurations."""
        changes: dict[tuple[str, int, int], list[str]] = {}
        for config, paths in self.moved.items():
            for path, now in paths.items():
                changes.setdefault((path, self.lengths[config][path], now), []).append(config)
        return [f"{path} ({', '.join(configs)}): path changed since, {before} instructions then,"
                f" {now} now; its times are not shown"
                for (path, before, now), configs in changes.items()]


def path_of(records: Path) -> Path:
    return records.with_name(records.name.partition(".")[0] + ".lengths.json")


def read(records: Path) -> Lengths | None:
    """Return the lengths that are kept with the records of a run, or None."""
    path = path_of(records)
    return Lengths(**json.loads(read_text(path))) if path.is_file() else None


def write(records: Path, lengths: Lengths) -> None:
    """Write the lengths, one configuration a line."""
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
    """Return the board of QEMU that counts the instructions of a board that gem5 plays."""
    def kind(name: str) -> tuple[str, str]:
        return tree.board_fact(name, "ISA"), tree.board_fact(name, "GIC")

    boards = [name for name in tree.reference_boards()
              if not tree.is_gem5(name) and kind(name) == kind(board)]
    if not boards:
        raise click.ClickException(f"no board of QEMU has the isa and the GIC of {board}, so that"
                                   " nothing counts the instructions of a reference run")
    return boards[0]


def countable(plan: Plan) -> Plan:
    """Return the plan without the events that QEMU's PMU does not count."""
    return replace(plan, configs={name: config | {"events": 0}
                                  for name, config in plan.configs.items()})


def lengths_in(record: Data) -> dict[str, int]:
    """Return the lengths of the paths in a log. The smallest sample contains no turn of another
    core."""
    path = f"{record['bench']} {record['variant']}"
    if record["kind"] == "bench":
        return {path: record["min"]}
    if (record["bench"], record["variant"]) == START and STARTS[0] in record:
        return {f"{path} {name}": record[name] for name in STARTS}
    return {}


def figures_of(log: Log) -> Figures:
    """Return the length of each path that QEMU models."""
    figures: Figures = {}
    for record in log.of_kind("bench", "check"):
        if "walk_refs" not in record and record["bench"] not in UNMODELLED_BENCHES:
            paths = figures.setdefault(record["config"], {})
            for path, length in lengths_in(record).items():
                paths[path] = min(length, paths.get(path, length))
    return figures


def judged_by(path: str) -> str:
    """Return the path that decides about a row. A phase of an interrupt has a few instructions, and
    an instruction may move to the phase before."""
    if not path.startswith(PART):
        return path
    source = path.removeprefix(PART).partition("-")[0]
    return f"{PART}{source}{WHOLE}"


def moved(before: Figures, now: Figures) -> Figures:
    """Return the rows whose path length has changed by more than MOST."""
    figures: Figures = {}
    for config, paths in before.items():
        paths_now = now.get(config, {})
        for path in paths:
            judge = judged_by(path) if judged_by(path) in paths else path
            old, new = paths[judge], paths_now.get(judge)
            if new is None or abs(new - old) > MOST * old:
                figures.setdefault(config, {})[path] = paths_now.get(path, 0)
    return figures


def without_moved(log: Log, lengths: Lengths) -> Log:
    """Return the log without the results whose path length has changed."""
    def stays(record: Record) -> bool:
        return (record.kind not in ("bench", "check") or record.faults != ()
                or not any(lengths.is_moved(record.data["config"], path)
                           for path in lengths_in(record.data)))

    return replace(log, records=[record for record in log.records if stays(record)])
