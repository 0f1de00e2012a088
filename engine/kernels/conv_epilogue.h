/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Register tiles of dense convolutions, MR pixels x NV vectors of output channels, and what is done with their sums before they are stored: the
 * part that float and bfloat16 products share.
 */
#ifndef VRS_KERNELS_CONV_EPILOGUE_H
#define VRS_KERNELS_CONV_EPILOGUE_H

#include "kernels/kernels.h"
#include "kernels/simd_lanes.h"

#ifdef __AVX512F__
#define MR1 14
#define MR2 12
#define MR3 8
#else
#define MR1 12
#define MR2 6
#define MR3 4
#endif
#define MR_MAX 14

/* Add the residual pixels to a tile whose channels begin with `first`; the last vector has the lanes `last` if masked. */
VRS_INLINE void conv_residual(const struct vrs_epilogue *e, int first, vm last, vf acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv, bool masked)
{
	const float *residual = e->residual + pixel * e->residual_px + first;
	VRS_UNROLL
	for (int i = 0; i < mr; i++, residual += e->residual_px) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = v_add(acc[i][j], masked && j == nv - 1 ? v_loadm(residual + j * VL, last) : v_load(residual + j * VL));
	}
}

/* One decision a tile, not one a vector. */
VRS_INLINE void conv_epilogue(const struct vrs_epilogue *e, int first, vm last, vf acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv, bool masked)
{
	if (e->residual && e->residual_before)
		conv_residual(e, first, last, acc, pixel, mr, nv, masked);
	if (e->act == VRS_KACT_CLAMP) {
		vf lo = v_set1(e->lo), hi = v_set1(e->hi);
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = v_clamp(acc[i][j], lo, hi);
		}
	} else if (e->act == VRS_KACT_HSWISH) {
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = v_hswish(acc[i][j]);
		}
	}
	if (e->residual && !e->residual_before)
		conv_residual(e, first, last, acc, pixel, mr, nv, masked);
}

#endif
