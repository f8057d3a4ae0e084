# SPDX-License-Identifier: Apache-2.0
"""The unit programs with random steps run longer and with a fresh seed. STEPS is the number of
steps of a program (500 000), SEED the first seed (by default the time)."""

import os
import time

import pytest

from hypbench.tree import HOME
from unit.conftest import build, run_program
from once import once

STEPS = os.environ.get("STEPS", "500000")
PROGRAMS = sorted(path.stem for path in (HOME / "tests" / "unit").glob("test_*.c")
                  if "random" in path.stem or path.stem == "test_virtio_net")


@pytest.mark.nightly
@pytest.mark.parametrize("program", [
    pytest.param(name, marks=pytest.mark.group(f"oracle {name}")) for name in PROGRAMS])
def test_random_steps_with_a_fresh_seed_find_nothing(program):
    assert once("unit programs", lambda: build(PROGRAMS)) == ""
    seed = os.environ.get("SEED", str(int(time.time())))
    run_program(program, SEED=seed, STEPS=STEPS)
