# SPDX-License-Identifier: Apache-2.0
"""The way from one VM to the next on a core, in scenario switches: the general case beside the best
case."""

import re

import pytest

import expected
from lab import Job
from proofs import DELAYS, VALUES

BENCHES = expected.SWITCH_BENCHES
SAMPLES = 50
# The row that measures each way as a whole.
WHOLE = {"switch": ("vm_switch", "preempt"), "yield": ("vm_yield", "yield"),
         "failover": ("failover", "control")}
CALL = WHOLE | {"failover": ("failover", "call")}
SHORT = re.sub(r"^bench (\w+) n=\d+$", rf"bench \1 n={SAMPLES}", expected.SWITCHES,
               flags=re.MULTILINE)
DELAYED = re.sub(r"^bench .*$", rf"\g<0>\n\g<0> delay={DELAYS[1]}", SHORT, flags=re.MULTILINE)
EL2_DELAY = 100
EL2 = re.sub(r"^config .*$", rf"\g<0> delay_el2={EL2_DELAY}", SHORT, flags=re.MULTILINE)
# Exits to EL2 in the window of each way: a command interrupts the control VM, and then the control
# VM sleeps.
EXITS = {"switch": 1, "yield": 1, "failover": 2, "switch-best": 1, "yield-best": 1,
         "failover-call": 1, "failover-best": 1}
FP_REGISTERS = {"armv8": 32, "armv7": 16}  # registers of 16 bytes

pytestmark = pytest.mark.every_board


def whole_rows(result, line: int = 0, lines: int = 1) -> dict[str, dict]:
    """Return the row of each whole way by configuration; each benchmark has `lines` lines, of which
    `line` is read."""
    rows = {}
    for number, bench in enumerate(BENCHES):
        for (config, variant), row in result.figures(number * lines + line).items():
            way, _, case = config.partition("-")
            if (bench, variant) == (CALL if case in ("best", "call") else WHOLE)[way]:
                rows[config] = row
    return rows


def p50(result) -> dict[str, int]:
    return {config: row["p50"] for config, row in whole_rows(result).items()}


@pytest.mark.job(SHORT)
def test_every_way_is_measured_in_every_case(result):
    assert set(p50(result)) == set(result.configs)
    assert len(result.configs) == 13


@pytest.mark.job(SHORT)
def test_the_other_vm_has_the_core_before_every_sample(result):
    for config, row in whole_rows(result).items():
        [step] = result.records("step", config=config, bench=row["bench"])
        assert step["other_turns"] > SAMPLES, config
        assert row["n"] == SAMPLES


@pytest.mark.job(SHORT)
def test_the_best_switch_is_the_wake_up_of_a_sleeping_guest(result, lab, board):
    """timer_wakeup has the same window in another benchmark."""
    plan = "order once\nconfig best trapped sched=fp\nbench timer_wakeup n=50\n"
    wake_up = lab.run(Job(board, plan)).record("bench", variant="wfi-vector")
    assert p50(result)["switch-best"] == wake_up["p50"]


@pytest.mark.job(SHORT)
def test_the_general_case_costs_more_than_the_best_case(result):
    """A virtual GIC and FP registers of each VM cost instructions, with or without timers."""
    lengths = p50(result)
    for way in WHOLE:
        assert lengths[f"{way}-best"] + 50 < min(lengths[way], lengths[f"{way}-idle"]), way


@pytest.mark.job(SHORT)
def test_an_armed_timer_goes_to_the_queue_of_el2_and_back(result):
    """A preemptive switch moves the timer of the VM that loses the core to the queue. A yield also
    takes the timer of the next VM from the queue. A fail over does only the latter; but where only
    the control VM has a timer, the timer's PPI is off in the standby, and the switch writes that to
    the distributor."""
    lengths = p50(result)
    queued, both, dequeued = (lengths[way] - lengths[f"{way}-idle"] for way in WHOLE)
    assert 10 < queued < both < 90
    assert 0 < abs(dequeued) < both


OWN_CNTVOFF = SHORT.replace(" trapped ", " trapped cntvoff_us=4294967295 ")


@pytest.mark.job(SHORT)
def test_a_cntvoff_for_each_vm_is_a_compare_of_el2_registers(result, lab, board):
    """VMs whose EL2 registers are all equal pay for no compare. VMs with a CNTVOFF each pay for six
    compares and one write; in the best case the switch also calls switch_more(), which has nothing
    to do. A VM switch from the background VM has no compare in either case."""
    plain, offset = p50(result), p50(lab.ended(Job(board, OWN_CNTVOFF)))
    for config, length in offset.items():
        if config in ("yield-best", "failover-best"):
            assert 30 < length - plain[config] < 90, config
        elif config == "switch-best":
            assert length == plain[config]
        else:
            assert 20 < length - plain[config] < 40, config


LAZY = SHORT.replace("fp=eager", "fp=lazy")


@pytest.mark.job(SHORT)
def test_fp_registers_move_in_the_general_case(result, lab, board):
    """Each FP register is stored and loaded, two registers by an instruction."""
    lazy, eager = p50(lab.run(Job(board, LAZY))), p50(result)
    registers = FP_REGISTERS[result.log.run["isa"]]
    for config in ("switch", "yield", "failover"):
        assert registers <= eager[config] - lazy[config] < 3 * registers, config
    for config in ("switch-best", "yield-best", "failover-best"):
        assert eager[config] == lazy[config], config


@pytest.mark.job(DELAYED)
def test_a_delay_is_seen_once(result):
    plain, delayed = (whole_rows(result, line, len(DELAYS)) for line in range(len(DELAYS)))
    assert plain.keys() == delayed.keys() == set(result.configs)
    for config, row in delayed.items():
        expected_values = [plain[config][name] + DELAYS[1] for name in VALUES if name in row]
        assert [row[name] for name in VALUES if name in row] == expected_values, config


@pytest.mark.job(EL2)
def test_a_delay_at_el2_is_seen_once_an_exit(result, lab, board):
    plain = p50(lab.run(Job(board, SHORT)))
    for config, length in p50(result).items():
        exits = EXITS[re.sub("-(idle|lazy)$", "", config)]
        assert length - plain[config] == exits * EL2_DELAY, config
