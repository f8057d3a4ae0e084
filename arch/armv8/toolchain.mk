# SPDX-License-Identifier: Apache-2.0
# AArch64: the bare-metal toolchain (newlib) where there is one, else GNU/Linux and picolibc.
ifneq ($(shell command -v aarch64-none-elf-gcc),)
CROSS := aarch64-none-elf-
LIBC_SPECS :=
else
CROSS := aarch64-linux-gnu-
LIBC_SPECS := --specs=picolibc.specs
endif
# The code is tuned for one core, whatever core a board has: two boards with the same version of the
# GIC then have the same path lengths. It needs nothing beyond Armv8.0 with CRC instructions.
ISA_FLAGS := -mcpu=cortex-a72 -mstrict-align
# Cortex-A53 to r0p4, errata 835769 and 843419: the compiler parts a 64-bit multiply-accumulate from
# a load or store before it, and the linker changes what libraries have (docs/design/errata.md).
# The run record reports both errata as missing in an image without these options.
ifeq ($(CPU),cortex-a53)
OPTIONS := cortex-a53
ISA_FLAGS += -mfix-cortex-a53-835769 -DBUILT_FOR_CORTEX_A53=true
ISA_LINK := -Wl,--fix-cortex-a53-835769 -Wl,--fix-cortex-a53-843419
else
ISA_FLAGS += -DBUILT_FOR_CORTEX_A53=false
endif
# The hypervisor's own code leaves x6-x15, x17 and x18 alone, so that a light frame need not hold
# them (arch/trap_frame.h): twelve instructions less on every interrupt and hypercall, and a light
# frame is one cache line. x16 stays: the compiler makes indirect tail calls through this register
# or x17. A seventh argument would travel in x6: no function has one.
# Atomics stand in the code: the compiler's functions for them want an operating system.
HYP_ISA_FLAGS := -mgeneral-regs-only -mno-outline-atomics -fomit-frame-pointer \
	$(foreach n,6 7 8 9 10 11 12 13 14 15 17 18,-ffixed-x$(n))
# Interrupt handlers save no vector registers, so only what prints may use them.
GUEST_ISA_FLAGS := -mgeneral-regs-only
GUEST_FP_FLAGS :=
