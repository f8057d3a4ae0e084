# SPDX-License-Identifier: Apache-2.0
"""The ways from one VM to another: a yield, and a fail over by a hypercall, a missing heartbeat, a
fault and an interrupt, on one core and on two."""

import re

import pytest

import expected
from lab import Job, board_facts
from proofs import DELAYS, VALUES, delay_lines, four_cores, job, two_cores


YIELD, FAILOVER = 0, len(DELAYS)  # bench lines of PLAN
PHASES = ("begins", "paused", "runs")
CONFIGS = {
    "yield": "trapped sched=rr slice_us=1000000 fp=lazy beside=load_yield",
    "call": "trapped sched=fp fp=lazy beside=active_call",
    "heartbeat": "trapped sched=fp fp=lazy beside=active_heartbeat",
    "fault": "trapped sched=fp fp=lazy beside=active_fault",
    "interrupt": "trapped sched=fp fp=lazy beside=active_interrupt",
    "sw": "trapped-sw sched=fp fp=eager beside=active_call",
    "sw-interrupt": "trapped-sw sched=fp fp=eager beside=active_interrupt",
    "call-cores": "trapped beside=active_call",
    "heartbeat-cores": "trapped beside=active_heartbeat",
    "fault-cores": "trapped beside=active_fault",
    "interrupt-cores": "trapped beside=active_interrupt",
}
WAYS = {name: axes.rpartition("beside=active_")[2] for name, axes in CONFIGS.items()
        if "beside=active_" in axes}
BOOTS = 10  # rounds of the benchmark before its first sample
HEAD = "order once\nlimit_ms 60000\n"
PLAN = HEAD + "".join(f"config {name} {axes}\n" for name, axes in CONFIGS.items()) + (
    delay_lines("vm_yield", "n=100") + delay_lines("failover", "n=100"))
EL2 = [HEAD + "".join(f"config {name}{delay} {CONFIGS[name]} delay_el2={delay}\n"
                      for name in names for delay in DELAYS)
       + "bench vm_yield n=100\nbench failover n=100\n"
       for names in (("yield", "call", "heartbeat", "fault", "interrupt"),
                     tuple(name for name in WAYS if name.endswith("-cores")))]
EXPIRY = 500  # ticks of the benchmark's timer, which is set before the pause
# Instructions on virt-a72.
CEILINGS = {"call": 400, "call-cores": 900, "heartbeat": 400, "yield": 260, "fault": 500,
            "interrupt": 500}
YIELD_OTHERWISE = 290  # instructions of a yield with a compiler other than expected.DOCUMENTED


def values(config: str, row: dict) -> list[int]:
    """Return the values of a row. QEMU runs cores in turns, so with two cores the extremes of a few
    samples contain another core's instructions, and only p50 counts."""
    return [row[name] for name in (("p50",) if "cores" in config else VALUES) if name in row]


def whole_rows(result) -> dict[str, dict]:
    """Return the rows of the whole fail over, from the first line of failover, which has
    delay=0."""
    return {config: row for (config, variant), row in result.figures(FAILOVER).items()
            if variant == WAYS[config]}


@job(PLAN)
def test_every_vm_gets_the_core(result):
    assert set(result.figures(YIELD)) == {("yield", "yield")}
    assert set(whole_rows(result)) == set(WAYS)
    for check in result.records("check"):
        if check["variant"] == "clock":
            continue
        takeovers = check["variant"] == "takeovers"
        fired = 1 + 2 * 100 if takeovers else 100
        assert check["fired"] == check["handled"] == fired
        assert not takeovers or WAYS[check["config"]] == "interrupt"


@job(PLAN)
def test_each_fault_is_counted_and_the_last_one_reported(result, board):
    active = [vm for vm in result.records("vm", bench="failover") if vm["config"] in WAYS]
    assert {vm["config"] for vm in active if "faults" in vm} == {"fault", "fault-cores"}
    for vm in (vm for vm in active if "faults" in vm):
        assert vm["outcome"] == "stopped"
        # On two cores both VMs start at once, and the active VM may fault before the fail over
        # gives it the core.
        early = vm["faults"] - (BOOTS + 1 + 2 * 100)
        assert early == 0 or early == 1 and vm["config"] == "fault-cores"
        assert (vm["fault"], int(vm["ipa"], 0)) == (
            "data-abort", int(board_facts(board)["HYP_BASE"], 16))
    assert result.records("fault") == []


@job(PLAN)
def test_phases_add_up(result):
    for line in range(FAILOVER, FAILOVER + len(DELAYS)):
        rows = result.figures(line)
        for config, way in WAYS.items():
            for name in ("cold", "mean"):
                phases = sum(rows[config, f"{way}-{phase}"][name] for phase in PHASES)
                assert phases == pytest.approx(rows[config, way][name], abs=0.01), config


@job(PLAN)
@pytest.mark.parametrize("line", [YIELD, FAILOVER])
def test_delay_is_seen_in_the_last_phase(result, line):
    plain = result.figures(line)
    assert plain
    for number, delay in enumerate(DELAYS[1:], 1):
        for key, row in result.figures(line + number).items():
            late = delay * (not key[1].endswith(PHASES[:2]))
            expected = [value + late for value in values(key[0], plain[key])]
            if key[0].endswith("-cores"):  # both VMs run, so QEMU's turns come between
                expected = [pytest.approx(value, abs=8) for value in expected]
            assert values(key[0], row) == expected, key


@pytest.mark.parametrize("cores", [pytest.param(number, marks=job(plan))
                                   for number, plan in enumerate(EL2, 1)])
def test_delay_at_el2_is_seen_once_in_the_first_phase(result, cores):
    """On two cores no interrupt begins an exit: the standby's core is in EL2 already, and takes the
    interrupt there."""
    rows = {(row["config"], row["variant"]): row for row in result.records("bench")}
    for (config, variant), row in rows.items():
        name = config.rstrip("0123456789")
        exits = name != "interrupt-cores" and not variant.endswith(PHASES[1:])
        late = int(config.removeprefix(name)) * exits
        expected = [value + late for value in values(name, rows[f"{name}0", variant])]
        near = 8 * (cores - 1)  # instructions of the other core, which QEMU runs between
        assert values(name, row) == pytest.approx(expected, abs=near), (config, variant)


BEATS = HEAD + f"config heartbeat {CONFIGS['heartbeat']}\nbench failover n=50\n"


@job(BEATS, planted="a heartbeat with a high half")
def test_a_heartbeat_has_32_bits(result, lab, built):
    plain = lab.run(Job(built, BEATS, machine=two_cores))
    assert [row["hist"] for row in result.records("bench")] == [
        row["hist"] for row in plain.records("bench")]


@pytest.mark.every_board
@job(PLAN)
def test_it_is_as_short_as_asked(result, board):
    compiler = expected.series(result.log.run["compiler"])
    ceilings = CEILINGS | ({} if compiler == expected.DOCUMENTED else {"yield": YIELD_OTHERWISE})
    rows = whole_rows(result)
    assert rows["call"]["p50"] < rows["call-cores"]["p50"] < 3 * rows["call"]["p50"]
    rows["yield"] = result.figures(YIELD)["yield", "yield"]
    for config, ceiling in ceilings.items():
        assert board != "virt-a72" or rows[config]["p50"] <= ceiling


@pytest.mark.job(HEAD + "config alone trapped\nbench failover n=10\nbench vm_yield n=10\n")
def test_without_the_other_vm_it_is_skipped(result):
    assert [skip["reason"].split("=")[0] for skip in result.records("skip")] == [
        "needs beside", "needs beside"]


@job(PLAN)
def test_the_clock_of_a_paused_vm_goes_on(result):
    clocks = result.records("check", variant="clock")
    assert {clock["config"] for clock in clocks} == set(WAYS)
    for clock in clocks:
        pause = clock["pause_min"], clock["pause_max"]
        # The interrupt that ends the pause may come between the two reads, or QEMU may run another
        # core between them.
        near = 500 if re.search("interrupt|cores", clock["config"]) else 20
        assert pause[0] > EXPIRY, clock
        assert clock["virtual_min"] == pytest.approx(pause[0], abs=near), clock
        assert clock["virtual_max"] == pytest.approx(pause[1], abs=near), clock
        assert clock["late_min"] > pause[0] - EXPIRY - 20, clock
        assert clock["after_max"] < 200, clock  # without a wait


COMMANDED = {
    "three": "trapped sched=fp fp=lazy beside=active_control",
    "one": "trapped sched=fp fp=lazy beside=active_control vcpus=1",
    "sw-two": "trapped-sw sched=rr slice_us=1000000 fp=eager beside=active_control vcpus=2",
    "own": "trapped sched=fp fp=lazy beside=active_call",
    "fault": "trapped sched=fp fp=lazy beside=active_fault",
}
VCPUS = {"one": 1, "sw-two": 2}
PAIR = """vm standby image=bench cores=0-2 prio=1
vm active image=load cores=0-2 prio=1
vm control image=control cores=3 prio=1
"""
WINDOW = "link watch kind=doorbell a=standby b=active\n"
CONTROL = HEAD + "".join(f"config {name} {axes}\n" for name, axes in COMMANDED.items()) + (
    delay_lines("failover", "n=100") + "bench hvc n=50\n" + PAIR + WINDOW)
ALONE = "limit_ms 60000\nconfig cores trapped beside=active_control\nbench failover n=300\n"


def commanded(result, line: int = 0) -> dict[str, dict[str, dict]]:
    """Return the rows by configuration and variant."""
    rows = result.figures(line)
    return {config: {variant: row for (name, variant), row in rows.items() if name == config}
            for config in COMMANDED}


@job(CONTROL, machine=four_cores)
def test_a_control_vm_commands_a_pair_of_several_vcpus(result):
    for config, rows in commanded(result).items():
        way = {"own": "call", "fault": "fault"}.get(config, "control")
        whole, vcpus = rows[way], VCPUS.get(config, 3)
        assert whole["p50"] == pytest.approx(sum(rows[f"{way}-{phase}"]["p50"]
                                                 for phase in PHASES), abs=40), config
        assert rows["stopped"]["max"] < whole["max"], config
        # The counter counts every core's instructions, so each vCPU's switch is later by the switch
        # of the vCPU before it.
        assert whole["p50"] + 600 * (vcpus - 1) <= rows["all"]["p50"] < 1600 * vcpus, config
        if way == "control":  # the gap includes what the control VM does before its stamp
            assert whole["p50"] < rows["gap"]["p50"] < whole["p50"] + 300, config
        else:
            assert rows["gap"]["p50"] == whole["p50"], config
        assert rows["gap"]["max"] < 20000, config
    vms = {(vm["config"], vm["vm"]) for vm in result.records("vm", bench="failover")}
    assert {config for config, name in vms if name == "control"} == {
        config for config, axes in COMMANDED.items() if axes.count("control")}


@job(CONTROL, machine=four_cores)
def test_each_vcpu_adds_to_the_way_of_a_command(result):
    """EL2 calls the other cores for their vCPUs, each at the same cost."""
    rows = commanded(result)
    paused = {vcpus: rows[name]["control-paused"]["min"]
              for vcpus, name in ((1, "one"), (2, "sw-two"), (3, "three"))}
    assert 0 < paused[2] - paused[1] == paused[3] - paused[2] < 60


@job(CONTROL, machine=four_cores)
def test_delay_is_seen_where_the_standby_works(result):
    plain = commanded(result)
    for number, delay in enumerate(DELAYS[1:], 1):
        for config, rows in commanded(result, number).items():
            for variant in ("control", "control-runs", "call", "call-runs", "gap"):
                if variant in rows:
                    assert rows[variant]["p50"] - plain[config][variant]["p50"] == pytest.approx(
                        delay, abs=40), (config, variant)


COMMANDS = HEAD + "".join(f"config {name} {COMMANDED[name]}\n" for name in ("three", "one")) + (
    "bench failover n=300\n" + PAIR + WINDOW)


@job(COMMANDS, machine=four_cores, planted="a fail over that yields")
def test_what_the_active_vm_does_after_a_command_is_seen(result):
    """In each sample the active VM's vCPUs stamp until they are paused, which is before the standby
    runs."""
    rows = {(row["config"], row["variant"]): row for row in result.records("bench")}
    for config in ("three", "one"):
        assert 0 < rows[config, "stopped"]["min"] <= rows[config, "stopped"]["max"]
        assert rows[config, "stopped"]["p50"] < rows[config, "control"]["p50"]


ONE_COMMAND = HEAD + "".join(f"config {name}{delay} {COMMANDED[name]} delay_el2={delay}\n"
                             for name in ("three", "one") for delay in DELAYS) + (
    "bench failover n=100\n" + PAIR + WINDOW)


@job(ONE_COMMAND, machine=four_cores)
def test_delay_at_el2_is_seen_on_each_core_that_a_command_interrupts(result):
    """The delay is seen on the control VM's core, then on each core of the pair, because QEMU runs
    one core at a time. The gap begins before the control VM's stamp, and contains an exit of its
    own."""
    rows = {(row["config"], row["variant"]): row for row in result.records("bench")}
    exits = {"begins": 1, "paused": 0, "runs": 1, "control": 2, "gap": 3}
    for (config, variant), row in rows.items():
        name = config.rstrip("0123456789")
        phase = variant.removeprefix("control-")
        if phase == "stopped":
            continue
        count = exits.get(phase, 1 + (3 if name == "three" else 1))
        expected = rows[f"{name}0", variant]["p50"] + count * int(config.removeprefix(name))
        assert row["p50"] == pytest.approx(expected, abs=40), (config, variant)


@job(ALONE, machine=four_cores)
def test_each_of_three_vms_has_a_core_of_its_own(result):
    assert {row["variant"] for row in result.records("bench")} == {
        "control", *(f"control-{phase}" for phase in PHASES)}
    assert all(vm["rounds"] > 100 for vm in result.records("vm") if "rounds" in vm)
