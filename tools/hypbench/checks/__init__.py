# SPDX-License-Identifier: Apache-2.0
"""The rules that `make check` enforces on the source tree: one module a rule."""
