# SPDX-License-Identifier: Apache-2.0
# QEMU virt, Cortex-A15 in HYP mode, GICv2
ISA := armv7
CPU := cortex-a15
GIC := gicv2
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x40200000
GUEST_BASE := 0x80000000
IMAGES := uImage
QEMU := qemu-system-arm -M virt,virtualization=on,gic-version=2 -cpu cortex-a15 -m 2G
