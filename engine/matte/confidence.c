/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/confidence.h"

#define LANES 8     /* sums side by side: one chain of additions would wait for each */
#define BLOCK 4096  /* floats that are added in float before they go to double */

struct sums {
	double inside, shared, beside;
};

static void add_block(struct sums *sums, const float *alpha, size_t n)
{
	float inside[LANES] = {0}, shared[LANES] = {0}, all[LANES] = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++) {
			float a = alpha[i + (size_t)k], in = a >= 0.5f ? 1.0f : 0.0f;
			inside[k] += in;
			shared[k] += a * in;
			all[k] += a;
		}
	for (; i < n; i++) {
		float a = alpha[i], in = a >= 0.5f ? 1.0f : 0.0f;
		inside[0] += in;
		shared[0] += a * in;
		all[0] += a;
	}
	for (int k = 0; k < LANES; k++) {
		sums->inside += (double)inside[k];
		sums->shared += (double)shared[k];
		sums->beside += (double)all[k] - (double)shared[k];
	}
}

double vrs_matte_confidence(const float *alpha, size_t n)
{
	struct sums sums = {0};
	for (size_t i = 0; i < n; i += BLOCK)
		add_block(&sums, alpha + i, n - i < BLOCK ? n - i : BLOCK);
	double confidence = (sums.shared + 1) / (sums.inside + sums.beside + 1);
	return confidence < VRS_CONFIDENCE_MOST ? confidence : VRS_CONFIDENCE_MOST;
}
