# SPDX-License-Identifier: Apache-2.0
"""Several guests send records at once, by HC_RECORD in pieces: each record is a whole line, and no
guest waits for a guest that does not continue its record."""

from collections import Counter

import pytest

from proofs import cores
from test_pieces import longest_visit

BESIDE = {"slices": "sched=rr slice_us=150 beside=load_cpu",
          "urgent": "sched=fp beside=load_cpu", "core": "beside=load_cpu"}
CONFIGS = {"before": "", **BESIDE, "after": ""}
PLAN = "order once\nlimit_ms 5000\n" + "".join(
    f"config {name} trapped {words}\n" for name, words in CONFIGS.items()) + (
    "bench timer_wakeup n=200\nbench hvc n=100\nbench irq_phases n=100\n")
SENDS = "load sends records"
LEAVES = "load leaves its records"
LONGEST = 2500  # instructions of a visit to EL2, HC_RECORD included


def sent(result, variant: str) -> Counter[str]:
    """Count the records of a load by configuration."""
    return Counter(record["config"] for record in result.records("check")
                   if record["variant"] == variant)


def measured(result) -> Counter[str]:
    """Count the results of the measured VM by configuration."""
    return Counter(record["config"] for record in result.records("bench"))


@pytest.mark.job(PLAN, machine=cores(2), planted=SENDS)
def test_records_of_two_guests_are_whole(result):
    assert not result.problems
    assert len(set(measured(result).values())) == 1
    records = sent(result, "load")
    assert records.keys() == BESIDE.keys()
    assert min(records.values()) > 20


@pytest.mark.job(PLAN, machine=cores(2), planted=SENDS)
def test_records_of_a_load_are_in_order(result):
    for step in {record["step"] for record in result.records("check")}:
        counts = [record["count"] for record in result.records("check", step=step)
                  if record["variant"] == "load"]
        assert counts == list(range(len(counts)))


@pytest.mark.job(PLAN, machine=cores(2), planted=LEAVES)
def test_a_guest_that_leaves_its_records_stops_no_other_one(result):
    assert not result.problems
    assert len(set(measured(result).values())) == 1
    records = sent(result, "left")
    assert records.keys() == BESIDE.keys()  # no step has a record of the step before
    assert min(records.values()) > 20


@pytest.mark.job(PLAN, machine=cores(2), planted=SENDS)
def test_no_piece_of_a_record_is_long(lab, job):
    assert 1000 < longest_visit(lab, job) <= LONGEST
