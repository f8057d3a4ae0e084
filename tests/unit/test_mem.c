/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of EL2's own <string.h>, compared with the host's. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/unit.h"

void *el2_memcpy(void *restrict to, const void *restrict from, size_t size);
void *el2_memset(void *to, int byte, size_t size);
int el2_memcmp(const void *left, const void *right, size_t size);
size_t el2_strlen(const char *string);

#define memcpy el2_memcpy
#define memset el2_memset
#define memcmp el2_memcmp
#define strlen el2_strlen
#include "hyp/base/mem.c" /* the only definitions of these names */
#undef memcpy
#undef memset
#undef memcmp
#undef strlen

#define PAGE 4096u
#define MOST 70u
#define ROOM (MOST + 4 * sizeof(uintptr_t))

static uint8_t from[ROOM] __attribute__((aligned(16)));
static uint8_t to[ROOM] __attribute__((aligned(16)));
static uint8_t expected[ROOM];

static void fill(void)
{
	for (unsigned i = 0; i < ROOM; i++) {
		from[i] = (uint8_t)(i + 1);
		to[i] = expected[i] = (uint8_t)~i;
	}
}

static void copies(unsigned at, unsigned source, unsigned size)
{
	fill();
	memcpy(expected + at, from + source, size);
	assert_ptr_equal(el2_memcpy(to + at, from + source, size), to + at);
	assert_memory_equal(to, expected, ROOM);
}

TEST(a_copy_has_each_byte_and_no_other)
{
	for (unsigned at = 8; at < 16; at++)
		for (unsigned source = 8; source < 16; source++)
			for (unsigned size = 0; size <= MOST; size++)
				copies(at, source, size);
}

/* Return a page that lies between two pages without access. */
static uint8_t *guarded(void)
{
	uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	return pages + PAGE;
}

static sigjmp_buf faulted;

static void on_fault(int signal)
{
	siglongjmp(faulted, signal);
}

static void copy_beside_pages(uint8_t *target, const uint8_t *source)
{
	for (unsigned size = 1; size <= MOST; size++)
		for (unsigned at = 0; at < sizeof(uintptr_t); at++) {
			el2_memcpy(target + at, source + PAGE - size, size);
			el2_memcpy(target + PAGE - size, source + at, size);
		}
}

TEST(a_copy_touches_no_page_beside_its_own)
{
	uint8_t *source = guarded(), *target = guarded();
	void (*before)(int) = signal(SIGSEGV, on_fault);
	int fault = sigsetjmp(faulted, 1);

	if (!fault)
		copy_beside_pages(target, source);
	signal(SIGSEGV, before);
	assert_int_equal(fault, 0);
	munmap(source - PAGE, 3 * PAGE);
	munmap(target - PAGE, 3 * PAGE);
}

TEST(bytes_are_set)
{
	for (unsigned at = 8; at < 16; at++)
		for (unsigned size = 0; size <= MOST; size++) {
			fill();
			memset(expected + at, 0xa5, size);
			assert_ptr_equal(el2_memset(to + at, 0xa5, size), to + at);
			assert_memory_equal(to, expected, ROOM);
		}
}

TEST(the_first_difference_decides)
{
	assert_int_equal(el2_memcmp("abc", "abc", 3), 0);
	assert_true(el2_memcmp("abx", "abcz", 4) > 0);
	assert_true(el2_memcmp("ab\x01", "ab\xff", 3) < 0);
	assert_int_equal(el2_memcmp("a", "b", 0), 0);
	assert_int_equal(el2_strlen("four"), 4);
}
