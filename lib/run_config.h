/* SPDX-License-Identifier: Apache-2.0 */
/* A run configuration in words. */
#pragma once

#include "abi/run_config.h"
#include "lib/text.h"

/* Append one configuration as the run record shows it: {"name":"native","stage2":"off",…}. */
void run_config_json(const struct run_config *config, struct text *text);
