# SPDX-License-Identifier: Apache-2.0
"""Run pytest in a copy of the tree, in a process forked from a process that has imported pytest and
the packages of the tools. These are the same in every copy, and importing them takes most of a
short test's time. This module imports no module of the tree, because the copy has its own
modules."""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGES = ("arro3.io", "capstone", "click", "debian.deb822", "elftools.elf.elffile", "jinja2",
            "jsonschema_rs", "numpy", "perfetto.protos.perfetto.trace.perfetto_trace_pb2", "pytest",
            "rich.console", "rich.progress", "rich.table", "scipy.optimize", "scipy.sparse",
            "serial")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(list(PACKAGES))


def run(root: Path, copy: Path, words: Sequence[str], environment: dict[str, str],
        limit_s: float) -> str:
    """Return the output of pytest in the copy of the tree `root`, or the message that pytest
    hangs."""
    log = copy / "pytest.log"
    process = PROCESSES.Process(target=work, args=(root, copy, words, environment, log))
    process.start()
    process.join(limit_s)
    if process.is_alive():
        process.kill()
        process.join()
        return "pytest hangs"
    return log.read_text(errors="replace")


def work(root: Path, copy: Path, words: Sequence[str], environment: dict[str, str],
         log: Path) -> None:
    """Turn this process into a process of the copy: with the copy's folder, environment,
    interpreter and modules."""
    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(copy)
    os.environ.clear()
    os.environ.update(environment)
    sys.executable = str(copy / "build" / "venv" / "bin" / "python")
    sys.pycache_prefix = None
    sys.path[:] = [path for path in sys.path if not is_inside(path, root)]
    import pytest  # noqa: PLC0415: it is there already, and only in this process

    pytest.main(list(words))


def is_inside(path: str, root: Path) -> bool:
    """Return whether a path leads to modules of the tree `root`. Packages are in its build folder
    and do not count."""
    return any(Path(path).is_relative_to(root / folder) for folder in ("tests", "tools"))
