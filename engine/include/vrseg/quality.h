/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matte metrics.  Both mattes have the same size; values 0..255 are read as 0..1.
 */
#ifndef VRSEG_QUALITY_H
#define VRSEG_QUALITY_H

#include <vrseg/frame.h>

struct vrs_quality {
	double iou;        /* intersection over union of {alpha >= 0.5}; 1 when both are empty */
	double mad;        /* mean absolute difference, 0..1 */
	double mse;        /* mean squared difference */
	double boundary_f; /* F measure of the 0.5 contours within 0.75 % of the diagonal (Perazzi et al., CVPR 2016) */
};

/* VRS_EINVAL when sizes differ; VRS_ENOMEM. */
enum vrs_status vrs_quality_compare(struct vrs_quality *ret_quality, const struct vrs_matte *matte, const struct vrs_matte *truth) VRS_MUST_CHECK;

/*
 * dtSSD (Erofeev et al., BMVC 2015) between consecutive frames: root mean square of the difference of temporal derivatives, 0..1.
 */
enum vrs_status vrs_quality_dtssd(double *ret_dtssd, const struct vrs_matte *matte, const struct vrs_matte *previous, const struct vrs_matte *truth,
				  const struct vrs_matte *truth_previous) VRS_MUST_CHECK;

#endif
