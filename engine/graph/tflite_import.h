/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TFLite file -> graph IR.  Float networks (float16 weights behind DEQUANTIZE become float32); sizes become scales, see ir.h. */
#ifndef VRS_GRAPH_TFLITE_IMPORT_H
#define VRS_GRAPH_TFLITE_IMPORT_H

#include "graph/ir.h"
#include "graph/tflite_file.h"

/* Whether the bytes begin like a TFLite file (file identifier TFL3). */
bool vrs_tflite_probe(const void *data, size_t size);
/*
 * VRS_EFORMAT with the byte offset; VRS_EUNSUPPORTED names every operator that is not supported with its nodes; VRS_ELIMIT; VRS_ENOMEM.
 * name is used in messages.
 */
enum vrs_status vrs_tflite_import(struct vrs_graph *ret_graph, const void *data, size_t size, const char *name, struct vrs_error *err);

/* An import in progress; what the operator table (tflite_ops.c) works on. */
struct vrs_tflite_build {
	struct vrs_tflite_file file;
	struct vrs_graph graph;
	int32_t *map;             /* file tensor -> graph tensor; -1: not yet */
	size_t const_bytes;       /* made so far, against the limits of model_limits.h */
	struct vrs_error *err;
};

/* Lower one operator; NULL: not supported. */
typedef enum vrs_status (*vrs_tflite_lower_fn)(struct vrs_tflite_build *build, const struct vrs_tflite_op *op);
vrs_tflite_lower_fn vrs_tflite_lower(const struct vrs_tflite_code *code);

/* Graph tensor of input k: -1 in *ret_id when the optional input is left out. Constants are converted on first use. */
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

#endif
