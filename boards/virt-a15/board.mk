# SPDX-License-Identifier: Apache-2.0
# QEMU virt, Cortex-A15 in HYP mode, GICv2
ISA := armv7
CPU := cortex-a15
GIC := gicv2
include boards/virt/machine.mk
IMAGES := uImage
QEMU := qemu-system-arm -M virt,virtualization=on,gic-version=2 -cpu cortex-a15 -m 2G
ENTERED := HYP
PROVEN := QEMU's virt: committed path lengths
