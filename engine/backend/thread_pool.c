/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/thread_pool.h"

#include <errno.h>
#include <fenv.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"

/*
 * A waiter first spins (some 20 us: more than a balanced step leaves its threads apart), then offers its CPU to others, then sleeps.
 * With more threads than CPUs the one that is waited for may need this very CPU.
 */
#define SPIN_PAUSES 800
#define SPIN_YIELDS 40
#define LOOK_NS 20000000L /* how often a sleeper that may be stopped looks */
#define MAX_THREADS 1024
#define CACHE_LINE 64

struct worker {
	struct vrs_thread_pool *pool;
	pthread_t thread;
	int index;
	bool started;
};

/* Of vrs_thread_pool_bind; in the pool, since the worker that opens the gate may be the last to look at it. */
struct binding {
	const struct vrs_places *places;
	int first;
	atomic_int bound, missing; /* workers */
	struct vrs_gate all;
};

struct vrs_thread_pool {
	struct vrs_gate start;  /* its value counts the runs */
	struct vrs_gate inside; /* its value is 2 for each worker inside fn, plus 1 while workers may enter */
	_Atomic uint64_t helped_ns; /* CPU time of workers in this run */
	_Alignas(CACHE_LINE) vrs_thread_fn fn;
	void *cookie;
	bool stop;
	int threads;
	struct worker *workers; /* threads - 1 */
	const struct vrs_places *places; /* NULL: where the system likes */
	int first_place;
	struct binding binding;
};

static void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* Wake those who gave up spinning.  Sequentially consistent against wait_change: one of the two sees what the other did. */
static void wake(struct vrs_gate *gate)
{
	if (atomic_load(&gate->sleepers))
		(void)syscall(SYS_futex, &gate->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static bool is_set(const atomic_bool *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* Wait until the value is no longer `old`, or *stop is set. */
static void wait_change(struct vrs_gate *gate, unsigned old, bool spin, const atomic_bool *stop)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	for (int i = 0; spin && i < SPIN_PAUSES + SPIN_YIELDS; i++) {
		if (atomic_load_explicit(&gate->value, memory_order_acquire) != old)
			return;
		if (i < SPIN_PAUSES)
			pause_cpu();
		else
			(void)sched_yield();
	}
	atomic_fetch_add(&gate->sleepers, 1);
	while (atomic_load(&gate->value) == old && !is_set(stop)) /* EAGAIN, EINTR and ETIMEDOUT: look again */
		(void)syscall(SYS_futex, &gate->value, FUTEX_WAIT_PRIVATE, old, stop ? &look : NULL, NULL, 0);
	atomic_fetch_sub(&gate->sleepers, 1);
}

void vrs_gate_shut(struct vrs_gate *gate)
{
	atomic_store_explicit(&gate->value, 0, memory_order_relaxed);
}

void vrs_gate_open(struct vrs_gate *gate)
{
	atomic_store(&gate->value, 1);
	wake(gate);
}

bool vrs_gate_wait(struct vrs_gate *gate, const atomic_bool *stop)
{
	wait_change(gate, 0, true, stop);
	return atomic_load(&gate->value) != 0;
}

static bool enter(struct vrs_gate *inside)
{
	unsigned value = atomic_load(&inside->value);
	while (value & 1u)
		if (atomic_compare_exchange_weak(&inside->value, &value, value + 2))
			return true;
	return false;
}

static void leave(struct vrs_gate *inside)
{
	unsigned before = atomic_fetch_sub(&inside->value, 2);
	VRS_ASSERT(before >= 2); /* who leaves has entered */
	(void)before;
	wake(inside);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct vrs_thread_pool *pool = worker->pool;
	unsigned seen = 0;
	(void)fesetenv(FE_DFL_ENV); /* not that of the thread which made the pool */
	for (;;) {
		wait_change(&pool->start, seen, false, NULL);
		seen = atomic_load(&pool->start.value);
		if (!enter(&pool->inside))
			continue;
		if (pool->stop)
			return NULL;
		uint64_t begin = vrs_thread_cpu_ns();
		pool->fn(pool->cookie, worker->index);
		atomic_fetch_add_explicit(&pool->helped_ns, vrs_thread_cpu_ns() - begin, memory_order_relaxed); /* leaving orders it */
		leave(&pool->inside);
	}
}

/* Let the workers in: fn, cookie and stop are set. */
static void open_run(struct vrs_thread_pool *pool)
{
	(void)atomic_fetch_or(&pool->inside.value, 1u);
	(void)atomic_fetch_add(&pool->start.value, 1);
	wake(&pool->start);
}

static void run(struct vrs_thread_pool *pool, vrs_thread_fn fn, void *cookie)
{
	VRS_ASSERT(atomic_load(&pool->inside.value) == 0); /* one run at a time */
	pool->fn = fn;
	pool->cookie = cookie;
	if (pool->threads > 1)
		open_run(pool);
	fn(cookie, 0);
	if (pool->threads == 1)
		return;
	unsigned value = atomic_fetch_and(&pool->inside.value, ~1u) & ~1u;
	while (value) {
		wait_change(&pool->inside, value, true, NULL);
		value = atomic_load(&pool->inside.value);
	}
	vrs_team_cpu_add(atomic_exchange_explicit(&pool->helped_ns, 0, memory_order_relaxed));
}

void vrs_thread_pool_run(struct vrs_thread_pool *pool, vrs_thread_fn fn, void *cookie)
{
	cpu_set_t before;
	(void)vrs_places_enter(pool->places, pool->first_place, &before);
	run(pool, fn, cookie);
	vrs_places_leave(&before);
}

/* The caller is bound for each run only, and waits for the last worker: a run may end without those that come late. */
static void bind_self(void *cookie, int thread)
{
	struct binding *binding = cookie;
	cpu_set_t before;
	if (thread == 0) {
		vrs_gate_wait(&binding->all, NULL);
		atomic_fetch_add(&binding->bound, vrs_places_enter(binding->places, binding->first, &before));
		vrs_places_leave(&before);
		return;
	}
	atomic_fetch_add(&binding->bound, vrs_places_bind(binding->places, binding->first + thread));
	if (atomic_fetch_sub(&binding->missing, 1) == 1)
		vrs_gate_open(&binding->all);
}

int vrs_thread_pool_bind(struct vrs_thread_pool *pool, const struct vrs_places *places, int first)
{
	struct binding *binding = &pool->binding;
	binding->places = places;
	binding->first = first;
	atomic_store(&binding->bound, 0);
	atomic_store(&binding->missing, pool->threads - 1);
	vrs_gate_shut(&binding->all);
	if (pool->threads == 1)
		vrs_gate_open(&binding->all);
	run(pool, bind_self, binding);
	pool->places = places;
	pool->first_place = first;
	return atomic_load(&binding->bound);
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
	open_run(pool);
	for (int i = 0; pool->workers && i < pool->threads - 1; i++)
		if (pool->workers[i].started)
			(void)pthread_join(pool->workers[i].thread, NULL);
	vrs_free(pool->workers);
	vrs_free_aligned(pool);
}
