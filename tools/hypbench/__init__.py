# SPDX-License-Identifier: Apache-2.0
"""Host side of hypbench: runs plans, checks the records they print, and tells what they say."""
