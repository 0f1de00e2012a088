/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "kernels/kernels.h"

void vrs_softmax_f32_rows__ref(const float *in, float *out, int pixels, int channels, bool log)
{
	for (int p = 0; p < pixels; p++, in += channels, out += channels) {
		float max = in[0], sum = 0.0f;
		for (int c = 1; c < channels; c++)
			max = in[c] > max ? in[c] : max;
		for (int c = 0; c < channels; c++)
			sum += expf(in[c] - max);
		float log_sum = log ? logf(sum) : 0.0f;
		for (int c = 0; c < channels; c++)
			out[c] = log ? in[c] - max - log_sum : expf(in[c] - max) / sum;
	}
}
