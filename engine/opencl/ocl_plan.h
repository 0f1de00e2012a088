/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a network on a device: values (tensors, weights, scratch) with places in device memory, and a flat list of steps, each a kernel with
 * its arguments or a node that the host computes.  It holds no object of a device: making it needs only what the device can do.
 *
 * Operators are lowered in ocl_lower_*.c, one file a family, by the builder calls below:
 *
 *     vrs_ocl_step_begin(plan, node, "softmax");
 *     vrs_ocl_arg_tensor(plan, "x", node->in[0]);         argument 0: __global const x_T *x
 *     vrs_ocl_arg_tensor(plan, "y", node->out);       argument 1: __global y_T *y
 *     vrs_ocl_arg_int(plan, rows);                        argument 2
 *     vrs_ocl_define_int(plan, "TILE", 8);
 *     return vrs_ocl_step_end(plan, 1, (size_t[]){rows}, NULL, err);
 *
 * The first failure of a builder call stays and is what vrs_ocl_step_end returns.  For a tensor argument NAME the template finds the defines NAME_T
 * (type in memory), NAME_LD(p, i) and NAME_ST(p, i, v) (one element as float), NAME_LD4 and NAME_ST4 (four from element i, any alignment), and
 * NAME_HALF (1: half precision).  Indices are of type int: a value has less than 2^31 elements.
 */
#ifndef VRS_OPENCL_OCL_PLAN_H
#define VRS_OPENCL_OCL_PLAN_H

#include <vrseg/session.h>

#include "graph/ir.h"
#include "opencl/ocl_context.h"
#include "opencl/ocl_source.h"

#define VRS_OCL_MAX_ARGS 40

enum vrs_ocl_value_kind {
	VRS_OCL_ACTIVATION,        /* lives from the first step that writes it to the last that reads it */
	VRS_OCL_END,               /* input or output of the graph: lives all the time */
	VRS_OCL_WEIGHTS,           /* written once, from data */
};

struct vrs_ocl_value {
	enum vrs_ocl_value_kind kind;
	enum vrs_dtype type;       /* in memory of the device; F16 where half precision is stored */
	size_t elements, bytes;
	int32_t tensor;            /* of the graph; -1: scratch or packed weights */
	const void *data;          /* of WEIGHTS, of this type */
	void *owned;               /* data, when the plan frees it */
	int first, last;           /* steps */
	int32_t buffer;            /* of the plan, shared with values of other times; -1: weights, which have one of their own, or not used */
};

enum vrs_ocl_arg_kind { VRS_OCL_ARG_VALUE, VRS_OCL_ARG_INT, VRS_OCL_ARG_FLOAT };

struct vrs_ocl_arg {
	enum vrs_ocl_arg_kind kind;
	int32_t value;             /* index of a value */
	int32_t integer;
	float real;
};

struct vrs_ocl_step {
	int32_t node;              /* of the graph */
	bool host;                 /* the node is computed on the host */
	char template_name[32];
	char kernel[VRS_OCL_KERNEL_NAME];
	struct vrs_ocl_arg args[VRS_OCL_MAX_ARGS];
	int arg_count;
	int dims;
	size_t global[3], local[3]; /* local[0] == 0: the driver chooses */
	uint64_t macs_before;      /* multiply-adds of other nodes that it computes as well */
};

struct vrs_ocl_plan {
	struct vrs_graph graph;    /* copy, rewritten for devices */
	struct vrs_ocl_caps caps;
	bool half;                 /* activations and weights are stored in half precision */
	bool half_math;            /* convolutions multiply in halves (ocl_math.h) */
	struct vrs_ocl_dot *dot;   /* convolutions that multiply bytes (ocl_dot.h); NULL: none do */
	bool fusion;               /* several nodes may become one step */
	uint8_t *tiles;            /* [node] place of its tile among the candidates (ocl_tune.h); NULL: the default everywhere */
	struct vrs_ocl_value *values;
	int32_t value_count;
	size_t value_cap;
	int32_t *value_of;         /* [tensor] its value; -1: none yet */
	int32_t *only_reader;      /* [tensor] the node that alone reads it; -1: none, several, or it is an output */
	bool *node_done;           /* [node] computed by the step of another node */
	uint8_t *deferred;         /* [node] no step until somebody needs its result in memory (ocl_fuse_pieces.c): 1, or more behind such nodes; or 0 */
	struct vrs_ocl_step *steps;
	int32_t step_count;
	size_t step_cap;
	struct vrs_ocl_source source;
	size_t *buffer_bytes;      /* [buffer] of the arena: what is neither weights nor of the host */
	int32_t buffer_count;
	size_t arena_bytes, arena_lower_bound, weight_bytes; /* of all buffers; that any plan needs; of all weights */
	double trial_seconds;      /* of trials (ocl_trials.h): the limit of their build, of which no line tells; 0: a network */
	struct vrs_ocl_defines defines; /* of the step that is built */
	enum vrs_status status;    /* of the builder calls since vrs_ocl_step_begin */
};

/* Builder calls, for ocl_lower_*.c. */
void vrs_ocl_step_begin(struct vrs_ocl_plan *plan, const struct vrs_node *node, const char *template_name);
/*
 * The next argument is a value.  vrs_ocl_arg_raw: moves that do not look at elements; NAME_T is an unsigned integer of the element's size and the
 * other defines are missing.
 */
void vrs_ocl_arg_tensor(struct vrs_ocl_plan *plan, const char *name, int32_t tensor);
void vrs_ocl_arg_value(struct vrs_ocl_plan *plan, const char *name, int32_t value);
void vrs_ocl_arg_raw(struct vrs_ocl_plan *plan, const char *name, int32_t tensor);
void vrs_ocl_arg_int(struct vrs_ocl_plan *plan, int64_t integer); /* outside of int: VRS_ELIMIT */
void vrs_ocl_arg_float(struct vrs_ocl_plan *plan, double real);
void vrs_ocl_define_int(struct vrs_ocl_plan *plan, const char *name, int64_t value);
void vrs_ocl_define_text(struct vrs_ocl_plan *plan, const char *name, const char *value);
/*
 * The node's epilogue, behind the other arguments: EPILOGUE_ARGS (begins with a comma, or is empty) ends the template's argument list, EPILOGUE(v, i)
 * and EPILOGUE4(v, i) give the finished value of output element i (four from i on) for v = op(x).
 */
void vrs_ocl_epilogue(struct vrs_ocl_plan *plan, const struct vrs_node *node);
/* An expression of a and b, float or float4; NULL: none, of comparisons and logic. */
const char *vrs_ocl_operator(enum vrs_binary op);
/* Is there an expression for it? All functions but NOT, which is of BOOL. */
bool vrs_ocl_has_act(enum vrs_act act);
/* A function of v (float or float4) as an expression, for the define `name`, such as "ACT(v)". */
void vrs_ocl_define_act(struct vrs_ocl_plan *plan, const char *name, enum vrs_act act, float lo, float hi);
/* dims 1..3; global: work-items needed, rounded up to whole groups (templates check bounds); local NULL: the driver chooses, nothing is rounded. */
enum vrs_status vrs_ocl_step_end(struct vrs_ocl_plan *plan, int dims, const size_t *global, const size_t *local, struct vrs_error *err);
#define VRS_OCL_MOST_GROUPS 65535 /* along dimensions 1 and 2, on NVIDIA */
/*
 * The same with three dimensions and groups of all, where dimension `dim` (1 or 2) may have more than VRS_OCL_MOST_GROUPS: FOLDS stretches of it then
 * lie side by side along dimension 0, as the kernel's UNFOLD reads it (kernels/prelude.cl), with FOLDS > 1.  Of dimension 2 local is 1, and no item
 * is behind the last; of dimension 1 there may be some, as with any group.
 */
enum vrs_status vrs_ocl_step_end_folded(struct vrs_ocl_plan *plan, int dim, const size_t global[3], const size_t local[3], struct vrs_error *err);

/* Scratch of so many floats (stored as float), for the steps of one node; index of the value, or a negative status. */
int32_t vrs_ocl_scratch(struct vrs_ocl_plan *plan, size_t elements);
/* Weights of the plan's precision (half ? F16 : F32) from floats, which are copied; index of the value, or a negative status. */
int32_t vrs_ocl_weights(struct vrs_ocl_plan *plan, const float *data, size_t elements);
/* The same of a matrix [rows][columns], as [columns][rows]. */
int32_t vrs_ocl_weights_turned(struct vrs_ocl_plan *plan, const float *data, size_t rows, size_t columns);
/* The same as float, whatever the precision (biases), or as int32. */
int32_t vrs_ocl_weights_f32(struct vrs_ocl_plan *plan, const float *data, size_t elements);
int32_t vrs_ocl_weights_i32(struct vrs_ocl_plan *plan, const int32_t *data, size_t elements);

#endif
