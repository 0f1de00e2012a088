/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/matte_size.h"

#include <math.h>

#include "pipeline/job.h"

#define DISC 0.4 /* of the carrier's scale: vr/alpha_pack.h */

/* Samples of a disc for one of the source's eye: lens and size of a packed video may differ from the source's. */
static double disc_scale(const struct vrs_job *job)
{
	const struct vrs_layout *layout = &job->info.layout;
	double degrees = layout->fov_degrees > 0 ? layout->fov_degrees : 180;
	double scale = (double)vrs_alpha_pack_format(job->pack)->height / job->follow[0].eye.height;
	return DISC * scale * degrees / vrs_alpha_pack_fov(job->pack);
}

static int bounded(int size, double most)
{
	int limit = (int)ceil(most);
	return limit < 1 ? 1 : size < limit ? size : limit;
}

void vrs_matte_size_decide(struct vrs_job *job)
{
	struct vrs_job_info *info = &job->info;
	if (!job->pack)
		return;
	double scale = disc_scale(job), width = 0, height = 0;
	for (int eye = 0; eye < job->eyes; eye++) {
		width = fmax(width, vrs_job_area(job, eye)->width * scale);
		height = fmax(height, vrs_job_area(job, eye)->height * scale);
	}
	info->matte_width = bounded(info->matte_width, width);
	info->matte_height = bounded(info->matte_height, height);
	job->matte_size = (size_t)info->matte_width * (size_t)info->matte_height;
}
