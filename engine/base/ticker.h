/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that works at moments which it chooses itself, and ends at once when it is asked to.  Its function is a loop:
 *     while (vrs_ticker_wait(&ticker, next_ns)) ...
 */
#ifndef VRS_BASE_TICKER_H
#define VRS_BASE_TICKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_ticker {
	pthread_t thread;
	pthread_mutex_t lock; /* guards over and woken */
	pthread_cond_t changed;
	bool over, woken;
};

/* The thread runs main(cookie), whose result is lost. VRS_EINTERNAL: no thread, and nothing to end. */
enum vrs_status vrs_ticker_start(struct vrs_ticker *ticker, void *(*main)(void *cookie), void *cookie, struct vrs_error *err) VRS_MUST_CHECK;
/* In the thread: true when t_ns (vrs_now_ns) has come, or after a wake; false when the thread shall end. */
bool vrs_ticker_wait(struct vrs_ticker *ticker, uint64_t t_ns);
/* End the wait of the thread, or its next one: there is news for it.  Any thread. */
void vrs_ticker_wake(struct vrs_ticker *ticker);
/* The thread shall end, and is not waited for.  Any thread. */
void vrs_ticker_ask(struct vrs_ticker *ticker);
/* Ask, and wait until it has ended. */
void vrs_ticker_end(struct vrs_ticker *ticker);

#endif
