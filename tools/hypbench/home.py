# SPDX-License-Identifier: Apache-2.0
"""Find boards, scenarios and headers in the source tree around this package, or in a folder of the
installed wheel. This module uses only the standard library, as hypbench.abi does."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "tree"  # hypbench.release.wheel fills this folder
HOME = IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parents[1]
