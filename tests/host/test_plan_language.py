# SPDX-License-Identifier: Apache-2.0
"""The plan language: what a plan means, and which message answers each mistake."""

import re

import pytest

from hypbench import abi
from hypbench.plan_language import PLATFORMS, PlanError, parse, text_of
from hypbench.plan_vms import Guest, Vm
from hypbench.renamed import AXES as OLD_AXES, VALUES
from hypbench.tree import HOME, Tree

START = "config native\nbench counter\n"
GUEST = "config trapped\nguest ram_mib=64\n"
LOADED = GUEST + "load ipa=0x40200000 size=4096\n"
LOAD_4 = "load ipa=0x40200000 size=4"
AXES = ("stage1 stage2 fill colouring irq lr lr_sync eoi wfi traps frame fp sched errata state"
        " stats trace probes cycles events cntp pause_clock beside delay_el2 slice_us vcpus"
        " cntvoff_us")
PARAMS = "n delay pages period period_us batch seed after_ms timed"
PLATFORM_WORDS = "silicon qemu-icount qemu-host gem5"
STATEMENTS = "name platform machine order limit_ms config bench guest load vm link at on"
PRESETS = "native direct trapped trapped-sw"
BAD_NAME = "not a name (A-Z a-z 0-9 _ . -): "
NOT_BOTH = "a plan has bench lines or a guest, not both, without vm lines"
FULL = "lr_sync=full needs irq=trapped, and goes without probes, stats and trace: config 'a'"
PROBES = "probes=on goes without stats=on and trace=on: config 'a'"
ENTRY = "entry is not in the guest's RAM or a load, or not aligned"


def refused(text: str, line: int, message: str, **more) -> None:
    with pytest.raises(PlanError) as caught:
        parse(text, **more)
    assert (caught.value.message, caught.value.line) == (message, line)
    assert str(caught.value) == f"plan line {line}: {message}"


# The meaning of a plan

def test_the_smallest_plan_has_the_defaults():
    plan = parse(START)
    assert (plan.name, PLATFORMS[plan.platform], plan.order, plan.limit_ms) == ("", "silicon", 0,
                                                                                20000)
    assert plan.configs == {"native": abi.presets()["native"]}
    assert plan.benches == [("counter", {"n": 1000, "delay": 0, "pages": 65536, "period": 5003,
                                         "period_us": 0, "batch": 1, "seed": 1, "after_ms": 0,
                                         "timed": 0})]
    assert not plan.guests and plan.vms == {"bench": Vm("bench", (0,), 0, 1)}


def test_every_line_is_taken():
    plan = parse("name mine\nplatform qemu-icount\norder once\nlimit_ms 14400000\n"
                 "config a trapped stage2=4K wfi=trapped stats=on delay_el2=65536\n"
                 "config native trace=on\nbench b n=1000000 delay=4 seed=4294967295\nbench b n=1\n")
    assert (plan.name, PLATFORMS[plan.platform], plan.order, plan.limit_ms) == (
        "mine", "qemu-icount", 1, 14400000)
    assert list(plan.configs) == ["a", "native"]
    assert plan.configs["a"] == abi.presets()["trapped"] | {
        "stage2": 1, "wfi": 1, "stats": 1, "delay_el2": 65536}
    assert plan.configs["native"]["trace"] == 1
    assert [(name, said["n"], said["seed"]) for name, said in plan.benches] == [
        ("b", 1000000, 4294967295), ("b", 1, 1)]


def test_presets_are_those_of_the_header():
    assert abi.presets()["trapped-sw"] == dict.fromkeys(abi.axes(), 0) | {
        "stage2": 2, "irq": 1, "lr": 1, "traps": 1}
    for name, preset in abi.presets().items():
        assert parse(f"config {name}\nbench b\n").configs == {name: preset}
        assert parse(f"config native {name}\nbench b\n").configs == {"native": preset}


def test_a_machine_is_the_rest_of_its_line():
    said = "gem5 1.7 core=\"x\" \\ "
    assert parse(f"{START}machine  {said}# its core\n").machine == said
    assert parse(START, ["platform gem5", f"machine {said}"]).machine == said
    assert parse(START + "machine\n").machine == ""
    assert parse(f"{START}machine {'x' * 511}").machine == "x" * 511
    refused(f"{START}machine {'x' * 512}", 3, "machine is longer than 511 characters")


@pytest.mark.parametrize("axis", abi.axes())
def test_every_axis_takes_each_of_its_values(axis):
    preset = "trapped" if axis in ("sched", "lr_sync", "cntp", "beside") else "direct"
    linked = ("vm bench\nvm load1 image=load cores=1\nvm s image=load load=load_echo cores=2\n"
              "link l kind=doorbell a=load1 b=s\n")
    more = dict.fromkeys(("load_net", "load_block"), linked) | {
        "load_ping": "vm bench\nvm l image=load cores=1\nlink n kind=virtio a=bench b=l\n",
        "linux": "guest recipe=stress\nvm bench\nvm linux image=guest cores=1\n"}
    more["on"] = "vm bench colours=0\n" if axis == "colouring" else ""
    pages = " stage2=4K" if axis == "colouring" else ""
    for value, word in enumerate(abi.axes()[axis]):
        plan = parse(f"config {preset} {axis}={word}{pages}\nbench b\n{more.get(word, '')}")
        assert plan.configs[preset][axis] == value


@pytest.mark.parametrize("param", abi.numbers("BENCH_PARAMS"))
def test_every_parameter_takes_its_range_and_nothing_else(param):
    least, most = abi.numbers("BENCH_PARAMS")[param]
    for value in (least, most, hex(most)):
        assert parse(f"{START}bench b {param}={value}").benches[1][1][param] == int(str(value), 0)
    for value in (least - 1, most + 1):
        refused(f"{START}bench b {param}={value}", 3,
                f"wrong number '{param}={value}'; valid: {least} to {most}")


def test_blanks_and_comments_do_not_matter():
    plan = parse("# first\n\n   \t# more\r\n\tconfig\tnative# here\r\n  bench  b  n=5 # and\n"
                 "#config wrong")
    assert list(plan.configs) == ["native"] and plan.benches[0][1]["n"] == 5


def test_the_last_of_a_kind_counts():
    plan = parse(f"platform silicon\nname a\nlimit_ms 0\n{START}platform qemu-host\nname b\n"
                 "limit_ms 5")
    assert (PLATFORMS[plan.platform], plan.name, plan.limit_ms) == ("qemu-host", "b", 5)


def test_a_plan_may_be_full():
    full = "".join(f"config c{i} native\n" for i in range(16)) + "bench b\n" * 32
    plan = parse(full)
    assert (len(plan.configs), len(plan.benches)) == (16, 32)
    refused(full + "bench b\n", 49, "too many benches, at most 32")
    refused(full + "config d native\n", 49, "too many configs, at most 16")


def test_a_guest_has_the_defaults():
    plan = parse("order abba\nlimit_ms 0\n" + LOADED)
    assert plan.guests == {"guest": Guest(
        {"ram": 0x40000000, "ram_mib": 64, "cpus": 1, "entry": 0x40200000, "dtb": 0},
        [{"store": 0, "ipa": 0x40200000, "size": 4096}])}
    assert plan.vms == {"guest": Vm("guest", (0,), 64, 1)}
    assert plan.benches == [] and plan.order == 1 and plan.limit_ms == 0


@pytest.mark.parametrize("text", [
    "config trapped\nguest ram=0xc0000000 ram_mib=1024 entry=0xc0000000\n"
    "load ipa=0xc0000000 size=0x40000000\n",
    LOADED + "load ipa=0x43fff000 size=0x1000\n",
    LOADED + "load ipa=0x40201000 size=1\nload ipa=0x40000000 size=0x200000\n",
    "config trapped\nguest entry=4092\nload size=4096\n",
    "config a direct sched=fp irq=trapped\nbench b\n",
    "config a direct cntp=emulated irq=trapped\nbench b\n",
    "config a direct events=tlb\nconfig b direct events=tlb cycles=on\nbench b\n",
    "config a direct fill=lazy\nconfig b native fill=eager\nbench b\n",
    "config a trapped probes=on stats=off trace=off\nconfig b trapped lr_sync=full\nbench b\n",
    "name abcdefghijklmnopqrstuvw\n" + START,
    *(Tree().plan_text(name) for name in Tree().plans())])
def test_a_plan_that_is_right_is_what_its_own_text_means(text):
    plan = parse(text)
    assert parse(text_of(plan)) == plan


# Mistakes

@pytest.mark.parametrize("line, message", [
    ("benhc counter", f"unknown word 'benhc'; valid: {STATEMENTS}"),
    ("x" * 299, f"unknown word '{'x' * 40}...'; valid: {STATEMENTS}"),
    ("platform qemu", f"unknown word 'qemu'; valid: {PLATFORM_WORDS}"),
    ("platform", f"a word is missing; valid: {PLATFORM_WORDS}"),
    ("order ABBA", "unknown word 'ABBA'; valid: abba once"),
    ("order once twice", "one word too many: 'twice'"),
    ("name my plan", "one word too many: 'plan'"), ("limit_ms 5 6", "one word too many: '6'"),
    ("config a trappd", f"unknown preset 'trappd'; valid: {PRESETS}"),
    ("config a stage2=4K", f"a preset is missing after 'a'; valid: {PRESETS}"),
    ("config a native stage3=4K", f"unknown axis 'stage3=4K'; valid: {AXES}"),
    ("config a native stage2=8K", "unknown value 'stage2=8K'; valid: off 4K 2M 1G"),
    ("config a native irq=", "unknown value 'irq='; valid: direct trapped"),
    ("config a native irq=trapped irq", "not name=value: 'irq'"),
    ("config a native lr=sw lr=hw", "said twice: 'lr=hw'"),
    ("config a native =", f"unknown axis '='; valid: {AXES}"),
    ("config a native delay_el2=65538", "wrong number 'delay_el2=65538'; valid: 0 to 65536"),
    ("config native trapped", "there is already a config 'native'"),
    ("bench b m=5", f"unknown parameter 'm=5'; valid: {PARAMS}"),
    ("bench b 5", f"unknown parameter '5'; valid: {PARAMS}"),
    *((f"bench b n={word}", f"wrong number 'n={word}'; valid: 1 to 1000000")
      for word in ("", "0", "5k", "-5", "+5", "1_0", "0x", "0xA", "18446744073709551617")),
    ("bench b seed=4294967297", "wrong number 'seed=4294967297'; valid: 1 to 4294967295"),
    ("bench b n=1 n=2", "said twice: 'n=2'"),
    ("limit_ms 0", "limit_ms 0 is for a guest, not for benchmarks"),
    ("limit_ms 14400001", "wrong number '14400001'; valid: 1 to 14400000"),
    ("limit_ms", "wrong number ''; valid: 1 to 14400000"),
    # They would never end.
    ("bench b delay=3", "must be even, and not 2: 'delay=3'"),
    ("bench b delay=2", "must be even, and not 2: 'delay=2'"),
    ("config a native delay_el2=1", "must be even, and not 2: 'delay_el2=1'"),
    ("config a trapped stage2=off", "irq=trapped needs stage 2: stage2=off in config 'a'"),
    ("config b native irq=trapped", "irq=trapped needs stage 2: stage2=off in config 'b'"),
    ("config a direct sched=rr",
     "a second VM (sched) needs irq=trapped: irq=direct in config 'a'"),
    ("config a direct beside=active_call",
     "beside=active_call needs irq=trapped: irq=direct in config 'a'"),
    ("config a native cntp=emulated", "cntp=emulated needs irq=trapped: irq=direct in config 'a'"),
    ("config a direct events=tlb cycles=off",
     "events are counted beside cycles: cycles=off in config 'a'"),
    ("config a native fill=lazy", "fill=lazy needs stage 2: stage2=off in config 'a'"),
    ("config a trapped probes=on stats=on", PROBES), ("config a native trace=on probes=on", PROBES),
    ("config a trapped lr_sync=full stats=on", FULL), ("config a direct lr_sync=full", FULL),
    ("config", "a name is missing"), ("bench", "a name is missing"), ("name", "a name is missing"),
    ("name a\"b", BAD_NAME + "'a\"b'"), ("bench n=5", BAD_NAME + "'n=5'"),
    ("name abcdefghijklmnopqrstuvwx",
     "name longer than 23 characters: 'abcdefghijklmnopqrstuvwx'"),
    *((line, "characters that are not printable ASCII")
      for line in ("bench b\x01", "# \x1b[31m", "bench b \x7f", "name caf\u00e9", "# \x85", "\0"))])
def test_a_wrong_line(line, message):
    refused(f"{START}{line}\nname after\n", 3, message)


@pytest.mark.parametrize("text, line, message", [
    ("", 1, "the plan has no config line"), ("config native\n", 1, "the plan has no bench line"),
    ("bench counter\n# end\n", 2, "the plan has no config line"),
    (GUEST + "load at=5\n", 3, "unknown field 'at=5'; valid: store ipa size"),
    ("guest mem=5\n", 1, "unknown field 'mem=5'; valid: ram ram_mib cpus entry dtb"),
    ("guest cpus=5\n", 1, "wrong number 'cpus=5'; valid: 1 to 4"),
    ("guest ram_mib=0\n", 1, "wrong number 'ram_mib=0'; valid: 2 to 3072"),
    ("guest entry=0x100000000\n", 1, "wrong number 'entry=0x100000000'; valid: 0 to 4294967295"),
    (GUEST + "load ipa=0 size=0\n", 3, "wrong number 'size=0'; valid: 1 to 4294967295"),
    (LOADED + "bench b\n", 4, NOT_BOTH), ("bench b\nguest\n", 2, NOT_BOTH),
    ("config trapped\nload size=1\n", 2, "a load needs a guest line before it"),
    (GUEST + "name a\n", 2, "the guest has no load line"),
    (GUEST + "guest\n", 3, "there is already a guest 'guest'"),
    (f"guest\n{LOAD_4}\n", 2, "the plan has no config line"),
    (GUEST + "".join(f"load ipa=0x4020{i}000 size=4096\n" for i in range(9)), 11,
     "too many loads, at most 8"),
    ("guest ram=0x40100000\n", 1, "ram is not a multiple of 2 MiB"),
    ("guest ram=0xc0000000 ram_mib=1025\n", 1, "the RAM ends above 4 GiB"),
    (GUEST + "load ipa=0x40200000\n", 3, "a load's size is missing"),
    (GUEST + "load store=0x800 ipa=0x40200000 size=4\n", 3, "store is not a multiple of 4 KiB"),
    (GUEST + "load ipa=0xffffffff size=2\n", 3, "the load ends above 4 GiB"),
    (GUEST + "load ipa=0x43fff000 size=0x1001\n", 3, "the load ends beyond the guest's RAM"),
    (GUEST + "load ipa=0x3ffff000 size=0x1001\n", 3, "the load reaches into the guest's RAM"),
    (GUEST + "load ipa=0x3fffff00 size=4\n", 3,
     "ipa of a load outside of RAM is not a multiple of 4 KiB"),
    (LOADED + "load ipa=0x40200fff size=1\n", 4, "the load overlaps another"),
    (LOADED + "load ipa=0x40000000 size=0x200001\n", 4, "the load overlaps another"),
    (f"config trapped\nguest entry=0\n{LOAD_4}\n", 2, ENTRY),
    (f"config trapped\nguest entry=0x40200002\n{LOAD_4}\n", 2, ENTRY),
    ("config trapped\nguest entry=4096\nload size=4096\n", 2, ENTRY),
    (f"config trapped\nguest dtb=0x4\n{LOAD_4}\n", 2, "dtb is not in the guest's RAM or a load"),
    (f"config a trapped probes=on\nguest\n{LOAD_4}\n", 2,
     "probes=on is for benchmarks: config 'a'"),
    (f"config a trapped sched=rr\nguest\n{LOAD_4}\n", 2,
     "no core has several vCPUs: sched=rr in config 'a'")])
def test_a_wrong_plan(text, line, message):
    refused(text, line, message)


@pytest.mark.parametrize("word, message", [
    *((f"lrs={old}", f"axis lrs is now lr_sync: lr_sync={new}")
      for old, new in (("needed", "lazy"), ("all", "full"), ("none", "none"))),
    ("lr_sync=all", "value all of axis lr_sync is now full: lr_sync=full"),
    ("cntp=owned", "value owned of axis cntp is now passthrough: cntp=passthrough"),
    ("cntp=trapped", "value trapped of axis cntp is now emulated: cntp=emulated"),
    ("fp=owned", "value owned of axis fp is now static: fp=static"),
    ("sched=slice", "value slice of axis sched is now rr: sched=rr"),
    ("sched=priority", "value priority of axis sched is now fp: sched=fp")])
def test_an_old_name_is_refused_with_the_new_one(word, message):
    refused(f"config a trapped wfi=native {word}\nbench b\n", 1, message)


def test_a_new_name_is_an_axis_or_a_value():
    for axis, values in VALUES.items():
        assert axis in abi.axes() and set(values.values()) <= set(abi.axes()[axis])
        assert not values.keys() & set(abi.axes()[axis])
    assert not OLD_AXES.keys() & abi.axes().keys() and set(OLD_AXES.values()) <= abi.axes().keys()


def test_a_benchmark_that_is_not_there():
    refused("config native\nbench hvx\nnonsense\n", 2, "no benchmark 'hvx'; valid: hvc smc",
            benches=["hvc", "smc"])


def test_every_beginning_of_a_plan_is_taken_or_refused():
    text = "name x\nplatform silicon\nconfig a native lr=sw delay_el2=4\nbench b n=5"
    for length in range(len(text)):
        try:
            parse(text[:length])
        except PlanError as error:
            assert 1 <= error.line <= 4 and error.message


# The page

PAGE = (HOME / "docs" / "plans.md").read_text()


def test_the_short_plan_runs_what_the_default_plan_runs():
    short, default = (parse(Tree().plan_text(name)) for name in ("short", "default"))
    assert short.configs == default.configs
    assert [name for name, _ in short.benches] == [name for name, _ in default.benches]


def test_the_documented_plans_are_right():
    plans = re.findall(r"```plan\n(.*?)```", PAGE, re.DOTALL)
    assert plans
    for text in plans:
        parse(text)


def test_the_documented_message_is_the_real_one():
    with pytest.raises(PlanError) as caught:
        parse("config native\nbench b\nconfig a native delay_el2=much\n")
    assert f"{caught.value}\n" in PAGE
