/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reductions, the place of an extreme, softmax.  A GPU gives a line of elements to several work-items of a group where lines are long or few, else to
 * one; a CPU device always to one, since barriers cost more there than they gain.
 */
#include "graph/eval.h"
#include "graph/eval_rows.h"
#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"

#define MOST_ITEMS (1 << 30) /* of a line: kernels step beyond its end */
#define SHORT_LINE 32        /* not worth a group */
#define MANY_LINES 32768     /* neighbours that keep a GPU busy with one work-item each */

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return &plan->graph.tensors[tensor];
}

/* The elements that become one: `outputs` lines of `items` elements, by tables of dims of the input. */
struct lines {
	struct vrs_ocl_dims kept, gone;
	int64_t outputs, items;
	int64_t of_one;            /* lines of one entry of dim 0, which is the batch of a network */
};

static struct lines lines_of(const struct vrs_graph_tensor *x, uint32_t axes)
{
	struct lines lines = {.outputs = 1, .items = 1, .of_one = 1};
	int64_t strides[VRS_MAX_RANK];

	vrs_ocl_dims_init(&lines.kept, 1);
	vrs_ocl_dims_init(&lines.gone, 1);
	vrs_dense_strides(x, strides);
	for (int i = 0; i < x->rank; i++) {
		bool gone = axes >> i & 1;

		vrs_ocl_dims_add(gone ? &lines.gone : &lines.kept, x->dims[i], &strides[i]);
		*(gone ? &lines.items : &lines.outputs) *= x->dims[i];
		lines.of_one *= gone || i == 0 ? 1 : x->dims[i];
	}
	return lines;
}

/* A group makes `columns` neighbouring lines with `lanes` work-items each; one lane: no group. */
struct team {
	int lanes, columns;
};

static int power_of_two(int64_t most)
{
	int size = 1;

	while ((int64_t)size * 2 <= most && size < 256)
		size *= 2;
	return size;
}

/*
 * Where neighbouring lines lie side by side, work-items read columns, else along the line.  How a line is shared does not depend on the batch, and
 * with it no last bit does.
 */
static struct team team_of(const struct vrs_ocl_plan *plan, const struct lines *lines)
{
	const struct vrs_ocl_dims *kept = &lines->kept, *gone = &lines->gone;
	bool side_by_side = kept->count > 0 && kept->step[0][kept->count - 1] == 1;
	int group = vrs_ocl_group_size(plan, lines->items >= 1024 ? 256 : 64);
	struct team team = {1, 1};

	if (plan->caps.is_cpu || lines->items < SHORT_LINE || gone->count == 0 || (side_by_side && lines->of_one >= MANY_LINES))
		return team;
	if (side_by_side)
		team.columns = power_of_two(kept->size[kept->count - 1] < group / 8 ? kept->size[kept->count - 1] : group / 8);
	team.lanes = group / team.columns;
	return team;
}

static enum vrs_status end_lines(struct vrs_ocl_plan *plan, const struct team *team, int64_t outputs, struct vrs_error *err)
{
	size_t local = (size_t)(team->lanes * team->columns), global = (size_t)((outputs + team->columns - 1) / team->columns) * local;

	vrs_ocl_define_int(plan, "LANES", team->lanes);
	vrs_ocl_define_int(plan, "COLUMNS", team->columns);
	return team->lanes == 1 ? vrs_ocl_step_end_line(plan, outputs, err) : vrs_ocl_step_end(plan, 1, &global, &local, err);
}

/* Functions with a root or a logarithm go through double also for integers. */
static enum vrs_dtype reduce_type(enum vrs_reduce op, enum vrs_dtype x)
{
	bool wide = op == VRS_REDUCE_L2 || op == VRS_REDUCE_LOG_SUM || op == VRS_REDUCE_LOG_SUM_EXP;

	return vrs_dtype_is_float(x) ? x : wide ? VRS_F64 : x;
}

/* What a result begins with, which changes no number that is joined to it. */
static const char *start_text(enum vrs_reduce op, enum vrs_dtype type)
{
	bool floats = vrs_dtype_is_float(type);

	switch (op) {
	case VRS_REDUCE_MAX: return floats ? "-INFINITY" : type == VRS_U64 ? "0" : "LONG_MIN";
	case VRS_REDUCE_MIN: return floats ? "INFINITY" : type == VRS_U64 ? "ULONG_MAX" : "LONG_MAX";
	case VRS_REDUCE_PROD: return "1";
	default: return "0";
	}
}

static const char *step_text(enum vrs_reduce op, enum vrs_dtype type)
{
	bool floats = vrs_dtype_is_float(type);

	switch (op) {
	case VRS_REDUCE_MAX:
	case VRS_REDUCE_MIN:
	case VRS_REDUCE_PROD: return "JOIN(a, v)";
	case VRS_REDUCE_L1: return floats ? "a + fabs(v)" : type == VRS_U64 ? "a + v" : "(NUMBER)((ulong)a + abs(v))";
	case VRS_REDUCE_L2:
	case VRS_REDUCE_SUM_SQUARE: return floats ? "a + v * v" : "(NUMBER)((ulong)a + (ulong)v * (ulong)v)";
	case VRS_REDUCE_LOG_SUM_EXP: return "a + exp(v - most)";
	default: return "JOIN(a, v)";
	}
}

/* NaN stays. */
static const char *join_text(enum vrs_reduce op, bool floats)
{
	switch (op) {
	case VRS_REDUCE_MAX: return floats ? "(b > a || isnan(b) ? b : a)" : "max(a, b)";
	case VRS_REDUCE_MIN: return floats ? "(b < a || isnan(b) ? b : a)" : "min(a, b)";
	case VRS_REDUCE_PROD: return floats ? "a * b" : "(NUMBER)((ulong)a * (ulong)b)";
	default: return floats ? "a + b" : "(NUMBER)((ulong)a + (ulong)b)";
	}
}

static const char *finish_text(enum vrs_reduce op, bool floats, bool empty)
{
	switch (op) {
	case VRS_REDUCE_MEAN: return floats ? "a / n" : empty ? "a" : "(NUMBER)((long)a / n)";
	case VRS_REDUCE_MAX:
	case VRS_REDUCE_MIN: return floats || !empty ? "a" : "0";
	case VRS_REDUCE_L2: return "sqrt(a)";
	case VRS_REDUCE_LOG_SUM: return "log(a)";
	case VRS_REDUCE_LOG_SUM_EXP: return "most + log(a)";
	default: return "a";
	}
}

static void define_reduce(struct vrs_ocl_plan *plan, const struct vrs_node *node, enum vrs_dtype type, bool empty)
{
	enum vrs_reduce op = node->u.reduce.op;
	bool floats = vrs_dtype_is_float(type);

	vrs_ocl_define_get(plan, "x", vrs_ocl_stored_type(plan, node->in[0]));
	vrs_ocl_define_put(plan, "y", vrs_ocl_stored_type(plan, node->out), floats ? VRS_OCL_PUT_TRUNCATED : VRS_OCL_PUT_WRAPPED);
	vrs_ocl_define_text(plan, "NUMBER", vrs_ocl_number_type(type));
	vrs_ocl_define_text(plan, "START", start_text(op, type));
	vrs_ocl_define_text(plan, "STEP(a, v)", step_text(op, type));
	vrs_ocl_define_text(plan, "JOIN(a, b)", join_text(op, floats));
	vrs_ocl_define_text(plan, "FINISH(a, n)", finish_text(op, floats, empty));
	vrs_ocl_define_int(plan, "LOG_SUM_EXP", op == VRS_REDUCE_LOG_SUM_EXP);
}

enum vrs_status vrs_ocl_lower_reduce(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	struct lines lines = lines_of(x, vrs_reduce_axes(node, x->rank));
	enum vrs_dtype type = reduce_type(node->u.reduce.op, x->dtype);
	struct team team = team_of(plan, &lines);

	if (!vrs_ocl_has_type(plan, type) || !vrs_ocl_has_type(plan, x->dtype) || lines.items > MOST_ITEMS)
		return VRS_EUNSUPPORTED;
	if (lines.outputs == 0)
		return VRS_OK;
	vrs_ocl_step_begin(plan, node, "reduce");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "kept", &lines.kept);
	vrs_ocl_arg_dims(plan, "gone", &lines.gone);
	vrs_ocl_arg_int(plan, lines.outputs);
	vrs_ocl_arg_int(plan, lines.items);
	define_reduce(plan, node, type, lines.items == 0);
	return end_lines(plan, &team, lines.outputs, err);
}

enum vrs_status vrs_ocl_lower_arg_reduce(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	struct lines lines = lines_of(x, 1u << node->u.arg.axis);
	bool smallest = node->u.arg.smallest, last = node->u.arg.last;
	struct team team = team_of(plan, &lines);

	if (!vrs_ocl_has_type(plan, x->dtype) || lines.items > MOST_ITEMS)
		return VRS_EUNSUPPORTED;
	if (lines.outputs == 0)
		return VRS_OK;
	vrs_ocl_step_begin(plan, node, "arg_reduce");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "kept", &lines.kept);
	vrs_ocl_arg_int(plan, lines.outputs);
	vrs_ocl_arg_int(plan, lines.items);
	vrs_ocl_arg_int(plan, lines.gone.count > 0 ? lines.gone.step[0][0] : 0);
	vrs_ocl_define_get(plan, "x", vrs_ocl_stored_type(plan, node->in[0]));
	vrs_ocl_define_text(plan, "NUMBER", vrs_ocl_number_type(x->dtype));
	vrs_ocl_define_int(plan, "FLOATS", vrs_dtype_is_float(x->dtype));
	vrs_ocl_define_text(plan, "BEATS(a, b)", smallest ? "a < b" : "a > b");
	vrs_ocl_define_int(plan, "LAST", last);
	return end_lines(plan, &team, lines.outputs, err);
}

enum vrs_status vrs_ocl_lower_softmax(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	int64_t n = x->dims[x->rank - 1], elements = (int64_t)vrs_tensor_elements(x);
	struct team team = {.lanes = 1, .columns = 1};

	if (n > MOST_ITEMS)
		return VRS_EUNSUPPORTED;
	if (elements == 0)
		return VRS_OK;
	if (!plan->caps.is_cpu && n >= SHORT_LINE)
		team.lanes = vrs_ocl_group_size(plan, n >= 1024 ? 256 : n >= 256 ? 64 : 32);
	vrs_ocl_step_begin(plan, node, "softmax");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_int(plan, elements / n);
	vrs_ocl_arg_int(plan, n);
	vrs_ocl_define_int(plan, "LOGARITHM", node->u.softmax.log);
	return end_lines(plan, &team, elements / n, err);
}
