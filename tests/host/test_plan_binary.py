# SPDX-License-Identifier: Apache-2.0
"""The binary plan: EL2's structs equal the host tool's layout for each isa's compiler, and a packed
plan reads back as the same plan."""

import ctypes
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from golden import FOLDER
from hypbench import __version__, abi
from hypbench.plan import write_plan
from hypbench.plan_binary import (HEADER, MAGIC, PLAN, PLAN_SIZE, SECTION_SIZE, VERSION,
                                  is_section, pack, unpack, words)
from hypbench.plan_language import parse
from hypbench.plan_model import PLATFORMS
from hypbench.plan_vms import ENDS, EVENTS, IMAGES, LINK_KINDS
from hypbench.tree import HOME, Tree, UnknownName
from planlines import plan_lines

GUEST = "config trapped\nguest cpus=4\nload ipa=0x40200000 size=4\nload size=5\n"
VMS = ("config trapped sched=fp fp=lazy\nbench hvc\n"
       + "".join(f"guest {name}\nload ipa=0x40200000 size={size}\nload size=5\n"
                 for name, size in (("a", 4), ("b", 8)))
       + "vm x image=b cores=3,1,2,0 ram_mib=64 prio=255\nvm bench\nvm a\n"
         "vm background prio=0 cores=2\n"
         "at 4294967295 destroy x\nat 0 pause bench\nat 70 create a\nat 70 resume background\n"
         "on x fault reset x\non a done pause bench\n")


def members(struct_type: type, name: str) -> Iterator[tuple[str, str]]:
    """Return the members of a struct with their names in C, and the format of each."""
    if issubclass(struct_type, ctypes.Structure):
        for member, kind in struct_type._fields_:
            yield from members(kind, f"{name}.{member}")
    elif not issubclass(struct_type, ctypes.Array):
        yield name.removeprefix("."), "I"
    elif struct_type._type_ is ctypes.c_char:
        yield name.removeprefix("."), f"{struct_type._length_}s"
    else:
        for i in range(struct_type._length_):
            yield from members(struct_type._type_, f"{name}[{i}]")


MEMBERS = list(members(PLAN, ""))


def assertions() -> str:
    """Return C code that does not compile if an offset, a size, an enumerator or a preset
    differs."""
    lines = ["#include <stddef.h>", '#include "abi/hypercall.h"', '#include "abi/plan.h"',
             '#include "abi/virtio_net.h"']

    def equal(expression: str, value: object) -> None:
        lines.append(f'_Static_assert({expression} == {value}, "{expression}");')
    offset = HEADER.size
    for member, kind in MEMBERS:
        size = 4 if kind == "I" else int(kind[:-1])
        equal(f"offsetof(struct plan_section, plan.{member})", offset)
        equal(f"sizeof(((struct plan *)0)->{member})", size)
        offset += size
    equal("sizeof(struct plan_section)", offset)
    equal("sizeof(struct plan)", PLAN_SIZE)
    for at, word in enumerate(("magic", "version", "length", "crc")):
        equal(f"offsetof(struct plan_section, {word})", [0, 16, 20, 24][at])
    equal("sizeof(PLAN_SECTION_MAGIC)", len(MAGIC))
    equal("PLAN_VERSION", VERSION)
    for name, value in abi.enumerators().items():
        equal(name, value)
    for prefix, table, known in (("PLATFORM", "PLATFORMS", PLATFORMS),
                                 ("PLAN_IMAGE", "PLAN_IMAGES", IMAGES),
                                 ("PLAN_EVENT", "PLAN_EVENTS", EVENTS),
                                 ("PLAN_END", "PLAN_ENDS", ENDS),
                                 ("PLAN_LINK", "PLAN_LINK_KINDS", LINK_KINDS)):
        for at, (name, word) in enumerate(abi.table(table)):
            assert known[at] == word
            equal(f"{prefix}_{name}", at)
        equal(f"{prefix}_COUNT", len(known))
    return "\n".join([*lines, ""])


def compiled(program: str, text: str) -> subprocess.CompletedProcess:
    return subprocess.run([program, "-std=gnu11", "-ffreestanding", "-fsyntax-only", f"-I{HOME}",
                           "-xc", "-"], input=text, capture_output=True, text=True, check=False)


def compiler(isa: str) -> str | None:
    text = (HOME / "arch" / isa / "toolchain.mk").read_text()
    return next(filter(None, (shutil.which(f"{cross}gcc")
                              for cross in re.findall(r"CROSS := (\S+)", text))), None)


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_the_layout_is_the_one_that_el2_reads(isa):
    program = compiler(isa)
    if not program:
        pytest.skip(f"no compiler for {isa}")
    process = compiled(program, assertions())
    assert process.returncode == 0, process.stderr[:2000]
    for right, wrong in (("PLATFORM_GEM5 == 3", "PLATFORM_GEM5 == 2"),
                         ("plan.vm[7].core[3]) == 19508", "plan.vm[7].core[3]) == 19504"),
                         ("plan.event[1023].vm) == 31940", "plan.event[1023].vm) == 31936"),
                         ("PLAN_EVENT_CREATE == 4", "PLAN_EVENT_CREATE == 5")):
        lines = assertions().splitlines(keepends=True)
        planted, = (line for line in lines if f"({right}" in line or f"{right}," in line)
        assert compiled(program, "".join(lines[:4]) + planted.replace(right, wrong)).returncode


def test_another_layout_has_another_version():
    """To change the layout, add the digest of the new layout to golden/plan-layouts.txt; never
    change a digest that is there."""
    layout = repr((MEMBERS, abi.axes(), PLATFORMS, IMAGES, EVENTS, ENDS, LINK_KINDS))
    known = dict(line.split() for line in (FOLDER / "plan-layouts.txt").read_text().splitlines())
    assert hashlib.sha256(layout.encode()).hexdigest()[:16] == known[str(VERSION)]


def test_axes_have_the_words_of_their_enumerators():
    """A preset names STAGE2_2M where a plan has stage2=2M."""
    for name, *settings in abi.table("CONFIG_PRESETS"):
        for text in settings:
            axis, constant = text.removeprefix(".").split(" = ")
            word = abi.axes()[axis][abi.presets()[name][axis]]
            assert constant in ("0", "1") or constant.partition("_")[2].lower() == word.lower()


PLANS = list(map(plan_lines, Tree().scenarios()))


@pytest.mark.parametrize("text", [*(text for text in PLANS if "recipe=" not in text), GUEST, VMS])
def test_there_and_back(text):
    plan = parse(f"{text}platform gem5\nmachine of some kind\n")
    section = pack(plan)
    assert len(section) == SECTION_SIZE and is_section(section + b"more")
    assert unpack(section) == plan


def test_the_run_record_has_the_plan_in_words():
    plan = parse("name mine\norder once\nlimit_ms 7\nconfig a trapped lr=sw delay_el2=64\n"
                 "config native\nbench hvc\nplatform gem5\nmachine of \"some\" kind\n")
    record = json.loads(f"{{{words(plan)[1:]}}}")
    a, native = record.pop("configs")
    assert record == {"platform": "gem5", "machine": 'of "some" kind', "hypbench": __version__,
                      "plan": "mine", "order": "once", "limit_ms": 7}
    assert native["name"] == "native" and native["stage2"] == "off"
    assert list(a) == ["name", *abi.axes()]
    assert (a["name"], a["irq"], a["lr"], a["delay_el2"]) == ("a", "trapped", "sw", 64)


def test_the_longest_words_have_room():
    axes = {axis: values.index(max(values, key=len)) if values else abi.numbers(
        "CONFIG_NUMBERS")[axis][1] for axis, values in abi.axes().items()}
    configs = {f"{i:0{abi.constant('CONFIG_NAME_SIZE') - 1}}": axes
               for i in range(abi.constant("PLAN_CONFIG_MAX"))}
    plan = replace(parse("config native\nbench hvc\n"), configs=configs, name="x" * 23,
                   machine="\x01" * (abi.constant("PLAN_MACHINE_SIZE") - 1))
    assert unpack(pack(plan)) == plan


def test_what_is_damaged_is_no_section():
    section = pack(parse(GUEST))
    assert HEADER.unpack_from(section) == (MAGIC, VERSION, PLAN_SIZE,
                                           zlib.crc32(section[HEADER.size:]))
    for at in (*range(HEADER.size), *range(HEADER.size, len(section), 101)):
        assert not is_section(section[:at] + bytes([section[at] ^ 1]) + section[at + 1:])
    assert not is_section(section[:-1])


def test_the_image_knows_its_board():
    """The tool checks a new plan for an image against the image's board."""
    lines = "guest ram_mib=16\nload ipa=0x40200000 size=64\n"
    old = pack(replace(parse("config native\nbench b\n"), board="virt-a72"))
    text = f"config native\n{lines}"
    with pytest.raises(UnknownName, match="virt-a72: plan line 2: the guest's RAM is not in"):
        write_plan(old, parse(text))
    new = write_plan(old, parse(f"config trapped\n{lines}"))
    assert unpack(new).board == "virt-a72"
    for strange in ("", "mine", "../boards/virt-a72"):
        image = pack(replace(parse("config native\nbench b\n"), board=strange))
        assert unpack(write_plan(image, parse(text))).board == strange


def test_the_build_needs_no_environment_of_the_host_tools(tmp_path):
    """The build needs neither click nor any other package beyond Python's own: -S leaves out
    site-packages."""
    words = [sys.executable, "-S", "-B", "-m", "hypbench.plan_binary", "rpi4", "default"]
    run = {"env": {"PYTHONPATH": str(HOME / "tools")}, "cwd": tmp_path, "capture_output": True}
    text = (HOME / "scenarios/default.toml").read_bytes()
    process = subprocess.run(words, input=text, check=True, **run)
    assert process.stdout == pack(replace(Tree().plan("default"), board="rpi4"))
    process = subprocess.run(words, input=b"[config.nativ]\n", check=False, **run)
    assert process.returncode == 1 and not process.stdout
    assert process.stderr.startswith(
        b"default.toml:1: config 'nativ' has no from, nearest 'native'; valid: native direct")
