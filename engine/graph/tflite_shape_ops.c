/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of TFLite that move values: joins, borders, shapes. */
#include <string.h>

#include "graph/tflite_ops.h"

enum vrs_status vrs_tflite_lower_concat(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	int fused = vrs_fb_i8(&build->file.fb, &op->options, 1, 0);
	struct vrs_node node;
	int rank;

	if (op->inputs.count > VRS_NODE_MAX_INPUTS)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "it joins %u tensors, at most %d are supported", (unsigned)op->inputs.count, VRS_NODE_MAX_INPUTS);
	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_CONCAT, (int)op->inputs.count, false, &node));
	rank = build->graph.tensors[node.in[0]].rank;
	node.u.concat.axis = vrs_fb_i32(&build->file.fb, &op->options, 0, 0);
	if (node.u.concat.axis < 0 && node.u.concat.axis >= -rank)
		node.u.concat.axis += rank;
	return vrs_tflite_emit_then_act(build, op, &node, fused);
}

enum vrs_status vrs_tflite_lower_pad(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	int64_t pads[2 * VRS_MAX_RANK];
	struct vrs_node node;
	int count;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_PAD, 1, false, &node));
	VRS_TRY(vrs_tflite_ints(build, op, 1, pads, 2 * VRS_MAX_RANK, &count));
	if (count != 2 * build->graph.tensors[node.in[0]].rank)
		return vrs_fail(build->err, VRS_EFORMAT, "it has %d paddings for %d dimensions", count, build->graph.tensors[node.in[0]].rank);
	for (int i = 0; i < count; i++)
		if (pads[i] < 0)
			return vrs_fail(build->err, VRS_EFORMAT, "padding %lld is negative", (long long)pads[i]);
	for (int i = 0; i < count / 2; i++) {
		node.u.pad.before[i] = pads[2 * i];
		node.u.pad.after[i] = pads[2 * i + 1];
	}
	if (op->code->builtin == VRS_TFLITE_PADV2) {
		int32_t value;

		VRS_TRY(vrs_tflite_need(build, op, 2, &value));
		if (build->graph.tensors[value].data == NULL || build->graph.tensors[value].dtype != VRS_F32)
			return vrs_fail(build->err, VRS_EUNSUPPORTED, "its padding value is not a float constant");
		memcpy(node.u.pad.fill, build->graph.tensors[value].data, sizeof(float));
	}
	return vrs_tflite_emit(build, op, &node);
}

/*
 * A stored shape holds for one batch and size.  Dims equal to the input's at the same place from the left become 0 ("copy"); dims equal
 * from the right stay constant; if exactly one dim lies between them it becomes -1, so that [N,H,W,C] -> [N,HW,C] fits every N, H and W.
 */
static void general_shape(const struct vrs_graph_tensor *x, const int64_t *wanted, int count, int32_t *dims)
{
	int head = 0, tail = 0;

	while (head < count && head < x->rank && wanted[head] == x->dims[head])
		head++;
	while (tail < count - head && tail < x->rank - head && wanted[count - 1 - tail] == x->dims[x->rank - 1 - tail])
		tail++;
	for (int i = 0; i < count; i++)
		dims[i] = i < head ? 0 : (int32_t)wanted[i];
	if (count - head - tail == 1)
		dims[head] = -1;
}

static enum vrs_status emit_reshape(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, int32_t x, int64_t *wanted, int count)
{
	const struct vrs_graph_tensor *from = &build->graph.tensors[x];
	int64_t have = (int64_t)vrs_tensor_elements(from), known = 1;
	int32_t dims[VRS_MAX_RANK];
	struct vrs_node node;
	int rest = -1;

	for (int i = 0; i < count; i++) {
		if (wanted[i] == -1 && rest < 0)
			rest = i;
		else if (wanted[i] < 1 || wanted[i] > have || (known *= wanted[i]) > have) /* have is at most 2^31 */
			return vrs_fail(build->err, VRS_EFORMAT, "its new shape does not fit %lld values", (long long)have);
	}
	if (rest >= 0)
		wanted[rest] = have / known;
	general_shape(from, wanted, count, dims);
	vrs_node_init(&node, VRS_OP_RESHAPE, NULL);
	node.inputs = 2;
	node.in[0] = x;
	VRS_TRY(vrs_tflite_shape(build, dims, count, &node.in[1]));
	return vrs_tflite_emit(build, op, &node);
}

enum vrs_status vrs_tflite_lower_reshape(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb_vector stored = vrs_fb_vector(&build->file.fb, &op->options, 0, 4, VRS_MAX_RANK);
	int64_t wanted[VRS_MAX_RANK];
	int count = (int)stored.count;
	int32_t x;

	VRS_TRY(vrs_tflite_need(build, op, 0, &x));
	if (op->inputs.count > 1)
		VRS_TRY(vrs_tflite_ints(build, op, 1, wanted, VRS_MAX_RANK, &count));
	else
		for (int i = 0; i < count; i++)
			wanted[i] = vrs_fb_vector_i32(&build->file.fb, &stored, (uint32_t)i);
	return emit_reshape(build, op, x, wanted, count);
}

enum vrs_status vrs_tflite_lower_squeeze(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb_vector axes = vrs_fb_vector(&build->file.fb, &op->options, 0, 4, VRS_MAX_RANK);
	const struct vrs_graph_tensor *from;
	int64_t wanted[VRS_MAX_RANK];
	unsigned drop = 0;
	int count = 0;
	int32_t x;

	VRS_TRY(vrs_tflite_need(build, op, 0, &x));
	from = &build->graph.tensors[x];
	for (uint32_t i = 0; i < axes.count; i++) {
		int32_t axis = vrs_fb_vector_i32(&build->file.fb, &axes, i);

		axis += axis < 0 ? from->rank : 0;
		if (axis < 0 || axis >= from->rank || from->dims[axis] != 1)
			return vrs_fail(build->err, VRS_EFORMAT, "dimension %d cannot be removed", (int)axis);
		drop |= 1u << axis;
	}
	for (int i = 0; i < from->rank; i++)
		if (axes.count == 0 ? from->dims[i] != 1 : (drop >> i & 1) == 0)
			wanted[count++] = from->dims[i];
	return emit_reshape(build, op, x, wanted, count);
}
