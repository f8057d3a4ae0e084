/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null device, at guest_run.device_base: what a device costs that does next to nothing. In
 * every configuration with stage 2 EL2 emulates it, one exit an access; without stage 2 there is
 * plain memory in its place. Registers are 32 bits wide and begin as 0 in each step.
 */
#pragma once

#define NULL_DEVICE_SIZE 0x1000u

#define NULL_DEVICE_SCRATCH 0x0u /* reads back what was written last */
#define NULL_DEVICE_DATA 0x4u    /* written: added to SUM, counted in COUNT; reads as 0 */
#define NULL_DEVICE_COUNT 0x8u   /* writes to DATA; read-only */
#define NULL_DEVICE_SUM 0xcu     /* of what was written to DATA, modulo 2^32; read-only */
