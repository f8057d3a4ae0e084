# SPDX-License-Identifier: Apache-2.0
# Versatile Express with a CoreTile A15x2 (V2P-CA15): QEMU's stand-in for boards that start secure
ISA := armv7
CPU := cortex-a15
GIC := gicv2
UART := pl011
TIMER := generic_timer
HYP_BASE := 0x80200000
GUEST_BASE := 0xc0000000
IMAGES := uImage
QEMU := qemu-system-arm -M vexpress-a15,secure=off -m 2G -audiodev none,id=silent \
	-global pl041.audiodev=silent
ENTERED := HYP, or Secure SVC and a loader
PROVEN := QEMU's vexpress-a15, with and without Secure state; no board
