# SPDX-License-Identifier: Apache-2.0
"""A plan whose VMs a machine, or a board, cannot run is refused when the image gets the plan,
with the line, and with the configuration where another one could be had."""

from dataclasses import replace

import pytest

from hypbench.plan import write_plan
from hypbench.plan_binary import DECIDED, HEADER, PLAN, pack, unpack
from hypbench.plan_language import parse
from hypbench.tree import UnknownName
from test_plan_language import SMALL

LOAD = "load ipa=0x40200000 size=64\n"
GUEST = f"guest ram_mib=16\n{LOAD}"


def said(text: str, board: dict | None = None) -> str:
    """The message that refuses the plan; empty where it is taken."""
    try:
        parse(text, board=SMALL | (board or {}))
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("text", [
    f"config trapped\nconfig direct\n{GUEST}",
    "config native\nguest ram=0x80c00000 ram_mib=4 entry=0x80c00000\n"
    "load ipa=0x80c00000 size=4\nload store=0x1000 ipa=0x48001000 size=4\n",
    f"config trapped\n{GUEST}vm a image=guest ram_mib=8\nvm b image=guest cores=1 ram_mib=8\n",
    "config trapped\nguest ram_mib=16\nload store=0x3ff000 ipa=0x40200000 size=0x1000\n",
    f"config trapped\nguest ram_mib=16 cpus=2\n{LOAD}",
    *(f"config trapped\n{GUEST}load ipa={ipa} size=64\n"  # beside a device
      for ipa in ("0x07fff000", "0x08020000", "0x080c0000", "0x09001000"))])
def test_what_just_fits(text):
    assert said(text) == ""


def test_more_vcpus_than_have_statistics():
    more = f"{GUEST}vm a image=guest cores=0-3 ram_mib=4\nvm b image=guest cores=0,1 ram_mib=4\n"
    text = f"config a trapped sched=rr fp=lazy stats=on\n{more}"
    assert said(text, {"cores.count": 4}).endswith(
        "stats and trace are for 5 vCPUs, not 6: config 'a'")
    assert said(text.replace("0,1", "1"), {"cores.count": 4}) == ""


def test_a_board_without_a_store_and_one_that_says_no_cores():
    assert said(f"config trapped\n{GUEST}", {"store_size": 0}).endswith(
        "which has 0x0 bytes on this board")
    board = {name: value for name, value in SMALL.items() if name != "cores.count"}
    with pytest.raises(ValueError, match="the VMs want 2 cores: this board has 1"):
        parse(f"config trapped\nguest ram_mib=16 cpus=2\n{LOAD}", board=board)


def test_the_image_knows_its_board():
    """And another plan in it is held against that one."""
    old = pack(replace(parse("config native\nbench b\n"), board="virt-a72"))
    text = f"config native\n{GUEST}"
    with pytest.raises(UnknownName, match="virt-a72: plan line 2: the guest's RAM is not in"):
        write_plan(old, parse(text))
    new = write_plan(old, parse(f"config trapped\n{GUEST}"))
    assert unpack(new).board == "virt-a72"
    for strange in ("", "mine", "../boards/virt-a72"):
        other = pack(replace(parse("config native\nbench b\n"), board=strange))
        assert unpack(write_plan(other, parse(text))).board == strange


DECIDED_OF = [
    ("config trapped\nbench b\n", 1, (0, 1, 0, 0, 2, 2, 1000, 200)),
    ("platform gem5\norder once\nconfig trapped\nconfig direct\nbench b\nbench c\nbench d\n",
     1, (0, 1, 0, 0, 1, 6, 10, 10)),
    ("config trapped sched=rr fp=lazy\nbench b\n", 0b11, (0, 1, 0, 0, 2, 2, 1000, 200)),
    (f"config trapped\nbench b\n{GUEST}vm a image=guest cores=2,3\nvm background cores=1\n"
     "vm bench\n", 0b111, (2, 4, 1, 16, 2, 2, 1000, 200)),
    (f"config trapped sched=rr fp=lazy\n{GUEST}vm a image=guest ram_mib=4\n"
     "vm b image=guest ram_mib=4 cores=1\nvm background cores=1\n",
     0b111, (0, 2, 2, 8, 1, 1, 1000, 200))]


@pytest.mark.parametrize("text, vms, expected", DECIDED_OF)
def test_what_el2_need_not_find_out(text, vms, expected):
    packed = PLAN.from_buffer_copy(pack(parse(text)), HEADER.size)
    assert tuple(getattr(packed, name) for name in DECIDED) == expected
    assert packed.taking_part[0] == vms
