/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Normalisation: rows by one group each (kernels/layer_norm.cl); channels of maps, or groups of them, by three kernels, so that a map of few channels
 * uses the whole device (kernels/instance_norm_chunks.cl, _merge.cl, instance_norm.cl).
 */
#include "opencl/ocl_lower.h"
#include "opencl/ocl_maps.h"

#define MANY_LANES 256 /* for a long row */
#define LONG_ROW 4096

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t id)
{
	return &plan->graph.tensors[id];
}

/* Scale or bias of a norm: constants stay float, as biases of convolutions do.  Left out: `other`, which nobody reads. */
static void arg_factor(struct vrs_ocl_plan *plan, const char *name, int32_t tensor, int32_t other)
{
	const float *data = vrs_ocl_constant(plan, tensor);

	if (data)
		vrs_ocl_arg_value(plan, name, vrs_ocl_weights_f32(plan, data, vrs_tensor_elements(tensor_of(plan, tensor))));
	else
		vrs_ocl_arg_tensor(plan, name, tensor >= 0 ? tensor : other);
}

enum vrs_status vrs_ocl_lower_layer_norm(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	int axis = node->u.norm.axis < 0 ? node->u.norm.axis + x->rank : node->u.norm.axis, vec, lanes, across;
	int64_t count = 1, rows;

	for (int i = axis; i < x->rank; i++)
		count *= x->dims[i];
	if (vrs_tensor_elements(x) == 0)
		return VRS_OK; /* nothing to do */
	rows = (int64_t)vrs_tensor_elements(x) / count;
	vrs_ocl_step_begin(plan, node, "layer_norm");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	arg_factor(plan, "scale", node->in[1], node->in[0]);
	arg_factor(plan, "bias", node->in[2], node->in[0]);
	vrs_ocl_arg_int(plan, rows);
	vrs_ocl_arg_int(plan, count);
	vrs_ocl_arg_float(plan, (double)node->u.norm.epsilon);
	vec = vrs_ocl_map_vector(plan, count);
	lanes = vrs_ocl_lanes(plan, count >= LONG_ROW ? MANY_LANES : VRS_OCL_GROUP);
	across = vrs_ocl_power_at_most(count / vec < lanes ? count / vec : lanes);
	vrs_ocl_define_int(plan, "LANES", lanes);
	vrs_ocl_define_int(plan, "ACROSS", across);
	vrs_ocl_define_int(plan, "HAS_SCALE", node->in[1] >= 0);
	vrs_ocl_define_int(plan, "HAS_BIAS", node->in[2] >= 0);
	vrs_ocl_define_text(plan, "SUM(v)", vec == 4 ? "((v).s0 + (v).s1 + ((v).s2 + (v).s3))" : "(v)");
	return vrs_ocl_step_end(plan, 1, (size_t[]){(size_t)(rows * across)}, (size_t[]){(size_t)lanes}, err);
}

/* What the three kernels of an instance norm share. */
struct maps {
	int64_t batch, pixels, channels, depth; /* channels of a group */
	struct vrs_ocl_sharing sharing;
	int32_t means, squares, norms;          /* values */
};

static enum vrs_status lower_chunks(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct maps *m, struct vrs_error *err)
{
	const struct vrs_ocl_sharing *s = &m->sharing;

	vrs_ocl_step_begin(plan, node, "instance_norm_chunks");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_value(plan, "means", m->means);
	vrs_ocl_arg_value(plan, "squares", m->squares);
	vrs_ocl_arg_int(plan, m->pixels);
	vrs_ocl_arg_int(plan, m->channels);
	vrs_ocl_arg_int(plan, s->chunk);
	return vrs_ocl_sharing_end(plan, s, m->channels, m->batch, err);
}

static enum vrs_status lower_merge(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct maps *m, struct vrs_error *err)
{
	size_t lanes = (size_t)m->sharing.lanes;

	vrs_ocl_step_begin(plan, node, "instance_norm_merge");
	vrs_ocl_arg_value(plan, "means", m->means);
	vrs_ocl_arg_value(plan, "squares", m->squares);
	vrs_ocl_arg_value(plan, "norms", m->norms);
	vrs_ocl_arg_int(plan, m->pixels);
	vrs_ocl_arg_int(plan, m->channels);
	vrs_ocl_arg_int(plan, m->sharing.chunk);
	vrs_ocl_arg_int(plan, m->sharing.chunks);
	vrs_ocl_arg_int(plan, m->depth);
	vrs_ocl_arg_float(plan, (double)node->u.norm.epsilon);
	vrs_ocl_define_int(plan, "LANES", m->sharing.lanes);
	return vrs_ocl_step_end(plan, 2, (size_t[]){(size_t)(m->channels / m->depth) * lanes, (size_t)m->batch}, (size_t[]){lanes, 1}, err);
}

static enum vrs_status lower_apply(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct maps *m, struct vrs_error *err)
{
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out));

	vrs_ocl_step_begin(plan, node, "instance_norm");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_value(plan, "norms", m->norms);
	arg_factor(plan, "scale", node->in[1], -1);
	arg_factor(plan, "bias", node->in[2], -1);
	vrs_ocl_arg_int(plan, m->pixels);
	vrs_ocl_arg_int(plan, m->channels);
	vrs_ocl_arg_int(plan, m->depth);
	n /= (size_t)vrs_ocl_map_vector(plan, m->channels);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}

enum vrs_status vrs_ocl_lower_instance_norm(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]);
	struct maps m = {.batch = x->dims[0], .pixels = x->dims[1] * x->dims[2], .channels = x->dims[3], .depth = 1};

	if (vrs_tensor_elements(x) == 0)
		return VRS_OK; /* nothing to do */
	if (node->u.norm.groups > 0)
		m.depth = m.channels / node->u.norm.groups;
	m.sharing = vrs_ocl_share_map(plan, m.pixels, m.channels);
	m.means = vrs_ocl_scratch(plan, (size_t)(m.batch * m.sharing.chunks * m.channels));
	m.squares = vrs_ocl_scratch(plan, (size_t)(m.batch * m.sharing.chunks * m.channels));
	m.norms = vrs_ocl_scratch(plan, (size_t)(m.batch * (m.channels / m.depth) * 2));
	VRS_TRY(lower_chunks(plan, node, &m, err));
	VRS_TRY(lower_merge(plan, node, &m, err));
	return lower_apply(plan, node, &m, err);
}
