# SPDX-License-Identifier: Apache-2.0
# What the boards of gem5's VExpress have in common
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x80200000
GUEST_BASE := 0xc0000000
