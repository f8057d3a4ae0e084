# SPDX-License-Identifier: Apache-2.0
# Raspberry Pi 4 B: BCM2711, four Cortex-A72, GIC-400
ISA := armv8
CPU := cortex-a72
GIC := gicv2
UART := pl011 bcm2835_aux
TIMER := generic_timer
HYP_BASE := 0x00200000
GUEST_BASE := 0x40000000
IMAGES := Image uImage
# For an arm64 Image QEMU plays the firmware, with all cores at EL2; an ELF starts at EL3.
QEMU := qemu-system-aarch64 -M raspi4b -smp 4 -audio none -no-reboot
QEMU_IMAGE := hypbench.bin
QEMU_NEEDS := 9.0
ENTERED := EL2, by U-Boot's booti or by the firmware
PROVEN := QEMU's raspi4b: the card from Debian's U-Boot on, path lengths; no board
