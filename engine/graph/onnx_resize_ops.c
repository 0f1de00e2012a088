/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resize and Upsample.  Two dims of a tensor of one to four are resized; they become height and width of a map by a transposition or a change of
 * shape.  Scales and sizes that the network computes stay inputs of the node, so that they follow the size of the picture.
 */
#include "graph/eval.h"
#include "graph/model_limits.h"
#include "graph/onnx_build.h"
#include "graph/shape_infer.h"

/* What is known of one resize. */
struct plan {
	int32_t x, given, roi;      /* given: scales or sizes */
	bool sized;
	int rank, entries;
	int axis_of[VRS_MAX_RANK];  /* dim that value i of given belongs to */
	int place[4];               /* dims of x that are N, H, W and C of the map; -1: a dim of 1 is added */
	struct vrs_node made;
};

static enum vrs_status read_coordinates(const struct vrs_onnx_node *node, struct vrs_resize *r)
{
	static const char *const coords[] = {
		[VRS_COORD_HALF_PIXEL] = "half_pixel", [VRS_COORD_HALF_PIXEL_SYMMETRIC] = "half_pixel_symmetric",
		[VRS_COORD_PYTORCH_HALF_PIXEL] = "pytorch_half_pixel", [VRS_COORD_ALIGN_CORNERS] = "align_corners", [VRS_COORD_ASYMMETRIC] = "asymmetric",
		[VRS_COORD_TF_HALF_PIXEL_FOR_NN] = "tf_half_pixel_for_nn", [VRS_COORD_TF_CROP_AND_RESIZE] = "tf_crop_and_resize",
	};
	static const char *const rounds[] = {
		[VRS_ROUND_PREFER_FLOOR] = "round_prefer_floor", [VRS_ROUND_PREFER_CEIL] = "round_prefer_ceil", [VRS_ROUND_FLOOR] = "floor",
		[VRS_ROUND_CEIL] = "ceil",
	};
	int coord, round;

	if (node->opset < 11) {
		r->coord = VRS_COORD_ASYMMETRIC;
		r->round = node->opset == 10 ? VRS_ROUND_DOWN_CEIL : VRS_ROUND_FLOOR;
		return VRS_OK;
	}
	coord = vrs_onnx_choice(node, "coordinate_transformation_mode", coords, (int)(sizeof coords / sizeof *coords), VRS_COORD_HALF_PIXEL);
	round = vrs_onnx_choice(node, "nearest_mode", rounds, (int)(sizeof rounds / sizeof *rounds), VRS_ROUND_PREFER_FLOOR);
	if (coord < 0 || round < 0)
		return vrs_onnx_unsupported(node, "this coordinate_transformation_mode or nearest_mode");
	r->coord = (enum vrs_resize_coord)coord;
	r->round = (enum vrs_resize_round)round;
	return VRS_OK;
}

static enum vrs_status read_kind(const struct vrs_onnx_node *node, struct vrs_resize *r)
{
	r->nearest = vrs_onnx_is(node, "mode", "nearest", "nearest");
	r->cubic = vrs_onnx_is(node, "mode", "cubic", "nearest");
	if (!r->nearest && !r->cubic && !vrs_onnx_is(node, "mode", "linear", "nearest") && !vrs_onnx_is(node, "mode", "bilinear", "nearest"))
		VRS_TRY(vrs_onnx_unsupported(node, "this mode"));
	r->cubic_a = vrs_onnx_float(node, "cubic_coeff_a", -0.75F);
	r->exclude_outside = vrs_onnx_int(node, "exclude_outside", 0) != 0;
	r->antialias = vrs_onnx_int(node, "antialias", 0) != 0;
	r->extrapolation = vrs_onnx_float(node, "extrapolation_value", 0);
	r->policy = vrs_onnx_is(node, "keep_aspect_ratio_policy", "not_larger", "stretch") ? VRS_POLICY_NOT_LARGER :
		    vrs_onnx_is(node, "keep_aspect_ratio_policy", "not_smaller", "stretch") ? VRS_POLICY_NOT_SMALLER : VRS_POLICY_STRETCH;
	return read_coordinates(node, r);
}

static bool is_there(const struct vrs_onnx_node *node, int32_t id)
{
	const struct vrs_graph_tensor *known = id >= 0 ? vrs_onnx_known(node, id) : NULL;

	return id >= 0 && (known == NULL || vrs_tensor_elements(known) > 0); /* exporters write empty tensors for what is left out */
}

/* Scales or sizes, from an attribute (Upsample 7) or an input. */
static enum vrs_status find_given(const struct vrs_onnx_node *node, struct plan *p)
{
	const Onnx__AttributeProto *scales = vrs_onnx_attribute(node, "scales");
	int first = node->opset < 11 ? 1 : 2;

	p->x = vrs_onnx_input(node, 0);
	p->given = vrs_onnx_input(node, first);
	p->roi = node->opset < 11 ? -1 : vrs_onnx_input(node, 1);
	if (scales != NULL && scales->n_floats > 0)
		p->given = vrs_onnx_const(node, VRS_F32, 1, &(int64_t){(int64_t)scales->n_floats}, scales->floats);
	if (!is_there(node, p->given) && node->opset >= 11) {
		p->given = vrs_onnx_input(node, 3);
		p->sized = true;
	}
	if (!is_there(node, p->given))
		return vrs_fail(node->build->err, VRS_EFORMAT, "it has neither scales nor sizes");
	return vrs_onnx_done(p->given);
}

static enum vrs_status find_axes(const struct vrs_onnx_node *node, struct plan *p)
{
	int64_t axes[VRS_MAX_RANK];
	int count = vrs_onnx_ints(node, "axes", axes, VRS_MAX_RANK), rank = vrs_onnx_rank(node, p->x);
	unsigned seen = 0;

	p->rank = rank < 0 ? 4 : rank;
	p->entries = count > 0 ? count : p->rank;
	for (int i = 0; i < p->entries; i++) {
		int64_t axis = count > 0 ? (axes[i] < 0 ? axes[i] + p->rank : axes[i]) : i;

		if (axis < 0 || axis >= p->rank || (seen & 1u << axis))
			return vrs_fail(node->build->err, VRS_EFORMAT, "axis %lld of %d dimensions, or twice", (long long)axis, p->rank);
		seen |= 1u << axis;
		p->axis_of[i] = (int)axis;
	}
	return VRS_OK;
}

/* Does value i leave its dim as it is, as far as the file tells? */
static bool stays(const struct vrs_onnx_node *node, const struct plan *p, const struct vrs_graph_tensor *given, int i)
{
	const struct vrs_graph_tensor *x = vrs_onnx_known(node, p->x);

	if (given == NULL || (int)vrs_tensor_elements(given) != p->entries)
		return p->entries == p->rank && p->axis_of[i] < p->rank - 2; /* the last two dims are the picture */
	if (!p->sized)
		return vrs_load_f64(given->dtype, given->data, (size_t)i) == 1;
	if (x == NULL || node->build->open)
		return p->entries == p->rank && p->axis_of[i] < p->rank - 2;
	return p->made.u.resize.policy == VRS_POLICY_STRETCH && vrs_load_i64(given->dtype, given->data, (size_t)i) == x->dims[p->axis_of[i]];
}

/* Which dims are H and W; false: more than two change. */
static bool place_dims(const struct vrs_onnx_node *node, struct plan *p)
{
	const struct vrs_graph_tensor *given = vrs_onnx_constant(node, p->given);
	unsigned changing = 0;
	int h = -1, w = -1, others = 0;

	for (int i = 0; i < p->entries; i++)
		changing |= stays(node, p, given, i) ? 0 : 1u << p->axis_of[i];
	for (int d = 0; d < p->rank; d++) {
		if (!(changing & 1u << d))
			continue;
		if (w >= 0)
			return false;
		if (h < 0)
			h = d;
		else
			w = d;
	}
	if (w < 0) { /* one or none: with its neighbour, the last two where possible */
		h = h < 0 || h == p->rank - 1 ? p->rank - 2 : h;
		w = h + 1;
	}
	p->place[0] = p->place[3] = -1;
	p->place[1] = h;
	p->place[2] = w;
	for (int d = 0; d < p->rank; d++)
		if (d != h && d != w)
			p->place[others++ == 0 ? 0 : 3] = d;
	return others <= 2;
}

/* Place of a map's dim among the values given. */
static int entry_of(const struct plan *p, int map_dim)
{
	for (int i = 0; i < p->entries; i++)
		if (p->axis_of[i] == p->place[map_dim] && p->place[map_dim] >= 0)
			return i;
	return -1;
}

/* Constants are read here; sizes of a network whose input size is fixed become scales, so that the map follows another size. */
static enum vrs_status read_given(const struct vrs_onnx_node *node, struct plan *p)
{
	const struct vrs_graph_tensor *given = vrs_onnx_constant(node, p->given), *x = vrs_onnx_known(node, p->x);
	struct vrs_resize *r = &p->made.u.resize;
	double *scales[2] = {&r->scale_h, &r->scale_w};
	int64_t *sizes[2] = {&r->out_h, &r->out_w};

	if (given != NULL && (int)vrs_tensor_elements(given) != p->entries)
		return vrs_fail(node->build->err, VRS_EFORMAT, "%zu scales or sizes for %d dimensions", vrs_tensor_elements(given), p->entries);
	if (given == NULL || (p->sized && (x == NULL || node->build->open || r->policy != VRS_POLICY_STRETCH))) {
		p->made.in[1] = p->given;
		p->made.inputs = 2;
		return VRS_OK;
	}
	r->given_scale = !p->sized;
	for (int i = 0; i < 2; i++) {
		int entry = r->entry[1 + i], dim = p->place[1 + i];
		int64_t in = p->sized && dim >= 0 ? x->dims[dim] : 1;

		*sizes[i] = p->sized && entry >= 0 ? vrs_load_i64(given->dtype, given->data, (size_t)entry) : in;
		if (p->sized)
			*scales[i] = in > 1 ? (double)*sizes[i] / (double)in : 0;
		else
			*scales[i] = entry >= 0 ? vrs_load_f64(given->dtype, given->data, (size_t)entry) : 1;
		if (*sizes[i] < 1 || *sizes[i] > VRS_MODEL_MAX_DIM || !(*scales[i] >= 0) || (!p->sized && *scales[i] == 0))
			return vrs_fail(node->build->err, VRS_EFORMAT, "scale %g, size %lld", *scales[i], (long long)*sizes[i]);
	}
	return VRS_OK;
}

static enum vrs_status read_region(const struct vrs_onnx_node *node, struct plan *p)
{
	const struct vrs_graph_tensor *roi = vrs_onnx_constant(node, p->roi);
	struct vrs_resize *r = &p->made.u.resize;

	if (r->coord != VRS_COORD_TF_CROP_AND_RESIZE)
		return VRS_OK;
	if (!is_there(node, p->roi))
		return vrs_fail(node->build->err, VRS_EFORMAT, "tf_crop_and_resize without a region");
	if (roi == NULL) {
		p->made.in[2] = p->roi;
		p->made.inputs = 3;
		return VRS_OK;
	}
	if ((int)vrs_tensor_elements(roi) != 2 * p->entries)
		return vrs_fail(node->build->err, VRS_EFORMAT, "a region of %zu values for %d dimensions", vrs_tensor_elements(roi), p->entries);
	vrs_resize_set_region(r, roi);
	return VRS_OK;
}

/* Transposition of a tensor unless it changes nothing. */
static int32_t move(const struct vrs_onnx_node *node, int32_t x, const int *perm, int rank, int output)
{
	bool same = output < 0;

	for (int i = 0; i < rank; i++)
		same = same && perm[i] == i;
	return same ? x : vrs_onnx_transpose(node, x, perm, rank, output);
}

static int32_t enter(const struct vrs_onnx_node *node, const struct plan *p)
{
	int32_t x = vrs_onnx_cast(node, p->x, VRS_F32, -1);

	switch (p->rank) {
	case 4: return move(node, x, p->place, 4, -1);
	case 3: return vrs_onnx_reshape(node, move(node, x, p->place, 3, -1), 4, (const int64_t[]){0, 0, 0, 1}, -1);
	case 2:
		x = vrs_onnx_reshape(node, x, 4, (const int64_t[]){0, 0, 1, 1}, -1);
		return move(node, x, (const int[]){2, 0, 1, 3}, 4, -1);
	default: return vrs_onnx_reshape(node, x, 4, (const int64_t[]){1, 1, -1, 1}, -1);
	}
}

static int32_t leave(const struct vrs_onnx_node *node, const struct plan *p, int32_t y, int output)
{
	int back[4] = {0};

	for (int i = 0; i < 4 && p->rank >= 3; i++)
		if (p->place[i] >= 0)
			back[p->place[i]] = i;
	switch (p->rank) {
	case 4: return move(node, y, back, 4, output);
	case 3: return move(node, vrs_onnx_reshape(node, y, 3, (const int64_t[]){0, 0, 0}, -1), back, 3, output);
	case 2:
		y = move(node, y, (const int[]){1, 2, 0, 3}, 4, -1);
		return vrs_onnx_reshape(node, y, 2, (const int64_t[]){0, 0}, output);
	default: return vrs_onnx_reshape(node, y, 1, (const int64_t[]){-1}, output);
	}
}

static enum vrs_status build_resize(const struct vrs_onnx_node *node)
{
	struct plan p = {0};
	enum vrs_dtype type;
	int32_t y;

	vrs_node_init(&p.made, VRS_OP_RESIZE, node->name);
	VRS_TRY(read_kind(node, &p.made.u.resize));
	VRS_TRY(find_given(node, &p));
	VRS_TRY(find_axes(node, &p));
	if (p.rank < 1 || p.rank > 4 || !place_dims(node, &p))
		return vrs_onnx_unsupported(node, "more than two of %d dimensions (one to four) are resized", p.rank);
	p.made.u.resize.entries = p.entries;
	p.made.u.resize.sized = p.sized;
	for (int i = 0; i < 4; i++)
		p.made.u.resize.entry[i] = (int8_t)entry_of(&p, i);
	p.made.inputs = 1;
	VRS_TRY(read_given(node, &p));
	VRS_TRY(read_region(node, &p));
	type = vrs_onnx_type_of(node, p.x);
	p.made.in[0] = enter(node, &p);
	VRS_TRY(vrs_onnx_done(p.made.in[0]));
	if (type == VRS_F32 && p.rank == 4 && p.place[0] == 0 && p.place[1] == 1 && p.place[2] == 2)
		return vrs_onnx_done(vrs_onnx_emit(node, &p.made, 0));
	y = leave(node, &p, vrs_onnx_emit(node, &p.made, -1), vrs_onnx_slot(type));
	return vrs_onnx_done_as(node, y, type);
}

const struct vrs_onnx_op vrs_onnx_resize_ops[] = {
	{"Resize", 10, 21, 1, build_resize, 0},
	{"Upsample", 7, 9, 1, build_resize, 0},
	{0},
};
