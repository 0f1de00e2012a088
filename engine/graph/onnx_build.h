/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One ONNX import, for onnx_*.c: its state, and what the operators of a file are built with.  onnx_import.c owns the loop over nodes; onnx_*_ops.c
 * hold the builders of operators, listed in tables of their files.  A builder reads the node's inputs and attributes and appends nodes of the IR;
 * whatever it cannot express it reports with vrs_onnx_unsupported and goes on, so that one message lists everything a network lacks.
 *
 * Two graphs grow in step, with the same ids.  `graph` is the product: sizes may be open, and everything that follows from SHAPE nodes stays in
 * it, so that a session can choose its sizes.  `trial` has plausible numbers for open sizes and is folded completely: ranks and types are read
 * from it.  Constants of the product are shared with the trial.  A tensor of rank -1 in the trial is unknown: its operator is not supported,
 * or its size does not work out with the numbers chosen.
 *
 * Layout: the IR keeps ONNX's layout (NCHW) except inside map operators, which a builder wraps in two transposes (vrs_onnx_to_map, _from_map).
 * Passes cancel them (graph/pass_layout*.c); builders never try to.
 */
#ifndef VRS_GRAPH_ONNX_BUILD_H
#define VRS_GRAPH_ONNX_BUILD_H

#include <onnx/onnx.pb-c.h>

#include "base/secret_hash.h"
#include "graph/ir.h"

/* Names of values to tensor ids: open addressing, a power of two of slots, at most half of them used.  Names stay in the file's message. */
struct vrs_onnx_names {
	struct vrs_secret secret;  /* the file must not choose who shares a slot */
	struct { const char *name; int32_t id; } *slots;
	size_t size, used;
};

/* Nodes of the product that became constants. */
struct vrs_onnx_folds {
	struct vrs_secret secret;
	int32_t *slots;            /* ids + 1; 0: empty */
};

struct vrs_onnx_build {
	struct vrs_graph graph, trial;
	struct vrs_onnx_names names;
	struct vrs_onnx_folds folds;
	Onnx__ModelProto *model;
	int opset;
	const char *name, *folder;   /* folder NULL: no external data */
	size_t file_bytes;           /* of the file and of the external data read so far */
	size_t external_bytes;
	size_t const_bytes, trial_bytes; /* constants of the product, and those of the trial alone */
	bool open;                   /* some size of an input is open */
	bool guessed;                /* some input has values in the trial, see onnx_ends.c */
	bool ones;                   /* open sizes of inputs but the first are 1 in the trial */
	int misfits;                 /* nodes whose sizes do not work out in the trial */
	bool at_outputs;             /* nodes are copies for outputs, which never become constants */
	char missing[360];           /* what is not supported, for the one message */
	int missing_more;            /* entries that found no room there */
	struct vrs_error *err;
};

/* One node of the file. */
struct vrs_onnx_node {
	struct vrs_onnx_build *build;
	const Onnx__NodeProto *proto;
	const struct vrs_onnx_op *op; /* its row; NULL: none */
	int opset;                  /* of the default domain, 7..21 */
	const char *name;           /* of the node, or of its first output */
};

/* Errors of builders: VRS_OK and VRS_ENOMEM, VRS_ELIMIT, VRS_EFORMAT (damaged file, with err set). */
typedef enum vrs_status (*vrs_onnx_builder)(const struct vrs_onnx_node *node);

#define VRS_ONNX_ALL (-1)

struct vrs_onnx_op {
	const char *type;           /* NULL ends a table */
	int min_opset, max_opset;   /* that this builder reads; 7..21 */
	int inputs;                 /* so many must be there before the builder is called; VRS_ONNX_ALL: each, and one at least */
	vrs_onnx_builder build;
	int code;                   /* what tells operators of one builder apart: an enum vrs_op, vrs_act, vrs_binary or vrs_reduce as it wants */
};

/* All tables, searched in this order; NULL ends the list. */
extern const struct vrs_onnx_op *const vrs_onnx_op_tables[];
extern const struct vrs_onnx_op vrs_onnx_elementwise_ops[], vrs_onnx_shape_ops[], vrs_onnx_value_ops[], vrs_onnx_reduce_ops[], vrs_onnx_window_ops[],
	vrs_onnx_resize_ops[], vrs_onnx_norm_ops[], vrs_onnx_matmul_ops[], vrs_onnx_space_ops[], vrs_onnx_quant_ops[];

/* onnx_wire.c: check nesting and numbers of fields, then unpack within a bound of memory; free with vrs_onnx_unpack_free. */
enum vrs_status vrs_onnx_unpack(Onnx__ModelProto **ret_model, const void *data, size_t size, const char *name, struct vrs_error *err);
void vrs_onnx_unpack_free(Onnx__ModelProto *model);
/* Release the values of a tensor of the message; they are not needed any more. */
void vrs_onnx_drop_values(Onnx__TensorProto *tensor);

/* onnx_ends.c: input number index of the file, an output. */
enum vrs_status vrs_onnx_import_input(struct vrs_onnx_build *build, const Onnx__GraphProto *graph, size_t index);
enum vrs_status vrs_onnx_import_output(struct vrs_onnx_build *build, const Onnx__ValueInfoProto *value);
/* Rank in the trial of a value that an operator should have made, and nobody has asked for until now. */
#define VRS_ONNX_NOT_MADE (-2)

/* onnx_names.c. put: VRS_EFORMAT when the name is taken. find: -1 when there is none. */
enum vrs_status vrs_onnx_names_put(struct vrs_onnx_names *names, const char *name, int32_t id, struct vrs_error *err);
/* The name may be given again; other names stay where they are found. */
void vrs_onnx_names_hide(struct vrs_onnx_names *names, const char *name);
int32_t vrs_onnx_names_find(const struct vrs_onnx_names *names, const char *name);
void vrs_onnx_names_fini(struct vrs_onnx_names *names);

/*
 * onnx_folds.c.  take: node id has constant operands; true: an equal one was folded before, and it has become the same constant, for which nothing is
 * charged.  put: it was folded itself; VRS_ENOMEM.
 */
bool vrs_onnx_folds_take(const struct vrs_onnx_folds *folds, struct vrs_graph *graph, int32_t id);
enum vrs_status vrs_onnx_folds_put(struct vrs_onnx_folds *folds, const struct vrs_graph *graph, int32_t id);
void vrs_onnx_folds_fini(struct vrs_onnx_folds *folds);

/* onnx_tensor.c. Type of an element; false: text, complex numbers, unknown ones. F16 and BF16 become F32 inside (see vrs_onnx_inner_type). */
bool vrs_onnx_dtype(int64_t type, enum vrs_dtype *ret_dtype);
const char *vrs_onnx_type_name(int32_t type);
enum vrs_dtype vrs_onnx_inner_type(enum vrs_dtype dtype);
/* A constant from a tensor of the file (float16 and bfloat16 become F32); id or negative status. */
int32_t vrs_onnx_tensor_const(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, const char *name);

/* onnx_external.c: the place of the external data of a tensor, checked to hold size bytes; the caller closes fd. */
struct vrs_onnx_external {
	int fd;
	uint64_t offset;
	size_t size;
};
enum vrs_status vrs_onnx_open_external(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, size_t size, struct vrs_onnx_external *ret);
enum vrs_status vrs_onnx_read_external(struct vrs_onnx_build *build, const struct vrs_onnx_external *from, void *to);

/* onnx_build.c */
enum vrs_status vrs_onnx_charge(struct vrs_onnx_build *build, size_t *account, size_t bytes);
/* Append a tensor to both graphs; id or negative status. */
int32_t vrs_onnx_add_tensor(struct vrs_onnx_build *build, const struct vrs_graph_tensor *tensor);
/* A tensor nobody computes, of unknown rank. */
int32_t vrs_onnx_add_unknown(struct vrs_onnx_build *build, const char *name);
/* A node with an output of this name; id of the tensor or negative status. */
int32_t vrs_onnx_append(struct vrs_onnx_build *build, struct vrs_node *made, const char *name);
/* Add a line to the list of what is not supported. */
void vrs_onnx_missing(struct vrs_onnx_build *build, const char *type, const char *name, const char *what);
/* "attribute mode = area", "a second output": collected for the one message, with the node's name and type. Returns VRS_OK. */
enum vrs_status vrs_onnx_unsupported(const struct vrs_onnx_node *node, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline const char *vrs_onnx_text(const char *text)
{
	return text != NULL ? text : "";
}

/* onnx_attributes.c: number of inputs (trailing empty names not counted); tensor id of input i, -1 when it is left out. */
int vrs_onnx_inputs(const struct vrs_onnx_node *node);
int32_t vrs_onnx_input(const struct vrs_onnx_node *node, int i);
/* An input that must be there. VRS_EFORMAT. */
enum vrs_status vrs_onnx_need(const struct vrs_onnx_node *node, int i, int32_t *ret_id);
/* Does anybody want output i? */
bool vrs_onnx_has_output(const struct vrs_onnx_node *node, int i);
/* Attributes; the default when absent (NULL). ints returns the count (at most max), -1 when absent. */
const Onnx__AttributeProto *vrs_onnx_attribute(const struct vrs_onnx_node *node, const char *name);
int64_t vrs_onnx_int(const struct vrs_onnx_node *node, const char *name, int64_t or_else);
float vrs_onnx_float(const struct vrs_onnx_node *node, const char *name, float or_else);
int vrs_onnx_ints(const struct vrs_onnx_node *node, const char *name, int64_t *values, int max);
/* An axis from -VRS_MAX_RANK to VRS_MAX_RANK; whether it fits the rank is told when shapes are inferred. VRS_EFORMAT. */
enum vrs_status vrs_onnx_axis(const struct vrs_onnx_node *node, int or_else, int *ret_axis);
/* The string attribute equals text (or_else: the default). The bytes of the file carry no terminating zero. */
bool vrs_onnx_is(const struct vrs_onnx_node *node, const char *name, const char *text, const char *or_else);
/* Which of the texts (count of them; NULL: no text) the string attribute is, text number or_else when it is absent; -1: none. */
int vrs_onnx_choice(const struct vrs_onnx_node *node, const char *name, const char *const *texts, int count, int or_else);

/* What is known of a tensor at import: its rank, -1 when it is not; type and dims, NULL without a rank; the type, F32 when it is not known. */
int vrs_onnx_rank(const struct vrs_onnx_node *node, int32_t tensor);
const struct vrs_graph_tensor *vrs_onnx_known(const struct vrs_onnx_node *node, int32_t tensor);
enum vrs_dtype vrs_onnx_type_of(const struct vrs_onnx_node *node, int32_t tensor);
/* Constant data of a tensor that is known at import (initializers, Constant nodes and what follows from them alone); NULL otherwise. */
const struct vrs_graph_tensor *vrs_onnx_constant(const struct vrs_onnx_node *node, int32_t tensor);

/* Output number `output` is another name of a tensor (Identity, Dropout). */
enum vrs_status vrs_onnx_alias(const struct vrs_onnx_node *node, int32_t tensor, int output);
/*
 * Append a node: fill it from vrs_node_of (name: node->name), `out` is set here.  output >= 0: this is output number `output` of the ONNX node;
 * -1: a tensor in between.  Shapes are inferred at once where the inputs' shapes are known, and constants are folded.  Returns the tensor
 * id, or a negative status (node->build->err is set).  A status among the inputs is handed on, so that a chain is checked once at its end; -1 is an
 * input that is left out.
 */
int32_t vrs_onnx_emit(const struct vrs_onnx_node *node, struct vrs_node *made, int output);

/* onnx_parts.c: whole nodes, emitted as above.  One without attributes. */
int32_t vrs_onnx_plain(const struct vrs_onnx_node *node, enum vrs_op op, int inputs, const int32_t *in, int output);
/* A transposition; perm of the tensor's rank. NCHW -> NHWC and back (rank 4 only). */
int32_t vrs_onnx_transpose(const struct vrs_onnx_node *node, int32_t tensor, const int *perm, int rank, int output);
int32_t vrs_onnx_to_map(const struct vrs_onnx_node *node, int32_t tensor);
int32_t vrs_onnx_from_map(const struct vrs_onnx_node *node, int32_t tensor, int output);
/* dims: 0 copies the size in its place, one -1 takes the rest. */
int32_t vrs_onnx_reshape(const struct vrs_onnx_node *node, int32_t x, int rank, const int64_t *dims, int output);
/* To the shape of another tensor, whatever it is when the network runs. */
int32_t vrs_onnx_reshape_like(const struct vrs_onnx_node *node, int32_t x, int32_t like, int output);
/* I64 dims start..end of a tensor. */
int32_t vrs_onnx_shape(const struct vrs_onnx_node *node, int32_t x, int start, int end);
int32_t vrs_onnx_binary(const struct vrs_onnx_node *node, enum vrs_binary op, int32_t a, int32_t b, int output);
int32_t vrs_onnx_unary(const struct vrs_onnx_node *node, enum vrs_act act, float lo, float hi, int32_t x, int output);
/* Nothing when x has the type already, unless that is the named output. */
int32_t vrs_onnx_cast(const struct vrs_onnx_node *node, int32_t x, enum vrs_dtype to, int output);
/* Over the axes of a bit mask, which stay as dims of 1. */
int32_t vrs_onnx_reduce(const struct vrs_onnx_node *node, enum vrs_reduce op, int32_t x, uint32_t axes, int output);
/*
 * Constants: of any type (F16 and BF16 exist only at the ends of a graph: F32 instead), an F32 number, a list, a number of the type of x
 * (onnx_value_ops.c).
 */
int32_t vrs_onnx_const(const struct vrs_onnx_node *node, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data);
int32_t vrs_onnx_scalar(const struct vrs_onnx_node *node, float value);
int32_t vrs_onnx_i64s(const struct vrs_onnx_node *node, int count, const int64_t *values);
int32_t vrs_onnx_number_like(const struct vrs_onnx_node *node, int32_t x, double value);

/* A builder of one node without attributes: the row's code is its operator, the row's inputs are its inputs. */
enum vrs_status vrs_onnx_build_plain(const struct vrs_onnx_node *node);

/*
 * onnx_window_ops.c: a (transposed) convolution with the attributes of node, of in: x, weights, bias or -1, which are floats.  *ret_id -1 with
 * VRS_OK: not supported, and reported.  onnx_matmul_ops.c: a b as numpy.matmul.
 */
enum vrs_status vrs_onnx_convolve(const struct vrs_onnx_node *node, enum vrs_op op, const int32_t in[3], int output, int32_t *ret_id);
int32_t vrs_onnx_multiply(const struct vrs_onnx_node *node, int32_t a, int32_t b, int output);

/* End of a builder: a negative id is its status. */
static inline enum vrs_status vrs_onnx_done(int32_t id)
{
	return id >= 0 ? VRS_OK : (enum vrs_status)id;
}

/* Output slot of a node whose result has the wanted type already; otherwise a cast follows (vrs_onnx_done_as). */
static inline int vrs_onnx_slot(enum vrs_dtype type)
{
	return type == VRS_F32 ? 0 : -1;
}

/* End of a builder that has computed y in F32: output 0 has another type, that of the node's input. */
static inline enum vrs_status vrs_onnx_done_as(const struct vrs_onnx_node *node, int32_t y, enum vrs_dtype type)
{
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(node, y, type, 0));
}

#endif
