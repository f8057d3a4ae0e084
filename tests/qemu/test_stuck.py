# SPDX-License-Identifier: Apache-2.0
"""A guest whose exception vector faults itself executes nothing, so that no time passes under
icount. The tools notice this and end QEMU."""

import struct

import pytest
from click.testing import CliRunner

from hypbench.cli import main
from lab import board_facts

pytestmark = pytest.mark.run_guest

# The image itself has the vectors, and every word after them is udf #0. armv8: adr x1, .; msr
# vbar_el1, x1; isb. armv7: add r0, pc, #56; mcr p15, 0, r0, c12, c0, 0.
OWN_VECTORS = {"armv8": [0x10000001, 0xd518c001, 0xd5033fdf, *[0x00000000] * 500],
               "armv7": [0xe28f0038, 0xee0c0f10, *[0xe7f000f0] * 500]}
LIMIT_S = 3600  # the run ends by QEMU's processor time, before this limit


def test_a_guest_that_is_not_our_own(built, tmp_path, monkeypatch):
    monkeypatch.setattr("hypbench.watch.STUCK_S", 0.5)
    image = tmp_path / "image"
    words = OWN_VECTORS[board_facts(built)["ISA"]]
    image.write_bytes(struct.pack(f"<{len(words)}I", *words))
    result = CliRunner().invoke(main, ["run-guest", "--board", built, "--clock", "icount",
                                       "--limit", str(LIMIT_S), str(image)])
    assert result.exit_code == 1, result.exception
    assert "no instruction was executed any more" in result.stderr.splitlines()[-1]
