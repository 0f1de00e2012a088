/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the thread pool: every thread runs once a run, barriers order plain memory accesses (ThreadSanitizer sees them), threads that come
 * late or sleep do not break a barrier, pools of 1 to 8 threads on any number of CPUs, limits, failed allocations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/thread_pool.h"
#include "base/mem.h"
#include "base/rng.h"

#define MAX 8
#define ROUNDS 40

struct work {
	struct vrs_thread_pool *pool;
	int threads, late;
	long slots[MAX], sums[MAX];
};

/* Each round: write the own slot, meet, read all slots, meet. */
static void exchange(void *cookie, int thread)
{
	struct work *work = cookie;
	for (int round = 0; round < ROUNDS; round++) {
		if (work->late == thread && round % 8 == 0)
			usleep(300);
		work->slots[thread] = round * 100 + thread;
		vrs_thread_pool_barrier(work->pool);
		for (int t = 0; t < work->threads; t++)
			work->sums[thread] += work->slots[t];
		vrs_thread_pool_barrier(work->pool);
	}
}

static void test_barriers(void **state)
{
	(void)state;
	for (int threads = 1; threads <= MAX; threads++) {
		struct work work = { .threads = threads };
		assert_int_equal(vrs_thread_pool_create(&work.pool, threads, NULL), VRS_OK);
		assert_int_equal(vrs_thread_pool_threads(work.pool), threads);
		long expected = 0, runs = 12;
		for (int round = 0; round < ROUNDS; round++)
			for (int t = 0; t < threads; t++)
				expected += round * 100 + t;
		for (int run = 0; run < runs; run++) {
			work.late = run % (threads + 1);
			vrs_thread_pool_run(work.pool, exchange, &work);
			if (run == 5)
				usleep(2000); /* workers are asleep at the next run */
		}
		for (int t = 0; t < threads; t++)
			assert_int_equal(work.sums[t], expected * runs);
		vrs_thread_pool_destroy(work.pool);
	}
}

static void count_run(void *cookie, int thread)
{
	((long *)cookie)[thread]++;
}

static void test_many_runs(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool;
	long counts[4] = { 0 };
	assert_int_equal(vrs_thread_pool_create(&pool, 4, NULL), VRS_OK);
	for (int i = 0; i < 2000; i++)
		vrs_thread_pool_run(pool, count_run, counts);
	for (int t = 0; t < 4; t++)
		assert_int_equal(counts[t], 2000);
	vrs_thread_pool_destroy(pool);
}

static void test_limits(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool = NULL;
	struct vrs_error err;
	memset(&err, 0, sizeof err);
	assert_int_equal(vrs_thread_pool_create(&pool, 0, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "1024"));
	assert_int_equal(vrs_thread_pool_create(&pool, 1025, NULL), VRS_EINVAL);
	assert_null(pool);
	vrs_thread_pool_destroy(NULL);
	for (uint64_t n = 1;; n++) {
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_thread_pool_create(&pool, 3, NULL);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		if (status == VRS_OK) {
			assert_false(fired);
			vrs_thread_pool_destroy(pool);
			break;
		}
		assert_int_equal(status, VRS_ENOMEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_barriers), cmocka_unit_test(test_many_runs), cmocka_unit_test(test_limits) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
