# SPDX-License-Identifier: Apache-2.0
"""What `make check` enforces on the source tree: one module a rule."""
