/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/thread_pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * A waiter first spins (some 20 us: more than a balanced step leaves its threads apart), then offers its CPU to others, then sleeps.
 * With more threads than CPUs the one that is waited for may need this very CPU.
 */
#define SPIN_PAUSES 800
#define SPIN_YIELDS 40
#define MAX_THREADS 1024
#define CACHE_LINE 64

/* A word that threads wait on until it changes. */
struct gate {
	_Alignas(CACHE_LINE) atomic_uint value;
	atomic_uint sleepers;
};

struct worker {
	struct vrs_thread_pool *pool;
	pthread_t thread;
	int index;
	bool started;
};

struct vrs_thread_pool {
	struct gate start, barrier;
	_Alignas(CACHE_LINE) atomic_int arrived;
	_Alignas(CACHE_LINE) vrs_thread_fn fn;
	void *cookie;
	bool stop;
	int threads;
	struct worker *workers; /* threads - 1 */
};

static void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* Change the gate's value and wake those who gave up spinning. Sequentially consistent against gate_wait: one of the two sees the other. */
static void gate_open(struct gate *gate, unsigned value)
{
	atomic_store(&gate->value, value);
	if (atomic_load(&gate->sleepers))
		(void)syscall(SYS_futex, &gate->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Wait until the value is no longer `old`. */
static void gate_wait(struct gate *gate, unsigned old, bool spin)
{
	for (int i = 0; spin && i < SPIN_PAUSES + SPIN_YIELDS; i++) {
		if (atomic_load_explicit(&gate->value, memory_order_acquire) != old)
			return;
		if (i < SPIN_PAUSES)
			pause_cpu();
		else
			(void)sched_yield();
	}
	atomic_fetch_add(&gate->sleepers, 1);
	while (atomic_load(&gate->value) == old) /* EAGAIN and EINTR: look again */
		(void)syscall(SYS_futex, &gate->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
	atomic_fetch_sub(&gate->sleepers, 1);
}

void vrs_thread_pool_barrier(struct vrs_thread_pool *pool)
{
	if (pool->threads == 1)
		return;
	unsigned turn = atomic_load_explicit(&pool->barrier.value, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) + 1 == pool->threads) {
		atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
		gate_open(&pool->barrier, turn + 1);
	} else {
		gate_wait(&pool->barrier, turn, true);
	}
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct vrs_thread_pool *pool = worker->pool;
	unsigned seen = 0;
	for (;;) {
		gate_wait(&pool->start, seen, false);
		seen++;
		if (pool->stop)
			return NULL;
		pool->fn(pool->cookie, worker->index);
		vrs_thread_pool_barrier(pool);
	}
}

void vrs_thread_pool_run(struct vrs_thread_pool *pool, vrs_thread_fn fn, void *cookie)
{
	pool->fn = fn;
	pool->cookie = cookie;
	if (pool->threads > 1)
		gate_open(&pool->start, atomic_load_explicit(&pool->start.value, memory_order_relaxed) + 1);
	fn(cookie, 0);
	vrs_thread_pool_barrier(pool);
}

int vrs_thread_pool_threads(const struct vrs_thread_pool *pool)
{
	return pool->threads;
}

/* Workers leave signals to the program's own threads. */
static int start_worker(struct worker *worker)
{
	sigset_t all, old;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&worker->thread, NULL, worker_main, worker);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	worker->started = rc == 0;
	return rc;
}

enum vrs_status vrs_thread_pool_create(struct vrs_thread_pool **ret_pool, int threads, struct vrs_error *err)
{
	if (threads < 1 || threads > MAX_THREADS)
		return vrs_fail(err, VRS_EINVAL, "a thread pool has 1 to %d threads, not %d", MAX_THREADS, threads);
	struct vrs_thread_pool *pool = vrs_alloc_aligned(CACHE_LINE, sizeof *pool);
	if (!pool)
		return vrs_fail(err, VRS_ENOMEM, "out of memory for a thread pool");
	memset(pool, 0, sizeof *pool);
	pool->threads = threads;
	pool->workers = vrs_calloc((size_t)threads, sizeof *pool->workers);
	if (!pool->workers) {
		vrs_thread_pool_destroy(pool);
		return vrs_fail(err, VRS_ENOMEM, "out of memory for %d threads", threads);
	}
	for (int i = 0; i < threads - 1; i++) {
		pool->workers[i].pool = pool;
		pool->workers[i].index = i + 1;
		int rc = start_worker(&pool->workers[i]);
		if (rc) {
			vrs_thread_pool_destroy(pool);
			return vrs_fail(err, VRS_EINTERNAL, "cannot start thread %d of %d: %s; ask for fewer threads", i + 2, threads, strerror(rc));
		}
	}
	*ret_pool = pool;
	return VRS_OK;
}

void vrs_thread_pool_destroy(struct vrs_thread_pool *pool)
{
	if (!pool)
		return;
	pool->stop = true;
	if (pool->threads > 1)
		gate_open(&pool->start, atomic_load(&pool->start.value) + 1);
	for (int i = 0; pool->workers && i < pool->threads - 1; i++)
		if (pool->workers[i].started)
			(void)pthread_join(pool->workers[i].thread, NULL);
	vrs_free(pool->workers);
	vrs_free_aligned(pool);
}
