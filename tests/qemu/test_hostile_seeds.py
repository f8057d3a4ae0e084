# SPDX-License-Identifier: Apache-2.0
"""Hostile vCPUs, and fail overs beside them, for longer and with fresh seeds. STEPS is the least
number of random steps of a board (300 000); each hundred steps have a fail over. SEED is the first
seed (by default the time)."""

import os
import time
from itertools import count

import pytest

from lab import perform
from old_qemu import divides_otherwise
from test_hostile_vcpus import (CONFIGS, FAIL_OVERS, HOSTILE, LARGE, beside_hostile,
                                check_fail_overs, hostile, steps_of, problems_of)

pytestmark = [pytest.mark.nightly, pytest.mark.every_board, divides_otherwise]

STEPS = int(os.environ.get("STEPS", "300000"))
LIVES = 40  # lives of the guest in a step


def seeds() -> count:
    return count(int(os.environ.get("SEED", str(int(time.time())))))


@pytest.mark.parametrize("cpus", HOSTILE)
def test_random_steps_stop_nobody(built, cpus):
    steps = 0
    for seed in seeds():
        result = perform(hostile(built, cpus, seed=seed, lives=LIVES))
        problems = problems_of(result, LIVES, len(HOSTILE[cpus]))
        assert problems == "", f"SEED={seed}: {problems}"
        steps += steps_of(result)
        if steps >= STEPS / len(HOSTILE):
            break


@pytest.mark.parametrize("config", CONFIGS)
def test_fail_overs_lose_nothing(built, config):
    fail_overs = 0
    for seed in seeds():
        try:
            check_fail_overs(perform(beside_hostile(built, config, LARGE, seed)), LARGE)
        except AssertionError as error:
            raise AssertionError(f"SEED={seed}: {error}") from error
        fail_overs += LARGE * FAIL_OVERS
        if fail_overs >= STEPS / 100 / len(CONFIGS):
            break
