/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operators that only move elements.  Concat, slice, transpose, expand and tile are strided copies: out[to + sum of place * Y] = in[from + sum of
 * place * X].  Elements that keep their type are moved in units of up to 16 bytes, where all steps allow it.
 */
#include "graph/eval_rows.h"
#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_move.h"
#include "opencl/ocl_values.h"

#define CPU_RUN 1024 /* units that a work-item of a CPU device copies in a row, so that it divides once for them */

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return &plan->graph.tensors[tensor];
}

bool vrs_ocl_moves_raw(struct vrs_ocl_plan *plan, int32_t in, int32_t out)
{
	return vrs_ocl_stored_type(plan, in) == vrs_ocl_stored_type(plan, out);
}

int vrs_ocl_unit(struct vrs_ocl_plan *plan, int32_t in, int32_t out, const int64_t *multiples, int count)
{
	int size = (int)vrs_dtype_size(vrs_ocl_stored_type(plan, in)), unit = vrs_ocl_moves_raw(plan, in, out) ? 16 / size : 4;

	for (int i = 0; i < count; i++)
		while (multiples[i] % unit != 0)
			unit /= 2;
	return unit == 2 && !vrs_ocl_moves_raw(plan, in, out) ? 1 : unit;
}

void vrs_ocl_define_unit(struct vrs_ocl_plan *plan, int32_t in, int32_t out, int unit)
{
	static const char *const types[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "uint2", [16] = "uint4"};
	bool raw = vrs_ocl_moves_raw(plan, in, out);
	size_t bytes = vrs_dtype_size(vrs_ocl_stored_type(plan, in)) * (size_t)unit;

	if (raw) {
		vrs_ocl_define_text(plan, "UNIT_T", types[bytes]);
		vrs_ocl_define_text(plan, "MOVE(y, to, x, from)", "((__global UNIT_T *)(y))[to] = ((__global const UNIT_T *)(x))[from]");
	} else if (unit == 4) {
		vrs_ocl_define_text(plan, "MOVE(y, to, x, from)", "y_ST4(y, (to) * 4, x_LD4(x, (from) * 4))");
	} else {
		vrs_ocl_define_text(plan, "MOVE(y, to, x, from)", "y_ST(y, to, x_LD(x, from))");
	}
}

void vrs_ocl_arg_move(struct vrs_ocl_plan *plan, int32_t in, int32_t out)
{
	if (vrs_ocl_moves_raw(plan, in, out)) {
		vrs_ocl_arg_raw(plan, "x", in);
		vrs_ocl_arg_raw(plan, "y", out);
	} else {
		vrs_ocl_arg_tensor(plan, "x", in);
		vrs_ocl_arg_tensor(plan, "y", out);
	}
}

/* A strided copy: operand 0 of dims is the input, operand 1 the output. */
struct move {
	int32_t in, out;
	int64_t from, to;
	struct vrs_ocl_dims dims;
};

static void move_init(struct move *move, int32_t in, int32_t out)
{
	*move = (struct move){.in = in, .out = out};
	vrs_ocl_dims_init(&move->dims, 2);
}

/* Do the elements of the innermost dim lie side by side on both ends? */
static bool is_dense(const struct vrs_ocl_dims *dims)
{
	int last = dims->count - 1;

	return last >= 0 && dims->step[0][last] == 1 && dims->step[1][last] == 1;
}

/* Everything counted in units that all of it is a multiple of; the elements of a unit. */
static int widen(struct vrs_ocl_plan *plan, struct move *move)
{
	struct vrs_ocl_dims *dims = &move->dims;
	int64_t multiples[2 * VRS_OCL_MAX_DIMS + 3];
	int last = dims->count - 1, count = 0;

	if (!is_dense(dims))
		return 1;
	multiples[count++] = dims->size[last];
	multiples[count++] = move->from;
	multiples[count++] = move->to;
	for (int i = 0; i < last; i++) {
		multiples[count++] = dims->step[0][i];
		multiples[count++] = dims->step[1][i];
	}
	int unit = vrs_ocl_unit(plan, move->in, move->out, multiples, count);

	dims->size[last] /= unit;
	move->from /= unit;
	move->to /= unit;
	for (int i = 0; i < last; i++) {
		dims->step[0][i] /= unit;
		dims->step[1][i] /= unit;
	}
	return unit;
}

static enum vrs_status emit(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct move *move, struct vrs_error *err)
{
	bool dense = is_dense(&move->dims);
	int unit = widen(plan, move);
	struct vrs_ocl_dims *dims = &move->dims;
	int64_t items = 1, inner = dims->count > 0 ? dims->size[dims->count - 1] : 1, run = plan->caps.is_cpu && inner > 1 ? CPU_RUN : 1;
	int64_t runs = (inner + run - 1) / run;

	for (int i = 0; i < dims->count - 1; i++)
		items *= dims->size[i];
	vrs_ocl_step_begin(plan, node, "copy");
	vrs_ocl_arg_move(plan, move->in, move->out);
	vrs_ocl_arg_dims(plan, "dims", dims);
	vrs_ocl_arg_int(plan, items * runs);
	vrs_ocl_arg_int(plan, runs);
	vrs_ocl_arg_int(plan, move->from);
	vrs_ocl_arg_int(plan, move->to);
	vrs_ocl_define_unit(plan, move->in, move->out, unit);
	vrs_ocl_define_int(plan, "RUN", run);
	vrs_ocl_define_int(plan, "DENSE", dense);
	return vrs_ocl_step_end_line(plan, items * runs, err);
}

static bool is_empty(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return vrs_tensor_elements(tensor_of(plan, tensor)) == 0;
}

/* Each input is rows of its own length in the longer rows of the output. */
enum vrs_status vrs_ocl_lower_concat(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *y = tensor_of(plan, node->out);
	int64_t outer = 1, inner = 1, to = 0;
	int axis = node->u.concat.axis;

	for (int i = 0; i < axis; i++)
		outer *= y->dims[i];
	for (int i = axis + 1; i < y->rank; i++)
		inner *= y->dims[i];
	for (int k = 0; k < node->inputs; k++) {
		int64_t length = tensor_of(plan, node->in[k])->dims[axis] * inner;
		struct move move;

		if (is_empty(plan, node->in[k]))
			continue;
		move_init(&move, node->in[k], node->out);
		move.to = to;
		vrs_ocl_dims_add(&move.dims, outer, (int64_t[]){length, y->dims[axis] * inner});
		vrs_ocl_dims_add(&move.dims, length, (int64_t[]){1, 1});
		VRS_TRY(emit(plan, node, &move, err));
		to += length;
	}
	return VRS_OK;
}

/* Does the move take all elements of the input in their order? */
static bool changes_nothing(const struct vrs_ocl_plan *plan, const struct move *move)
{
	bool all = vrs_tensor_elements(tensor_of(plan, move->in)) == vrs_tensor_elements(tensor_of(plan, move->out));

	return all && move->from == 0 && (move->dims.count == 0 || (move->dims.count == 1 && is_dense(&move->dims)));
}

/* Every dim of the dense output with a step of the input; no step where the output may be the memory of the input. */
static enum vrs_status emit_dense(struct vrs_ocl_plan *plan, const struct vrs_node *node, const int64_t *steps, int64_t from, struct vrs_error *err)
{
	const struct vrs_graph_tensor *y = tensor_of(plan, node->out);
	int64_t strides[VRS_MAX_RANK];
	struct move move;

	if (is_empty(plan, node->out))
		return VRS_OK;
	move_init(&move, node->in[0], node->out);
	move.from = from;
	vrs_dense_strides(y, strides);
	for (int i = 0; i < y->rank; i++)
		vrs_ocl_dims_add(&move.dims, y->dims[i], (int64_t[]){steps[i], strides[i]});
	if (changes_nothing(plan, &move) && vrs_ocl_value_alias(plan, move.out, move.in))
		return VRS_OK;
	return emit(plan, node, &move, err);
}

enum vrs_status vrs_ocl_lower_slice(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int64_t strides[VRS_MAX_RANK], steps[VRS_MAX_RANK] = {0}, from = 0;

	vrs_dense_strides(tensor_of(plan, node->in[0]), strides);
	for (int i = 0; i < tensor_of(plan, node->out)->rank; i++) {
		steps[i] = strides[i] * node->u.slice.step[i];
		from += strides[i] * node->u.slice.start[i];
	}
	return emit_dense(plan, node, steps, from, err);
}

enum vrs_status vrs_ocl_lower_transpose(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int64_t strides[VRS_MAX_RANK], steps[VRS_MAX_RANK] = {0};

	vrs_dense_strides(tensor_of(plan, node->in[0]), strides);
	for (int i = 0; i < tensor_of(plan, node->out)->rank; i++)
		steps[i] = strides[node->u.transpose.perm[i]];
	return emit_dense(plan, node, steps, 0, err);
}

enum vrs_status vrs_ocl_lower_expand(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]), *y = tensor_of(plan, node->out);
	int64_t strides[VRS_MAX_RANK], steps[VRS_MAX_RANK] = {0};

	vrs_dense_strides(x, strides);
	for (int i = 0; i < x->rank; i++)
		steps[y->rank - x->rank + i] = x->dims[i] == 1 ? 0 : strides[i];
	return emit_dense(plan, node, steps, 0, err);
}

/* A dim is its repeats, which step over the input by 0, and then its own places. */
enum vrs_status vrs_ocl_lower_tile(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]), *y = tensor_of(plan, node->out);
	int64_t from[VRS_MAX_RANK], to[VRS_MAX_RANK];
	struct move move;

	if (is_empty(plan, node->out))
		return VRS_OK;
	move_init(&move, node->in[0], node->out);
	vrs_dense_strides(x, from);
	vrs_dense_strides(y, to);
	for (int i = 0; i < x->rank; i++) {
		vrs_ocl_dims_add(&move.dims, y->dims[i] / x->dims[i], (int64_t[]){0, to[i] * x->dims[i]});
		vrs_ocl_dims_add(&move.dims, x->dims[i], (int64_t[]){from[i], to[i]});
	}
	return emit(plan, node, &move, err);
}

enum vrs_status vrs_ocl_emit_move(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int64_t steps[VRS_MAX_RANK];

	vrs_dense_strides(tensor_of(plan, node->out), steps);
	return emit_dense(plan, node, steps, 0, err);
}
