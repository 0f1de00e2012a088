/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of Winograd convolution: the tiles of a batch times the weights of one panel at one point, with one, two or three vectors in a panel. */
#ifndef VRS_KERNELS_WINOGRAD_PRODUCTS_H
#define VRS_KERNELS_WINOGRAD_PRODUCTS_H

#include "kernels/conv_epilogue.h"

/* c[i][panel] = init[panel] + sum over k of a[i * step + k] * w[k][panel]; without init the sum starts at c. */
VRS_INLINE void wino_tile(const float *a, ptrdiff_t step, int k, const float *w, const float *init, float *c, int mr, int nv)
{
	vf acc[MR_MAX][3];
	const float *start = init ? init : c;
	ptrdiff_t next = init ? 0 : nv * VL;
	VRS_UNROLL
	for (int i = 0; i < mr; i++, start += next) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = v_load(start + j * VL);
	}
	VRS_UNROLL4
	for (int l = 0; l < k; l++) {
		vf b[3];
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			b[j] = v_load(w + j * VL);
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			vf x = v_set1(a[i * step + l]);
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = v_fma(x, b[j], acc[i][j]);
		}
		w += nv * VL;
	}
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			v_store(c + (i * nv + j) * VL, acc[i][j]);
	}
}

/* All tiles at one point.  Each fetches its share of the weights of the next point, `ahead` floats further; 0: they are in the cache. */
VRS_INLINE void wino_point(const float *a, ptrdiff_t step, int tiles, int k, const float *w, ptrdiff_t ahead, const float *init, float *c, int mr,
			   int nv)
{
	const float *next = w + ahead;
	int left = tiles, lines = ahead == 0 ? 0 : (k * nv * VL / 16 + tiles - 1) / tiles;
#define WINO_TILES(count) \
	do { \
		for (int i = 0; i < lines * (count); i++, next += 16) \
			__builtin_prefetch(next); \
		wino_tile(a, step, k, w, init, c, count, nv); \
		a += (count) * step; \
		c += (ptrdiff_t)(count) * nv * VL; \
		left -= (count); \
	} while (0)
	/* Six and one or two are four and three or four: short tiles wait for the latency of their few sums. */
	while (left >= mr && !(mr == 6 && (left == 7 || left == 8)))
		WINO_TILES(mr);
	if (mr > 8 && left >= 8)
		WINO_TILES(8);
	if (mr == 6 && left == 5)
		WINO_TILES(5);
	while (mr > 4 && left >= 4)
		WINO_TILES(4);
	if (mr > 3 && left == 3)
		WINO_TILES(3);
	if (left >= 2)
		WINO_TILES(2);
	if (left > 0)
		WINO_TILES(1);
#undef WINO_TILES
}

#define WINO_POINT(name, mr, nv) \
	static __attribute__((noinline)) void name(const float *a, ptrdiff_t step, int tiles, int k, const float *w, ptrdiff_t ahead, const float *init, \
						   float *c) \
	{ \
		wino_point(a, step, tiles, k, w, ahead, init, c, mr, nv); \
	}
WINO_POINT(wino_point1, MR1, 1)
WINO_POINT(wino_point2, MR2, 2)
WINO_POINT(wino_point3, MR3, 3)

#endif
