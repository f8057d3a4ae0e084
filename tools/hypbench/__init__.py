# SPDX-License-Identifier: Apache-2.0
"""Host side of hypbench: runs plans, checks their records, and reports the results."""
