/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of the CPU backend, which any number of runs share: a graph lowered to operations on rows, grouped into regions, scheduled as one flat
 * list of items a thread.
 *
 * A value is a tensor seen as rows [image][y] of width x channels floats.  An operation makes rows [y0, y1) of its output value from rows of
 * its inputs.  A region is a run of operations that one thread carries out depth first over its band of rows: values used only inside live
 * in small row rings of the thread's scratch memory, the others in the arena.  Where the bands of two threads meet, the rows that both need
 * are computed by both (bit-identical) and stored by the upper one only.  A region's work is cut into units; each thread has its own, and takes
 * those of others that are late.  A region starts when the one before it is complete.
 *
 * Planning: cpu_plan.c (order of work, weights, memory), cpu_plan_conv.c (algorithms of convolutions), cpu_plan_rewrite.c (graph rewrites that
 * pay on this backend), cpu_plan_lower.c (nodes to operations), cpu_plan_reach.c (what operations read), cpu_plan_sweep.c (depth-first order of
 * rows), cpu_plan_region.c (grouping, units), cpu_plan_share.c (cuts finer than rows), cpu_plan_image.c (order of a batch), cpu_plan_load.c
 * (where values live).  Execution: backend_cpu_unit.c (items, places of rows), backend_cpu_conv.c, backend_cpu_bf16.c, backend_cpu_wino.c,
 * backend_cpu_rows.c and backend_cpu_flat.c (operations), backend_cpu.c (vtable, threads).
 */
#ifndef VRS_BACKEND_CPU_PLAN_H
#define VRS_BACKEND_CPU_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/session.h>

#include "graph/ir.h"
#include "kernels/kernels.h"
#include "kernels/kernels_u8.h"

struct vrs_cpu_plan;
struct vrs_cpu_op;
struct vrs_cpu_thread;
struct vrs_cpu_u8;
struct vrs_calibration;
struct vrs_backend_run;

/* Rows [y0, y1) of a value are there. */
typedef void (*vrs_cpu_observe_fn)(void *cookie, struct vrs_cpu_thread *thread, int value, int image, int y0, int y1);

/* State of one thread during a run. */
struct vrs_cpu_thread {
	const struct vrs_cpu_plan *plan;
	int region;                 /* of the current operation */
	const struct vrs_cpu_share *share; /* of the current item */
	char *arena;                /* of the run: [plan->arena_bytes] */
	float *scratch;             /* rings and temporary rows of the current region */
	size_t scratch_bytes;
	int *own_end;               /* [value] first row that belongs to the band after the current one */
	const float **seg;          /* row pointers for kernels */
	uint64_t *op_ns;            /* [op] profile; NULL: off */
	vrs_cpu_observe_fn observe; /* called with finished rows; NULL: off */
	void *observe_cookie;
};

struct vrs_cpu_value {
	int32_t tensor;             /* graph tensor; -1: made by the plan */
	enum vrs_dtype dtype;       /* others than VRS_F32 are flat, or VRS_U8 with a scale (cpu_u8.h) */
	float scale, zero;          /* u8: an element is scale * (q - zero) */
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

typedef void (*vrs_cpu_rows_fn)(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);

enum vrs_cpu_kind {
	VRS_CPU_CONV, VRS_CPU_WINOGRAD, VRS_CPU_DWCONV, VRS_CPU_DECONV, VRS_CPU_POOL, VRS_CPU_GLOBAL_AVG, VRS_CPU_RESIZE, VRS_CPU_BINARY, VRS_CPU_UNARY,
	VRS_CPU_SOFTMAX, VRS_CPU_CONCAT, VRS_CPU_LOAD, VRS_CPU_QUANTIZE, VRS_CPU_DEQUANTIZE, VRS_CPU_SLICE, VRS_CPU_FLAT
};

/* Table of a resize axis: out[i] from in[index0[i]] and in[index1[i]] with weight weight[i] of the second. */
struct vrs_cpu_axis {
	int32_t *index0, *index1;
	float *weight;
};

struct vrs_cpu_op {
	enum vrs_cpu_kind kind;
	vrs_cpu_rows_fn run;
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
	int tile, tiles, block;     /* Winograd: outputs along a tile, tiles of a batch, channels at a time */
	size_t border_scratch;      /* Winograd: floats from temp_scratch to the copied columns */
	size_t weights_scratch;     /* floats in scratch: scaled or widened weights */
	bool dot;                   /* dense: products in bfloat16, backend_cpu_bf16.c */
	bool half_weights;          /* weights_offset counts in the blob of halves */
	bool prepared;              /* weights are prepared per band in weights_scratch */
	int scaled_rows;            /* pointwise: rows of the input that are multiplied by op->scale at a time; 0: the weights are */
	size_t temp_scratch;        /* floats in scratch: blended row, sums, product rows of a transposed convolution */
	size_t temp_count, tag_scratch;
	struct vrs_cpu_u8 *u8;      /* the operation reads u8 values, or converts; NULL: not */
	int temp_rows, temp_px;     /* rows of products, and floats between their pixels */
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

/* Build everything for a concrete graph; free with vrs_cpu_plan_fini (also after a failure). */
enum vrs_status vrs_cpu_plan_init(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err);
/* The same with a choice for every convolution; NULL: timed ones if the options ask for it, else the model's. */
enum vrs_status vrs_cpu_plan_build(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				   const struct vrs_session_options *options, const struct vrs_cpu_tuned *all, struct vrs_error *err);
void vrs_cpu_plan_fini(struct vrs_cpu_plan *plan);
/* Memory for the tensors of one run of the plan; vrs_cpu_arena_destroy. NULL: no memory. */
char *vrs_cpu_arena_create(const struct vrs_cpu_plan *plan);
char *vrs_cpu_arena_reserve(const struct vrs_cpu_plan *plan); /* the same, in memory where and when it is first written to */
void vrs_cpu_arena_destroy(const struct vrs_cpu_plan *plan, char *arena); /* NULL is fine */
/* What one thread needs to run units; also after a failure to be freed. VRS_ENOMEM. */
enum vrs_status vrs_cpu_thread_init(struct vrs_cpu_thread *thread, const struct vrs_cpu_plan *plan, char *arena, bool profile);
void vrs_cpu_thread_fini(struct vrs_cpu_thread *thread);

/* Steps of vrs_cpu_plan_init. */
enum vrs_status vrs_cpu_plan_rewrite(struct vrs_graph *graph, struct vrs_error *err);
enum vrs_status vrs_cpu_plan_lower(struct vrs_cpu_plan *plan, struct vrs_error *err);
enum vrs_status vrs_cpu_plan_regions(struct vrs_cpu_plan *plan, struct vrs_error *err);
/* Rows [*begin, *end) of an input value that output rows [y0, y1) need. */
void vrs_cpu_op_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int value, int y0, int y1, int *begin, int *end);
bool vrs_cpu_op_reads(const struct vrs_cpu_op *op, int value);
/* Zero pixels that a convolution needs left and right of the rows of its input. */
void vrs_cpu_op_pads(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int *left, int *right);
/* A 1x1 convolution without stride and padding. */
bool vrs_cpu_op_is_pointwise(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Let a dense convolution read unpadded rows. */
void vrs_cpu_op_use_edges(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Let a pointwise convolution scale its input instead of its weights where those are more. */
void vrs_cpu_op_scale_input(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* A value that is stored in 16 bits when it goes from region to region. */
bool vrs_cpu_value_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value);
bool vrs_cpu_weights_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Which values live in the arena, until when, and which as halves; then the loads that regions need. */
void vrs_cpu_plan_place_values(struct vrs_cpu_plan *plan);
enum vrs_status vrs_cpu_plan_insert_loads(struct vrs_cpu_plan *plan);
enum vrs_status vrs_cpu_plan_push(struct vrs_cpu_plan *plan, struct vrs_cpu_item item);
/* cpu_plan_image.c. After weights are packed, before memory is planned. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_images(struct vrs_cpu_plan *plan);
/* A dense layer on a map of one pixel that all threads work on together. */
bool vrs_cpu_op_shares_channels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Is a region cut into shares instead of bands? */
bool vrs_cpu_plan_shares(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int shares);
int vrs_cpu_plan_add_value(struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value); /* id, or negative status */

/* Transposed convolution where output elements have several sources, or none. */
bool vrs_cpu_deconv_overlaps(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);

/* Execution. */
void vrs_cpu_run_unit(struct vrs_cpu_thread *thread, const struct vrs_cpu_unit *unit);
/* Columns [*begin, *end) of row y that an item of rows [y0, y1) makes. */
void vrs_cpu_share_columns(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, int *begin, int *end);
/* Have finished values of a run on the CPU shown to fn, by one thread (the run must have been created with one). */
void vrs_cpu_observe(struct vrs_backend_run *run, vrs_cpu_observe_fn fn, void *cookie);
const struct vrs_cpu_plan *vrs_cpu_backend_plan(const struct vrs_backend_run *run);
const char *vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
void vrs_cpu_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_wino(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_conv_bf16(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_deconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_global_avg(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_unary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_softmax(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_load(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_cut(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
/* Is there a row kernel for a function of one element?  Those up to VRS_ACT_SILU are in the kernels of Winograd tiles too. */
bool vrs_cpu_act_has_kernel(enum vrs_act act);
/* Functions of one and of two elements that no kernel has. */
void vrs_cpu_rows_function(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_arithmetic(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
/* Rows [*begin, *end) of its input that rows [y0, y1) of a slice are taken from. */
void vrs_cpu_cut_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int y0, int y1, int *begin, int *end);
void vrs_cpu_flat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
/* Any node at all, as the reference computes it. */
void vrs_cpu_flat_eval(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
/* Where a whole value lies. */
void *vrs_cpu_flat_data(const struct vrs_cpu_thread *thread, int value);
/* The epilogue of a kernel for row y. */
struct vrs_epilogue vrs_cpu_epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y);
size_t vrs_cpu_value_size(const struct vrs_cpu_value *value); /* bytes of an element in the arena */
size_t vrs_cpu_row_floats(const struct vrs_cpu_value *value); /* elements, whatever their type */
/* Row in the arena, where it may be half precision. */
char *vrs_cpu_arena_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int image, int y);
/* Rows of values, for the row functions. */
const float *vrs_cpu_row(const struct vrs_cpu_thread *thread, int value, int image, int y);
float *vrs_cpu_out_row(const struct vrs_cpu_thread *thread, int value, int image, int y);
/* True if rows [y0, y1) lie one after the other without gaps. */
bool vrs_cpu_rows_dense(const struct vrs_cpu_thread *thread, int value, int y0, int y1);
/* First row after y0, y1 at most, that does not follow the ones from y0 on in memory, with *ret_gap floats between a row and the next. */
int vrs_cpu_rows_run(const struct vrs_cpu_thread *thread, int value, int y0, int y1, ptrdiff_t *ret_gap);

#endif
