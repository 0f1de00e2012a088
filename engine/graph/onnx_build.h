/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the operators of an ONNX file are built with.  onnx_import.c owns the loop over nodes; onnx_*_ops.c hold one builder an operator, listed in
 * tables of their files.  A builder reads the node's inputs and attributes and appends nodes of the IR; whatever it cannot express it reports
 * with vrs_onnx_unsupported and goes on, so that one message lists everything a network lacks.
 *
 * Layout: the IR keeps ONNX's layout (NCHW) except inside map operators, which a builder wraps in two transposes (vrs_onnx_to_map, _from_map).
 * Passes cancel them (graph/pass_layout*.c); builders never try to.
 */
#ifndef VRS_GRAPH_ONNX_BUILD_H
#define VRS_GRAPH_ONNX_BUILD_H

#include <onnx/onnx.pb-c.h>

#include "graph/ir.h"

struct vrs_onnx_build;

/* One node of the file. */
struct vrs_onnx_node {
	const Onnx__NodeProto *proto;
	int opset;                  /* of the default domain, 7..21 */
	const char *name;           /* of the node, or of its first output */
};

/* Errors of builders: VRS_OK and VRS_ENOMEM, VRS_ELIMIT, VRS_EFORMAT (damaged file, with err set). */
typedef enum vrs_status (*vrs_onnx_builder)(struct vrs_onnx_build *build, const struct vrs_onnx_node *node);

struct vrs_onnx_op {
	const char *type;           /* NULL ends a table */
	int min_opset, max_opset;   /* that this builder reads; 7..21 */
	vrs_onnx_builder build;
};

/* All tables, searched in this order; NULL ends the list. */
extern const struct vrs_onnx_op *const vrs_onnx_op_tables[];
extern const struct vrs_onnx_op vrs_onnx_elementwise_ops[], vrs_onnx_shape_ops[], vrs_onnx_value_ops[], vrs_onnx_reduce_ops[], vrs_onnx_window_ops[],
	vrs_onnx_resize_ops[], vrs_onnx_norm_ops[], vrs_onnx_matmul_ops[], vrs_onnx_space_ops[], vrs_onnx_quant_ops[];

struct vrs_graph *vrs_onnx_graph(struct vrs_onnx_build *build);
struct vrs_error *vrs_onnx_error(struct vrs_onnx_build *build);

/* Number of inputs (trailing empty names not counted); tensor id of input i, -1 when it is left out. */
int vrs_onnx_inputs(const struct vrs_onnx_node *node);
int32_t vrs_onnx_input(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i);
/* Does anybody want output i? */
bool vrs_onnx_has_output(const struct vrs_onnx_node *node, int i);
/* Rank of a tensor; -1 when it is not known at import. */
int vrs_onnx_rank(struct vrs_onnx_build *build, int32_t tensor);
/* Constant data of a tensor that is known at import (initializers, Constant nodes and what follows from them alone); NULL otherwise. */
const struct vrs_graph_tensor *vrs_onnx_constant(struct vrs_onnx_build *build, int32_t tensor);

/* Attributes; the default when absent. ints returns the count (at most max), -1 when absent. */
bool vrs_onnx_has(const struct vrs_onnx_node *node, const char *name);
int64_t vrs_onnx_int(const struct vrs_onnx_node *node, const char *name, int64_t or_else);
float vrs_onnx_float(const struct vrs_onnx_node *node, const char *name, float or_else);
int vrs_onnx_ints(const struct vrs_onnx_node *node, const char *name, int64_t *values, int max);
int vrs_onnx_floats(const struct vrs_onnx_node *node, const char *name, float *values, int max);
/* The string attribute equals text (or_else: the default). The bytes of the file carry no terminating zero. */
bool vrs_onnx_is(const struct vrs_onnx_node *node, const char *name, const char *text, const char *or_else);
const Onnx__TensorProto *vrs_onnx_tensor(const struct vrs_onnx_node *node, const char *name);
/* A network that is part of the node. */
Onnx__GraphProto *vrs_onnx_part(const struct vrs_onnx_node *node, const char *name);

/*
 * Append a node: fill it from vrs_node_init (name: node->name), `out` is set here.  output >= 0: this is output number `output` of the ONNX node;
 * -1: a tensor in between.  Shapes are inferred at once where the inputs' shapes are known, and constants are folded.  Returns the tensor
 * id, or a negative status (vrs_onnx_error is set).
 */
int32_t vrs_onnx_emit(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, struct vrs_node *made, int output);
/* Output number `output` is another name of a tensor (Identity, Dropout). */
enum vrs_status vrs_onnx_alias(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t tensor, int output);
/* A transposition; perm of the tensor's rank. NCHW -> NHWC and back (rank 4 only). Id or negative status. */
int32_t vrs_onnx_transpose(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t tensor, const int *perm, int rank, int output);
int32_t vrs_onnx_to_map(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t tensor);
int32_t vrs_onnx_from_map(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t tensor, int output);
/* A constant; id or negative status.  F16 and BF16 exist only at the ends of a graph: make F32 constants instead. */
int32_t vrs_onnx_const(struct vrs_onnx_build *build, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data);

/* A constant from a tensor of the file (float16 and bfloat16 become F32); id or negative status. */
int32_t vrs_onnx_tensor_const(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, const char *name);
/* The type that values of an ONNX type (TensorProto.DataType) have inside a graph: F32 for the 16-bit floats. False: unsupported type. */
bool vrs_onnx_element_type(int64_t type, enum vrs_dtype *ret_dtype);

/* "attribute mode = area", "a second output": collected for the one message, with the node's name and type. Returns VRS_OK. */
enum vrs_status vrs_onnx_unsupported(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
