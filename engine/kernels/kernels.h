/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels of the network: a table of functions for each instruction set, the reference in plain C first.
 *
 * Every kernel makes ONE ROW of output pixels (NHWC, float) from row pointers, so that the same kernel serves whole tensors and the small
 * row rings of fused regions.  A kernel reads and writes only the elements that its arguments describe: no reads beyond the last channel
 * of the last pixel.  For one instruction set the value of an output element does not depend on how rows are cut into calls.
 *
 * Names: vrs_<op>_<dtype>_<shape>__<isa>, files <op>_<isa>.c.  Add a kernel: its argument struct and slot here, the reference in
 * <op>_ref.c, variants in <op>_<isa>.c (shared source in <op>_template.h), a case in tests/unit/kernels/test_<op>_rows.c.
 */
#ifndef VRS_KERNELS_KERNELS_H
#define VRS_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vrs_kernel_act {
	VRS_KACT_NONE,
	VRS_KACT_CLAMP,    /* lo, hi: ReLU, ReLU6, clip */
	VRS_KACT_HSWISH,
	/* Only in act rows and Winograd, not in other epilogues: */
	VRS_KACT_HSIGMOID,
	VRS_KACT_SIGMOID,
	VRS_KACT_TANH,
	VRS_KACT_LEAKY,    /* slope in lo */
	VRS_KACT_SILU,
	/* Only in act rows; definitions in graph/ir.h, enum vrs_act: */
	VRS_KACT_ELU,
	VRS_KACT_SELU,
	VRS_KACT_GELU,
	VRS_KACT_GELU_TANH,
	VRS_KACT_SOFTPLUS,
	VRS_KACT_MISH,
	VRS_KACT_SOFTSIGN,
	VRS_KACT_LINEAR,
	VRS_KACT_ERF,
	VRS_KACT_ABS,
	VRS_KACT_NEG,
	VRS_KACT_SQRT,
	VRS_KACT_EXP,
	VRS_KACT_LOG,
	VRS_KACT_FLOOR,
	VRS_KACT_CEIL,
	VRS_KACT_ROUND,
	VRS_KACT_SIGN,
	VRS_KACT_RECIPROCAL,
	VRS_KACT_COUNT,
};

/* y = act(x + residual if before), then + residual if not before. */
struct vrs_epilogue {
	enum vrs_kernel_act act;     /* VRS_KACT_NONE, _CLAMP or _HSWISH */
	float lo, hi;
	const float *residual;       /* NULL: none */
	ptrdiff_t residual_px;       /* floats between its pixels */
	bool residual_before;
};

/*
 * Dense convolution as a product over segments: out[p][n] = bias[n] + sum over s < segs, k < klen of seg[s][p * in_px + k] * W[s * klen + k][n].
 * A 1x1 convolution is one segment of Cin; a KHxKW one is KH segments of KW * Cin (rows are contiguous), or KH * KW when dilated.
 */
struct vrs_conv_row {
	const float *const *seg;
	int segs, klen;
	ptrdiff_t in_px;             /* floats between the inputs of two output pixels */
	int pixels, n;               /* output pixels and channels */
	const float *weights;        /* packed by vrs_pack_conv */
	const float *bias;           /* packed: n rounded up to the lanes */
	float *out;
	ptrdiff_t out_px;
	int wrap;                    /* after so many output pixels (0: never) another row begins, `gap` floats further on; a residual has no gaps */
	ptrdiff_t gap;
	struct vrs_epilogue epilogue;
};

/*
 * The same product of bfloat16 inputs and weights, summed in float; in_px in elements.  Weights go in pairs of k, the last pair of a segment of odd
 * klen ends with zeros (vrs_pack_conv_bf16).
 */
struct vrs_conv_bf16_row {
	const uint16_t *const *seg;
	int segs, klen;
	ptrdiff_t in_px;
	int pixels, n;
	const uint16_t *weights;
	const float *bias;
	float *out;
	ptrdiff_t out_px;
	struct vrs_epilogue epilogue;
};

/*
 * A 3x3 convolution by strips of four rows: Winograd's F(4, 3) from row to row, plain taps along the row.  Six rows of the input become one row for
 * each of six points, as bfloat16; convolutions of three taps (vrs_conv_bf16_row) make one row of products a point, and those become the four rows of
 * the strip.  That is half the products of the direct convolution, for transforms that go along rows.  The points are 0, +-sqrt(1/2), +-sqrt(2) and
 * infinity: with 1 and 2 instead, what bfloat16 rounds off would grow by a fifth more (2.25 against 1.86 times the error of the direct convolution).
 */
#define VRS_STRIP_ROWS 4
#define VRS_STRIP_POINTS 6

struct vrs_strip_input {
	const float *rows[VRS_STRIP_POINTS]; /* input rows */
	ptrdiff_t in_px;             /* floats between their pixels */
	int pixels, channels;
	uint16_t *out;               /* [point][pixel][channel] */
	ptrdiff_t out_px, point;     /* elements between pixels and between points */
};

/* out[i][p][c] = act(sum of the points' products + bias[c]), with the residual as in vrs_epilogue. */
struct vrs_strip_output {
	const float *products;       /* [point][pixel][channel] */
	ptrdiff_t px, point;         /* floats between pixels and between points */
	int pixels, channels;
	const float *bias;           /* packed: channels rounded up to the lanes */
	float *out[VRS_STRIP_ROWS];  /* NULL: that row is not wanted */
	const float *residual[VRS_STRIP_ROWS]; /* rows of it; which are read says the epilogue */
	ptrdiff_t out_px;
	struct vrs_epilogue epilogue; /* any activation that Winograd has; residual: not NULL when there are rows of it, as far apart as out_px */
};

/* Depthwise: out[p][c] = bias[c] + sum of rows[r][p * step + q * tap + c] * W[r][q][c].  rows include the padding columns. */
struct vrs_dwconv_row {
	const float *const *rows;    /* kh of them */
	int kh, kw;
	ptrdiff_t step, tap;         /* floats between the windows of two outputs, and between two taps */
	int pixels, channels;
	const float *weights;        /* packed by vrs_pack_dwconv, bias inside */
	float *out;
	ptrdiff_t out_px;
	struct vrs_epilogue epilogue;
};

/*
 * A row of a transposed convolution of few channels: out[x][c] = bias[c] + the sum of products[r][i * px + k * channels + c] over all rows,
 * pixels and taps with i * stride + k * dilation - pad = x.
 */
struct vrs_deconv_row {
	const float *const *products; /* `rows` of them: input rows that fall on this one, times all taps of a row */
	int rows;
	ptrdiff_t px;                /* floats between their pixels, at least 4 */
	int pixels, taps, stride, dilation, pad, channels;
	int width;                   /* output pixels */
	int margin;                  /* at least as many pixels as a tap can be beside the picture, see vrs_deconv_margin */
	const float *bias;
	float *out;
	float *scratch;              /* of vrs_deconv_scratch floats */
};

/* Floats of a plane of one tap or phase: the pixels, margins, a vector beyond. */
#define VRS_DECONV_PLANE(row) \
	((size_t)((row)->pixels > (row)->width / (row)->stride ? (row)->pixels : (row)->width / (row)->stride) + 2 * (size_t)(row)->margin + 32)
size_t vrs_deconv_scratch(const struct vrs_deconv_row *row);
static inline int vrs_deconv_margin(int taps, int stride, int dilation, int pad)
{
	return ((taps - 1) * dilation + pad) / stride + 2;
}

/* MIN, MAX: a NaN on either side is the result.  PRELU: a < 0 ? a * b : a. */
enum vrs_kernel_binary { VRS_KBIN_ADD, VRS_KBIN_SUB, VRS_KBIN_MUL, VRS_KBIN_DIV, VRS_KBIN_MIN, VRS_KBIN_MAX, VRS_KBIN_PRELU };

/* out[p][c] = a[p * a_px + c * a_ch] op b[p * b_px + c * b_ch]; a step of 0 broadcasts, a channel step is 0 or 1. */
struct vrs_eltwise_row {
	enum vrs_kernel_binary op;
	const float *a, *b;
	ptrdiff_t a_px, b_px;
	int a_ch, b_ch;
	int pixels, channels;
	float *out;
	ptrdiff_t out_px;
	struct vrs_epilogue epilogue;
};

struct vrs_act_row {
	enum vrs_kernel_act act;
	float lo, hi;
	const float *in;             /* may equal out */
	float *out;
	size_t count;                /* floats */
};

/* Bilinear: vertical blend of two rows into blend, then horizontal: out[x] = b[x0] + wx * (b[x1] - b[x0]). */
struct vrs_resize_row {
	const float *row0, *row1;    /* row1 is not read when wy is 0 */
	float wy;
	const int32_t *x0, *x1;      /* input pixel of each output pixel */
	const float *wx;
	int in_pixels, pixels, channels;
	ptrdiff_t in_px;
	float *blend;                /* scratch of in_pixels * channels */
	float *out;
	ptrdiff_t out_px;
	struct vrs_epilogue epilogue;
	const float *residual_scale; /* factor a channel on the residual; NULL: 1 */
};

/* Window reduction over the valid part of the window; rows holds only rows inside the picture. */
struct vrs_pool_row {
	bool max;                    /* else average */
	const float *const *rows;
	int row_count;
	int kw, stride, dilation, pad_left, in_pixels;
	int divisor;                 /* average: 0 counts valid taps, else fixed */
	int pixels, channels;
	ptrdiff_t in_px;
	float *out;
	ptrdiff_t out_px;
};

/* SQUARE: of the distance to `shift`, or to shift[column]; of others it is 0 or NULL.  A NaN stays. */
enum vrs_kernel_reduce { VRS_KRED_SUM, VRS_KRED_ABS, VRS_KRED_SQUARE, VRS_KRED_MAX, VRS_KRED_MIN, VRS_KRED_PRODUCT };

/*
 * out[p * out_px + c] = sum over i of a[p * a_px + i] * b[c + i * b_step], or turned b[i + c * b_step], for first <= c < end and a few rows p: b as
 * it lies, and the same order of additions as that of `conv`, from 0.
 */
#define VRS_PRODUCT_ROWS 3
struct vrs_product_rows {
	const float *a, *b;
	ptrdiff_t a_px, b_step;
	int rows, k, first, end;     /* rows: 1 to VRS_PRODUCT_ROWS */
	bool turned;                 /* then b_step is k, at least 4, and `end` at least the lanes of a vector */
	float *out;
	ptrdiff_t out_px;
};

/* Which place is wanted. */
struct vrs_arg {
	bool smallest, last;
};

struct vrs_wino_batch; /* winograd.h */

struct vrs_kernels {
	const char *isa;             /* "ref", "avx2", "avx512" */
	int lanes;                   /* floats a vector, for packing: 8 or 16 */
	void (*conv)(const struct vrs_conv_row *row);
	void (*winograd)(const struct vrs_wino_batch *batch);
	void (*dwconv)(const struct vrs_dwconv_row *row);
	void (*deconv)(const struct vrs_deconv_row *row);
	void (*eltwise)(const struct vrs_eltwise_row *row);
	void (*act)(const struct vrs_act_row *row);
	void (*resize)(const struct vrs_resize_row *row);
	void (*pool)(const struct vrs_pool_row *row);
	/* sum[c] = sum over pixels, in a fixed order. */
	void (*row_sum)(const float *in, ptrdiff_t in_px, int pixels, int channels, float *sum);
	/* Of a line of floats; of each column of some rows: total[c]. In float: long sums are added up of those of some thousand values. */
	float (*reduce_line)(enum vrs_kernel_reduce op, const float *in, size_t count, float shift);
	/* Of each of many short lines of n floats, one after the other, in the order of its values: total[line]. */
	void (*reduce_lines)(enum vrs_kernel_reduce op, const float *in, int n, size_t lines, float *total);
	void (*reduce_rows)(enum vrs_kernel_reduce op, const float *in, ptrdiff_t step, int rows, int width, const float *shift, float *total);
	/*
	 * Place of the largest (smallest) value of each line of n, or of each of `width` columns of n rows; of equal ones the first, or the last.  A
	 * NaN is never better than what came before it.
	 */
	void (*arg_lines)(const struct vrs_arg *arg, const float *in, int n, size_t lines, int64_t *place);
	void (*arg_rows)(const struct vrs_arg *arg, const float *in, ptrdiff_t step, int n, int width, int64_t *place);
	/* (in - mean) * factor * scale + bias; scale and bias may be NULL, out may be in. */
	void (*norm_line)(const float *in, size_t count, float mean, float factor, const float *scale, const float *bias, float *out);
	/* (in - mean) * factor + bias, each by channel; pixels `px` floats apart on both sides. */
	void (*norm_rows)(const float *in, ptrdiff_t px, int pixels, int channels, const float *mean, const float *factor, const float *bias, float *out);
	/* out[i] = sum of weights[k] * rows[k][i]. */
	void (*blend)(const float *const *rows, const float *weights, int count, float *out, size_t floats);
	/* out[p * out_px] = sum of a[p * a_px + i] * b[i] over i < k, in lanes: another order of additions than that of `conv`. */
	void (*dot)(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px);
	void (*product)(const struct vrs_product_rows *rows);
	/* Softmax over the channels of each pixel, or its logarithm; in may equal out.  A NaN, +infinity or nothing but -infinity: all are NaN. */
	void (*softmax)(const float *in, float *out, int pixels, int channels, bool log);
	/* dst = packed weights with row k multiplied by scale[k % scale_count]; panels of vrs_pack_conv. */
	void (*conv_scale)(float *dst, const float *packed, const float *scale, int scale_count, int k, int n, int lanes);
	void (*half_to_float)(const uint16_t *in, float *out, size_t count);
	void (*float_to_half)(const float *in, uint16_t *out, size_t count); /* to nearest even */
	void (*bf16_to_float)(const uint16_t *in, float *out, size_t count);
	void (*float_to_bf16)(const float *in, uint16_t *out, size_t count); /* to nearest even; a NaN stays one, a denormal may become 0 */
	/* NULL without bfloat16 arithmetic: */
	void (*conv_bf16)(const struct vrs_conv_bf16_row *row);
	void (*strip_input)(const struct vrs_strip_input *strip);
	void (*strip_output)(const struct vrs_strip_output *strip);
};

/* The table for a feature set (enum vrs_cpu_feature bits). The choice is logged once at debug. */
void vrs_kernels_init(struct vrs_kernels *kernels, unsigned features);

/* Kernels by file. */
#define VRS_KERNEL_DECLARATIONS(isa) \
	void vrs_conv_f32_rows__##isa(const struct vrs_conv_row *row); \
	void vrs_winograd_f32__##isa(const struct vrs_wino_batch *batch); \
	void vrs_dwconv_f32_rows__##isa(const struct vrs_dwconv_row *row); \
	void vrs_deconv_f32_rows__##isa(const struct vrs_deconv_row *row); \
	void vrs_eltwise_f32_rows__##isa(const struct vrs_eltwise_row *row); \
	void vrs_act_f32_rows__##isa(const struct vrs_act_row *row); \
	void vrs_resize_f32_rows__##isa(const struct vrs_resize_row *row); \
	void vrs_pool_f32_rows__##isa(const struct vrs_pool_row *row); \
	float vrs_reduce_f32_line__##isa(enum vrs_kernel_reduce op, const float *in, size_t count, float shift); \
	void vrs_reduce_f32_lines__##isa(enum vrs_kernel_reduce op, const float *in, int n, size_t lines, float *total); \
	void vrs_arg_f32_lines__##isa(const struct vrs_arg *arg, const float *in, int n, size_t lines, int64_t *place); \
	void vrs_arg_f32_rows__##isa(const struct vrs_arg *arg, const float *in, ptrdiff_t step, int n, int width, int64_t *place); \
	void vrs_reduce_f32_rows__##isa(enum vrs_kernel_reduce op, const float *in, ptrdiff_t step, int rows, int width, const float *shift, \
					float *total); \
	void vrs_norm_f32_line__##isa(const float *in, size_t count, float mean, float factor, const float *scale, const float *bias, float *out); \
	void vrs_norm_f32_rows__##isa(const float *in, ptrdiff_t px, int pixels, int channels, const float *mean, const float *factor, \
				      const float *bias, float *out); \
	void vrs_blend_f32_rows__##isa(const float *const *rows, const float *weights, int count, float *out, size_t floats); \
	void vrs_dot_f32_rows__##isa(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px); \
	void vrs_product_f32_rows__##isa(const struct vrs_product_rows *rows); \
	void vrs_softmax_f32_rows__##isa(const float *in, float *out, int pixels, int channels, bool log); \
	void vrs_row_sum_f32__##isa(const float *in, ptrdiff_t in_px, int pixels, int channels, float *sum); \
	void vrs_conv_scale_f32__##isa(float *dst, const float *packed, const float *scale, int scale_count, int k, int n, int lanes); \
	void vrs_half_to_float__##isa(const uint16_t *in, float *out, size_t count); \
	void vrs_float_to_half__##isa(const float *in, uint16_t *out, size_t count); \
	void vrs_bf16_to_float__##isa(const uint16_t *in, float *out, size_t count); \
	void vrs_float_to_bf16__##isa(const float *in, uint16_t *out, size_t count);
VRS_KERNEL_DECLARATIONS(ref)
VRS_KERNEL_DECLARATIONS(avx2)
VRS_KERNEL_DECLARATIONS(avx512)
void vrs_conv_bf16_rows__avx512bf16(const struct vrs_conv_bf16_row *row);
void vrs_float_to_bf16__avx512bf16(const float *in, uint16_t *out, size_t count);
void vrs_strip_input_bf16__avx512bf16(const struct vrs_strip_input *strip);
void vrs_strip_output_f32__avx512bf16(const struct vrs_strip_output *strip);

/* For the references: value of one output element after the epilogue; pixel and channel address the residual. */
float vrs_epilogue_apply(const struct vrs_epilogue *epilogue, float x, ptrdiff_t pixel, ptrdiff_t channel);

#endif
