/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph IR: tensors and nodes in arrays, addressed by 32-bit ids.
 *
 * An imported graph has the sizes of the file.  vrs_graph_copy + vrs_graph_set_input (or _set_dims) make the concrete graph of a session;
 * passes rewrite it; backends read it.  Weights are shared between copies (never written after import) unless a pass replaces them.
 */
#ifndef VRS_GRAPH_IR_H
#define VRS_GRAPH_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>
#include <vrseg/tensor.h>

#define VRS_NODE_MAX_INPUTS 8
#define VRS_MAX_ENDS 32 /* inputs and outputs of a graph, each */

/*
 * Map operators (conv to resize, instance norm) take float tensors [N][H][W][C]; the others take any rank and, where it makes sense, any type.
 * "Resolved": an attribute that a network gives as a tensor (the new shape, the starts of a slice).  That tensor stays an input of the node, must be
 * a constant by the time shapes are inferred (vrs_graph_infer folds the arithmetic of shapes as it goes), and vrs_node_infer writes its
 * values into node->u and the dims of the output.  Whoever executes a node looks only at u, the shapes and the inputs named "x".
 */
enum vrs_op {
	/*
	 * in: x, weights [O][KH][KW][I/groups], bias [O] or none.  Depthwise is told by weights of rank 3, [KH][KW][O], with groups == I:
	 * output channel o reads input channel o / (O / I).  Weights and bias may be computed (rarely): then no backend packs them.
	 */
	VRS_OP_CONV,
	/*
	 * Transposed convolution.  in: x, weights [O][KH][KW][I/groups], bias or none.  Input pixel i adds w[k] to output pixel
	 * i * stride + k * dilation - pad_top; out = in * stride (same) or (in - 1) * stride + extent - pads.
	 */
	VRS_OP_DECONV,
	VRS_OP_POOL_MAX,
	VRS_OP_POOL_AVG,
	VRS_OP_GLOBAL_AVG, /* over H and W, keeps them as 1 */
	/*
	 * Source coordinate of output pixel i, with r = in / out (align_corners: (in - 1) / (out - 1), or 0 when out is 1):
	 * half_pixel: (i + 0.5) * r - 0.5, else i * r; linear clamps it to 0..in-1.  nearest takes floor((i + 0.5) * r) with half_pixel,
	 * round-half-up(i * r) with align_corners, else floor(i * r), at most in - 1.
	 * in: x, resolved scales or sizes or none, resolved region or none (ONNX: its coordinates and filters are told by struct vrs_resize).
	 */
	VRS_OP_RESIZE,
	VRS_OP_BINARY,     /* in: a, b; dims aligned at the end, a dim of 1 is repeated */
	VRS_OP_UNARY,      /* function of one input */
	VRS_OP_CONCAT,
	VRS_OP_SOFTMAX,    /* over the last axis */
	VRS_OP_PAD,        /* in: x, resolved I64 pads (ONNX order; negative ones crop), fill value of the type of x, axes, each or none */
	/* The same elements in the same order under other dims (enum vrs_view). in: x, resolved I32 or I64 dims or axes, or none: u.view.dims. */
	VRS_OP_RESHAPE,
	VRS_OP_MATMUL,     /* in: a [..][M][K], b [..][K][N], as numpy.matmul; leading dims are repeated as in binary */
	VRS_OP_TRANSPOSE,  /* dim i of the output is dim perm[i] of x */
	VRS_OP_SLICE,      /* in: x, resolved I64 starts, ends, axes, steps (each but starts and ends may be left out), or u.slice and no tensors */
	VRS_OP_GATHER,     /* in: x, indices (I32, I64; negative ones count from the end); the indices' dims take the place of the axis */
	VRS_OP_EXPAND,     /* in: x, resolved I64 shape; broadcasting as in binary */
	VRS_OP_TILE,       /* in: x, resolved I64 repeats */
	VRS_OP_REDUCE,     /* in: x, resolved I64 axes or none: u.reduce.axes */
	VRS_OP_ARG_REDUCE, /* I64 index of the largest (smallest) value along an axis */
	VRS_OP_CAST,
	VRS_OP_WHERE,      /* in: condition (BOOL), a, b; dims as in binary */
	VRS_OP_SHAPE,      /* I64 dims of x, start..end of them */
	VRS_OP_RANGE,      /* in: start, limit, delta, all resolved scalars */
	/*
	 * in: x, scale, bias or none: over the dims from axis on (negative: from the end), y = (x - mean) / sqrt(variance + epsilon) * scale + bias
	 */
	VRS_OP_LAYER_NORM,
	VRS_OP_INSTANCE_NORM, /* in: map x, scale [C], bias [C]: over H, W and the channels of a group of each batch entry (groups 0: each channel alone) */
	VRS_OP_QUANTIZE,   /* in: x, scale, zero point or none (its type is the output's): saturate(round_half_even(x / scale) + zero) */
	VRS_OP_DEQUANTIZE, /* in: x, scale, zero point or none: (x - zero) * scale */
	VRS_OP_POOL_INDEX, /* I64 place of the value that pool_max takes, counted through x as [N][C][H][W] (column_major: [N][C][W][H]) */
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
	VRS_ACT_ELU,       /* x < 0 ? act_lo * (exp(x) - 1) : x */
	VRS_ACT_SELU,      /* act_hi * (x < 0 ? act_lo * (exp(x) - 1) : x) */
	VRS_ACT_GELU,      /* x / 2 * (1 + erf(x / sqrt 2)) */
	VRS_ACT_GELU_TANH, /* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) */
	VRS_ACT_SOFTPLUS,  /* log(1 + exp(x)) */
	VRS_ACT_MISH,      /* x * tanh(softplus(x)) */
	VRS_ACT_SOFTSIGN,  /* x / (1 + |x|) */
	VRS_ACT_LINEAR,    /* act_lo * x + act_hi */
	VRS_ACT_ERF,
	VRS_ACT_ABS,
	VRS_ACT_NEG,
	VRS_ACT_SQRT,
	VRS_ACT_EXP,
	VRS_ACT_LOG,
	VRS_ACT_FLOOR,
	VRS_ACT_CEIL,
	VRS_ACT_ROUND,     /* half to even */
	VRS_ACT_SIGN,
	VRS_ACT_RECIPROCAL,
	VRS_ACT_SIN,
	VRS_ACT_COS,
	VRS_ACT_NOT,       /* BOOL */
	VRS_ACT_COUNT,
};

enum vrs_binary {
	VRS_ADD, VRS_SUB, VRS_MUL, VRS_DIV, VRS_MIN, VRS_MAX,
	VRS_POW, VRS_MOD, VRS_FMOD, /* MOD has the sign of the divisor, FMOD that of the dividend */
	VRS_PRELU,         /* a < 0 ? a * b : a */
	VRS_EQUAL, VRS_LESS, VRS_LESS_EQUAL, VRS_GREATER, VRS_GREATER_EQUAL, VRS_AND, VRS_OR, VRS_XOR, /* to BOOL */
	VRS_BINARY_COUNT,
};

enum vrs_reduce { VRS_REDUCE_MEAN, VRS_REDUCE_SUM, VRS_REDUCE_MAX, VRS_REDUCE_MIN, VRS_REDUCE_PROD, VRS_REDUCE_L1, VRS_REDUCE_L2,
	VRS_REDUCE_SUM_SQUARE, VRS_REDUCE_LOG_SUM, VRS_REDUCE_LOG_SUM_EXP, VRS_REDUCE_COUNT };

enum vrs_view {
	VRS_VIEW_SHAPE,    /* dims: 0 copies the dim of x (unless allow_zero), one -1 takes the rest */
	VRS_VIEW_SQUEEZE,  /* axes removed (none given: all dims of 1) */
	VRS_VIEW_UNSQUEEZE, /* axes of the output that are 1 */
	VRS_VIEW_FLATTEN,  /* to two dims, split before axis */
};

enum vrs_pad_mode { VRS_PAD_CONSTANT, VRS_PAD_REFLECT, VRS_PAD_EDGE, VRS_PAD_WRAP };

struct vrs_graph_tensor {
	char name[128];
	enum vrs_dtype dtype;
	int rank;
	int64_t dims[VRS_MAX_RANK]; /* -1 in an input of an imported graph: open, vrs_graph_set_dims gives it */
	uint8_t open;              /* inputs and outputs of an imported graph: bit of each dim that the file leaves open, the batch too */
	uint8_t batch_dims;        /* bits of dims but the first that grow with the batch, where that changes the plan (one_image.h) */
	const void *data;          /* constants: dense; NULL: activation */
	size_t data_bytes;
	int32_t producer;          /* node id; -1: graph input or constant */
};

struct vrs_window {            /* convolution and pooling; pads in pixels */
	int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
	int pad_top, pad_left, pad_bottom, pad_right;
	bool same;                 /* TFLite SAME: pads are recomputed by vrs_graph_infer for the concrete size */
	bool lower;                /* with same or out_h: an odd pixel of padding comes first, not last */
	bool ceil;                 /* pooling: a last window may reach beyond the padding if it starts before the end of the map */
	int more_h, more_w;        /* deconv: rows and columns added at the end */
	int out_h, out_w;          /* deconv: output size asked for, pads are recomputed for it; 0: none */
	int groups;
	bool count_pad;            /* average pooling counts padded pixels (but none beyond the padding) */
	bool column_major;         /* pool_index: pixels are counted down the columns */
};

/*
 * Source coordinate of output pixel i along an axis of `in` pixels; r = out / in, or the scale that was given; see eval_resize.c.
 * COORD_PLAIN: what the three flags of vrs_resize say.
 */
enum vrs_resize_coord { VRS_COORD_PLAIN, VRS_COORD_HALF_PIXEL, VRS_COORD_HALF_PIXEL_SYMMETRIC, VRS_COORD_PYTORCH_HALF_PIXEL, VRS_COORD_ALIGN_CORNERS,
	VRS_COORD_ASYMMETRIC, VRS_COORD_TF_HALF_PIXEL_FOR_NN, VRS_COORD_TF_CROP_AND_RESIZE, VRS_COORD_COUNT };
/* DOWN_CEIL: ceil when the map shrinks, else floor. */
enum vrs_resize_round { VRS_ROUND_PREFER_FLOOR, VRS_ROUND_PREFER_CEIL, VRS_ROUND_FLOOR, VRS_ROUND_CEIL, VRS_ROUND_DOWN_CEIL };
enum vrs_resize_policy { VRS_POLICY_STRETCH, VRS_POLICY_NOT_LARGER, VRS_POLICY_NOT_SMALLER };

struct vrs_resize {
	bool half_pixel, align_corners, nearest; /* coordinates of a plain resize, see VRS_OP_RESIZE */
	bool plain;                /* set by inference: the line above tells all; else the fields from coord on do */
	int64_t out_h, out_w;
	double scale_h, scale_w;   /* != 0 wins over out */
	enum vrs_resize_coord coord;
	bool given_scale;          /* coordinates use scale_h, scale_w as given, not out / in (they differ when in * scale is no whole number) */
	bool cubic, antialias, exclude_outside;
	enum vrs_resize_round round;
	enum vrs_resize_policy policy;
	float cubic_a, extrapolation;
	float roi[4];              /* of TF_CROP_AND_RESIZE, as parts of the size: start h, w, end h, w */
	bool sized;                /* input 1 holds sizes, not scales */
	int8_t entry[4];           /* place of N, H, W, C among `entries` values in the resolved inputs; -1: not there, unchanged */
	int entries;
};

static inline bool vrs_resize_is_plain(const struct vrs_resize *resize)
{
	return resize->coord == VRS_COORD_PLAIN || resize->plain;
}

struct vrs_node {
	enum vrs_op op;
	char name[64];
	int inputs;
	int32_t in[VRS_NODE_MAX_INPUTS]; /* tensor ids; -1: optional input left out, and all above `inputs` */
	int32_t out;
	union {
		struct vrs_window window;                                        /* conv, deconv, pools, pool_index */
		struct vrs_resize resize;
		struct { enum vrs_binary op; } binary;
		struct { int axis; } concat, gather;
		struct { bool log; } softmax;
		struct { int64_t before[VRS_MAX_RANK], after[VRS_MAX_RANK]; char fill[8]; enum vrs_pad_mode mode; } pad; /* fill: as in x */
		struct { enum vrs_view kind; uint32_t axes; int axis; bool allow_zero; int rank; int64_t dims[VRS_MAX_RANK]; } view; /* axes: bit mask */
		struct { bool transpose_a, transpose_b; } matmul;
		struct { int perm[VRS_MAX_RANK]; } transpose;
		struct { int64_t start[VRS_MAX_RANK], step[VRS_MAX_RANK]; } slice; /* every dim of x; the output's dims are the counts */
		struct { enum vrs_reduce op; uint32_t axes; bool keep_dims, keep_if_empty; } reduce; /* no axes: all, or with keep_if_empty none */
		struct { int axis; bool smallest, last, keep_dims; } arg;
		struct { enum vrs_dtype to; } cast;
		struct { int start, end; } shape;
		struct { int axis, groups; float epsilon; } norm;
		struct { int axis; enum vrs_dtype to; } quant; /* axis of a scale with several values (negative: from the end); type without zero point */
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
	int32_t inputs[VRS_MAX_ENDS], outputs[VRS_MAX_ENDS];
	int32_t input_count, output_count;
	bool nchw;                 /* picture inputs and outputs are [N][C][H][W] (ONNX), not [N][H][W][C] */
	uint64_t external_hash;    /* content of the constants that were read from other files than the network's own; 0: none */
	struct vrs_blob *blobs;    /* owned constant data, reference counted between copies (graph/ir.c) */
	size_t const_bytes;        /* in blobs */
	size_t const_limit;        /* that const_bytes may reach, see vrs_graph_infer; 0: none */
	uint64_t work;             /* charged by vrs_graph_may_work since the import or vrs_graph_infer began */
};

void vrs_graph_init(struct vrs_graph *graph);
void vrs_graph_fini(struct vrs_graph *graph); /* a zeroed graph is fine */
/* Copies of one graph share its constants (thread-safe reference counts). VRS_ENOMEM. */
enum vrs_status vrs_graph_copy(struct vrs_graph *ret_graph, const struct vrs_graph *from);
/* A node of one op without inputs, epilogue and residual; windows 1x1, stride 1, dilation 1, one group. name NULL: "". */
void vrs_node_init(struct vrs_node *node, enum vrs_op op, const char *name);
/* The same with these inputs. */
struct vrs_node vrs_node_of(enum vrs_op op, const char *name, int inputs, const int32_t *in);
/* Append; the returned id is >= 0, or a negative status (VRS_ENOMEM, VRS_ELIMIT). add_node becomes the producer of its out tensor. */
int32_t vrs_graph_add_tensor(struct vrs_graph *graph, const struct vrs_graph_tensor *tensor);
int32_t vrs_graph_add_node(struct vrs_graph *graph, const struct vrs_node *node);
/* A dense constant with its own copy of data (NULL: zeros); id or negative status. */
int32_t vrs_graph_add_const(struct vrs_graph *graph, const char *name, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data);
/* May constants take so many more bytes?  vrs_graph_add_const asks (VRS_ELIMIT), vrs_graph_store does not. */
bool vrs_graph_has_room(const struct vrs_graph *graph, size_t bytes);
/* Charge operations on constants; false, and nothing charged, when that is more than model_limits.h allows for the constants of the graph. */
bool vrs_graph_may_work(struct vrs_graph *graph, uint64_t operations);
/* Copy data (NULL: zeros) into graph-owned storage, 64-byte aligned; NULL: out of memory. */
void *vrs_graph_store(struct vrs_graph *graph, const void *data, size_t bytes);
/*
 * Charge an account of constants before they are made: VRS_ELIMIT when it would hold more than the limits of model_limits.h allow for a file of so
 * many bytes, and `more` besides.
 */
enum vrs_status vrs_graph_charge(size_t *account, size_t bytes, size_t file_bytes, size_t more, struct vrs_error *err);
/* Check ids, ranks, producers, order, attribute ranges. VRS_EFORMAT names the node. */
enum vrs_status vrs_graph_validate(const struct vrs_graph *graph, struct vrs_error *err);
/* Set batch, height and width of input 0 (0 keeps a value; the batch goes to every input), then infer all shapes. */
enum vrs_status vrs_graph_set_input(struct vrs_graph *graph, int64_t batch, int64_t height, int64_t width, struct vrs_error *err);
/* Set all dims of one graph input (rank must match), without inference. VRS_EINVAL, VRS_ELIMIT. */
enum vrs_status vrs_graph_set_dims(struct vrs_graph *graph, int input, int rank, const int64_t *dims, struct vrs_error *err);
/*
 * Set all dims of all inputs (count of them, in their order), without inference; resizes of fixed size follow the picture, input 0.  values (NULL:
 * none): dense values of inputs that become constants and leave the list of inputs, NULL for the others.  VRS_EINVAL, VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_graph_set_shapes(struct vrs_graph *graph, const struct vrs_shape *shapes, const void *const *values, int count,
				     struct vrs_error *err);
/* Input k of the node is sizes, scales, axes: inference needs its value. */
bool vrs_node_needs_value(const struct vrs_node *node, int k);
/*
 * Shapes and types of all activations, concrete pads, resolved attributes.  Nodes whose inputs are all constant become constants on the way, so the
 * graph serves for these sizes only: infer on a copy.  Nodes that no output needs die first (in a graph with outputs).  From here on constants
 * have an account that grows with those that are there and with the inputs (model_limits.h): a fold beyond it is VRS_ELIMIT, a pass leaves the graph
 * as it is.  VRS_EUNSUPPORTED/VRS_EFORMAT name the node; VRS_ELIMIT.
 */
enum vrs_status vrs_graph_infer(struct vrs_graph *graph, struct vrs_error *err);
/* The same, and how many nodes were good. */
enum vrs_status vrs_graph_infer_count(struct vrs_graph *graph, int32_t *ret_nodes, struct vrs_error *err);
/* Validation and inference for one node whose inputs are ready: an importer gets its errors at the operator that causes them. */
enum vrs_status vrs_node_validate(const struct vrs_graph *graph, int32_t node, struct vrs_error *err);
enum vrs_status vrs_node_infer(struct vrs_graph *graph, int32_t node, struct vrs_error *err);
/* Shapes and types of the weights and bias of a convolution against each other and its window: part of the two above. */
enum vrs_status vrs_node_check_weights(const struct vrs_graph *graph, int32_t node, struct vrs_error *err);
size_t vrs_tensor_elements(const struct vrs_graph_tensor *tensor);
uint64_t vrs_node_macs(const struct vrs_graph *graph, const struct vrs_node *node);
bool vrs_node_is_depthwise(const struct vrs_graph *graph, const struct vrs_node *node);
/* Has one of the values that the node works on no elements? Not asked are resolved inputs. */
bool vrs_node_reads_nothing(const struct vrs_graph *graph, const struct vrs_node *node);
const char *vrs_op_name(enum vrs_op op);
/* For sequences of steps that own nothing: the first that fails ends the function with its status. */
#define VRS_TRY(call) \
	do { \
		enum vrs_status try_status = (call); \
		if (try_status != VRS_OK) \
			return try_status; \
	} while (0)
/* vrs_fail with the node's number, operator and name before the text. */
#define VRS_NODE_FAIL(err, status, graph, node, fmt, ...) \
	vrs_fail(err, status, "node %d (%s %s): " fmt, (int)((node) - (graph)->nodes), vrs_op_name((node)->op), (node)->name, __VA_ARGS__)
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
