/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One axis of a separable resampling: for each output the first input sample and its weights.  Coordinates are continuous: sample j covers
 * [j, j + 1).  Down-scaling averages the covered area exactly, up-scaling is linear between sample centres; the ends repeat the edge sample.
 */
#ifndef VRS_MATTE_SCALE_AXIS_H
#define VRS_MATTE_SCALE_AXIS_H

#include <stdint.h>

#include <vrseg/frame.h>

#include "base/mem.h"

struct vrs_scale_axis {
	int n;            /* outputs */
	int taps;         /* weights stored for each output */
	int most_taps;    /* room for that many */
	int tap_multiple;
	int32_t *first;   /* [n] */
	int32_t *used;    /* [n] weights of the output that are not padding, at least 1 */
	int16_t *weights; /* [n * taps], each output's sum to 2^14 */
};

/*
 * Outputs 0..n-1 divide [from, to) of an axis of src_size samples evenly.  taps is rounded up to a multiple of tap_multiple.
 * VRS_EINVAL when n or src_size is below 1 or the interval is empty or lies outside by more than its own length; VRS_ENOMEM.
 */
enum vrs_status vrs_scale_axis_init(struct vrs_scale_axis *axis, struct vrs_arena *arena, int src_size, double from, double to, int n,
				    int tap_multiple);
/* Divide another interval, at most as long as the first one: no memory is allocated. VRS_EINVAL as above, or when it is longer. */
enum vrs_status vrs_scale_axis_place(struct vrs_scale_axis *axis, int src_size, double from, double to);

#endif
