# SPDX-License-Identifier: Apache-2.0
# gem5's VExpress_GEM5_V1 with a core like Cortex-A15, gem5's GICv2
ISA := armv7
CPU := cortex-a15
GIC := gicv2
GIC_ENDS := combined
include boards/gem5/machine.mk
SIMULATOR := gem5
ENTERED := Secure SVC
PROVEN := gem5: committed records
