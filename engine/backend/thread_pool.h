/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Worker threads of one session, and gates at which they meet.  The caller is thread 0.
 *
 * Between runs the workers sleep (futex).  A run does not wait for them to wake up, which takes longer than a step of a small network: the
 * caller starts to work at once, workers join when they are awake, and one that comes too late stays out.  Work must therefore be handed out
 * by atomic counters; gates say that a piece of it is complete.  Waiters spin briefly, then yield, then sleep.  No lock is taken.
 */
#ifndef VRS_BACKEND_THREAD_POOL_H
#define VRS_BACKEND_THREAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <vrseg/status.h>

#include "machine/places.h"

/* Shut at first; opened once, seen by all: what was written before vrs_gate_open is visible after vrs_gate_wait. */
struct vrs_gate {
	_Alignas(64) atomic_uint value;
	atomic_uint sleepers;
};
void vrs_gate_shut(struct vrs_gate *gate); /* while nobody uses it */
void vrs_gate_open(struct vrs_gate *gate);
/* Comes back as well when *stop (NULL: nothing) is set. False: the gate is shut then. */
bool vrs_gate_wait(struct vrs_gate *gate, const atomic_bool *stop);

struct vrs_thread_pool;

typedef void (*vrs_thread_fn)(void *cookie, int thread);

/*
 * 1 <= threads <= 1024. VRS_ENOMEM, VRS_EINTERNAL when the system refuses a thread.  Workers round and trap as a C program does at its start
 * (FE_DFL_ENV), whatever the caller has set.
 */
enum vrs_status vrs_thread_pool_create(struct vrs_thread_pool **ret_pool, int threads, struct vrs_error *err);
void vrs_thread_pool_destroy(struct vrs_thread_pool *pool); /* NULL is fine; not during a run */
/*
 * Thread i runs at place number first + i from now on, the caller of a run during the run.  Returns how many threads that is true of: the system may
 * refuse it.  The places must outlive the pool; not during a run.
 */
int vrs_thread_pool_bind(struct vrs_thread_pool *pool, const struct vrs_places *places, int first);
/*
 * Call fn(cookie, 0) here and fn(cookie, 1..threads-1) in every worker that is awake before that returns; come back when all calls have
 * returned.  A thread's index is in use by one call at a time.  One run at a time.  The CPU time of the workers counts for the caller
 * (vrs_team_cpu_ns).
 */
void vrs_thread_pool_run(struct vrs_thread_pool *pool, vrs_thread_fn fn, void *cookie);

#endif
