/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantisation and packing of weights for the u8 kernels.
 *
 * Dense: panels as in weight_pack.h, layout [K / 4][vectors * lanes][4]; missing channels and missing k are zero.
 * Depthwise: blocks of 16 channels, [kw][groups of rows][4 quads of channels][lanes / 4 copies][4 channels][4 rows].  A group has 4 rows of the
 * window, the last one 1 to 4; one that is alone is stored as a 16-bit number in the first two of its four bytes.  The last block of 16 channels
 * or more ends with the last channel, so it may begin within the block before.
 */
#ifndef VRS_KERNELS_WEIGHT_PACK_U8_H
#define VRS_KERNELS_WEIGHT_PACK_U8_H

#include <stddef.h>
#include <stdint.h>

#define VRS_U8_DW_BLOCK 16

/* First channel of the depthwise block that would begin with channel `block`. */
static inline int vrs_u8_dw_first(int block, int channels)
{
	int last = channels > VRS_U8_DW_BLOCK ? channels - VRS_U8_DW_BLOCK : 0;
	return block < last ? block : last;
}

/* Bytes that packed depthwise weights need; those of convolutions need vrs_pack_size, where k is a multiple of 4. */
size_t vrs_pack_dwconv_u8_size(int channels, int kh, int kw, int lanes);
/* weights[n * row + k]. */
void vrs_pack_conv_u8(int8_t *dst, const int8_t *weights, int n, int k, size_t row, int lanes);
/* weights[(ky * kw + kx) * channels + c]. */
void vrs_pack_dwconv_u8(int8_t *dst, const int8_t *weights, int channels, int kh, int kw, int lanes);

/*
 * The scale of `count` weights w[i * step]: the largest magnitude becomes 127, and the sum of two neighbours 2i, 2i + 1 of equal sign at most 128.
 * share < 1 clips: the range is that part of it.
 */
float vrs_weight_scale(const float *w, size_t count, size_t step, float share);
/* q = w / scale rounded to nearest even within -127..127, pairs of equal sign above 128 brought down; returns the sum of all q. */
int32_t vrs_quantize_weights(int8_t *q, const float *w, size_t count, size_t step, float scale);

/*
 * Per-channel factors of an input folded into dense weights at run time: quantise w[k][n] * factor[k % factors] and pack.
 * w is [k][stride] with n <= stride channels, k a multiple of 4 (rows beyond the real ones zero).  Scales and sums by channel; scratch: 2 *
 * stride floats.
 */
void vrs_scale_conv_u8(int8_t *dst, float *scales, int32_t *sums, const float *w, int stride, const float *factor, int factors, int k, int n,
		       int lanes, float *scratch);

#endif
