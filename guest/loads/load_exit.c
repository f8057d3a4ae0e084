/* SPDX-License-Identifier: Apache-2.0 */
/* A load of exits: a hypercall and an access to an emulated device in turn. */
#include "abi/hypercall.h"
#include "abi/null_device.h"
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/loads/load.h"

static uintptr_t device;

static void begin(const struct guest_run *run)
{
	device = (uintptr_t)run->device_base;
}

static void load_exit_round(uintptr_t piece)
{
	(void)piece;
	hvc(HC_ID(NULL), 0, 0);
	mmio_read32(device + NULL_DEVICE_SCRATCH);
}

static const struct load load_exit = {
	.beside = "load_exit",
	.begin = begin,
	.round = load_exit_round,
};
LOAD(load_exit);
