# SPDX-License-Identifier: Apache-2.0
"""Records of several VMs: each VM has its own results in rules, tables, summary.csv and
comparisons. The output for one VM with a name equals the output for a VM without a name."""

import pytest

from commandlogs import TWO, run_of_vms as run_of
from guestlogs import FAULT
from hypbench.analysis.comparison import Verdict, compare_logs
from hypbench.report import notes, summary_csv
from hypbench.rows import measured_part
from hypbench.rules import check_rules
from logmaker import log_from, log_of


def test_a_vm_that_lacks_a_pass_is_named():
    bodies = [body for body in TWO if not (body.get("vm") == "right" and body["kind"] == "bench"
                                           and body["pass"] and body["config"] == "native")]
    bodies[-1] = bodies[-1] | {"records": len(bodies)}
    messages = [str(problem) for problem in check_rules(log_from(bodies))]
    assert messages == ["VM right: hvc null native: 1 of its 2 passes"]


def test_one_vm_looks_as_a_log_without_names(bench):
    with_name, without_name = (run_of({name: 52}) for name in ("bench", ""))
    for name, bodies in (("named", with_name), ("nameless", without_name)):
        (bench.root / name).write_bytes(log_of(bodies))
    output = bench("show", str(bench.root / "named"), "--table", "long").output
    assert output == bench("show", str(bench.root / "nameless"), "--table", "long").output
    assert "VM bench" not in output
    assert summary_csv(log_from(with_name)) == summary_csv(log_from(without_name))


def test_a_fault_names_the_vm_that_is_not_the_measured_one():
    def noted(vm: str) -> str:
        bodies = run_of({"bench": 52})
        body = FAULT | {key: bodies[1][key] for key in ("step", "pass", "config", "bench")}
        end = bodies[-1] | {"records": len(bodies) + 1, "faults": 1}
        return notes(log_from([*bodies[:-1], body | {"vm": vm}, end]))[-1]
    assert noted("background").startswith("FAULT: hvc native VM background: data-abort")
    assert noted("bench").startswith("FAULT: hvc native: data-abort")


def test_a_vm_alone_is_compared_whatever_its_name():
    old, new = log_from(run_of({"": 52})), log_from(run_of({"bench": 52}))
    assert {row.verdict for row in compare_logs(old, new)} == {Verdict.SAME}


@pytest.mark.parametrize("vm", ["left", "right"])
def test_the_measured_vm_is_the_steps(vm):
    log = measured_part(log_from(run_of({"left": 52, "right": 92}, measured_vm=vm)))
    assert {data["vm"] for data in log.of_kind("bench")} == {vm}
