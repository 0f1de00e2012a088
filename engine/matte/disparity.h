/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far apart the two eyes see a person of some height, both in shares of the eye's width and height: disparity = offset + slope * height, a line
 * through what was seen, where newer frames count more.  Near people are both larger and farther apart.
 */
#ifndef VRS_MATTE_DISPARITY_H
#define VRS_MATTE_DISPARITY_H

#include "base/archive.h"

struct vrs_disparity {
	double n, h, d, hh, hd;                  /* decaying sums; all 0: nobody was seen yet */
};

/* A person of that height was seen with that shift. */
void vrs_disparity_learn(struct vrs_disparity *disparity, double height, double shift);
/* Expected shift; *ret_spread is how far it may be off: both in shares of the eye's width. */
double vrs_disparity_predict(const struct vrs_disparity *disparity, double height, double *ret_spread);

bool vrs_disparity_archive(struct vrs_disparity *disparity, struct vrs_archive *archive);

#endif
