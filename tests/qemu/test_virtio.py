# SPDX-License-Identifier: Apache-2.0
"""A link of kind=virtio between two VMs: frames that EL2 copies, on two cores and on one."""

import pytest

from lab import Job, board_facts
from proofs import DELAYS, delay_lines, is_later, job, two_cores
from test_links import (CEILINGS_OF, CONFIGS, HEAD, assert_all_answered, assert_streams, rows,
                        sent_for)

LINK = "link net kind=virtio a=bench b=load1\n"
LINKS = f"{LINK}link near kind=virtio a=bench b=load0\n"
N = 100
# With lr=hw QEMU's GICv2 loses an SPI that comes while the last one is active (CAVEATS.md).
LINKED = {name: CONFIGS[name] for name in ("cores-sw", "core", "turns")}
PLAN = HEAD + "".join(f"config {name} {axes}\n" for name, axes in LINKED.items()) + LINKS + (
    delay_lines("net_rr", f"n={N}"))
ONE = HEAD + f"config cores-sw {CONFIGS['cores-sw']}\n{LINK}bench net_rr n=50\n"
HARDWARE = ONE.replace(f"cores-sw {CONFIGS['cores-sw']}", f"cores {CONFIGS['cores']}")
HOSTILE = ONE.replace("n=50", "n=1000")
EL2 = HEAD + "".join(f"config d{delay} {CONFIGS['cores-sw']} delay_el2={delay}\n"
                     for delay in DELAYS) + f"{LINK}bench net_rr n={N}\n"
STREAM = HEAD + "".join(f"config {name} {axes}\n" for name, axes in LINKED.items()) + LINKS + (
    delay_lines("net_stream", "n=20"))


@job(PLAN)
def test_each_request_has_its_own_answer(result):
    assert result.problems == []
    assert_all_answered(result, len(LINKED) * len(DELAYS), sent_for(N))
    assert {key[0] for key in result.figures(0)} == set(LINKED)
    assert all(vm["net_broken"] == 0 for vm in result.records("vm"))


@job(PLAN)
def test_delay_is_seen(result):
    plain = rows(result, 0)
    assert len(plain) == 2 * len(LINKED)
    for number, delay in enumerate(DELAYS[1:], 1):
        for key, row in rows(result, number).items():
            if key[0] != "turns":  # where a slice ends comes between
                assert is_later(plain[key], row, delay), key


@job(EL2)
def test_delay_at_el2_is_seen_at_every_exit(result):
    """One exit of the sender, and two of the receiver: the kick, and the device's interrupt."""
    assert result.status == 0, result.explain()
    found = result.figures(0)
    for delay in DELAYS:
        assert is_later(found["d0", "ring"], found[f"d{delay}", "ring"], 3 * delay)


@pytest.mark.every_board
@job(PLAN)
def test_it_is_as_short_as_asked(result, board):
    found = {key: row["p50"] for key, row in result.figures(0).items()}
    assert board != "virt-a72" or found["cores-sw", "ring"] <= CEILINGS_OF["virtio"]
    for config in LINKED:
        assert found[config, "ring"] < found[config, "rr"] < found[config, "rr-20"] < (
            20 * found[config, "rr"])


@job(PLAN)
def test_the_vms_have_what_was_sent(result):
    """A frame each, and one when a driver begins. Lost is at most what the measured VM sent before
    the other driver began: that, and its first request, which it sends again."""
    assert len(result.records("vm")) == 2 * len(LINKED) * len(DELAYS)
    for vm in result.records("vm"):
        assert sent_for(N) <= vm["net_received"] <= sent_for(N) + 1
        assert vm["net_lost"] <= (2 if vm["vm"] == "bench" else 0)


@job(STREAM)
def test_a_stream_arrives(result):
    assert_streams(result, list(LINKED))


@job(ONE + "".join(f"at {at} {what} load1\n" for start in range(400, 20000, 800)
                   for at, what in ((start, "pause"), (start + 200, "resume"))))
def test_a_partner_that_is_paused_answers_later(result):
    assert_all_answered(result, 1, sent_for(50))
    assert result.records("step")[0]["events"] > 0


@job(HOSTILE.replace("n=1000", "n=2000") +
     "".join(f"at {at} reset load1\n" for at in range(2000, 300000, 3001)))
def test_a_partner_that_starts_anew_answers_what_is_open(result):
    assert result.status == 0, result.explain()
    [check] = result.records("check")
    assert check["ok"] and check["sent"] == check["answered"] == sent_for(2000)
    assert result.records("step")[0]["events"] > 3


ANEW = "".join(f"at {at} {what} load1\n" for start in range(2000, 300000, 3001)
               for at, what in ((start, "destroy"), (start + 300, "create")))


def test_a_partner_that_is_destroyed_and_made_anew_answers_what_is_open(lab, built):
    """With lr=hw where QEMU's GIC does not lose an SPI."""
    plan = HARDWARE if board_facts(built)["GIC"] == "gicv3" else ONE
    result = lab.run(Job(built, plan.replace("n=50", "n=500") + ANEW, machine=two_cores))
    assert result.status == 0, result.explain()
    [check] = result.records("check")
    assert check["ok"] and check["wrong"] == 0
    assert result.records("step")[0]["events"] > 3


@job(ONE, planted="frame")
def test_a_frame_that_is_changed_is_found(result):
    assert result.status == 1
    [check] = result.records("check")
    assert not check["ok"] and check["wrong"] > 0


@job(HOSTILE, planted="rings")
def test_a_partner_with_broken_rings_harms_only_its_own_device(result):
    """Between its answers: queues of any place, size and content, registers in any order."""
    assert result.status == 0 and result.problems == [], result.explain()
    [check] = result.records("check")
    assert check["ok"] and check["wrong"] == 0
    broken = {vm["vm"]: vm["net_broken"] for vm in result.records("vm")}
    assert broken["load1"] > 200 and broken["bench"] == 0


@job(HOSTILE, planted="rings past RAM")
def test_a_descriptor_past_ram_that_is_followed_is_found(result):
    assert result.status != 0


@job(ONE, planted="kick")
def test_a_kick_that_is_lost_is_found(result):
    assert result.status == 1
    [fault] = result.records("fault")
    assert fault["reason"] == "time-limit"


def test_two_runs_are_the_same(lab, built):
    one, other = (lab.run(Job(built, ONE, machine=two_cores, attempt=n)) for n in range(2))
    assert one.status == 0 and one.console == other.console
