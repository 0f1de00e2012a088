/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_pack.h"

#include <string.h>

#include "base/assert.h"

static int vectors(int n, int lanes)
{
	VRS_ASSERT(n > 0 && (lanes == 8 || lanes == 16));
	return (n + lanes - 1) / lanes;
}

size_t vrs_pack_size(int n, int k, int lanes)
{
	return (size_t)vectors(n, lanes) * (size_t)lanes * (size_t)k;
}

void vrs_pack_conv(float *dst, const float *weights, int n, int k, size_t row, int lanes)
{
	VRS_ASSERT(k > 0 && row >= (size_t)k);
	for (int first = 0, left = vectors(n, lanes), panel; left > 0; left -= panel / lanes, first += panel) {
		panel = VRS_PANEL_VECTORS(left) * lanes;
		for (int i = 0; i < k; i++)
			for (int j = 0; j < panel; j++)
				*dst++ = first + j < n ? weights[(size_t)(first + j) * row + (size_t)i] : 0.0f;
	}
}

void vrs_pack_conv_bf16(float *dst, const float *weights, int n, int segs, int klen, int lanes)
{
	size_t row = (size_t)segs * (size_t)klen;
	for (int first = 0, left = vectors(n, lanes), panel; left > 0; left -= panel / lanes, first += panel) {
		panel = VRS_PANEL_VECTORS(left) * lanes;
		for (int i = 0; i < segs * VRS_BF16_PAIRS(klen); i++) {
			int s = i / VRS_BF16_PAIRS(klen), k = i % VRS_BF16_PAIRS(klen) * 2;
			for (int j = 0; j < 2 * panel; j++) {
				int channel = first + j / 2, at = k + j % 2;
				*dst++ = channel < n && at < klen ? weights[(size_t)channel * row + (size_t)s * (size_t)klen + (size_t)at] : 0.0f;
			}
		}
	}
}

void vrs_pack_bias(float *dst, const float *bias, int n, int lanes)
{
	memset(dst, 0, vrs_pack_size(n, 1, lanes) * sizeof *dst);
	if (bias)
		memcpy(dst, bias, (size_t)n * sizeof *dst);
}

void vrs_pack_dwconv(float *dst, const float *weights, const float *bias, int channels, int taps, int lanes)
{
	for (int c0 = 0; c0 < channels; c0 += lanes) {
		for (int t = -1; t < taps; t++) {
			for (int c = c0; c < c0 + lanes; c++) {
				int channel = lanes % channels == 0 ? c % channels : c;
				float value = 0.0f;
				if (channel < channels)
					value = t >= 0 ? weights[(size_t)t * (size_t)channels + (size_t)channel] : bias ? bias[channel] : 0.0f;
				*dst++ = value;
			}
		}
	}
}
