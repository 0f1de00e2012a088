/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How alike two pictures are. */
#ifndef VRS_MATTE_SIMILARITY_H
#define VRS_MATTE_SIMILARITY_H

#include <stdint.h>

/*
 * 1 - (largest mean absolute difference of any 16 x 16 block) / 255, blocks at the right and lower edge as far as they go; 1: equal.  A mean over the
 * whole picture would not notice a hand that moves.  Both pictures have height * width bytes of luma.
 */
double vrs_similarity(const uint8_t *a, const uint8_t *b, int width, int height);

#endif
