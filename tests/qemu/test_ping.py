# SPDX-License-Identifier: Apache-2.0
"""Ping over a link of kind=virtio: the bench guest and a load, and the bench guest and Debian's
Linux, either way."""

import pytest

from fetched import missing, possible, skip_unless_possible
from linux_files import drivers
from linux_guest import Boot, perform_boot
from proofs import DELAYS, assert_delay_is_seen, delay_lines
from test_linux import reason_to_skip

N = 200
CONFIGS = {"cores": "trapped-sw beside=load_ping",
           "core": "trapped-sw sched=fp fp=lazy beside=load_ping"}
VMS = ("vm bench cores=0\nvm load1 image=load cores=1\nvm load0 image=load cores=0\n"
       "link far kind=virtio a=bench b=load1\nlink near kind=virtio a=bench b=load0\n")
HEAD = "order once\nlimit_ms 200000\n"
LINKED = HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items())
PLAN = LINKED + "config alone trapped\n" + delay_lines("net_ping", f"n={N}") + VMS


def two_cores(words: list[str]) -> list[str]:
    return [*words, "-smp", "2"]


def job(plan: str, **more):
    return pytest.mark.job(plan, machine=two_cores, **more)


def answers(log) -> list[dict]:
    return [check for check in log.of_kind("check") if check["variant"] == "answers"]


@job(PLAN)
def test_each_request_has_its_own_answer(result):
    assert result.status == 0 and result.problems == [], result.explain()
    assert len(answers(result.log)) == len(CONFIGS) * len(DELAYS)
    for check in answers(result.log):
        assert check["ok"] and check["sent"] == check["answered"] == N + 1
        assert check["lost"] == check["late"] == check["wrong"] == 0
    assert len(result.records("skip", config="alone", bench="net_ping")) == len(DELAYS)


@job(PLAN)
def test_delay_is_seen(result):
    """Exactly, on one core and on two: QEMU goes to the other core where this one sleeps."""
    assert {key[0] for key in result.figures(0)} == set(CONFIGS)
    assert_delay_is_seen(result, 0)


ONE = (HEAD + f"config cores {CONFIGS['cores']}\nbench net_ping n={{n}}\n{VMS}").format


@job(ONE(n=5000) + "at 200000 pause load1\nat 1700000 resume load1\n")
def test_a_lost_answer_is_counted_and_its_sample_taken_again(result):
    """A partner that is paused for 1.5 s: one request is given up, and its answer comes late."""
    assert result.status == 0 and result.problems == [], result.explain()
    [check] = answers(result.log)
    assert check["ok"] and (check["lost"], check["late"], check["wrong"]) == (1, 1, 0)
    assert check["sent"] == check["answered"] + 1 == 5002
    second = result.log.run["hz"]
    assert second / 3 < result.figures(0)["cores", "echo"]["max"] < second


@job(ONE(n=5000) + "at 200000 destroy load1\n")
def test_a_partner_that_is_gone_ends_the_step_with_a_message(result):
    assert result.status == 1
    [error] = result.records("error")
    assert error["what"] == "requests without an answer, in a row: 10"


@job(ONE(n=10).replace("load_ping", "load_echo"))
def test_a_partner_that_answers_nothing_ends_the_step_with_a_message(result):
    assert result.status == 1
    [error] = result.records("error")
    assert error["what"] == "no VM of the link answers ARP, asked for s: 120"


@job(ONE(n=10), planted="pong")
def test_an_answer_with_another_payload_is_found(result):
    assert result.status == 1
    [error] = result.records("error")
    assert error["what"] == "the VM answers ARP but no ping, asked for s: 120"


# --- the bench guest is VM 1, Linux VM 2 ---

# Linux pings first, and answers no ping meanwhile: the benchmark ends when it has its samples.
SCRIPT = """\
mount -t proc proc /proc
for module in /modules/*; do insmod $module; done
echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all
ip addr add 10.0.0.2/24 dev eth0
ip link set eth0 up
until ping -c 1 -W 1 10.0.0.1 >/dev/null; do :; done
ping -c 5 -s 1000 10.0.0.1 | grep received
echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all
sleep 1000
"""
BOARDS = ("virt-a15", "virt-a72-gicv3")  # each isa, each GIC


def with_linux(on: str) -> Boot:
    return Boot(on, "trapped-sw", limit_ms=600_000, cores=2, script=SCRIPT,
                also=f"bench net_ping n={N}\nvm bench cores=0\nvm linux image=guest cores=1\n"
                     "link net kind=virtio a=bench b=linux\n")


def reason(boot: Boot) -> str:
    return reason_to_skip(boot) or missing("drivers", lambda: drivers(boot.isa))


@pytest.fixture(scope="module")
def started():
    """Every boot begins with the first of these tests."""
    from conftest import LAB
    for boot in possible(map(with_linux, BOARDS), reason):
        LAB.start(boot, perform_boot)


@pytest.mark.long
@pytest.mark.parametrize("on", BOARDS)
def test_linux_and_the_bench_guest_ping_each_other(lab, started, on):
    boot = with_linux(on)
    skip_unless_possible(boot, reason)
    booted = lab.run(boot, perform_boot)
    assert not booted.timed_out and booted.status == 0, booted.explain()
    assert booted.log.problems == [], booted.explain()
    assert "5 packets transmitted, 5 packets received" in booted.text, booted.explain()
    [check] = answers(booted.log)
    assert check["ok"] and check["answered"] == N + 1 and check["peer"] == 2, check
    assert check["lost"] == check["late"] == check["wrong"] == 0
    [row] = booted.log.of_kind("bench")
    print(on, row["min"], row["p50"], row["p99"], row["max"])
    assert row["n"] == N
    for vm in booted.log.of_kind("vm"):
        assert vm["net_broken"] == 0 and vm["net_received"] > N
