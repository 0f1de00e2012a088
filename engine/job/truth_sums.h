/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a comparison with a truth, as one table: how each is summed, joined over segments, kept in files and averaged. */
#ifndef VRS_JOB_TRUTH_SUMS_H
#define VRS_JOB_TRUTH_SUMS_H

#include <vrseg/quality.h>

enum vrs_truth_metric_id {
	VRS_TRUTH_IOU,
	VRS_TRUTH_MAD,
	VRS_TRUTH_MSE,
	VRS_TRUTH_BOUNDARY_F,
	VRS_TRUTH_CONTOUR_F,
	VRS_TRUTH_DTSSD,
	VRS_TRUTH_METRICS
};

/* The metric of a sum. */
struct vrs_truth_metric *vrs_truth_sum_metric(struct vrs_truth_sum *sum, enum vrs_truth_metric_id id);
const struct vrs_truth_metric *vrs_truth_sum_get(const struct vrs_truth_sum *sum, enum vrs_truth_metric_id id);
/* Add the value of a frame. The caller counts the frame (or pair) after its values. */
void vrs_truth_sum_put(struct vrs_truth_sum *sum, enum vrs_truth_metric_id id, double value, int64_t frame);
/* More people of the truth, in samples of an eye of width x height; circle as in the sum. */
void vrs_truth_sum_box(struct vrs_truth_sum *sum, const struct vrs_rect *box, int width, int height, int circle);

#endif
