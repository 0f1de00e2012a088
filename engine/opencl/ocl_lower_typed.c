/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of elements that are no plain floats: integers, comparisons, conversions, choice, quantisation.  Numbers are calculated as the reference
 * does it (eval_binary.c, eval_unary.c, eval_quant.c), but floats of 16 and 32 bits as float.
 */
#include "graph/eval.h"
#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_move.h"
#include "opencl/ocl_typed.h"

static enum vrs_dtype type_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return plan->graph.tensors[tensor].dtype;
}

static bool is_empty(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return vrs_tensor_elements(&plan->graph.tensors[tensor]) == 0;
}

static bool has_types(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && !vrs_ocl_has_type(plan, type_of(plan, node->in[k])))
			return false;
	return vrs_ocl_has_type(plan, type_of(plan, node->out));
}

static bool has_epilogue(const struct vrs_node *node)
{
	return node->act != VRS_ACT_NONE || node->residual >= 0;
}

/* p and q as floats, or as integers of 64 bits with the helpers of binary_typed.cl. */
static const char *binary_text(enum vrs_binary op, bool floats)
{
	switch (op) {
	case VRS_ADD: return floats ? "p + q" : "(NUMBER)((ulong)p + (ulong)q)";
	case VRS_SUB: return floats ? "p - q" : "(NUMBER)((ulong)p - (ulong)q)";
	case VRS_MUL: return floats ? "p * q" : "(NUMBER)((ulong)p * (ulong)q)";
	case VRS_DIV: return floats ? "p / q" : "NAME(quotient)(p, q)";
	case VRS_MIN: return floats ? "p < q || isnan(p) ? p : q" : "min(p, q)";
	case VRS_MAX: return floats ? "p > q || isnan(p) ? p : q" : "max(p, q)";
	case VRS_POW: return floats ? "pow(p, q)" : "NAME(power)(p, q)";
	case VRS_MOD: return floats ? "p - floor(p / q) * q" : "NAME(modulo)(p, q)";
	case VRS_FMOD: return floats ? "fmod(p, q)" : "NAME(remainder)(p, q)";
	case VRS_PRELU: return floats ? "p < 0 ? p * q : p" : "p < 0 ? (NUMBER)((ulong)p * (ulong)q) : p";
	case VRS_EQUAL: return "p == q";
	case VRS_LESS: return "p < q";
	case VRS_LESS_EQUAL: return "p <= q";
	case VRS_GREATER: return "p > q";
	case VRS_GREATER_EQUAL: return "p >= q";
	case VRS_AND: return "p != 0 && q != 0";
	case VRS_OR: return "p != 0 || q != 0";
	case VRS_XOR: return "(p != 0) != (q != 0)";
	case VRS_BINARY_COUNT: break;
	}
	return "p";
}

/* The type that a function of two is calculated in: as vrs_ocl_number_type; a power of an integer to a float needs the 53 bits of a double. */
static enum vrs_dtype binary_type(enum vrs_dtype a, enum vrs_dtype b)
{
	bool float_a = vrs_dtype_is_float(a), float_b = vrs_dtype_is_float(b);

	if (float_a || float_b)
		return a == VRS_F64 || b == VRS_F64 || !float_a ? VRS_F64 : VRS_F32;
	return a == VRS_U64 && b == VRS_U64 ? VRS_U64 : VRS_I64;
}

enum vrs_status vrs_ocl_lower_binary_typed(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_dtype a = type_of(plan, node->in[0]), b = type_of(plan, node->in[1]), y = type_of(plan, node->out), type = binary_type(a, b);
	int64_t n = (int64_t)vrs_tensor_elements(&plan->graph.tensors[node->out]);
	bool floats = vrs_dtype_is_float(type);
	struct vrs_ocl_dims dims;

	if (has_epilogue(node) || !has_types(plan, node) || !vrs_ocl_has_type(plan, type))
		return VRS_EUNSUPPORTED;
	if (n == 0)
		return VRS_OK;
	vrs_ocl_dims_init(&dims, 2);
	vrs_ocl_dims_broadcast(&dims, plan, node->out, node->in);
	vrs_ocl_step_begin(plan, node, "binary_typed");
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "dims", &dims);
	vrs_ocl_arg_int(plan, n);
	vrs_ocl_define_get(plan, "a", vrs_ocl_stored_type(plan, node->in[0]));
	vrs_ocl_define_get(plan, "b", vrs_ocl_stored_type(plan, node->in[1]));
	vrs_ocl_define_put(plan, "y", vrs_ocl_stored_type(plan, node->out), floats ? VRS_OCL_PUT_TRUNCATED : VRS_OCL_PUT_WRAPPED);
	vrs_ocl_define_text(plan, "NUMBER", vrs_ocl_number_type(type));
	vrs_ocl_define_text(plan, "RESULT", y == VRS_BOOL ? "int" : vrs_ocl_number_type(type));
	vrs_ocl_define_int(plan, "INTEGERS", floats ? 0 : type == VRS_U64 ? 2 : 1);
	vrs_ocl_define_text(plan, "OP(p, q)", binary_text(node->u.binary.op, floats));
	return vrs_ocl_step_end_line(plan, n, err);
}

/* y[i] = FUNCTION(x[i]), where v is a number of the type. */
static enum vrs_status emit_map(struct vrs_ocl_plan *plan, const struct vrs_node *node, enum vrs_dtype type, struct vrs_error *err)
{
	int64_t n = (int64_t)vrs_tensor_elements(&plan->graph.tensors[node->out]);

	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_int(plan, n);
	vrs_ocl_define_get(plan, "x", vrs_ocl_stored_type(plan, node->in[0]));
	vrs_ocl_define_put(plan, "y", vrs_ocl_stored_type(plan, node->out), vrs_dtype_is_float(type) ? VRS_OCL_PUT_TRUNCATED : VRS_OCL_PUT_WRAPPED);
	vrs_ocl_define_text(plan, "NUMBER", vrs_ocl_number_type(type));
	return vrs_ocl_step_end_line(plan, n, err);
}

/* The smallest integer has no opposite and stays. */
static const char *unary_text(enum vrs_act act, bool is_unsigned)
{
	switch (act) {
	case VRS_ACT_ABS: return is_unsigned ? "v" : "(NUMBER)abs(v)";
	case VRS_ACT_NEG: return "(NUMBER)(0 - (ulong)v)";
	case VRS_ACT_SIGN: return is_unsigned ? "v != 0" : "(v > 0) - (v < 0)";
	case VRS_ACT_NOT: return "v == 0";
	default: return NULL;
	}
}

enum vrs_status vrs_ocl_lower_unary_typed(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_dtype type = type_of(plan, node->in[0]);
	const char *text = unary_text(node->act, type == VRS_U64);

	if (node->act == VRS_ACT_NONE)
		return vrs_ocl_emit_move(plan, node, err);
	if (type == VRS_F64 || (!vrs_dtype_is_float(type) && !text))
		return VRS_EUNSUPPORTED;
	if (is_empty(plan, node->out))
		return VRS_OK;
	vrs_ocl_step_begin(plan, node, "map_typed");
	if (vrs_dtype_is_float(type))
		vrs_ocl_define_act(plan, "FUNCTION(v)", node->act, node->act_lo, node->act_hi);
	else
		vrs_ocl_define_text(plan, "FUNCTION(v)", text);
	return emit_map(plan, node, type, err);
}

/*
 * The type that a conversion goes through.  64 bits become half precision, or unsigned ones float, by way of double, as in the reference, which then
 * rounds twice.
 */
static enum vrs_dtype cast_type(enum vrs_dtype from, enum vrs_dtype to)
{
	bool wide = from == VRS_I64 || from == VRS_U64;

	if (wide && (to == VRS_F16 || to == VRS_BF16 || (to == VRS_F32 && from == VRS_U64)))
		return VRS_F64;
	return from;
}

enum vrs_status vrs_ocl_lower_cast(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_dtype from = type_of(plan, node->in[0]), to = type_of(plan, node->out), type = cast_type(from, to);

	if (from == to)
		return vrs_ocl_emit_move(plan, node, err);
	if (!has_types(plan, node) || !vrs_ocl_has_type(plan, type))
		return VRS_EUNSUPPORTED;
	if (is_empty(plan, node->out))
		return VRS_OK;
	vrs_ocl_step_begin(plan, node, "map_typed");
	vrs_ocl_define_text(plan, "FUNCTION(v)", "v");
	return emit_map(plan, node, type, err);
}

/* Bits are chosen between, but where one of both or the result is stored as half precision and another is not. */
enum vrs_status vrs_ocl_lower_where(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int64_t n = (int64_t)vrs_tensor_elements(&plan->graph.tensors[node->out]);
	bool raw = vrs_ocl_moves_raw(plan, node->in[1], node->out) && vrs_ocl_moves_raw(plan, node->in[2], node->out);
	void (*arg)(struct vrs_ocl_plan *plan, const char *name, int32_t tensor) = raw ? vrs_ocl_arg_raw : vrs_ocl_arg_tensor;
	struct vrs_ocl_dims dims;

	if (n == 0)
		return VRS_OK;
	vrs_ocl_dims_init(&dims, 3);
	vrs_ocl_dims_broadcast(&dims, plan, node->out, node->in);
	vrs_ocl_step_begin(plan, node, "where");
	vrs_ocl_arg_raw(plan, "c", node->in[0]);
	arg(plan, "a", node->in[1]);
	arg(plan, "b", node->in[2]);
	arg(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "dims", &dims);
	vrs_ocl_arg_int(plan, n);
	vrs_ocl_define_text(plan, "CHOOSE(y, i, c, a, ia, b, ib)",
			    raw ? "(y)[i] = (c) ? (a)[ia] : (b)[ib]" : "y_ST(y, i, (c) ? a_LD(a, ia) : b_LD(b, ib))");
	return vrs_ocl_step_end_line(plan, n, err);
}

/* Integers that a float, or the sum of one and such an integer, can be saturated to. */
static bool is_narrow(enum vrs_dtype type)
{
	return !vrs_dtype_is_float(type) && type != VRS_I64 && type != VRS_U64 && type != VRS_BOOL;
}

static bool can_quantize(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	enum vrs_dtype x = type_of(plan, node->in[0]), y = type_of(plan, node->out), scale = type_of(plan, node->in[1]);
	bool zero = node->inputs > 2 && node->in[2] >= 0, quantizes = node->op == VRS_OP_QUANTIZE;

	if (!vrs_dtype_is_float(scale) || scale == VRS_F64 || x == VRS_F64 || (zero && !is_narrow(type_of(plan, node->in[2]))))
		return false;
	return quantizes ? is_narrow(y) && (vrs_dtype_is_float(x) || is_narrow(x)) : is_narrow(x);
}

enum vrs_status vrs_ocl_lower_quant(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]];
	int64_t n = (int64_t)vrs_tensor_elements(x), inner = 1, count = (int64_t)vrs_tensor_elements(&plan->graph.tensors[node->in[1]]);
	int axis = node->u.quant.axis < 0 ? node->u.quant.axis + x->rank : node->u.quant.axis;
	bool zero = node->inputs > 2 && node->in[2] >= 0;

	if (!can_quantize(plan, node))
		return VRS_EUNSUPPORTED;
	if (n == 0)
		return VRS_OK;
	for (int i = axis + 1; i < x->rank && count > 1; i++)
		inner *= x->dims[i];
	vrs_ocl_step_begin(plan, node, "quantize");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "scale", node->in[1]);
	vrs_ocl_arg_tensor(plan, "zero", zero ? node->in[2] : node->in[1]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_int(plan, n);
	vrs_ocl_arg_int(plan, inner);
	vrs_ocl_arg_int(plan, count);
	vrs_ocl_define_get(plan, "x", vrs_ocl_stored_type(plan, node->in[0]));
	vrs_ocl_define_get(plan, "scale", vrs_ocl_stored_type(plan, node->in[1]));
	if (zero)
		vrs_ocl_define_get(plan, "zero", type_of(plan, node->in[2]));
	else
		vrs_ocl_define_text(plan, "zero_GET(p, i)", "0L");
	vrs_ocl_define_int(plan, "QUANTIZE", node->op == VRS_OP_QUANTIZE);
	vrs_ocl_define_put(plan, "y", vrs_ocl_stored_type(plan, node->out), VRS_OCL_PUT_SATURATED);
	return vrs_ocl_step_end_line(plan, n, err);
}
