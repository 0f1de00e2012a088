/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of two inputs, of every type: floats in double (F32 add to divide in float, which rounds the same), integers in 64 bits. */
#include <math.h>

#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

double vrs_binary_apply(enum vrs_binary op, double a, double b)
{
	switch (op) {
	case VRS_ADD: return a + b;
	case VRS_SUB: return a - b;
	case VRS_MUL: return a * b;
	case VRS_DIV: return a / b;
	case VRS_MIN: return a < b || isnan(a) ? a : b; /* a NaN on either side is the result */
	case VRS_MAX: return a > b || isnan(a) ? a : b;
	case VRS_POW: return pow(a, b);
	case VRS_MOD: return a - floor(a / b) * b;
	case VRS_FMOD: return fmod(a, b);
	case VRS_PRELU: return a < 0 ? a * b : a;
	case VRS_EQUAL: return a == b;
	case VRS_LESS: return a < b;
	case VRS_LESS_EQUAL: return a <= b;
	case VRS_GREATER: return a > b;
	case VRS_GREATER_EQUAL: return a >= b;
	case VRS_AND: return a != 0 && b != 0;
	case VRS_OR: return a != 0 || b != 0;
	case VRS_XOR: return (a != 0) != (b != 0);
	case VRS_BINARY_COUNT: break;
	}
	return a;
}

static uint64_t integer_power(uint64_t base, uint64_t exponent)
{
	uint64_t result = 1;

	for (; exponent > 0; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return result;
}

/* Towards zero; by zero gives 0, and the one quotient that does not fit wraps. */
static int64_t divide(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remainder_of(int64_t a, int64_t b, bool sign_of_divisor)
{
	int64_t r = b == 0 || b == -1 ? 0 : a % b;

	return sign_of_divisor && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* Overflow wraps, as in the narrower types that the result is stored in. */
static int64_t integer_apply(enum vrs_binary op, int64_t a, int64_t b)
{
	switch (op) {
	case VRS_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
	case VRS_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
	case VRS_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
	case VRS_DIV: return divide(a, b);
	case VRS_MIN: return a < b ? a : b;
	case VRS_MAX: return a > b ? a : b;
	case VRS_POW: return b >= 0 ? (int64_t)integer_power((uint64_t)a, (uint64_t)b) : a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
	case VRS_MOD: return remainder_of(a, b, true);
	case VRS_FMOD: return remainder_of(a, b, false);
	case VRS_PRELU: return a < 0 ? (int64_t)((uint64_t)a * (uint64_t)b) : a;
	case VRS_AND:
	case VRS_OR:
	case VRS_XOR: return vrs_binary_apply(op, a != 0, b != 0) != 0;
	default: return vrs_binary_apply(op, (a > b) - (a < b), 0) != 0; /* the order of numbers beyond 2^53, too */
	}
}

/* What differs for uint64. */
static uint64_t unsigned_apply(enum vrs_binary op, uint64_t a, uint64_t b)
{
	switch (op) {
	case VRS_DIV: return b == 0 ? 0 : a / b;
	case VRS_MIN: return a < b ? a : b;
	case VRS_MAX: return a > b ? a : b;
	case VRS_POW: return integer_power(a, b);
	case VRS_MOD:
	case VRS_FMOD: return b == 0 ? 0 : a % b;
	case VRS_PRELU: return a;
	case VRS_LESS: return a < b;
	case VRS_LESS_EQUAL: return a <= b;
	case VRS_GREATER: return a > b;
	case VRS_GREATER_EQUAL: return a >= b;
	default: return (uint64_t)integer_apply(op, (int64_t)a, (int64_t)b);
	}
}

#define LOOP(type, expression) \
	for (int64_t i = 0; i < n; i++) { \
		float x = a[i * a_step], y = b[i * b_step]; \
		((type *)out)[i] = (type)(expression); \
	} \
	return true

/* One row of floats; false: there is no loop for this function. */
static bool float_row(enum vrs_binary op, void *out, const float *a, int64_t a_step, const float *b, int64_t b_step, int64_t n)
{
	switch (op) {
	case VRS_ADD: LOOP(float, x + y);
	case VRS_SUB: LOOP(float, x - y);
	case VRS_MUL: LOOP(float, x * y);
	case VRS_DIV: LOOP(float, x / y);
	case VRS_MIN: LOOP(float, x < y || isnan(x) ? x : y);
	case VRS_MAX: LOOP(float, x > y || isnan(x) ? x : y);
	case VRS_PRELU: LOOP(float, x < 0 ? x * y : x);
	case VRS_EQUAL: LOOP(uint8_t, x == y);
	case VRS_LESS: LOOP(uint8_t, x < y);
	case VRS_LESS_EQUAL: LOOP(uint8_t, x <= y);
	case VRS_GREATER: LOOP(uint8_t, x > y);
	case VRS_GREATER_EQUAL: LOOP(uint8_t, x >= y);
	default: return false;
	}
}

static void any_row(const struct vrs_eval *e, size_t first, const struct vrs_rows *rows)
{
	enum vrs_binary op = e->node->u.binary.op;
	enum vrs_dtype a = vrs_eval_in(e, 0)->dtype, b = vrs_eval_in(e, 1)->dtype, to = vrs_eval_out(e)->dtype;
	bool floats = vrs_dtype_is_float(a) || vrs_dtype_is_float(b), extra = e->node->act != VRS_ACT_NONE || e->residual != NULL;

	for (int64_t i = 0; i < rows->n; i++) {
		size_t ia = (size_t)(rows->offset[0] + i * rows->step[0]), ib = (size_t)(rows->offset[1] + i * rows->step[1]);

		if (floats) {
			double y = vrs_binary_apply(op, vrs_load_f64(a, e->in[0], ia), vrs_load_f64(b, e->in[1], ib));

			if (extra)
				vrs_eval_store(e, first + (size_t)i, y);
			else
				vrs_store_f64(to, e->out, first + (size_t)i, y);
		} else {
			int64_t x = vrs_load_i64(a, e->in[0], ia), y = vrs_load_i64(b, e->in[1], ib);
			bool wide = a == VRS_U64 && b == VRS_U64;

			vrs_store_i64(to, e->out, first + (size_t)i,
				      wide ? (int64_t)unsigned_apply(op, (uint64_t)x, (uint64_t)y) : integer_apply(op, x, y));
		}
	}
}

void vrs_eval_binary(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *a = vrs_eval_in(e, 0), *b = vrs_eval_in(e, 1), *y = vrs_eval_out(e);
	bool plain = a->dtype == VRS_F32 && b->dtype == VRS_F32 && e->node->act == VRS_ACT_NONE && e->residual == NULL;
	size_t first = 0, size = vrs_dtype_size(y->dtype);
	struct vrs_rows rows;

	vrs_rows_init(&rows, y);
	vrs_rows_add(&rows, a);
	vrs_rows_add(&rows, b);
	if (!vrs_rows_start(&rows))
		return;
	do {
		if (!plain || !float_row(e->node->u.binary.op, (char *)e->out + first * size, (const float *)e->in[0] + rows.offset[0], rows.step[0],
					 (const float *)e->in[1] + rows.offset[1], rows.step[1], rows.n))
			any_row(e, first, &rows);
		first += (size_t)rows.n;
	} while (vrs_rows_next(&rows));
}
