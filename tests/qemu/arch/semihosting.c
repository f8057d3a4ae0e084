/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that tries to reach the host by semihosting: it asks the emulator to run a command
 * (SYS_SYSTEM), to write a file (SYS_OPEN, SYS_WRITE) and to remove another file (SYS_REMOVE).
 * Define: FOLDER, a folder of the host.
 */
#include "bench.h"

#define SYS_OPEN 0x01
#define SYS_WRITE 0x05
#define SYS_REMOVE 0x0e
#define SYS_SYSTEM 0x12
#define MODE_W 4
#define TEXT(string) (uintptr_t)(string), sizeof(string) - 1

NO_INTERRUPTS

#ifdef __aarch64__
#define FIRST "x0"
#define SECOND "x1"
#define HLT "hlt #0xf000"
#else
#define FIRST "r0"
#define SECOND "r1"
#define HLT ".inst 0xe10f0070"
#endif

static uintptr_t ask(uintptr_t operation, const uintptr_t *block)
{
	register uintptr_t first __asm__(FIRST) = operation;
	register const uintptr_t *second __asm__(SECOND) = block;

	__asm__ volatile(HLT : "+r"(first) : "r"(second) : "memory");
	return first;
}

void bench_main(struct guest_run *run)
{
	uintptr_t command[] = { TEXT("touch " FOLDER "/ran") };
	uintptr_t taken[] = { (uintptr_t)FOLDER "/taken", MODE_W, sizeof(FOLDER "/taken") - 1 };
	uintptr_t kept[] = { TEXT(FOLDER "/kept") };
	uintptr_t written[] = { 0, (uintptr_t) "x", 1 };

	guest_run = run;
	ask(SYS_SYSTEM, command);
	written[0] = ask(SYS_OPEN, taken); /* the handle, if there is one */
	ask(SYS_WRITE, written);
	ask(SYS_REMOVE, kept);
	for (;;)
		bench_exit(EXIT_DONE);
}
