/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resizes, by tables made here from what graph/eval_resize.c says of each output row and column: two neighbours with a weight (kernels/resize.cl), or
 * any number of taps, the columns first and then the rows (kernels/resize_taps.cl).
 */
#include "opencl/ocl_lower_resize.h"

#include "base/mem.h"
#include "graph/eval.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_maps.h"

static void axes_of(const struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_resize_axis ret_axes[2])
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]], *y = &plan->graph.tensors[node->out];

	for (int axis = 0; axis < 2; axis++)
		ret_axes[axis] = (struct vrs_resize_axis){&node->u.resize, axis, x->dims[1 + axis], y->dims[1 + axis]};
}

static enum vrs_status pair_tables(struct vrs_ocl_plan *plan, const struct vrs_resize_axis axes[2], int32_t *ret_places, int32_t *ret_weights)
{
	size_t total = (size_t)(axes[0].out + axes[1].out), at = 0;
	int32_t *places = vrs_calloc(total + 1, 2 * sizeof *places);
	float *weights = vrs_calloc(total + 1, sizeof *weights);

	*ret_places = *ret_weights = VRS_ENOMEM;
	for (int axis = 0; places && weights && axis < 2; axis++)
		for (int64_t i = 0; i < axes[axis].out; i++, at++) {
			int64_t low, high;
			double weight;

			vrs_resize_pair(&axes[axis], i, &low, &high, &weight);
			places[2 * at] = (int32_t)low;
			places[2 * at + 1] = (int32_t)high;
			weights[at] = (float)weight;
		}
	if (places && weights) {
		*ret_places = vrs_ocl_weights_i32(plan, places, 2 * total);
		*ret_weights = vrs_ocl_weights_f32(plan, weights, total);
	}
	vrs_free(places);
	vrs_free(weights);
	return *ret_places < 0 || *ret_weights < 0 ? VRS_ENOMEM : VRS_OK;
}

enum vrs_status vrs_ocl_resize_tables(struct vrs_ocl_plan *plan, const struct vrs_node *node, int32_t *ret_places, int32_t *ret_weights)
{
	struct vrs_resize_axis axes[2];

	axes_of(plan, node, axes);
	return pair_tables(plan, axes, ret_places, ret_weights);
}

static enum vrs_status lower_pairs(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_resize_axis axes[2],
				   struct vrs_error *err)
{
	const struct vrs_graph_tensor *y = &plan->graph.tensors[node->out];
	size_t n = vrs_tensor_elements(y);
	int32_t places, weights;

	if (pair_tables(plan, axes, &places, &weights) != VRS_OK)
		return vrs_fail_nomem(err);
	vrs_ocl_step_begin(plan, node, "resize");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_value(plan, "places", places);
	vrs_ocl_arg_value(plan, "weights", weights);
	vrs_ocl_arg_int(plan, axes[0].in);
	vrs_ocl_arg_int(plan, axes[1].in);
	vrs_ocl_arg_int(plan, y->dims[3]);
	vrs_ocl_arg_int(plan, axes[0].out);
	vrs_ocl_arg_int(plan, axes[1].out);
	vrs_ocl_define_int(plan, "NEAREST", node->u.resize.nearest);
	n /= (size_t)vrs_ocl_map_vector(plan, y->dims[3]);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}

/* Values of the plan: taps of every output place of an axis. */
struct tap_tables {
	int64_t taps;
	int32_t places, weights, counts;
};

static enum vrs_status fill_taps(struct vrs_ocl_plan *plan, const struct vrs_resize_axis *axis, struct tap_tables *t)
{
	size_t out = (size_t)axis->out, total;
	int32_t *places, *counts = vrs_calloc(out + 1, sizeof *counts);
	float *weights;

	if (!vrs_mul_size(out, (size_t)t->taps, &total)) {
		vrs_free(counts);
		return VRS_ELIMIT;
	}
	places = vrs_calloc(total + 1, sizeof *places);
	weights = vrs_calloc(total + 1, sizeof *weights);
	for (int64_t i = 0; counts && places && weights && i < axis->out; i++)
		counts[i] = vrs_resize_taps(axis, i, places + i * t->taps, weights + i * t->taps);
	bool whole = counts && places && weights;

	if (whole) {
		t->places = vrs_ocl_weights_i32(plan, places, total);
		t->weights = vrs_ocl_weights_f32(plan, weights, total);
		t->counts = vrs_ocl_weights_i32(plan, counts, out);
	}
	vrs_free(places);
	vrs_free(weights);
	vrs_free(counts);
	return whole && t->places >= 0 && t->weights >= 0 && t->counts >= 0 ? VRS_OK : VRS_ENOMEM;
}

static enum vrs_status tap_tables_of(struct vrs_ocl_plan *plan, const struct vrs_resize_axis *axis, struct tap_tables *ret, struct vrs_error *err)
{
	enum vrs_status status;

	*ret = (struct tap_tables){.taps = 1};
	for (int64_t i = 0; i < axis->out; i++) {
		int count = vrs_resize_taps(axis, i, NULL, NULL);

		ret->taps = count > ret->taps ? count : ret->taps;
	}
	status = fill_taps(plan, axis, ret);
	return status == VRS_ENOMEM ? vrs_fail_nomem(err) : status == VRS_OK ? VRS_OK : vrs_fail(err, status, "a resize has too many taps");
}

/* Behind x and y: one axis, with `inner` elements a place. */
static enum vrs_status end_taps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_resize_axis *axis,
				const struct tap_tables *t, int32_t columns, int64_t outer, int64_t inner, struct vrs_error *err)
{
	int64_t channels = plan->graph.tensors[node->out].dims[3];
	bool outside = node->u.resize.coord == VRS_COORD_TF_CROP_AND_RESIZE;
	size_t n = (size_t)(outer * axis->out * inner);

	vrs_ocl_arg_value(plan, "places", t->places);
	vrs_ocl_arg_value(plan, "weights", t->weights);
	vrs_ocl_arg_value(plan, "counts", t->counts);
	vrs_ocl_arg_value(plan, "columns", columns);
	vrs_ocl_arg_int(plan, axis->in);
	vrs_ocl_arg_int(plan, axis->out);
	vrs_ocl_arg_int(plan, inner);
	vrs_ocl_arg_int(plan, t->taps);
	vrs_ocl_arg_int(plan, channels);
	vrs_ocl_arg_float(plan, (double)node->u.resize.extrapolation);
	vrs_ocl_define_int(plan, "OUTSIDE", outside && axis->axis == 0);
	n /= (size_t)vrs_ocl_map_vector(plan, outside ? channels : inner);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}

static enum vrs_status lower_taps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_resize_axis axes[2], struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]];
	int64_t line = axes[1].out * x->dims[3];
	size_t elements;

	if (!vrs_mul_size((size_t)(x->dims[0] * x->dims[1]), (size_t)line, &elements) || elements > INT32_MAX)
		return VRS_EUNSUPPORTED; /* what lies between the two steps cannot be counted */
	struct tap_tables rows, columns;

	VRS_TRY(tap_tables_of(plan, &axes[1], &columns, err));
	VRS_TRY(tap_tables_of(plan, &axes[0], &rows, err));
	int32_t half = vrs_ocl_scratch(plan, elements);

	vrs_ocl_step_begin(plan, node, "resize_taps");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_value(plan, "y", half);
	VRS_TRY(end_taps(plan, node, &axes[1], &columns, columns.counts, x->dims[0] * x->dims[1], x->dims[3], err));
	vrs_ocl_step_begin(plan, node, "resize_taps");
	vrs_ocl_arg_value(plan, "x", half);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	return end_taps(plan, node, &axes[0], &rows, columns.counts, x->dims[0], line, err);
}

enum vrs_status vrs_ocl_lower_resize(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_resize_axis axes[2];

	axes_of(plan, node, axes);
	return vrs_resize_is_pair(&node->u.resize) ? lower_pairs(plan, node, axes, err) : lower_taps(plan, node, axes, err);
}
