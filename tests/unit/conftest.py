# SPDX-License-Identifier: Apache-2.0
"""Each C program of this folder is a test: test_<subject>.c, which unit.mk builds."""

import os
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hypbench.tree import HOME
from once import once

BUILD = os.environ.get("HYPBENCH_BUILD", "build")
FOLDER = Path(BUILD) / "unit"  # from the top of the tree
LIMIT_S = 1200  # a program that takes longer hangs
LONG = ("test_vgicd_widths_gicv3",)  # not in make qemu-test, which has that of GICv2
# Of the virtual GIC's oracle: a third of what finds each planted fault, which the parts run.
FEWER = {"STEPS": "70000"}


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".c" and file_path.name.startswith("test_"):
        return Source.from_parent(parent, path=file_path)
    return None


class Source(pytest.File):
    def collect(self):
        program = Program.from_parent(self, name=self.path.stem)
        if program.name in LONG:
            program.add_marker("long")
        yield program


class Failed(Exception):
    """A program's test functions that failed, with their messages, and what it printed."""


class Program(pytest.Item):
    def runtest(self):
        failed = once("unit programs", lambda: build(programs_of(self.session)))
        if failed and make("-q", self.name).returncode:
            raise Failed(failed)
        run_program(self.name, **(FEWER if "vgic_random" in self.name else {}))

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name


def run_program(name: str, **more: str) -> None:
    """Run a program that is built; raise Failed unless every test function passes. `more` is added
    to its environment."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        xml = Path(folder) / "results.xml"
        done = subprocess.run(
            [HOME / FOLDER / name], cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=LIMIT_S, check=False,
            env=os.environ | {"CMOCKA_MESSAGE_OUTPUT": "XML", "CMOCKA_XML_FILE": str(xml)} | more)
        if not xml.is_file():
            raise Failed(f"{name} reports no test: status {done.returncode}\n{done.stdout}")
        failures = failures_in(xml)
    if done.returncode or failures:
        settings = [f"{word}={value}" for word, value in more.items()]
        raise Failed("\n".join([*settings, *failures, done.stdout, f"status {done.returncode}"]))


def programs_of(session) -> list[str]:
    return [item.name for item in session.items if isinstance(item, Program)]


def build(names: list[str]) -> str:
    """Build all at once, as far as one is older than its sources. Return what make prints if a
    program cannot be built; the others are built then, too."""
    cores = len(os.sched_getaffinity(0))
    done = make("-k", f"-j{cores}", *names)
    return done.stdout if done.returncode else ""


def make(*words: str) -> subprocess.CompletedProcess[str]:
    """Run make for programs of this folder; words that begin with a dash are options."""
    targets = [word if word.startswith("-") else f"{FOLDER}/{word}" for word in words]
    return subprocess.run(
        ["tools/locked.sh", FOLDER, "make", "--no-print-directory", f"O={BUILD}", *targets],
        cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def documents(xml: Path) -> list[ElementTree.Element]:
    """cmocka writes one document after the other, one for each group of tests."""
    parts = xml.read_text(errors="replace").split("<?xml ")
    return [ElementTree.fromstring(f"<?xml {part}") for part in parts if part.strip()]


def failures_in(xml: Path) -> list[str]:
    return [f"{case.get('name')}: {case.findtext('failure').strip()}"
            for document in documents(xml) for case in document.iter("testcase")
            if case.find("failure") is not None]
