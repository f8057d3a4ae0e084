# SPDX-License-Identifier: Apache-2.0
# i.MX 8M Plus EVK: four Cortex-A53, GICv3 (GIC-500)
ISA := armv8
CPU := cortex-a53
GIC := gicv3
UART := imx
TIMER := generic_timer
HYP_BASE := 0x40200000
GUEST_BASE := 0x80000000
IMAGES := Image uImage
# The console is the second UART. QEMU 10.0.2 does not connect the lines of virtual interrupts to
# the cores; 10.0.13 does. The counter has the board's 8 MHz, so that a tick is no instruction.
QEMU := qemu-system-aarch64 -M imx8mp-evk -m 2G -serial null
QEMU_IMAGE := hypbench.bin
QEMU_NEEDS := 10.0.13
QEMU_CLOCK := host
UBOOT_FDT := fdtcontroladdr
ENTERED := EL2, by U-Boot's booti
PROVEN := QEMU's imx8mp-evk: default plan, path lengths by cycles, input, cores; no board
