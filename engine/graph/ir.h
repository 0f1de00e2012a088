/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph IR: tensors and nodes in arrays, addressed by 32-bit ids, NHWC activations.
 *
 * An imported graph has the sizes of the file.  vrs_graph_copy + vrs_graph_set_input + vrs_graph_infer make the concrete graph of a session;
 * passes rewrite it; backends read it.  Weights are shared between copies (never written after import) unless a pass replaces them.
 */
#ifndef VRS_GRAPH_IR_H
#define VRS_GRAPH_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#define VRS_MAX_RANK 5
#define VRS_NODE_MAX_INPUTS 8

enum vrs_dtype { VRS_F32, VRS_F16, VRS_I32, VRS_I64, VRS_U8, VRS_I8 };

enum vrs_op {
	/*
	 * in: x, weights [O][KH][KW][I/groups], bias [O] or none.  Depthwise is told by weights of rank 3, [KH][KW][O], with groups == I:
	 * output channel o reads input channel o / (O / I).
	 */
	VRS_OP_CONV,
	/*
	 * Transposed convolution.  in: x, weights [O][KH][KW][I], bias or none.  Input pixel i adds w[k] to output pixel i * stride + k - pad_top;
	 * out = in * stride (same) or (in - 1) * stride + kernel - pads.  Groups and dilation are 1, kernel >= stride.
	 */
	VRS_OP_DECONV,
	VRS_OP_POOL_MAX,
	VRS_OP_POOL_AVG,
	VRS_OP_GLOBAL_AVG, /* over H and W, keeps them as 1 */
	/*
	 * Source coordinate of output pixel i, with r = in / out (align_corners: (in - 1) / (out - 1), or 0 when out is 1):
	 * half_pixel: (i + 0.5) * r - 0.5, else i * r; linear clamps it to 0..in-1.  nearest takes floor((i + 0.5) * r) with half_pixel,
	 * round-half-up(i * r) with align_corners, else floor(i * r), at most in - 1.
	 */
	VRS_OP_RESIZE,
	VRS_OP_BINARY,     /* in: a, b; dims aligned at the end, a dim of 1 is repeated */
	VRS_OP_UNARY,      /* activation of one input */
	VRS_OP_CONCAT,
	VRS_OP_SOFTMAX,    /* over the last axis */
	VRS_OP_PAD,
	VRS_OP_RESHAPE,    /* in: x, I32 constant of the new dims: 0 copies the dim of x, one -1 takes the rest */
	VRS_OP_COUNT,
};

enum vrs_act {
	VRS_ACT_NONE,
	VRS_ACT_RELU,
	VRS_ACT_RELU6,
	VRS_ACT_CLIP,      /* act_lo, act_hi */
	VRS_ACT_HSWISH,    /* x * min(max(x + 3, 0), 6) / 6 */
	VRS_ACT_HSIGMOID,  /* min(max(x / 6 + 0.5, 0), 1) */
	VRS_ACT_SIGMOID,
	VRS_ACT_TANH,
	VRS_ACT_LEAKY,     /* act_lo is the slope */
	VRS_ACT_SILU,
};

enum vrs_binary { VRS_ADD, VRS_SUB, VRS_MUL, VRS_DIV, VRS_MIN, VRS_MAX };

struct vrs_graph_tensor {
	char name[64];
	enum vrs_dtype dtype;      /* activations: VRS_F32 after import */
	int rank;
	int64_t dims[VRS_MAX_RANK]; /* activations NHWC */
	const void *data;          /* constants: dense, dtype F32 after import (or I32 for shapes); NULL: activation */
	size_t data_bytes;
	int32_t producer;          /* node id; -1: graph input or constant */
};

struct vrs_window {            /* convolution and pooling; pads in pixels */
	int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
	int pad_top, pad_left, pad_bottom, pad_right;
	bool same;                 /* TFLite SAME: pads are recomputed by vrs_graph_infer for the concrete size */
	int groups;
	bool count_pad;            /* average pooling counts padded pixels */
};

struct vrs_node {
	enum vrs_op op;
	char name[64];
	int inputs;
	int32_t in[VRS_NODE_MAX_INPUTS]; /* tensor ids; -1: optional input left out, and all above `inputs` */
	int32_t out;
	union {
		struct vrs_window window;                                        /* conv, deconv, pools */
		struct { bool half_pixel, align_corners, nearest; int64_t out_h, out_w; double scale_h, scale_w; } resize; /* scale != 0 wins */
		struct { enum vrs_binary op; } binary;
		struct { int axis; } concat;
		struct { int64_t before[VRS_MAX_RANK], after[VRS_MAX_RANK]; float value; } pad;
	} u;
	/*
	 * Epilogue, in this order: y = op(x); [+ residual if residual_before]; act; [+ residual if not residual_before].
	 * act: conv, deconv and binary (also straight from the file); unary nodes use it as their function; none elsewhere.
	 * residual: conv, deconv and binary, filled by passes.
	 */
	enum vrs_act act;
	float act_lo, act_hi;
	int32_t residual;          /* tensor id of the same shape as out; -1: none */
	bool residual_before;
	int32_t scale;             /* conv: per-channel factor [N][1][1][C] on input 0 (squeeze-excitation folded into its consumer); -1: none */
	bool dead;                 /* removed by a pass; skipped by everybody */
};

struct vrs_graph {
	struct vrs_graph_tensor *tensors;
	int32_t tensor_count;
	size_t tensor_cap;
	struct vrs_node *nodes;    /* topological order */
	int32_t node_count;
	size_t node_cap;
	int32_t inputs[8], outputs[8];
	int32_t input_count, output_count;
	struct vrs_blob *blobs;    /* owned constant data, reference counted between copies (graph/ir.c) */
};

void vrs_graph_init(struct vrs_graph *graph);
void vrs_graph_fini(struct vrs_graph *graph); /* a zeroed graph is fine */
/* Copies of one graph share its constants (thread-safe reference counts). VRS_ENOMEM. */
enum vrs_status vrs_graph_copy(struct vrs_graph *ret_graph, const struct vrs_graph *from);
/* A node of one op without inputs, epilogue and residual; windows 1x1, stride 1, dilation 1, one group. name NULL: "". */
void vrs_node_init(struct vrs_node *node, enum vrs_op op, const char *name);
/* Append; the returned id is >= 0, or a negative status (VRS_ENOMEM, VRS_ELIMIT). add_node becomes the producer of its out tensor. */
int32_t vrs_graph_add_tensor(struct vrs_graph *graph, const struct vrs_graph_tensor *tensor);
int32_t vrs_graph_add_node(struct vrs_graph *graph, const struct vrs_node *node);
/* A dense constant with its own copy of data (NULL: zeros); id or negative status. */
int32_t vrs_graph_add_const(struct vrs_graph *graph, const char *name, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data);
/* Copy data (NULL: zeros) into graph-owned storage, 64-byte aligned; NULL: out of memory. */
void *vrs_graph_store(struct vrs_graph *graph, const void *data, size_t bytes);
/* Check ids, ranks, producers, order, attribute ranges. VRS_EFORMAT names the node. */
enum vrs_status vrs_graph_validate(const struct vrs_graph *graph, struct vrs_error *err);
/* Set batch, height and width of input 0 (0 keeps a value; the batch goes to every input), then infer all shapes. */
enum vrs_status vrs_graph_set_input(struct vrs_graph *graph, int64_t batch, int64_t height, int64_t width, struct vrs_error *err);
/* Shapes of all activations and concrete pads. VRS_EUNSUPPORTED/VRS_EFORMAT name the node; VRS_ELIMIT. */
enum vrs_status vrs_graph_infer(struct vrs_graph *graph, struct vrs_error *err);
/* Validation and inference for one node whose inputs are ready: an importer gets its errors at the operator that causes them. */
enum vrs_status vrs_node_validate(const struct vrs_graph *graph, int32_t node, struct vrs_error *err);
enum vrs_status vrs_node_infer(struct vrs_graph *graph, int32_t node, struct vrs_error *err);
size_t vrs_tensor_elements(const struct vrs_graph_tensor *tensor);
uint64_t vrs_node_macs(const struct vrs_graph *graph, const struct vrs_node *node);
bool vrs_node_is_depthwise(const struct vrs_graph *graph, const struct vrs_node *node);
size_t vrs_dtype_size(enum vrs_dtype dtype);
const char *vrs_op_name(enum vrs_op op);
const char *vrs_act_name(enum vrs_act act);
const char *vrs_binary_name(enum vrs_binary op);
/* act(x) in double, the definition that every backend must meet. */
double vrs_act_apply(enum vrs_act act, float lo, float hi, double x);

/*
 * Rewrite a graph with inferred shapes (see passes.h for the single passes).  fusion false only removes what cannot be executed or
 * is never read: constant expressions and dead nodes.
 */
enum vrs_status vrs_passes_run(struct vrs_graph *graph, bool fusion, struct vrs_error *err);

#endif
