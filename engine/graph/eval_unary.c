/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one input, conversions between types, choice by a condition. */
#include <string.h>

#include "graph/eval_ops.h"
#include "graph/eval_rows.h"
#include "graph/half.h"

/* abs, neg and sign of integers; the smallest value has no opposite and stays. */
static int64_t integer_apply(enum vrs_act act, int64_t x, bool is_unsigned)
{
	switch (act) {
	case VRS_ACT_ABS: return x < 0 && !is_unsigned ? (int64_t)(0 - (uint64_t)x) : x;
	case VRS_ACT_NEG: return (int64_t)(0 - (uint64_t)x);
	case VRS_ACT_SIGN: return is_unsigned ? x != 0 : (x > 0) - (x < 0);
	case VRS_ACT_NOT: return x == 0;
	default: return x;
	}
}

void vrs_eval_unary(const struct vrs_eval *e)
{
	enum vrs_dtype dtype = vrs_eval_in(e, 0)->dtype;
	const struct vrs_node *node = e->node;
	size_t n = vrs_tensor_elements(vrs_eval_out(e));

	if (dtype == VRS_F32)
		for (size_t i = 0; i < n; i++)
			((float *)e->out)[i] = (float)vrs_act_apply(node->act, node->act_lo, node->act_hi, (double)((const float *)e->in[0])[i]);
	else if (vrs_dtype_is_float(dtype))
		for (size_t i = 0; i < n; i++)
			vrs_store_f64(dtype, e->out, i, vrs_act_apply(node->act, node->act_lo, node->act_hi, vrs_load_f64(dtype, e->in[0], i)));
	else
		for (size_t i = 0; i < n; i++)
			vrs_store_i64(dtype, e->out, i, integer_apply(node->act, vrs_load_i64(dtype, e->in[0], i), dtype == VRS_U64));
}

/* Floats to integers lose their fraction and are saturated; integers to narrower ones keep their low bits; to BOOL: not zero. */
void vrs_eval_cast(const struct vrs_eval *e)
{
	enum vrs_dtype from = vrs_eval_in(e, 0)->dtype, to = vrs_eval_out(e)->dtype;
	size_t n = vrs_tensor_elements(vrs_eval_out(e));

	if (from == to)
		memcpy(e->out, e->in[0], n * vrs_dtype_size(to));
	else if (from == VRS_F16 && to == VRS_F32)
		vrs_half_to_floats(e->out, e->in[0], n);
	else if (from == VRS_F32 && to == VRS_F16)
		for (size_t i = 0; i < n; i++)
			((uint16_t *)e->out)[i] = vrs_half_from_float(((const float *)e->in[0])[i]);
	else if (from == VRS_U8 && to == VRS_F32)
		for (size_t i = 0; i < n; i++)
			((float *)e->out)[i] = ((const uint8_t *)e->in[0])[i];
	else if (from == VRS_I64 && to == VRS_F32)
		for (size_t i = 0; i < n; i++)
			((float *)e->out)[i] = (float)((const int64_t *)e->in[0])[i]; /* once rounded, unlike by way of double */
	else if (vrs_dtype_is_float(from) || vrs_dtype_is_float(to))
		for (size_t i = 0; i < n; i++)
			vrs_store_f64(to, e->out, i, vrs_load_f64(from, e->in[0], i));
	else
		for (size_t i = 0; i < n; i++)
			vrs_store_i64(to, e->out, i, vrs_load_i64(from, e->in[0], i));
}

#define CHOOSE(type) \
	for (int64_t i = 0; i < rows->n; i++) \
		((type *)to)[i] = condition[i * rows->step[0]] ? ((const type *)a)[i * rows->step[1]] : ((const type *)b)[i * rows->step[2]]

static void choose_row(void *to, const uint8_t *condition, const void *a, const void *b, const struct vrs_rows *rows, size_t size)
{
	switch (size) {
	case 1: CHOOSE(uint8_t); return;
	case 2: CHOOSE(uint16_t); return;
	case 4: CHOOSE(uint32_t); return;
	default: CHOOSE(uint64_t); return;
	}
}

void vrs_eval_where(const struct vrs_eval *e)
{
	size_t size = vrs_dtype_size(vrs_eval_out(e)->dtype);
	struct vrs_rows rows;
	char *to = e->out;

	vrs_rows_init(&rows, vrs_eval_out(e));
	for (int k = 0; k < 3; k++)
		vrs_rows_add(&rows, vrs_eval_in(e, k));
	if (!vrs_rows_start(&rows))
		return;
	do {
		choose_row(to, (const uint8_t *)e->in[0] + rows.offset[0], (const char *)e->in[1] + rows.offset[1] * (int64_t)size,
			   (const char *)e->in[2] + rows.offset[2] * (int64_t)size, &rows, size);
		to += (size_t)rows.n * size;
	} while (vrs_rows_next(&rows));
}
