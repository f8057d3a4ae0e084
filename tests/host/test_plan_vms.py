# SPDX-License-Identifier: Apache-2.0
"""`vm` lines of a plan: what they mean, what a plan without them means, and which message answers
each mistake."""

from dataclasses import replace

import pytest

from hypbench import abi
from hypbench.plan_binary import pack, unpack
from hypbench.plan_language import parse, text_of, words_of
from hypbench.plan_vms import Event, Guest, Link, Vm, measured_vm, taking_part
from hypbench.plan_words import PlanError
from test_plan_language import LOAD_4, refused

BENCH = "config a trapped sched=rr fp=lazy\nbench b\n"
ALONE = "config a trapped\nbench b\n"
GUEST = f"guest linux cpus=2 ram_mib=64\n{LOAD_4}\n"
ALL = "bench background load control linux"
FIELDS = "image cores load configs colours cpus ram_mib prio"


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


def test_a_guests_lines_may_come_after_the_vm():
    plan = parse(f"config trapped\nvm a image=linux\n{GUEST}")
    assert plan.vms == {"a": Vm("linux", (0, 1), 64, 1)}


def test_guests_have_loads_of_their_own():
    plan = parse(f"config trapped\n{GUEST}guest bsd\n{LOAD_4}\nload size=7\n"
                 "vm linux cores=0\nvm bsd cores=1\n")
    assert [len(guest.loads) for guest in plan.guests.values()] == [1, 2]
    assert isinstance(plan.guests["bsd"], Guest) and plan.order == 1


def test_what_several_vms_mean_is_in_their_text():
    text = ("config a trapped sched=fp fp=eager\nbench b\n" + GUEST
            + "vm left image=linux cores=0,1 ram_mib=32 prio=9\nvm bench cores=1\n")
    plan = parse(text)
    assert parse(text_of(plan)) == plan
    assert "vm left image=linux cores=0,1 ram_mib=32 prio=9\n" in text_of(plan)


@pytest.mark.parametrize("policy, cores, there", [
    ("null", 0, {"bench"}), ("rr", 0, {"bench", "background"}), ("fp", 0, {"bench", "background"}),
    ("null", 1, {"bench", "background"})])
def test_a_background_vm_stays_off_a_core_without_a_policy(policy, cores, there):
    found = {"bench": Vm("bench", (0,), 0, 1), "background": Vm("background", (cores,), 0, 0)}
    assert taking_part(found, {"sched": policy, "beside": "none"}).keys() == there


def test_a_core_alone_in_one_configuration_and_shared_in_another():
    plan = parse("config native\nconfig a trapped sched=fp\nbench b\nvm bench\nvm background\n")
    assert plan == parse("config native\nconfig a trapped sched=fp\nbench b\n")


# Mistakes

@pytest.mark.parametrize("line, message", [
    ("vm", "a name is missing"),
    ("vm image=bench", "not a name (A-Z a-z 0-9 _ . -): 'image=bench'"),
    ("vm abcdefghijklmnopqrstuvwx", "name longer than 23 characters: 'abcdefghijklmnopqrstuvwx'"),
    ("vm linux", "there is already a vm 'linux'"),
    ("vm other", f"an image is missing after 'other'; valid: {ALL}"),
    ("vm other image=bsd", f"unknown image 'bsd'; valid: {ALL}"),
    ("vm other image=", f"unknown image ''; valid: {ALL}"),
    ("vm bench core=0", f"unknown field 'core=0'; valid: {FIELDS}"),
    ("vm bench cores", "not name=value: 'cores'"),
    ("vm bench cores=0 cores=0", "said twice: 'cores=0'"),
    ("vm bench sched=fp", "the policy is the cores', not a VM's: config NAME sched=fp"),
    *((f"vm o image=linux cores={word}", f"wrong cores 'cores={word}'; valid: 0 to 3, one for each"
       " vCPU, like 0,2 or 0-1")
      for word in ("", "4", "0-4", "2-1", "-1", "0,", "a", "0x1", "0..3", "0-1-2", "9" * 20)
      if len(word) < 9),
    ("vm o image=linux cores=0-3,0", "cores=0-3,0 has 5 cores, at most 4: one for each vCPU"),
    ("vm o image=linux cores=0-2 cpus=2", "cpus=2, but cores=0-2 has 3: one for each vCPU"),
    ("vm o image=linux cpus=5", "wrong number 'cpus=5'; valid: 1 to 4"),
    ("vm o image=linux cpus=0", "wrong number 'cpus=0'; valid: 1 to 4"),
    ("vm o image=linux prio=256", "wrong number 'prio=256'; valid: 0 to 255"),
    ("vm o image=linux prio=-1", "wrong number 'prio=-1'; valid: 0 to 255"),
    ("vm o image=linux ram_mib=3073", "wrong number 'ram_mib=3073'; valid: 0 to 3072"),
    # the image ends at 2 MiB and 4 bytes
    ("vm o image=linux ram_mib=2", "ipa of a load outside of RAM is not a multiple of 4 KiB"),
    ("vm control cores=0,1", "image=control has one vCPU, vm 'control' 2"),
    ("vm background cpus=2", "image=background has one vCPU, vm 'background' 2"),
    ("vm bench ram_mib=64", "ram_mib is for guests and loads, vm 'bench' has image=bench")])
def test_a_wrong_vm(line, message):
    guest = GUEST.replace(LOAD_4, "load ipa=0x40200001 size=4\nload ipa=0x40000000 size=4096"
                          ) if "ram_mib=2" in line else GUEST
    start = BENCH + guest + "vm linux\n"
    start = start.replace("guest linux", "guest linux entry=0x40000000")
    refused(f"{start}{line}\n", start.count("\n") + 1, message)


@pytest.mark.parametrize("text, line, message", [
    (BENCH + GUEST + "vm bench\n", 5, "no vm line has the guest 'linux': vm NAME image=linux"),
    (BENCH + GUEST + "vm linux\n", 5, "no VM has the benchmarks: vm NAME image=bench"),
    ("config trapped\n" + GUEST + "vm linux\nvm bench cores=2\n", 5,
     "image=bench needs a bench line"),
    (ALONE.replace("trapped", "trapped fp=lazy") + GUEST + "vm bench cores=1\nvm linux\n", 6,
     "several vCPUs on core 1 (bench and linux) need sched=rr or fp: sched=null in config 'a'"),
    ("config trapped\n" + GUEST + "vm linux cores=2,2\n", 4,
     "cores=2,2: each vCPU of a VM has a core of its own"),
    (BENCH + "vm bench\nvm background cores=1\n", 4,
     "no core has several vCPUs: sched=rr in config 'a'"),
    (BENCH.replace("lazy", "static") + GUEST + "vm bench cores=1\nvm linux\n", 6,
     "guests on core 1 with another VM need fp=lazy or eager: fp=static in config 'a'"),
    (BENCH + "vm bench\nvm b image=bench\n", 4, "two VMs with image=bench: one measures"),
    (ALONE.replace("trapped", "direct") + "vm bench\nvm background cores=1\n", 4,
     "several VMs need irq=trapped: irq=direct in config 'a'"),
    ("config trapped\n" + GUEST + f"guest two\n{LOAD_4}\n", 4,
     "2 guests need vm lines: vm NAME image=linux"),
    ("config trapped\nguest bench\n", 2,
     "a guest cannot have the name 'bench', an image of hypbench's own"),
    ("config trapped\nguest background\n", 2,
     "a guest cannot have the name 'background', an image of hypbench's own"),
    (ALONE + "".join(f"vm v{i} image=bench cores={i % 4}\n" for i in range(9)), 11,
     "too many VMs, at most 8"),
    ("".join(f"guest g{i}\n{LOAD_4}\n" for i in range(5)), 9, "too many guests, at most 4")])
def test_a_wrong_plan(text, line, message):
    refused(text, line, message)


# Events

TWO = BENCH + GUEST + "vm bench\nvm linux\n"


def test_events_are_in_the_order_of_their_times():
    plan = parse(f"{TWO}at 700 resume linux\nat 0 pause bench\nat 4294967295 destroy linux\n"
                 "at 700 reset linux\nat 9 create linux\n")
    assert plan.events == [Event(0, "pause", "bench"), Event(9, "create", "linux"),
                           Event(700, "resume", "linux"), Event(700, "reset", "linux"),
                           Event(4294967295, "destroy", "linux")]
    assert parse(text_of(plan)) == plan


def test_an_event_may_come_before_its_vm():
    plan = parse(TWO.replace("vm bench", "at 5 destroy linux\nvm bench"))
    assert plan.events == [Event(5, "destroy", "linux")]


def test_without_vm_lines_the_guest_has_events_by_its_name():
    plan = parse(f"config trapped\n{GUEST}at 5 reset linux\n")
    assert plan.events == [Event(5, "reset", "linux")] and parse(text_of(plan)) == plan


def test_events_at_an_end_stay_in_their_order():
    plan = parse(f"{TWO}on linux fault reset linux\nat 9 pause linux\non linux done pause bench\n")
    assert plan.events == [Event(9, "pause", "linux"), Event(0, "reset", "linux", "linux", "fault"),
                           Event(0, "pause", "bench", "linux", "done")]
    assert parse(text_of(plan)) == plan == replace(unpack(pack(plan)), name=plan.name)


@pytest.mark.parametrize("line, message", [
    ("on", "a name is missing"),
    ("on linux", "a word is missing; valid: reset done refused failed crashed fault"),
    ("on linux gone pause linux",
     "unknown word 'gone'; valid: reset done refused failed crashed fault"),
    ("on linux done stop linux", "unknown word 'stop'; valid: pause resume reset destroy create"),
    ("on linux done pause", "a name is missing"),
    ("on bsd done pause linux", "no vm 'bsd'; valid: bench linux"),
    ("on linux done pause bsd", "no vm 'bsd'; valid: bench linux"),
    ("on linux done reset bench", "reset of the VM with the benchmarks; valid: pause resume"),
    ("on bench done reset linux", "the step is over when the VM with the benchmarks ends"),
    ("at", "wrong number ''; valid: 0 to 4294967295"),
    ("at soon pause linux", "wrong number 'soon'; valid: 0 to 4294967295"),
    ("at -1 pause linux", "wrong number '-1'; valid: 0 to 4294967295"),
    ("at 4294967296 pause linux", "wrong number '4294967296'; valid: 0 to 4294967295"),
    ("at 5", "a word is missing; valid: pause resume reset destroy create"),
    ("at 5 stop linux", "unknown word 'stop'; valid: pause resume reset destroy create"),
    ("at 5 pause", "a name is missing"),
    ("at 5 pause linux bench", "one word too many: 'bench'"),
    ("at 5 pause bsd", "no vm 'bsd'; valid: bench linux"),
    *((f"at 5 {what} bench", f"{what} of the VM with the benchmarks; valid: pause resume")
      for what in ("reset", "destroy", "create"))])
def test_a_wrong_event(line, message):
    refused(f"{TWO}{line}\nat 6 pause linux\n", TWO.count("\n") + 1, message)


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


def test_the_tables_of_the_header():
    assert abi.numbers("PLAN_VM_FIELDS")["cpus"][1] == abi.constant("PLAN_VM_CPUS")
    own = {"image", "cores", "load", "configs", "colours"}
    assert set(abi.numbers("PLAN_VM_FIELDS")) | own == set(FIELDS.split())


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


@pytest.mark.parametrize("word", ["", "16", "0-16", "7-0", "-1", "0,", ",", "a", "0x1",
                                  "0..3", "all"])
def test_wrong_colours(word):
    refused(f"{COLOURED}vm bench colours={word}\n", 4,
            f"wrong colours 'colours={word}'; valid: a set of 0 to 15, like 0-7 or 1,3")


def test_a_vm_without_ram_has_no_colours():
    refused(f"{BENCH}vm bench\nvm background colours=0\n", 4,
            "colours= is of a VM's RAM, vm 'background' has image=background and none")


@pytest.mark.parametrize("config, grain", [
    ("native", "off"), ("direct", "2M"), ("trapped", "2M"), ("trapped-sw stage2=1G", "1G")])
def test_colouring_needs_pages(config, grain):
    refused(f"config a {config} colouring=on\nbench b\nvm bench colours=0\n", 1,
            "colouring=on is valid with stage2=4K alone (direct, trapped and trapped-sw):"
            f" stage2={grain} in config 'a'")


def test_colouring_needs_colours():
    refused(f"{COLOURED}vm bench\n", 4,
            "colouring=on needs a VM with colours (vm NAME colours=0-7): config 'on'")


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


@pytest.mark.parametrize("lines, message", [
    (f"{COMMANDED}vm bench\nvm load cores=1\n", "beside=active_control needs one control VM (vm"
     " NAME image=control cores=N): config 'a'"),
    (f"{COMMANDED}vm bench\nvm load cores=1\nvm control cores=1\n", "beside=active_control needs"
     " one control VM"),
    (f"{COMMANDED}vm bench\nvm load cores=1\nvm control cores=2\nvm more image=control cores=3\n",
     "beside=active_control needs one control VM"),
    ("config a direct\nbench b\nvm bench cores=0,1\n", "vm 'bench' has several vCPUs: they need"
     " irq=trapped and fill=eager in config 'a'"),
    ("config a trapped fill=lazy beside=load_cpu\nbench b\nvm bench\nvm load cores=1,2\n",
     "vm 'load' has several vCPUs: they need irq=trapped and fill=eager in config 'a'"),
    ("config a trapped beside=active_control vcpus=5\nbench b\n",
     "wrong number 'vcpus=5'; valid: 0 to 4")])
def test_a_pair_that_cannot_be_is_refused(lines, message):
    with pytest.raises(PlanError) as caught:
        parse(lines)
    assert message in str(caught.value)


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


@pytest.mark.parametrize("line, message", [
    ("link a a=bench b=one", "link 'a' has no kind=; it needs kind, a, b"),
    ("link a kind=pipe a=bench b=one", "unknown kind 'pipe'; valid: doorbell"),
    ("link a kind=doorbell a=bench b=three", "no vm 'three'; valid: bench one two"),
    ("link a kind=doorbell a=one b=one", "link 'a' has vm 'one' at both ends"),
    ("link a kind=doorbell a=bench c=one", "unknown field 'c=one'; valid: kind a b"),
    ("link a kind=doorbell a=bench a=one b=two", "said twice: 'a=one'"),
    ("link a kind=doorbell a=bench b=one\nlink a kind=doorbell a=bench b=two",
     "there is already a link 'a'"),
    ("link a kind=doorbell a=bench b=one\nlink b kind=doorbell a=bench b=two",
     "vm 'bench' has two links in config 'a', at most one"),
    ("vm busy image=background cores=3\nlink a kind=doorbell a=bench b=busy",
     "link 'a' needs VMs with image=bench or load, or, of kind=virtio, with a guest;"
     " vm 'busy' has image=background"),
    ("config d direct beside=load_cpu\nlink a kind=doorbell a=bench b=one",
     "link 'a' needs irq=trapped, or kind=doorbell between two loads: irq=direct in config 'd'"),
    ("config d native beside=load_net\nlink a kind=virtio a=one b=two",
     "link 'a' needs irq=trapped, or kind=doorbell between two loads: irq=direct in config 'd'"),
    ("\n".join(f"link l{i} kind=doorbell a=bench b=one" for i in range(5)),
     "too many links, at most 4")])
def test_a_wrong_link_is_refused(line, message):
    with pytest.raises(PlanError) as caught:
        parse(f"{ECHO}{LOADS}{line}\n")
    assert message in str(caught.value)
