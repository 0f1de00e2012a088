/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Condition variables whose deadlines are on the clock of vrs_now_ns, so that a change of the date moves none of them. */
#ifndef VRS_BASE_COND_H
#define VRS_BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* In place of pthread_cond_init; pthread_cond_destroy ends it. */
void vrs_cond_init(pthread_cond_t *cond);

/* Wait, with lock held, until cond is signalled or until t_ns has come. False: the time has come; true: woken, which may be for nothing. */
bool vrs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t t_ns);
/* Wait, and add the time spent waiting to *wait_ns. */
void vrs_cond_wait_timed(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t *wait_ns);

#endif
