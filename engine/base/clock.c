/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <errno.h>

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

struct timespec vrs_timespec(uint64_t t_ns)
{
	return (struct timespec){.tv_sec = (time_t)(t_ns / 1000000000u), .tv_nsec = (long)(t_ns % 1000000000u)};
}

void vrs_sleep_until_ns(uint64_t t_ns)
{
	struct timespec t = vrs_timespec(t_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
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
