# SPDX-License-Identifier: Apache-2.0
"""The plan language: what a plan means, and which message answers each mistake."""


import pytest

from golden import FOLDER, UPDATING
from hypbench import abi
from hypbench.plan_language import parse, text_of
from hypbench.plan_model import PLATFORMS
from hypbench.plan_vms import Guest, Vm
from hypbench.plan_words import PlanError
from hypbench.renamed import AXES as OLD_AXES, VALUES
from hypbench.tree import Tree

START = "config native\nbench counter\n"
GUEST = "config trapped\nguest ram_mib=64\n"
LOADED = GUEST + "load ipa=0x40200000 size=4096\n"
LOAD_4 = "load ipa=0x40200000 size=4"


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
    plan = parse("name first\nname mine\nplatform qemu-icount\norder once\nlimit_ms 14400000\n"
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
    more = dict.fromkeys(("load_net", "load_block", "load_ring"), linked) | {
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
    "name abcdefghijklmnopqrstuvw\n" + START])
def test_a_plan_that_is_right_is_what_its_own_text_means(text):
    plan = parse(text)
    assert parse(text_of(plan)) == plan


@pytest.mark.parametrize("word", Tree().scenarios())
def test_a_scenario_is_what_its_own_text_means(word):
    plan = Tree().plan(word)
    assert parse(text_of(plan)) == plan


# Mistakes: golden/refused-plans.txt has plans with wrong lines, each with its message below it. A
# wrong line makes a plan with the right lines of its block.

REFUSED = FOLDER / "refused-plans.txt"
BLOCKS = REFUSED.read_text().rstrip().split("\n\n")
MARK = "^ "
SMALL = {"guest_base": 0x80000000, "guest_size": 16 << 20, "store_base": 0x48000000,
         "store_size": 4 << 20, "cores.count": 2}


def answered(block: str) -> str:
    """Return the block with the messages that the parser gives."""
    lines = block.splitlines()
    wrong = [number for number, below in enumerate(lines[1:]) if below.startswith(MARK)]
    for at in wrong:
        kept = [number for number, line in enumerate(lines)
                if number == at or number not in wrong and not line.startswith(MARK)]
        lines[at + 1] = MARK + message_of([lines[number] for number in kept], kept.index(at) + 1)
    return "\n".join(lines)


def message_of(lines: list[str], line: int) -> str:
    board = SMALL if lines[0] == "# of a small board" else None
    try:
        parse("".join(f"{one}\n" for one in lines), board=board)
    except PlanError as error:
        return error.message if error.line == line else str(error)
    return "no error"


@pytest.mark.parametrize("at", range(len(BLOCKS)))
def test_a_wrong_line_is_refused_with_its_message(at):
    assert answered(BLOCKS[at]) == BLOCKS[at]


@pytest.mark.skipif(not UPDATING, reason="UPDATE_GOLDEN=1 rewrites golden/refused-plans.txt")
def test_the_messages_are_rewritten():
    REFUSED.write_text("\n\n".join(map(answered, BLOCKS)) + "\n")


@pytest.mark.parametrize("line", ["bench b\x01", "# \x1b[31m", "bench b \x7f", "name caf\u00e9",
                                  "# \x85", "\0"])
def test_other_characters_are_refused(line):
    refused(f"{START}{line}\nname after\n", 3, "characters that are not printable ASCII")


def test_a_new_name_is_an_axis_or_a_value():
    for axis, values in VALUES.items():
        assert axis in abi.axes() and set(values.values()) <= set(abi.axes()[axis])
        assert not values.keys() & set(abi.axes()[axis])
    assert not OLD_AXES.keys() & abi.axes().keys() and set(OLD_AXES.values()) <= abi.axes().keys()


def test_a_benchmark_that_is_not_there():
    refused("config native\nbench hvx\nnonsense\n", 2,
            "no benchmark 'hvx', nearest 'hvc'; valid: hvc smc", benches=["hvc", "smc"])


def test_every_beginning_of_a_plan_is_taken_or_refused():
    text = "name x\nplatform silicon\nconfig a native lr=sw delay_el2=4\nbench b n=5"
    for length in range(len(text)):
        try:
            parse(text[:length])
        except PlanError as error:
            assert 1 <= error.line <= 4 and error.message


def test_the_short_plan_runs_what_the_default_plan_runs():
    short, default = map(Tree().plan, ("short", "default"))
    assert short.configs == default.configs
    assert [name for name, _ in short.benches] == [name for name, _ in default.benches]
