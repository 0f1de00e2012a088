/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small nodes that builders of larger operators are made of.  Each returns the tensor's id, or a negative status; a negative input id is handed
 * on, so that a chain is checked once at its end.  output as for vrs_onnx_emit.
 */
#ifndef VRS_GRAPH_ONNX_PARTS_H
#define VRS_GRAPH_ONNX_PARTS_H

#include "graph/onnx_build.h"

/* A value that must be there. VRS_EFORMAT. */
enum vrs_status vrs_onnx_need(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i, int32_t *ret_id);
/* Type and dims as far as the importer knows them; NULL when the rank is unknown. */
const struct vrs_graph_tensor *vrs_onnx_known(struct vrs_onnx_build *build, int32_t tensor);
enum vrs_dtype vrs_onnx_type_of(struct vrs_onnx_build *build, int32_t tensor);
/* dims: 0 copies the size in its place, one -1 takes the rest. */
int32_t vrs_onnx_reshape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int rank, const int64_t *dims, int output);
/* To the shape of another tensor, whatever it is when the network runs. */
int32_t vrs_onnx_reshape_like(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t like, int output);
/* To the shape in an I64 tensor. */
int32_t vrs_onnx_reshape_to(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t shape, int output);
/* I64 dims start..end of a tensor. */
int32_t vrs_onnx_shape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int start, int end);
int32_t vrs_onnx_binary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_binary op, int32_t a, int32_t b, int output);
int32_t vrs_onnx_unary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_act act, float lo, float hi, int32_t x, int output);
/* Nothing when x has the type already, unless that is the named output. */
int32_t vrs_onnx_cast(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, enum vrs_dtype to, int output);
/* Over the axes of a bit mask, which stay as dims of 1. */
int32_t vrs_onnx_reduce(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_reduce op, int32_t x, uint32_t axes, int output);
int32_t vrs_onnx_concat(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int axis, const int32_t *ids, int count);
/* A number of the type of x (onnx_value_ops.c); an F32 number; a list. */
int32_t vrs_onnx_number_like(struct vrs_onnx_build *build, int32_t x, double value);
int32_t vrs_onnx_scalar(struct vrs_onnx_build *build, float value);
int32_t vrs_onnx_i64s(struct vrs_onnx_build *build, int count, const int64_t *values);

/*
 * onnx_window_ops.c: a (transposed) convolution with the attributes of node, of in: x, weights, bias or -1, which are floats.  *ret_id -1 with
 * VRS_OK: not supported, and reported.  onnx_matmul_ops.c: a b as numpy.matmul.
 */
enum vrs_status vrs_onnx_convolve(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_op op, const int32_t in[3], int output,
				  int32_t *ret_id);
int32_t vrs_onnx_multiply(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t a, int32_t b, int output);

/* End of a builder: a negative id is its status. */
static inline enum vrs_status vrs_onnx_done(int32_t id)
{
	return id >= 0 ? VRS_OK : (enum vrs_status)id;
}

/* Output slot of a node whose result has the wanted type already; otherwise a cast follows (vrs_onnx_cast with output 0). */
static inline int vrs_onnx_slot(enum vrs_dtype type)
{
	return type == VRS_F32 ? 0 : -1;
}

#endif
