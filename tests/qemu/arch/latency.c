/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for a Zephyr with latency_measure: it measures operations of its own by CNTVCT, prints
 * the means in the form of latency_measure, and powers off if POWEROFF is 1.
 */
#include "arch/mmio.h"
#include "guest_core.h"
#include "vcpus.h"

#define ROUNDS 8u
#define GICD_IIDR 0x08000008u
#define NS_PER_TICK 16u /* CNTFRQ is 62.5 MHz on QEMU's boards */

static void print_number(uint32_t value, unsigned width)
{
	char text[11];
	unsigned at = sizeof(text) - 1;

	text[at] = '\0';
	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	for (unsigned i = sizeof(text) - 1 - at; i < width; i++)
		print(" ");
	print(text + at);
}

static void report(const char *metric, uint32_t total)
{
	print(metric);
	print(":");
	print_number(total / ROUNDS, 8);
	print(" cycles ,");
	print_number(total * NS_PER_TICK / ROUNDS, 9);
	print(" ns :\r\n");
}

static uint32_t counter_reads(void)
{
	uint32_t begin = now();

	for (unsigned i = 0; i < ROUNDS; i++)
		(void)now();
	return now() - begin;
}

static uint32_t distributor_reads(void)
{
	uint32_t begin = now();

	for (unsigned i = 0; i < ROUNDS; i++)
		(void)mmio_read32(GICD_IIDR);
	return now() - begin;
}

void first_main(void)
{
	print("*** Booting Zephyr OS build v3.7.0 ***\r\nSTART - Time Measurement\r\n");
	print("Timing results: Clock frequency: 62 MHz\r\n");
	report("counter.read                             - Read the counter     ", counter_reads());
	report("gic.read                                 - Read GICD_IIDR       ",
	       distributor_reads());
	print("===================================================================\r\n");
	print("PROJECT EXECUTION SUCCESSFUL\r\n");
	if (POWEROFF)
		psci(SYSTEM_OFF, 0, 0, 0);
	for (;;)
		sleep();
}
