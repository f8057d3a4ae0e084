# SPDX-License-Identifier: Apache-2.0
"""Run boards under gem5: find gem5, describe the machine, start a run.

GEM5 in the environment names the program, GEM5_MACHINE changes settings of the machine by words
like core=in-order. tools/gem5/board.py builds the machine inside gem5.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench import abi
from hypbench.qemu import Qemu, ends_with_us
from hypbench.records import Data
from hypbench.tree import HOME, Tree, UnknownName, name_list

PLATFORM = "gem5"
SCRIPTS = HOME / "tools" / "gem5"
NAMES = ("gem5", "gem5.fast", "gem5.opt")  # on the PATH
OLDEST = (24, 0)
ANSWER = re.compile(rb'\{"gem5": "(?P<version>[\w.-]+)", "arm": (?P<arm>true|false)\}')
PROBE_S = 120.0
LIMIT_S = 14400.0
SHOWN = 5  # number of gem5's last lines that are shown
CHOICES = {"core": ("out-of-order", "in-order"), "walk_cache": ("on", "off"),
           "start": ("atomic", "timing"), "prefetcher": ("none", "instructions")}
CLOCK_MHZ = {"out-of-order": 1700, "in-order": 1500}
MOST = 1 << 20
MOST_CORES = abi.constant("PLAN_CORE_MAX")
# TLBs and caches have the sizes of the cores' reference manuals, the L2 cache that of Exynos 5250
# and BCM2711. gem5's second-level TLB and stage-2 TLB can only be fully associative. MIDR has the
# core's part number and the implementer that is reserved for software, so no erratum applies.
# gem5's ARMv7 walks put entries of a walk cache into the TLB and never use them.
CORES: dict[str, Data] = {
    "cortex-a15": {"itlb": 32, "dtlb": 32, "l2_tlb": 512, "stage2_tlb": 512, "l1i_kib": 32,
                   "l1i_ways": 2, "l1d_kib": 32, "l1d_ways": 2, "l2_kib": 1024,
                   "midr": 0x000fc0f0, "walk_cache": "off"},
    "cortex-a72": {"itlb": 48, "dtlb": 32, "l2_tlb": 1024, "stage2_tlb": 1024, "l1i_kib": 48,
                   "l1i_ways": 3, "l1d_kib": 32, "l1d_ways": 2, "l2_kib": 1024,
                   "midr": 0x000fd080, "walk_cache": "on"},
}


def settings_of(tree: Tree, board: str, words: str, cores: int = 1) -> Data:
    """Return the machine of a board for a plan with `cores` cores, including the user's changes."""
    settings: Data = {"core": CHOICES["core"][0], "clock_mhz": 0, "cores": cores,
                **CORES[tree.board_fact(board, "CPU")], "memory": "DDR3_1600_8x8", "ram": "2GiB",
                "start": "atomic", "prefetcher": CHOICES["prefetcher"][0]}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals or name not in settings or name in ("midr", "ram"):
            valid = [name for name in settings if name not in ("midr", "ram")]
            raise UnknownName(f"GEM5_MACHINE: unknown setting '{word}'; valid: {name_list(valid)}")
        settings[name] = checked(name, value, settings[name])
    if tree.board_fact(board, "ISA") == "armv7" and settings["walk_cache"] == "on":
        raise UnknownName("GEM5_MACHINE: gem5 has no walk cache for ARMv7: walk_cache=off")
    if not cores <= settings["cores"] <= MOST_CORES:
        raise UnknownName(f"GEM5_MACHINE: wrong number 'cores={settings['cores']}'; valid for this"
                          f" scenario: {cores} to {MOST_CORES}")
    settings["clock_mhz"] = settings["clock_mhz"] or CLOCK_MHZ[settings["core"]]
    return settings


def checked(name: str, value: str, default: str | int) -> str | int:
    if name in CHOICES and value not in CHOICES[name]:
        raise UnknownName(f"GEM5_MACHINE: unknown value '{name}={value}'; valid:"
                          f" {name_list(list(CHOICES[name]))}")
    if isinstance(default, str):
        if not re.fullmatch(r"[\w-]+", value):
            raise UnknownName(f"GEM5_MACHINE: no word: '{name}={value}'")
        return value
    if not value.isdecimal() or not 0 < int(value) <= MOST:
        raise UnknownName(f"GEM5_MACHINE: wrong number '{name}={value}'; valid: 1 to {MOST}")
    return int(value)


@dataclass(frozen=True)
class Machine:
    program: str
    version: str
    isa: str
    gic: str
    settings: Data

    @property
    def text(self) -> str:
        """Return the machine as a text from which the run can be repeated."""
        words = [f"{name}={value:#x}" if name == "midr" else f"{name}={value}"
                 for name, value in self.settings.items()]
        return " ".join(["gem5", self.version, f"gic={self.gic}", *words])

    def command(self, image: Path, out: Path) -> list[str]:
        arguments = {**self.settings, "isa": self.isa, "gic": self.gic,
                     "image": str(image.resolve())}
        return [self.program, "--quiet", "--listener-mode=off", f"--outdir={out / 'gem5'}",
                str(SCRIPTS / "board.py"), json.dumps(arguments)]


def machine_of(tree: Tree, board: str, cores: int = 1) -> Machine:
    settings = settings_of(tree, board, os.environ.get("GEM5_MACHINE", ""), cores)
    program = find_program(board)
    return Machine(program, version_of(program), tree.board_fact(board, "ISA"),
                   "gicv3" if tree.board_fact(board, "GIC") == "gicv3" else "gicv2", settings)


def find_program(board: str) -> str:
    setting = os.environ.get("GEM5", "")
    program = next(filter(None, map(shutil.which, [setting] if setting else NAMES)), None)
    if not program:
        reason = (f"GEM5={setting} is no program" if setting
                  else "GEM5 names none, and none is on PATH")
        raise click.ClickException(f"{board} needs gem5: {reason}; docs/howto/gem5.md builds"
                                   " one")
    return program


def version_of(program: str) -> str:
    """Return the version of a gem5 that can play the boards. Refuse a program that cannot."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        words = [program, "--quiet", "--listener-mode=off", f"--outdir={folder}",
                 str(SCRIPTS / "probe.py")]
        try:
            output = subprocess.run(ends_with_us(words), stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=PROBE_S, check=False).stdout
        except (subprocess.TimeoutExpired, OSError):
            output = b""
    answer = ANSWER.search(output)
    if not answer:
        raise click.ClickException(f"GEM5={program} is no gem5: it does not run a gem5 script")
    version = answer["version"].decode()
    if answer["arm"] != b"true":
        raise click.ClickException(f"GEM5={program} is built without the Arm ISA (USE_ARM_ISA=y)")
    if tuple(map(int, re.findall(r"\d+", version))) < OLDEST:
        raise click.ClickException(f"GEM5={program} is gem5 {version}; the boards need"
                                   f" {OLDEST[0]}.{OLDEST[1]} or newer")
    return version


class Gem5(Qemu):
    """One run under gem5, with the interface of a QEMU run. No watch is needed, because time passes
    in gem5 even if a guest executes no instruction."""

    name = "gem5"
    watched = False

    @property
    def last_words(self) -> str:
        """Return gem5's last warnings."""
        return "\n".join(self.stderr.splitlines()[-SHOWN:])
