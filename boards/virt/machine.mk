# SPDX-License-Identifier: Apache-2.0
# Facts that the boards of QEMU's virt share
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x40200000
GUEST_BASE := 0x80000000
