# SPDX-License-Identifier: Apache-2.0
# gem5's VExpress_GEM5_V1 with a core like Cortex-A72, gem5's GICv2
ISA := armv8
CPU := cortex-a72
GIC := gicv2
GIC_ENDS := combined
include boards/gem5/machine.mk
SIMULATOR := gem5
ENTERED := EL3
PROVEN := gem5: committed records
