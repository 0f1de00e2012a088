/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs show of a running job: a progress line, and the stage report at the end.  Text goes to the stream that the caller gives.
 */
#ifndef VRSEG_PROGRESS_H
#define VRSEG_PROGRESS_H

#include <stdio.h>

#include <vrseg/options.h>
#include <vrseg/pipeline.h>

struct vrs_peaks; /* vrseg/peaks.h */
struct vrs_progress_meter;

/*
 * auto: one line that is written over (\r) when out is a terminal, else as plain; plain: a line every five seconds; json: an object per line and
 * half second; none: nothing.  VRS_ENOMEM.  Thread-safe from here on.
 */
enum vrs_status vrs_progress_create(struct vrs_progress_meter **ret_meter, enum vrs_progress mode, FILE *out) VRS_MUST_CHECK;
void vrs_progress_destroy(struct vrs_progress_meter *meter); /* NULL is fine */
/* Call after each frame: shows the counters of the job when it is time to, and reads them only then. NULL is fine. */
void vrs_progress_frame(struct vrs_progress_meter *meter, const struct vrs_job *job);
/* The same with counters that the caller has. */
void vrs_progress_stats(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats);
/* Remove a live line, so that another line can be written; the next frame brings it back. NULL is fine. */
void vrs_progress_clear(struct vrs_progress_meter *meter);
/* Last state, in json and on a terminal; live lines end with a newline. NULL is fine. */
void vrs_progress_end(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats);

/* Table of the stages: busy and CPU time per frame, waits, share of the wall time; then which stage limits the job and why. */
void vrs_stage_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out);

/* After a job with report.profile: the operators of the network by time. Nothing where the backend does not know them. */
void vrs_job_profile_report(const struct vrs_job *job, FILE *out);
/*
 * Each stage against its bound, for --stats: the bandwidth of memory, and the peak of the threads of one inference.  Bytes are those of whole
 * pictures: a stage that leaves parts of them alone moves fewer.
 */
void vrs_bound_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, const struct vrs_peaks *peaks, FILE *out);
/* Of a live job, also during it: frames that came and were dropped, latencies. Nothing for other jobs. */
void vrs_live_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out);
/*
 * The same, and after any job with targets (0: none): a table with pass or fail.  Returns how many
 * targets were missed; one that could not be measured, or that too few frames speak for, is not.
 */
int vrs_target_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, double fps, double max_latency_ms, FILE *out);

#endif
