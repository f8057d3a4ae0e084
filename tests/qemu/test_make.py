# SPDX-License-Identifier: Apache-2.0
"""Results of make with good and bad words, and what make leaves alone."""

import json
import os
import re
import subprocess
import zlib
from pathlib import Path

import pytest

from lab import ROOT, TREE, board_facts
from mistakes import IMPOSSIBLE, WRONG_WORDS


def make(*words: str, status: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("BOARD", "PLAN", "SCENARIO")}
    done = subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env=environment, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_unknown_board_names_the_boards():
    said = make("BOARD=nosuch", status=2)
    assert "unknown BOARD=nosuch" in said
    assert all(board in said for board in TREE.reference_boards())


def test_an_unknown_scenario_names_the_scenarios():
    said = make("bench", "SCENARIO=nosuch", status=2)
    assert "nosuch" in said and "default" in said and "short" in said


@pytest.mark.parametrize("words, says", WRONG_WORDS)
def test_a_wrong_word_is_one_line_with_the_nearest(words, says):
    """make reads nothing else and runs nothing."""
    said = make(*words, status=2)
    assert says in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("words, says", IMPOSSIBLE)
def test_what_cannot_run_is_refused_before_anything_is_built(words, says):
    """One line, and make's own last one; no line of the set-up where nothing is missing."""
    said = make(*words, status=2)
    assert says in said and len(said.splitlines()) == 2, said


def test_the_words_of_a_target_are_words_of_make():
    """A word that was renamed in one list alone would be refused wherever it is given."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    lists = {name: words.split() for name, words in re.findall(r"^(OF_\S+|WORDS) := (.*)$", text,
                                                               re.MULTILINE)}
    valid = {*lists.pop("WORDS"), "SHELL", "$(OF_run-guest)"}
    assert len(lists) > 10
    assert {name: set(words) - valid for name, words in lists.items() if set(words) - valid} == {}


def test_help_names_every_target():
    said = make("help")
    for target in ("setup", "image", "sdcard", "tftp", "flash", "bench", "runs", "capture",
                   "compile-commands", "run-guest", "peers", "compare", "debug", "check",
                   "qemu-test", "qemu-test-all", "unit-test",
                   "update-expected", "trace", "report", "reference", "guest-linux", "guest-uboot",
                   "guest-zephyr", "guest-freertos", "hostile-nightly", "gem5-test", "clean"):
        assert f"make {target} " in said


def test_help_has_each_target_once_in_a_group_and_whole_lines():
    lines = make("help").splitlines()[2:]
    texts = {line.split()[1]: line for line in lines if line.startswith("  make ")}
    files = [ROOT / "Makefile", ROOT / "boards" / "images.mk", ROOT / "tests" / "unit" / "unit.mk"]
    named = [target for file in files
             for target in re.findall(r"^## ([a-z0-9-]+): ", file.read_text(), re.MULTILINE)]
    assert sorted(texts) == sorted(named)
    groups = [line for line in lines if not line.startswith("  ")]
    assert len(lines) == len(named) + len(groups) and len(groups) == 5
    assert lines[0] == "Measure" and lines[1].startswith("  make bench ")
    assert [line for line in texts.values() if line.endswith((",", ";", ":"))
            or line.count("(") != line.count(")")] == []


def test_make_alone_is_the_help_and_builds_nothing():
    assert make() == make("help")
    assert make("BOARD=virt-a15").startswith("hypbench: BOARD=virt-a15")


def test_the_compilation_database_has_each_source_that_is_there():
    path = ROOT / make("compile-commands", "BOARD=virt-a15").split()[-1]
    entries = json.loads(path.read_text())
    files = {entry["file"] for entry in entries}
    assert {"hyp/trap/trap.c", "guest/bench/hvc.c", "hyp/arch/armv7/vectors.S"} <= files
    assert all((ROOT / name).is_file() for name in files)
    assert all(entry["command"].startswith("arm-none-eabi-gcc ") for entry in entries)


@pytest.mark.long
def test_capture_without_a_port_names_the_ports():
    said = make("capture", status=2)
    assert "on which serial port?" in said and "there are: " in said
    said = make("capture", "TTY=/dev/ttyUSB77", "BAUD=9600", "LIMIT=5", status=2)
    assert "Error: cannot open /dev/ttyUSB77 at 9600 8N1: it is not there; there are: " in said
    assert "waiting" not in said


RECORDED = "tests/host/logs/release-0.1.0.jsonl"


def recorded_with(change, path: Path) -> Path:
    """Each record as `change` makes it, with its CRC."""
    def framed(line: bytes) -> bytes:
        data = json.loads(line)
        del data["crc"]
        body = json.dumps(change(data), separators=(",", ":")).encode()[:-1]
        return body + b',"crc":"%08x"}\n' % zlib.crc32(body)

    path.write_bytes(b"".join(map(framed, (ROOT / RECORDED).read_bytes().splitlines())))
    return path


def longer(data: dict) -> dict:
    """By 100 ticks, if it is an hypercall's."""
    if (data["kind"], data.get("bench")) != ("bench", "hypercall"):
        return data
    names = [name for name in data if name in ("cold", "mean", "min", "max")
             or name.startswith(("p5", "p9", "raw_"))]
    return data | {name: data[name] + 100 for name in names} | {
        "hist": [[edge + 100, count] for edge, count in data["hist"]]}


def renamed(data: dict) -> dict:
    return data | {"variant": "other"} if data.get("variant") == "iidr" else data


@pytest.mark.long
def test_compare_takes_its_words_and_ends_with_the_tools_own_status(tmp_path):
    a, words = f"A={RECORDED}", ("compare", f"A={RECORDED}", "THRESHOLD=5%")
    slow, other = recorded_with(longer, tmp_path / "slow"), recorded_with(renamed, tmp_path / "o")
    assert "SLOWER by more than 5 %" in make(*words, f"B={slow}", status=1)
    assert "3 rows of A are not in B" in make(*words, f"B={other}", status=2)
    make(*words, f"B={other}", "ALLOW_MISSING=1")
    said = make("compare", f"B={RECORDED}", status=2)
    assert "make compare wants A=<kept run or records>" in said
    assert "│ same" in make("compare", a, f"B={RECORDED}", "TABLE=long")


def changed(wanted: dict, **members):
    """Other members of the records that have the members `wanted`."""
    return lambda data: data | members if wanted.items() <= data.items() else data


UNLIKE = {
    "compiler": (changed({"kind": "run"}, compiler="14.2.0"), "another compiler: A"),
    "batch": (changed({"kind": "bench", "bench": "mmio"}, batch=8), "3 rows cannot be compared"),
    "hz": (lambda data: data | {"hz": 1_000_000} if "hz" in data else data, "hz"),
    "": (changed({"kind": "bench"}, hz=1_000_000), "hz 1000000, and the run's is"),
}


@pytest.mark.long
@pytest.mark.parametrize("allowed", UNLIKE)
def test_compare_ends_with_2_where_the_runs_are_not_alike(tmp_path, allowed):
    """What can be allowed passes by its name alone: a row whose hz is not its run's never does."""
    change, says = UNLIKE[allowed]
    words = ("compare", f"A={RECORDED}", f"B={recorded_with(change, tmp_path / 'b')}")
    assert says in make(*words, status=2)
    others = " ".join({"compiler", "hz", "batch"} - {allowed})
    assert says in make(*words, f"ALLOW={others}", "ALLOW_MISSING=1", status=2)
    if allowed in ("compiler", "batch"):
        make(*words, f"ALLOW={allowed}", "THRESHOLD=0")


@pytest.mark.long
def test_update_expected_takes_the_board_it_is_told():
    assert "update_expected.py virt-a15" in " ".join(
        make("update-expected", "BOARD=virt-a15", "-n").replace("\\\n", " ").split())
    assert not make("update-expected", "-n").rstrip().endswith("virt-a72")


def test_nothing_is_rebuilt_when_nothing_changed(built):
    make("image", f"BOARD={built}")
    assert make("image", f"BOARD={built}", "--no-print-directory").strip() in (
        "", "make: Nothing to be done for 'image'.")


def test_a_header_rebuilds_who_includes_it(built):
    said = make("image", f"BOARD={built}", "-n", "--what-if=hyp/vcpu/vgic.h")
    assert "-c hyp/vcpu/vgic.c" in said and "-c hyp/trap/trap.c" in said
    assert "-c lib/crc32.c" not in said


def test_the_text_of_a_plan_is_no_reason_to_compile(built):
    said = make("image", f"BOARD={built}", "-n", "--what-if=scenarios/default.toml")
    compiled = [word.split()[0] for word in said.split(" -c ")[1:]
                if "build_id" not in word.split()[0]]
    assert compiled == ["hyp/arch/common/embedded.S"]


@pytest.mark.long
def test_debug_stops_in_hypervisor_and_guest(built):
    command = [ROOT / "tools" / "debug.sh", board_facts(built)["QEMU"], f"build/{built}", "-batch",
               "-ex", "break hyp_main", "-ex", "continue", "-ex", "break guest_main", "-ex",
               "continue", "-ex", "info symbol $pc", "-ex", "print run->bench.name"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    assert "Breakpoint 1, hyp_main" in done.stdout, done.stdout + done.stderr
    assert "Breakpoint 2, guest_main" in done.stdout
    assert '"counter"' in done.stdout


REGISTERS = {"armv7": ("hsr", "elr_hyp", "hcr"), "armv8": ("esr_el2", "elr_el2", "far_el2")}


@pytest.mark.long
@pytest.mark.job("config native\nbench counter n=1\n", planted="own_fault", status=2)
def test_a_fault_of_our_own_panics_with_registers_and_a_status(result, board):
    said = "\n".join(result.log.text)
    assert "panic: hyp/trap/trap.c:" in said and "exception in the hypervisor" in said
    for name in REGISTERS[board_facts(board)["ISA"]]:
        assert f"  {name} 0x" in said
    assert not result.records("end")


def test_a_zephyr_runs_on_a_gicv3_unless_a_board_is_named():
    name = "an image.elf"
    said = make("-n", "guest-zephyr", f"GUEST={name}")
    assert "run-guest --board virt-a72-gicv3 " in said and f"-- '{name}'" in said
    assert "run-guest --board virt-a15 " in make("-n", "guest-zephyr", "BOARD=virt-a15", "GUEST=x")
    assert "run-guest --board virt-a72 " in make("-n", "guest-freertos", "GUEST=x")


@pytest.mark.long
def test_a_report_of_all_boards_builds_their_images():
    """`all` is no board to the make of one: it would refuse the word."""
    said = make("-n", "report", "BOARD=all")
    for board in TREE.reference_boards():
        assert f"qemu-image BOARD={board}" in said and f" --board {board}" in said
