# SPDX-License-Identifier: Apache-2.0
# QEMU virt, Cortex-A72, GICv3
ISA := armv8
CPU := cortex-a72
GIC := gicv3
include boards/virt/machine.mk
IMAGES := Image uImage
QEMU := qemu-system-aarch64 -M virt,virtualization=on,gic-version=3 -cpu cortex-a72 -m 2G
ENTERED := EL2
PROVEN := QEMU's virt: committed path lengths
