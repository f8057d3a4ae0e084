# SPDX-License-Identifier: Apache-2.0
"""Timers of unmodified guests, as kernels of their own use them."""

from dataclasses import replace

import pytest

from assembler import assemble
from talk import ENTRY, gic
from test_cores import run_of

CNTV, CNTP = 27, 30


@pytest.mark.parametrize("config", ["trapped", "trapped-sw", "trapped sched=rr"])
@pytest.mark.parametrize("timer", [CNTV, CNTP], ids=["cntv", "cntp"])
def test_a_tick_that_is_due_again_at_its_end_comes(lab, built, timer, config):
    """The line is still high when the guest ends the interrupt."""
    program = assemble(built, "vcpus", ENTRY, "CPUS=1", f"GIC={gic(built)}", f"TIMER={timer}",
                       "ROUNDS=100", sources=("ticks.c",))
    vms = "vm guest image=guest cores=0\nvm background image=background cores=0\n"
    job = run_of(built, program, f"c {config} cntp=passthrough fp=lazy", 1, 1)
    lab.ended(replace(job, plan=job.plan + vms * ("sched" in config)))


def test_a_timer_that_is_armed_for_ever_stops_nothing(lab, built):
    program = assemble(built, "vcpus", ENTRY, "CPUS=1", sources=("armed.c",))
    lab.ended(run_of(built, program, "c trapped", 1, 1))
