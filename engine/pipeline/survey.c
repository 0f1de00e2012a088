/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/survey.h"

#include "base/circle.h"

#define MOST_VIEWS VRS_REGIONS_MAX /* of an eye: more would be narrower than people */

/* Side of the square views: the part of the height that settings look at first in half spheres; whole chroma samples. */
static int side_of(const struct vrs_job *job)
{
	const struct vrs_rect *eye = &job->follow[0].eye;
	int side = (int)(eye->height * job->settings.matte.view_size) & ~3;
	return side < 4 ? eye->height : side;
}

int vrs_survey_views(const struct vrs_job *job)
{
	const struct vrs_follow *follow = &job->follow[0];
	if (!job->info.follows || !vrs_follow_is_whole_circle(follow, &follow->start))
		return 0;
	int squares = (2 * follow->circle + side_of(job) - 1) / side_of(job);
	return squares < 3 ? 0 : squares > MOST_VIEWS - 1 ? MOST_VIEWS : squares + 1;
}

struct vrs_rect vrs_survey_square(const struct vrs_job *job, int eye, int k)
{
	const struct vrs_follow *follow = &job->follow[eye];
	int side = side_of(job), squares = vrs_survey_views(job) - 1;
	return (struct vrs_rect){follow->eye.x + ((int)((int64_t)follow->circle * (k - 1) / squares) & ~3),
		follow->eye.y + ((follow->eye.height - side) / 2 & ~3), side, side};
}

void vrs_survey_judge(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	const struct vrs_follow *follow = &job->follow[i % job->eyes];
	int width = job->shape.matte_width, height = job->shape.matte_height, views = worker->survey.of_input;
	struct vrs_regions found = {0};
	for (int k = 0; k < views; k++) {
		struct vrs_follow_extent people;
		const struct vrs_rect *view = &worker->survey.rects[i * views + k];
		const float *alpha = worker->survey.alpha + job->look_size * (size_t)(i * views + k);
		if (vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people))
			(void)vrs_follow_around(follow, view, &people, width, height, &found.rect[found.count++]);
	}
	if (found.count == 0)
		return;
	(void)vrs_regions_join(&found, job->regions, follow->circle);
	worker->now[i] = found;
}
