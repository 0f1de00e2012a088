/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics of vrseg: what its jobs have done and are doing, one video after another, and what the machine's sensors say (docs/monitoring.md lists
 * them).  Numbers are those of struct vrs_job_stats; counters go on over all videos of a run.
 */
#ifndef VRSEG_JOB_METRICS_H
#define VRSEG_JOB_METRICS_H

#include <vrseg/metrics.h>
#include <vrseg/pipeline.h>

struct vrs_job_metrics;

/* Begin to publish: file and port, and statuses, as of vrs_metrics_open. */
enum vrs_status vrs_job_metrics_open(struct vrs_job_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err) VRS_MUST_CHECK;
/* All below: from any thread; NULL is fine. */
/* A video begins, or begins again with other settings. */
void vrs_job_metrics_begin(struct vrs_job_metrics *metrics, const struct vrs_job_info *info);
/* A frame of the video is done; the job's counters are read a few times a second. */
void vrs_job_metrics_frame(struct vrs_job_metrics *metrics, const struct vrs_job *job);
/* The same with counters that the caller has. */
void vrs_job_metrics_stats(struct vrs_job_metrics *metrics, const struct vrs_job_stats *stats);
/* The video has ended: done, stopped (VRS_ESTOPPED) or failed. */
void vrs_job_metrics_end(struct vrs_job_metrics *metrics, const struct vrs_job_stats *stats, enum vrs_status status);
/* The program ends: publish its exit code in the file, and release all. */
void vrs_job_metrics_close(struct vrs_job_metrics *metrics, int exit_code);

#endif
