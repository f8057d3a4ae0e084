/* SPDX-License-Identifier: Apache-2.0 */
/* The first bytes of the image. linker/guest.ld.S puts the addresses of struct guest_header after
 * these bytes. */
#include "abi/guest_run.h"

extern const char guest_header_magic[16];

__attribute__((section(".header"), used)) const char guest_header_magic[16] = GUEST_HEADER_MAGIC;
