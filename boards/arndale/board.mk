# SPDX-License-Identifier: Apache-2.0
# Arndale: Exynos 5250, two Cortex-A15 r0p4, GICv2
ISA := armv7
CPU := cortex-a15
GIC := gicv2
UART := exynos4210
TIMER := generic_timer exynos_mct
HYP_BASE := 0x82000000
GUEST_BASE := 0x40000000
IMAGES := uImage fit
DEVICE_TREE := exynos5250-arndale.dtb
ENTERED := HYP, by U-Boot's bootm
PROVEN := parts on QEMU's vexpress-a15 and smdkc210; no board
