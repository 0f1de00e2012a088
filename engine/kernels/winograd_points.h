/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transforms of Winograd convolution on vectors of channels.
 *
 * A two-dimensional transform goes over the columns of a tile in pairs of rows that share their sums, keeps the pair in registers and goes over it
 * horizontally at once: no intermediate tile is stored, at the cost of reading the tile about twice.
 *
 *      s = 6:  4  0 -5  0  1  0          m = 4: 1  1  1  1  1  0             s = 4:  1  0 -1  0         m = 2: 1  1  1  0
 *              0 -4 -4  1  1  0                 0  1 -1  2 -2  0                     0  1  1  0                0  1 -1 -1
 *        B' =  0  4 -4 -1  1  0            A' = 0  1  1  4  4  0               B' =  0 -1  1  0           A' =
 *              0 -2 -1  2  1  0                 0  1 -1  8 -8  1                     0  1  0 -1
 *              0  2 -1 -2  1  0
 *              0  4  0 -5  0  1          m = 2: 1  1  1  1  1  0
 *                                               0  1 -1  2 -2  1
 */
#ifndef VRS_KERNELS_WINOGRAD_POINTS_H
#define VRS_KERNELS_WINOGRAD_POINTS_H

#include "kernels/simd_lanes.h"
#include "kernels/winograd.h"

/*
 * Steps between taps or points as one, three, five and seven times: with the scales of an address that reaches eight places from one base.  Opaque
 * to the compiler, which would otherwise keep dozens of addresses in memory (130 cycles a tile and vector instead of 60 on Zen 3).
 */
struct wino_steps {
	ptrdiff_t one, three, five, seven; /* bytes */
};
#define WINO_OPAQUE(x) __asm__ volatile("" : "+r"(x))

VRS_INLINE const float *wino_at(const float *base, const struct wino_steps *s, int i)
{
	ptrdiff_t offset = i == 3 ? s->three : i == 5 ? s->five : i == 6 ? s->three * 2 : i == 7 ? s->seven : s->one * i;
	return (const float *)(const void *)((const char *)base + offset);
}

VRS_INLINE float *wino_to(float *base, const struct wino_steps *s, int i)
{
	ptrdiff_t offset = i == 3 ? s->three : i == 5 ? s->five : i == 6 ? s->three * 2 : i == 7 ? s->seven : s->one * i;
	return (float *)(void *)((char *)base + offset);
}

VRS_INLINE struct wino_steps wino_steps_of(ptrdiff_t floats)
{
	ptrdiff_t one = floats * (ptrdiff_t)sizeof(float);
	struct wino_steps s = {one, 3 * one, 5 * one, 7 * one};
	return s;
}

VRS_INLINE void wino_steps_hide(struct wino_steps *s)
{
	WINO_OPAQUE(s->one);
	WINO_OPAQUE(s->three);
	WINO_OPAQUE(s->five);
}

/* Row of a tile as vectors of channels, whole or masked. */
VRS_INLINE vf wino_load(const float *p, vm mask, bool masked)
{
	return masked ? v_loadm(p, mask) : v_load(p);
}

/* One row of six: t = B' d. */
VRS_INLINE void wino_side6_input_row(const vf d[6], float *v, const struct wino_steps *point)
{
	vf four = v_set1(4.0f), two = v_set1(2.0f);
	vf a = v_fnma(four, d[2], d[4]), b = v_fnma(four, d[1], d[3]);
	vf e = v_sub(d[4], d[2]), f = v_sub(d[3], d[1]);
	WINO_OPAQUE(v);
	v_store(v, v_fma(four, v_sub(d[0], d[2]), e));
	v_store(wino_to(v, point, 1), v_add(a, b));
	v_store(wino_to(v, point, 2), v_sub(a, b));
	v_store(wino_to(v, point, 3), v_fma(two, f, e));
	v_store(wino_to(v, point, 4), v_fnma(two, f, e));
	v_store(wino_to(v, point, 5), v_fnma(four, f, v_sub(d[5], d[3])));
}

/* One vector of channels of a tile: rows r[6] at its first column, px apart; six times six points to v. */
VRS_INLINE void wino_side6_input(const float *const r[6], struct wino_steps px, float *v, struct wino_steps point, vm mask, bool masked)
{
	vf four = v_set1(4.0f), two = v_set1(2.0f), p[6], q[6];
	wino_steps_hide(&px);
	wino_steps_hide(&point);
#define D(i) wino_load(wino_at(r[i], &px, j), mask, masked)
	VRS_UNROLL
	for (int j = 0; j < 6; j++) {
		vf d2 = D(2);
		p[j] = v_fma(four, v_sub(D(0), d2), v_sub(D(4), d2));
	}
	wino_side6_input_row(p, v, &point);
	v = wino_to(wino_to(v, &point, 5), &point, 1);
	wino_steps_hide(&px);
	VRS_UNROLL
	for (int j = 0; j < 6; j++) {
		vf a = v_fnma(four, D(2), D(4)), b = v_fnma(four, D(1), D(3));
		p[j] = v_add(a, b);
		q[j] = v_sub(a, b);
	}
	wino_side6_input_row(p, v, &point);
	v = wino_to(wino_to(v, &point, 5), &point, 1);
	wino_side6_input_row(q, v, &point);
	v = wino_to(wino_to(v, &point, 5), &point, 1);
	wino_steps_hide(&px);
	VRS_UNROLL
	for (int j = 0; j < 6; j++) {
		vf e = v_sub(D(4), D(2)), f = v_sub(D(3), D(1));
		p[j] = v_fma(two, f, e);
		q[j] = v_fnma(two, f, e);
	}
	wino_side6_input_row(p, v, &point);
	v = wino_to(wino_to(v, &point, 5), &point, 1);
	wino_side6_input_row(q, v, &point);
	v = wino_to(wino_to(v, &point, 5), &point, 1);
	wino_steps_hide(&px);
	VRS_UNROLL
	for (int j = 0; j < 6; j++) {
		vf d3 = D(3);
		p[j] = v_fnma(four, v_sub(d3, D(1)), v_sub(D(5), d3));
	}
	wino_side6_input_row(p, v, &point);
}

VRS_INLINE void wino_side4_input_row(const vf d[4], float *v, const struct wino_steps *point)
{
	v_store(v, v_sub(d[0], d[2]));
	v_store(wino_to(v, point, 1), v_add(d[1], d[2]));
	v_store(wino_to(v, point, 2), v_sub(d[2], d[1]));
	v_store(wino_to(v, point, 3), v_sub(d[1], d[3]));
}

VRS_INLINE void wino_side4_input(const float *const r[4], struct wino_steps px, float *v, struct wino_steps point, vm mask, bool masked)
{
	vf p[4], q[4];
	wino_steps_hide(&px);
	wino_steps_hide(&point);
	VRS_UNROLL
	for (int j = 0; j < 4; j++)
		p[j] = v_sub(D(0), D(2));
	wino_side4_input_row(p, v, &point);
	v = wino_to(v, &point, 4);
	VRS_UNROLL
	for (int j = 0; j < 4; j++) {
		vf d1 = D(1), d2 = D(2);
		p[j] = v_add(d1, d2);
		q[j] = v_sub(d2, d1);
	}
	wino_side4_input_row(p, v, &point);
	v = wino_to(v, &point, 4);
	wino_side4_input_row(q, v, &point);
	v = wino_to(v, &point, 4);
	VRS_UNROLL
	for (int j = 0; j < 4; j++)
		p[j] = v_sub(D(1), D(3));
	wino_side4_input_row(p, v, &point);
}
#undef D

/* y = A' m of six. */
VRS_INLINE void wino43_output_row(const vf m[6], vf y[4])
{
	vf s1 = v_add(m[1], m[2]), d1 = v_sub(m[1], m[2]), s2 = v_add(m[3], m[4]), d2 = v_sub(m[3], m[4]);
	y[0] = v_add(v_add(m[0], s1), s2);
	y[1] = v_fma(v_set1(2.0f), d2, d1);
	y[2] = v_fma(v_set1(4.0f), s2, s1);
	y[3] = v_add(v_fma(v_set1(8.0f), d2, d1), m[5]);
}

/* Output rows `half` and `half` + 2 of a tile, half = 0 or 1, from the products [36] of one vector of channels; row: six points further. */
VRS_INLINE void wino43_output(const float *m, ptrdiff_t point, const struct wino_steps *row, int half, vf y0[4], vf y1[4])
{
	vf p[6], q[6];
	VRS_UNROLL
	for (int j = 0; j < 6; j++, m += point) {
		WINO_OPAQUE(m);
		vf m1 = v_load(wino_at(m, row, 1)), m2 = v_load(wino_at(m, row, 2)), m3 = v_load(wino_at(m, row, 3)), m4 = v_load(wino_at(m, row, 4));
		if (half == 0) {
			vf s1 = v_add(m1, m2), s2 = v_add(m3, m4);
			p[j] = v_add(v_add(v_load(m), s1), s2);
			q[j] = v_fma(v_set1(4.0f), s2, s1);
		} else {
			vf d1 = v_sub(m1, m2), d2 = v_sub(m3, m4);
			p[j] = v_fma(v_set1(2.0f), d2, d1);
			q[j] = v_add(v_fma(v_set1(8.0f), d2, d1), v_load(wino_at(m, row, 5)));
		}
	}
	wino43_output_row(p, y0);
	wino43_output_row(q, y1);
}

/* The sums of F(2, 5) are the first two of F(4, 3), the second with the point at infinity. */
VRS_INLINE void wino25_output(const float *m, ptrdiff_t point, const struct wino_steps *row, vf y0[4], vf y1[4])
{
	vf p[6], q[6];
	VRS_UNROLL
	for (int j = 0; j < 6; j++, m += point) {
		WINO_OPAQUE(m);
		vf m1 = v_load(wino_at(m, row, 1)), m2 = v_load(wino_at(m, row, 2)), m3 = v_load(wino_at(m, row, 3)), m4 = v_load(wino_at(m, row, 4));
		p[j] = v_add(v_add(v_load(m), v_add(m1, m2)), v_add(m3, m4));
		q[j] = v_add(v_fma(v_set1(2.0f), v_sub(m3, m4), v_sub(m1, m2)), v_load(wino_at(m, row, 5)));
	}
	y0[0] = v_add(v_add(p[0], v_add(p[1], p[2])), v_add(p[3], p[4]));
	y0[1] = v_add(v_fma(v_set1(2.0f), v_sub(p[3], p[4]), v_sub(p[1], p[2])), p[5]);
	y1[0] = v_add(v_add(q[0], v_add(q[1], q[2])), v_add(q[3], q[4]));
	y1[1] = v_add(v_fma(v_set1(2.0f), v_sub(q[3], q[4]), v_sub(q[1], q[2])), q[5]);
}

VRS_INLINE void wino23_output(const float *m, ptrdiff_t point, const struct wino_steps *row, vf y0[4], vf y1[4])
{
	vf p[4], q[4];
	VRS_UNROLL
	for (int j = 0; j < 4; j++, m += point) {
		WINO_OPAQUE(m);
		vf m1 = v_load(wino_at(m, row, 1)), m2 = v_load(wino_at(m, row, 2));
		p[j] = v_add(v_load(m), v_add(m1, m2));
		q[j] = v_sub(v_sub(m1, m2), v_load(wino_at(m, row, 3)));
	}
	y0[0] = v_add(p[0], v_add(p[1], p[2]));
	y0[1] = v_sub(v_sub(p[1], p[2]), p[3]);
	y1[0] = v_add(q[0], v_add(q[1], q[2]));
	y1[1] = v_sub(v_sub(q[1], q[2]), q[3]);
}

#endif
