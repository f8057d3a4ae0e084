# SPDX-License-Identifier: Apache-2.0
"""Two probes on one core (guest/probe/pair.c): each VM prints counts of one clock, CNTPCT. This
module finds the windows in which the core went from one VM to the other."""

from bisect import bisect_left
from itertools import pairwise

from hypbench.peers.probe import (PAIR_PATHS, Expected, Figure, NotMeasured, check_complete,
                                  members_of_lines, read)
from hypbench.records import Data

VMS = ("a", "b")
LEAST = 10  # a figure has more windows than this
# ticks of a gap: more than two reads of the busy loop with an FP instruction between them
APART = 8
Stamps = list[tuple[int, int]]  # the begin and the end of each gap


def pair_result(text: bytes, expected: Expected) -> tuple[dict[str, Figure], dict[str, str]]:
    """Return the figures by path, and for each path without a figure the reason."""
    vms = [read(text, name) for name in VMS]
    figures: dict[str, Figure] = {}
    absent: dict[str, str] = {}
    with members_of_lines():
        for lines in vms:
            check_complete(lines, expected)
        first, second = ([data for _, data in lines] for lines in vms)
        for path in PAIR_PATHS:
            if cause := reason(first, path) or reason(second, path):
                absent[path] = cause
                continue
            windows = windows_of(path, stamps(first, path), stamps(second, path))
            if len(windows) <= min(LEAST, expected.samples):
                absent[path] = f"the core went from one VM to the other only {len(windows)} times"
            else:
                figures[path] = figure(windows)
    return figures, absent


def reason(lines: list[Data], path: str) -> str:
    return next((data["why"] for data in lines
                 if data["kind"] == "skip" and data["path"] == path), "")


def stamps(lines: list[Data], path: str) -> Stamps:
    """Return the stamps of one VM and path. A VM that slept has no `from`, only single stamps."""
    pairs: Stamps = []
    for data in lines:
        if data["kind"] == "stamps" and data["path"] == path:
            begins = data["from"] if "from" in data else data["until"]
            pairs += zip(begins, data["until"], strict=True)
    times = [time for pair in pairs for time in pair]
    if not pairs:
        raise NotMeasured(f"a VM printed no stamps of {path}")
    if any(later < earlier for earlier, later in pairwise(times)):
        raise NotMeasured(f"the clock of {path} runs backwards")
    return pairs


def windows_of(path: str, first: Stamps, second: Stamps) -> list[int]:
    if path == "wake":
        return wake_ups(join_gaps(first), second)
    if path.startswith("yield"):
        return switches(first, second)
    return switches(join_gaps(first), join_gaps(second))


def wake_ups(busy: Stamps, slept: Stamps) -> list[int]:
    """Return the windows from VM a's last stamp before a gap to the other VM's first stamp within
    the gap."""
    begins = [begin for begin, _ in busy]
    windows: dict[int, int] = {}  # the first window within each gap, in ticks
    for _, wake in slept:
        gap = bisect_left(begins, wake) - 1
        if gap >= 0 and busy[gap][0] < wake < busy[gap][1]:
            windows.setdefault(gap, wake - busy[gap][0])
    return list(windows.values())


def switches(first: Stamps, second: Stamps) -> list[int]:
    """Return the windows from a VM's stamp before a gap, or before its call, to the next stamp of
    either VM, if that is the other VM's stamp after its own gap or call."""
    events = sorted([(time, is_begin, vm) for vm, gaps in enumerate((first, second))
                     for begin, end in gaps
                     for time, is_begin in ((begin, True), (end, False))])
    return [later - earlier for (earlier, begins, vm), (later, later_begins, later_vm)
            in pairwise(events) if vm != later_vm and begins and not later_begins]


def join_gaps(gaps: Stamps) -> Stamps:
    """Join consecutive gaps. If a system switches FP registers on their first use, a VM that has
    the core again takes a trap first, which restores its FP registers."""
    joined_gaps: Stamps = []
    for begin, end in gaps:
        if joined_gaps and begin - joined_gaps[-1][1] <= APART:
            joined_gaps[-1] = joined_gaps[-1][0], end
        else:
            joined_gaps.append((begin, end))
    return joined_gaps


def figure(windows: list[int]) -> Figure:
    """Return a figure. The first window is the cold sample; an even number of windows has the upper
    median."""
    warm = sorted(windows[1:])
    p50 = warm[len(warm) // 2]
    return Figure(len(warm), windows[0], warm[0], p50, warm[-1], warm.count(p50))
