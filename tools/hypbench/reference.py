# SPDX-License-Identifier: Apache-2.0
"""Reference runs: records of boards that gem5 plays, kept in the tree for users without gem5.

reference/<board>/<plan>.jsonl.xz has the records. <plan>.sources beside it has a digest of the plan
and of each source of its benchmarks, so that a test notices a change. <plan>.lengths.json
(path_lengths.py) has the instructions of each path, which also depend on hypervisor and drivers.
"""

import hashlib
import re
from pathlib import Path

import click

from hypbench import gem5, path_lengths
from hypbench.frame import OPTIONAL_PLANS, REFERENCE_PLANS, lost_steps
from hypbench.path_lengths import Lengths
from hypbench.plan_language import text_of
from hypbench.plan_model import words_of_configs
from hypbench.reading import read_file
from hypbench.records import Log
from hypbench.session import problems_of, run_board
from hypbench.template import filled_in
from hypbench.tree import Tree, name_list, packed, read_text, write_whole

# The files that take the samples of every benchmark: guest/<name>.c and .h.
MEASURING = ("kernel/el0", "kernel/irq", "kernel/task", "kernel/timing", "measure/calibrate",
             "measure/chase", "measure/events", "measure/sample", "measure/state",
             "measure/wakeup", "measure/working")
PATTERNS = ("pointer_chain", "random")  # lib/<name>.c and .h: the patterns that a chase follows
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*$", re.MULTILINE)
# plans that need linked list registers
LINKED = ("timed", "neighbours", "colouring", "paper-s4-timed", "switches")
UNLINKED = ("timed-sw",)
PROGRAM = "prog_"  # begin of a program's name; its file is guest/programs/<rest>.c
SAMPLES_NOTHING = "secondary"  # file of the vCPUs beside vCPU 0, which take no samples


def plans_of(tree: Tree, board: str) -> list[str]:
    """Return the plans of a reference run, the longest first. Where list registers cannot be
    linked, timed-sw replaces timed, and plans of several cores are left out. An optional plan
    is included once the tree has its run."""
    return [plan for plan in possible_plans(tree, board)
            if plan in REFERENCE_PLANS or tree.reference(board, plan).is_file()]


def possible_plans(tree: Tree, board: str) -> list[str]:
    """Return the plans whose run on the board can be kept."""
    combined = tree.board_fact(board, "GIC_ENDS") == "combined"
    return [plan for plan in (*REFERENCE_PLANS, *OPTIONAL_PLANS) if plan in tree.scenarios()
            and plan not in (LINKED if combined else UNLINKED)]


def sources_of(tree: Tree, board: str, plan: str) -> list[Path]:
    """Return the files that decide which samples a plan takes, and how, as paths from the root."""
    parsed = tree.plan(plan)
    guest = tree.root / "guest"
    benches = list(dict.fromkeys(name for name, _ in parsed.benches))
    loads = {axes["beside"] for axes in words_of_configs(parsed).values()} - {"none"}
    paths = [*(guest / "bench" / f"{bench}.c" for bench in benches),
             *(path for bench in benches if bench.startswith(PROGRAM)
               for pattern in (f"programs/{bench.removeprefix(PROGRAM)}.c", "programs/*.h",
                               "measure/program.?", "kernel/libc.?")
               for path in guest.glob(pattern)),
             *(path for load in sorted(loads) for path in guest.glob("loads/*.c")
               if f'"{load}"' in read_text(path)),
             *(guest / f"{name}{suffix}" for name in MEASURING for suffix in (".c", ".h")),
             *(tree.root / "lib" / f"{name}{suffix}" for name in PATTERNS
               for suffix in (".c", ".h")),
             *(path for folder in ("common", tree.board_fact(board, "ISA"))
               for path in (guest / "arch" / folder).rglob("*.*"))]
    return sorted({path.relative_to(tree.root) for path in paths
                   if path.is_file() and path.stem != SAMPLES_NOTHING})


def digest(tree: Tree, path: Path) -> str:
    """Return the digest of the file's own code. Comments, blanks and include lines take no samples,
    and every header that matters has a digest of its own."""
    code = INCLUDE.sub(" ", COMMENT.sub(" ", read_text(tree.root / path)))
    return sha256(" ".join(code.split()))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def digests(tree: Tree, board: str, plan: str) -> dict[str, str]:
    """Return the digests of the scenario's meaning and of each source file."""
    return {f"scenario:{plan}": sha256(text_of(tree.plan(plan)))} | {
        path.as_posix(): digest(tree, path) for path in sources_of(tree, board, plan)}


def digests_path(records: Path) -> Path:
    return records.with_name(records.name.partition(".")[0] + ".sources")


def keep(tree: Tree, path: Path) -> Path:
    """Put the records of a good run under gem5 into the tree."""
    log = read_file(path).log
    board, plan = board_and_plan_of(tree, log, path)
    problems = problems_of(log, gem5.PLATFORM) + lost_steps(log, tree.plan(plan))
    if problems:
        raise click.ClickException(f"{path}: {problems[0]} ({len(problems)} problems)")
    path_lengths.refuse_dirty(log.run["build"])
    lengths = count_paths(tree, board, plan, log.run["build"])
    records = tree.reference(board, plan)
    records.parent.mkdir(parents=True, exist_ok=True)
    write_whole(records, packed(b"".join(record.raw + b"\n" for record in log.records)))
    write_whole(digests_path(records), "".join(
        f"{value}  {name}\n" for name, value in digests(tree, board, plan).items()))
    path_lengths.write(records, lengths)
    write_whole(tree.root / "reference" / "README.md", readme(tree))
    return records


def count_paths(tree: Tree, board: str, plan: str, build: str) -> Lengths:
    """Count the instructions of the plan's paths, by a run of the same build under QEMU's
    -icount."""
    sibling = path_lengths.sibling(tree, board)
    out = tree.build(sibling) / "reference"
    outcome = run_board(tree, sibling, path_lengths.countable(tree.plan(plan)), "icount", None, out,
                        quiet=True)
    if outcome.status:
        raise click.ClickException(f"{sibling} {plan}:"
                                   f" {(outcome.problems or ['the run failed'])[0]}")
    run = outcome.log.run
    if run["build"] != build:
        raise click.ClickException(f"the image of {sibling}, which counts instructions, is of build"
                                   f" {run['build']}, the run of {build}: build it again")
    return Lengths(f"make bench BOARD={sibling} SCENARIO={plan}, of build {build}", run["compiler"],
                   path_lengths.figures_of(outcome.log))


def board_and_plan_of(tree: Tree, log: Log, path: Path) -> tuple[str, str]:
    """Return the board and the plan of a log that can be a reference run."""
    board, plan = (log.run["board"], log.run["plan"]) if log.run else ("", "")
    if board not in tree.boards() or not tree.is_gem5(board):
        raise click.ClickException(f"{path} has no records of a board that gem5 plays")
    if plan not in possible_plans(tree, board):
        raise click.ClickException(f"{path} has plan '{plan}'; a reference run of {board} has:"
                                   f" {name_list(possible_plans(tree, board))}")
    return board, plan


def readme(tree: Tree) -> str:
    """Return the text of reference/README.md, which is made from the run records."""
    logs = {path.relative_to(tree.root / "reference").as_posix(): read_file(path).log
            for path in tree.references()}
    machines: dict[str, list[str]] = {}
    for name, log in logs.items():
        machines.setdefault(log.run.get("machine", ""), []).append(name)
    return filled_in("reference.md.j2", logs=logs, machines=machines)
