/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transposed convolutions with constant weights: kernels/deconv.cl, or kernels/deconv_depthwise.cl where each channel is a group. */
#include "base/mem.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_maps.h"

#define PIXELS 4              /* output pixels of a work-item */
#define MANY_ITEMS (1 << 14)  /* work-items that keep a device busy */

struct deconv {
	const struct vrs_graph_tensor *x, *w, *y;
	int64_t groups, depth, outputs; /* groups; input and output channels of each */
	int64_t block, blocks;          /* output channels of a work-item, and such blocks in a group */
};

static struct deconv deconv_of(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *tensors = plan->graph.tensors;
	struct deconv d = {.x = &tensors[node->in[0]], .w = &tensors[node->in[1]], .y = &tensors[node->out], .groups = node->u.window.groups};

	d.depth = d.w->dims[3];
	d.outputs = d.w->dims[0] / d.groups;
	d.block = d.outputs < 3 ? 1 : 4;
	d.blocks = (d.outputs + d.block - 1) / d.block;
	return d;
}

/* [O][KH][KW][I / groups] as [groups][blocks][KH][KW][depth][block], zeros behind a group's last channel. */
static int32_t pack_weights(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct deconv *d)
{
	const float *from = d->w->data;
	size_t taps = (size_t)node->u.window.kernel_h * (size_t)node->u.window.kernel_w, depth = (size_t)d->depth, count;

	if (!vrs_mul_size((size_t)(d->groups * d->blocks * d->block), taps * depth, &count))
		return VRS_ELIMIT;
	float *packed = vrs_calloc(count + 1, sizeof *packed);

	if (!packed)
		return VRS_ENOMEM;
	for (size_t o = 0; o < (size_t)d->w->dims[0]; o++) {
		size_t channel = o % (size_t)d->outputs, block = o / (size_t)d->outputs * (size_t)d->blocks + channel / (size_t)d->block;

		for (size_t i = 0; i < taps * depth; i++)
			packed[(block * taps * depth + i) * (size_t)d->block + channel % (size_t)d->block] = from[o * taps * depth + i];
	}
	int32_t value = vrs_ocl_weights(plan, packed, count);

	vrs_free(packed);
	return value;
}

/* [groups][blocks][block], zeros without a bias. */
static int32_t pack_bias(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct deconv *d)
{
	const float *bias = vrs_ocl_constant(plan, node->in[2]);
	size_t count = (size_t)(d->groups * d->blocks * d->block);
	float *packed = vrs_calloc(count + 1, sizeof *packed);

	if (!packed)
		return VRS_ENOMEM;
	for (int64_t o = 0; bias && o < d->w->dims[0]; o++)
		packed[o / d->outputs * d->blocks * d->block + o % d->outputs] = bias[o];
	int32_t value = vrs_ocl_weights_f32(plan, packed, count);

	vrs_free(packed);
	return value;
}

/* [C][KH][KW][1] as [KH][KW][C]. */
static int32_t pack_depthwise(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct deconv *d)
{
	return vrs_ocl_weights_turned(plan, d->w->data, (size_t)d->groups, (size_t)node->u.window.kernel_h * (size_t)node->u.window.kernel_w);
}

static void begin(struct vrs_ocl_plan *plan, const struct vrs_node *node, const char *template_name, int32_t weights, int32_t bias)
{
	vrs_ocl_step_begin(plan, node, template_name);
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_value(plan, "w", weights);
	vrs_ocl_arg_value(plan, "bias", bias);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_map_window(plan, &node->u.window);
}

static enum vrs_status lower_depthwise(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct deconv *d, struct vrs_error *err)
{
	size_t n = vrs_tensor_elements(d->y);
	int32_t weights = pack_depthwise(plan, node, d), bias = pack_bias(plan, node, d);

	begin(plan, node, "deconv_depthwise", weights, bias);
	n /= (size_t)vrs_ocl_map_vector(plan, d->groups);
	vrs_ocl_arg_int(plan, d->x->dims[1]);
	vrs_ocl_arg_int(plan, d->x->dims[2]);
	vrs_ocl_arg_int(plan, d->groups);
	vrs_ocl_arg_int(plan, d->y->dims[1]);
	vrs_ocl_arg_int(plan, d->y->dims[2]);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_map_end(plan, n, err);
}

static enum vrs_status lower_blocks(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct deconv *d, struct vrs_error *err)
{
	int stride = node->u.window.stride_w;
	int64_t rows = d->y->dims[0] * d->y->dims[1], phase = (d->y->dims[2] + stride - 1) / stride, blocks = d->groups * d->blocks;
	int64_t pixels = rows * phase / PIXELS * stride * blocks >= MANY_ITEMS ? PIXELS : 1, columns = (phase + pixels - 1) / pixels * stride;

	columns = columns < d->y->dims[2] ? columns : d->y->dims[2];
	const int64_t shapes[] = {d->x->dims[1], d->x->dims[2], d->x->dims[3], d->depth, d->y->dims[1], d->y->dims[2], d->outputs, d->groups, d->blocks,
				  columns, rows * columns * blocks};
	int32_t weights = pack_weights(plan, node, d), bias = pack_bias(plan, node, d);

	begin(plan, node, "deconv", weights, bias);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		vrs_ocl_arg_int(plan, shapes[i]);
	vrs_ocl_define_int(plan, "BLOCK", d->block);
	vrs_ocl_define_int(plan, "PIXELS", pixels);
	vrs_ocl_define_int(plan, "DEPTH_4", d->depth % 4 == 0);
	vrs_ocl_define_text(plan, "A", d->block == 4 ? "float4" : "float");
	vrs_ocl_define_text(plan, "LOAD_BIAS(p, i)", d->block == 4 ? "vload4(0, p + (i))" : "p[i]");
	vrs_ocl_define_text(plan, "LOAD_WEIGHTS(p, i)", d->block == 4 ? "w_LD4(p, i)" : "w_LD(p, i)");
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_map_end(plan, (size_t)(rows * columns * blocks), err);
}

enum vrs_status vrs_ocl_lower_deconv(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	if (!vrs_ocl_constant(plan, node->in[1]) || (node->in[2] >= 0 && !vrs_ocl_constant(plan, node->in[2])))
		return VRS_EUNSUPPORTED;
	struct deconv d = deconv_of(plan, node);

	return d.depth == 1 && d.outputs == 1 ? lower_depthwise(plan, node, &d, err) : lower_blocks(plan, node, &d, err);
}
