/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/truth_comparison.h"

#include <string.h>

#include "matte/boundary.h"
#include "matte/disparity_agreement.h"
#include "matte/matte_expand.h"
#include "matte/person_box.h"

#define CONTOUR_TOLERANCE 2 /* samples between contours that match */
#define MAX_EYES 2

enum vrs_status vrs_truth_comparison_init(struct vrs_truth_comparison *c, struct vrs_arena *arena, int width, int height)
{
	struct vrs_matte *mattes[] = {&c->matte, &c->truth, &c->past_matte, &c->past_truth};
	enum vrs_status status = VRS_OK;
	*c = (struct vrs_truth_comparison){.index = -1};
	for (int i = 0; i < 4 && status == VRS_OK; i++)
		status = vrs_matte_init(mattes[i], arena, width, height);
	return status;
}

void vrs_truth_comparison_skip(struct vrs_truth_comparison *c, int64_t index, const struct vrs_rect *covers)
{
	struct vrs_matte matte = c->matte, truth = c->truth;
	c->matte = c->past_matte;
	c->truth = c->past_truth;
	c->past_matte = matte;
	c->past_truth = truth;
	c->covers = *covers;
	c->index = index;
	c->has_past = true;
}

static enum vrs_status add_box(struct vrs_truth_comparison *c)
{
	struct vrs_rect box;
	enum vrs_status status = c->has_box ? vrs_person_box(&box, &c->truth, c->circle) : VRS_OK;
	if (status == VRS_OK && c->has_box)
		vrs_truth_sum_box(&c->sum, &box, c->truth.width, c->truth.height, c->circle ? c->truth.width : 0);
	return status;
}

enum vrs_status vrs_truth_comparison_add(struct vrs_truth_comparison *c, int64_t index, const struct vrs_rect *covers)
{
	struct vrs_quality quality;
	double contour_f, dtssd;
	bool with_past = c->has_past && c->index == index - 1 && memcmp(&c->covers, covers, sizeof *covers) == 0;
	enum vrs_status status = vrs_quality_compare(&quality, &c->matte, &c->truth);
	if (status == VRS_OK)
		status = vrs_boundary_f(&contour_f, &c->matte, &c->truth, CONTOUR_TOLERANCE);
	if (status == VRS_OK && with_past)
		status = vrs_quality_dtssd(&dtssd, &c->matte, &c->past_matte, &c->truth, &c->past_truth);
	if (status == VRS_OK)
		status = add_box(c);
	if (status != VRS_OK)
		return status;
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_IOU, quality.iou, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_MAD, quality.mad, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_MSE, quality.mse, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_BOUNDARY_F, quality.boundary_f, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_CONTOUR_F, contour_f, index);
	c->sum.score.frames++;
	if (with_past) {
		vrs_truth_sum_put(&c->sum, VRS_TRUTH_DTSSD, dtssd, index);
		c->sum.score.pairs++;
	}
	vrs_truth_comparison_skip(c, index, covers);
	return VRS_OK;
}

void vrs_truth_compare_eyes(struct vrs_truth_eyes *pair, const struct vrs_truth_comparison eyes[2], int64_t index)
{
	if (!eyes[0].has_past || !eyes[1].has_past || eyes[0].index != index || eyes[1].index != index)
		return;
	const struct vrs_matte mattes[2] = {eyes[0].past_matte, eyes[1].past_matte}, truths[2] = {eyes[0].past_truth, eyes[1].past_truth};
	struct vrs_disparity_agreement agreement = vrs_disparity_agreement(truths, mattes, eyes[0].circle);
	if (agreement.nobody)
		return;
	bool first = pair->frames++ == 0;
	vrs_truth_metric_add(&pair->mattes, &(struct vrs_truth_metric){agreement.mattes, agreement.mattes, index}, first, true);
	vrs_truth_metric_add(&pair->truths, &(struct vrs_truth_metric){agreement.truths, agreement.truths, index}, first, true);
}

void vrs_truth_copy_matte(struct vrs_matte *to, const struct vrs_matte *from)
{
	for (int y = 0; y < from->height; y++)
		memcpy(to->data + to->stride * y, from->data + from->stride * y, (size_t)from->width);
}

struct vrs_truth_meter {
	struct vrs_arena arena;
	int eyes;
	struct vrs_truth_comparison eye[MAX_EYES];
	struct vrs_truth_eyes pair;
};

enum vrs_status vrs_truth_meter_create(struct vrs_truth_meter **ret_meter, int eyes, int width, int height, bool circle)
{
	if (eyes < 1 || eyes > MAX_EYES || width < 1 || height < 1)
		return VRS_EINVAL;
	struct vrs_truth_meter *meter = vrs_calloc(1, sizeof *meter);
	if (!meter)
		return VRS_ENOMEM;
	enum vrs_status status = VRS_OK;
	meter->eyes = eyes;
	for (int i = 0; i < eyes && status == VRS_OK; i++) {
		status = vrs_truth_comparison_init(&meter->eye[i], &meter->arena, width, height);
		meter->eye[i].has_box = true;
		meter->eye[i].circle = circle;
	}
	if (status == VRS_OK)
		*ret_meter = meter;
	else
		vrs_truth_meter_destroy(meter);
	return status;
}

enum vrs_status vrs_truth_meter_add(struct vrs_truth_meter *meter, int64_t index, int eye, const struct vrs_matte *matte,
				    const struct vrs_matte *truth, bool counts)
{
	if (eye < 0 || eye >= meter->eyes)
		return VRS_EINVAL;
	struct vrs_truth_comparison *c = &meter->eye[eye];
	const struct vrs_rect all = {0, 0, c->matte.width, c->matte.height};
	if (matte->width != all.width || truth->width != all.width || matte->height != all.height || truth->height != all.height)
		return VRS_EINVAL;
	vrs_truth_copy_matte(&c->matte, matte);
	vrs_truth_copy_matte(&c->truth, truth);
	enum vrs_status status = VRS_OK;
	if (counts)
		status = vrs_truth_comparison_add(c, index, &all);
	else
		vrs_truth_comparison_skip(c, index, &all);
	if (status == VRS_OK && counts && meter->eyes > 1)
		vrs_truth_compare_eyes(&meter->pair, meter->eye, index);
	return status;
}

void vrs_truth_meter_sums(const struct vrs_truth_meter *meter, struct vrs_truth_sums *ret_sums)
{
	*ret_sums = (struct vrs_truth_sums){.eyes = meter->eyes, .pair = meter->pair};
	for (int i = 0; i < meter->eyes; i++)
		ret_sums->frame_size[i] = meter->eye[i].sum;
}

void vrs_truth_meter_destroy(struct vrs_truth_meter *meter)
{
	if (!meter)
		return;
	vrs_arena_free(&meter->arena);
	vrs_free(meter);
}
