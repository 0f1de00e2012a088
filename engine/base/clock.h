/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clocks: monotonic and CPU time in nanoseconds, UTC text for records; condition variables whose deadlines are on the clock of vrs_now_ns, so that a
 * change of the date moves none of them.
 */
#ifndef VRS_BASE_CLOCK_H
#define VRS_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t vrs_now_ns(void);        /* CLOCK_MONOTONIC */
uint64_t vrs_cpu_ns(void);        /* CPU time of the process */
uint64_t vrs_thread_cpu_ns(void); /* CPU time of the calling thread */
uint64_t vrs_team_cpu_ns(void);   /* of the calling thread, and what others have worked for it (vrs_team_cpu_add) */
void vrs_team_cpu_add(uint64_t ns); /* others have worked that long for the calling thread */
void vrs_sleep_until_ns(uint64_t t_ns);
double vrs_seconds_since_1970(void); /* CLOCK_REALTIME, to a millisecond */
void vrs_utc_text(char *buf, size_t size); /* 2026-11-21T10:00:00Z */

/* In place of pthread_cond_init; pthread_cond_destroy ends it. */
void vrs_cond_init(pthread_cond_t *cond);

/* Wait, with lock held, until cond is signalled or until t_ns has come. False: the time has come; true: woken, which may be for nothing. */
bool vrs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t t_ns);
/* Wait, and add the time spent waiting to *wait_ns. */
void vrs_cond_wait_timed(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t *wait_ns);

#endif
