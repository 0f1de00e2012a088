/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Weight packing for the convolution kernels.
 *
 * Dense: output channels in panels of 1, 2 or 3 vectors; panel layout [K][vectors * lanes], missing channels are zero.
 * An odd number of vectors gives one panel of 3 first (or of 1 when there is but one), the rest are panels of 2.
 * Dense for bfloat16 products: panel layout [segments][pairs of k][vectors * lanes][2], an odd segment ends with zeros.
 * Depthwise: blocks of lanes channels, [1 + taps][lanes]; the first row is the bias.  Fewer channels that divide the lanes are repeated.
 */
#ifndef VRS_KERNELS_WEIGHT_PACK_H
#define VRS_KERNELS_WEIGHT_PACK_H

#include <stddef.h>

/* Vectors in the next panel when `left` vectors are left. */
#define VRS_PANEL_VECTORS(left) ((left) % 2 == 0 ? 2 : (left) >= 3 ? 3 : 1)
#define VRS_MAX_PANEL_VECTORS 3

/*
 * Floats that packed weights of n channels need with k values each: 1 for a bias, 1 + taps for a depthwise layer.  Sizes are trusted (the importer's
 * limits hold).
 */
size_t vrs_pack_size(int n, int k, int lanes);

/* weights[n * row + k], k < K; bias may be NULL (zeros). */
void vrs_pack_conv(float *dst, const float *weights, int n, int k, size_t row, int lanes);
void vrs_pack_bias(float *dst, const float *bias, int n, int lanes);
/* Pairs of a segment of klen. */
#define VRS_BF16_PAIRS(klen) (((klen) + 1) / 2)
/* weights[n * segs * klen + s * klen + k]; floats in the order in which bfloat16 has them: vrs_pack_size(n, segs * 2 * VRS_BF16_PAIRS(klen)). */
void vrs_pack_conv_bf16(float *dst, const float *weights, int n, int segs, int klen, int lanes);
/* weights[n][3][3][k] of a convolution by strips: vrs_pack_strips_size floats, for each point as vrs_pack_conv_bf16 has one segment of 3 * k. */
size_t vrs_pack_strips_size(int n, int k, int lanes);
void vrs_pack_strips(float *dst, const float *weights, int n, int k, int lanes);
/* weights[tap * channels + c]. */
void vrs_pack_dwconv(float *dst, const float *weights, const float *bias, int channels, int taps, int lanes);

#endif
