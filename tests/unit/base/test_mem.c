/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/mem: sizes that overflow are refused, faults hit exactly the allocation asked for, and the counters balance. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"

static void sizes_that_overflow_are_refused(void **state)
{
	size_t ret = 7;

	(void)state;
	assert_true(vrs_mul_size(SIZE_MAX / 2, 2, &ret));
	assert_true(ret == SIZE_MAX - 1);
	assert_false(vrs_mul_size(SIZE_MAX / 2 + 1, 2, &ret));
	assert_true(vrs_mul_size(0, SIZE_MAX, &ret));
	assert_true(ret == 0);
	assert_true(vrs_add_size(SIZE_MAX - 1, 1, &ret));
	assert_true(ret == SIZE_MAX);
	ret = 7;
	assert_false(vrs_add_size(SIZE_MAX, 1, &ret));
	assert_true(ret == 7);
}

static void arrays_of_impossible_size_fail(void **state)
{
	(void)state;
	assert_null(vrs_calloc(SIZE_MAX / 8 + 1, 8));
	char *p = vrs_strdup("kept");

	assert_non_null(p);
	assert_null(vrs_realloc_array(p, SIZE_MAX / 4 + 1, 4));
	assert_string_equal(p, "kept");
	vrs_free(p);
}

static void empty_blocks_are_unique(void **state)
{
	(void)state;
	void *a = vrs_alloc(0), *b = vrs_alloc(0), *c = vrs_calloc(0, 8), *d = vrs_realloc_array(NULL, 0, 4);

	assert_true(a && b && c && d && a != b);
	vrs_free(a);
	vrs_free(b);
	vrs_free(c);
	vrs_free(d);
	vrs_free(NULL);
}

static void calloc_is_zeroed(void **state)
{
	(void)state;
	unsigned char *p = vrs_calloc(1000, 3);

	assert_non_null(p);
	for (int i = 0; i < 3000; i++)
		assert_int_equal(p[i], 0);
	vrs_free(p);
}

static void aligned_blocks_are_aligned(void **state)
{
	(void)state;
	for (size_t alignment = 64; alignment <= 4096; alignment *= 2) {
		void *p = vrs_alloc_aligned(alignment, 3 * alignment + 1);

		assert_non_null(p);
		assert_true((uintptr_t)p % alignment == 0);
		memset(p, 0xa5, 3 * alignment + 1);
		vrs_free_aligned(p);
	}
	assert_null(vrs_alloc_aligned(48, 64));
	assert_null(vrs_alloc_aligned(0, 64));
}

/* Small ones from the heap, large ones from the system: zeroed, aligned, counted, and faults reach both. */
static void page_blocks_are_zeroed(void **state)
{
	const size_t sizes[] = {0, 1, 65535, 65536, 300000, (size_t)2 << 20, ((size_t)3 << 20) + 200000};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t live = vrs_mem_stats().live_bytes;
		char *p = vrs_alloc_pages(sizes[i], true);

		assert_non_null(p);
		assert_true((uintptr_t)p % 64 == 0);
		assert_true(vrs_mem_stats().live_bytes >= live + sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xa5, sizes[i]);
		vrs_free_pages(p, sizes[i]);
		assert_true(vrs_mem_stats().live_bytes == live);
		vrs_mem_fail_after(1, false);
		assert_null(vrs_alloc_pages(sizes[i], true));
		vrs_mem_fail_after(0, false);
	}
	assert_null(vrs_alloc_pages(SIZE_MAX, true));
	assert_null(vrs_alloc_pages(SIZE_MAX / 2, true));
	vrs_free_pages(NULL, 5);
	vrs_free_pages(NULL, 1 << 20);
}

static void counters_balance(void **state)
{
	struct vrs_mem_stats before = vrs_mem_stats();
	void *p = vrs_alloc(100000);

	(void)state;
	assert_true(vrs_mem_stats().live_bytes >= before.live_bytes + 100000);
	p = vrs_realloc_array(p, 3, 100000);
	assert_non_null(p);
	assert_true(vrs_mem_stats().live_bytes >= before.live_bytes + 300000);
	assert_true(vrs_mem_stats().peak_bytes >= before.live_bytes + 300000);
	vrs_free(p);
	struct vrs_mem_stats after = vrs_mem_stats();

	assert_true(after.live_bytes == before.live_bytes);
	assert_true(after.allocations - before.allocations == after.frees - before.frees);
}

static void one_fault_hits_the_nth(void **state)
{
	void *p[4];

	(void)state;
	vrs_mem_fail_after(3, false);
	p[0] = vrs_alloc(8);
	p[1] = vrs_calloc(1, 8);
	assert_false(vrs_mem_fault_fired());
	assert_null(vrs_alloc_aligned(64, 8));
	assert_true(vrs_mem_fault_fired());
	p[2] = vrs_strdup("x");
	p[3] = vrs_realloc_array(NULL, 1, 1);
	vrs_mem_fail_after(0, false);
	assert_false(vrs_mem_fault_fired());
	for (int i = 0; i < 4; i++) {
		assert_non_null(p[i]);
		vrs_free(p[i]);
	}
}

static void persistent_faults_stay(void **state)
{
	uint64_t refused = vrs_mem_stats().refused;

	(void)state;
	vrs_mem_fail_after(2, true);
	void *p = vrs_alloc(1);

	assert_non_null(p);
	for (int i = 0; i < 5; i++)
		assert_null(vrs_alloc(1));
	assert_null(vrs_strdup("x"));
	assert_null(vrs_calloc(1, 1));
	assert_null(vrs_realloc_array(NULL, 1, 1));
	assert_null(vrs_alloc_aligned(64, 1));
	assert_null(vrs_alloc_pages((size_t)1 << 20, false));
	assert_int_equal(vrs_mem_stats().refused - refused, 10);
	vrs_mem_fail_after(0, true);
	vrs_free(p);
	p = vrs_alloc(1);
	assert_non_null(p);
	vrs_free(p);
}

static void an_arena_is_freed_at_once_and_remembers_failures(void **state)
{
	struct vrs_arena arena = {0};
	uint64_t before = vrs_mem_stats().live_bytes;

	(void)state;
	for (size_t n = 0; n < 100; n++) {
		unsigned char *p = vrs_arena_calloc(&arena, n, 3);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < 3 * n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, 3 * n);
	}
	assert_false(arena.failed);
	assert_null(vrs_arena_calloc(&arena, SIZE_MAX / 8 + 1, 8));
	assert_true(arena.failed);
	assert_non_null(vrs_arena_calloc(&arena, 1, 1));
	assert_true(arena.failed);
	vrs_arena_free(&arena);
	assert_true(vrs_mem_stats().live_bytes == before);
	assert_false(arena.failed);
	assert_null(vrs_arena_calloc(&arena, 1, SIZE_MAX));
	vrs_mem_fail_after(1, false);
	assert_null(vrs_arena_calloc(&arena, 1, 1));
	vrs_mem_fail_after(0, false);
	vrs_arena_free(&arena);
	assert_true(vrs_mem_stats().live_bytes == before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_that_overflow_are_refused), cmocka_unit_test(arrays_of_impossible_size_fail),
		cmocka_unit_test(empty_blocks_are_unique),         cmocka_unit_test(calloc_is_zeroed),
		cmocka_unit_test(aligned_blocks_are_aligned),      cmocka_unit_test(counters_balance),
		cmocka_unit_test(page_blocks_are_zeroed),          cmocka_unit_test(an_arena_is_freed_at_once_and_remembers_failures),
		cmocka_unit_test(one_fault_hits_the_nth),          cmocka_unit_test(persistent_faults_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
