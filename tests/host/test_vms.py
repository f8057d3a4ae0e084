# SPDX-License-Identifier: Apache-2.0
"""Records of several VMs: each VM has results of its own, in rules, tables, summary.csv and
comparisons. The output for one VM is as before VMs had names."""

import csv
import io
import zlib

import pytest

from commandlogs import TWO, run_of_vms as run_of
from guestlogs import FAULT
from hypbench.analysis.comparison import Verdict, compare_logs
from hypbench.records import read_log
from hypbench.report import notes, summary_csv
from hypbench.rows import by_vm, measured
from hypbench.rules import check_rules
from logmaker import (log_of)
from paths import log_from

def test_each_vm_has_its_results():
    log = log_from(TWO)
    assert check_rules(log) == []
    parts = by_vm(log)
    assert list(parts) == ["left", "right"]
    for vm, part in parts.items():
        assert {data["vm"] for data in part.of_kind("bench", "exits")} == {vm}
        assert part.run and len(part.of_kind("step")) == 4


@pytest.mark.parametrize("vm", ["left", "right"])
def test_the_measured_vm_is_the_steps(vm):
    found = measured(log_from(run_of({"left": 52, "right": 92}, measured_vm=vm)))
    assert {data["vm"] for data in found.of_kind("bench")} == {vm}


def test_a_vm_that_lacks_a_pass_is_named():
    bodies = [body for body in TWO if not (body.get("vm") == "right" and body["kind"] == "bench"
                                           and body["pass"] and body["config"] == "native")]
    bodies[-1] = bodies[-1] | {"records": len(bodies)}
    found = [str(problem) for problem in check_rules(log_from(bodies))]
    assert found == ["VM right: hvc null native: 1 of its 2 passes"]


def test_one_vm_looks_as_a_log_without_names(bench):
    named, nameless = (run_of({name: 52}) for name in ("bench", ""))
    for name, bodies in (("named", named), ("nameless", nameless)):
        (bench.root / name).write_bytes(log_of(bodies))
    output = bench("show", str(bench.root / "named"), "--table", "long").output
    assert output == bench("show", str(bench.root / "nameless"), "--table", "long").output
    assert "VM bench" not in output
    assert summary_csv(log_from(named)) == summary_csv(log_from(nameless))


def test_the_summary_names_the_vm_where_there_are_several():
    rows = list(csv.DictReader(io.StringIO(summary_csv(log_from(TWO)))))
    assert [(row["vm"], row["config"], row["p50"]) for row in rows] == [
        ("left", "native", "50"), ("left", "trapped", "50"), ("right", "native", "90"),
        ("right", "trapped", "90")]


def test_vms_are_compared_by_their_names():
    slower = run_of({"right": 95, "left": 52, "third": 1_000})
    found = {row.config: row.verdict for row in compare_logs(log_from(TWO), log_from(slower))}
    assert found == {f"{config} VM {vm}": verdict for config in ("native", "trapped")
                     for vm, verdict in (("left", Verdict.SAME), ("right", Verdict.SLOWER),
                                         ("third", Verdict.ONLY_B))}


def test_a_fault_names_the_vm_that_is_not_the_measured_one():
    def noted(vm: str) -> str:
        bodies = run_of({"bench": 52})
        body = FAULT | {key: bodies[1][key] for key in ("step", "pass", "config", "bench")}
        end = bodies[-1] | {"records": len(bodies) + 1, "faults": 1}
        return notes(log_from([*bodies[:-1], body | {"vm": vm}, end]))[-1]
    assert noted("background").startswith("FAULT: hvc native VM background: data-abort")
    assert noted("bench").startswith("FAULT: hvc native: data-abort")


def test_a_guest_cannot_speak_in_another_vms_name():
    """EL2 writes `vm` first, and a second `vm` makes the line no record."""
    text = b'{"seq":0,"kind":"check","step":0,"vm":"bench","vcpu":0,"vm":"other","ok":true'
    log = read_log(text + b',"crc":"%08x"}\n' % zlib.crc32(text))
    assert log.records == [] and "it has the member 'vm' twice" in str(log.problems[0])


def test_a_vm_alone_is_compared_whatever_its_name():
    old, new = log_from(run_of({"": 52})), log_from(run_of({"bench": 52}))
    assert {row.verdict for row in compare_logs(old, new)} == {Verdict.SAME}
