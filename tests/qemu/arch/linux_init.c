/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program in user space of a Linux guest, without a C library. As process 1 it prints
 * CNTVCT at its first instruction, which is how long the kernel's boot took, and becomes busybox's
 * shell with the script /script. Otherwise it sleeps for a second and prints by how much CNTVCT
 * moved on.
 */
#include "arch/linux_calls.inc"

#define HEX_DIGITS 16

void _start(void);

static void say(const char *what, unsigned size, unsigned long long value)
{
	char line[] = "0x0000000000000000\n";
	char *digit = line + sizeof(line) - 3; /* before "\n" and NUL */

	for (int i = 0; i < HEX_DIGITS; i++, value >>= 4)
		*digit-- = "0123456789abcdef"[value & 15];
	syscall(SYS_WRITE, 1, (long)what, size);
	syscall(SYS_WRITE, 1, (long)line, sizeof(line) - 1);
}

void _start(void)
{
	unsigned long long start = counter();
	static const char *const words[] = { "sh", "/script", 0 };
	static const char *const environment[] = { "PATH=/bin", "HOME=/", 0 };
	const long second[2] = { 1, 0 }; /* struct timespec */

	if (syscall(SYS_GETPID, 0, 0, 0) == 1) {
		say("user space at CNTVCT ", 21, start);
		syscall(SYS_EXECVE, (long)"/bin/busybox", (long)words, (long)environment);
	} else {
		start = counter();
		syscall(SYS_NANOSLEEP, (long)second, 0, 0);
		say("a second at CNTVCT + ", 21, counter() - start);
	}
	for (;;)
		syscall(SYS_EXIT, 0, 0, 0);
}
