/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of TFLite operators share: steps that most have, and the families behind the table of tflite_ops.c. */
#ifndef VRS_GRAPH_TFLITE_OPS_H
#define VRS_GRAPH_TFLITE_OPS_H

#include "graph/tflite_import.h"

/* Epilogue of a node from enum ActivationFunctionType of the schema. */
enum vrs_status vrs_tflite_set_fused(struct vrs_tflite_build *build, struct vrs_node *node, int fused);
/* Emit a node without epilogue of its own: a fused activation becomes a unary node behind it. */
enum vrs_status vrs_tflite_emit_then_act(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node, int fused);
/* Input k, which must be present. */
enum vrs_status vrs_tflite_need(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id);
/* The same for an activation or constant with four dimensions. */
enum vrs_status vrs_tflite_need_map(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id);
/* enum Padding: SAME, VALID. */
enum vrs_status vrs_tflite_set_padding(struct vrs_tflite_build *build, struct vrs_window *window, int padding);

/* tflite_conv_ops.c */
enum vrs_status vrs_tflite_lower_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_depthwise(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_transpose_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_transpose_conv_bias(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_fully_connected(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);

/* tflite_shape_ops.c */
enum vrs_status vrs_tflite_lower_concat(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_pad(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_reshape(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
enum vrs_status vrs_tflite_lower_squeeze(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);

#endif
