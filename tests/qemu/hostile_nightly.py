# SPDX-License-Identifier: Apache-2.0
"""Hostile vCPUs, longer: hostile_nightly.py BOARD STEPS SEED makes at least so many random steps on
a board, with other sequences for each seed, and a quiet step after each step of the plan."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from lab import perform
from test_hostile_vcpus import HOSTILE, hostile, steps_of, well

LIVES = 40  # of a step


def run(board: str, cpus: int, seed: int) -> int:
    """Its steps, or 0 where something went wrong."""
    result = perform(hostile(board, cpus, seed=seed, lives=LIVES))
    why = well(result, LIVES, len(HOSTILE[cpus]))
    said = why or f"{steps_of(result)} steps, {len(HOSTILE[cpus])} quiet steps alike"
    print(f"{board}: {cpus} vCPUs, seed {seed}: {said}", flush=True)
    return 0 if why else steps_of(result)


def main() -> int:
    board, wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    done, failed = 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in count(seed, os.cpu_count()):
            runs = [pool.submit(run, board, cpus, one)
                    for one in range(first, first + os.cpu_count()) for cpus in HOSTILE]
            made = [one.result() for one in runs]
            done, failed = done + sum(made), failed + made.count(0)
            if done >= wanted or failed:
                break
    print(f"{board}: {done} steps in all, from seed {seed}; {failed} runs went wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
