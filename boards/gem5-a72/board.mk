# SPDX-License-Identifier: Apache-2.0
# gem5's VExpress_GEM5_V2 with a core like Cortex-A72, GICv3
ISA := armv8
CPU := cortex-a72
GIC := gicv3
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x80200000
GUEST_BASE := 0xc0000000
SIMULATOR := gem5
