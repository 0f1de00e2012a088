/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise of simulated machines. */
#ifndef VRS_TESTS_NORMAL_NOISE_H
#define VRS_TESTS_NORMAL_NOISE_H

#include "base/rng.h"

/* About normal, mean 0 and variance 1: the sum of 12 uniform values, less their mean. */
static inline double gauss(struct vrs_rng *rng)
{
	double sum = 0;
	for (int i = 0; i < 12; i++)
		sum += vrs_rng_unit(rng);
	return sum - 6;
}

#endif
