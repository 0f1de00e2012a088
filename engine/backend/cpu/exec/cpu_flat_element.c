/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of elements on whole tensors: floats of shapes that do not fit rows, comparisons, choices, logic, conversions between types.
 */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "base/assert.h"
#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

#define SEGMENT 4096 /* elements of a unit of work */

/* A piece of a row: n elements of the output from number `at` on, and of each operand from element from[k] on, step[k] (0 or 1) apart. */
struct piece {
	const struct vrs_eval *e;
	const struct vrs_kernels *kernels;
	int64_t n, at, from[VRS_ROWS_MAX], step[VRS_ROWS_MAX];
};

static const char *piece_in(const struct piece *p, int k)
{
	return (const char *)p->e->in[k] + p->from[k] * (int64_t)vrs_dtype_size(vrs_eval_in(p->e, k)->dtype);
}

static char *piece_out(const struct piece *p)
{
	return (char *)p->e->out + p->at * (int64_t)vrs_dtype_size(vrs_eval_out(p->e)->dtype);
}

/* To row number `index` of those that vrs_rows_next goes through. */
static void seek(struct vrs_rows *rows, int64_t index)
{
	for (int i = rows->rank - 1; i >= 0; i--) {
		int64_t place = index % rows->dims[i];
		index /= rows->dims[i];
		for (int k = 0; k < rows->operands; k++)
			rows->offset[k] += (place - rows->at[i]) * rows->strides[k][i];
		rows->at[i] = place;
	}
}

/* All pieces of the parts; the unit of work is a row, or SEGMENT elements of a longer one. */
static void each_piece(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int y0, int y1, int operands, void (*make)(const struct piece *p))
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	struct piece p = {.e = &e, .kernels = &thread->plan->kernels};
	struct vrs_rows rows;
	int64_t unit, end, count = 1;
	vrs_rows_init(&rows, vrs_eval_out(&e));
	for (int k = 0; k < operands; k++)
		vrs_rows_add(&rows, vrs_eval_in(&e, k));
	if (!vrs_rows_start(&rows))
		return;
	for (int i = 0; i < rows.rank; i++)
		count *= rows.dims[i];
	int64_t segments = (rows.n + SEGMENT - 1) / SEGMENT;
	vrs_cpu_part_units(op, count * segments, y0, y1, &unit, &end);
	for (int64_t row = -1; unit < end; unit++) {
		int64_t first = unit % segments * SEGMENT;
		if (row >= 0 && unit / segments == row + 1)
			(void)vrs_rows_next(&rows);
		else if (unit / segments != row)
			seek(&rows, unit / segments);
		row = unit / segments;
		p.n = rows.n - first < SEGMENT ? rows.n - first : SEGMENT;
		p.at = row * rows.n + first;
		for (int k = 0; k < operands; k++) {
			p.step[k] = rows.step[k];
			p.from[k] = rows.offset[k] + first * rows.step[k];
		}
		make(&p);
	}
}

#define COMPARE(operator) \
	if (p->step[0] == 1 && p->step[1] == 1) \
		for (int64_t i = 0; i < p->n; i++) \
			to[i] = a[i] operator b[i]; \
	else if (p->step[0] == 1) \
		for (int64_t i = 0; i < p->n; i++) \
			to[i] = a[i] operator *b; \
	else \
		for (int64_t i = 0; i < p->n; i++) \
			to[i] = *a operator b[i * p->step[1]]; \
	return

static void compare(const struct piece *p)
{
	const float *a = (const float *)(const void *)piece_in(p, 0), *b = (const float *)(const void *)piece_in(p, 1);
	uint8_t *to = (uint8_t *)piece_out(p);
	switch (p->e->node->u.binary.op) {
	case VRS_EQUAL: COMPARE(==);
	case VRS_LESS: COMPARE(<);
	case VRS_LESS_EQUAL: COMPARE(<=);
	case VRS_GREATER: COMPARE(>);
	default: COMPARE(>=);
	}
}

static void combine(const struct piece *p)
{
	const uint8_t *a = (const uint8_t *)piece_in(p, 0), *b = (const uint8_t *)piece_in(p, 1);
	uint8_t *to = (uint8_t *)piece_out(p);
	enum vrs_binary op = p->e->node->u.binary.op;
	for (int64_t i = 0; i < p->n; i++) {
		bool x = a[i * p->step[0]], y = b[i * p->step[1]];
		to[i] = op == VRS_AND ? x & y : op == VRS_OR ? x | y : x ^ y;
	}
}

/* Floats of more than four dims. */
static void arithmetic(const struct piece *p)
{
	const struct vrs_node *node = p->e->node;
	const float *a = (const float *)(const void *)piece_in(p, 0), *b = (const float *)(const void *)piece_in(p, 1);
	float *to = (float *)(void *)piece_out(p);
	enum vrs_binary op = node->u.binary.op;
	if (op <= VRS_MAX || op == VRS_PRELU)
		p->kernels->eltwise(&(struct vrs_eltwise_row){
			.op = op == VRS_PRELU ? VRS_KBIN_PRELU : (enum vrs_kernel_binary)op, .a = a, .a_ch = (int)p->step[0], .b = b,
			.b_ch = (int)p->step[1], .pixels = 1, .channels = (int)p->n, .out = to, .out_px = p->n,
		});
	else
		for (int64_t i = 0; i < p->n; i++)
			to[i] = (float)vrs_binary_apply(op, (double)a[i * p->step[0]], (double)b[i * p->step[1]]);
	for (int64_t i = 0; i < p->n && (node->act != VRS_ACT_NONE || p->e->residual); i++)
		vrs_eval_store(p->e, (size_t)(p->at + i), (double)to[i]);
}

#define INTEGER_LOOP(to_type, expression) \
	for (int64_t i = 0; i < p->n; i++) { \
		__typeof__(*a) x = a[i * p->step[0]], y = b[i * p->step[1]]; \
		((to_type *)to)[i] = (to_type)(expression); \
	} \
	return
/* Overflow wraps; a division by zero gives 0, and the one quotient that does not fit wraps. */
#define INTEGERS(name, type) \
	static void name(const struct piece *p) \
	{ \
		const type *a = (const type *)(const void *)piece_in(p, 0), *b = (const type *)(const void *)piece_in(p, 1); \
		void *to = piece_out(p); \
		switch (p->e->node->u.binary.op) { \
		case VRS_ADD: INTEGER_LOOP(type, (uint64_t)x + (uint64_t)y); \
		case VRS_SUB: INTEGER_LOOP(type, (uint64_t)x - (uint64_t)y); \
		case VRS_MUL: INTEGER_LOOP(type, (uint64_t)x * (uint64_t)y); \
		case VRS_DIV: INTEGER_LOOP(type, y == 0 ? 0 : y == (type)-1 && (type)-1 < 1 ? (type)(0 - (uint64_t)x) : (type)(x / y)); \
		case VRS_MIN: INTEGER_LOOP(type, x < y ? x : y); \
		case VRS_MAX: INTEGER_LOOP(type, x > y ? x : y); \
		case VRS_EQUAL: INTEGER_LOOP(uint8_t, x == y); \
		case VRS_LESS: INTEGER_LOOP(uint8_t, x < y); \
		case VRS_LESS_EQUAL: INTEGER_LOOP(uint8_t, x <= y); \
		case VRS_GREATER: INTEGER_LOOP(uint8_t, x > y); \
		default: INTEGER_LOOP(uint8_t, x >= y); \
		} \
	}
INTEGERS(bytes, uint8_t)
INTEGERS(signed_bytes, int8_t)
INTEGERS(shorts, uint16_t)
INTEGERS(signed_shorts, int16_t)
INTEGERS(words, uint32_t)
INTEGERS(signed_words, int32_t)
INTEGERS(longs, uint64_t)
INTEGERS(signed_longs, int64_t)

/* By the type of both operands. */
static void (*function_of(enum vrs_dtype from, enum vrs_dtype to))(const struct piece *p)
{
	switch (from) {
	case VRS_BOOL: return combine;
	case VRS_U8: return bytes;
	case VRS_I8: return signed_bytes;
	case VRS_U16: return shorts;
	case VRS_I16: return signed_shorts;
	case VRS_U32: return words;
	case VRS_I32: return signed_words;
	case VRS_U64: return longs;
	case VRS_I64: return signed_longs;
	default: return to == VRS_BOOL ? compare : arithmetic;
	}
}

void vrs_cpu_flat_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_graph *graph = &thread->plan->graph;
	const struct vrs_node *node = &graph->nodes[op->node];
	(void)image;
	each_piece(op, thread, y0, y1, 2, function_of(graph->tensors[node->in[0]].dtype, graph->tensors[node->out].dtype));
}

#define CHOOSE(type, a_step, b_step) \
	for (int64_t i = 0; i < p->n; i++) \
		((type *)to)[i] = c[i] ? ((const type *)a)[i * (a_step)] : ((const type *)b)[i * (b_step)]
#define CHOOSE_STEPS(type) \
	if (p->step[1] == 1 && p->step[2] == 1) \
		CHOOSE(type, 1, 1); \
	else if (p->step[1] == 1) \
		CHOOSE(type, 1, 0); \
	else if (p->step[2] == 1) \
		CHOOSE(type, 0, 1); \
	else \
		CHOOSE(type, 0, 0); \
	return

static void choose(const struct piece *p)
{
	const uint8_t *c = (const uint8_t *)piece_in(p, 0);
	const void *a = piece_in(p, 1), *b = piece_in(p, 2);
	void *to = piece_out(p);
	size_t size = vrs_dtype_size(vrs_eval_out(p->e)->dtype);
	if (p->step[0] == 0 && p->step[*c ? 1 : 2] == 1) {
		memcpy(to, *c ? a : b, (size_t)p->n * size);
		return;
	}
	uint8_t same[SEGMENT];
	if (p->step[0] == 0)
		c = memset(same, *c, (size_t)p->n);
	switch (size) {
	case 1: CHOOSE_STEPS(uint8_t);
	case 2: CHOOSE_STEPS(uint16_t);
	case 4: CHOOSE_STEPS(uint32_t);
	default: CHOOSE_STEPS(uint64_t);
	}
}

void vrs_cpu_flat_where(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	(void)image;
	each_piece(op, thread, y0, y1, 3, choose);
}

/* For a comparison, and for logic, of bytes that are 0 or 1. */
static void negate(const struct piece *p)
{
	const uint8_t *from = (const uint8_t *)piece_in(p, 0);
	uint8_t *to = (uint8_t *)piece_out(p);
	for (int64_t i = 0; i < p->n; i++)
		to[i] = from[i * p->step[0]] == 0;
}

void vrs_cpu_flat_not(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	(void)image;
	each_piece(op, thread, y0, y1, 1, negate);
}

#define CONVERT(from_dtype, from_type, to_dtype, to_type, expression) \
	if (a == (from_dtype) && b == (to_dtype)) { \
		for (int64_t i = 0; i < p->n; i++) { \
			from_type v = ((const from_type *)from)[i]; \
			((to_type *)to)[i] = (expression); \
		} \
		return true; \
	}

/* The usual conversions; false: another. */
static bool convert_usual(const struct piece *p, enum vrs_dtype a, enum vrs_dtype b, const void *from, void *to)
{
	if (a == VRS_F16 && b == VRS_F32) {
		p->kernels->half_to_float(from, to, (size_t)p->n);
		return true;
	}
	if (a == VRS_F32 && b == VRS_F16) {
		p->kernels->float_to_half(from, to, (size_t)p->n);
		return true;
	}
	CONVERT(VRS_BOOL, uint8_t, VRS_F32, float, (float)v)
	CONVERT(VRS_U8, uint8_t, VRS_F32, float, (float)v)
	CONVERT(VRS_I8, int8_t, VRS_F32, float, (float)v)
	CONVERT(VRS_I32, int32_t, VRS_F32, float, (float)v)
	CONVERT(VRS_I64, int64_t, VRS_F32, float, (float)v)
	CONVERT(VRS_F32, float, VRS_BOOL, uint8_t, v != 0)
	CONVERT(VRS_BOOL, uint8_t, VRS_I64, int64_t, v)
	CONVERT(VRS_I64, int64_t, VRS_BOOL, uint8_t, v != 0)
	CONVERT(VRS_I64, int64_t, VRS_I32, uint32_t, (uint32_t)v)
	CONVERT(VRS_I32, int32_t, VRS_I64, int64_t, v)
	return false;
}

static void convert(const struct piece *p)
{
	enum vrs_dtype a = vrs_eval_in(p->e, 0)->dtype, b = vrs_eval_out(p->e)->dtype;
	const void *from = piece_in(p, 0);
	void *to = piece_out(p);
	bool floats = vrs_dtype_is_float(a) || vrs_dtype_is_float(b);
	if (a == b)
		memcpy(to, from, (size_t)p->n * vrs_dtype_size(a));
	else if (!convert_usual(p, a, b, from, to))
		for (int64_t i = 0; i < p->n; i++) {
			if (floats)
				vrs_store_f64(b, to, (size_t)i, vrs_load_f64(a, from, (size_t)i));
			else
				vrs_store_i64(b, to, (size_t)i, vrs_load_i64(a, from, (size_t)i));
		}
}

void vrs_cpu_flat_cast(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	(void)image;
	each_piece(op, thread, y0, y1, 1, convert);
}
