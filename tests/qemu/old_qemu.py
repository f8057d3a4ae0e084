# SPDX-License-Identifier: Apache-2.0
"""Skip tests that fail on QEMU 7.2, which Debian 12 has, because of that QEMU's own faults
(CAVEATS.md)."""
import pytest

from hypbench import qemu

IS_OLD = qemu.version("qemu-system-aarch64") < (8, 1)


def fails_on_old(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(IS_OLD, reason=f"QEMU 7.2 {reason}: CAVEATS.md")


divides_otherwise = fails_on_old("divides the time among several cores otherwise")
