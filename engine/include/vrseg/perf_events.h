/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hardware counters of the calling thread and of all threads that it and they start later (perf_event_open(2)), where the system allows it.
 * What cannot be counted is absent, and the reason is kept.  Counters that share hardware are scaled to the whole time, as perf(1) does.
 */
#ifndef VRSEG_PERF_EVENTS_H
#define VRSEG_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vrs_perf_kind {
	VRS_PERF_CYCLES,
	VRS_PERF_INSTRUCTIONS,
	VRS_PERF_CACHE_MISSES,  /* of the last cache: each is a line from memory */
	VRS_PERF_PAGE_FAULTS,   /* counted by the kernel itself: there wherever counting is allowed at all */
	VRS_PERF_COUNT
};

struct vrs_perf_events {
	int fd[VRS_PERF_COUNT];               /* -1: not counted */
	bool user_only;                       /* the kernel's own work may not be counted */
	char reason[VRS_PERF_COUNT][128];     /* why a counter is absent; "" */
};

/* Begin counting. Call it before the threads start; what is absent says why. Release with vrs_perf_events_close. */
void vrs_perf_events_open(struct vrs_perf_events *ret_events);
/* Counts since the beginning, -1 where absent or where the counter never ran. Any thread. */
void vrs_perf_events_read(const struct vrs_perf_events *events, int64_t ret_counts[VRS_PERF_COUNT]);
void vrs_perf_events_close(struct vrs_perf_events *events);

/* Why perf_event_open failed with `error` (errno), given /proc/sys/kernel/perf_event_paranoid (INT64_MIN: not readable). */
void vrs_perf_reason(int error, int64_t paranoid, char *buf, size_t size);
/* A count scaled from the time that it ran to the time that it was enabled; -1: it never ran. */
int64_t vrs_perf_scale(uint64_t count, uint64_t enabled_ns, uint64_t running_ns);

#endif
