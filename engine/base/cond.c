/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cond.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"

void vrs_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic); /* none of these can fail on Linux */
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

bool vrs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t t_ns)
{
	const struct timespec at = vrs_timespec(t_ns);

	return pthread_cond_timedwait(cond, lock, &at) != ETIMEDOUT;
}

void vrs_cond_wait_timed(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t *wait_ns)
{
	uint64_t begin = vrs_now_ns();
	pthread_cond_wait(cond, lock);
	*wait_ns += vrs_now_ns() - begin;
}
