/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors of a matte that papers on matting report, of one eye and frame; each plainly and with a weight for every sample, as the solid angle that the
 * sample of a VR picture shows.
 *
 *   sad, grad, conn   sums over the picture in thousands: absolute differences; squared differences of gradient magnitudes (derivatives of Gaussians
 *                     of sigma 1.4, 9 x 9 taps whose squares have sum 1, as published code has it, which first stretches each picture's alphas to
 *                     0..1; here they stay as they are, so that a faint matte is not made a full one); lost connection to the largest region that
 *                     matte and truth share, in steps of 0.1 with theta 0.15 (Rhemann et al., A Perceptually Motivated Online Benchmark for Image
 *                     Matting, CVPR 2009, p = 1, q = 2).  Without a trimap the whole picture counts.
 *   boundary_iou      within 2 % of the diagonal inside the outlines (Cheng et al., CVPR 2021)
 *   dtssd             root mean square of the difference of changes (Erofeev et al., BMVC 2015)
 */
#ifndef VRS_MATTE_TRUTH_ERRORS_H
#define VRS_MATTE_TRUTH_ERRORS_H

#include <vrseg/frame.h>

#include "matte/components.h"

struct vrs_truth_error_set {
	double iou, mad, mse, sad, grad, conn, boundary_iou;
	double dtssd; /* NaN without a frame before */
};

struct vrs_truth_errors {
	struct vrs_components *components; /* the caller's, which nobody else uses meanwhile */
	uint8_t *set;               /* [height][width] */
	float *slope[2], *line;     /* magnitudes of matte and truth; two rows of the filter */
	uint8_t *level[2];          /* the level of each sample up to which it is connected, in steps */
	bool circle;
	const float *weight;
};

/*
 * For mattes of the size of components.  weight: [height * width], mean 1 where it is not 0; NULL: none.  Both stay the caller's, who keeps them.
 * VRS_ENOMEM.
 */
enum vrs_status vrs_truth_errors_init(struct vrs_truth_errors *errors, struct vrs_arena *arena, struct vrs_components *components, bool circle,
				      const float *weight) VRS_MUST_CHECK;
/*
 * pair: matte and truth; past: the same of the frame before, NULL: none.  ret[0] plain, ret[1] weighted (NaN without weights).  VRS_EINVAL: other
 * sizes; VRS_ENOMEM.
 */
enum vrs_status vrs_truth_errors_measure(struct vrs_truth_errors *errors, const struct vrs_matte pair[2], const struct vrs_matte *past,
					 struct vrs_truth_error_set ret[2]) VRS_MUST_CHECK;

#endif
