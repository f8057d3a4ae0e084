# SPDX-License-Identifier: Apache-2.0
"""Ping over a link of kind=virtio, between the bench guest and a load; test_linux.py pings
Linux."""

from proofs import DELAYS, assert_delay_is_seen, delay_lines, job

N = 150  # so few that QEMU's switch to another core, every 100 ms, is in no window
CONFIGS = {"cores": "trapped-sw beside=load_ping",
           "core": "trapped-sw sched=fp fp=lazy beside=load_ping"}
VMS = ("vm bench cores=0\nvm load1 image=load cores=1\nvm load0 image=load cores=0\n"
       "link far kind=virtio a=bench b=load1\nlink near kind=virtio a=bench b=load0\n")
HEAD = "order once\nlimit_ms 200000\n"
LINKED = HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items())
PLAN = LINKED + "config alone trapped\n" + delay_lines("net_ping", f"n={N}") + VMS


def answers(log) -> list[dict]:
    return [check for check in log.of_kind("check") if check["variant"] == "answers"]


@job(PLAN)
def test_each_request_has_its_own_answer(result):
    assert len(answers(result.log)) == len(CONFIGS) * len(DELAYS)
    for check in answers(result.log):
        assert check["ok"] and check["sent"] == check["answered"] == N + 1
        assert check["lost"] == check["late"] == check["wrong"] == 0
    assert len(result.records("skip", config="alone", bench="net_ping")) == len(DELAYS)


@job(PLAN)
def test_delay_is_seen(result):
    """The delay is seen exactly, on one core and on two, because QEMU goes to the other core when
    this one sleeps."""
    assert {key[0] for key in result.figures(0)} == set(CONFIGS)
    assert_delay_is_seen(result, 0)


ONE = (HEAD + f"config cores {CONFIGS['cores']}\nbench net_ping n={{n}}\n{VMS}").format


@job(ONE(n=5000) + "at 200000 pause load1\nat 1700000 resume load1\n")
def test_a_lost_answer_is_counted_and_its_sample_taken_again(result):
    """The partner is paused for 1.5 s: one request is given up, and its answer comes late."""
    [check] = answers(result.log)
    assert check["ok"] and (check["lost"], check["late"], check["wrong"]) == (1, 1, 0)
    assert check["sent"] == check["answered"] + 1 == 5002
    second = result.log.run["hz"]
    assert second / 3 < result.figures(0)["cores", "echo"]["max"] < second


@job(ONE(n=5000) + "at 200000 destroy load1\n", status=1)
def test_a_partner_that_is_gone_ends_the_step_with_a_message(result):
    [error] = result.records("error")
    assert error["what"] == "requests without an answer, in a row: 10"


@job(ONE(n=10).replace("load_ping", "load_echo"), status=1)
def test_a_partner_that_answers_nothing_ends_the_step_with_a_message(result):
    [error] = result.records("error")
    assert error["what"] == "no VM of the link answers ARP, asked for s: 120"
