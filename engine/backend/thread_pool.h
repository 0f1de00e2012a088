/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Worker threads of one session.  The caller is thread 0.
 *
 * Between runs the workers sleep (futex).  Inside a run they meet at barriers: they spin briefly, since steps are short, and sleep when
 * the others are late, so that an oversubscribed machine is not kept busy by waiting.  No lock is taken.
 */
#ifndef VRS_BACKEND_THREAD_POOL_H
#define VRS_BACKEND_THREAD_POOL_H

#include <vrseg/status.h>

struct vrs_thread_pool;

typedef void (*vrs_thread_fn)(void *cookie, int thread);

/* 1 <= threads <= 1024. VRS_ENOMEM, VRS_EINTERNAL when the system refuses a thread. */
enum vrs_status vrs_thread_pool_create(struct vrs_thread_pool **ret_pool, int threads, struct vrs_error *err);
void vrs_thread_pool_destroy(struct vrs_thread_pool *pool); /* NULL is fine; not during a run */
int vrs_thread_pool_threads(const struct vrs_thread_pool *pool);
/* Call fn(cookie, 0..threads-1) at once and return when all have returned. One run at a time. */
void vrs_thread_pool_run(struct vrs_thread_pool *pool, vrs_thread_fn fn, void *cookie);
/* Inside fn: wait until every thread of the run is here. Writes before it are seen by all after it. */
void vrs_thread_pool_barrier(struct vrs_thread_pool *pool);

#endif
