/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short lines of floats, one after the other, as the channels of pixels are, loaded so that a lane is a line: nothing is then joined across lanes,
 * and each line's values are taken in their order.
 */
#ifndef VRS_KERNELS_TURNED_LANES_H
#define VRS_KERNELS_TURNED_LANES_H

#include "kernels/simd_lanes.h"

/* Four floats at p, p + step and so on, one after the other. */
VRS_INLINE vf turned_quads(const float *p, ptrdiff_t step)
{
	__m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + step), 1);
#ifdef __AVX512F__
	__m512 three = _mm512_insertf32x4(_mm512_castps256_ps512(low), _mm_loadu_ps(p + 2 * step), 2);
	return _mm512_insertf32x4(three, _mm_loadu_ps(p + 3 * step), 3);
#else
	return low;
#endif
}

/* Each four by four of the lanes: a row of a, b, c and d becomes a column. */
VRS_INLINE void turn_quads(vf a, vf b, vf c, vf d, vf x[4])
{
#define TURN_PAIRS(op, v, w) VRS_MM(castpd_ps)(VRS_MM(op)(VRS_MM(castps_pd)(v), VRS_MM(castps_pd)(w)))
	vf ab0 = VRS_MM(unpacklo_ps)(a, b), ab1 = VRS_MM(unpackhi_ps)(a, b), cd0 = VRS_MM(unpacklo_ps)(c, d), cd1 = VRS_MM(unpackhi_ps)(c, d);
	x[0] = TURN_PAIRS(unpacklo_pd, ab0, cd0);
	x[1] = TURN_PAIRS(unpackhi_pd, ab0, cd0);
	x[2] = TURN_PAIRS(unpacklo_pd, ab1, cd1);
	x[3] = TURN_PAIRS(unpackhi_pd, ab1, cd1);
#undef TURN_PAIRS
}

/* Values 0 to 3 at `in` of each of VL lines that are `step` floats apart: x[k], a lane a line. */
VRS_INLINE void load_turned(const float *in, ptrdiff_t step, vf x[4])
{
	turn_quads(turned_quads(in, 4 * step), turned_quads(in + step, 4 * step), turned_quads(in + 2 * step, 4 * step),
		   turned_quads(in + 3 * step, 4 * step), x);
}

/*
 * The last n % 4 values of such lines, one after the other, are x[*ret_first] and the following; of lines of fewer than four the loads go beyond
 * them, see turned_lines.
 */
VRS_INLINE void load_turned_rest(const float *in, int n, vf x[4], int *ret_first)
{
	*ret_first = n < 4 ? 0 : 4 - n % 4;
	load_turned(n < 4 ? in : in + n - 4, n, x);
}

/* How many of the lines of n may be loaded like that: behind the last ones of fewer than four values something else may lie. */
VRS_INLINE size_t turned_lines(size_t lines, int n)
{
	size_t beyond = n < 4 ? (size_t)(3 / n) : 0;
	return lines > beyond ? lines - beyond : 0;
}

#endif
