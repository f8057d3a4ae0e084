# SPDX-License-Identifier: Apache-2.0
"""Where boards, scenarios and headers are: in the source tree around this package, or in a folder
of the package where a wheel was installed. Standard library alone, as hypbench.abi wants."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "tree"  # hypbench.release.wheel fills this folder
HOME = IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parents[1]
