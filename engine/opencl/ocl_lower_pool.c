/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pools, and averages over whole maps in two stages: sums of chunks of pixels, then the sum of these. */
#include "opencl/ocl_lower_pool.h"

#include "opencl/ocl_lower.h"
#include "opencl/ocl_maps.h"

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t id)
{
	return &plan->graph.tensors[id];
}

/* One window along an axis holds all `in` places and nothing else that counts. */
static bool covers(const struct vrs_window *w, int64_t in, int kernel, int dilation, int before, int after)
{
	return dilation == 1 && kernel - before >= in && (!w->count_pad || before + after == 0);
}

bool vrs_ocl_is_global_avg(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]), *y = tensor_of(plan, node->out);
	const struct vrs_window *w = &node->u.window;

	if (node->op != VRS_OP_POOL_AVG)
		return node->op == VRS_OP_GLOBAL_AVG;
	return y->dims[1] == 1 && y->dims[2] == 1 && covers(w, x->dims[1], w->kernel_h, w->dilation_h, w->pad_top, w->pad_bottom) &&
	       covers(w, x->dims[2], w->kernel_w, w->dilation_w, w->pad_left, w->pad_right);
}

/* Arguments behind x and y, and the end of the step. */
static enum vrs_status end_sums(struct vrs_ocl_plan *plan, const struct vrs_graph_tensor *map, int64_t pixels, const struct vrs_ocl_sharing *sharing,
				double factor, struct vrs_error *err)
{
	vrs_ocl_arg_int(plan, pixels);
	vrs_ocl_arg_int(plan, map->dims[3]);
	vrs_ocl_arg_int(plan, sharing->chunk);
	vrs_ocl_arg_float(plan, factor);
	return vrs_ocl_sharing_end(plan, sharing, map->dims[3], map->dims[0], err);
}

int32_t vrs_ocl_chunk_sums(struct vrs_ocl_plan *plan, const struct vrs_node *node, int64_t *ret_chunks, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	int64_t pixels = x->dims[1] * x->dims[2];
	struct vrs_ocl_sharing s = vrs_ocl_share_map(plan, pixels, x->dims[3]);
	int32_t sums = vrs_ocl_scratch(plan, (size_t)(x->dims[0] * s.chunks * x->dims[3]));
	enum vrs_status status;

	vrs_ocl_step_begin(plan, node, "global_avg");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_value(plan, "y", sums);
	status = end_sums(plan, x, pixels, &s, 1, err);
	*ret_chunks = s.chunks;
	return status == VRS_OK ? sums : (int32_t)status;
}

enum vrs_status vrs_ocl_lower_global_avg(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	int64_t pixels = x->dims[1] * x->dims[2], chunks = 1;
	struct vrs_ocl_sharing s = vrs_ocl_share_map(plan, pixels, x->dims[3]);
	int32_t sums = s.chunks > 1 ? vrs_ocl_chunk_sums(plan, node, &chunks, err) : 0;

	if (sums < 0)
		return (enum vrs_status)sums;
	vrs_ocl_step_begin(plan, node, "global_avg");
	if (chunks > 1)
		vrs_ocl_arg_value(plan, "x", sums);
	else
		vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	s.chunk = chunks > 1 ? chunks : pixels;
	s.chunks = 1;
	return end_sums(plan, x, s.chunk, &s, 1 / (double)pixels, err);
}

enum vrs_status vrs_ocl_lower_pool(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]), *y = tensor_of(plan, node->out);
	bool index = node->op == VRS_OP_POOL_INDEX;
	size_t n = vrs_tensor_elements(y);

	if (vrs_ocl_is_global_avg(plan, node))
		return vrs_ocl_lower_global_avg(plan, node, err);
	vrs_ocl_step_begin(plan, node, index ? "pool_index" : "pool");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	if (index) {
		vrs_ocl_arg_raw(plan, "y", node->out);
		vrs_ocl_define_int(plan, "COLUMN_MAJOR", node->u.window.column_major);
	} else {
		vrs_ocl_arg_tensor(plan, "y", node->out);
		vrs_ocl_define_int(plan, "AVERAGE", node->op == VRS_OP_POOL_AVG);
		vrs_ocl_define_int(plan, "COUNT_PAD", node->u.window.count_pad);
		n /= (size_t)vrs_ocl_map_vector(plan, x->dims[3]);
	}
	vrs_ocl_map_window(plan, &node->u.window);
	vrs_ocl_arg_int(plan, x->dims[1]);
	vrs_ocl_arg_int(plan, x->dims[2]);
	vrs_ocl_arg_int(plan, x->dims[3]);
	vrs_ocl_arg_int(plan, y->dims[1]);
	vrs_ocl_arg_int(plan, y->dims[2]);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}
