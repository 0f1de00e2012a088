/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A TFLite import in progress, steps that most operators have, and the families behind the table of tflite_ops.c. */
#ifndef VRS_GRAPH_TFLITE_OPS_H
#define VRS_GRAPH_TFLITE_OPS_H

#include "graph/ir.h"
#include "graph/tflite_file.h"

struct vrs_tflite_build {
	struct vrs_tflite_file file;
	struct vrs_graph graph;
	int32_t *map;             /* file tensor -> graph tensor; -1: not yet */
	size_t const_bytes;       /* made so far, against the limits of model_limits.h */
	struct vrs_error *err;
};

/* Lower one operator. */
typedef enum vrs_status vrs_tflite_lower_fn(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
/* NULL: not supported. */
vrs_tflite_lower_fn *vrs_tflite_lower(const struct vrs_tflite_code *code);

/* tflite_import.c: graph tensor of input k: -1 in *ret_id when the optional input is left out. Constants are converted on first use. */
enum vrs_status vrs_tflite_input(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id);
/* Integer constant of input k (shapes, paddings, axes): VRS_EUNSUPPORTED when it is computed, VRS_ELIMIT above max values. */
enum vrs_status vrs_tflite_ints(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int64_t *ret_values, int max,
				int *ret_count);
/* Append node with the operator's output 0 as its output; check it, infer its shape, fold it. */
enum vrs_status vrs_tflite_emit(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node);
/* Append node with a new tensor as its output, for operators that become several nodes. */
enum vrs_status vrs_tflite_emit_part(struct vrs_tflite_build *build, struct vrs_node *node, int32_t *ret_out);
/* I32 constant of a shape for VRS_OP_RESHAPE. */
enum vrs_status vrs_tflite_shape(struct vrs_tflite_build *build, const int32_t *dims, int count, int32_t *ret_id);
/* The status of an id that vrs_graph_add_tensor or _add_const has returned. */
enum vrs_status vrs_tflite_added(struct vrs_tflite_build *build, int32_t id);

/* tflite_ops.c: input k, which must be present. */
enum vrs_status vrs_tflite_need(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id);
/* The same for an activation or constant with four dimensions. */
enum vrs_status vrs_tflite_need_map(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id);
/* A node with the first inputs of the operator, which must be present; with `maps` all of them have four dimensions. */
enum vrs_status vrs_tflite_begin(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, enum vrs_op kind, int inputs, bool maps,
				 struct vrs_node *ret_node);
/* Epilogue of a node from enum ActivationFunctionType of the schema. */
enum vrs_status vrs_tflite_set_fused(struct vrs_tflite_build *build, struct vrs_node *node, int fused);
/* Emit a node without epilogue of its own: a fused activation becomes a unary node behind it. */
enum vrs_status vrs_tflite_emit_then_act(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node, int fused);
/* enum Padding: SAME, VALID. */
enum vrs_status vrs_tflite_set_padding(struct vrs_tflite_build *build, struct vrs_window *window, int padding);

/* tflite_conv_ops.c, tflite_shape_ops.c */
vrs_tflite_lower_fn vrs_tflite_lower_conv, vrs_tflite_lower_depthwise, vrs_tflite_lower_transpose_conv, vrs_tflite_lower_transpose_conv_bias,
	vrs_tflite_lower_fully_connected;
vrs_tflite_lower_fn vrs_tflite_lower_concat, vrs_tflite_lower_pad, vrs_tflite_lower_reshape, vrs_tflite_lower_squeeze;

#endif
