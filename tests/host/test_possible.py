# SPDX-License-Identifier: Apache-2.0
"""A scenario that a board cannot run is refused in one line, before anything is built or
started."""

import pytest

from test_commands import failed

EVENTS = """name mine
config native
config counted direct events=tlb
config more trapped events=tlb
"""
RUNS = "bench hvc n=10\n"


@pytest.fixture
def unbuilt(bench):
    """A tree without an image, and with a QEMU that must not be started."""
    (bench.out / "hypbench.elf").unlink()
    bench.set_qemu(b"", "pathlib.Path(__file__).with_name('started').touch()")
    bench.write("boards/gem5-a72/board.mk", "SIMULATOR := gem5\n")
    bench.scenario("mine", EVENTS + RUNS)
    yield bench
    assert not bench.qemu.with_name("started").exists()


def one_line(result, says: str, status: int = 2) -> None:
    failed(result, says, status)
    assert len(result.output.splitlines()) == 1, result.output


@pytest.mark.parametrize("command", [("check-scenario",), ("run", "--scenario")])
@pytest.mark.parametrize("board, plan, says", [
    ("virt-a72", "mine", "scenario mine does not run on virt-a72: events=tlb in configuration"
                         " counted and 1 more, and QEMU's cores count no TLB refills; a board"),
    ("silicon", "short", "QEMU has no board 'silicon'; it has: virt-a72. On the board itself:"),
    ("virt-a27", "short", "no board 'virt-a27', nearest 'virt-a72'; there are: gem5-a72, silicon,"),
    ("virt-a72", "shrot", "no scenario 'shrot', nearest 'short'; there are: mine,")])
def test_a_run_that_is_not_possible(unbuilt, command, board, plan, says):
    one_line(unbuilt(*command, plan, "--board", board), says)


def test_a_board_of_gem5_without_gem5(unbuilt, monkeypatch):
    monkeypatch.setenv("GEM5", "no-such-gem5")
    one_line(unbuilt("check-scenario", "mine", "--board", "gem5-a72"), "gem5-a72 needs gem5: "
             "GEM5=no-such-gem5 is no program", 1)


@pytest.mark.parametrize("needs, source", [
    ("9.0", "the backports of Debian 12"), ("10.0.13", "Debian 13"), ("99.0", "no Debian")])
def test_a_board_whose_machine_a_newer_qemu_has(unbuilt, needs, source):
    unbuilt.write("boards/virt-a72/board.mk",
                  f"QEMU := {unbuilt.qemu} -M virt\nQEMU_NEEDS := {needs}\n")
    unbuilt.set_qemu(b"QEMU emulator version 7.2.0\n")
    one_line(unbuilt("check-scenario", "short", "--board", "virt-a72"),
             f"is version 7.2.0, this board's machine needs {needs} or newer, which {source} has",
             1)


def test_what_is_possible_is_not_refused(unbuilt):
    """This is the twin: the same plan without events on this board, and with them on no board."""
    assert unbuilt("check-scenario", "mine").exit_code == 0
    unbuilt.scenario("mine", EVENTS.replace("events=tlb", "events=off") + RUNS)
    result = unbuilt("check-scenario", "mine", "--board", "virt-a72")
    assert (result.exit_code, result.output) == (0, "")


def test_a_guest_that_the_board_has_no_ram_for(unbuilt):
    """The scenario is checked against the numbers of the board, as in the image: a line for each
    part that does not fit."""
    unbuilt.scenario("mine", "config trapped\nbench hvc n=10\nvm bench\nguest g ram_mib=3072\n"
                     "load ipa=0x40200000 size=4096\nvm far image=g cores=1\n")
    result = unbuilt("check-scenario", "mine", "--board", "virt-a72")
    failed(result, "ram_mib=3072: this board has 1024 MiB for a guest", 2)
    lines = result.output.removeprefix("Error: ").splitlines()
    assert len(lines) == 2 and all(line.startswith("virt-a72: scenarios/mine.toml:")
                                   for line in lines)


@pytest.mark.parametrize("words, says", [
    (("--system", "xen-credti"), "no system 'xen-credti', nearest 'xen-credit'; there are:"),
    (("--board", "virt-a51"), "no board 'virt-a51', nearest 'virt-a15'; there are: virt-a72")])
def test_a_peer_that_is_not_there(unbuilt, words, says):
    one_line(unbuilt("peers", "--check", *words), says)
    assert unbuilt("peers", "--check").output == ""
