/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of jobs, added: of the processes that make one video, and of videos one after another. */
#include <vrseg/pipeline.h>

static void add_agreement(struct vrs_job_stats *to, const struct vrs_job_stats *from)
{
	if (from->eyes_compared && (!to->eyes_compared || from->eyes_worst < to->eyes_worst)) {
		to->eyes_worst = from->eyes_worst;
		to->eyes_worst_frame = from->eyes_worst_frame;
	}
	to->eyes_compared += from->eyes_compared;
	to->eyes_sum += from->eyes_sum;
}

static void add_times(struct vrs_time_histogram *to, const struct vrs_time_histogram *from)
{
	for (int i = 0; i < VRS_TIME_BUCKETS; i++)
		to->counts[i] += from->counts[i];
	to->sum_ns += from->sum_ns;
}

void vrs_job_stats_add(struct vrs_job_stats *to, const struct vrs_job_stats *from)
{
	to->frames_done += from->frames_done;
	to->frames_aside += from->frames_aside;
	to->frames_reused += from->frames_reused;
	to->early_looks += from->early_looks;
	to->early_enough += from->early_enough;
	to->early_confidence += from->early_confidence;
	to->cpu_ns += from->cpu_ns;
	to->peak_rss_bytes += from->peak_rss_bytes > to->peak_rss_bytes ? from->peak_rss_bytes - to->peak_rss_bytes : 0;
	to->queue_bytes += from->queue_bytes > to->queue_bytes ? from->queue_bytes - to->queue_bytes : 0;
	add_agreement(to, from);
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		to->stage[i].frames += from->stage[i].frames;
		to->stage[i].busy_ns += from->stage[i].busy_ns;
		to->stage[i].cpu_ns += from->stage[i].cpu_ns;
		to->stage[i].wait_input_ns += from->stage[i].wait_input_ns;
		to->stage[i].wait_output_ns += from->stage[i].wait_output_ns;
		add_times(&to->stage_time[i], &from->stage_time[i]);
	}
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++) {
		to->device[q].runs += from->device[q].runs;
		to->device[q].busy_ns += from->device[q].busy_ns;
	}
	add_times(&to->frame_time, &from->frame_time);
}
