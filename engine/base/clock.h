/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks: monotonic and CPU time in nanoseconds, UTC text for records. */
#ifndef VRS_BASE_CLOCK_H
#define VRS_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

uint64_t vrs_now_ns(void);        /* CLOCK_MONOTONIC */
uint64_t vrs_cpu_ns(void);        /* CPU time of the process */
uint64_t vrs_thread_cpu_ns(void); /* CPU time of the calling thread */
struct timespec vrs_timespec(uint64_t t_ns); /* for calls that take a deadline */
void vrs_sleep_until_ns(uint64_t t_ns);
void vrs_utc_text(char *buf, size_t size); /* 2026-11-21T10:00:00Z */

#endif
