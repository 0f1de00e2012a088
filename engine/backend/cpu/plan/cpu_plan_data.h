/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a plan of the CPU backend, which any number of runs share: a graph lowered to operations on rows, grouped into regions, scheduled as
 * one flat list of items a thread.
 *
 * A value is a tensor seen as rows [image][y] of width x channels floats.  An operation makes rows [y0, y1) of its output value from rows of
 * its inputs.  A region is a run of operations that one thread carries out depth first over its band of rows: values used only inside live
 * in small row rings of the thread's scratch memory, the others in the arena.  Where the bands of two threads meet, the rows that both need
 * are computed by both (bit-identical) and stored by the upper one only.  A region's work is cut into units; each thread has its own, and takes
 * those of others that are late.  A region starts when the one before it is complete.
 *
 * A u8 value has dtype VRS_U8, channels a multiple of 4, scale and zero point; rings, loads and the arena treat it like any other.  Sums for global
 * averages and outputs stay float.
 */
#ifndef VRS_BACKEND_CPU_PLAN_DATA_H
#define VRS_BACKEND_CPU_PLAN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "graph/ir.h"
#include "kernels/kernels.h"
#include "kernels/kernels_u8.h"

struct vrs_cpu_value {
	int32_t tensor;             /* graph tensor; -1: made by the plan */
	enum vrs_dtype dtype;       /* others than VRS_F32 are flat, or VRS_U8 with a scale (vrs_cpu_value_is_u8) */
	float scale, zero;          /* u8: an element is scale * (q - zero); others: 0 */
	int images, height, width, channels; /* ranks below 4 get leading ones, rank 5 folds its first two */
	bool one_image;             /* the arena holds one at a time (cpu_plan_image.c) */
	const void *constant;       /* data of a constant */
	int op;                     /* producer; -1: graph input or constant */
	int region;                 /* of the producer; -1: none */
	int last_region;            /* that reads it */
	bool is_input, is_output, flat; /* flat: touched by a whole-tensor operation, stays float */

	bool in_arena;
	bool half;                  /* the arena copy is half precision */
	size_t arena_offset;        /* bytes */
	int mem_item;

	/*
	 * ring_rows > 0: rows live in the thread's ring (all rows, or with in_arena and not copied only those below the band).
	 * copied: owned rows are copied from the ring to the arena (padding or half).
	 */
	int ring_rows;
	bool copied;
	int pad_left, pad_right;    /* zero pixels beside ring rows */
	size_t ring_offset;         /* floats in scratch */
	size_t ring_stride;         /* floats from row to row */

	int sum_mem_item;           /* per-row channel sums for a global average, [images][height][channels]; -1: none */
	size_t sum_offset;
};

enum vrs_cpu_kind {
	VRS_CPU_CONV, VRS_CPU_WINOGRAD, VRS_CPU_DWCONV, VRS_CPU_DECONV, VRS_CPU_POOL, VRS_CPU_GLOBAL_AVG, VRS_CPU_RESIZE, VRS_CPU_BINARY, VRS_CPU_UNARY,
	VRS_CPU_SOFTMAX, VRS_CPU_CONCAT, VRS_CPU_LOAD, VRS_CPU_QUANTIZE, VRS_CPU_DEQUANTIZE, VRS_CPU_SLICE, VRS_CPU_FLAT
};

/* What makes the rows of an operation; exec/cpu_routines.c has the function of each.  The first are the usual ones of the kinds, in their order. */
enum vrs_cpu_routine {
	VRS_CPU_RUN_CONV, VRS_CPU_RUN_WINOGRAD, VRS_CPU_RUN_DWCONV, VRS_CPU_RUN_DECONV, VRS_CPU_RUN_POOL, VRS_CPU_RUN_GLOBAL_AVG, VRS_CPU_RUN_RESIZE,
	VRS_CPU_RUN_BINARY, VRS_CPU_RUN_UNARY, VRS_CPU_RUN_SOFTMAX, VRS_CPU_RUN_CONCAT, VRS_CPU_RUN_LOAD, VRS_CPU_RUN_QUANTIZE, VRS_CPU_RUN_DEQUANTIZE,
	VRS_CPU_RUN_SLICE, VRS_CPU_RUN_FLAT, /* any node at all, by the code of the reference */
	VRS_CPU_RUN_CONV_BF16, VRS_CPU_RUN_STRIPS_BF16,
	VRS_CPU_RUN_FUNCTION, VRS_CPU_RUN_ARITHMETIC, /* of elements, for what no kernel has */
	VRS_CPU_RUN_RESIZE_TAPS, VRS_CPU_RUN_DECONV_PHASES, VRS_CPU_RUN_DWCONV_SPREAD,
	VRS_CPU_RUN_FLAT_COPY, VRS_CPU_RUN_FLAT_MOVE, VRS_CPU_RUN_FLAT_PAD, VRS_CPU_RUN_FLAT_TRANSPOSE, VRS_CPU_RUN_FLAT_MATMUL, /* whole tensors */
	VRS_CPU_RUN_FLAT_REDUCE, VRS_CPU_RUN_FLAT_ARG_REDUCE, VRS_CPU_RUN_FLAT_BINARY, VRS_CPU_RUN_FLAT_WHERE, VRS_CPU_RUN_FLAT_NOT,
	VRS_CPU_RUN_FLAT_CAST, VRS_CPU_RUN_FLAT_LAYER_NORM, VRS_CPU_RUN_FLAT_INSTANCE_NORM, VRS_CPU_RUN_FLAT_QUANT, VRS_CPU_RUN_FLAT_POOL,
	VRS_CPU_RUN_U8_CONV, VRS_CPU_RUN_U8_DWCONV, VRS_CPU_RUN_U8_RESIZE, VRS_CPU_RUN_U8_BINARY, VRS_CPU_RUN_U8_CONCAT, VRS_CPU_RUN_U8_POOL,
	VRS_CPU_ROUTINES
};

/*
 * Table of a resize axis: out[i] from in[index0[i]] and in[index1[i]] with weight weight[i] of the second.  With places: from `taps` of them with
 * weight[i * taps] on, which lie from index0[i] to index1[i].
 */
struct vrs_cpu_axis {
	int32_t *index0, *index1, *places; /* places: NULL with pairs */
	float *weight;
	int taps;
};

struct vrs_cpu_op {
	enum vrs_cpu_kind kind;
	enum vrs_cpu_routine routine;
	int32_t node;               /* graph node; -1: made by the plan */
	int region;
	int inputs, in[VRS_NODE_MAX_INPUTS]; /* values; in[0] is the one that windows look at */
	int out;
	int residual, scale;        /* values; -1: none */
	struct vrs_window window;
	enum vrs_kernel_binary binary;
	struct vrs_cpu_axis rows, columns; /* resize */

	/* Epilogue inside the kernel, and what is left to do on the finished rows. */
	enum vrs_kernel_act fused_act, finish_act;
	float lo, hi;
	bool fused_residual, residual_before;

	/* Convolutions: packed weights in the plan's blob, in floats (or halves); per group when groups > 1. */
	size_t weights_offset, weights_count, bias_offset, bias_count;
	int groups, group_in, group_out; /* dense: 1, Cin, Cout */
	bool edges;                 /* dense: the input has no padding; output pixels [inner_begin, inner_end) do not need it */
	int inner_begin, inner_end;
	int tile, tiles, block;     /* Winograd: outputs along a tile, tiles of a batch, channels (by strips: pixels) at a time */
	size_t border_scratch;      /* Winograd: floats from temp_scratch to the copied columns (by strips: to the products) */
	size_t weights_scratch;     /* floats in scratch: scaled or widened weights */
	bool dot;                   /* dense: products in bfloat16 */
	bool half_weights;          /* weights_offset counts in the blob of halves */
	bool prepared;              /* weights are prepared per band in weights_scratch */
	int scaled_rows;            /* pointwise: rows of the input that are multiplied by op->scale at a time; 0: the weights are */
	size_t temp_scratch;        /* floats in scratch: blended row, sums, product rows of a transposed convolution */
	size_t temp_count, tag_scratch;
	struct vrs_cpu_u8 *u8;      /* the operation reads u8 values, or converts; NULL: not */
	int temp_rows, temp_px;     /* rows of products, and floats between their pixels */
	int parts;                  /* flat: that threads may cut it into; items say which instead of rows */
};

/* What an operation on u8 values has beside its vrs_cpu_op. */
struct vrs_cpu_u8 {
	int8_t *weights;            /* packed; NULL when they are scaled at run time */
	float *mult, *bias;         /* of the epilogue, by channel */
	float *real_weights;        /* [k][stride], for run-time scaling; NULL: not scaled */
	float *real_bias;           /* bias of the layer, by channel */
	int k, n, stride;           /* product length with padding, channels, channels rounded up to the lanes */
	size_t weight_bytes;        /* of weights, real_weights, mult and bias */
	uint8_t *pad_row;           /* a row outside the picture */
	uint8_t *wx;                /* resize: weights of 7 bits */
	float in_scale, in_zero;    /* of input 0 */
	float unit, offset;         /* results are v / unit + offset in the domain of the epilogue (1 and 0: real numbers) */
	float scale, zero;          /* conversions and resize: see the kernels */
	struct vrs_epilogue_u8 epilogue;
};

/*
 * What an item makes of its rows where cuts by rows would leave threads without work (cpu_plan_share.c): from column x0 of the first row to column
 * x1 of the last one (of the first and last row of tiles); or the output channels [c0, c1).  An end of 0: all.
 */
struct vrs_cpu_share {
	int x0, x1, c0, c1;
};

/* One call of an operation.  y1 < 0: prepare it for a band. */
struct vrs_cpu_item {
	int op;
	int image, y0, y1;
	int own_end;                /* rows from here on belong to the next band */
	struct vrs_cpu_share share;
};

/* Items that belong together: one or more bands of a region, by one thread. */
struct vrs_cpu_unit {
	size_t first, count;
};

struct vrs_cpu_region {
	int first_op, op_count;
	size_t scratch_floats;
	int units;
};

/* How a convolution node is computed: directly (m 0) or by Winograd tiles of m x m outputs, `tiles` of them in a batch (0: as the model says). */
struct vrs_cpu_tuned {
	int m, tiles;
};

struct vrs_cpu_plan {
	struct vrs_graph graph;     /* rewritten copy */
	struct vrs_kernels kernels;
	struct vrs_kernels_u8 kernels_u8;
	bool int8;                  /* precision int8 or mixed: node_precision (NULL: all float, for calibration) */
	const uint8_t *node_precision;
	int threads;
	bool fusion;
	bool half;                  /* 16-bit storage: fp16 or bf16, as widen and narrow have it */
	bool dot;                   /* bf16 on a CPU that multiplies in it */
	bool half_values;           /* some value may be stored in 16 bits */
	size_t half_min_bytes;      /* smallest value, as floats, that is stored in 16 bits */
	void (*widen)(const uint16_t *in, float *out, size_t count);
	void (*narrow)(const float *in, uint16_t *out, size_t count);
	size_t cache_bytes;         /* per-core cache that rings may fill */

	struct vrs_cpu_tuned *tuned; /* [node] timed choices; NULL: the model chooses */

	struct vrs_cpu_value *values;
	int value_count;
	size_t value_cap;
	struct vrs_cpu_op *ops;
	int op_count;
	size_t op_cap;
	struct vrs_cpu_region *regions;
	int region_count;
	size_t region_cap;
	struct vrs_cpu_item *items;
	size_t item_count, item_cap;
	struct vrs_cpu_unit *units;
	size_t unit_count, unit_cap;
	size_t *unit_start;         /* [region_count][threads] and one more: first unit of each thread */
	struct vrs_cpu_unit *image_units; /* the same work image after image, for one thread; NULL: region after region */
	size_t image_unit_count;

	float *weights;             /* blob; 64-byte aligned */
	uint16_t *half_weights;     /* blob when half */
	size_t weights_count, half_count, weights_bytes; /* weights_bytes: of the block as allocated */
	size_t arena_bytes, arena_lower_bound, scratch_floats, zero_floats, max_segs;
	float *zeros;               /* one row of zeros, as wide as any */
};

/* Elements of a row, whatever their type. */
static inline size_t vrs_cpu_row_floats(const struct vrs_cpu_value *value)
{
	return (size_t)value->width * (size_t)value->channels;
}

/* Bytes of an element in the arena. */
static inline size_t vrs_cpu_value_size(const struct vrs_cpu_value *value)
{
	return value->half ? sizeof(uint16_t) : vrs_dtype_size(value->dtype);
}

static inline bool vrs_cpu_value_is_u8(const struct vrs_cpu_value *value)
{
	return value->dtype == VRS_U8 && value->scale > 0;
}

/* Make an operation one of this kind, with the usual routine. */
static inline void vrs_cpu_op_set_kind(struct vrs_cpu_op *op, enum vrs_cpu_kind kind)
{
	_Static_assert((int)VRS_CPU_RUN_FLAT == (int)VRS_CPU_FLAT && (int)VRS_CPU_RUN_LOAD == (int)VRS_CPU_LOAD, "routines in the order of kinds");
	op->kind = kind;
	op->routine = (enum vrs_cpu_routine)kind;
}

/* VRS_ENOMEM and its message. */
enum vrs_status vrs_cpu_plan_no_memory(struct vrs_error *err);
/* Append to the plan: the value's id, or a negative status. */
int vrs_cpu_plan_add_value(struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value);
/* Append an operation to an array of them; its output's producer is then the last one. VRS_ENOMEM; VRS_ELIMIT when there are too many. */
enum vrs_status vrs_cpu_plan_add_op(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, struct vrs_cpu_op **ops, int *count, size_t *cap);
/* Append to the items. VRS_ENOMEM; VRS_ELIMIT when there are too many. */
enum vrs_status vrs_cpu_plan_push(struct vrs_cpu_plan *plan, struct vrs_cpu_item item);

#endif
