/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_pack_u8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "kernels/weight_pack.h"

#define TO_INT 12582912.0f /* 1.5 * 2^23: adding it rounds a small float to an integer, nearest even */

size_t vrs_pack_dwconv_u8_size(int channels, int kh, int kw, int lanes)
{
	size_t blocks = ((size_t)channels + VRS_U8_DW_BLOCK - 1) / VRS_U8_DW_BLOCK;
	return blocks * (size_t)kw * (((size_t)kh + 3) / 4) * VRS_U8_DW_BLOCK * (size_t)lanes;
}

void vrs_pack_conv_u8(int8_t *dst, const int8_t *weights, int n, int k, size_t row, int lanes)
{
	VRS_ASSERT(k % 4 == 0 && row >= (size_t)k);
	for (int first = 0, left = (n + lanes - 1) / lanes, panel; left > 0; left -= panel / lanes, first += panel) {
		panel = VRS_PANEL_VECTORS(left) * lanes;
		for (int i = 0; i < k; i += 4)
			for (int j = 0; j < panel; j++)
				for (int t = 0; t < 4; t++)
					*dst++ = first + j < n ? weights[(size_t)(first + j) * row + (size_t)(i + t)] : 0;
	}
}

/* The four bytes of one channel in one group of rows. */
static void pack_quad(int8_t *dst, const int8_t *weights, int channels, int kw, int c, int kx, int ky, int rows)
{
	int8_t quad[4] = {0};
	for (int r = 0; r < rows && c < channels; r++)
		quad[r] = weights[((ptrdiff_t)(ky + r) * kw + kx) * channels + c];
	if (rows == 1)
		quad[1] = quad[0] < 0 ? -1 : 0;
	memcpy(dst, quad, sizeof quad);
}

void vrs_pack_dwconv_u8(int8_t *dst, const int8_t *weights, int channels, int kh, int kw, int lanes)
{
	for (int block = 0; block < channels; block += VRS_U8_DW_BLOCK) {
		int first = vrs_u8_dw_first(block, channels);
		for (int kx = 0; kx < kw; kx++)
			for (int ky = 0; ky < kh; ky += 4)
				for (int quad = 0; quad < 4; quad++)
					for (int copy = 0; copy < lanes / 4; copy++)
						for (int c = 0; c < 4; c++, dst += 4)
							pack_quad(dst, weights, channels, kw, first + quad * 4 + c, kx, ky, kh - ky < 4 ? kh - ky : 4);
	}
}

float vrs_weight_scale(const float *w, size_t count, size_t step, float share)
{
	float scale = 0.0f;
	for (size_t i = 0; i < count; i += 2) {
		float a = w[i * step], b = i + 1 < count ? w[(i + 1) * step] : 0.0f;
		float single = fmaxf(fabsf(a), fabsf(b)) * (1.0f / 127), pair = fabsf(a + b) * (1.0f / 128);
		scale = fmaxf(scale, fmaxf(single, pair));
	}
	scale *= share;
	return scale > 1e-20f ? scale : 1e-20f;
}

static int32_t round_weight(float w, float inverse)
{
	float q = rintf(w * inverse);
	VRS_ASSERT(!isnan(q)); /* whoever plans leaves weights that are no numbers to float */
	return q > 127.0f ? 127 : q < -127.0f ? -127 : (int32_t)q;
}

/* Bring a pair's sum to at most 128 in magnitude, taking from both. */
static void limit_pair(int32_t *a, int32_t *b)
{
	while (*a + *b > 128 || *a + *b < -128) {
		int32_t *larger = abs(*a) >= abs(*b) ? a : b;
		*larger += *larger > 0 ? -1 : 1;
	}
}

int32_t vrs_quantize_weights(int8_t *q, const float *w, size_t count, size_t step, float scale)
{
	float inverse = 1.0f / scale;
	int32_t sum = 0;
	for (size_t i = 0; i < count; i += 2) {
		int32_t a = round_weight(w[i * step], inverse), b = i + 1 < count ? round_weight(w[(i + 1) * step], inverse) : 0;
		limit_pair(&a, &b);
		VRS_ASSERT(a >= -127 && a <= 127 && b >= -127 && b <= 127); /* with the pair's sum: no 16-bit overflow of VPMADDUBSW */
		q[i * step] = (int8_t)a;
		if (i + 1 < count)
			q[(i + 1) * step] = (int8_t)b;
		sum += a + b;
	}
	return sum;
}

/* Inverse scales of all channels from the largest magnitudes and pair sums. */
static void scaled_range(float *scales, float *inverse, const float *w, int stride, const float *factor, int factors, int k)
{
	for (int j = 0; j < stride; j++)
		scales[j] = 1e-20f;
	for (int i = 0; i < k; i += 2) {
		const float *a = w + (ptrdiff_t)i * stride, *b = a + stride;
		float fa = factor[i % factors], fb = factor[(i + 1) % factors];
		for (int j = 0; j < stride; j++) {
			float x = a[j] * fa, y = b[j] * fb, pair = fabsf(x + y) * (1.0f / 128);
			float one = fabsf(x) * (1.0f / 127), two = fabsf(y) * (1.0f / 127);
			one = one > two ? one : two;
			pair = pair > one ? pair : one;
			scales[j] = scales[j] > pair ? scales[j] : pair;
		}
	}
	/* A hair more, so that no rounding of the product reaches 127.5 or a pair 129. */
	for (int j = 0; j < stride; j++) {
		scales[j] *= 1.008f;
		inverse[j] = 1.0f / scales[j];
	}
}

void vrs_scale_conv_u8(int8_t *dst, float *scales, int32_t *sums, const float *w, int stride, const float *factor, int factors, int k, int n,
		       int lanes, float *scratch)
{
	float *inverse = scratch;
	VRS_ASSERT(factors > 0 && k % 4 == 0 && stride >= n);
	scaled_range(scales, inverse, w, stride, factor, factors, k);
	memset(sums, 0, (size_t)stride * sizeof *sums);
	for (int first = 0, left = (n + lanes - 1) / lanes, panel; left > 0; left -= panel / lanes, first += panel) {
		panel = VRS_PANEL_VECTORS(left) * lanes;
		for (int i = 0; i < k; i += 4, dst += 4 * panel) {
			const float *row = w + (ptrdiff_t)i * stride + first;
			float f[4];
			for (int t = 0; t < 4; t++)
				f[t] = factor[(i + t) % factors];
			for (int j = 0; j < panel; j++) {
				uint32_t packed = 0;
				int32_t sum = 0;
				for (int t = 0; t < 4; t++) {
					union { float f; int32_t i; } q = {.f = row[(ptrdiff_t)t * stride + j] * f[t] * inverse[first + j] + TO_INT};
					int32_t value = ((q.i & 0xff) ^ 0x80) - 0x80; /* a byte, also where a factor is no number */
					sum += value;
					packed |= (uint32_t)(value & 0xff) << (8 * t);
				}
				sums[first + j] += sum;
				memcpy(dst + 4 * (ptrdiff_t)j, &packed, sizeof packed);
			}
		}
	}
}
