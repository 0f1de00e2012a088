/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one run looks like over time: a thread of the measured process samples its memory, the clock and the sensors, into a tab-separated file beside
 * the frame times ("frames/NAME.tsv" beside "frames/NAME.bin") whose seconds count from the same moment.
 *
 * Sampling bounds its own cost: the next sample comes no sooner than 500 times as long after the last one as that took, sensors 1000 times, so all of
 * it takes at most about 0.3 % of one processor; what it took is measured and recorded.  The interval doubles every 2048 samples, so a day gives some
 * 30000 lines.
 */
#ifndef VRS_BENCH_RUN_SAMPLES_H
#define VRS_BENCH_RUN_SAMPLES_H

#include <vrseg/perf_events.h>

#include "bench/record/result.h"

#define VRS_SAMPLES_MAX 100000   /* lines of a file that a reader takes */

/* One line; NaN and -1 were not observed then. */
struct vrs_sample {
	double seconds;              /* since the job began */
	int64_t rss_bytes;
	double clock_mhz;            /* of the fastest processor */
	double temperature_c;        /* the first sensor of the machine */
	double power_watts;          /* of all processor packages, since the sample before that had it */
	double device_percent;       /* the busiest GPU */
	int64_t device_bytes;        /* in use on all GPUs, by all processes */
	double device_watts;         /* of all GPUs */
};

struct vrs_sampler; /* opaque */

/* Begin. frames_file names the run ("": nothing is sampled). NULL: nothing to sample to, or no memory or thread; the run goes on without. */
struct vrs_sampler *vrs_sampler_start(const char *frames_file);
/* The measured part begins or ends now. Any thread; NULL is fine. */
void vrs_sampler_measure(struct vrs_sampler *sampler, bool on);
/* Stop, and fill the values of run that were sampled; keep: the file stays. NULL is fine. */
void vrs_sampler_stop(struct vrs_sampler *sampler, struct vrs_run *run, bool keep);

/* Name of the samples of a run with this frames file; false: it has none, or the name is too long. */
bool vrs_samples_name(const char *frames_file, char *buf, size_t size);
/* Read a file of samples; lines that are damaged end it. *ret_samples is the caller's (vrs_free). VRS_ENOTFOUND, VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_samples_read(const char *path, struct vrs_sample **ret_samples, int *ret_count, struct vrs_error *err);

/* What the process has used up to now: taken at both ends of the measured part, the difference goes into the run. */
struct vrs_run_usage {
	double user_seconds, system_seconds;     /* of all threads; NaN */
	int64_t counts[VRS_PERF_COUNT];          /* -1: not counted */
};

void vrs_run_usage_read(const struct vrs_perf_events *events, struct vrs_run_usage *ret_usage);
/* Fill user_seconds .. miss_gbps of run, whose wall_seconds is known. user_only: the counts leave the kernel's work out. */
void vrs_run_usage_put(const struct vrs_run_usage *start, const struct vrs_run_usage *end, bool user_only, struct vrs_run *run);

#endif
