/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xoshiro256** seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018). */
#include "base/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

void vrs_rng_init(struct vrs_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&seed);
}

uint64_t vrs_rng_next(struct vrs_rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t vrs_rng_below(struct vrs_rng *rng, uint64_t n)
{
	if (n < 2)
		return 0;
	/* Values below 2^64 mod n would make small results more likely: draw again. */
	uint64_t threshold = -n % n, x;

	do
		x = vrs_rng_next(rng);
	while (x < threshold);
	return x % n;
}

double vrs_rng_unit(struct vrs_rng *rng)
{
	return (double)(vrs_rng_next(rng) >> 11) * 0x1.0p-53;
}

void vrs_rng_shuffle(struct vrs_rng *rng, int *items, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)vrs_rng_below(rng, (uint64_t)i + 1), kept = items[i];

		items[i] = items[j];
		items[j] = kept;
	}
}
