# SPDX-License-Identifier: Apache-2.0
# Facts that the boards of gem5's VExpress share
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x80200000
GUEST_BASE := 0xc0000000
