# SPDX-License-Identifier: Apache-2.0
# QEMU virt, Cortex-A72, GICv3
ISA := armv8
CPU := cortex-a72
GIC := gicv3
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x40200000
GUEST_BASE := 0x80000000
IMAGES := Image uImage
QEMU := qemu-system-aarch64 -M virt,virtualization=on,gic-version=3 -cpu cortex-a72 -m 2G
