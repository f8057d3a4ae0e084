# SPDX-License-Identifier: Apache-2.0
"""Host side of hypbench: runs plans, checks their records, and reports the results."""

__version__ = "0.8.0.dev0"  # the release that CHANGELOG.md calls Unreleased
