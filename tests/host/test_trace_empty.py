# SPDX-License-Identifier: Apache-2.0
"""`trace` of a run without an exit makes no file, and no earlier file stays."""

import pytest

from logmaker import TRAPPED, bench_record, calibration, log_of, plan_run
from test_commands import failed

PLAN = "name sample\norder once\nconfig trapped\nbench hvc n=20\n"


def log_with(*exits: tuple[int, str, int]) -> bytes:
    """Return trace records: begin, event, vCPU."""
    def records(head, config):
        traced = [head | {"kind": "trace", "t": at, "dur": 5, "event": event, "arg": "0x0",
                          "vm": "bench", "vcpu": vcpu, "paused": int(event in ("pause", "resume"))}
                  for at, event, vcpu in exits]
        return [calibration(head), bench_record(head, "null", [50] * 20), *traced]

    return log_of(plan_run([TRAPPED | {"trace": "on"}], {"hvc": records}, order="once"))


@pytest.fixture
def trace(bench):
    bench.scenario("mine", PLAN)
    bench.write_image(PLAN)

    def run(*exits: tuple[int, str, int]):
        bench.set_qemu(log_with(*exits))
        return bench("trace", "--board", "virt-a72", "--scenario", "mine", "--quiet")
    return run


@pytest.mark.parametrize("exits", [(), ((100, "pause", 0), (200, "resume", 0))])
def test_nothing_to_open(bench, trace, exits):
    file = bench.out / "trace" / "virt-a72.pftrace"
    assert trace((100, "hvc", 0)).exit_code == 0 and file.stat().st_size
    failed(trace(*exits), "there is nothing to open: no exit was traced of scenario mine")
    assert not file.exists()
