/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Padding, and blocks of pixels to channels and back. */
#include "graph/onnx_build.h"

static enum vrs_status build_pad(const struct vrs_onnx_node *node)
{
	static const char *const modes[] = {
		[VRS_PAD_CONSTANT] = "constant", [VRS_PAD_REFLECT] = "reflect", [VRS_PAD_EDGE] = "edge", [VRS_PAD_WRAP] = "wrap",
	};
	int mode = vrs_onnx_choice(node, "mode", modes, (int)(sizeof modes / sizeof *modes), VRS_PAD_CONSTANT);
	int64_t pads[2 * VRS_MAX_RANK];
	int32_t in[4] = {vrs_onnx_input(node, 0), vrs_onnx_input(node, 1), vrs_onnx_input(node, 2), vrs_onnx_input(node, 3)};
	struct vrs_node made;

	if (mode < 0)
		return vrs_onnx_unsupported(node, "this mode");
	if (node->opset < 11) {
		int count = vrs_onnx_ints(node, "pads", pads, 2 * VRS_MAX_RANK);

		in[1] = vrs_onnx_i64s(node, count < 0 ? 0 : count, pads);
		in[2] = vrs_onnx_number_like(node, in[0], (double)vrs_onnx_float(node, "value", 0));
		in[3] = -1;
	} else {
		VRS_TRY(vrs_onnx_need(node, 1, &in[1]));
	}
	made = vrs_node_of(VRS_OP_PAD, node->name, 4, in);
	made.u.pad.mode = (enum vrs_pad_mode)mode;
	return vrs_onnx_done(vrs_onnx_emit(node, &made, 0));
}

/* A change of shape to sizes in I64 tensors, which follow the size of the picture. */
static int32_t reshape_parts(const struct vrs_onnx_node *node, int32_t x, const int32_t *parts, int count)
{
	struct vrs_node concat = vrs_node_of(VRS_OP_CONCAT, node->name, count, parts);

	return vrs_onnx_plain(node, VRS_OP_RESHAPE, 2, (const int32_t[]){x, vrs_onnx_emit(node, &concat, -1)}, -1);
}

static int32_t number(const struct vrs_onnx_node *node, int64_t value)
{
	return vrs_onnx_i64s(node, 1, &value);
}

static enum vrs_status read_block(const struct vrs_onnx_node *node, int32_t *ret_x, int64_t *ret_block)
{
	*ret_block = vrs_onnx_int(node, "blocksize", 0);
	if (*ret_block < 1 || *ret_block > 4096)
		return vrs_fail(node->build->err, VRS_EFORMAT, "a blocksize of %lld", (long long)*ret_block);
	return vrs_onnx_done(*ret_x = vrs_onnx_to_map(node, vrs_onnx_input(node, 0)));
}

/* In the map [N][H][W][C]: the channels split into block rows, block columns and the rest, and the block moves between the pixels. */
static enum vrs_status build_depth_to_space(const struct vrs_onnx_node *node)
{
	bool crd = vrs_onnx_is(node, "mode", "CRD", "DCR");
	int32_t x = -1, y, sizes, pixels;
	int64_t b;

	VRS_TRY(read_block(node, &x, &b));
	if (!crd && !vrs_onnx_is(node, "mode", "DCR", "DCR"))
		return vrs_onnx_unsupported(node, "this mode");
	sizes = vrs_onnx_shape(node, x, 0, 3);
	pixels = vrs_onnx_binary(node, VRS_MUL, sizes, vrs_onnx_i64s(node, 3, (const int64_t[]){1, b, b}), -1);
	y = vrs_onnx_reshape(node, x, 6, crd ? (const int64_t[]){0, 0, 0, -1, b, b} : (const int64_t[]){0, 0, 0, b, b, -1}, -1);
	y = vrs_onnx_transpose(node, y, crd ? (const int[]){0, 1, 4, 2, 5, 3} : (const int[]){0, 1, 3, 2, 4, 5}, 6, -1);
	y = reshape_parts(node, y, (const int32_t[]){pixels, number(node, -1)}, 2);
	return vrs_onnx_done(vrs_onnx_from_map(node, y, 0));
}

static enum vrs_status build_space_to_depth(const struct vrs_onnx_node *node)
{
	int32_t x = -1, y, batch, block, height, width;
	int64_t b;

	VRS_TRY(read_block(node, &x, &b));
	block = number(node, b);
	batch = vrs_onnx_shape(node, x, 0, 1);
	height = vrs_onnx_binary(node, VRS_DIV, vrs_onnx_shape(node, x, 1, 2), block, -1);
	width = vrs_onnx_binary(node, VRS_DIV, vrs_onnx_shape(node, x, 2, 3), block, -1);
	y = reshape_parts(node, x, (const int32_t[]){batch, height, block, width, block, number(node, -1)}, 6);
	y = vrs_onnx_transpose(node, y, (const int[]){0, 1, 3, 2, 4, 5}, 6, -1);
	y = vrs_onnx_reshape(node, y, 4, (const int64_t[]){0, 0, 0, -1}, -1);
	return vrs_onnx_done(vrs_onnx_from_map(node, y, 0));
}

const struct vrs_onnx_op vrs_onnx_space_ops[] = {
	{"Pad", 7, 21, 1, build_pad, 0},
	{"DepthToSpace", 7, 21, 1, build_depth_to_space, 0},
	{"SpaceToDepth", 7, 21, 1, build_space_to_depth, 0},
	{0},
};
