# SPDX-License-Identifier: Apache-2.0
"""Debian's U-Boot, unmodified, as a guest, out of flash, with a user at its prompt."""

import re
import zlib

import pytest

from fetched import missing, skip_unless_possible
from hypbench.rules import check_rules
from lab import PLATFORM
from uboot import firmware
from uboot_guest import Session, perform

pytestmark = pytest.mark.long

HZ = 62_500_000  # of the counter
SLEEP_S = 3
SLEEP = f"sleep {SLEEP_S}"
SUM = "crc32 0 {size:x}"  # of as many bytes of flash as the image has
# as U-Boot 2023.01 lists it; and 2025.01, where `serial` stands for the console of bdinfo
CONSOLE = (r"^pl011@9000000 .*stdin stdout stderr"
           r"|pl011@9000000 \(IO\)\n\|-- (?P<newer>serial) \(IO\)(\n\|   \|-- std(in|out|err)){3}$")
LINES = ("version", "bdinfo", "coninfo", "timer get", SLEEP, SUM, "poweroff")
SESSIONS = [Session(board, config, LINES) for board in ("virt-a15", "virt-a72", "virt-a72-gicv3")
            for config in ("trapped", "direct")]
RESET = [Session(board, "trapped", ("reset", "poweroff")) for board in ("virt-a15", "virt-a72")]


def name_of(session: Session) -> str:
    return f"{session.board}-{session.config}"


def reason_to_skip(session: Session) -> str:
    return missing("U-Boot", lambda: firmware(session.isa))


@pytest.fixture
def typed(request, lab):
    skip_unless_possible(request.param, reason_to_skip)
    typed = lab.run(request.param, perform)
    assert not typed.done.missing, typed.explain()
    return typed


each_session = pytest.mark.parametrize("typed", SESSIONS, ids=name_of, indirect=True)


@each_session
def test_uboot_powers_off_when_told(typed):
    assert typed.done.status == 0, typed.explain()
    assert "poweroff ..." in typed.answers["poweroff"]
    assert [record["outcome"] for record in typed.log.of_kind("step")] == ["done"]
    assert typed.log.problems + check_rules(typed.log, PLATFORM) == []


@each_session
def test_it_answers_who_it_is(typed):
    assert re.search(r"^U-Boot 20\d\d\.\d\d", typed.answers["version"], re.MULTILINE)
    banner = re.search(r"^U-Boot 20.*$", typed.done.console.decode(), re.MULTILINE)[0].strip()
    assert banner in typed.answers["version"]


@each_session
def test_it_found_the_ram_and_the_console_of_the_device_tree(typed):
    bdinfo = dict(re.findall(r"^(?:-> )?(\S[^=]*?) *= (\S+)$", typed.answers["bdinfo"],
                             re.MULTILINE))
    assert int(bdinfo["start"], 16) == 0x40000000
    assert int(bdinfo["size"], 16) == 256 << 20
    said = re.search(CONSOLE, typed.answers["coninfo"], re.MULTILINE)
    assert said and (not said["newer"] or int(bdinfo["serial addr"], 16) == 0x9000000)


@each_session
def test_flash_holds_the_image(typed):
    """Its own sum of what it was started from."""
    image = firmware(typed.session.isa).read_bytes()
    assert re.search(r"==> (\w+)", typed.answers[SUM])[1] == f"{zlib.crc32(image):08x}"


@each_session
def test_a_sleep_is_not_too_short(typed):
    """Typing takes time too, so there is no other bound."""
    assert SLEEP in typed.answers
    assert typed.log.of_kind("step")[0]["ticks"] >= SLEEP_S * HZ


@pytest.mark.parametrize("typed", RESET, ids=name_of, indirect=True)
def test_a_reset_starts_it_afresh(typed):
    """From the image as it was, in the same step; only then it powers off."""
    assert typed.done.status == 0, typed.explain()
    banners = re.findall(rb"^U-Boot 20.*$", typed.done.console, re.MULTILINE)
    assert len(banners) == 2 and banners[0] == banners[1], typed.explain()
    assert [record["outcome"] for record in typed.log.of_kind("step")] == ["done"]
