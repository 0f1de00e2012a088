/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions: what a node asks for, and its steps as matrix products; depthwise and Winograd ones have files of their own. */
#include "opencl/ocl_conv.h"

#include <string.h>

#include "base/mem.h"
#include "opencl/ocl_dot.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_math.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

/* Floats, and some: kernels divide by numbers of channels. */
static bool is_map(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_graph_tensor *t = &graph->tensors[id];

	return t->dtype == VRS_F32 && t->rank == 4 && vrs_tensor_elements(t) > 0;
}

static bool is_covered(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *weights = &graph->tensors[node->in[1]];

	return is_map(graph, node->in[0]) && is_map(graph, node->out) && weights->data && weights->dtype == VRS_F32 &&
	       (node->in[2] < 0 || graph->tensors[node->in[2]].data) && (node->scale < 0 || is_map(graph, node->scale)) && vrs_ocl_has_act(node->act);
}

/* Pixels of the output that are those of the input, in the same order. */
static bool is_pointwise(const struct vrs_ocl_conv *conv)
{
	const struct vrs_window *w = &conv->window;

	return w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_top == 0 && w->pad_left == 0 &&
	       conv->out_height == conv->height && conv->out_width == conv->width;
}

static void join_pictures(struct vrs_ocl_conv *conv)
{
	conv->joined = conv->batch;
	conv->width = conv->out_width = conv->batch * conv->height * conv->width;
	conv->batch = conv->height = conv->out_height = 1;
}

enum vrs_status vrs_ocl_conv_init(struct vrs_ocl_conv *ret_conv, const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *y = &graph->tensors[node->out], *w = &graph->tensors[node->in[1]];

	if (!is_covered(graph, node))
		return VRS_EUNSUPPORTED;
	*ret_conv = (struct vrs_ocl_conv){
		.batch = x->dims[0], .height = x->dims[1], .width = x->dims[2], .channels = x->dims[3], .out_height = y->dims[1],
		.out_width = y->dims[2], .outputs = y->dims[3], .window = node->u.window, .scaled = node->scale >= 0, .joined = 1, .weights = w->data,
		.bias = node->in[2] >= 0 ? graph->tensors[node->in[2]].data : NULL,
	};
	struct vrs_ocl_conv *conv = ret_conv;
	size_t taps = (size_t)conv->window.kernel_h * (size_t)conv->window.kernel_w;

	/* A group of one channel is a depthwise convolution, whichever way its weights lie. */
	conv->depthwise = conv->window.groups == conv->channels && (w->rank == 3 || conv->channels > 1);
	conv->output_step = w->rank == 3 ? 1 : taps;
	conv->tap_step = w->rank == 3 ? (size_t)conv->outputs : 1;
	conv->pointwise = !conv->depthwise && is_pointwise(conv);
	if (conv->pointwise && !conv->scaled && conv->window.groups == 1)
		join_pictures(conv);
	/* Each group of each picture has groups of work-items of its own along dimension 2. */
	return !conv->depthwise && conv->batch * conv->window.groups > VRS_OCL_MOST_GROUPS ? VRS_EUNSUPPORTED : VRS_OK;
}

int32_t vrs_ocl_gemm_pack(struct vrs_ocl_plan *plan, const struct vrs_ocl_tile *tile, int64_t count, int64_t n, int64_t k, const float *from,
			  bool exact)
{
	int64_t block = (int64_t)tile->group_n * tile->item_n, wide = vrs_ocl_rounded(n, block);
	int64_t deep = vrs_ocl_rounded(k, (int64_t)tile->step_k * tile->split);
	size_t elements;

	if (!vrs_mul_size((size_t)count, (size_t)wide, &elements) || !vrs_mul_size(elements, (size_t)deep, &elements) || elements > INT32_MAX)
		return VRS_ELIMIT;
	float *packed = vrs_calloc(elements + 1, sizeof *packed);

	if (!packed)
		return VRS_ENOMEM;
	for (int64_t z = 0; z < count; z++)
		for (int64_t row = 0; row < n; row++, from += k) {
			float *to = packed + (z * wide + row / block * block) * deep + row % block;

			for (int64_t i = 0; i < k; i++)
				to[i * block] = from[i];
		}
	int32_t value = exact ? vrs_ocl_weights_f32(plan, packed, elements) : vrs_ocl_weights(plan, packed, elements);

	vrs_free(packed);
	return value;
}

int32_t vrs_ocl_padded_bias(struct vrs_ocl_plan *plan, const float *bias, int64_t count, int64_t n, int64_t block)
{
	int64_t wide = vrs_ocl_rounded(n, block);
	size_t elements;

	if (!vrs_mul_size((size_t)count, (size_t)wide, &elements) || elements > INT32_MAX)
		return VRS_ELIMIT;
	float *padded = vrs_calloc(elements + 1, sizeof *padded);

	if (!padded)
		return VRS_ENOMEM;
	for (int64_t z = 0; z < count; z++)
		memcpy(padded + z * wide, bias + z * n, (size_t)n * sizeof *bias);
	int32_t value = vrs_ocl_weights_f32(plan, padded, elements);

	vrs_free(padded);
	return value;
}

void vrs_ocl_define_window(struct vrs_ocl_plan *plan, const struct vrs_window *w)
{
	vrs_ocl_define_int(plan, "KERNEL_H", w->kernel_h);
	vrs_ocl_define_int(plan, "KERNEL_W", w->kernel_w);
	vrs_ocl_define_int(plan, "STRIDE_H", w->stride_h);
	vrs_ocl_define_int(plan, "STRIDE_W", w->stride_w);
	vrs_ocl_define_int(plan, "DILATION_H", w->dilation_h);
	vrs_ocl_define_int(plan, "DILATION_W", w->dilation_w);
}

static void define_tile(struct vrs_ocl_plan *plan, const struct vrs_ocl_tile *tile)
{
	vrs_ocl_define_int(plan, "GROUP_N", tile->group_n);
	if (tile->local)
		vrs_ocl_define_int(plan, "GROUP_M", tile->group_m);
	vrs_ocl_define_int(plan, "ITEM_N", tile->item_n);
	vrs_ocl_define_int(plan, "ITEM_M", tile->item_m);
}

/* Do sums run over the taps of a row at once? (kernels/conv_direct.cl) */
static bool has_joined_rows(const struct vrs_ocl_conv *conv)
{
	return conv->window.groups == 1 && conv->window.dilation_w == 1 && !conv->scaled;
}

/* The ints of both templates, in their order. */
static void gemm_sizes(struct vrs_ocl_plan *plan, const struct vrs_ocl_gemm *gemm)
{
	const struct vrs_ocl_conv *c = gemm->conv;
	const int64_t sizes[] = {
		c->height, c->width, c->channels, c->out_height, c->out_width, c->outputs, c->channels / c->window.groups, c->outputs / c->window.groups,
		c->window.groups, c->window.pad_top, c->window.pad_left,
	};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
}

static void gemm_args(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_gemm *gemm, const struct vrs_ocl_tile *tile)
{
	const struct vrs_ocl_conv *c = gemm->conv;
	int64_t depth = c->channels / c->window.groups, outputs = c->outputs / c->window.groups;
	/* Vectors that are known to be aligned matter to GPUs; elsewhere one kernel does for all numbers of channels. */
	bool aligned = plan->caps.vendor != VRS_OCL_VENDOR_CPU && outputs % tile->vector == 0;

	vrs_ocl_arg_value(plan, "x", gemm->x);
	if (tile->local)
		vrs_ocl_define_vector_access(plan, "x", gemm->x, 4, depth % 4 == 0);
	vrs_ocl_arg_value(plan, "w", gemm->w);
	vrs_ocl_define_vector_access(plan, "w", gemm->w, tile->vector, true);
	if (gemm->bias != -1) {
		vrs_ocl_arg_value(plan, "b", gemm->bias);
		vrs_ocl_define_vector_access(plan, "b", gemm->bias, tile->vector, true);
	}
	if (gemm->scale != -1)
		vrs_ocl_arg_value(plan, "s", gemm->scale);
	vrs_ocl_arg_value(plan, "y", gemm->y);
	vrs_ocl_define_vector_access(plan, "y", gemm->y, tile->vector, aligned);
	gemm_sizes(plan, gemm);
	if (gemm->planes == 0) {
		vrs_ocl_vector_epilogue(plan, node, tile->vector, aligned);
		return;
	}
	vrs_ocl_define_text(plan, "EPILOGUE_ARGS", "");
	vrs_ocl_define_text(plan, "EPILOGUE(v, i)", "(v)");
	vrs_ocl_define_text(plan, "EPILOGUE4(v, i)", "(v)");
	vrs_ocl_define_text(plan, "EPILOGUEV(v, i)", "(v)");
}

/* What the products read of x, w and s. */
static void gemm_factors(struct vrs_ocl_plan *plan, const struct vrs_ocl_gemm *gemm, const struct vrs_ocl_tile *tile)
{
	int64_t depth = gemm->conv->channels / gemm->conv->window.groups;
	bool half = plan->half_math && gemm->planes == 0; /* planes are floats (ocl_lower_winograd.c) */

	vrs_ocl_define_math(plan, tile->vector, half);
	vrs_ocl_define_factor(plan, "x", gemm->x, tile->local ? tile->vector : 1, depth % 4 == 0, half);
	vrs_ocl_define_factor(plan, "w", gemm->w, tile->vector, true, half);
	if (gemm->scale == -1)
		return;
	if (tile->local)
		vrs_ocl_define_vector_access(plan, "s", gemm->scale, tile->vector, false);
	vrs_ocl_define_factor(plan, "s", gemm->scale, tile->local ? tile->vector : 1, false, half);
}

enum vrs_status vrs_ocl_gemm_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_gemm *gemm,
				  const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	const struct vrs_ocl_conv *c = gemm->conv;
	int64_t depth = c->channels / c->window.groups, outputs = c->outputs / c->window.groups, pixels = c->out_height * c->out_width;
	size_t items_n = (size_t)(vrs_ocl_rounded(outputs, (int64_t)tile->group_n * tile->item_n) / tile->item_n);
	size_t items_m = (size_t)((pixels + tile->item_m - 1) / tile->item_m);
	size_t z = (size_t)(gemm->planes > 0 ? gemm->planes : c->batch * c->window.groups);
	size_t split = (size_t)tile->split;
	bool pixels_first = tile->group_n == 1 && !tile->local;

	vrs_ocl_step_begin(plan, node, tile->local ? "conv_gemm" : "conv_direct");
	gemm_args(plan, node, gemm, tile);
	vrs_ocl_define_vector(plan, tile->vector);
	gemm_factors(plan, gemm, tile);
	vrs_ocl_define_window(plan, &c->window);
	define_tile(plan, tile);
	vrs_ocl_define_int(plan, "BIAS", gemm->bias != -1);
	vrs_ocl_define_int(plan, "SCALED", gemm->scale != -1);
	vrs_ocl_define_int(plan, "PLANES", gemm->planes > 0);
	if (tile->local) {
		vrs_ocl_define_int(plan, "STEP_K", tile->step_k);
		vrs_ocl_define_int(plan, "SPLIT", tile->split);
		vrs_ocl_define_int(plan, "WIDE", depth % 4 == 0 ? 4 : 1);
		return vrs_ocl_step_end_folded(plan, 1, (size_t[]){items_n, items_m, z * split},
					       (size_t[]){(size_t)tile->group_n, (size_t)tile->group_m, split}, err);
	}
	vrs_ocl_define_int(plan, "POINT", c->pointwise);
	vrs_ocl_define_int(plan, "RUNS", has_joined_rows(c) ? 1 : c->window.kernel_w);
	vrs_ocl_define_int(plan, "PIXELS_FIRST", pixels_first);
	if (pixels_first)
		return vrs_ocl_step_end_folded(plan, 1, (size_t[]){items_m, items_n, z}, (size_t[]){(size_t)tile->group_m, 1, 1}, err);
	return vrs_ocl_step_end_folded(plan, 1, (size_t[]){items_n, items_m, z}, (size_t[]){(size_t)tile->group_n, (size_t)tile->group_m, 1}, err);
}

static enum vrs_status gemm_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				  const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	int64_t groups = conv->window.groups, n = conv->outputs / groups, block = (int64_t)tile->group_n * tile->item_n;
	int64_t k = (int64_t)conv->window.kernel_h * conv->window.kernel_w * (conv->channels / groups);
	struct vrs_ocl_gemm gemm = {
		.conv = conv, .x = vrs_ocl_value_of(plan, node->in[0]), .w = vrs_ocl_gemm_pack(plan, tile, groups, n, k, conv->weights, false),
		.bias = conv->bias ? vrs_ocl_padded_bias(plan, conv->bias, groups, n, block) : -1,
		.scale = conv->scaled ? vrs_ocl_value_of(plan, node->scale) : -1, .y = vrs_ocl_value_of(plan, node->out),
	};

	return vrs_ocl_gemm_step(plan, node, &gemm, tile, err);
}

enum vrs_status vrs_ocl_conv_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				   const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	switch (tile->algorithm) {
	case VRS_OCL_DEPTHWISE:
		return vrs_ocl_dwconv_step(plan, node, conv, tile, err);
	case VRS_OCL_WINOGRAD:
		return vrs_ocl_winograd_steps(plan, node, conv, tile, err);
	case VRS_OCL_GEMM:
		break;
	}
	return gemm_steps(plan, node, conv, tile, err);
}

enum vrs_status vrs_ocl_lower_conv(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_conv conv;
	struct vrs_ocl_tile tiles[VRS_OCL_MAX_TILES];
	enum vrs_status status = vrs_ocl_conv_init(&conv, &plan->graph, node);
	int chosen = plan->tiles ? plan->tiles[node - plan->graph.nodes] : 0;

	if (status != VRS_OK)
		return status;
	if (vrs_ocl_is_dot(plan, node))
		return vrs_ocl_dot_steps(plan, node, &conv, err);
	int count = vrs_ocl_tile_candidates(&plan->caps, &conv, tiles, VRS_OCL_MAX_TILES);

	return vrs_ocl_conv_steps(plan, node, &conv, &tiles[chosen < count ? chosen : 0], err);
}
