/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Picture kernels: what happens to planes before and after the network.  A table for each instruction set.
 *
 * Everything is integer arithmetic, or float arithmetic with a fixed order and without fused multiply-add, so that all instruction sets give the
 * same bytes.  Fixed-point formats:
 *   sample15   0..32767: a sample of any depth d, scaled by 2^(15-d)
 *   alpha15    0..32767: (a << 7) + (a >> 1) for a in 0..255, so that 255 becomes 32767
 *   weights    int16, the weights of one output sum to 2^14
 *   positions  int32 with 16 bits of fraction (s15.16), in samples of a plane: 0 is the centre of the first one
 */
#ifndef VRS_KERNELS_PICTURE_H
#define VRS_KERNELS_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define VRS_WEIGHT_BITS 14
#define VRS_WEIGHT_ONE (1 << VRS_WEIGHT_BITS)
#define VRS_SAMPLE15_TOP 32767

#define VRS_SHARPEN_BITS 9           /* of fraction of slopes and offsets */
#define VRS_SHARPEN_ZERO (1 << 14)   /* stands for 0 */

/*
 * Output channel c of a pixel: clamp(y * m[c][0] + u * m[c][1] + v * m[c][2] + bias[c], 0, 1) * scale[c] + offset[c], with y, u, v in sample15.
 */
struct vrs_color_kernel_args {
	float m[3][3];
	float bias[3];
	float scale[3];
	float offset[3];
};

#define VRS_REMAP_RUN 32 /* target samples of a curve */

/* Positions of a run of target samples: sample t of it lies at u + t du + t (t - 1) / 2 ddu, and v the same way. */
struct vrs_remap_curve {
	int32_t u, du, ddu, v, dv, ddv;
};

/* A plane that is sampled: at least one sample; what has no neighbour on a side is its own. */
struct vrs_remap_plane {
	const void *data;
	ptrdiff_t stride_bytes;
	int width, height;
};

struct vrs_picture_kernels {
	const char *isa;
	/*
	 * Vertical half of a down-scale: dst[x] = (sum over t < taps of row_t[x] * weights[t] + rounding) >> (depth - 1), at most 32767: a
	 * sample15, also of raw video whose samples are above their depth.  Row t begins stride_bytes * t bytes after src; taps >= 1; weights
	 * are not negative; width samples are read from each row and written to dst.
	 */
	void (*downscale_rows_u8)(uint16_t *dst, const uint8_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width);
	void (*downscale_rows_u16)(uint16_t *dst, const uint16_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width,
				   int depth);
	/*
	 * Horizontal half: dst[x] = (sum over t < taps of src[first[x] + t] * weights[x * taps + t] + rounding) >> 14.  taps is a multiple of 8
	 * (padded with zero weights) and src is readable up to the last first[x] + taps.
	 */
	void (*downscale_columns)(uint16_t *dst, const uint16_t *src, const int32_t *first, const int16_t *weights, int taps, int n);
	/* n pixels of three floats each. */
	void (*color_rgb_f32)(float *dst, const uint16_t *y, const uint16_t *u, const uint16_t *v, int n, const struct vrs_color_kernel_args *args);
	/*
	 * Horizontal half of an up-scale: dst[x] = (src[index[x]] * (2^14 - w) + src[index[x] + 1] * w + rounding) >> 14 with w = weight[x],
	 * 0..2^14; src is alpha15 with one readable element after the last index.
	 */
	void (*upscale_row)(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n);
	/*
	 * Vertical half of the up-scale and blending: a = above[x] + ((below[x] - above[x]) * weight + 2^14 >> 15), weight 0..32767;
	 * dst[x] = background + ((src[x] - background) * a + 2^14 >> 15), but src[x] where a is 32767, which says the same up to 14 bits.  dst may
	 * be src.
	 */
	void (*composite_row_u8)(uint8_t *dst, const uint8_t *src, const uint16_t *above, const uint16_t *below, int weight, int background, int n);
	void (*composite_row_u16)(uint16_t *dst, const uint16_t *src, const uint16_t *above, const uint16_t *below, int weight, int background,
				  int n);
	/* u and v get VRS_REMAP_RUN positions of each curve. */
	void (*remap_positions)(int32_t *u, int32_t *v, const struct vrs_remap_curve *curves, int count);
	/*
	 * Bilinear samples at n positions; those outside the plane get its border.  Weights are 7 bits: x = u >> 16 and a share of
	 * (u & 65535) + 256 >> 9 of 128 of the sample to the right, the same downwards, one rounding at the end.  Samples of any depth.
	 */
	void (*remap_sample_u8)(uint8_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n);
	void (*remap_sample_u16)(uint16_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n);
	/* The same over a row of a picture, behind[x] instead of one background value.  dst may be src or behind. */
	void (*composite_over_u8)(uint8_t *dst, const uint8_t *src, const uint8_t *behind, const uint16_t *above, const uint16_t *below, int weight,
				  int n);
	void (*composite_over_u16)(uint16_t *dst, const uint16_t *src, const uint16_t *behind, const uint16_t *above, const uint16_t *below,
				   int weight, int n);
	/*
	 * Mattes.  The guided filter (He, Sun, Tang, TPAMI 2013) over exact box sums: guide 0..255, alpha12 0..4095, windows of at most 33 x 33.
	 * guide_columns: sums of guide, alpha, guide^2 and guide * alpha over the rows of a window; a row comes in, another one goes out.
	 */
	void (*guide_columns)(uint32_t *const sums[4], const uint8_t *guide_in, const uint16_t *alpha_in, const uint8_t *guide_out,
			      const uint16_t *alpha_out, int n);
	/* sums[x] += in[x] - out[x], modulo 2^32: also for numbers below 0. */
	void (*box_columns)(uint32_t *sums, const uint32_t *in, const uint32_t *out, int n);
	/* dst[x] = sum of src[x - radius .. x + radius]; src is readable that far on both sides. */
	void (*box_row)(uint32_t *dst, const uint32_t *src, int radius, int n);
	/* Slope a and offset b of alpha over guide in 1/4096 from the sums of the windows; inverse[x]: 1 / pixels of the window. eps above 0. */
	void (*guide_coefficients)(int32_t *a, int32_t *b, const uint32_t *const box[4], const float *inverse, float eps, int n);
	/*
	 * alpha = mean slope * guide + mean offset, no more than limit * 4 * alpha * (1 - alpha) away from what it was, in 0..1; a, b: sums
	 * over the windows.
	 */
	void (*guide_apply)(float *alpha, const uint8_t *guide, const int32_t *a, const int32_t *b, const float *inverse, float limit, int n);
	/*
	 * The guided filter at the size of the picture (fast guided filter, He, Sun, 2015): dst[x] = slope * luma + offset in alpha15, no more than
	 * limit * 4 * alpha * (1 - alpha) away from alpha, in 0..32767.  alpha, slope and offset come as two rows each, the upper one and the lower
	 * one, of which weight (0..32767) is taken; slopes and offsets in 1/512 around 2^14 (VRS_SHARPEN_ZERO); limit 0..32768 (1); luma of 8 bits,
	 * or of `depth`.
	 */
	void (*sharpen_row_u8)(uint16_t *dst, const uint8_t *luma, const uint16_t *const alpha[2], const uint16_t *const slope[2],
			       const uint16_t *const offset[2], int weight, int limit, int n);
	void (*sharpen_row_u16)(uint16_t *dst, const uint16_t *luma, const uint16_t *const alpha[2], const uint16_t *const slope[2],
				const uint16_t *const offset[2], int weight, int limit, int depth, int n);
	/*
	 * The people's own colours at soft edges (matte/foreground.h), in place.  With a the alpha, f and b the colours of the people and behind them, and
	 * s the sample, all in 0..32767: m = b + ((f - b) * a + 2^14 >> 15), and s becomes f + ((s - m) * a + 2^14 >> 15) inside that range; where a is 0
	 * or 32767 the sample stays.  alpha, people and behind come as two rows each, the upper one and the lower one, of which alpha_weight or
	 * color_weight (0..32767) is taken.
	 */
	void (*own_color_u8)(uint8_t *samples, const uint16_t *const alpha[2], const uint16_t *const people[2], const uint16_t *const behind[2],
			     int alpha_weight, int color_weight, int n);
	void (*own_color_u16)(uint16_t *samples, const uint16_t *const alpha[2], const uint16_t *const people[2], const uint16_t *const behind[2],
			      int alpha_weight, int color_weight, int depth, int n);
	/* dst[x] = largest of src[x - radius .. x + radius], readable that far on both sides. */
	void (*max_row)(uint8_t *dst, const uint8_t *src, int radius, int n);
	/* dst[x] = largest of rows[t][x], count >= 1. */
	void (*max_rows)(uint8_t *dst, const uint8_t *const *rows, int count, int n);
	/* dst[x] = sum of src[x + t] * weights[t] and of rows[t][x] * weights[t] over t < taps, rounded, >> 14. Weights are not negative. */
	void (*fir_row)(uint8_t *dst, const uint8_t *src, const int16_t *weights, int taps, int n);
	void (*fir_rows)(uint8_t *dst, const uint8_t *const *rows, const int16_t *weights, int taps, int n);
	/*
	 * Smoothing over time gated by motion: g = max(0, 1 - (luma - past)^2 * inverse_square).
	 * gated_mean: state += (1 - keep * g) * (alpha - state).  gated_sum: sum += weight * g * alpha, weights += weight * g.
	 */
	void (*gated_mean)(float *state, const float *alpha, const uint8_t *luma, const uint8_t *past, float keep, float inverse_square, int n);
	void (*gated_sum)(float *sum, float *weights, const float *alpha, const uint8_t *luma, const uint8_t *other, float weight,
			  float inverse_square, int n);
};

/* Table for a set of CPU features (enum vrs_cpu_feature). */
void vrs_picture_kernels_init(struct vrs_picture_kernels *ret_kernels, unsigned features);
/* The table for this process: vrs_cpu_features(), made once. Thread-safe. */
const struct vrs_picture_kernels *vrs_picture_kernels(void);

/* The kernels that every instruction set has; X(name, isa) for each. */
#define VRS_PICTURE_KERNEL_LIST(X, isa) \
	X(downscale_rows_u8, isa) X(downscale_rows_u16, isa) X(color_rgb_f32, isa) X(upscale_row, isa) \
	X(composite_row_u8, isa) X(composite_row_u16, isa) X(composite_over_u8, isa) X(composite_over_u16, isa) \
	X(remap_positions, isa) X(remap_sample_u8, isa) X(remap_sample_u16, isa) \
	X(guide_columns, isa) X(box_columns, isa) X(box_row, isa) X(guide_coefficients, isa) X(guide_apply, isa) \
	X(sharpen_row_u8, isa) X(sharpen_row_u16, isa) X(own_color_u8, isa) X(own_color_u16, isa) \
	X(max_row, isa) X(max_rows, isa) X(fir_row, isa) X(fir_rows, isa) X(gated_mean, isa) X(gated_sum, isa)

/* The function vrs_NAME__ISA, of the type of its slot. */
#define VRS_PICTURE_KERNEL(name, isa) __typeof__(*((struct vrs_picture_kernels *)0)->name) vrs_##name##__##isa;
VRS_PICTURE_KERNEL_LIST(VRS_PICTURE_KERNEL, ref)
VRS_PICTURE_KERNEL_LIST(VRS_PICTURE_KERNEL, avx2)
VRS_PICTURE_KERNEL_LIST(VRS_PICTURE_KERNEL, avx512)
VRS_PICTURE_KERNEL(downscale_columns, ref)
VRS_PICTURE_KERNEL(downscale_columns, avx2)

#endif
