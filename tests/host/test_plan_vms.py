# SPDX-License-Identifier: Apache-2.0
"""`vm` lines of a plan: what they mean, what a plan without them means, and which message answers
each mistake."""

from dataclasses import replace

import pytest

from hypbench import abi
from hypbench.plan_binary import pack, unpack
from hypbench.plan_language import parse, text_of
from hypbench.plan_model import words_of
from hypbench.plan_vms import Event, Guest, Link, Vm, measured_vm, taking_part
from test_plan_language import LOAD_4, refused

BENCH = "config a trapped sched=rr fp=lazy\nbench b\n"
ALONE = "config a trapped\nbench b\n"
GUEST = f"guest linux cpus=2 ram_mib=64\n{LOAD_4}\n"


def vms(lines: str, start: str = BENCH + GUEST) -> dict[str, Vm]:
    return parse(f"{start}{lines}").vms


# Their meaning

@pytest.mark.parametrize("configs, expected", [
    ("config native\n", {"bench": Vm("bench", (0,), 0, 1)}),
    ("config native\nconfig a trapped sched=fp\n",
     {"bench": Vm("bench", (0,), 0, 1), "background": Vm("background", (0,), 0, 0)})])
def test_without_vm_lines_the_benchmarks_have_core_0(configs, expected):
    plan = parse(f"{configs}bench b\n")
    assert plan.vms == expected and parse(text_of(plan)) == plan


def test_without_vm_lines_the_guest_has_its_vcpus_on_the_first_cores():
    plan = parse(f"config trapped\n{GUEST}")
    assert plan.vms == {"linux": Vm("linux", (0, 1), 64, 1)} and measured_vm(plan.vms) == "linux"


def test_every_setting_is_taken():
    found = vms("vm one image=linux cores=3,1 cpus=2 ram_mib=128 prio=255\nvm bench cores=3\n"
                "vm two image=linux cpus=1 prio=0\nvm background prio=7\n")
    assert found == {"one": Vm("linux", (3, 1), 128, 255), "bench": Vm("bench", (3,), 0, 1),
                     "two": Vm("linux", (0,), 64, 0), "background": Vm("background", (0,), 0, 7)}
    assert measured_vm(found) == "bench"


@pytest.mark.parametrize("said, cores", [
    ("0", (0,)), ("2", (2,)), ("0-3", (0, 1, 2, 3)), ("1-2,0", (1, 2, 0))])
def test_cores(said, cores):
    assert vms(f"vm bench\nvm background\nvm linux cores={said}\n")["linux"].cores == cores


def test_guests_have_loads_of_their_own():
    plan = parse(f"config trapped\n{GUEST}guest bsd\n{LOAD_4}\nload size=7\n"
                 "vm linux cores=0\nvm bsd cores=1\n")
    assert [len(guest.loads) for guest in plan.guests.values()] == [1, 2]
    assert isinstance(plan.guests["bsd"], Guest) and plan.order == 1


@pytest.mark.parametrize("policy, cores, there", [
    ("null", 0, {"bench"}), ("rr", 0, {"bench", "background"}), ("fp", 0, {"bench", "background"}),
    ("null", 1, {"bench", "background"})])
def test_a_background_vm_stays_off_a_core_without_a_policy(policy, cores, there):
    found = {"bench": Vm("bench", (0,), 0, 1), "background": Vm("background", (cores,), 0, 0)}
    assert taking_part(found, {"sched": policy, "beside": "none"}).keys() == there


# Mistakes


# Events

TWO = BENCH + GUEST + "vm bench\nvm linux\n"


def test_events_are_in_the_order_of_their_times():
    plan = parse(f"{TWO}at 700 resume linux\nat 0 pause bench\nat 4294967295 destroy linux\n"
                 "at 700 reset linux\nat 9 create linux\n")
    assert plan.events == [Event(0, "pause", "bench"), Event(9, "create", "linux"),
                           Event(700, "resume", "linux"), Event(700, "reset", "linux"),
                           Event(4294967295, "destroy", "linux")]
    assert parse(text_of(plan)) == plan


def test_events_at_an_end_stay_in_their_order():
    plan = parse(f"{TWO}on linux fault reset linux\nat 9 pause linux\non linux done pause bench\n")
    assert plan.events == [Event(9, "pause", "linux"), Event(0, "reset", "linux", "linux", "fault"),
                           Event(0, "pause", "bench", "linux", "done")]
    assert parse(text_of(plan)) == plan == replace(unpack(pack(plan)), name=plan.name)


def test_too_many_events():
    most = abi.constant("PLAN_EVENT_MAX")
    assert len(parse(TWO + most * "at 5 pause linux\n").events) == most
    refused(TWO + (most + 1) * "at 5 pause linux\n", TWO.count("\n") + most + 1,
            f"too many events, at most {most}")
    ends = abi.constant("PLAN_ON_MAX")
    both = TWO + most * "at 5 pause linux\n" + ends * "on linux done pause linux\n"
    assert len(parse(both).events) == most + ends
    refused(both + "on linux done pause linux\n", both.count("\n") + 1,
            f"too many events, at most {ends}")


def test_events_need_trapped_interrupts():
    text = f"config direct\n{GUEST.replace('cpus=2 ', '')}"
    parse(text)
    refused(f"{text}vm linux cpus=1\nat 5 pause linux\n", 4,
            "events need irq=trapped: irq=direct in config 'direct'")


# Colours of the last-level cache

COLOURED = "config on trapped stage2=4K colouring=on\nconfig off trapped stage2=4K\nbench b\n"


@pytest.mark.parametrize("said, colours", [
    ("0", (0,)), ("15", (15,)), ("0-7", tuple(range(8))), ("1,3", (1, 3)), ("9-10,2", (2, 9, 10)),
    ("3,1-4", (1, 2, 3, 4)), ("0-15", tuple(range(16)))])
def test_colours(said, colours):
    plan = parse(f"{COLOURED}vm bench colours={said}\n")
    assert plan.vms["bench"].colours == colours and parse(text_of(plan)) == plan
    assert unpack(pack(plan)) == plan


def test_a_vm_without_colours_has_any():
    assert parse(f"{COLOURED}vm bench\nvm load cores=1 colours=3\n").vms["bench"].colours == ()


@pytest.mark.parametrize("image, ram_mib, colours, window", [
    ("load", 16, "0-7", 32), ("load", 16, "0-15", 16), ("load", 16, "0", 256),
    ("load", 16, "0-2", 86), ("linux", 64, "4,5,6,7,8", 206), ("bench", 0, "0-7", 32)])
def test_a_window_has_every_colour(image, ram_mib, colours, window):
    """A row of 64 KiB for each page of each colour, in whole 2 MiB; of a bench guest the least."""
    vm = Vm(image, (0,), ram_mib, 1, "", colours_of(colours))
    assert vm.window_mib(coloured=True) == window
    assert vm.window_mib(coloured=False) == ram_mib


def colours_of(said: str) -> tuple[int, ...]:
    return parse(f"{COLOURED}vm bench colours={said}\n").vms["bench"].colours


# A control VM, and vCPUs of a pair

COMMANDED = "config a trapped beside=active_control\nbench b\n"


def test_a_control_vm_has_a_core_and_is_there_where_it_commands():
    plan = parse(f"{COMMANDED}config b trapped beside=load_cpu\nconfig c trapped sched=fp"
                 " beside=active_control\n")
    there = {config: list(taking_part(plan.vms, words_of(plan.configs[config])))
             for config in plan.configs}
    assert there == {"a": ["bench", "load1", "control"], "b": ["bench", "load1"],
                     "c": ["bench", "load0", "control"]}
    assert plan.vms["control"].cores == (2,)


# Links

ECHO = "config a trapped beside=load_echo\nbench b\n"
LOADS = "vm bench\nvm one image=load cores=1\nvm two image=load cores=2\n"


def test_loads_that_answer_have_a_link_to_the_measured_vm():
    assert parse(ECHO).links == {"link0": Link("doorbell", "bench", "load1")}
    assert parse(ECHO.replace("echo", "cpu")).links == {}
    both = parse(f"config b trapped sched=fp beside=load_cpu\n{ECHO}")
    assert list(both.vms) == ["bench", "load0", "load1"]
    assert both.links == {"link0": Link("doorbell", "bench", "load1")}


def test_links_are_as_they_are_said():
    plan = parse(f"{ECHO}{LOADS}link a kind=doorbell b=two a=bench\n")
    assert plan.links == {"a": Link("doorbell", "bench", "two")}
    assert parse(text_of(plan)) == plan


def test_a_guests_lines_may_come_after_the_vm():
    plan = parse(f"config trapped\nvm a image=linux\n{GUEST}")
    assert plan.vms == {"a": Vm("linux", (0, 1), 64, 1)}


def test_an_event_may_come_before_its_vm():
    plan = parse(TWO.replace("vm bench", "at 5 destroy linux\nvm bench"))
    assert plan.events == [Event(5, "destroy", "linux")]
