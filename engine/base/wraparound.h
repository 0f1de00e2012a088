/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a picture whose rows close to a circle: where an eye shows 360 degrees, a part may reach beyond the right edge of the eye, which means
 * that it goes on at the left one.
 *
 * `circle` is the width of an eye in the samples that the part is counted in (vrs_picture_format.circle, or that of a plane); 0 says that rows have
 * ends.  Eyes begin at multiples of it; a part begins inside its eye and is at most as wide.
 */
#ifndef VRS_BASE_WRAPAROUND_H
#define VRS_BASE_WRAPAROUND_H

#include <vrseg/frame.h>

/* The one or two parts without a seam that make up the part, from its left to its right; returns how many. */
int vrs_wraparound_spans(const struct vrs_rect *part, int circle, struct vrs_rect ret_pieces[2]);
/* Turns (-1, 0, 1 times the circle) that bring `length` samples from `at` on nearest to `to_length` samples from `to` on: middle to middle. */
int vrs_wraparound_turn(double at, double length, double to, double to_length, int circle);
/* The smallest part that holds both; where that is the whole circle, one that has `a` in its middle. Both begin in the same eye. */
struct vrs_rect vrs_wraparound_around(const struct vrs_rect *a, const struct vrs_rect *b, int circle);
/* The columns [left, right), of which at least the middle is right, as a part of the eye that begins at `eye`: begin and width. */
void vrs_wraparound_settle(int left, int right, int eye, int circle, int *ret_x, int *ret_width);

#endif
