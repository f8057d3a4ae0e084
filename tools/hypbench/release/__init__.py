# SPDX-License-Identifier: Apache-2.0
"""`make dist`: what a release holds, its wheel, its bill of materials, and the archive."""
