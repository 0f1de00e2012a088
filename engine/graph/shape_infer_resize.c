/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes of resized maps.  A resize of an ONNX file may read its scales, sizes and region from tensors, which are constants here; they are written
 * into node->u.resize.  Resizes with half-pixel, asymmetric or corner coordinates whose ratio is exactly out / in become PLAIN ones.
 */
#include "graph/shape_infer.h"

#include <math.h>

#include "graph/model_limits.h"

#define SCALE_MAX 4096.0

/* A resolved input with one value for each of node->u.resize.entries dims (count times). */
static enum vrs_status check_resolved(const struct vrs_graph *graph, const struct vrs_node *node, int k, int count, struct vrs_error *err)
{
	const struct vrs_graph_tensor *values = vrs_operand(graph, node, k);

	if (values->data == NULL)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its size (%s) is not known before the network runs", values->name);
	if ((int64_t)vrs_tensor_elements(values) != (int64_t)count * node->u.resize.entries)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%s has %zu values, not %d", values->name, vrs_tensor_elements(values),
				     count * node->u.resize.entries);
	return VRS_OK;
}

void vrs_resize_set_region(struct vrs_resize *r, const struct vrs_graph_tensor *roi)
{
	for (int i = 0; i < 2; i++) { /* H, W */
		int place = r->entry[1 + i];

		r->roi[i] = place >= 0 ? (float)vrs_load_f64(roi->dtype, roi->data, (size_t)place) : 0;
		r->roi[2 + i] = place >= 0 ? (float)vrs_load_f64(roi->dtype, roi->data, (size_t)(r->entries + place)) : 1;
	}
}

/* Batch and channels stay; the scales of height and width are positive. */
static enum vrs_status read_scales(const struct vrs_graph *graph, struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *scales = &graph->tensors[node->in[1]];
	struct vrs_resize *r = &node->u.resize;
	double value[4];

	for (int i = 0; i < 4; i++) {
		value[i] = r->entry[i] >= 0 ? vrs_load_f64(scales->dtype, scales->data, (size_t)r->entry[i]) : 1;
		if (!(value[i] > 0 && value[i] <= SCALE_MAX) || ((i == 0 || i == 3) && value[i] != 1))
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "scale %g in dimension %d of the map (only height and width are scaled)",
					     value[i], i);
	}
	r->scale_h = value[1];
	r->scale_w = value[2];
	r->given_scale = true;
	return VRS_OK;
}

/* Sizes, made smaller or larger by a policy that keeps the proportions: the listed axes then share one scale. */
static enum vrs_status read_sizes(const struct vrs_graph *graph, struct vrs_node *node, const struct vrs_shape *x, struct vrs_error *err)
{
	const struct vrs_graph_tensor *sizes = &graph->tensors[node->in[1]];
	struct vrs_resize *r = &node->u.resize;
	int64_t size[4];
	double common = r->policy == VRS_POLICY_NOT_LARGER ? INFINITY : 0;

	for (int i = 0; i < 4; i++) {
		double scale;

		size[i] = r->entry[i] >= 0 ? vrs_load_i64(sizes->dtype, sizes->data, (size_t)r->entry[i]) : x->dims[i];
		if (size[i] < 1 || size[i] > VRS_MODEL_MAX_DIM || ((i == 0 || i == 3) && size[i] != x->dims[i]))
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "size %lld for dimension %d of the map, which has %lld (only height and width "
					     "are scaled)", (long long)size[i], i, (long long)x->dims[i]);
		scale = (double)size[i] / (double)x->dims[i];
		if (r->entry[i] >= 0)
			common = r->policy == VRS_POLICY_NOT_LARGER ? fmin(common, scale) : fmax(common, scale);
	}
	r->scale_h = r->scale_w = 0;
	r->given_scale = false;
	for (int i = 1; i <= 2; i++)
		if (r->policy != VRS_POLICY_STRETCH && r->entry[i] >= 0)
			size[i] = (int64_t)floor(common * (double)x->dims[i] + 0.5);
	if (r->policy != VRS_POLICY_STRETCH) { /* the coordinates use the common scale, before its sizes are rounded */
		r->given_scale = true;
		r->scale_h = r->entry[1] >= 0 ? common : 1;
		r->scale_w = r->entry[2] >= 0 ? common : 1;
	}
	r->out_h = size[1];
	r->out_w = size[2];
	return VRS_OK;
}

/*
 * The size of one axis.  A float product as other engines form it, or a small term, takes up the rounding of a scale such as 144 / 9.  (ONNX's text
 * multiplies by the extent of a region too, but neither its reference nor ONNX Runtime does.)
 */
static int64_t scaled(const struct vrs_resize *r, int64_t in, double scale)
{
	if (r->given_scale)
		return (int64_t)floor((double)((float)in * (float)scale));
	return (int64_t)floor((double)in * scale + 1e-6);
}

/* Does coordinate i * in / out of a PLAIN resize equal that of the given scale? */
static bool exact(const struct vrs_resize *r, double scale, int64_t in, int64_t out)
{
	return !r->given_scale || scale * (double)in == (double)out;
}

/* Choose the flags of a PLAIN resize where they say the same; a single output pixel of PYTORCH_HALF_PIXEL is no such case. */
static void choose_plain(struct vrs_resize *r, const struct vrs_shape *x, const struct vrs_shape *y)
{
	bool linear = !r->nearest && !r->cubic && !r->antialias, ratio = exact(r, r->scale_h, x->dims[1], y->dims[1]) &&
		    exact(r, r->scale_w, x->dims[2], y->dims[2]);
	bool half = r->coord == VRS_COORD_HALF_PIXEL || r->coord == VRS_COORD_HALF_PIXEL_SYMMETRIC ||
		    (r->coord == VRS_COORD_PYTORCH_HALF_PIXEL && y->dims[1] > 1 && y->dims[2] > 1);

	r->half_pixel = linear && half && ratio;
	r->align_corners = linear && r->coord == VRS_COORD_ALIGN_CORNERS && ratio;
	r->plain = r->half_pixel || r->align_corners || (linear && r->coord == VRS_COORD_ASYMMETRIC && ratio) ||
		   (r->nearest && r->coord == VRS_COORD_ASYMMETRIC && r->round == VRS_ROUND_FLOOR && ratio);
}

enum vrs_status vrs_infer_resize(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_resize *r = &node->u.resize;
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);

	*y = x;
	if (x.rank != 4 || graph->tensors[node->in[0]].dtype != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input has %d dimensions of %s, 4 of float32 are expected", x.rank,
				     vrs_dtype_name(graph->tensors[node->in[0]].dtype));
	if (vrs_operand(graph, node, 2) != NULL) {
		VRS_TRY(check_resolved(graph, node, 2, 2, err));
		vrs_resize_set_region(r, vrs_operand(graph, node, 2));
	}
	if (vrs_operand(graph, node, 1) != NULL) {
		VRS_TRY(check_resolved(graph, node, 1, 1, err));
		VRS_TRY(r->sized ? read_sizes(graph, node, &x, err) : read_scales(graph, node, err));
	}
	y->dims[1] = r->scale_h != 0 && r->policy == VRS_POLICY_STRETCH ? scaled(r, x.dims[1], r->scale_h) : r->out_h;
	y->dims[2] = r->scale_w != 0 && r->policy == VRS_POLICY_STRETCH ? scaled(r, x.dims[2], r->scale_w) : r->out_w;
	if (y->dims[1] < 1 || y->dims[2] < 1)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input of %lldx%lld is too small to be scaled", (long long)x.dims[2],
				     (long long)x.dims[1]);
	if (r->coord != VRS_COORD_PLAIN)
		choose_plain(r, &x, y);
	return VRS_OK;
}
