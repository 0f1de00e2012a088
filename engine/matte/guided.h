/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Edges of a matte drawn to the edges of the picture: guided filter (He, Sun, Tang, TPAMI 2013) of alpha against luma.  A value moves the less
 * the surer it is, so that neither a strong edge far from the outline makes a halo nor the blur of the windows a haze.
 */
#ifndef VRS_MATTE_GUIDED_H
#define VRS_MATTE_GUIDED_H

#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "base/mem.h"

#define VRS_GUIDED_MAX_RADIUS 16

struct vrs_guided;

/* radius of the windows in pixels, 1..16; eps: variance of luma (0..1) that counts as an edge, 1e-5..1; limit, 0..1: most that an
 * alpha of one half moves. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_guided_create(struct vrs_guided **ret_guided, struct vrs_arena *arena, int width, int height, int radius, double eps,
				  double limit);
/* alpha: height * width values in 0..1, changed in place; luma: the picture at the same size. */
void vrs_guided_run(struct vrs_guided *guided, float *alpha, const uint8_t *luma);
/*
 * The filter without its last step, for use at the size of the picture: what luma has to be multiplied with at each pixel, and what is to be
 * added, in the fixed point of the kernels' sharpen_row.  Rows of `stride` elements (at least width + 1), each with its last value repeated once.
 * alpha: bytes.
 */
void vrs_guided_coefficients(struct vrs_guided *guided, const uint8_t *alpha, ptrdiff_t alpha_stride, const uint8_t *luma, uint16_t *ret_slopes,
			     uint16_t *ret_offsets, size_t stride);

#endif
