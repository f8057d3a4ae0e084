# SPDX-License-Identifier: Apache-2.0
# AArch32, ARM instructions (erratum 766422 of Cortex-A15 r0p4: wrong HSR.Rt for Thumb stores).
# The code is tuned for one core, whatever core a board has: two boards with the same version of the
# GIC then have the same path lengths. Each core with the virtualization extensions runs it.
CROSS := arm-none-eabi-
LIBC_SPECS :=
ISA_FLAGS := -mcpu=cortex-a15 -marm -mno-unaligned-access
# Tuned for Cortex-A15, GCC saves registers by a series of STRD, where one PUSH takes less code.
HYP_ISA_FLAGS := -mfloat-abi=soft -mtune=generic-armv7-a
GUEST_ISA_FLAGS := -mfpu=neon-vfpv4 -mfloat-abi=hard -mgeneral-regs-only
GUEST_FP_FLAGS := -mfpu=neon-vfpv4 -mfloat-abi=hard
