# SPDX-License-Identifier: Apache-2.0
# Versal: two Cortex-A72, GICv3; QEMU's xlnx-versal-virt starts it at EL3
ISA := armv8
CPU := cortex-a72
GIC := gicv3
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x00200000
GUEST_BASE := 0x40000000
IMAGES := Image uImage
# Two of QEMU's four cores are Cortex-R5.
QEMU := qemu-system-aarch64 -M xlnx-versal-virt -m 2G -smp 4
UBOOT_FDT := fdtcontroladdr
ENTERED := EL3, or EL2 by U-Boot's booti
PROVEN := QEMU's xlnx-versal-virt: default plan, path lengths, input, cores; no board
