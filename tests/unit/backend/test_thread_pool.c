/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the thread pool: work handed out by counters is done once whatever workers come late or not at all, gates order plain memory accesses
 * (ThreadSanitizer sees them), an index is in use once at a time, pools of 1 to 8 threads on any number of CPUs, limits, failed allocations; the CPU
 * time of all workers counts for the caller.
 */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/thread_pool.h"
#include "base/clock.h"
#include "base/mem.h"

#define MAX 8
#define ROUNDS 20
#define PIECES 16

/* Each round has pieces to be taken; a piece reads what all pieces of the round before wrote. */
struct work {
	int late;                       /* this thread sleeps now and then */
	atomic_int next[ROUNDS], left[ROUNDS], inside[MAX];
	struct vrs_gate done[ROUNDS];
	long values[ROUNDS][PIECES];
};

static void do_round(struct work *work, int round, int thread)
{
	int piece;
	while ((piece = atomic_fetch_add(&work->next[round], 1)) < PIECES) {
		long sum = 1;
		for (int i = 0; round > 0 && i < PIECES; i++)
			sum += work->values[round - 1][i];
		if (work->late == thread && piece % 5 == 0)
			usleep(200);
		work->values[round][piece] = sum % 1000003 + piece;
		if (atomic_fetch_sub(&work->left[round], 1) == 1)
			vrs_gate_open(&work->done[round]);
	}
	vrs_gate_wait(&work->done[round], NULL);
}

static void do_work(void *cookie, int thread)
{
	struct work *work = cookie;
	assert_int_equal(atomic_fetch_add(&work->inside[thread], 1), 0);
	for (int round = 0; round < ROUNDS; round++)
		do_round(work, round, thread);
	atomic_fetch_sub(&work->inside[thread], 1);
}

static void reset(struct work *work)
{
	memset(work->values, 0, sizeof work->values);
	for (int round = 0; round < ROUNDS; round++) {
		atomic_store(&work->next[round], 0);
		atomic_store(&work->left[round], PIECES);
		vrs_gate_shut(&work->done[round]);
	}
}

static void test_work(void **state)
{
	(void)state;
	static struct work work;
	long expected[ROUNDS][PIECES];
	for (int round = 0; round < ROUNDS; round++) {
		long sum = 1;
		for (int i = 0; round > 0 && i < PIECES; i++)
			sum += expected[round - 1][i];
		for (int i = 0; i < PIECES; i++)
			expected[round][i] = sum % 1000003 + i;
	}
	for (int threads = 1; threads <= MAX; threads++) {
		struct vrs_thread_pool *pool;
		assert_int_equal(vrs_thread_pool_create(&pool, threads, NULL), VRS_OK);
		for (int run = 0; run < 12; run++) {
			work.late = run % (threads + 1);
			reset(&work);
			vrs_thread_pool_run(pool, do_work, &work);
			assert_memory_equal(work.values, expected, sizeof expected);
			if (run == 5)
				usleep(2000); /* workers are asleep at the next run */
		}
		vrs_thread_pool_destroy(pool);
	}
}

struct calls {
	long caller;
	atomic_long others;
};

static void count_call(void *cookie, int thread)
{
	struct calls *calls = cookie;
	if (thread == 0)
		calls->caller++;
	else
		atomic_fetch_add(&calls->others, 1);
}

/* Runs that are over before a worker wakes up, one after the other. */
static void test_short_runs(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool;
	struct calls calls = {0};
	assert_int_equal(vrs_thread_pool_create(&pool, 4, NULL), VRS_OK);
	for (int i = 0; i < 3000; i++)
		vrs_thread_pool_run(pool, count_call, &calls);
	assert_int_equal(calls.caller, 3000);
	vrs_thread_pool_destroy(pool);
}

static void meet(void *cookie, int thread)
{
	atomic_int *here = cookie;
	(void)thread;
	atomic_fetch_add(here, 1);
	for (int i = 0; atomic_load(here) < 3 && i < 20000; i++)
		usleep(100);
}

/* Workers do come when there is time. */
static void test_workers_join(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool;
	assert_int_equal(vrs_thread_pool_create(&pool, 3, NULL), VRS_OK);
	for (int i = 0; i < 5; i++) {
		atomic_int here = 0;
		vrs_thread_pool_run(pool, meet, &here);
		assert_true(atomic_load(&here) >= 3);
	}
	vrs_thread_pool_destroy(pool);
}

static void test_limits(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool = NULL;
	struct vrs_error err = {0};
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

#define BURN_NS 10000000u

static void burn_in_workers(void *cookie, int thread)
{
	atomic_int *joined = cookie;
	uint64_t begin = vrs_thread_cpu_ns();
	if (thread == 0) {
		while (atomic_load(joined) < 2)
			usleep(100);
		return;
	}
	atomic_fetch_add(joined, 1);
	while (vrs_thread_cpu_ns() - begin < BURN_NS)
		;
}

static void test_workers_count_for_the_caller(void **state)
{
	(void)state;
	struct vrs_thread_pool *pool;
	assert_int_equal(vrs_thread_pool_create(&pool, 3, NULL), VRS_OK);
	for (int i = 1; i <= 2; i++) { /* a second run counts itself alone */
		atomic_int joined = 0;
		uint64_t team = vrs_team_cpu_ns(), own = vrs_thread_cpu_ns();
		vrs_thread_pool_run(pool, burn_in_workers, &joined);
		own = vrs_thread_cpu_ns() - own;
		team = vrs_team_cpu_ns() - team;
		assert_true(team >= own + 2 * BURN_NS && team < own + 3 * BURN_NS);
	}
	vrs_thread_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work), cmocka_unit_test(test_short_runs), cmocka_unit_test(test_workers_join), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_workers_count_for_the_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
