/* SPDX-License-Identifier: Apache-2.0 */
/* The GICv3 system registers, as variables. */
#pragma once

#include "arch/sysreg.h"

#include "generated/sysreg_gicv3.inc"
