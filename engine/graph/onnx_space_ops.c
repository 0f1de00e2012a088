/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Padding, and blocks of pixels to channels and back. */
#include "graph/eval.h"
#include "graph/import_try.h"
#include "graph/onnx_parts.h"

static enum vrs_status build_pad(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	static const struct { const char *name; enum vrs_pad_mode mode; } modes[] = {
		{"constant", VRS_PAD_CONSTANT}, {"reflect", VRS_PAD_REFLECT}, {"edge", VRS_PAD_EDGE}, {"wrap", VRS_PAD_WRAP},
	};
	int64_t pads[2 * VRS_MAX_RANK];
	struct vrs_node made;
	size_t m = 0;
	int count;

	vrs_node_init(&made, VRS_OP_PAD, node->name);
	VRS_TRY(vrs_onnx_need(build, node, 0, &made.in[0]));
	while (m < sizeof modes / sizeof *modes && !vrs_onnx_is(node, "mode", modes[m].name, "constant"))
		m++;
	if (m == sizeof modes / sizeof *modes)
		return vrs_onnx_unsupported(build, node, "this mode");
	made.u.pad.mode = modes[m].mode;
	if (node->opset < 11) {
		count = vrs_onnx_ints(node, "pads", pads, 2 * VRS_MAX_RANK);
		made.u.pad.value = vrs_onnx_float(node, "value", 0);
		made.in[1] = vrs_onnx_i64s(build, count < 0 ? 0 : count, pads);
		VRS_TRY(vrs_onnx_done(made.in[1]));
	} else {
		VRS_TRY(vrs_onnx_need(build, node, 1, &made.in[1]));
		made.in[2] = vrs_onnx_input(build, node, 2);
		made.in[3] = vrs_onnx_input(build, node, 3);
	}
	made.inputs = 4;
	return vrs_onnx_done(vrs_onnx_emit(build, node, &made, 0));
}

/* A change of shape to sizes in I64 tensors, which follow the size of the picture. */
static int32_t reshape_parts(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, const int32_t *parts, int count)
{
	int32_t shape = vrs_onnx_concat(build, node, 0, parts, count);

	return vrs_onnx_reshape_to(build, node, x, shape, -1);
}

static int32_t number(struct vrs_onnx_build *build, int64_t value)
{
	return vrs_onnx_i64s(build, 1, &value);
}

static enum vrs_status read_block(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t *ret_x, int64_t *ret_block)
{
	*ret_block = vrs_onnx_int(node, "blocksize", 0);
	VRS_TRY(vrs_onnx_need(build, node, 0, ret_x));
	if (*ret_block < 1 || *ret_block > 4096)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "a blocksize of %lld", (long long)*ret_block);
	VRS_TRY(vrs_onnx_done(*ret_x = vrs_onnx_to_map(build, node, *ret_x)));
	return VRS_OK;
}

/* In the map [N][H][W][C]: the channels split into block rows, block columns and the rest, and the block moves between the pixels. */
static enum vrs_status build_depth_to_space(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	bool crd = vrs_onnx_is(node, "mode", "CRD", "DCR");
	int32_t x, y, sizes, pixels;
	int64_t b;

	VRS_TRY(read_block(build, node, &x, &b));
	if (!crd && !vrs_onnx_is(node, "mode", "DCR", "DCR"))
		return vrs_onnx_unsupported(build, node, "this mode");
	sizes = vrs_onnx_shape(build, node, x, 0, 3);
	pixels = vrs_onnx_binary(build, node, VRS_MUL, sizes, vrs_onnx_i64s(build, 3, (const int64_t[]){1, b, b}), -1);
	y = vrs_onnx_reshape(build, node, x, 6, crd ? (const int64_t[]){0, 0, 0, -1, b, b} : (const int64_t[]){0, 0, 0, b, b, -1}, -1);
	y = y < 0 ? y : vrs_onnx_transpose(build, node, y, crd ? (const int[]){0, 1, 4, 2, 5, 3} : (const int[]){0, 1, 3, 2, 4, 5}, 6, -1);
	y = reshape_parts(build, node, y, (const int32_t[]){pixels, number(build, -1)}, 2);
	return vrs_onnx_done(y < 0 ? y : vrs_onnx_from_map(build, node, y, 0));
}

static enum vrs_status build_space_to_depth(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x, y, batch, block, height, width;
	int64_t b;

	VRS_TRY(read_block(build, node, &x, &b));
	block = number(build, b);
	batch = vrs_onnx_shape(build, node, x, 0, 1);
	height = vrs_onnx_binary(build, node, VRS_DIV, vrs_onnx_shape(build, node, x, 1, 2), block, -1);
	width = vrs_onnx_binary(build, node, VRS_DIV, vrs_onnx_shape(build, node, x, 2, 3), block, -1);
	y = reshape_parts(build, node, x, (const int32_t[]){batch, height, block, width, block, number(build, -1)}, 6);
	y = y < 0 ? y : vrs_onnx_transpose(build, node, y, (const int[]){0, 1, 3, 2, 4, 5}, 6, -1);
	y = vrs_onnx_reshape(build, node, y, 4, (const int64_t[]){0, 0, 0, -1}, -1);
	return vrs_onnx_done(y < 0 ? y : vrs_onnx_from_map(build, node, y, 0));
}

const struct vrs_onnx_op vrs_onnx_space_ops[] = {
	{"Pad", 7, 21, build_pad},
	{"DepthToSpace", 7, 21, build_depth_to_space},
	{"SpaceToDepth", 7, 21, build_space_to_depth},
	{0},
};
