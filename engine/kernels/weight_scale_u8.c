/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_scale_u8.h"

#include <math.h>

#include "kernels/weight_pack_u8.h"

float vrs_quantize_weights_best(int8_t *q, const float *w, size_t count, int32_t *ret_sum)
{
	static const float shares[] = {1.0f, 0.95f, 0.9f, 0.85f, 0.8f};
	float best_scale = 1.0f;
	double best = INFINITY;
	for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
		float scale = vrs_weight_scale(w, count, 1, shares[s]);
		double error = 0;
		(void)vrs_quantize_weights(q, w, count, 1, scale);
		for (size_t i = 0; i < count; i++) {
			double d = (double)w[i] - (double)q[i] * (double)scale;
			error += d * d;
		}
		if (error < best) {
			best = error;
			best_scale = scale;
		}
	}
	*ret_sum = vrs_quantize_weights(q, w, count, 1, best_scale);
	return best_scale;
}
