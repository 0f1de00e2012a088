/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Softmax over channels, exp(x - max) / sum, and its logarithm x - max - log(sum).
 *
 *   2 and 4 channels    pixels as they lie; partners by swaps inside the vector
 *   below VL channels   VL pixels turned, so that a lane is a pixel
 *   others              along the channels of a pixel
 * Whichever it is, a pixel's value does not depend on its neighbours.  A NaN or +infinity makes the sum NaN, and nothing but -infinity too.
 */
#include "kernels/act_functions.h"

/* Result of one vector, from the differences to the largest, their exponentials and the sum. */
VRS_INLINE vf softmax_value(vf difference, vf e, vf sum, bool log)
{
	return log ? v_sub(difference, act_log(sum)) : v_div(e, sum);
}

/* 2 or 4 channels. */
VRS_INLINE vf softmax_few(vf x, int channels, bool log)
{
	vf max = v_max(x, v_swap1(x));
	if (channels == 4)
		max = v_max(max, v_swap2(max));
	vf difference = v_sub(x, max), e = act_exp(difference), sum = v_add(e, v_swap1(e));
	if (channels == 4)
		sum = v_add(sum, v_swap2(sum));
	return softmax_value(difference, e, sum, log);
}

VRS_INLINE void softmax_line(const float *in, float *out, size_t count, int channels, bool log)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		v_store(out + i, softmax_few(v_load(in + i), channels, log));
	if (i < count) {
		vm mask = v_mask((int)(count - i));
		v_storem(out + i, mask, softmax_few(v_loadm(in + i, mask), channels, log));
	}
}

/* Up to VL pixels of fewer than VL channels; block[c] holds channel c of all. */
VRS_INLINE void softmax_turned(const float *in, float *out, int pixels, int channels, bool log)
{
	float block[VL][VL];
	for (int c = 0; c < channels; c++)
		v_store(block[c], v_zero());
	for (int p = 0; p < pixels; p++)
		for (int c = 0; c < channels; c++)
			block[c][p] = in[p * channels + c];
	vf max = v_load(block[0]), sum = v_zero();
	for (int c = 1; c < channels; c++)
		max = v_max(max, v_load(block[c]));
	for (int c = 0; c < channels; c++) {
		vf difference = v_sub(v_load(block[c]), max), e = act_exp(difference);
		sum = v_add(sum, e);
		v_store(block[c], log ? difference : e);
	}
	vf last = log ? act_log(sum) : v_div(v_set1(1.0f), sum);
	for (int c = 0; c < channels; c++)
		v_store(block[c], log ? v_sub(v_load(block[c]), last) : v_mul(v_load(block[c]), last));
	for (int p = 0; p < pixels; p++)
		for (int c = 0; c < channels; c++)
			out[p * channels + c] = block[c][p];
}

#ifdef __AVX512F__
#define SOFTMAX_HALVES(v, op) op(v_low256(v), v_high256(v))
#else
#define SOFTMAX_HALVES(v, op) (v)
#endif

/* All lanes: the largest, and the sum in a fixed order. */
VRS_INLINE vf softmax_across(vf v, bool sum)
{
	__m256 half = sum ? SOFTMAX_HALVES(v, _mm256_add_ps) : SOFTMAX_HALVES(v, _mm256_max_ps);
	__m128 a = _mm256_castps256_ps128(half), b = _mm256_extractf128_ps(half, 1);
	a = sum ? _mm_add_ps(a, b) : _mm_max_ps(a, b);
	b = _mm_movehl_ps(a, a);
	a = sum ? _mm_add_ps(a, b) : _mm_max_ps(a, b);
	b = _mm_shuffle_ps(a, a, 1);
	a = sum ? _mm_add_ss(a, b) : _mm_max_ss(a, b);
	return v_set1(_mm_cvtss_f32(a));
}

/* One pixel of VL channels or more. */
VRS_INLINE void softmax_long(const float *in, float *out, int channels, bool log)
{
	vf max = v_load(in + channels - VL), sum = v_zero();
	vm tail = v_mask(channels % VL);
	int c = 0;
	for (; c + VL <= channels; c += VL)
		max = v_max(max, v_load(in + c));
	max = softmax_across(max, false);
	for (c = 0; c + VL <= channels; c += VL) {
		vf e = act_exp(v_sub(v_load(in + c), max));
		sum = v_add(sum, e);
		if (!log)
			v_store(out + c, e);
	}
	if (c < channels) {
		vf e = act_exp(v_sub(v_loadm(in + c, tail), max));
		sum = v_add(sum, v_first(e, tail));
		if (!log)
			v_storem(out + c, tail, e);
	}
	sum = softmax_across(sum, true);
	vf last = log ? act_log(sum) : v_div(v_set1(1.0f), sum);
	for (c = 0; c + VL <= channels; c += VL)
		v_store(out + c, log ? v_sub(v_sub(v_load(in + c), max), last) : v_mul(v_load(out + c), last));
	if (c < channels)
		v_storem(out + c, tail, log ? v_sub(v_sub(v_loadm(in + c, tail), max), last) : v_mul(v_loadm(out + c, tail), last));
}

VRS_INLINE void softmax_rows(const float *in, float *out, int pixels, int channels, bool log)
{
	if (channels == 2 || channels == 4) {
		if (channels == 2)
			softmax_line(in, out, (size_t)pixels * 2, 2, log);
		else
			softmax_line(in, out, (size_t)pixels * 4, 4, log);
	} else if (channels < VL) {
		for (; pixels > 0; pixels -= VL, in += (ptrdiff_t)VL * channels, out += (ptrdiff_t)VL * channels)
			softmax_turned(in, out, pixels < VL ? pixels : VL, channels, log);
	} else {
		for (; pixels > 0; pixels--, in += channels, out += channels)
			softmax_long(in, out, channels, log);
	}
}

void VRS_ISA(vrs_softmax_f32_rows)(const float *in, float *out, int pixels, int channels, bool log)
{
	if (log)
		softmax_rows(in, out, pixels, channels, true);
	else
		softmax_rows(in, out, pixels, channels, false);
}
