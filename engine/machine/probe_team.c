/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/probe.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/mem.h"

#define SPINS 2000 /* then the processor is offered to others: there may be more threads than processors */

struct team {
	int threads;
	void (*first)(void *cookie, int index);
	void (*work)(void *cookie, int index);
	void *cookie;
	uint64_t budget_ns;
	pthread_mutex_t gate;   /* held until all threads exist */
	bool abort;             /* under gate: a thread could not be made */
	bool stop;              /* written by worker 0 before a meeting */
	uint64_t best_ns;       /* written by worker 0 */
	/* Cache lines of their own; by padding, since gcc's AddressSanitizer places what lies on the stack at 32 bytes only. */
	char apart_arrived[64];
	atomic_int arrived;
	char apart_meeting[64];
	atomic_uint meeting; /* counts the meetings that are over */
};

struct worker {
	struct team *team;
	int index;
	pthread_t thread;
};

/* A barrier by spinning: waking a thread takes the system some 50 us, too much of a pass of a few milliseconds. */
static void meet(struct team *team)
{
	unsigned meeting = atomic_load(&team->meeting);

	if (atomic_fetch_add(&team->arrived, 1) == team->threads - 1) {
		atomic_store(&team->arrived, 0);
		atomic_fetch_add(&team->meeting, 1);
		return;
	}
	for (int i = 0; atomic_load_explicit(&team->meeting, memory_order_acquire) == meeting; i++)
		if (i >= SPINS)
			(void)sched_yield();
}

static void loop(struct team *team, int index)
{
	const uint64_t end = vrs_now_ns() + team->budget_ns;

	if (team->first)
		team->first(team->cookie, index);
	for (;;) {
		uint64_t start, span;

		meet(team);
		if (team->stop)
			return;
		start = vrs_now_ns();
		team->work(team->cookie, index);
		meet(team);
		span = vrs_now_ns() - start;
		if (index != 0)
			continue;
		if (span > 0 && (team->best_ns == 0 || span < team->best_ns))
			team->best_ns = span;
		team->stop = start + span >= end;
	}
}

static void *worker_main(void *cookie)
{
	struct worker *worker = cookie;
	bool abort;

	(void)pthread_mutex_lock(&worker->team->gate); /* a normal mutex: cannot fail */
	abort = worker->team->abort;
	(void)pthread_mutex_unlock(&worker->team->gate);
	if (!abort)
		loop(worker->team, worker->index);
	return NULL;
}

/* Worker 0 is the caller. */
static void run(struct team *team, struct worker *workers)
{
	int made = 1;

	if (pthread_mutex_init(&team->gate, NULL) != 0)
		return;
	(void)pthread_mutex_lock(&team->gate);
	for (; made < team->threads; made++) {
		workers[made] = (struct worker){.team = team, .index = made};
		if (pthread_create(&workers[made].thread, NULL, worker_main, &workers[made]) != 0)
			break;
	}
	team->abort = made < team->threads;
	(void)pthread_mutex_unlock(&team->gate);
	if (!team->abort)
		loop(team, 0);
	for (int i = 1; i < made; i++)
		(void)pthread_join(workers[i].thread, NULL);
	(void)pthread_mutex_destroy(&team->gate);
}

uint64_t vrs_probe_team(int threads, void (*first)(void *cookie, int index), void (*work)(void *cookie, int index), void *cookie,
			uint64_t budget_ns)
{
	struct team team = {.threads = threads, .first = first, .work = work, .cookie = cookie, .budget_ns = budget_ns};
	struct worker *workers = vrs_calloc((size_t)threads, sizeof *workers);

	if (workers)
		run(&team, workers);
	vrs_free(workers);
	return team.best_ns;
}
