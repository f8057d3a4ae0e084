# SPDX-License-Identifier: Apache-2.0
# ZCU102: Zynq UltraScale+ (XCZU9EG), four Cortex-A53, GIC-400
ISA := armv8
CPU := cortex-a53
GIC := gicv2
UART := cadence
TIMER := generic_timer
HYP_BASE := 0x00200000
GUEST_BASE := 0x40000000
IMAGES := Image uImage
QEMU := qemu-system-aarch64 -M xlnx-zcu102,virtualization=on -m 2G
UBOOT_FDT := fdtcontroladdr
ENTERED := EL2, by U-Boot's booti
PROVEN := QEMU's xlnx-zcu102: default plan, path lengths, input, cores; no board
