/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeded pseudo-random numbers (splitmix64 / xoshiro256**, Blackman & Vigna): repeatable orders and test data. */
#ifndef VRS_BASE_RNG_H
#define VRS_BASE_RNG_H

#include <stdint.h>

struct vrs_rng {
	uint64_t s[4];
};
void vrs_rng_init(struct vrs_rng *rng, uint64_t seed);
uint64_t vrs_rng_next(struct vrs_rng *rng);
uint64_t vrs_rng_below(struct vrs_rng *rng, uint64_t n); /* unbiased 0..n-1 */
double vrs_rng_unit(struct vrs_rng *rng);                /* [0, 1) */
void vrs_rng_shuffle(struct vrs_rng *rng, int *items, int n);

#endif
