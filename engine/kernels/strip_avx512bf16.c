/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transforms of 3x3 convolutions by strips of four rows (kernels.h).  With a = sqrt(1/2) and b = sqrt(2):
 *
 *       1  0  -5/2   0   1  0              1  1  1  1  1  0
 *       0 -2a -2     a   1  0              0  a -a  b -b  0
 *  B' = 0  2a -2    -a   1  0         A' = 0  1/2 1/2 2 2 0
 *       0 -b/2 -1/2  b   1  0              0  a/2 -a/2 2b -2b 1
 *       0  b/2 -1/2 -b   1  0
 *       0  1   0   -5/2  0  1
 */
#include "kernels/act_vectors.h"
#include "kernels/row_contract.h"

#define A 0.70710678118654752f
#define B 1.41421356237309505f

struct strip_points {
	vf p[VRS_STRIP_POINTS];
};

VRS_INLINE struct strip_points strip_transform(const vf d[VRS_STRIP_POINTS])
{
	struct strip_points t;
	vf two = v_set1(2.0f), half = v_set1(0.5f), much = v_set1(2.5f), a = v_set1(A), b = v_set1(B);
	vf even = v_fnma(two, d[2], d[4]), odd = v_fnma(two, d[1], d[3]);
	t.p[0] = v_fnma(much, d[2], v_add(d[0], d[4]));
	t.p[1] = v_fma(a, odd, even);
	t.p[2] = v_fnma(a, odd, even);
	even = v_fnma(half, d[2], d[4]);
	odd = v_fnma(half, d[1], d[3]);
	t.p[3] = v_fma(b, odd, even);
	t.p[4] = v_fnma(b, odd, even);
	t.p[5] = v_fnma(much, d[3], v_add(d[1], d[5]));
	return t;
}

VRS_INLINE void strip_store(uint16_t *out, ptrdiff_t point, const struct strip_points *t, vm mask)
{
	VRS_UNROLL
	for (int i = 0; i < VRS_STRIP_POINTS; i++)
		_mm256_mask_storeu_epi16(out + i * point, mask, (__m256i)_mm512_cvtneps_pbh(t->p[i]));
}

/* Values that lie one after the other. */
VRS_INLINE void strip_values(const float *const *rows, ptrdiff_t at, ptrdiff_t count, uint16_t *out, ptrdiff_t point)
{
	vf d[VRS_STRIP_POINTS];
	ptrdiff_t i = 0;
	for (; i + 2 * VL <= count; i += 2 * VL) {
		VRS_UNROLL
		for (int r = 0; r < VRS_STRIP_POINTS; r++)
			d[r] = v_load(rows[r] + at + i);
		struct strip_points low = strip_transform(d);
		VRS_UNROLL
		for (int r = 0; r < VRS_STRIP_POINTS; r++)
			d[r] = v_load(rows[r] + at + i + VL);
		struct strip_points high = strip_transform(d);
		VRS_UNROLL
		for (int r = 0; r < VRS_STRIP_POINTS; r++)
			_mm512_storeu_si512(out + i + r * point, (__m512i)_mm512_cvtne2ps_pbh(high.p[r], low.p[r]));
	}
	for (; i < count; i += VL) {
		vm mask = v_mask(count - i < VL ? (int)(count - i) : VL);
		VRS_UNROLL
		for (int r = 0; r < VRS_STRIP_POINTS; r++)
			d[r] = v_loadm(rows[r] + at + i, mask);
		struct strip_points t = strip_transform(d);
		strip_store(out + i, point, &t, mask);
	}
}

void vrs_strip_input_bf16__avx512bf16(const struct vrs_strip_input *strip)
{
	vrs_strip_input_contract(strip);
	const float *rows[VRS_STRIP_POINTS];
	for (int i = 0; i < VRS_STRIP_POINTS; i++)
		rows[i] = strip->rows[i];
	if (strip->in_px == strip->channels && strip->out_px == strip->channels) {
		strip_values(rows, 0, (ptrdiff_t)strip->pixels * strip->channels, strip->out, strip->point);
		return;
	}
	for (ptrdiff_t p = 0; p < strip->pixels; p++)
		strip_values(rows, p * strip->in_px, strip->channels, strip->out + p * strip->out_px, strip->point);
}

/* The four outputs of a vector of channels of one pixel. */
VRS_INLINE void strip_outputs(const float *product, ptrdiff_t point, vf bias, vf y[VRS_STRIP_ROWS])
{
	vf m[VRS_STRIP_POINTS];
	VRS_UNROLL
	for (int i = 0; i < VRS_STRIP_POINTS; i++)
		m[i] = v_load(product + i * point);
	vf near_even = v_add(m[1], m[2]), near_odd = v_mul(v_set1(A), v_sub(m[1], m[2]));
	vf far_even = v_add(m[3], m[4]), far_odd = v_mul(v_set1(B), v_sub(m[3], m[4]));
	y[0] = v_add(v_add(bias, m[0]), v_add(near_even, far_even));
	y[1] = v_add(bias, v_add(near_odd, far_odd));
	y[2] = v_fma(v_set1(0.5f), near_even, v_fma(v_set1(2.0f), far_even, bias));
	y[3] = v_fma(v_set1(0.5f), near_odd, v_fma(v_set1(2.0f), far_odd, v_add(bias, m[5])));
}

/* Any epilogue, and rows that may not be wanted. */
static __attribute__((noinline)) void strip_finish(const struct vrs_strip_output *strip, ptrdiff_t at, vm mask, const float *values)
{
	const struct vrs_epilogue *e = &strip->epilogue;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi);
	for (int i = 0; i < VRS_STRIP_ROWS; i++) {
		if (!strip->out[i])
			continue;
		vf y = v_load(values + i * VL), residual = e->residual ? v_loadm(strip->residual[i] + at, mask) : v_zero();
		if (e->residual && e->residual_before)
			y = v_add(y, residual);
		y = act_apply(y, (int)e->act, lo, hi);
		if (e->residual && !e->residual_before)
			y = v_add(y, residual);
		v_storem(strip->out[i] + at, mask, y);
	}
}

void vrs_strip_output_f32__avx512bf16(const struct vrs_strip_output *args)
{
	vrs_strip_output_contract(args);
	const struct vrs_strip_output copy = *args, *strip = &copy;
	const struct vrs_epilogue *e = &strip->epilogue;
	bool plain = !e->residual && (e->act == VRS_KACT_NONE || e->act == VRS_KACT_CLAMP);
	for (int i = 0; i < VRS_STRIP_ROWS; i++)
		plain = plain && strip->out[i];
	vf lo = v_set1(e->act == VRS_KACT_CLAMP ? e->lo : -__builtin_inff()), hi = v_set1(e->act == VRS_KACT_CLAMP ? e->hi : __builtin_inff());
	for (ptrdiff_t p = 0; p < strip->pixels; p++) {
		for (int c = 0; c < strip->channels; c += VL) {
			vm mask = v_mask(strip->channels - c < VL ? strip->channels - c : VL);
			ptrdiff_t at = p * strip->out_px + c;
			vf y[VRS_STRIP_ROWS];
			float values[VRS_STRIP_ROWS * VL];
			strip_outputs(strip->products + p * strip->px + c, strip->point, v_load(strip->bias + c), y);
			if (plain) {
				VRS_UNROLL
				for (int i = 0; i < VRS_STRIP_ROWS; i++)
					v_storem(strip->out[i] + at, mask, v_clamp(y[i], lo, hi));
				continue;
			}
			VRS_UNROLL
			for (int i = 0; i < VRS_STRIP_ROWS; i++)
				v_store(values + i * VL, y[i]);
			strip_finish(strip, at, mask, values);
		}
	}
}
