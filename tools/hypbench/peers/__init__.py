# SPDX-License-Identifier: Apache-2.0
"""Run one neutral probe under this hypervisor and under others, on the same emulated machine."""
