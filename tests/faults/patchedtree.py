# SPDX-License-Identifier: Apache-2.0
"""Make a copy of the tree with a fault in it, and run the tests that must see the fault. The copy
has the tree's objects with their times, so that make rebuilds only what the patches touch."""

import compileall
import fcntl
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from xml.etree.ElementTree import Element

import otherpytest
import outcomes
import planted
from faultlist import Fault, Test, patched
from hypbench.tree import Tree
from once import FOLDER, once
from unit.conftest import documents

TREE = Tree()
LIMIT_S = 900  # a build that takes longer hangs
PROGRAM_LIMIT_S = 300  # limit of a unit program; the longest takes 10 s
OBJECTS = (".o", ".d", ".a", ".inc")
SEEN = "seen"
HUNG = 124


@cache
def endings(fault: Fault) -> dict[Test, str]:
    """Return SEEN for each test that failed by an assertion, and for each other test how it
    ended."""
    results = {}
    for folder, run in (("unit", run_units), ("host", run_host), ("qemu", run_images)):
        tests = [test for test in fault.seen_by if test.folder == folder]
        if tests:
            with tree_with(fault, folder) as copy:
                results.update(run(copy, fault, tests))
    return results


@contextmanager
def tree_with(fault: Fault, folder: str) -> Iterator[Path]:
    template = Path(once("the tree of planted faults", make_template))
    with tempfile.TemporaryDirectory(prefix="hypbench-") as place:
        copy = Path(place) / "tree"
        link_files(template, copy)
        if folder == "unit":
            copy_objects("unit", copy)
        else:
            copy_environment(copy)
        if folder == "qemu":
            for built in planted.built(TREE, fault.board):
                copy_objects(built.name, copy)
        for path, text in patched(fault, copy).items():
            write_anew(copy / path, text)
        yield copy


def write_anew(path: Path, text: str) -> None:
    """Write a new file with the same mode. The old file stays unchanged in the template, which
    shares that file by a hard link."""
    mode = path.stat().st_mode if path.exists() else 0o644
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(mode)


def make_template() -> str:
    """Copy the files of the tree, with their times, once a session. Copies must not share the
    tree's files, because a test in a copy could change them."""
    template = Path(tempfile.mkdtemp(prefix="tree-", dir=os.environ.get(FOLDER)))
    for path in TREE.files():
        (template / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TREE.root / path, template / path)
    copy_index(template)
    for folder in ("tools", "tests"):  # Python compiles the patched files anew
        compileall.compile_dir(template / folder, quiet=1)
    return str(template)


def link_files(template: Path, copy: Path) -> None:
    """Make the files of the copy as hard links, which takes a tenth of the time of real copies."""
    subprocess.run(["cp", "--archive", "--link", template, copy], check=True)


def copy_index(copy: Path) -> None:
    """Copy git's index, because some tests ask git for the files of the tree."""
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
    index = subprocess.run(["git", "rev-parse", "--git-path", "index"], cwd=TREE.root, check=True,
                           text=True, capture_output=True).stdout.strip()
    shutil.copy(TREE.root / index, copy / ".git" / "index")


def copy_environment(copy: Path) -> None:
    """Make the Python environment of a copy: the packages of the real environment, and the tools of
    the copy."""
    real, venv = (root / "venv" for root in (TREE.builds, copy / "build"))
    packages = next(real.glob("lib/python3*/site-packages"))
    (venv / packages.relative_to(real)).mkdir(parents=True)
    (venv / packages.relative_to(real) / "copy.pth").write_text(f"{copy}/tools\n{packages}\n")
    shutil.copy(real / "pyvenv.cfg", venv)
    (venv / "bin").symlink_to(real / "bin")
    (venv / "hypbench.stamp").write_text(stamp(copy))
    cache = TREE.builds / "cache"
    cache.mkdir(exist_ok=True)
    (copy / "build" / "cache").symlink_to(cache)


def stamp(copy: Path) -> str:
    """Return the stamp that tools/setup.sh looks for in an environment. Without this stamp the
    script installs the packages."""
    version = subprocess.run(["python3", "--version"], check=True, capture_output=True).stdout
    requirements = (copy / "tools" / "requirements.txt").read_bytes()
    return sha256(requirements + f"{copy}\n".encode() + version).hexdigest() + "\n"


def copy_objects(folder: str, copy: Path) -> None:
    """Copy a folder of objects. A lock keeps make out of the folder meanwhile."""
    real = TREE.builds / folder
    real.mkdir(parents=True, exist_ok=True)
    with (real / "make.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        shutil.copytree(real, copy / "build" / folder,
                        ignore=other_files if folder == "unit" else
                        shutil.ignore_patterns("tests", "*.jsonl"))


def other_files(folder: str, names: list[str]) -> list[str]:
    return [name for name in names
            if not name.endswith(OBJECTS) and not (Path(folder) / name).is_dir()]


def environment() -> dict[str, str]:
    """Return the caller's environment without the variables that pytest, make and the tools set for
    their children."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("PYTEST", "HYPBENCH", "MAKE", "PYTHON"))}


def call(copy: Path, *words: str | Path, limit_s: float = LIMIT_S,
         **variables: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, cwd=copy, env=environment() | variables, check=False,
                              text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, HUNG, f"{words[0]} hangs")


def run_units(copy: Path, fault: Fault, tests: list[Test]) -> dict[Test, str]:
    build = call(copy, "make", *sorted({program_of(test) for test in tests}))
    if build.returncode:
        return dict.fromkeys(tests, f"the build failed: {build.stdout}")
    return {test: run_unit(copy, copy / program_of(test), test) for test in tests}


def program_of(test: Test) -> str:
    return f"build/unit/{Path(test.path).stem}"


def run_unit(tree: Path, program: Path, test: Test, **variables: str) -> str:
    """Return how a unit test ended. The other tests of its program do not run."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as place:
        xml = Path(place) / "results.xml"
        process = call(tree, program, test.function, limit_s=PROGRAM_LIMIT_S,
                       CMOCKA_MESSAGE_OUTPUT="XML", CMOCKA_XML_FILE=str(xml),
                       UBSAN_OPTIONS="print_stacktrace=1", **variables)
        return unit_ending(xml, process.stdout, test.function)


def alone(path: str, tests: set[Test]) -> dict[Test, str]:
    """Return how the tests of one unit program end in the tree without a fault."""
    program = TREE.builds / "unit" / Path(path).stem
    return {test: run_unit(TREE.root, program, test, STEPS="5000") for test in tests}


def unit_ending(xml: Path, log: str, function: str) -> str:
    """Return how a unit test ended. If a sanitizer ends a program before it writes results, the
    sanitizer's report names the function."""
    if not xml.is_file():
        reported = "Sanitizer" in log or "runtime error" in log
        return (SEEN if reported and re.search(rf"\bin {function}\b", log) else
                f"the program ended without results: {log}")
    for document in documents(xml):
        for case in document.iter("testcase"):
            if case.get("name") == function:
                return failure_of(case)
    return "the program has no such test"


def failure_of(case: Element) -> str:
    """Return the kind of a failure. cmocka also reports a crash as a failure."""
    failure = case.find("failure")
    if failure is None:
        return outcomes.PASSED
    text = "".join(failure.itertext()).strip()
    return f"the test crashed: {text}" if "failed with exception" in text else SEEN


def run_host(copy: Path, fault: Fault, tests: list[Test]) -> dict[Test, str]:
    return run_pytest(copy, tests)


def run_images(copy: Path, fault: Fault, tests: list[Test]) -> dict[Test, str]:
    try:
        if not is_makefile_fault(fault):
            make_image(copy, fault)
    except RuntimeError as error:
        return dict.fromkeys(tests, f"the build failed: {error}")
    return run_pytest(copy, tests, HYPBENCH_BOARDS=fault.board)


def is_makefile_fault(fault: Fault) -> bool:
    """Return whether a fault is only in the Makefile. The tests of such a fault build the images
    that they need."""
    return all(patch.path == "Makefile" for patch in fault.patches)


def make_image(copy: Path, fault: Fault) -> None:
    if not (planted.is_in_guest(fault.patches)
            and planted.replace_guest(TREE, fault.board, copy)):
        planted.make(copy, fault.board, "qemu-image")


def run_pytest(copy: Path, tests: list[Test], **variables: str) -> dict[Test, str]:
    file = copy / "outcomes.json"
    log = otherpytest.run(TREE.root, copy,
                          ["-q", "--assert=plain", "-p", "outcomes", f"--outcomes={file}",
                           *map(str, tests)],
                          environment() | variables, LIMIT_S)
    ends = json.loads(file.read_text()) if file.is_file() else {}
    return {test: pytest_ending({name: end for name, end in ends.items() if is_run_of(name, test)},
                                log) for test in tests}


def is_run_of(name: str, test: Test) -> bool:
    return name == str(test) or "[" not in str(test) and name.startswith(f"{test}[")


def pytest_ending(ends: dict[str, str], log: str) -> str:
    if outcomes.ASSERTION in ends.values():
        return SEEN
    return "; ".join(f"{name}: {end}" for name, end in ends.items()) or f"no test ran: {log}"
