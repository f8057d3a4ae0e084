# SPDX-License-Identifier: Apache-2.0
"""Unmodified guests: image formats, the machine they see, their device tree, a run with
the terminal as their console (docs/guests.md)."""
