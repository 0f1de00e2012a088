/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source of the matte kernels, compiled once for each instruction set: EDGES_NAME(op) gives the name of a function there.  Plain loops that
 * compilers vectorize; sums go through blocks of EDGES_BLOCK elements so that the inner loop runs over neighbours.  Integers, or float in a fixed
 * order without fused multiply-add, so that all instruction sets give the same bytes.
 */
#include "base/assert.h"
#include "kernels/picture.h"

#include <stdbool.h>

#define EDGES_BLOCK 64

void EDGES_NAME(guide_columns)(uint32_t *const sums[4], const uint8_t *restrict guide_in, const uint16_t *restrict alpha_in,
				      const uint8_t *restrict guide_out, const uint16_t *restrict alpha_out, int n)
{
	uint32_t *restrict i = sums[0], *restrict p = sums[1], *restrict ii = sums[2], *restrict ip = sums[3];
	for (int x = 0; x < n; x++) {
		uint32_t gi = guide_in[x], go = guide_out[x], ai = alpha_in[x], ao = alpha_out[x];
		i[x] += gi - go;
		p[x] += ai - ao;
		ii[x] += gi * gi - go * go;
		ip[x] += gi * ai - go * ao;
	}
}

void EDGES_NAME(box_columns)(uint32_t *restrict sums, const uint32_t *restrict in, const uint32_t *restrict out, int n)
{
	for (int x = 0; x < n; x++)
		sums[x] += in[x] - out[x];
}

void EDGES_NAME(box_row)(uint32_t *restrict dst, const uint32_t *restrict src, int radius, int n)
{
	int x = 0;
	VRS_ASSERT(radius >= 0 && n >= 0);
	for (; x + EDGES_BLOCK <= n; x += EDGES_BLOCK) {
		uint32_t sum[EDGES_BLOCK] = {0};
		for (int t = -radius; t <= radius; t++)
			for (int k = 0; k < EDGES_BLOCK; k++)
				sum[k] += src[x + t + k];
		for (int k = 0; k < EDGES_BLOCK; k++)
			dst[x + k] = sum[k];
	}
	for (; x < n; x++) {
		uint32_t sum = 0;
		for (int t = -radius; t <= radius; t++)
			sum += src[x + t];
		dst[x] = sum;
	}
}

void EDGES_NAME(guide_coefficients)(int32_t *restrict a, int32_t *restrict b, const uint32_t *const box[4], const float *restrict inverse,
					   float eps, int n)
{
	const uint32_t *restrict i = box[0], *restrict p = box[1], *restrict ii = box[2], *restrict ip = box[3];
	VRS_ASSERT(eps > 0);
	for (int x = 0; x < n; x++) {
		float share = inverse[x];
		float mean_i = (float)(int32_t)i[x] * share * (1.0f / 255), mean_p = (float)(int32_t)p[x] * share * (1.0f / 4095);
		float variance = (float)(int32_t)ii[x] * share * (1.0f / 65025) - mean_i * mean_i;
		float covariance = (float)(int32_t)ip[x] * share * (1.0f / 1044225) - mean_i * mean_p;
		float slope = covariance / ((variance > 0 ? variance : 0) + eps);
		a[x] = (int32_t)(slope * 4096);
		b[x] = (int32_t)((mean_p - slope * mean_i) * 4096);
	}
}

void EDGES_NAME(guide_apply)(float *restrict alpha, const uint8_t *restrict guide, const int32_t *restrict a, const int32_t *restrict b,
				    const float *restrict inverse, float limit, int n)
{
	for (int x = 0; x < n; x++) {
		float share = inverse[x] * (1.0f / 4096), old = alpha[x];
		float value = (float)a[x] * share * ((float)guide[x] * (1.0f / 255)) + (float)b[x] * share;
		float reach = limit * 4 * old * (1 - old), low = old - reach, high = old + reach;
		value = value < low ? low : value;
		value = value > high ? high : value;
		value = value < 0 ? 0 : value;
		alpha[x] = value > 1 ? 1 : value;
	}
}

static inline int32_t between(uint16_t above, uint16_t below, int weight)
{
	return above + ((((int32_t)below - above) * weight + (1 << 14)) >> 15);
}

/* One sample; luma in sample15, which the second term brings to 32767 for white. */
static inline uint16_t sharpen(int32_t luma, int32_t alpha, int32_t slope, int32_t offset, int limit)
{
	int32_t white = luma + (luma >> 8);
	int32_t value = (((slope - VRS_SHARPEN_ZERO) * white) >> VRS_SHARPEN_BITS) + ((offset - VRS_SHARPEN_ZERO) * (1 << (15 - VRS_SHARPEN_BITS)));
	int32_t reach = (((alpha * (32767 - alpha)) >> 15) * limit) >> 13, low = alpha - reach, high = alpha + reach;
	low = low < 0 ? 0 : low;
	high = high > 32767 ? 32767 : high;
	value = value < low ? low : value;
	return (uint16_t)(value > high ? high : value);
}

/* True if all of n alphas are 0, or all 32767: most of every row, and nothing can change there. */
static inline bool is_plain(const uint16_t *above, const uint16_t *below, int n)
{
	uint16_t differ = 0;
	for (int k = 0; k < n; k++)
		differ |= (uint16_t)((above[k] ^ above[0]) | (below[k] ^ above[0]));
	return !differ && (above[0] == 0 || above[0] == 32767);
}

/* EDGES_BLOCK samples or what is left of them, of 1 or 2 bytes. */
#define EDGES_SHARPEN(luma_of) \
	for (int x = 0; x < n; x += EDGES_BLOCK) { \
		int part = n - x < EDGES_BLOCK ? n - x : EDGES_BLOCK; \
		const uint16_t *restrict a0 = alpha[0] + x, *restrict a1 = alpha[1] + x, *restrict s0 = slope[0] + x, *restrict s1 = slope[1] + x; \
		const uint16_t *restrict o0 = offset[0] + x, *restrict o1 = offset[1] + x; \
		bool plain = is_plain(a0, a1, part); \
		for (int k = 0; k < part && plain; k++) \
			dst[x + k] = a0[0]; \
		for (int k = 0; k < part && !plain; k++) \
			dst[x + k] = sharpen(luma_of(luma[x + k]), between(a0[k], a1[k], weight), \
							 between(s0[k], s1[k], weight), between(o0[k], o1[k], weight), limit); \
	}
#define EDGES_LUMA_8(sample) ((sample) << 7)
#define EDGES_LUMA_16(sample) luma15(sample, depth)

/* Samples above the depth, which raw video may have, count as white: products stay inside 32 bits. */
static inline int32_t luma15(uint16_t sample, int depth)
{
	uint32_t luma = ((uint32_t)sample << 15) >> depth;
	return luma > 32767 ? 32767 : (int32_t)luma;
}

void EDGES_NAME(sharpen_row_u8)(uint16_t *restrict dst, const uint8_t *restrict luma, const uint16_t *const alpha[2],
				       const uint16_t *const slope[2], const uint16_t *const offset[2], int weight, int limit, int n)
{
	EDGES_SHARPEN(EDGES_LUMA_8)
}

void EDGES_NAME(sharpen_row_u16)(uint16_t *restrict dst, const uint16_t *restrict luma, const uint16_t *const alpha[2],
					const uint16_t *const slope[2], const uint16_t *const offset[2], int weight, int limit, int depth, int n)
{
	EDGES_SHARPEN(EDGES_LUMA_16)
}

/* One sample of sample15; alpha 0 or 32767 keeps it. */
static inline int32_t own_color(int32_t sample, int32_t alpha, int32_t people, int32_t behind)
{
	int32_t mix = behind + (((people - behind) * alpha + (1 << 14)) >> 15);
	int32_t value = people + (((sample - mix) * alpha + (1 << 14)) >> 15);
	value = value < 0 ? 0 : value;
	value = value > 32767 ? 32767 : value;
	return alpha == 0 || alpha == 32767 ? sample : value;
}

void EDGES_NAME(own_color_u8)(uint8_t *restrict samples, const uint16_t *const alpha[2], const uint16_t *const people[2],
				     const uint16_t *const behind[2], int alpha_weight, int color_weight, int n)
{
	const uint16_t *restrict a0 = alpha[0], *restrict a1 = alpha[1], *restrict p0 = people[0], *restrict p1 = people[1];
	const uint16_t *restrict b0 = behind[0], *restrict b1 = behind[1];
	for (int x = 0; x < n; x++) {
		int32_t value = own_color(samples[x] << 7, between(a0[x], a1[x], alpha_weight), between(p0[x], p1[x], color_weight),
					  between(b0[x], b1[x], color_weight));
		value = (value + 64) >> 7;
		samples[x] = (uint8_t)(value > 255 ? 255 : value);
	}
}

void EDGES_NAME(own_color_u16)(uint16_t *restrict samples, const uint16_t *const alpha[2], const uint16_t *const people[2],
				      const uint16_t *const behind[2], int alpha_weight, int color_weight, int depth, int n)
{
	const uint16_t *restrict a0 = alpha[0], *restrict a1 = alpha[1], *restrict p0 = people[0], *restrict p1 = people[1];
	const uint16_t *restrict b0 = behind[0], *restrict b1 = behind[1];
	int up = depth < 15 ? 15 - depth : 0, down = depth > 15 ? depth - 15 : 0, half = up ? 1 << (up - 1) : 0, top = (1 << depth) - 1;
	for (int x = 0; x < n; x++) {
		int32_t a = between(a0[x], a1[x], alpha_weight);
		int32_t value = own_color(luma15(samples[x], depth), a, between(p0[x], p1[x], color_weight), between(b0[x], b1[x], color_weight));
		value = ((value + half) >> up) << down;
		value = value > top ? top : value;
		samples[x] = a == 0 || a == 32767 ? samples[x] : (uint16_t)value;
	}
}

void EDGES_NAME(max_row)(uint8_t *restrict dst, const uint8_t *restrict src, int radius, int n)
{
	int x = 0;
	for (; x + EDGES_BLOCK <= n; x += EDGES_BLOCK) {
		uint8_t most[EDGES_BLOCK] = {0};
		for (int t = -radius; t <= radius; t++)
			for (int k = 0; k < EDGES_BLOCK; k++)
				most[k] = src[x + t + k] > most[k] ? src[x + t + k] : most[k];
		for (int k = 0; k < EDGES_BLOCK; k++)
			dst[x + k] = most[k];
	}
	for (; x < n; x++) {
		uint8_t most = 0;
		for (int t = -radius; t <= radius; t++)
			most = src[x + t] > most ? src[x + t] : most;
		dst[x] = most;
	}
}

void EDGES_NAME(max_rows)(uint8_t *restrict dst, const uint8_t *const *rows, int count, int n)
{
	VRS_ASSERT(count > 0);
	for (int x = 0; x < n; x++)
		dst[x] = rows[0][x];
	for (int t = 1; t < count; t++) {
		const uint8_t *restrict row = rows[t];
		for (int x = 0; x < n; x++)
			dst[x] = row[x] > dst[x] ? row[x] : dst[x];
	}
}

void EDGES_NAME(fir_row)(uint8_t *restrict dst, const uint8_t *restrict src, const int16_t *weights, int taps, int n)
{
	int x = 0;
	VRS_ASSERT(taps > 0 && n >= 0);
	for (; x + EDGES_BLOCK <= n; x += EDGES_BLOCK) {
		int32_t sum[EDGES_BLOCK] = {0};
		for (int t = 0; t < taps; t++)
			for (int k = 0; k < EDGES_BLOCK; k++)
				sum[k] += src[x + t + k] * weights[t];
		for (int k = 0; k < EDGES_BLOCK; k++)
			dst[x + k] = (uint8_t)((sum[k] + VRS_WEIGHT_ONE / 2) >> VRS_WEIGHT_BITS);
	}
	for (; x < n; x++) {
		int32_t sum = VRS_WEIGHT_ONE / 2;
		for (int t = 0; t < taps; t++)
			sum += src[x + t] * weights[t];
		dst[x] = (uint8_t)(sum >> VRS_WEIGHT_BITS);
	}
}

void EDGES_NAME(fir_rows)(uint8_t *restrict dst, const uint8_t *const *rows, const int16_t *weights, int taps, int n)
{
	VRS_ASSERT(taps > 0 && n >= 0);
	for (int x = 0; x < n; x += EDGES_BLOCK) {
		int32_t sum[EDGES_BLOCK] = {0};
		int part = n - x < EDGES_BLOCK ? n - x : EDGES_BLOCK;
		for (int t = 0; t < taps; t++)
			for (int k = 0; k < part; k++)
				sum[k] += rows[t][x + k] * weights[t];
		for (int k = 0; k < part; k++)
			dst[x + k] = (uint8_t)((sum[k] + VRS_WEIGHT_ONE / 2) >> VRS_WEIGHT_BITS);
	}
}

/* 1 where the luma is the same, falling to 0 where it changed by the threshold. */
static inline float gate(uint8_t a, uint8_t b, float inverse_square)
{
	float change = (float)a - (float)b, still = 1 - change * change * inverse_square;
	return still > 0 ? still : 0;
}

void EDGES_NAME(gated_mean)(float *restrict state, const float *restrict alpha, const uint8_t *restrict luma, const uint8_t *restrict past,
				   float keep, float inverse_square, int n)
{
	for (int x = 0; x < n; x++)
		state[x] += (1 - keep * gate(luma[x], past[x], inverse_square)) * (alpha[x] - state[x]);
}

void EDGES_NAME(gated_sum)(float *restrict sum, float *restrict weights, const float *restrict alpha, const uint8_t *restrict luma,
				  const uint8_t *restrict other, float weight, float inverse_square, int n)
{
	for (int x = 0; x < n; x++) {
		float share = weight * gate(luma[x], other[x], inverse_square);
		sum[x] += share * alpha[x];
		weights[x] += share;
	}
}
