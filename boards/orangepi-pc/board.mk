# SPDX-License-Identifier: Apache-2.0
# Orange Pi PC: Allwinner H3, four Cortex-A7, GIC-400
ISA := armv7
CPU := cortex-a7
GIC := gicv2
UART := ns16550
TIMER := generic_timer
HYP_BASE := 0x40200000
GUEST_BASE := 0x50000000
IMAGES := uImage
# QEMU plays the firmware for an image of Linux' kind: HYP mode, PSCI; an ELF starts in Secure SVC.
QEMU := qemu-system-arm -M orangepi-pc -smp 4
QEMU_IMAGE := hypbench.uimg
UBOOT_FDT := fdtcontroladdr
ENTERED := HYP, by U-Boot's bootm
PROVEN := QEMU's orangepi-pc: default plan, path lengths, input, cores, U-Boot; no board
