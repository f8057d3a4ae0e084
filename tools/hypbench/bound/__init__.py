# SPDX-License-Identifier: Apache-2.0
"""The proven ceiling of each kind of exit: the longest path in instructions from the exception
vector to the ERET, from the linked image (docs/design/bounds.md)."""
