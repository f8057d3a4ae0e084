# SPDX-License-Identifier: Apache-2.0
"""make with right and wrong words: its messages, its commands, and the files that it rebuilds."""

import json
import os
import re
import shutil
import subprocess

import pytest

from commandlogs import LOGS
from lab import ROOT, TREE, board_facts
from mistakes import IMPOSSIBLE, WRONG_WORDS


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items()
            if name not in ("BOARD", "PLAN", "SCENARIO", "MAKELEVEL", "MAKEFLAGS")}


def make(*words: str, status: int = 0) -> str:
    process = subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True,
                             timeout=300, env=environment(), stdin=subprocess.DEVNULL, check=False)
    assert process.returncode == status, process.stdout + process.stderr
    return process.stdout + process.stderr


@pytest.fixture
def no_compiler(tmp_path, monkeypatch):
    """A make that wrongly goes on to build an image ends at its first file."""
    for name in ("aarch64-linux-gnu-gcc", "aarch64-none-elf-gcc", "arm-none-eabi-gcc"):
        (tmp_path / name).symlink_to("/bin/false")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("words, message", WRONG_WORDS)
def test_a_wrong_word_is_one_line_with_the_nearest(words, message):
    """make reads nothing else and runs nothing."""
    output = make(*words, status=2)
    assert message in output and len(output.splitlines()) == 1


@pytest.mark.long
@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("words, message", IMPOSSIBLE)
def test_what_cannot_run_is_refused_before_anything_is_built(words, message):
    """The refusal is one line and make's own last line, with no line of the set-up if nothing is
    missing."""
    output = make(*words, status=2)
    assert message in output and len(output.splitlines()) == 2, output


def test_an_image_takes_no_scenario_but_the_card_that_needs_the_image_does():
    """make calls itself for the image, with the words of the card."""
    refusal = make("image", "SCENARIO=tlb", status=2)
    assert "make image takes no SCENARIO=; make image takes: DTB= WITHOUT= " in refusal
    assert len(refusal.splitlines()) == 1
    commands = make("-n", "sdcard", "BOARD=rpi4", "SCENARIO=tlb")
    assert "sdcard --check --board rpi4 --scenario \"tlb\"" in commands and (
        "takes no" not in commands)


def test_the_words_of_a_target_are_words_of_make():
    """A word that is renamed in only one list would be refused everywhere."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    lists = {name: words.split() for name, words in re.findall(r"^(OF_\S+|WORDS) := (.*)$", text,
                                                               re.MULTILINE)}
    valid = {*lists.pop("WORDS"), "SHELL", "$(OF_run-guest)", "$(OF_sdcard)"}
    assert len(lists) > 10
    assert {name: set(words) - valid for name, words in lists.items() if set(words) - valid} == {}


def test_an_object_that_boards_share_is_compiled_alike_for_each():
    """If a command had a board's own address or option, the object would be that of the board built
    first."""
    commands = {}
    for board in TREE.boards():
        output = make("objects", "-nB", "V=1", f"BOARD={board}")
        for command, path in re.findall(r"^(.* -c .* -o (\S+))$", output, re.MULTILINE):
            commands.setdefault(path, {})[command] = board
    assert len(commands) > 300
    assert {path: variants for path, variants in commands.items() if len(variants) > 1} == {}


def test_help_names_every_target():
    text = make("help")
    for target in ("setup", "image", "sdcard", "tftp", "flash", "bench", "runs", "capture",
                   "compile-commands", "run-guest", "peers", "compare", "debug", "check",
                   "qemu-test", "qemu-test-all", "unit-test",
                   "update-expected", "trace", "report", "reference", "guest-linux", "guest-uboot",
                   "guest-zephyr", "guest-freertos", "hostile-nightly", "gem5-test", "clean"):
        assert f"make {target} " in text


def test_each_family_of_targets_is_known():
    """make calls itself with such goals, and would refuse an unknown family."""
    files = [ROOT / "Makefile", ROOT / "boards" / "images.mk", *ROOT.glob("tests/unit/*.mk")]
    text = "\n".join(file.read_text() for file in files)
    families = re.findall(r"^FAMILIES := (.*)$", text, re.MULTILINE)[0].split()
    rules = [word for line in re.findall(r"^([a-z][^\s:=]*%[^:=\n]*):(?!=)", text, re.MULTILINE)
             for word in line.split()]
    called = re.findall(r"[A-Z_]+:%=([a-z-]+-%)\)|\$\(1:%=([a-z-]+-%)\)", text)
    assert {"image-of-%", "qemu-image-of-%", "setup-%"} <= set(rules)
    assert set(rules) | {first or second for first, second in called} <= set(families), rules


def test_help_has_each_target_once_in_a_group_and_whole_lines():
    lines = make("help").splitlines()[2:]
    texts = {line.split()[1]: line for line in lines if line.startswith("  make ")}
    files = [ROOT / "Makefile", ROOT / "boards" / "images.mk", ROOT / "tests" / "unit" / "unit.mk"]
    targets = [target for file in files
               for target in re.findall(r"^## ([a-z0-9-]+): ", file.read_text(), re.MULTILINE)]
    assert sorted(texts) == sorted(targets)
    groups = [line for line in lines if not line.startswith("  ")]
    assert len(lines) == len(targets) + len(groups) and len(groups) == 5
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
    output = make("capture", status=2)
    assert "on which serial port?" in output and "there are: " in output
    output = make("capture", "TTY=/dev/ttyUSB77", "BAUD=9600", "LIMIT=5", status=2)
    assert "Error: cannot open /dev/ttyUSB77 at 9600 8N1: it is not there; there are: " in output
    assert "waiting" not in output


@pytest.mark.long
def test_compare_takes_its_words_and_ends_with_the_tools_own_status(tmp_path):
    """The words reach the command; tests/host/golden/transcripts has the command's answers."""
    for name in ("a", "slow", "other-compiler", "trapped"):
        (tmp_path / name).write_bytes(LOGS[name])
    a, slow, recompiled, part = f"A={tmp_path}/a", *(f"B={tmp_path}/{name}" for name in (
        "slow", "other-compiler", "trapped"))
    assert "SLOWER by more than 5 %" in make("compare", a, slow, "THRESHOLD=5%", status=1)
    assert "another compiler" in make("compare", a, recompiled, status=2)
    make("compare", a, recompiled, "ALLOW=compiler", "THRESHOLD=0")
    make("compare", a, part, "ALLOW_MISSING=1")
    assert "make compare wants A=<kept run or records>" in make("compare", slow, status=2)
    assert "│ same" in make("compare", a, recompiled, "ALLOW=compiler", "TABLE=long")


@pytest.mark.long
def test_update_expected_takes_the_board_it_is_told():
    assert "update_expected.py virt-a15" in " ".join(
        make("update-expected", "BOARD=virt-a15", "-n").replace("\\\n", " ").split())
    assert not make("update-expected", "-n").rstrip().endswith("virt-a72")


def test_neither_a_tag_nor_a_shallow_clone_changes_the_build_id(tmp_path):
    def git(*words: str) -> str:
        return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x.invalid", *words],
                              cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    whole, shallow = tmp_path / "whole", tmp_path / "shallow"
    for path in TREE.files():
        (whole / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, whole / path)
    git("init", "-q", "whole")
    git("-C", "whole", "add", ".")
    git("-C", "whole", "commit", "-q", "-m", "first")
    git("-C", "whole", "tag", "-a", "-m", "a release", "v1.0")
    git("-C", "whole", "commit", "-q", "--allow-empty", "-m", "second")
    git("clone", "-q", "--depth", "1", whole.as_uri(), "shallow")
    commit = git("-C", "whole", "rev-parse", "HEAD")[:8]
    for tree in (whole, shallow):
        subprocess.run(["make", "-s", "build/virt-a72/build_id.c"], cwd=tree, check=True,
                       env=environment(), stdin=subprocess.DEVNULL)
        written = (tree / "build/virt-a72/build_id.c").read_text()
        assert f'build_id[sizeof(build_id)] = "{commit}";' in written


def test_nothing_is_rebuilt_when_nothing_changed(built):
    make("image", f"BOARD={built}")
    assert make("image", f"BOARD={built}", "--no-print-directory").strip() in (
        "", "make: Nothing to be done for 'image'.")


def test_a_header_rebuilds_who_includes_it(built):
    output = make("image", f"BOARD={built}", "-n", "--what-if=hyp/vcpu/vgic.h")
    assert "-c hyp/vcpu/vgic.c" in output and "-c hyp/trap/trap.c" in output
    assert "-c lib/crc32.c" not in output


def test_the_text_of_a_plan_is_no_reason_to_compile(built):
    output = make("image", f"BOARD={built}", "-n", "--what-if=scenarios/default.toml")
    compiled = [word.split()[0] for word in output.split(" -c ")[1:]
                if "build_id" not in word.split()[0]]
    assert compiled == ["hyp/arch/common/embedded.S"]


@pytest.mark.long
def test_debug_stops_in_hypervisor_and_guest(built):
    command = [ROOT / "tools" / "debug.sh", board_facts(built)["QEMU"], f"build/{built}", "-batch",
               "-ex", "break hyp_main", "-ex", "continue", "-ex", "break guest_main", "-ex",
               "continue", "-ex", "info symbol $pc", "-ex", "print run->bench.name"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120,
                             stdin=subprocess.DEVNULL, check=False)
    assert "Breakpoint 1, hyp_main" in process.stdout, process.stdout + process.stderr
    assert "Breakpoint 2, guest_main" in process.stdout
    assert '"counter"' in process.stdout


REGISTERS = {"armv7": ("hsr", "elr_hyp", "hcr"), "armv8": ("esr_el2", "elr_el2", "far_el2")}


@pytest.mark.long
@pytest.mark.job("config native\nbench counter n=1\n", planted="own_fault", status=2)
def test_a_fault_of_our_own_panics_with_registers_and_a_status(result, board):
    text = "\n".join(result.log.text)
    assert "panic: hyp/trap/trap.c:" in text and "exception in the hypervisor" in text
    for name in REGISTERS[board_facts(board)["ISA"]]:
        assert f"  {name} 0x" in text
    assert not result.records("end")


def test_a_zephyr_runs_on_a_gicv3_unless_a_board_is_named():
    name = "an image.elf"
    output = make("-n", "guest-zephyr", f"GUEST={name}")
    assert "run-guest --board virt-a72-gicv3 " in output and f"-- '{name}'" in output
    assert "run-guest --board virt-a15 " in make("-n", "guest-zephyr", "BOARD=virt-a15", "GUEST=x")
    assert "run-guest --board virt-a72 " in make("-n", "guest-freertos", "GUEST=x")


@pytest.mark.long
def test_a_report_of_all_boards_builds_their_images():
    """`all` is no board for the make of one board, which would refuse the word."""
    output = make("-n", "report", "BOARD=all")
    for board in TREE.reference_boards():
        assert f"qemu-image BOARD={board}" in output and f" --board {board}" in output
