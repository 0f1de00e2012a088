/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network from bytes, for fuzzing: each byte chooses an operator, an operand, a size or a value, and what is not possible is left out, so that any
 * bytes are a network.  Sizes of 0 and 1 are frequent.  A wild recipe has NaN, infinities, huge and tiny numbers among its constants; a
 * tame one has only operators whose errors of rounding stay small, so that results can be compared.
 */
#ifndef TESTS_FUZZ_NETWORK_RECIPE_H
#define TESTS_FUZZ_NETWORK_RECIPE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/eval.h"

enum { RECIPE_NODES = 12, RECIPE_POOL = 64, RECIPE_ELEMENTS = 12000 };

struct recipe {
	const uint8_t *data;
	size_t size, at;
	bool wild;
	struct vrs_graph *graph;
	int32_t pool[RECIPE_POOL]; /* activations */
	int count;
};

/* 0 to limit - 1; 0 behind the last byte. */
static inline int recipe_take(struct recipe *r, int limit)
{
	return r->at < r->size ? r->data[r->at++] % limit : 0;
}

static inline int64_t recipe_dim(struct recipe *r)
{
	static const int64_t dims[] = {1, 0, 2, 3, 4, 8, 5, 16, 7, 9, 12, 17, 33, 1, 6, 20};

	return dims[recipe_take(r, 16)];
}

static inline float recipe_value(struct recipe *r, size_t i)
{
	static const float strange[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f, 0, 1e20f, -0.0f, 1e30f};
	uint32_t mixed = (uint32_t)i * 2654435761u >> 16;

	if (r->wild && mixed % 13 == 0)
		return strange[recipe_take(r, 10)];
	return (float)(mixed % 201) / 200 - 0.5f;
}

/* Values shrink with `fan`, what one output sums up. */
static inline int32_t recipe_const(struct recipe *r, int rank, const int64_t *dims, int64_t fan)
{
	struct vrs_graph_tensor shape = {.rank = rank};
	size_t count;
	float *values;
	int32_t id;

	memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
	count = vrs_tensor_elements(&shape);
	if (count > 4 * RECIPE_ELEMENTS)
		return -1;
	values = calloc(count + 1, sizeof *values); /* libc: data of a test */
	if (values == NULL)
		abort();
	for (size_t i = 0; i < count; i++)
		values[i] = recipe_value(r, i) * 2 / sqrtf(fan > 1 ? (float)fan : 1);
	id = vrs_graph_add_const(r->graph, "c", VRS_F32, rank, dims, values);
	free(values); /* libc: see above */
	return id;
}

/* Append the node, if it is possible there. */
static inline void recipe_emit(struct recipe *r, struct vrs_node *node)
{
	struct vrs_graph_tensor out = {.name = "t", .dtype = VRS_F32};
	struct vrs_graph *g = r->graph;
	int32_t id;

	node->out = vrs_graph_add_tensor(g, &out);
	id = node->out < 0 ? node->out : vrs_graph_add_node(g, node);
	if (id < 0)
		abort();
	if (vrs_node_validate(g, id, NULL) == VRS_OK && vrs_node_infer(g, id, NULL) == VRS_OK &&
	    vrs_tensor_elements(&g->tensors[node->out]) <= RECIPE_ELEMENTS && r->count < RECIPE_POOL) {
		r->pool[r->count++] = node->out;
		return;
	}
	g->nodes[id].dead = true;
	g->tensors[node->out].rank = 0;
}

static inline void recipe_window(struct recipe *r, struct vrs_node *node)
{
	static const int kernels[] = {1, 3, 2, 5, 4, 7};
	struct vrs_window *w = &node->u.window;
	int shape = recipe_take(r, 256);

	w->kernel_h = kernels[recipe_take(r, 6)];
	w->kernel_w = shape & 1 ? kernels[recipe_take(r, 6)] : w->kernel_h;
	w->stride_h = shape & 2 ? 2 : 1;
	w->stride_w = shape & 4 ? 3 : w->stride_h;
	w->dilation_h = w->dilation_w = shape & 8 ? 2 : 1;
	w->same = !(shape & 16);
	w->ceil = shape & 32;
	w->count_pad = shape & 64;
	w->lower = shape & 128;
	if (w->same)
		return;
	w->pad_top = recipe_take(r, w->kernel_h);
	w->pad_bottom = recipe_take(r, w->kernel_h);
	w->pad_left = recipe_take(r, w->kernel_w);
	w->pad_right = recipe_take(r, w->kernel_w);
}

static inline void recipe_conv(struct recipe *r, struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &r->graph->tensors[node->in[0]];
	struct vrs_window *w = &node->u.window;
	int kind = recipe_take(r, 4); /* 0: pointwise, 1: dense, 2: in two groups, 3: depthwise */
	int64_t out = recipe_dim(r), in = x->rank == 4 ? x->dims[3] : 1;

	if (kind > 0)
		recipe_window(r, node);
	w->groups = kind == 2 ? 2 : kind == 3 && node->op == VRS_OP_CONV && in > 0 ? (int)in : 1;
	if (kind == 3 && node->op == VRS_OP_CONV)
		node->in[1] = recipe_const(r, 3, (int64_t[]){w->kernel_h, w->kernel_w, in}, w->kernel_h * w->kernel_w);
	else
		node->in[1] = recipe_const(r, 4, (int64_t[]){out, w->kernel_h, w->kernel_w, in / w->groups}, w->kernel_h * w->kernel_w * in);
	out = kind == 3 && node->op == VRS_OP_CONV ? in : out;
	node->in[2] = recipe_take(r, 3) ? recipe_const(r, 1, &out, 1) : -1;
	node->inputs = 3;
}

static inline int32_t recipe_pick(struct recipe *r)
{
	int back = recipe_take(r, 256);

	return r->pool[back < 160 ? r->count - 1 : back % r->count]; /* mostly what was made last */
}

/* Up to four numbers of 64 bits. */
static inline int32_t recipe_ints(struct recipe *r, int count, int low, int range)
{
	const int64_t dims = count;
	int64_t values[4];

	for (int i = 0; i < count; i++)
		values[i] = low + recipe_take(r, range);
	return vrs_graph_add_const(r->graph, "i", VRS_I64, 1, &dims, values);
}

/* The other operand of an elementwise operation: another value, one number, or one a channel. */
static inline int32_t recipe_other(struct recipe *r, int32_t x)
{
	const struct vrs_graph_tensor *tensor = &r->graph->tensors[x];
	const int64_t one = 1, last = tensor->rank > 0 ? tensor->dims[tensor->rank - 1] : 1;
	int kind = recipe_take(r, 4);

	return kind < 2 ? recipe_pick(r) : recipe_const(r, 1, kind == 2 ? &one : &last, 1);
}

static inline void recipe_act(struct recipe *r, struct vrs_node *node, int count)
{
	node->act = (enum vrs_act)recipe_take(r, count);
	node->act_lo = node->act == VRS_ACT_CLIP ? -0.4f : 0.2f;
	node->act_hi = 0.9f;
}

static inline void recipe_resize(struct recipe *r, struct vrs_node *node)
{
	int mode = recipe_take(r, 6);

	node->u.resize.half_pixel = mode % 3 == 1;
	node->u.resize.align_corners = mode % 3 == 2;
	node->u.resize.nearest = mode > 2;
	node->u.resize.out_h = 1 + recipe_take(r, 20);
	node->u.resize.out_w = 1 + recipe_take(r, 20);
}

/* Pixels of padding; one byte in eight crops. */
static inline int recipe_pad(struct recipe *r)
{
	int byte = recipe_take(r, 256);

	return byte < 224 ? byte % 3 : -1 - byte % 2;
}

/* Attributes of the operators that move values. */
static inline void recipe_move(struct recipe *r, struct vrs_node *node, int rank)
{
	static const int perms[][4] = {{0, 3, 1, 2}, {0, 2, 3, 1}, {0, 2, 1, 3}, {3, 2, 1, 0}, {1, 0, 2, 3}};
	int fill;

	switch (node->op) {
	case VRS_OP_CONCAT: node->u.concat.axis = recipe_take(r, 4) ? rank - 1 : recipe_take(r, 4); break;
	case VRS_OP_PAD:
		for (int i = 0; i < rank; i++) {
			node->u.pad.before[i] = recipe_pad(r);
			node->u.pad.after[i] = recipe_pad(r);
		}
		fill = recipe_take(r, 256);
		node->u.pad.mode = (enum vrs_pad_mode)(fill % 4);
		vrs_store_f64(VRS_F32, node->u.pad.fill, 0, fill < 192 ? 0 : 0.5);
		break;
	case VRS_OP_RESHAPE:
		node->u.view.kind = VRS_VIEW_FLATTEN;
		node->u.view.axis = recipe_take(r, 5);
		break;
	case VRS_OP_TRANSPOSE: memcpy(node->u.transpose.perm, perms[recipe_take(r, 5)], sizeof *perms); break;
	case VRS_OP_SLICE:
		node->in[1] = recipe_ints(r, rank < 4 ? rank : 4, -2, 6);
		node->in[2] = recipe_ints(r, rank < 4 ? rank : 4, -1, 9);
		node->inputs = 3;
		break;
	case VRS_OP_GATHER: node->in[1] = recipe_ints(r, recipe_take(r, 4), 0, 3); node->inputs = 2; break;
	case VRS_OP_EXPAND: node->in[1] = recipe_ints(r, rank < 4 ? rank : 4, 0, 4); node->inputs = 2; break;
	case VRS_OP_TILE: node->in[1] = recipe_ints(r, rank < 4 ? rank : 4, 0, 3); node->inputs = 2; break;
	case VRS_OP_REDUCE:
		node->u.reduce.op = (enum vrs_reduce)recipe_take(r, r->wild ? VRS_REDUCE_COUNT : VRS_REDUCE_PROD);
		node->u.reduce.axes = (uint32_t)recipe_take(r, 16);
		node->u.reduce.keep_dims = recipe_take(r, 2);
		break;
	default: break;
	}
}

/* Wild recipes take all operators and functions; tame ones leave out what turns a small error into a large one. */
static inline void recipe_node(struct recipe *r)
{
	static const enum vrs_op tame[] = {VRS_OP_CONV, VRS_OP_CONV, VRS_OP_DECONV, VRS_OP_POOL_MAX, VRS_OP_POOL_AVG, VRS_OP_GLOBAL_AVG, VRS_OP_RESIZE,
		VRS_OP_BINARY, VRS_OP_UNARY, VRS_OP_CONCAT, VRS_OP_SOFTMAX, VRS_OP_PAD, VRS_OP_RESHAPE, VRS_OP_TRANSPOSE, VRS_OP_SLICE, VRS_OP_GATHER,
		VRS_OP_EXPAND, VRS_OP_TILE, VRS_OP_REDUCE, VRS_OP_MATMUL};
	enum vrs_op op = r->wild ? (enum vrs_op)recipe_take(r, VRS_OP_COUNT) : tame[recipe_take(r, sizeof tame / sizeof *tame)];
	struct vrs_node node;

	vrs_node_init(&node, op, "n");
	node.inputs = 1;
	node.in[0] = recipe_pick(r);
	if (op == VRS_OP_CONV || op == VRS_OP_DECONV)
		recipe_conv(r, &node);
	else if (op == VRS_OP_POOL_MAX || op == VRS_OP_POOL_AVG || op == VRS_OP_POOL_INDEX)
		recipe_window(r, &node);
	else if (op == VRS_OP_RESIZE)
		recipe_resize(r, &node);
	else
		recipe_move(r, &node, r->graph->tensors[node.in[0]].rank);
	for (int want = op == VRS_OP_BINARY || op == VRS_OP_MATMUL || op == VRS_OP_CONCAT ? 2 : op == VRS_OP_INSTANCE_NORM ? 3 : 1; node.inputs < want;)
		node.in[node.inputs++] = recipe_other(r, node.in[0]);
	if (op == VRS_OP_BINARY)
		node.u.binary.op = (enum vrs_binary)recipe_take(r, r->wild ? VRS_BINARY_COUNT : VRS_MUL + 1);
	if (op == VRS_OP_CONV || op == VRS_OP_DECONV || op == VRS_OP_BINARY || op == VRS_OP_UNARY)
		recipe_act(r, &node, r->wild && op == VRS_OP_UNARY ? VRS_ACT_COUNT : VRS_ACT_ELU);
	recipe_emit(r, &node);
}

/* The graph of the bytes, which the caller frees; false: no node of it is possible. */
static inline bool recipe_build(struct vrs_graph *graph, const uint8_t *data, size_t size, bool *ret_wild)
{
	struct recipe r = {.data = data, .size = size, .graph = graph};
	int kind = recipe_take(&r, 4);

	vrs_graph_init(graph);
	*ret_wild = r.wild = kind & 1;
	for (int i = 0; i < 1 + kind / 2; i++) {
		struct vrs_graph_tensor input = {.name = "x", .dtype = VRS_F32, .rank = 4, .producer = -1};

		for (int k = 0; k < 4; k++)
			input.dims[k] = recipe_dim(&r);
		graph->inputs[graph->input_count++] = r.pool[r.count++] = vrs_graph_add_tensor(graph, &input);
		if (vrs_tensor_elements(&graph->tensors[graph->inputs[i]]) > RECIPE_ELEMENTS)
			return false;
	}
	for (int i = 0; i < RECIPE_NODES && r.at < size; i++)
		recipe_node(&r);
	if (r.count == graph->input_count)
		return false;
	graph->outputs[graph->output_count++] = r.pool[r.count - 1];
	if (r.count > graph->input_count + 1)
		graph->outputs[graph->output_count++] = r.pool[graph->input_count];
	return true;
}

#endif
