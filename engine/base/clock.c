/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

static uint64_t read_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t vrs_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t vrs_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t vrs_thread_cpu_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static _Thread_local uint64_t helped_ns;

uint64_t vrs_team_cpu_ns(void)
{
	return vrs_thread_cpu_ns() + helped_ns;
}

void vrs_team_cpu_add(uint64_t ns)
{
	helped_ns += ns;
}

static struct timespec timespec_of(uint64_t t_ns)
{
	return (struct timespec){.tv_sec = (time_t)(t_ns / 1000000000u), .tv_nsec = (long)(t_ns % 1000000000u)};
}

void vrs_sleep_until_ns(uint64_t t_ns)
{
	struct timespec t = timespec_of(t_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

double vrs_seconds_since_1970(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
	return (double)now.tv_sec + 1e-3 * (double)(now.tv_nsec / 1000000);
}

void vrs_utc_text(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm = {0};

	if (size == 0)
		return;
	gmtime_r(&now, &tm);
	if (strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		buf[0] = '\0';
}

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
	const struct timespec at = timespec_of(t_ns);

	return pthread_cond_timedwait(cond, lock, &at) != ETIMEDOUT;
}

void vrs_cond_wait_timed(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t *wait_ns)
{
	uint64_t begin = vrs_now_ns();
	pthread_cond_wait(cond, lock);
	*wait_ns += vrs_now_ns() - begin;
}
