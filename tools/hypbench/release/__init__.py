# SPDX-License-Identifier: Apache-2.0
"""`make dist`: the contents of a release, its wheel, its bill of materials, and the archive."""
