/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matte against the matte before it and against its own picture: what a truth is not needed for. Mattes and lumas of one call have one size. */
#ifndef VRS_MATTE_MATTE_MOTION_H
#define VRS_MATTE_MATTE_MOTION_H

#include <vrseg/frame.h>

/* Sum of the smaller alphas over that of the larger ones, 0..1; 1 where both are empty. */
double vrs_matte_overlap(const struct vrs_matte *a, const struct vrs_matte *b);
/* The largest difference of two alphas, 0..255. */
int vrs_matte_largest_change(const struct vrs_matte *a, const struct vrs_matte *b);

struct vrs_matte_stillness {
	double flicker; /* root of the sum of squared changes of alpha where the picture stands still, over `area`, 0..1 */
	double moving;  /* share of the blocks with an outline whose picture does not stand still, 0..1 */
};

/*
 * The picture stands still in blocks of 8x8 samples whose luma changes by at most 1.5 on average.  luma holds 0..255 of the frame and of the one
 * before; area: samples that the change is spread over, above 0.
 */
struct vrs_matte_stillness vrs_matte_stillness(const struct vrs_matte mattes[2], const struct vrs_matte lumas[2], double area);

/* Slopes of a picture under an outline: sums over the samples of the 0.5 contour. */
struct vrs_outline_slope {
	int64_t samples;
	double at;      /* slope of the luma at the sample */
	double near;    /* the steepest one within `reach` samples in row and column */
};

/* reach 0: near is not looked for. VRS_ENOMEM. */
enum vrs_status vrs_outline_slope(struct vrs_outline_slope *ret_slope, const struct vrs_matte *matte, const struct vrs_matte *luma, int reach)
	VRS_MUST_CHECK;

#endif
