/* SPDX-License-Identifier: Apache-2.0 */
/* Moved: include "lib/lpae.h". */
#pragma once
#include "lib/lpae.h"
