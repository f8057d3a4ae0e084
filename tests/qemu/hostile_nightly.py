# SPDX-License-Identifier: Apache-2.0
"""Hostile vCPUs, longer: hostile_nightly.py BOARD STEPS SEED makes at least so many random steps on
a board, with other sequences for each seed, and a quiet step after each step of the plan; then a
fail over for every hundred steps, at least, in random order beside a hostile guest."""

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

from lab import perform
from test_hostile_vcpus import (CONFIGS, FAIL_OVERS, HOSTILE, LARGE, beside_hostile,
                                check_fail_overs, hostile, steps_of, well)

LIVES = 40  # of a step


def run(board: str, cpus: int, seed: int) -> int:
    """Its steps, or 0 where something went wrong."""
    result = perform(hostile(board, cpus, seed=seed, lives=LIVES))
    why = well(result, LIVES, len(HOSTILE[cpus]))
    said = why or f"{steps_of(result)} steps, {len(HOSTILE[cpus])} quiet steps alike"
    print(f"{board}: {cpus} vCPUs, seed {seed}: {said}", flush=True)
    return 0 if why else steps_of(result)


def fail_over(board: str, config: str, seed: int) -> int:
    """Its fail overs, or 0 where something went wrong."""
    try:
        check_fail_overs(perform(beside_hostile(board, config, LARGE, seed)), LARGE)
    except AssertionError as error:
        print(f"{board}: fail overs, {config}, seed {seed}: {error}", flush=True)
        return 0
    print(f"{board}: {LARGE * FAIL_OVERS} fail overs, {config}, seed {seed}", flush=True)
    return LARGE * FAIL_OVERS


def repeat(make: Callable[[str, Any, int], int], kinds: Iterable[Any], wanted: int,
           what: str) -> bool:
    """Of each kind with one seed after the other; whether all went well."""
    board, seed = sys.argv[1], int(sys.argv[3])
    done, failed = 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in count(seed, os.cpu_count()):
            runs = [pool.submit(make, board, kind, one)
                    for one in range(first, first + os.cpu_count()) for kind in kinds]
            made = [one.result() for one in runs]
            done, failed = done + sum(made), failed + made.count(0)
            if done >= wanted or failed:
                break
    print(f"{board}: {done} {what} in all, from seed {seed}; {failed} runs went wrong")
    return not failed


def main() -> int:
    steps = int(sys.argv[2])
    return 0 if (repeat(run, HOSTILE, steps, "steps")
                 and repeat(fail_over, CONFIGS, steps // 100, "fail overs")) else 1


if __name__ == "__main__":
    sys.exit(main())
