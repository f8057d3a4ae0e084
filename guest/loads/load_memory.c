/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads that take memory bandwidth and cache lines from other VMs:
 *   load_mem_read   reads one word of each cache line
 *   load_mem_write  writes one word of each cache line
 *   load_stride     rewrites one word of each 4 KiB piece: a TLB entry an access, and few cache
 *                   sets
 */
#include "guest/loads/load.h"

#define LINE 64u

static void read_round(uintptr_t piece)
{
	for (uintptr_t at = piece; at < piece + LOAD_PIECE; at += LINE)
		(void)*(volatile uint32_t *)at;
}

static void write_round(uintptr_t piece)
{
	for (uintptr_t at = piece; at < piece + LOAD_PIECE; at += LINE)
		*(volatile uint32_t *)at = (uint32_t)at;
}

static void stride_round(uintptr_t piece)
{
	*(volatile uint32_t *)piece += 1;
}

static const struct load load_mem_read = { .beside = "load_mem_read", .round = read_round };
static const struct load load_mem_write = { .beside = "load_mem_write", .round = write_round };
static const struct load load_stride = { .beside = "load_stride", .round = stride_round };
LOAD(load_mem_read);
LOAD(load_mem_write);
LOAD(load_stride);
