# SPDX-License-Identifier: Apache-2.0
"""An unmodified guest that probes where nothing is takes the external abort of bare hardware, and
goes on (arch/nowhere.c)."""

import pytest

from assembler import assemble
from lab import board_facts
from talk import Talk
from test_guest_image import CONFIG_NAMES, CONFIGS, ENTRY, all_done, lines, run, said

# Values that the guest expects: on armv8 of ESR, on armv7 of DFSR and IFSR in the long format.
RIGHT = {"armv8": {"SYNDROME": 0x96000010, "FETCH": 0x86000010, "WALK": 0x96000015},
         "armv7": {"SYNDROME": 0x210, "FETCH": 0x210, "WALK": 0x215}}
PLANTED = ("SYNDROME", "FETCH", "WALK", "FAR", "SPSR", "PSTATE")


def probe(board: str, configs: str, **wrong: int) -> Talk:
    words = {"FAR": 0, "SPSR": 0, "PSTATE": 0} | RIGHT[board_facts(board)["ISA"]] | wrong
    made = assemble(board, "vcpus", ENTRY, *(f"{name}={value:#x}"
                                             for name, value in words.items()),
                    also=("nowhere.c",))
    image = made.elf.with_suffix(".bin")
    return Talk(board, f"{configs}limit_ms 1000\n{lines(image)}", ((0, image),))


def test_an_access_to_nothing_is_an_external_abort(lab, built):
    result = run(lab, probe(built, CONFIGS))
    all_done(result, CONFIG_NAMES)
    assert said(result).split() == "as it should be".split() * len(CONFIG_NAMES)


@pytest.mark.parametrize("what", PLANTED)
def test_the_guest_finds_what_is_wrong(lab, built, what):
    other = RIGHT[board_facts(built)["ISA"]].get(what, 0) ^ 1
    result = run(lab, probe(built, "config trapped\n", **{what: other}))
    assert result.one("fault")["reason"] == "mmio-syndrome"
    assert "as it should be" not in said(result)
