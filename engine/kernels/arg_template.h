/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of the best values of lines and of columns: a lane each, best value and place in registers. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/turned_lanes.h"

#ifdef __AVX512F__
typedef __mmask16 arg_mask;
#define arg_compare(a, b, how) _mm512_cmp_ps_mask(a, b, how)
#define arg_choose(mask, a, b) _mm512_mask_blend_ps(mask, b, a)
#define arg_choose_place(mask, a, b) _mm512_mask_blend_epi32(mask, b, a)
#define arg_low256(v) _mm512_castsi512_si256(v)
#define arg_high256(v) _mm512_extracti64x4_epi64(v, 1)
#else
typedef __m256 arg_mask;
#define arg_compare(a, b, how) _mm256_cmp_ps(a, b, how)
#define arg_choose(mask, a, b) _mm256_blendv_ps(b, a, mask)
#define arg_choose_place(mask, a, b) v_bits(arg_choose(mask, v_from_bits(a), v_from_bits(b)))
#endif

/* The best so far of VL lines or columns. */
struct arg_best {
	vf value;
	vi place;
};

VRS_INLINE arg_mask arg_is_better(vf x, vf best, bool smallest, bool last)
{
	if (smallest)
		return last ? arg_compare(x, best, _CMP_LE_OQ) : arg_compare(x, best, _CMP_LT_OQ);
	return last ? arg_compare(x, best, _CMP_GE_OQ) : arg_compare(x, best, _CMP_GT_OQ);
}

VRS_INLINE bool arg_is_better_one(float x, float best, bool smallest, bool last)
{
	return smallest ? (last ? x <= best : x < best) : (last ? x >= best : x > best);
}

VRS_INLINE struct arg_best arg_start(void)
{
	return (struct arg_best){v_zero(), vi_set1(0)};
}

/* Value k of each; the first one is the best of all so far, even if it is a NaN. */
VRS_INLINE void arg_step(struct arg_best *best, vf x, int k, bool smallest, bool last)
{
	if (k == 0) {
		best->value = x;
		return;
	}
	arg_mask better = arg_is_better(x, best->value, smallest, last);
	best->value = arg_choose(better, x, best->value);
	best->place = arg_choose_place(better, vi_set1(k), best->place);
}

/* Eight places as numbers of 64 bits. */
VRS_INLINE void arg_store256(int64_t *place, __m256i v)
{
	_mm256_storeu_si256((__m256i *)(void *)place, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)));
	_mm256_storeu_si256((__m256i *)(void *)(place + 4), _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
}

VRS_INLINE void arg_store(int64_t *place, vi v)
{
#ifdef __AVX512F__
	arg_store256(place, arg_low256(v));
	arg_store256(place + 8, arg_high256(v));
#else
	arg_store256(place, v);
#endif
}

/* `blocks` times VL lines, which do not wait for each other. */
VRS_INLINE void arg_turned(const float *in, int n, int64_t *place, int blocks, bool smallest, bool last)
{
	struct arg_best best[2] = {arg_start(), arg_start()};
	vf x[4];
	int first, k = 0;
	for (; k + 4 <= n; k += 4) {
		VRS_UNROLL
		for (int b = 0; b < blocks; b++) {
			load_turned(in + (ptrdiff_t)b * VL * n + k, n, x);
			VRS_UNROLL
			for (int i = 0; i < 4; i++)
				arg_step(&best[b], x[i], k + i, smallest, last);
		}
	}
	VRS_UNROLL
	for (int b = 0; b < blocks; b++) {
		if (k < n) {
			load_turned_rest(in + (ptrdiff_t)b * VL * n, n, x, &first);
			VRS_UNROLL
			for (int i = 0; i < 4; i++)
				if (i >= first && i - first < n - k)
					arg_step(&best[b], x[i], k + i - first, smallest, last);
		}
		arg_store(place + b * VL, best[b].place);
	}
}

VRS_INLINE void arg_each(const float *in, int n, size_t lines, int64_t *place, bool smallest, bool last)
{
	size_t i = 0, turned = turned_lines(lines, n), width = (size_t)n;
	for (; i + 2 * VL <= turned; i += 2 * VL)
		arg_turned(in + i * width, n, place + i, 2, smallest, last);
	for (; i + VL <= turned; i += VL)
		arg_turned(in + i * width, n, place + i, 1, smallest, last);
	for (; i < lines; i++) {
		const float *line = in + i * width;
		int best = 0;
		for (int k = 1; k < n; k++)
			best = arg_is_better_one(line[k], line[best], smallest, last) ? k : best;
		place[i] = best;
	}
}

/* `vectors` times VL columns of n rows; the last of them has the lanes of the mask. */
VRS_INLINE void arg_columns(const float *in, ptrdiff_t step, int n, vi *place, int vectors, bool masked, vm mask, bool smallest, bool last)
{
	struct arg_best best[4] = {arg_start(), arg_start(), arg_start(), arg_start()};
	for (int k = 0; k < n; k++, in += step) {
		VRS_UNROLL
		for (int v = 0; v < vectors; v++)
			arg_step(&best[v], masked ? v_loadm(in + v * VL, mask) : v_load(in + v * VL), k, smallest, last);
	}
	VRS_UNROLL
	for (int v = 0; v < vectors; v++)
		place[v] = best[v].place;
}

VRS_INLINE void arg_down(const float *in, ptrdiff_t step, int n, int width, int64_t *place, bool smallest, bool last)
{
	vi found[4];
	int c = 0;
	for (; c + 4 * VL <= width; c += 4 * VL) {
		arg_columns(in + c, step, n, found, 4, false, v_mask(0), smallest, last);
		VRS_UNROLL
		for (int v = 0; v < 4; v++)
			arg_store(place + c + v * VL, found[v]);
	}
	for (; c + VL <= width; c += VL) {
		arg_columns(in + c, step, n, found, 1, false, v_mask(0), smallest, last);
		arg_store(place + c, found[0]);
	}
	if (c < width) {
		int64_t lanes[VL];
		arg_columns(in + c, step, n, found, 1, true, v_mask(width - c), smallest, last);
		arg_store(lanes, found[0]);
		for (int i = 0; c + i < width; i++)
			place[c + i] = lanes[i];
	}
}

void VRS_ISA(vrs_arg_f32_lines)(const struct vrs_arg *arg, const float *in, int n, size_t lines, int64_t *place)
{
	VRS_ASSERT(n > 0 && (lines == 0 || (in && place)));
	if (arg->smallest && arg->last)
		arg_each(in, n, lines, place, true, true);
	else if (arg->smallest)
		arg_each(in, n, lines, place, true, false);
	else if (arg->last)
		arg_each(in, n, lines, place, false, true);
	else
		arg_each(in, n, lines, place, false, false);
}

void VRS_ISA(vrs_arg_f32_rows)(const struct vrs_arg *arg, const float *in, ptrdiff_t step, int n, int width, int64_t *place)
{
	VRS_ASSERT(n > 0 && width > 0 && in && place);
	if (arg->smallest && arg->last)
		arg_down(in, step, n, width, place, true, true);
	else if (arg->smallest)
		arg_down(in, step, n, width, place, true, false);
	else if (arg->last)
		arg_down(in, step, n, width, place, false, true);
	else
		arg_down(in, step, n, width, place, false, false);
}
