/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transforms of Winograd tiles of eight by eight inputs, as those of winograd_points.h.  Pairs of rows do not fit the registers of AVX2: one of
 * them waits in memory.
 *
 *      s = 8: -1   0  21/4   0  -21/4   0   1  0            m = 4: 1  1  1  1  1   1    1   0
 *              0   1    1 -17/4 -17/4   1   1  0                   0  1 -1  2 -2  1/2 -1/2  0
 *              0  -1    1  17/4 -17/4  -1   1  0              A' = 0  1  1  4  4  1/4  1/4  0
 *        B' =  0  1/2  1/4 -5/2  -5/4   2   1  0                   0  1 -1  8 -8  1/8 -1/8  1
 *              0 -1/2  1/4  5/2  -5/4  -2   1  0
 *              0   2    4  -5/2   -5   1/2  1  0
 *              0  -2    4   5/2   -5  -1/2  1  0
 *              0  -1    0  21/4    0 -21/4  0  1
 */
#ifndef VRS_KERNELS_WINOGRAD_POINTS8_H
#define VRS_KERNELS_WINOGRAD_POINTS8_H

#include "kernels/winograd_points.h"

VRS_INLINE void wino_steps_hide8(struct wino_steps *s)
{
	WINO_OPAQUE(s->one);
	WINO_OPAQUE(s->three);
	WINO_OPAQUE(s->five);
	WINO_OPAQUE(s->seven);
}

#define D(i) wino_load(wino_at(r[i], &px, j), mask, masked)

/* The points x and -x of eight taps: a has the even powers, b the odd ones. */
VRS_INLINE void wino_side8_sums(const vf d[8], int pair, vf *a, vf *b)
{
	switch (pair) {
	case 1:
		*a = v_fnma(v_set1(4.25f), d[4], v_add(d[2], d[6]));
		*b = v_fnma(v_set1(4.25f), d[3], v_add(d[1], d[5]));
		return;
	case 2:
		*a = v_fma(v_set1(0.25f), d[2], v_fnma(v_set1(1.25f), d[4], d[6]));
		*b = v_fma(v_set1(0.5f), d[1], v_fnma(v_set1(2.5f), d[3], v_add(d[5], d[5])));
		return;
	default:
		*a = v_fma(v_set1(4.0f), d[2], v_fnma(v_set1(5.0f), d[4], d[6]));
		*b = v_fma(v_set1(0.5f), d[5], v_fnma(v_set1(2.5f), d[3], v_add(d[1], d[1])));
	}
}

VRS_INLINE void wino_side8_input_row(const vf d[8], float *v, const struct wino_steps *point)
{
	vf a, b, w = v_set1(5.25f);
	WINO_OPAQUE(v);
	v_store(v, v_fma(w, v_sub(d[2], d[4]), v_sub(d[6], d[0])));
	v_store(wino_to(v, point, 7), v_fma(w, v_sub(d[3], d[5]), v_sub(d[7], d[1])));
	VRS_UNROLL
	for (int i = 1; i < 4; i++) {
		wino_side8_sums(d, i, &a, &b);
		v_store(wino_to(v, point, 2 * i - 1), v_add(a, b));
		v_store(wino_to(v, point, 2 * i), v_sub(a, b));
	}
}

/* The two rows of points of a pair; v behind them. */
VRS_INLINE float *wino_side8_input_pair(const float *const r[8], struct wino_steps px, float *v, const struct wino_steps *point, int pair, vm mask,
					bool masked)
{
	vf p[8], q[8];
	wino_steps_hide8(&px);
	VRS_UNROLL
	for (int j = 0; j < 8; j++) {
		vf a, b, d[8];
		VRS_UNROLL
		for (int i = 1; i < 7; i++)
			d[i] = D(i);
		wino_side8_sums(d, pair, &a, &b);
		p[j] = v_add(a, b);
		q[j] = v_sub(a, b);
	}
	wino_side8_input_row(p, v, point);
	v = wino_to(wino_to(v, point, 7), point, 1);
	wino_side8_input_row(q, v, point);
	return wino_to(wino_to(v, point, 7), point, 1);
}

/* Row of the point 0, or of infinity, which has the taps one further. */
VRS_INLINE void wino_side8_input_end(const float *const r[8], struct wino_steps px, float *v, const struct wino_steps *point, int first, vm mask,
				     bool masked)
{
	vf p[8];
	wino_steps_hide8(&px);
	VRS_UNROLL
	for (int j = 0; j < 8; j++)
		p[j] = v_fma(v_set1(5.25f), v_sub(D(first + 2), D(4 + first)), v_sub(D(first + 6), D(first)));
	wino_side8_input_row(p, v, point);
}

VRS_INLINE void wino_side8_input(const float *const r[8], struct wino_steps px, float *v, struct wino_steps point, vm mask, bool masked)
{
	wino_steps_hide8(&point);
	wino_side8_input_end(r, px, v, &point, 0, mask, masked);
	v = wino_to(wino_to(v, &point, 7), &point, 1);
	v = wino_side8_input_pair(r, px, v, &point, 1, mask, masked);
	v = wino_side8_input_pair(r, px, v, &point, 2, mask, masked);
	v = wino_side8_input_pair(r, px, v, &point, 3, mask, masked);
	wino_side8_input_end(r, px, v, &point, 1, mask, masked);
}
#undef D

/* One half of y = A' m: rows 0 and 2 from the sums of the points x and -x, rows 1 and 3 from their differences. */
VRS_INLINE void wino45_output_half(vf first, vf x1, vf x2, vf x3, vf last, int half, vf *ret_y0, vf *ret_y1)
{
	if (half == 0) {
		*ret_y0 = v_add(v_add(first, x1), v_add(x2, x3));
		*ret_y1 = v_fma(v_set1(4.0f), x2, v_fma(v_set1(0.25f), x3, x1));
	} else {
		*ret_y0 = v_fma(v_set1(2.0f), x2, v_fma(v_set1(0.5f), x3, x1));
		*ret_y1 = v_add(v_fma(v_set1(8.0f), x2, v_fma(v_set1(0.125f), x3, x1)), last);
	}
}

VRS_INLINE void wino45_output_row(const vf m[8], vf y[4])
{
	wino45_output_half(m[0], v_add(m[1], m[2]), v_add(m[3], m[4]), v_add(m[5], m[6]), m[7], 0, &y[0], &y[2]);
	wino45_output_half(m[0], v_sub(m[1], m[2]), v_sub(m[3], m[4]), v_sub(m[5], m[6]), m[7], 1, &y[1], &y[3]);
}

/* As wino43_output, from [64] products. */
VRS_INLINE void wino45_output(const float *m, ptrdiff_t point, const struct wino_steps *row, int half, vf y0[4], vf y1[4])
{
	vf p[8], q[8];
	VRS_UNROLL
	for (int j = 0; j < 8; j++, m += point) {
		WINO_OPAQUE(m);
		vf x[3];
		VRS_UNROLL
		for (int i = 0; i < 3; i++) {
			vf above = v_load(wino_at(m, row, 2 * i + 1)), below = v_load(wino_at(m, row, 2 * i + 2));
			x[i] = half == 0 ? v_add(above, below) : v_sub(above, below);
		}
		vf end = v_load(wino_at(m, row, half == 0 ? 0 : 7));
		wino45_output_half(end, x[0], x[1], x[2], end, half, &p[j], &q[j]);
	}
	wino45_output_row(p, y0);
	wino45_output_row(q, y1);
}

#endif
