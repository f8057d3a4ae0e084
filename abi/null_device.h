/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null device, at guest_run.device_base: a device with almost no function, to measure an
 * access. With stage 2 EL2 emulates the device by one exit an access; without stage 2 plain memory
 * replaces the device. Registers have 32 bits and are 0 at the start of each step.
 */
#pragma once

#define NULL_DEVICE_SIZE 0x1000u

#define NULL_DEVICE_SCRATCH 0x0u /* reads return the last written value */
#define NULL_DEVICE_DATA 0x4u    /* a write adds to SUM and COUNT; reads return 0 */
#define NULL_DEVICE_COUNT 0x8u   /* number of writes to DATA; read-only */
#define NULL_DEVICE_SUM 0xcu     /* sum of the writes to DATA, modulo 2^32; read-only */
