/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that repeat one piece of work in lockstep, for ceilings of the whole machine. */
#ifndef VRS_MACHINE_PROBE_TEAM_H
#define VRS_MACHINE_PROBE_TEAM_H

#include <stdint.h>

/*
 * Call first(cookie, index) (NULL: nothing) once and then work(cookie, index) again and again, on `threads` threads at the same time (the caller
 * is index 0), until budget_ns are over; all start every pass together.  Returns the nanoseconds of the fastest pass, from the common start to
 * the end of the last thread; 0: the threads could not be made.
 */
uint64_t vrs_probe_team(int threads, void (*first)(void *cookie, int index), void (*work)(void *cookie, int index), void *cookie,
			uint64_t budget_ns);

#endif
