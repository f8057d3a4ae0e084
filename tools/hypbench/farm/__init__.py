# SPDX-License-Identifier: Apache-2.0
"""Runs on boards in racks, by labgrid. Each place has a board with its power, its serial line, and
a way to send the image there."""
