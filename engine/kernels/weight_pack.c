/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_pack.h"

#include <string.h>

#include "base/assert.h"
#include "kernels/kernels.h"

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

size_t vrs_pack_strips_size(int n, int k, int lanes)
{
	return VRS_STRIP_POINTS * vrs_pack_size(n, 2 * VRS_BF16_PAIRS(3 * k), lanes);
}

/* A row of G has the powers of a point, by the scale that makes B' short numbers; infinity has the highest power alone. */
static float strip_weight(const float *taps, size_t step, int point)
{
	static const double near = 0.70710678118654752440, far = 1.41421356237309504880;
	static const double powers[VRS_STRIP_POINTS][3] = {
		{1, 0, 0},
		{-2.0 / 3, -2.0 / 3 * near, -1.0 / 3}, {-2.0 / 3, 2.0 / 3 * near, -1.0 / 3},
		{1.0 / 6, 1.0 / 6 * far, 1.0 / 3}, {1.0 / 6, -1.0 / 6 * far, 1.0 / 3},
		{0, 0, 1},
	};
	double sum = 0;
	for (int i = 0; i < 3; i++)
		sum += powers[point][i] * (double)taps[(size_t)i * step];
	return (float)sum;
}

void vrs_pack_strips(float *dst, const float *weights, int n, int k, int lanes)
{
	int klen = 3 * k;
	size_t row = (size_t)klen;
	for (int point = 0; point < VRS_STRIP_POINTS; point++) {
		for (int first = 0, left = vectors(n, lanes), panel; left > 0; left -= panel / lanes, first += panel) {
			panel = VRS_PANEL_VECTORS(left) * lanes;
			for (int i = 0; i < VRS_BF16_PAIRS(klen); i++) {
				for (int j = 0; j < 2 * panel; j++) {
					int channel = first + j / 2, at = 2 * i + j % 2;
					bool filled = channel < n && at < klen;
					*dst++ = filled ? strip_weight(weights + (size_t)channel * 3 * row + (size_t)at, row, point) : 0.0f;
				}
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
