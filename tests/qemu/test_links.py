# SPDX-License-Identifier: Apache-2.0
"""A link between two VMs: requests and answers over a doorbell, on two cores and on one."""

import re
from itertools import product

import pytest

from lab import ROOT
from old_qemu import divides_otherwise
from proofs import DELAYS, delay_lines, four_cores, is_later, job
from test_failover import CONFIGS as FAILOVERS


N = 100
CONFIGS = {
    "native": "native",
    "trapped": "trapped",
    "cores": "trapped beside=load_echo",
    "cores-sw": "trapped-sw beside=load_echo",
    "core": "trapped-sw sched=fp fp=lazy beside=load_echo",
    "turns": "trapped-sw sched=rr fp=lazy beside=load_echo",
}
LINKED = ("cores", "cores-sw", "core", "turns")
HEAD = "order once\nlimit_ms 60000\n"
PLAN = HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items()) + (
    delay_lines("net_rr", f"n={N}"))
ONE = HEAD + f"config cores {CONFIGS['cores']}\nbench net_rr n=50\n"
EL2 = HEAD + "".join(f"config d{delay} {CONFIGS['cores']} delay_el2={delay}\n"
                     for delay in DELAYS) + f"bench net_rr n={N}\n"
STREAM = HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items()) + (
    delay_lines("net_stream", "n=20"))
BLOCKS = {"batch-1": 1, "batch-8": 8, "batch-32": 32}
CEILINGS = {"ring": 230, "rr": 950}  # instructions of both cores on virt-a72
CEILINGS_OF = {"doorbell": CEILINGS["ring"], "virtio": 1500}  # kick to the other VM's handler


def sent_for(n: int) -> int:
    """One before the first sample, n + 1 by one flow, and whole rounds of 20."""
    return 1 + n + 1 + 20 * (n // 20 + 1)


def rows(result, line: int) -> dict:
    return {key: row for key, row in result.figures(line).items() if key[1] != "rr-20"}


def assert_all_answered(result, configs: int, sent: int) -> None:
    assert result.status == 0, result.explain()
    checks = result.records("check", bench="net_rr")
    assert len(checks) == configs
    for check in checks:
        assert check["ok"] and check["wrong"] == 0
        assert check["sent"] == check["answered"] == sent


@job(PLAN)
def test_each_request_has_its_own_answer(result):
    assert result.problems == []
    assert_all_answered(result, len(CONFIGS) * len(DELAYS), sent_for(N))
    assert {key[0] for key in result.figures(0)} == set(CONFIGS)
    assert all(vm["rounds"] > 0 for vm in result.records("vm"))
    assert {vm["config"] for vm in result.records("vm")} == set(LINKED)


@job(PLAN)
def test_delay_is_seen(result):
    plain = rows(result, 0)
    assert len(plain) == 2 * len(CONFIGS)
    for number, delay in enumerate(DELAYS[1:], 1):
        for key, row in rows(result, number).items():
            if key[0] != "turns":  # where a slice ends comes between
                assert row["p50"] == plain[key]["p50"] + delay, key


@job(EL2)
def test_delay_at_el2_is_seen_at_the_sender_and_at_the_receiver(result):
    assert result.status == 0, result.explain()
    found = {(row["config"], row["variant"]): row["p50"] for row in result.records("bench")}
    for delay in DELAYS:
        assert found[f"d{delay}", "ring"] == found["d0", "ring"] + 2 * delay


@pytest.mark.every_board
@job(PLAN)
def test_it_is_as_short_as_asked(result, board):
    found = {key: row["p50"] for key, row in result.figures(0).items()}
    for variant, ceiling in CEILINGS.items():
        assert board != "virt-a72" or found["cores", variant] <= ceiling
        assert found["native", variant] < found["cores", variant] < found["core", variant]
    for config in CONFIGS:
        # on two cores the other VM may take a request while it still handles the last ring
        if config not in LINKED:
            assert result.figures(0)[config, "rr-20"]["min"] > found[config, "rr"]
        assert found[config, "ring"] < found[config, "rr"] < found[config, "rr-20"] < (
            20 * found[config, "rr"])


@job(ONE + "".join(f"at {at} {what} load1\n" for start in range(400, 20000, 800)
                   for at, what in ((start, "pause"), (start + 200, "resume"))))
def test_a_partner_that_is_paused_answers_later(result):
    assert_all_answered(result, 1, sent_for(50))
    assert result.records("step")[0]["events"] > 0


@job(ONE.replace("n=50", "n=2000") +
     "".join(f"at {at} reset load1\n" for at in range(2000, 300000, 3001)))
def test_a_partner_that_starts_anew_answers_what_is_open(result):
    assert_all_answered(result, 1, sent_for(2000))
    assert result.records("step")[0]["events"] > 3


@job(ONE.replace("n=50", "n=500") +
     "".join(f"at {at} {what} load1\n" for start in range(2000, 300000, 3001)
             for at, what in ((start, "destroy"), (start + 300, "create"))))
def test_a_partner_that_is_destroyed_and_made_anew_answers_what_is_open(result):
    assert_all_answered(result, 1, sent_for(500))
    assert result.records("step")[0]["events"] > 3


@job(HEAD + f"config pair {FAILOVERS['interrupt-cores']}\nlink both kind=doorbell a=bench b=load1\n"
     "bench failover n=20\n")
def test_a_link_takes_no_spi_that_a_pair_fails_over_by(result):
    assert result.status == 0, result.explain()
    [check] = result.records("check", variant="takeovers")
    assert check["ok"]


@job(HEAD + "config near trapped beside=load_cpu\nconfig far trapped\nbench net_rr n=10\n")
def test_beside_another_load_there_is_no_link(result):
    assert_all_answered(result, 2, sent_for(10))
    assert result.figures(0)["near", "ring"]["p50"] == result.figures(0)["far", "ring"]["p50"]


BESIDE = {kind: (ROOT / f"plans/{name}.plan").read_text() for kind, name in (
    ("doorbell", "links-beside"), ("virtio", "virtio-beside"))}
OTHERS = ("cpu", "exit", "irq", "net", "block")
third_vm = pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.job(plan, machine=four_cores), pytest.mark.long])
    for kind, plan in BESIDE.items()])


@divides_otherwise
@third_vm
def test_a_third_vm_changes_no_ring_and_no_answer(result, kind):
    """From the ring on there is only the path: what of the third VM's turn is in the rest is
    QEMU's (docs/scenarios.md)."""
    looped = ["loop"] if kind == "doorbell" else []
    assert_all_answered(result, 10 + 6 * len(looped), sent_for(1000))
    rounds = {(vm["config"], vm["vm"]): vm["rounds"] for vm in result.records("vm")
              if vm["bench"] == "net_rr" and "rounds" in vm}
    assert min(rounds[f"cores-{load}", "far"] for load in OTHERS) > 5, rounds
    assert all(rounds[f"{where}-{load}", "far"] > 1 for where in looped for load in OTHERS), rounds
    assert min(rounds[f"fp-{load}", "near"] for load in OTHERS if load != "irq") > 5, rounds
    served = {config for (config, vm), found in rounds.items() if vm == "served" and found > 1}
    assert served == {f"{where}-{load}" for where in ("cores", "fp", *looped)
                      for load in ("net", "block")}
    figures = result.figures(0)
    for where, load in product(("cores", *looped), OTHERS):
        assert_ring_is_as_alone(figures, where, load)
        assert 0 <= figures[f"{where}-{load}", "rr"]["min"] - figures[where, "rr"]["min"] < 300


def assert_ring_is_as_alone(figures, where: str, load: str) -> None:
    row = figures[f"{where}-{load}", "ring"]
    assert is_later(figures[where, "ring"], row, 0), (where, load)
    assert max(count for _, count in row["hist"]) >= 990, row["hist"]


@pytest.mark.every_board
@divides_otherwise
@third_vm
def test_of_a_thousand_it_is_as_short_as_asked(result, board, kind):
    row = result.figures(0)["cores", "ring"]
    assert row["n"] == 1000 and (board != "virt-a72" or row["p50"] <= CEILINGS_OF[kind])


# The same names with the loads that those plans have not, and without the VM that answers a load;
# a request to oneself is made natively.
SWAPPED = dict(zip(OTHERS, ("mem_read", "mem_write", "stride", "tlbi", "sgi")))


def swapped(plan: str) -> str:
    for name, load in SWAPPED.items():
        plan = re.sub(f"beside=load_{name}$", f"beside=load_{load}", plan, flags=re.MULTILINE)
    plan = re.sub("^(vm served|link far|link near) .*\n", "", plan, flags=re.MULTILINE)
    return re.sub(r"^(config loop\S*) trapped-sw", r"\1 native", plan, flags=re.MULTILINE)


@divides_otherwise
@pytest.mark.long
@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=pytest.mark.job(swapped(plan), machine=four_cores))
    for kind, plan in BESIDE.items()])
def test_nor_do_the_other_loads(result, kind):
    looped = ["loop"] if kind == "doorbell" else []
    assert_all_answered(result, 10 + 6 * len(looped), sent_for(1000))
    settings = {config["name"]: config for config in result.log.run["configs"]}
    for where, (name, load) in product(("cores", *looped), SWAPPED.items()):
        config = settings[f"{where}-{name}"]
        assert config["beside"] == f"load_{load}" and (config["irq"] == "direct") == (
            where == "loop")
    rounds = {(vm["config"], vm["vm"]): vm["rounds"] for vm in result.records("vm")
              if vm["bench"] == "net_rr" and "rounds" in vm}
    assert min(rounds[f"cores-{load}", "far"] for load in OTHERS) > 5, rounds
    assert all(rounds[f"{where}-{load}", "far"] for where in looped for load in OTHERS), rounds
    for where, load in product(("cores", *looped), OTHERS):
        assert_ring_is_as_alone(result.figures(0), where, load)


@divides_otherwise
@third_vm
def test_a_stream_beside_a_third_vm_arrives(result, kind):
    checks = {check["config"]: check for check in result.records("check", bench="net_stream")}
    assert set(checks) == set(result.configs)
    assert all(check["ok"] and check["sent"] == check["taken"] == 201 * 41
               for check in checks.values())
    assert {key[1] for key in result.figures(1)} == set(BLOCKS)


@divides_otherwise
@third_vm
def test_a_third_vm_on_the_core_costs_a_switch(result, kind):
    """By priority: this VM sleeps, and has the core again for its answer. An answer that comes
    before this VM sleeps costs no switch, so the most frequent round trip counts."""
    figures = result.figures(0)
    alone = most_frequent(figures["cores", "rr"])
    for load in ("cpu", "exit", "net", "block"):
        more = most_frequent(figures[f"fp-{load}", "rr"]) - alone
        assert 500 < more < 1200, (load, more)


def most_frequent(row: dict) -> int:
    return max(row["hist"], key=lambda bucket: bucket[1])[0]


def assert_streams(result, configs: list[str], line: int = 0) -> dict:
    """Each block arrived, and the rate is that of the samples. Returns the rates."""
    assert result.status == 0, result.explain()
    checks = result.records("check", bench="net_stream")
    assert len(checks) == len(configs) * len(DELAYS)
    assert all(check["ok"] and check["sent"] == check["taken"] == 21 * 41 for check in checks)
    rates = {}
    for key, row in result.figures(line).items():
        assert row["bytes"] == BLOCKS[key[1]] * 1024
        total = row["cold"] + row["mean"] * row["n"]
        rates[key] = row["bytes_per_million"]
        assert abs(rates[key] - row["bytes"] * (row["n"] + 1) * 1e6 / total) <= 2
    assert set(rates) == {(config, batch) for config in configs for batch in BLOCKS}
    for config in configs:
        assert rates[config, "batch-1"] < rates[config, "batch-8"] < rates[config, "batch-32"]
    return rates


@job(STREAM)
def test_a_stream_arrives(result):
    rates = assert_streams(result, list(CONFIGS))
    assert all(rates["native", batch] > rates["cores", batch] for batch in BLOCKS)


@job(STREAM)
def test_delay_is_seen_in_a_stream(result):
    plain = result.figures(0)
    for number, delay in enumerate(DELAYS[1:], 1):
        for key, row in result.figures(number).items():
            if key[0] != "turns":  # where a slice ends comes between
                assert row["p50"] == plain[key]["p50"] + delay, key
