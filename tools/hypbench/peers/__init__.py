# SPDX-License-Identifier: Apache-2.0
"""The same neutral probe under this hypervisor and under others, on the same emulated machine."""
