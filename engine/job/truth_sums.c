/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/truth_sums.h"

#include <math.h>

#include "matte/person_box.h"

/* Places in struct vrs_truth_sum: the metric, and the number of its values. */
static const struct row {
	size_t metric, count;
	bool small_is_bad;
} rows[VRS_TRUTH_METRICS] = {
#define PLACE(member) offsetof(struct vrs_truth_sum, member)
	[VRS_TRUTH_IOU] = {PLACE(score.iou), PLACE(score.frames), true},
	[VRS_TRUTH_MAD] = {PLACE(score.mad), PLACE(score.frames), false},
	[VRS_TRUTH_MSE] = {PLACE(score.mse), PLACE(score.frames), false},
	[VRS_TRUTH_BOUNDARY_F] = {PLACE(score.boundary_f), PLACE(score.frames), true},
	[VRS_TRUTH_CONTOUR_F] = {PLACE(score.contour_f), PLACE(score.frames), true},
	[VRS_TRUTH_DTSSD] = {PLACE(score.dtssd), PLACE(score.pairs), false},
};

const struct vrs_truth_metric *vrs_truth_sum_get(const struct vrs_truth_sum *sum, enum vrs_truth_metric_id id)
{
	return (const struct vrs_truth_metric *)((const char *)sum + rows[id].metric);
}

struct vrs_truth_metric *vrs_truth_sum_metric(struct vrs_truth_sum *sum, enum vrs_truth_metric_id id)
{
	return (struct vrs_truth_metric *)((char *)sum + rows[id].metric);
}

static uint64_t count_of(const struct vrs_truth_sum *sum, int id)
{
	return *(const uint64_t *)((const char *)sum + rows[id].count);
}

void vrs_truth_metric_add(struct vrs_truth_metric *to, const struct vrs_truth_metric *from, bool first, bool small_is_bad)
{
	to->mean += from->mean;
	if (first || (small_is_bad ? from->worst < to->worst : from->worst > to->worst)) {
		to->worst = from->worst;
		to->worst_frame = from->worst_frame;
	}
}

void vrs_truth_sum_put(struct vrs_truth_sum *sum, enum vrs_truth_metric_id id, double value, int64_t frame)
{
	vrs_truth_metric_add(vrs_truth_sum_metric(sum, id), &(struct vrs_truth_metric){value, value, frame}, count_of(sum, id) == 0,
			     rows[id].small_is_bad);
}

void vrs_truth_sum_box(struct vrs_truth_sum *sum, const struct vrs_rect *box, int width, int height, int circle)
{
	if (box->width == 0)
		return;
	sum->box = vrs_person_box_join(&sum->box, box, circle);
	sum->width = width;
	sum->height = height;
	sum->circle = circle;
}

/* Sums of the segments of a video are added, and give the means of the whole. */
static void join_sum(struct vrs_truth_sum *to, const struct vrs_truth_sum *from)
{
	for (int id = 0; id < VRS_TRUTH_METRICS; id++)
		if (count_of(from, id) > 0)
			vrs_truth_metric_add(vrs_truth_sum_metric(to, id), vrs_truth_sum_get(from, id), count_of(to, id) == 0, rows[id].small_is_bad);
	to->score.frames += from->score.frames;
	to->score.pairs += from->score.pairs;
	vrs_truth_sum_box(to, &from->box, from->width, from->height, from->circle);
}

void vrs_truth_sums_add(struct vrs_truth_sums *sums, const struct vrs_truth_sums *next)
{
	if (next->eyes > sums->eyes)
		sums->eyes = next->eyes;
	if (next->pair.frames > 0) {
		vrs_truth_metric_add(&sums->pair.mattes, &next->pair.mattes, sums->pair.frames == 0, true);
		vrs_truth_metric_add(&sums->pair.truths, &next->pair.truths, sums->pair.frames == 0, true);
		sums->pair.frames += next->pair.frames;
	}
	for (int i = 0; i < next->eyes; i++) {
		join_sum(&sums->frame_size[i], &next->frame_size[i]);
		join_sum(&sums->matte_size[i], &next->matte_size[i]);
	}
}

static struct vrs_truth_metric scaled(const struct vrs_truth_metric *metric, double factor)
{
	return (struct vrs_truth_metric){metric->mean * factor, metric->worst * factor, metric->worst_frame};
}

/* Means over the eye become means over the box. */
static void add_box(struct vrs_truth_score *score, const struct vrs_truth_sum *sum)
{
	double scale = (double)sum->width * sum->height / vrs_person_box_area(&sum->box, sum->width, sum->height, sum->circle > 0);
	score->has_box = true;
	score->box_mad = scaled(&score->mad, scale);
	score->box_mse = scaled(&score->mse, scale);
	score->box_dtssd = scaled(&score->dtssd, sqrt(scale));
}

static struct vrs_truth_score finished(const struct vrs_truth_sum *sum)
{
	struct vrs_truth_sum means = *sum;
	for (int id = 0; id < VRS_TRUTH_METRICS; id++)
		if (count_of(sum, id) > 0)
			vrs_truth_sum_metric(&means, id)->mean /= (double)count_of(sum, id);
	if (sum->box.width > 0)
		add_box(&means.score, sum);
	return means.score;
}

void vrs_truth_sums_result(const struct vrs_truth_sums *sums, struct vrs_truth_result *ret_result)
{
	*ret_result = (struct vrs_truth_result){.eyes = sums->eyes, .pair = sums->pair};
	if (sums->pair.frames > 0) {
		ret_result->pair.mattes.mean /= (double)sums->pair.frames;
		ret_result->pair.truths.mean /= (double)sums->pair.frames;
	}
	for (int i = 0; i < sums->eyes; i++) {
		ret_result->frame_size[i] = finished(&sums->frame_size[i]);
		ret_result->matte_size[i] = finished(&sums->matte_size[i]);
	}
}
