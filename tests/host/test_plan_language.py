# SPDX-License-Identifier: Apache-2.0
"""The meaning of plans, and the message for each mistake. golden/plans.txt has plans; below each,
"=" begins a part of the plan as the parser reads it, and "@" the content of the plan's binary form.
golden/refused-plans.txt has plans with wrong lines, each with its message below it. A wrong line
makes a plan with the right lines of its block."""


from collections.abc import Iterator

import pytest

from golden import FOLDER, check_block
from hypbench import abi
from hypbench.plan_binary import DERIVED, HEADER, PLAN, beside, pack, unpack
from hypbench.plan_language import parse, text_of
from hypbench.plan_model import ORDERS, PLATFORMS, Plan, words_of_configs, words_of
from hypbench.plan_vms import taking_part
from hypbench.plan_words import PlanError
from hypbench.renamed import AXES as OLD_AXES, VALUES
from hypbench.tree import Tree

START = "config native\nbench counter\n"
PLANS, BLOCKS = ((FOLDER / name).read_text().rstrip().split("\n\n")
                 for name in ("plans.txt", "refused-plans.txt"))
MARK = "^ "
SMALL = {"guest_base": 0x80000000, "guest_size": 16 << 20, "store_base": 0x48000000,
         "store_size": 4 << 20, "cores.count": 2}
BOARD = "# of a small board"


def board_of(first: str) -> dict[str, int] | None:
    """Return the numbers of the board that the first line of a block names; numbers after the name
    replace others."""
    if not first.startswith(BOARD):
        return None
    others = dict(word.split("=") for word in first.removeprefix(BOARD).split())
    board = SMALL | {name: int(number or "0", 0) for name, number in others.items()}
    return {name: number for name, number in board.items() if others.get(name) != ""}


# --- the meaning of a plan ---

def members(part: object, usual: dict[str, object] | None = None) -> str:
    """Return the members whose values differ from the default."""
    values = part if isinstance(part, dict) else vars(part)
    return " ".join(f"{name}={value!r}" for name, value in values.items()
                    if (usual or {}).get(name) != value)


def parts_of(plan: Plan) -> Iterator[str]:
    yield (f"name={plan.name!r} platform={PLATFORMS[plan.platform]} machine={plan.machine!r}"
           f" order={ORDERS[plan.order]} limit_ms={plan.limit_ms}")
    first = {axis: words[0] for axis, words in abi.axes().items() if words}
    for name, config in plan.configs.items():
        axes = words_of(config)
        numbers = {axis: value for axis, value in config.items() if value and axis not in axes}
        yield f"config {name}: {members(axes | numbers, first)}".rstrip()
        if (load_config := beside(config)) != config:
            yield f"config of the load's core: {members(words_of(load_config), axes)}"
    yield from (f"bench {name}: {members(params)}" for name, params in plan.benches)
    yield from (f"guest {name}: {members(guest)}" for name, guest in plan.guests.items())
    usual = {"load": "", "colours": (), "configs": (), "beside": False}
    for name, vm in plan.vms.items():
        window = f" window_mib={vm.window_mib(coloured=True)}" * bool(vm.colours)
        yield f"vm {name}: {members(vm, usual)}{window}"
    yield from (f"link {name}: {members(link)}" for name, link in plan.links.items())
    yield from map(members, plan.events)


def binary_of(plan: Plan) -> Iterator[str]:
    section = pack(plan)
    packed = PLAN.from_buffer_copy(section, HEADER.size)
    assert unpack(section) == plan
    yield " ".join(f"{name}={getattr(packed, name)}" for name in DERIVED)
    yield from (f"load of vm {at}: {vm.load}" for at, vm in enumerate(packed.vm) if vm.load)
    for at, (name, config) in enumerate(words_of_configs(plan).items()):
        vms = taking_part(plan.vms, config)
        assert vms.keys() == {vm for bit, vm in enumerate(plan.vms)
                              if packed.taking_part[at] >> bit & 1}
        yield f"in {name}: {' '.join(vms)}"
    assert not any(list(packed.taking_part)[len(plan.configs):])


def meaning(block: str) -> str:
    lines = [line for line in block.splitlines() if line[:2] not in ("= ", "@ ")]
    try:
        plan = parse("\n".join(lines), board=board_of(lines[0]))
    except PlanError as error:
        return str(error)
    assert parse(text_of(plan)) == plan
    binary = [] if "recipe=" in block else binary_of(plan)
    return "\n".join([*lines, *(f"= {part}" for part in parts_of(plan)),
                      *(f"@ {part}" for part in binary)])


@pytest.mark.parametrize("block", PLANS, ids=lambda block: block.splitlines()[0])
def test_a_plan_means_what_is_below_it(block):
    check_block("plans.txt", block, meaning(block))


def test_a_machine_line_has_room_for_511_characters():
    assert parse(START + "machine\n").machine == ""
    assert parse(f"{START}platform gem5\nmachine a \"b\" ").machine == "a \"b\" "
    assert parse(f"{START}machine {'x' * 511}").machine == "x" * 511
    check_refused(f"{START}machine {'x' * 512}", 3, "machine is longer than 511 characters")


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
        check_refused(f"{START}bench b {param}={value}", 3,
                      f"wrong number '{param}={value}'; valid: {least} to {most}")


def test_the_short_plan_runs_what_the_default_plan_runs():
    short, default = map(Tree().plan, ("short", "default"))
    assert short.configs == default.configs
    assert [name for name, _ in short.benches] == [name for name, _ in default.benches]


# --- mistakes ---

def check_refused(text: str, line: int, message: str, **more) -> None:
    with pytest.raises(PlanError) as caught:
        parse(text, **more)
    assert (caught.value.message, caught.value.line) == (message, line)
    assert str(caught.value) == f"plan line {line}: {message}"


def answered(block: str) -> str:
    """Return the block with the messages that the parser gives."""
    lines = block.splitlines()
    wrong = [number for number, below in enumerate(lines[1:]) if below.startswith(MARK)]
    for at in wrong:
        numbers = [number for number, line in enumerate(lines)
                   if number == at or number not in wrong and not line.startswith(MARK)]
        lines[at + 1] = MARK + message_of([lines[number] for number in numbers],
                                          numbers.index(at) + 1)
    return "\n".join(lines)


def message_of(lines: list[str], line: int) -> str:
    try:
        parse("".join(f"{text}\n" for text in lines), board=board_of(lines[0]))
    except PlanError as error:
        return error.message if error.line == line else str(error)
    return "no error"


@pytest.mark.parametrize("at", range(len(BLOCKS)))
def test_a_wrong_line_is_refused_with_its_message(at):
    check_block("refused-plans.txt", BLOCKS[at], answered(BLOCKS[at]))


@pytest.mark.parametrize("line", ["bench b\x01", "# \x1b[31m", "bench b \x7f", "name caf\u00e9",
                                  "# \x85", "\0"])
def test_other_characters_are_refused(line):
    check_refused(f"{START}{line}\nname after\n", 3, "characters that are not printable ASCII")


@pytest.mark.parametrize("kind, constant", [("at 5", "PLAN_EVENT_MAX"),
                                            ("on other done", "PLAN_ON_MAX")])
def test_too_many_events(kind, constant):
    most, line = abi.constant(constant), f"{kind} pause other\n"
    plan = "config trapped\nbench b\nvm bench\nvm other image=load cores=1\n" + most * line
    assert len(parse(plan).events) == most
    check_refused(plan + line, most + 5, f"too many events, at most {most}")


def test_a_new_name_is_an_axis_or_a_value():
    for axis, values in VALUES.items():
        assert axis in abi.axes() and set(values.values()) <= set(abi.axes()[axis])
        assert not values.keys() & set(abi.axes()[axis])
    assert not OLD_AXES.keys() & abi.axes().keys() and set(OLD_AXES.values()) <= abi.axes().keys()


def test_every_beginning_of_a_plan_is_taken_or_refused():
    text = "name x\nplatform silicon\nconfig a native lr=sw delay_el2=4\nbench b n=5"
    for length in range(len(text)):
        try:
            parse(text[:length])
        except PlanError as error:
            assert 1 <= error.line <= 4 and error.message
