# SPDX-License-Identifier: Apache-2.0
"""Unmodified guests: image formats, the machine that they see, their device tree, and a run with
the terminal as their console (docs/guests.md)."""
