# SPDX-License-Identifier: Apache-2.0
# AArch64: the bare-metal toolchain (newlib) where there is one, else GNU/Linux and picolibc.
ifneq ($(shell command -v aarch64-none-elf-gcc),)
CROSS := aarch64-none-elf-
LIBC_SPECS :=
else
CROSS := aarch64-linux-gnu-
LIBC_SPECS := --specs=picolibc.specs
endif
ISA_FLAGS := -mcpu=$(CPU) -mstrict-align
# The hypervisor leaves x18 alone, so that a light frame need not hold it (arch/trap_frame.h).
HYP_ISA_FLAGS := -mgeneral-regs-only -ffixed-x18
# Interrupt handlers save no vector registers, so only what prints may use them.
GUEST_ISA_FLAGS := -mgeneral-regs-only
GUEST_FP_FLAGS :=
