# SPDX-License-Identifier: Apache-2.0
"""make run-guest and hypbench run-guest, end to end: arch/visitor.c."""

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import test_cores
from assembler import assemble
from hypbench.cli import main
from hypbench.records import Log, read_log
from lab import ROOT, TREE, board_facts
from test_make import make

pytestmark = pytest.mark.run_guest

HYPBENCH = ROOT / "build" / "venv" / "bin" / "hypbench"
RAM, RAW = 0x40000000, 0x40200000
INITRD = 0x48200000  # after a raw binary and its device tree
INITRD_LOW = 0x40400000  # after a raw binary that has an address
STACKS = 0x42000000
LIMIT_S = 300  # a run that takes longer hangs
FDT_MAGIC = "d00dfeed"
# CurrentEL; CPSR: A, I and F masked, Supervisor mode
ENTRY = {"armv8": "00000004", "armv7": "000001d3"}


def visitor(board: str, script: str, address: int = RAW, initrd: int = INITRD):
    return assemble(board, "vcpus", address, f'SCRIPT="{script}"', f"INITRD={initrd:#x}",
                    f"STACKS={STACKS - address:#x}", sources=("visitor.c",))


def raw_file(board: str, script: str, tmp_path: Path, initrd: int = INITRD) -> Path:
    path = tmp_path / "visitor.bin"
    path.write_bytes(visitor(board, script, initrd=initrd).binary)
    return path


class GuestRun(NamedTuple):
    status: int
    out: str
    stderr: str  # the output without the guest's


def run(board: str, image: Path, *words: object, clock: str = "icount") -> GuestRun:
    """Run in this process with nothing typed; such a run repeats to the bit."""
    result = CliRunner().invoke(main, [str(word) for word in command(board, image, clock, words)])
    assert not result.exception or isinstance(result.exception, SystemExit), result.exception
    return GuestRun(result.exit_code, result.stdout_bytes.decode(), result.stderr)


def command(board: str, image: Path, clock: str, words: tuple[object, ...]) -> list[object]:
    return ["run-guest", "--board", board, "--clock", clock, "--limit", LIMIT_S, *words, "--",
            image]


def typed(board: str, image: Path, keys: bytes, clock: str) -> GuestRun:
    process = subprocess.run([HYPBENCH, *map(str, command(board, image, clock, ()))], input=keys,
                             capture_output=True, timeout=2 * LIMIT_S, check=False)
    return GuestRun(process.returncode, process.stdout.decode(), process.stderr.decode())


def log_of(board: str) -> Log:
    return read_log((TREE.build(board) / "run-guest" / "records.jsonl").read_bytes())


def greeting(board: str) -> str:
    return f"hello\r\n{ENTRY[board_facts(board)['ISA']]}\r\n{FDT_MAGIC}\r\n"


def assert_ended_well(result: GuestRun, board: str, text: str) -> None:
    """Check that this output, and nothing else, follows the greeting."""
    assert result.status == 0, result.out + result.stderr
    assert result.out == greeting(board) + text
    assert "the guest powered off after" in result.stderr


def test_a_raw_binary_starts_as_linux_would_and_powers_off(built, tmp_path):
    assert_ended_well(run(built, raw_file(built, "q", tmp_path)), built, "")
    log = log_of(built)
    assert log.problems == []
    assert [(step["bench"], step["outcome"]) for step in log.of_kind("step")] == [
        ("guest", "done")]


@pytest.mark.parametrize("clock", ["icount", pytest.param("host", marks=pytest.mark.long)])
def test_what_is_typed_reaches_it(built, tmp_path, clock):
    """The guest shows each key; after the last one the hypervisor ends the line."""
    image = raw_file(built, "p", tmp_path)
    assert_ended_well(typed(built, image, b"abzq", clock), built, "=> abzq\r\n")


def test_vcpus_run_at_once_by_the_hosts_clock(built):
    """Only this test runs vCPUs at once; in the other tests cores take turns, under icount."""
    result = run(built, test_cores.guest(built, 4, test_cores.END_OFF, "hvc").elf, "--ram", "64M",
                 "--cpus", 4, clock="host")
    assert result.status == 0, result.out + result.stderr
    assert [step["outcome"] for step in log_of(built).of_kind("step")] == ["done"]


def test_in_flash(built, tmp_path):
    image = tmp_path / "visitor.bin"
    image.write_bytes(visitor(built, "q", 0).binary)
    result = run(built, image, "--address", "0")
    assert_ended_well(result, built, "")
    assert f"raw binary at 0x0, device tree at {RAM:#x}" in result.stderr


def test_it_finds_its_initrd_and_a_device_tree_of_the_users(built, tmp_path):
    initrd = tmp_path / "initrd, of mine"  # a comma has a meaning to QEMU
    initrd.write_bytes(b"RAMDISK")
    image = raw_file(built, "iq", tmp_path)
    assert_ended_well(run(built, image, "--initrd", initrd), built, "RAMD\r\n")
    blob = tmp_path / "mine.dtb"
    blob.write_bytes((TREE.build(built) / "run-guest" / "guest.dtb").read_bytes())
    assert_ended_well(run(built, image, "--initrd", initrd, "--dtb", blob), built, "RAMD\r\n")


@pytest.mark.long
def test_by_make(built, tmp_path):
    """The command has every word, including characters that a shell would interpret."""
    initrd, blob = tmp_path / "it's an initrd", tmp_path / "mine.dtb"
    initrd.write_bytes(b"DISK")
    run(built, raw_file(built, "q", tmp_path), "--initrd", initrd)
    blob.write_bytes((TREE.build(built) / "run-guest" / "guest.dtb").read_bytes())
    arguments = "root=/dev/ram0 a='b c' d=\"e\""
    output = make("run-guest", f"GUEST={raw_file(built, 'xiq', tmp_path, INITRD_LOW)}",
                  f"BOARD={built}", "GUEST_STATUS=exit",
                  "CONFIG=trapped lr=sw", "GUEST_RAM=64M", "CPUS=1", "CLOCK=icount",
                  f"LIMIT={LIMIT_S}", "STATS=1", f"GUEST_INITRD={initrd}", f"GUEST_DTB={blob}",
                  f"GUEST_ADDRESS={RAW:#x}", f"GUEST_ARGS={arguments}", status=2)
    # Standard output comes first, and make prints nothing to it.
    assert output.startswith(greeting(built).replace("\r", "") + "EXIT: STATUS=5\nDISK\n")
    assert "its own status is 5" in output and "Error 5" in output
    assert "Exits by kind" in output and "the guest powered off" in output
    assert f"raw binary at {RAW:#x}" in output and "64M at 0x40000000" in output
    config = log_of(built).run["configs"][0]
    assert (config["name"], config["lr"], config["stats"]) == ("trapped", "sw", "on")
    bootargs = subprocess.run(["fdtget", TREE.build(built) / "run-guest" / "guest.dtb", "/chosen",
                               "bootargs"], capture_output=True, text=True, check=True).stdout
    assert bootargs.strip() == arguments
