# SPDX-License-Identifier: Apache-2.0
"""Unmodified guests from the hypervisor's side: the plan's guest and load lines, the machine like
QEMU's virt, its UART and its flash (arch/unmodified.c)."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from assembler import assemble
from guest_machine import LIMIT_MS
from lab import TREE, Result, board_facts, skip_unless_runs
from hypbench import qemu
from talk import ENTRY, Talk, facts, gic, perform_talk

UART = 0x09000000
DTB = 0x40300000
BANK = 0x04000000
READONLY = 0x10000000
FLASH_FILE = 0x200000  # place in the store
DOES = ("HELLO", "ECHO", "RESET", "MACHINE", "READONLY", "FOREVER", "FLASH")
HELLO = "hello\nopen"
CONFIGS = """config trapped
config direct
config trapped-sw
config 4K trapped stage2=4K
config lazy trapped stage2=4K fill=lazy
config full trapped frame=full stats=on
config traced direct trace=on wfi=trapped
"""
CONFIG_NAMES = ("trapped", "direct", "trapped-sw", "4K", "lazy", "full", "traced")
# Other boards that the installed QEMU runs; they have no committed path lengths.
MORE_BOARDS = ("vexpress-a15", "rpi4", "zcu102", "versal", "imx8mp", "orangepi-pc")


def program(board: str, action: str, conduit: str = "hvc", at: int = ENTRY,
            uart: int = UART) -> Path:
    guest = assemble(board, "vcpus", at, f"DOES={action}", f"UART_BASE={uart:#x}",
                     f"GIC={gic(board)}", f"CONDUIT={conduit}",
                     f"DTB={DTB:#x}", sources=("unmodified.c",))
    return guest.elf.with_suffix(".bin")


def lines(image: Path, guest: str = "", at: int = ENTRY) -> str:
    return (f"guest ram_mib=64 entry={at:#x} {guest}\n"
            f"load ipa={at:#x} size={image.stat().st_size}\n")


def talk(board: str, action: str, configs: str = "config trapped\n", guest: str = "",
         more: str = "", conduit: str = "hvc", **settings) -> Talk:
    image = program(board, action, conduit)
    plan = f"{configs}limit_ms {LIMIT_MS}\n{lines(image, guest)}{more}"
    files = ((0, image), *settings.pop("files", ()))
    return Talk(board, plan, files, **settings)


def run(lab, job: Talk) -> Result:
    result = lab.run(job, perform_talk)
    assert not result.timed_out, result.explain()
    # A failed run is a problem of the log.
    assert [text for text in map(str, result.log.problems) if "run failed" not in text
            and "steps that ended" not in text] == [], result.explain()
    # A record begins a line, whatever the guest sent before.
    assert not re.search(rb'[^\n]\{"seq":', result.console)
    return result


def text_of(result: Result) -> str:
    return "\n".join(result.log.text)


def outcomes(result: Result) -> dict[str, str]:
    return {step["config"]: step["outcome"] for step in result.records("step", bench="guest")}


def assert_all_done(result: Result, names: tuple[str, ...]) -> None:
    assert result.status == 0, result.explain()
    assert outcomes(result) == dict.fromkeys(names, "done")
    end = result.record("end")
    assert (end["status"], end["faults"], end["errors"]) == ("ok", 0, 0)


def assert_greetings(result: Result, count: int) -> None:
    text = [line for line in result.log.text if line]
    assert text == HELLO.split("\n") * count, text


@pytest.mark.parametrize("conduit", ["hvc", "smc"])
def test_it_prints_and_powers_off(lab, built, conduit):
    result = run(lab, talk(built, "HELLO", CONFIGS, conduit=conduit))
    assert_all_done(result, CONFIG_NAMES)
    assert_greetings(result, len(CONFIG_NAMES))
    assert {step["resets"] for step in result.records("step")} == {0}
    assert {step["smc"] for step in result.records("step")} == {int(conduit == "smc")}
    assert result.log.run["order"] == "once" and result.log.run["steps"] == len(CONFIG_NAMES)


def test_each_byte_of_it_is_one_exit(lab, built):
    """Each byte is one exit where the UART is emulated."""
    result = run(lab, talk(built, "HELLO", CONFIGS))
    counts = {record["exit"]: record["n"] for record in result.records("exits", config="full")}
    assert counts == {"mmio-write": len("hello\r\nopen"), "hvc": 1}


def test_natively_it_has_the_board(lab, built):
    base = facts(built)["guest_base"]
    image = program(built, "HELLO", at=base + 0x200000, uart=facts(built)["console[1]"])
    plan = f"config native\n{lines(image, f'ram={base:#x}', base + 0x200000)}"
    result = run(lab, Talk(built, plan, ((0, image),)))
    assert_all_done(result, ("native",))
    assert_greetings(result, 1)


def test_a_reset_starts_it_again_from_its_images(lab, built):
    result = run(lab, talk(built, "RESET", CONFIGS))
    assert_all_done(result, CONFIG_NAMES)
    resets = {step["config"]: step["resets"] for step in result.records("step")}
    assert resets == dict.fromkeys(CONFIG_NAMES, 2)
    counted = [(check["config"], check["count"]) for check in
               result.records("check", variant="resets", ok=True, vm="guest", vcpu=0)]
    assert counted == [(name, count) for name in CONFIG_NAMES for count in (1, 2)]
    assert [line for line in result.log.text if line] == ["start"] * 3 * len(CONFIG_NAMES)


def test_what_is_typed_comes_as_an_interrupt(lab, built):
    """The typed text is longer than the FIFO."""
    long = b"The Quick Brown Fox Jumps Over the Lazy Dog, 1234567890."
    answers = ((b"type\n", b"abc"), (b"abc", long), (long, b"q"), (b"type\n", b"q"))
    result = run(lab, talk(built, "ECHO", "config trapped\nconfig trapped-sw\n", clock="host",
                           answers=answers))
    assert_all_done(result, ("trapped", "trapped-sw"))
    assert text_of(result) == f"type\nabc{long.decode()}\nquit\ntype\n\nquit"


def machine_job(board: str, configs: str, action: str = "MACHINE") -> Talk:
    folder = TREE.build(board) / "tests"
    folder.mkdir(exist_ok=True)
    flash = folder / "flash.bin"
    flash.write_bytes(bytes.fromhex("53414c46") + bytes(12))
    return talk(board, action, configs, guest=f"dtb={DTB:#x}",
                more=f"limit_ms 5000\nload store={FLASH_FILE:#x} ipa={BANK:#x} size=16\n",
                files=((FLASH_FILE, flash),))


MACHINE_CONFIGS = "config trapped\nconfig lazy trapped stage2=4K fill=lazy\n"


def skip_if_old(board: str) -> None:
    if board_facts(board)["ISA"] == "armv7" and qemu.version("qemu-system-arm") < (8,):
        pytest.skip("QEMU 7.2 has another AArch32 than the guest asks for: CAVEATS.md")


def test_its_machine_is_as_it_should_be(lab, built):
    """The guest checks registers at the start, undefined accesses, the UART's number and the
    flash."""
    skip_if_old(built)
    result = run(lab, machine_job(built, MACHINE_CONFIGS))
    assert_all_done(result, ("trapped", "lazy"))
    assert text_of(result) == "as it should be\nas it should be"


def test_no_use_of_the_flash_takes_memory(lab, built):
    """RAM has as many tables in use as it can take. The flash has its first content, also after a
    reset, and each store to it is counted."""
    job = machine_job(built, MACHINE_CONFIGS.replace("trapped\n", "trapped stage2=4K\n"), "FLASH")
    result = run(lab, replace(job, plan=job.plan.replace("ram_mib=64", "ram_mib=1024")))
    assert_all_done(result, ("trapped", "lazy"))
    assert {(step["resets"], step["rom_writes"]) for step in result.records("step")} == {(1, 4)}
    assert text_of(result) == "as it should be\nas it should be"


def test_an_abort_whose_vector_is_nowhere_stops_it(lab, built):
    """The abort does not repeat without end. A store to a load of the plan outside of RAM has no
    effect."""
    result = run(lab, talk(built, "READONLY",
                           more=f"limit_ms 100\nload ipa={READONLY:#x} size=4096\n"))
    fault = result.record("fault")
    vector = {"armv8": 0x200, "armv7": 0x0c}[board_facts(built)["ISA"]]
    assert (fault["reason"], int(fault["pc"], 16)) == ("prefetch-abort", vector)
    assert (fault["vcpu"], fault["at"]) == (0, "flash")
    assert result.record("step")["rom_writes"] == 1


# Values that the guest expects: of ESR on armv8, of DFSR and IFSR in the long format on armv7.
RIGHT = {"armv8": ("SYNDROME=0x96000010", "FETCH=0x86000010", "WALK=0x96000015"),
         "armv7": ("SYNDROME=0x210", "FETCH=0x210", "WALK=0x215")}


def test_an_access_to_nothing_is_an_external_abort(lab, built):
    """The abort has the syndrome of the bare hardware, and the guest continues (arch/nowhere.c)."""
    guest = assemble(built, "vcpus", ENTRY, *RIGHT[board_facts(built)["ISA"]],
                     sources=("nowhere.c",))
    image = guest.elf.with_suffix(".bin")
    result = run(lab, Talk(built, f"{CONFIGS}limit_ms 1000\n{lines(image)}", ((0, image),)))
    assert_all_done(result, CONFIG_NAMES)
    assert text_of(result).split() == "as it should be".split() * len(CONFIG_NAMES)


def test_a_limit_ends_it(lab, built):
    result = run(lab, talk(built, "FOREVER", more="limit_ms 20\n"))
    assert result.record("fault")["reason"] == "time-limit"
    assert outcomes(result) == {"trapped": "fault"}


@pytest.mark.long
@pytest.mark.parametrize("other_board", MORE_BOARDS)
def test_other_boards_have_it_too(lab, other_board):
    skip_unless_runs(other_board)
    configs = CONFIGS.replace("config traced direct trace=on wfi=trapped\n", "")
    result = run(lab, talk(other_board, "HELLO", configs))
    assert_greetings(result, len(CONFIG_NAMES) - 1)
    assert outcomes(result) == dict.fromkeys(CONFIG_NAMES[:-1], "done")
    result = run(lab, talk(other_board, "ECHO", clock="host",
                           answers=((b"type\n", b"abc"), (b"abc", b"q"))))
    assert text_of(result) == "type\nabc\nquit"
    skip_if_old(other_board)
    result = run(lab, machine_job(other_board, MACHINE_CONFIGS))
    assert text_of(result) == "as it should be\nas it should be"
