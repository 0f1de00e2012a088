/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of comparisons with a truth: those of the parts of a video are added, and give the means of the whole. */
#include <vrseg/quality.h>

static void join_metric(struct vrs_truth_metric *to, const struct vrs_truth_metric *from, bool first, bool small_is_bad)
{
	to->mean += from->mean;
	if (first || (small_is_bad ? from->worst < to->worst : from->worst > to->worst)) {
		to->worst = from->worst;
		to->worst_frame = from->worst_frame;
	}
}

static void join_sum(struct vrs_truth_sum *to, const struct vrs_truth_sum *from)
{
	bool first = to->score.frames == 0;
	if (from->score.frames == 0)
		return;
	join_metric(&to->score.iou, &from->score.iou, first, true);
	join_metric(&to->score.mad, &from->score.mad, first, false);
	join_metric(&to->score.boundary_f, &from->score.boundary_f, first, true);
	if (from->pairs)
		join_metric(&to->score.dtssd, &from->score.dtssd, to->pairs == 0, false);
	to->score.frames += from->score.frames;
	to->pairs += from->pairs;
}

void vrs_truth_sums_add(struct vrs_truth_sums *sums, const struct vrs_truth_sums *next)
{
	if (next->eyes > sums->eyes)
		sums->eyes = next->eyes;
	for (int i = 0; i < next->eyes; i++) {
		join_sum(&sums->frame_size[i], &next->frame_size[i]);
		join_sum(&sums->matte_size[i], &next->matte_size[i]);
	}
}

static struct vrs_truth_score finished(const struct vrs_truth_sum *sum)
{
	struct vrs_truth_score score = sum->score;
	double frames = score.frames ? (double)score.frames : 1, pairs = sum->pairs ? (double)sum->pairs : 1;
	score.iou.mean /= frames;
	score.mad.mean /= frames;
	score.boundary_f.mean /= frames;
	score.dtssd.mean /= pairs;
	return score;
}

void vrs_truth_sums_result(const struct vrs_truth_sums *sums, struct vrs_truth_result *ret_result)
{
	*ret_result = (struct vrs_truth_result){.eyes = sums->eyes};
	for (int i = 0; i < sums->eyes; i++) {
		ret_result->frame_size[i] = finished(&sums->frame_size[i]);
		ret_result->matte_size[i] = finished(&sums->matte_size[i]);
	}
}
