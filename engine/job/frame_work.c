/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes and operations of a frame by plan: the numerators of every share of what the machine can do. */
#include <vrseg/pipeline.h>
#include <vrseg/session.h>

/* Multiply-adds of a frame on average: with early exit the small network looks at all, the large one at what is left. */
static double macs_per_frame(const struct vrs_job_stats *stats, const struct vrs_job_info *info)
{
	double frames = (double)stats->frames_done, large = (double)info->net_macs;
	if (!vrs_backend_computes(info->backend))
		return 0;
	if (stats->early_looks)
		return ((double)info->early_macs * (double)stats->early_looks +
			large / info->eyes * (double)(stats->early_looks - stats->early_enough)) / frames;
	return large * (frames - (double)stats->frames_reused) / frames;
}

struct vrs_frame_work vrs_job_frame_work(const struct vrs_job_stats *stats, const struct vrs_job_info *info)
{
	double in = (double)info->frame_bytes, made = (double)info->output_bytes;
	if (!stats->frames_done)
		return (struct vrs_frame_work){.gflop = 0};
	return (struct vrs_frame_work){.bytes = {[VRS_STAGE_DECODE] = in, [VRS_STAGE_PREPROCESS] = (double)info->view_bytes,
						 [VRS_STAGE_COMPOSE] = in + made, [VRS_STAGE_ENCODE] = made},
				       .gflop = 2e-9 * macs_per_frame(stats, info)};
}
