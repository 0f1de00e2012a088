/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels on u8 rows, the int8 side of kernels.h.  An element q of a row stands for the real number scale * (q - zero point); weights are s8,
 * sums int32.
 *
 * Rows: the channels of a pixel are padded to a multiple of 4 (VRS_U8_CHANNELS); the padding may hold anything, its weights are zero.  No kernel
 * reads or writes beyond the padded channels of the last pixel.
 *
 * Results are the same, bit for bit, on every instruction set: sums of integers are exact, and each step of the epilogue is one operation of
 * IEEE single precision (fused where it says fma), rounded to nearest even.  AVX2 multiplies u8 pairs with s8 pairs into saturated 16 bits, so
 * weights keep |w[2i] + w[2i + 1]| <= 128 for neighbours of equal sign (vrs_quantize_weights does): 255 * 128 < 2^15.
 */
#ifndef VRS_KERNELS_KERNELS_U8_H
#define VRS_KERNELS_KERNELS_U8_H

#include "kernels/kernels.h"

#define VRS_U8_CHANNELS(channels) (((channels) + 3) / 4 * 4)

/*
 * v = fma(sum, mult[n], bias[n]); with residual_before v = v + t, where t = fma(residual, residual_scale, residual_zero); then act:
 *   NONE    v
 *   CLAMP   min(hi, max(lo, v))
 *   HSWISH  fma(v * min(6, max(0, v + 3)), out_scale, out_zero)
 * else v = v + t now.  A u8 result is v rounded and saturated to 0..255 (|v| < 2^31), a float result is v.
 */
struct vrs_epilogue_u8 {
	enum vrs_kernel_act act;
	float lo, hi;
	float out_scale, out_zero;
	const uint8_t *residual;     /* NULL: none */
	ptrdiff_t residual_px;       /* bytes between its pixels */
	float residual_scale, residual_zero;
	bool residual_before;
};

/* As vrs_conv_row; klen counts bytes and is a multiple of 4, as are the offsets between pixels. */
struct vrs_conv_row_u8 {
	const uint8_t *const *seg;
	int segs, klen;
	ptrdiff_t in_px;
	int pixels, n;
	const int8_t *weights;       /* packed by vrs_pack_conv_u8 */
	const float *mult, *bias;    /* n rounded up to the lanes */
	uint8_t *out;                /* all channels of the padded pixel are written: n is a multiple of 4 */
	float *out_float;            /* not NULL: instead of out */
	ptrdiff_t out_px;
	struct vrs_epilogue_u8 epilogue;
};

/* As vrs_dwconv_row; channels is a multiple of 4. */
struct vrs_dwconv_row_u8 {
	const uint8_t *const *rows;
	int kh, kw;
	ptrdiff_t step, tap;
	int pixels, channels;
	const int8_t *weights;       /* packed by vrs_pack_dwconv_u8 */
	const float *mult, *bias;    /* channels rounded up to 16 */
	uint8_t *out;
	ptrdiff_t out_px;
	struct vrs_epilogue_u8 epilogue;
};

/* One row between float and u8: q = fma(x, scale, zero) rounded and saturated, or x = fma(q, scale, zero). */
struct vrs_convert_row_u8 {
	float *f;                    /* channels floats a pixel, without gaps */
	uint8_t *q;                  /* VRS_U8_CHANNELS(channels) bytes a pixel, without gaps */
	int pixels, channels;
	float scale, zero;
};

/*
 * Binary rows; operand x is fma(x, x_scale, x_zero).  v = a op b, CLAMP or HSWISH (v * min(6, max(0, v +
 * 3))), fma(v, out_scale, out_zero), rounded and saturated.  copy: v = a.
 */
struct vrs_eltwise_row_u8 {
	enum vrs_kernel_binary op;   /* ADD, SUB, MUL, MIN, MAX */
	bool copy;
	const uint8_t *a, *b;
	float a_scale, a_zero, b_scale, b_zero;
	ptrdiff_t a_px, b_px, out_px;
	int pixels, channels;        /* channels is a multiple of 4 */
	enum vrs_kernel_act act;
	float lo, hi, out_scale, out_zero;
	uint8_t *out;
};

/*
 * Bilinear with weights of 7 bits: blend = row0 * (128 - wy) + row1 * wy, sum = blend[x0] * (128 - wx) + blend[x1] * wx,
 * v = fma(sum, scale, zero), then the epilogue, where residual_scale and residual_zero are multiplied by residual_factor[c] if that is given.
 */
struct vrs_resize_row_u8 {
	const uint8_t *row0, *row1;
	int wy;                      /* 0..128 */
	const int32_t *x0, *x1;
	const uint8_t *wx;
	int in_pixels, pixels, channels; /* channels is a multiple of 4 */
	ptrdiff_t in_px;             /* equals channels */
	uint16_t *blend;             /* scratch of in_pixels * channels */
	float scale, zero;
	const float *residual_factor;
	uint8_t *out;
	ptrdiff_t out_px;
	struct vrs_epilogue_u8 epilogue;
};

/* Maximum over the valid part of windows; see vrs_pool_row. */
struct vrs_pool_row_u8 {
	const uint8_t *const *rows;
	int row_count, kw, stride, dilation, pad_left, in_pixels, pixels, channels;
	ptrdiff_t in_px;
	uint8_t *out;
	ptrdiff_t out_px;
};

struct vrs_kernels_u8 {
	const char *isa;             /* "ref", "avx2", "avx512vnni" */
	int lanes;                   /* int32 a vector, for packing: 8 or 16 */
	void (*conv)(const struct vrs_conv_row_u8 *row);
	void (*dwconv)(const struct vrs_dwconv_row_u8 *row);
	void (*quantize)(const struct vrs_convert_row_u8 *row);
	void (*dequantize)(const struct vrs_convert_row_u8 *row);
	void (*eltwise)(const struct vrs_eltwise_row_u8 *row);
	void (*resize)(const struct vrs_resize_row_u8 *row);
	/* sum[c] over pixels; at most 2^23 pixels. */
	void (*row_sum)(const uint8_t *in, ptrdiff_t in_px, int pixels, int channels, int32_t *sum);
	/* Plain C on every level (the compiler's vectors of 16 bytes do). */
	void (*max_pool)(const struct vrs_pool_row_u8 *row);
};

/* The table for a feature set. AVX-512 without VNNI runs the AVX2 kernels. */
void vrs_kernels_u8_init(struct vrs_kernels_u8 *kernels, unsigned features);

#define VRS_KERNEL_U8_DECLARATIONS(isa) \
	void vrs_conv_u8_rows__##isa(const struct vrs_conv_row_u8 *row); \
	void vrs_dwconv_u8_rows__##isa(const struct vrs_dwconv_row_u8 *row); \
	void vrs_quantize_u8_rows__##isa(const struct vrs_convert_row_u8 *row); \
	void vrs_dequantize_u8_rows__##isa(const struct vrs_convert_row_u8 *row); \
	void vrs_eltwise_u8_rows__##isa(const struct vrs_eltwise_row_u8 *row); \
	void vrs_resize_u8_rows__##isa(const struct vrs_resize_row_u8 *row); \
	void vrs_row_sum_u8__##isa(const uint8_t *in, ptrdiff_t in_px, int pixels, int channels, int32_t *sum);
VRS_KERNEL_U8_DECLARATIONS(ref)
VRS_KERNEL_U8_DECLARATIONS(avx2)
VRS_KERNEL_U8_DECLARATIONS(avx512vnni)
void vrs_max_pool_u8_rows__ref(const struct vrs_pool_row_u8 *row);

#endif
