/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolution: r x r taps, stride 1, any dilation, tiles of m x m outputs from s x s inputs, s = m + r - 1.  F(m, r) is one of F(4, 3),
 * F(2, 3), F(4, 5) and F(2, 5).
 *
 *   out = A' [ sum over channels of (G g G') * (B' d B) ] A      (Lavin and Gray, arXiv 1509.09308)
 *
 * with the points 0, 1, -1 and infinity, for s = 6 also 2 and -2, and for s = 8 also 1/2 and -1/2: B' depends on s alone.  A call takes a batch of
 * tiles through input transform, s^2 small products and output transform with the epilogue, so that nothing of it leaves the caches of the core.
 * Many channels go through in blocks, whose products are added up in memory.  The value of an output depends on its tile alone, not on the batch, nor
 * on the blocks.  Error against exact arithmetic: below 1e-4 (s = 6, 8) or 1e-5 (s = 4) of the sum of |x||w|.
 */
#ifndef VRS_KERNELS_WINOGRAD_H
#define VRS_KERNELS_WINOGRAD_H

#include <stddef.h>

#include "kernels/kernels.h"

#define VRS_WINO_MAX_M 4
#define VRS_WINO_MAX_SIDE 8
#define VRS_WINO_MAX_TAPS 5
#define VRS_WINO_SIDE(m, taps) ((m) + (taps)-1)

/* Consecutive tiles of one row of tiles. */
struct vrs_wino_run {
	const float *const *rows;    /* [source][side] input rows at the first column of the first tile */
	const ptrdiff_t *in_px;      /* [source] floats between two taps */
	float *out[VRS_WINO_MAX_M];  /* output rows at the first column of the first tile; NULL: that row is not wanted */
	const float *residual[VRS_WINO_MAX_M]; /* the same for the residual */
	int tiles;
	int columns;                 /* output columns of the last tile, 1 to m; the others have m */
};

struct vrs_wino_batch {
	int m, taps;                 /* outputs along a tile; 3 or 5 */
	const struct vrs_wino_run *runs;
	int run_count, tiles;        /* tiles: of all runs together */
	int sources;                 /* inputs whose channels follow each other */
	const int *channels;         /* [source] */
	int k, n;                    /* channels of all sources, of the output */
	int block;                   /* channels transformed and multiplied at a time: a multiple of the lanes, or all with k or more */
	const float *weights;        /* packed by vrs_pack_wino */
	const float *bias;           /* packed: n rounded up to the lanes */
	ptrdiff_t out_px;            /* floats between two outputs of a tile row */
	struct vrs_epilogue epilogue; /* any activation; residual: not NULL when the runs have rows of it, residual_px as out_px */
	float *scratch;              /* vrs_wino_scratch floats, 64-byte aligned */
};

/* Floats between the transformed inputs of two tiles, and between two points of the transform. */
ptrdiff_t vrs_wino_tile_step(const struct vrs_wino_batch *batch, int lanes);
ptrdiff_t vrs_wino_point_step(int tiles, ptrdiff_t tile_step);
/* Scratch of a batch: transformed inputs of a block, then products of one panel, or of all when the channels come in blocks. */
size_t vrs_wino_scratch(const struct vrs_wino_batch *batch, int lanes);

/* Packed weights: for each panel of output channels (as vrs_pack_conv) and each point, [k][panel]. */
size_t vrs_pack_wino_size(int m, int taps, int n, int k, int lanes);
/* weights[n][taps][taps][k] */
void vrs_pack_wino(float *dst, const float *weights, int m, int taps, int n, int k, int lanes);

#endif
