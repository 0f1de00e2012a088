/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random networks whose images know nothing of each other, wherever the batch lies: transpositions put it on any axis, views join it with other
 * dims, and no operator mixes values along it.  A seed gives one network, for any batch.
 */
#ifndef TESTS_BATCH_GRAPH_H
#define TESTS_BATCH_GRAPH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "graph/eval.h"

enum { BATCH_BUILT = 2, BATCH_POOL = 64, BATCH_ELEMENTS = 6000, BATCH_ENDS = 3 };

/* A value: dim `axis` is outer * batch * inner. */
struct batch_value {
	int32_t id;
	int axis;
	int64_t outer, inner;
};

struct batch_graph {
	struct vrs_rng rng;
	struct vrs_graph graph;
	struct batch_value pool[BATCH_POOL];
	int count;
	char trace[2000];
};

static inline int batch_range(struct batch_graph *g, int low, int high)
{
	return low + (int)vrs_rng_below(&g->rng, (uint64_t)(high - low + 1));
}

/* A copy, since tensors move when one is added. */
static inline struct vrs_graph_tensor batch_tensor(const struct batch_graph *g, const struct batch_value *v)
{
	return g->graph.tensors[v->id];
}

static inline int32_t batch_const(struct batch_graph *g, int rank, const int64_t *dims, double scale)
{
	struct vrs_graph_tensor shape = {.rank = rank};
	float *values;
	size_t count;
	int32_t id;

	memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
	count = vrs_tensor_elements(&shape);
	values = calloc(count + 1, sizeof *values); /* libc: data of a test */
	if (values == NULL)
		abort();
	for (size_t i = 0; i < count; i++)
		values[i] = (float)((vrs_rng_unit(&g->rng) * 2 - 1) * scale);
	id = vrs_graph_add_const(&g->graph, "c", VRS_F32, rank, dims, values);
	free(values); /* libc: see above */
	if (id < 0)
		abort();
	return id;
}

/* Append, if it is possible; `like` tells where the batch lies. */
static inline bool batch_emit(struct batch_graph *g, struct vrs_node *node, struct batch_value like)
{
	struct vrs_graph_tensor out = {.dtype = VRS_F32};
	const struct vrs_graph_tensor *t;
	size_t used = strlen(g->trace);
	int32_t id;

	snprintf(out.name, sizeof out.name, "t%d", g->graph.tensor_count);
	snprintf(node->name, sizeof node->name, "n%d", g->graph.node_count);
	node->out = vrs_graph_add_tensor(&g->graph, &out);
	id = node->out < 0 ? node->out : vrs_graph_add_node(&g->graph, node);
	if (id < 0)
		abort();
	t = &g->graph.tensors[node->out];
	if (g->count == BATCH_POOL || vrs_node_validate(&g->graph, id, NULL) != VRS_OK || vrs_node_infer(&g->graph, id, NULL) != VRS_OK ||
	    vrs_tensor_elements(t) > BATCH_ELEMENTS || vrs_tensor_elements(t) == 0) {
		g->graph.nodes[id].dead = true;
		g->graph.tensors[node->out].rank = 0;
		return false;
	}
	if (like.axis >= t->rank || t->dims[like.axis] != like.outer * like.inner * BATCH_BUILT)
		abort(); /* the builder is wrong */
	used += (size_t)snprintf(g->trace + used, sizeof g->trace - used, " t%d=%s(t%d", node->out, vrs_op_name(node->op), node->in[0]);
	for (int k = 0; k < t->rank && used < sizeof g->trace; k++)
		used += (size_t)snprintf(g->trace + used, sizeof g->trace - used, "%s%lld", k ? "," : ")[", (long long)t->dims[k]);
	if (used < sizeof g->trace)
		snprintf(g->trace + used, sizeof g->trace - used, "]@%d", like.axis);
	like.id = node->out;
	g->pool[g->count++] = like;
	return true;
}

static inline struct vrs_node batch_node(enum vrs_op op, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, op, NULL);
	node.inputs = 1;
	node.in[0] = x;
	return node;
}

static inline void batch_act(struct batch_graph *g, struct vrs_node *node)
{
	static const enum vrs_act acts[] = {VRS_ACT_RELU, VRS_ACT_CLIP, VRS_ACT_HSWISH, VRS_ACT_SIGMOID, VRS_ACT_TANH, VRS_ACT_LEAKY, VRS_ACT_SILU,
		VRS_ACT_GELU};

	node->act = acts[batch_range(g, 0, 7)];
	node->act_lo = node->act == VRS_ACT_LEAKY ? 0.1f : -0.5f;
	node->act_hi = 0.8f;
}

static inline bool batch_transpose(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_TRANSPOSE, x.id);
	int rank = batch_tensor(g, &x).rank, *perm = node.u.transpose.perm;
	struct batch_value out = x;

	for (int i = 0; i < rank; i++)
		perm[i] = i;
	for (int i = rank - 1; i > 0; i--) {
		int k = batch_range(g, 0, i), old = perm[i];

		perm[i] = perm[k];
		perm[k] = old;
	}
	if (rank == 4 && batch_range(g, 0, 2) == 0)
		memcpy(perm, batch_range(g, 0, 1) ? (const int[]){0, 3, 1, 2} : (const int[]){0, 2, 3, 1}, 4 * sizeof *perm);
	for (int i = 0; i < rank; i++)
		if (perm[i] == x.axis)
			out.axis = i;
	return batch_emit(g, &node, out);
}

static inline bool batch_view(struct batch_graph *g, struct batch_value x, int rank, const int64_t *dims, struct batch_value out)
{
	struct vrs_node node = batch_node(VRS_OP_RESHAPE, x.id);

	if (rank > VRS_MAX_RANK || rank < 1)
		return false;
	node.u.view.rank = rank;
	node.u.view.allow_zero = true;
	memcpy(node.u.view.dims, dims, (size_t)rank * sizeof *dims);
	node.u.view.dims[out.axis] = -1;
	return batch_emit(g, &node, out);
}

/* Two neighbouring dims become one. */
static inline bool batch_join(struct batch_graph *g, struct batch_value x)
{
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int rank = t.rank, at = batch_range(g, 0, rank > 1 ? rank - 2 : 0);
	struct batch_value out = x;
	int64_t dims[VRS_MAX_RANK] = {0};

	if (rank < 3)
		return false;
	for (int i = 0; i < rank - 1; i++)
		dims[i] = t.dims[i < at ? i : i + 1] * (i == at ? t.dims[i] : 1);
	if (x.axis == at)
		out.inner *= t.dims[at + 1];
	else if (x.axis == at + 1)
		out.outer *= t.dims[at];
	out.axis = x.axis > at ? x.axis - 1 : x.axis;
	return batch_view(g, x, rank - 1, dims, out);
}

/* One dim becomes two; that of the batch is taken apart where it was joined. */
static inline bool batch_part(struct batch_graph *g, struct batch_value x)
{
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int at = batch_range(g, 0, 1) && x.outer * x.inner > 1 ? x.axis : batch_range(g, 0, t.rank - 1), parts = batch_range(g, 1, 4);
	struct batch_value out = x;
	int64_t dims[VRS_MAX_RANK + 1] = {0};

	for (int i = 0; i < t.rank; i++)
		dims[i < at ? i : i + 1] = t.dims[i];
	dims[at] = 1;
	out.axis += x.axis >= at;
	if (at == x.axis && x.outer > 1) {
		dims[at] = x.outer;
		out.outer = 1;
	} else if (at == x.axis && x.inner > 1) {
		dims[at + 1] = x.inner;
		out.inner = 1;
		out.axis = at;
	} else if (at != x.axis && t.dims[at] % parts == 0) {
		dims[at] = parts;
		dims[at + 1] /= parts;
	}
	return t.rank < VRS_MAX_RANK && batch_view(g, x, t.rank + 1, dims, out);
}

static inline bool batch_squeeze(struct batch_graph *g, struct batch_value x)
{
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	struct vrs_node node = batch_node(VRS_OP_RESHAPE, x.id);
	struct batch_value out = x;

	node.u.view.kind = VRS_VIEW_SQUEEZE;
	for (int i = 0; i < t.rank; i++)
		if (i != x.axis && t.dims[i] == 1) {
			node.u.view.axes |= 1u << i;
			out.axis -= i < x.axis;
		}
	return node.u.view.axes != 0 && batch_emit(g, &node, out);
}

static inline bool batch_unary(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_UNARY, x.id);

	batch_act(g, &node);
	return batch_emit(g, &node, x);
}

static inline bool batch_fits(const struct batch_graph *g, const struct batch_value *a, const struct batch_value *b, int but)
{
	const struct vrs_graph_tensor x = batch_tensor(g, a), y = batch_tensor(g, b);

	for (int i = 0; i < x.rank && x.rank == y.rank; i++)
		if (x.dims[i] != y.dims[i] && i != but)
			return false;
	return x.rank == y.rank && a->axis == b->axis && a->outer == b->outer && a->inner == b->inner;
}

static inline bool batch_binary(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_BINARY, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int64_t dims[VRS_MAX_RANK];
	int lead = batch_range(g, 0, t.rank - 1), from = batch_range(g, 0, g->count - 1);

	node.inputs = 2;
	node.in[1] = -1;
	node.u.binary.op = (enum vrs_binary[]){VRS_ADD, VRS_MUL, VRS_SUB, VRS_MAX}[batch_range(g, 0, 3)];
	for (int i = 0; i < g->count && batch_range(g, 0, 3) > 0 && node.in[1] < 0; i++)
		if (batch_fits(g, &x, &g->pool[(from + i) % g->count], -1))
			node.in[1] = g->pool[(from + i) % g->count].id;
	if (node.in[1] < 0) {
		for (int i = lead; i < t.rank; i++)
			dims[i] = i == x.axis || batch_range(g, 0, 1) ? 1 : t.dims[i];
		node.in[1] = batch_const(g, t.rank - lead, dims + lead, 1);
	}
	if (batch_range(g, 0, 3) == 0) {
		int32_t other = node.in[0];

		node.in[0] = node.in[1];
		node.in[1] = other;
	}
	if (batch_range(g, 0, 2) == 0)
		batch_act(g, &node);
	return batch_emit(g, &node, x);
}

static inline bool batch_gate(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_REDUCE, x.id);
	int rank = batch_tensor(g, &x).rank;
	struct batch_value gate;

	node.u.reduce.op = (enum vrs_reduce[]){VRS_REDUCE_MEAN, VRS_REDUCE_MAX, VRS_REDUCE_SUM}[batch_range(g, 0, 2)];
	node.u.reduce.axes = (uint32_t)batch_range(g, 1, (1 << rank) - 1) & ~(1u << x.axis);
	node.u.reduce.keep_dims = true;
	if (node.u.reduce.axes == 0 || !batch_emit(g, &node, x))
		return false;
	gate = g->pool[g->count - 1];
	node = batch_node(VRS_OP_BINARY, x.id);
	node.inputs = 2;
	node.in[1] = gate.id;
	node.u.binary.op = batch_range(g, 0, 1) ? VRS_MUL : VRS_ADD;
	return batch_range(g, 0, 2) == 0 || batch_emit(g, &node, x);
}

static inline bool batch_conv(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_CONV, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	struct vrs_window *w = &node.u.window;
	int64_t dims[4], in = t.dims[3];
	int kind = batch_range(g, 0, 3);

	if (t.rank != 4 || x.axis == 3)
		return false;
	w->kernel_h = kind > 1 && x.axis != 1 ? batch_range(g, 1, 3) : 1;
	w->kernel_w = kind > 1 && x.axis != 2 ? batch_range(g, 1, 3) : 1;
	w->stride_h = x.axis != 1 ? batch_range(g, 1, 5) / 4 + 1 : 1;
	w->stride_w = x.axis != 2 ? w->stride_h : 1;
	w->same = true;
	dims[0] = batch_range(g, 1, 20);
	dims[1] = w->kernel_h;
	dims[2] = w->kernel_w;
	dims[3] = in;
	if (kind == 3) {
		w->groups = (int)in;
		node.in[1] = batch_const(g, 3, (const int64_t[]){w->kernel_h, w->kernel_w, in}, 0.8);
		dims[0] = in;
	} else {
		node.in[1] = batch_const(g, 4, dims, 1.5 / sqrt((double)(in * w->kernel_h * w->kernel_w)));
	}
	node.in[2] = batch_range(g, 0, 1) ? batch_const(g, 1, dims, 0.3) : -1;
	node.inputs = 3;
	if (batch_range(g, 0, 1))
		batch_act(g, &node);
	return batch_emit(g, &node, x);
}

/* Operators of whole maps, which have the batch in front. */
static inline bool batch_map(struct batch_graph *g, struct batch_value x)
{
	static const enum vrs_op ops[] = {VRS_OP_GLOBAL_AVG, VRS_OP_RESIZE, VRS_OP_POOL_MAX, VRS_OP_POOL_AVG, VRS_OP_INSTANCE_NORM};
	struct vrs_node node = batch_node(ops[batch_range(g, 0, 4)], x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);

	if (t.rank != 4 || x.axis != 0)
		return false;
	if (node.op == VRS_OP_RESIZE) {
		node.u.resize.half_pixel = true;
		node.u.resize.out_h = batch_range(g, 1, 9);
		node.u.resize.out_w = batch_range(g, 1, 9);
	} else if (node.op == VRS_OP_INSTANCE_NORM) {
		node.inputs = 3;
		node.in[1] = batch_const(g, 1, t.dims + 3, 1);
		node.in[2] = batch_const(g, 1, t.dims + 3, 1);
		node.u.norm.epsilon = 1e-3f;
	} else if (node.op != VRS_OP_GLOBAL_AVG) {
		node.u.window.kernel_h = node.u.window.kernel_w = batch_range(g, 1, 3);
		node.u.window.stride_h = node.u.window.stride_w = batch_range(g, 1, 2);
		node.u.window.same = true;
	}
	return batch_emit(g, &node, x);
}

static inline bool batch_matmul(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_MATMUL, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int64_t k = t.dims[t.rank - 1], n = batch_range(g, 1, 20), dims[2];
	bool turned = batch_range(g, 0, 1);

	if (t.rank < 2 || x.axis == t.rank - 1)
		return false;
	node.inputs = 2;
	if (x.axis < t.rank - 2 && batch_range(g, 0, 1)) {
		node.in[1] = x.id;
		node.u.matmul.transpose_b = true;
		return batch_emit(g, &node, x);
	}
	dims[0] = turned ? n : k;
	dims[1] = turned ? k : n;
	node.in[1] = batch_const(g, 2, dims, 1.5 / sqrt((double)k));
	node.u.matmul.transpose_b = turned;
	if (!batch_emit(g, &node, x) || batch_range(g, 0, 1))
		return false;
	node = batch_node(VRS_OP_BINARY, g->pool[g->count - 1].id);
	node.inputs = 2;
	node.in[1] = batch_const(g, 1, &n, 0.3);
	return batch_emit(g, &node, x);
}

static inline bool batch_norm(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(batch_range(g, 0, 1) ? VRS_OP_SOFTMAX : VRS_OP_LAYER_NORM, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);

	if (x.axis == t.rank - 1)
		return false;
	if (node.op == VRS_OP_LAYER_NORM) {
		node.inputs = 3;
		node.in[1] = batch_const(g, 1, t.dims + t.rank - 1, 1);
		node.in[2] = -1;
		node.u.norm.axis = t.rank - 1;
		node.u.norm.epsilon = 1e-3f;
	}
	return batch_emit(g, &node, x);
}

/* Parts of a dim, a dim again, values beside each other. */
static inline bool batch_move(struct batch_graph *g, struct batch_value x)
{
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int axis = batch_range(g, 0, t.rank - 1), from = batch_range(g, 0, g->count - 1);
	struct vrs_node node = batch_node((enum vrs_op[]){VRS_OP_SLICE, VRS_OP_CONCAT, VRS_OP_PAD, VRS_OP_GATHER}[batch_range(g, 0, 3)], x.id);

	if (axis == x.axis)
		return false;
	if (node.op == VRS_OP_SLICE) {
		const int64_t one = 1, low = batch_range(g, 0, (int)t.dims[axis] - 1), high = batch_range(g, (int)low + 1, (int)t.dims[axis]), at = axis;

		node.in[1] = vrs_graph_add_const(&g->graph, "i", VRS_I64, 1, &one, &low);
		node.in[2] = vrs_graph_add_const(&g->graph, "i", VRS_I64, 1, &one, &high);
		node.in[3] = vrs_graph_add_const(&g->graph, "i", VRS_I64, 1, &one, &at);
		node.inputs = 4;
	} else if (node.op == VRS_OP_CONCAT) {
		node.u.concat.axis = axis;
		for (int i = 0; i < g->count && node.inputs < 3; i++)
			if (batch_fits(g, &x, &g->pool[(from + i) % g->count], axis))
				node.in[node.inputs++] = g->pool[(from + i) % g->count].id;
	} else if (node.op == VRS_OP_PAD) {
		node.u.pad.before[axis] = batch_range(g, 0, 1);
		node.u.pad.after[axis] = batch_range(g, 0, 2);
	} else {
		const int64_t two = 2, at[2] = {batch_range(g, 0, (int)t.dims[axis] - 1), batch_range(g, 0, (int)t.dims[axis] - 1)};

		node.in[1] = vrs_graph_add_const(&g->graph, "i", VRS_I64, 1, &two, at);
		node.inputs = 2;
		node.u.gather.axis = axis;
	}
	return batch_emit(g, &node, x);
}

static inline bool batch_emit_pair(struct batch_graph *g, enum vrs_binary op, struct batch_value x, int32_t other, bool act)
{
	struct vrs_node node = batch_node(VRS_OP_BINARY, x.id);

	node.inputs = 2;
	node.in[1] = other;
	node.u.binary.op = op;
	if (act)
		batch_act(g, &node);
	return batch_emit(g, &node, x);
}

static inline struct batch_value batch_newest(const struct batch_graph *g)
{
	return g->pool[g->count - 1];
}

/* Grouped, depthwise with two outputs an input, transposed. */
static inline bool batch_other_conv(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(batch_range(g, 0, 1) ? VRS_OP_CONV : VRS_OP_DECONV, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	struct vrs_window *w = &node.u.window;
	int64_t in = t.dims[3], out = 2 * batch_range(g, 1, 6);

	if (t.rank != 4 || x.axis != 0)
		return false;
	w->kernel_h = w->kernel_w = batch_range(g, 1, 4);
	w->stride_h = w->stride_w = batch_range(g, 1, 2);
	w->same = node.op == VRS_OP_CONV || w->kernel_h >= w->stride_h;
	node.inputs = 2;
	if (node.op == VRS_OP_CONV && batch_range(g, 0, 1)) {
		w->groups = (int)in;
		node.in[1] = batch_const(g, 3, (const int64_t[]){w->kernel_h, w->kernel_w, 2 * in}, 0.8);
	} else {
		w->groups = node.op == VRS_OP_CONV && in % 2 == 0 ? 2 : 1;
		node.in[1] = batch_const(g, 4, (const int64_t[]){out, w->kernel_h, w->kernel_w, in / w->groups}, 0.6);
	}
	if (batch_range(g, 0, 1))
		batch_act(g, &node);
	return batch_emit(g, &node, x);
}

/* The parts of x * clip(x + 3, 0, 6) / 6, whose values other nodes may read, too. */
static inline bool batch_hswish(struct batch_graph *g, struct batch_value x)
{
	const int64_t one = 1;
	const float three = 3, sixth = 1.0f / 6;
	struct vrs_node node;

	if (!batch_emit_pair(g, VRS_ADD, x, vrs_graph_add_const(&g->graph, "c", VRS_F32, 1, &one, &three), false))
		return false;
	node = batch_node(VRS_OP_UNARY, batch_newest(g).id);
	node.act = VRS_ACT_CLIP;
	node.act_hi = 6;
	return batch_emit(g, &node, x) && batch_emit_pair(g, VRS_MUL, x, batch_newest(g).id, false) &&
	       batch_emit_pair(g, VRS_MUL, batch_newest(g), vrs_graph_add_const(&g->graph, "c", VRS_F32, 1, &one, &sixth), false);
}

/* Squeeze-excitation, by a mean over height and width. */
static inline bool batch_squeeze_excite(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_GLOBAL_AVG, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int64_t c = t.dims[3], middle = batch_range(g, 1, 5);

	if (t.rank != 4 || x.axis != 0 || !batch_emit(g, &node, x))
		return false;
	for (int i = 0; i < 2; i++) {
		const int64_t dims[4] = {i == 0 ? middle : c, 1, 1, i == 0 ? c : middle};

		node = batch_node(VRS_OP_CONV, batch_newest(g).id);
		node.inputs = 2;
		node.in[1] = batch_const(g, 4, dims, 1);
		node.act = i == 0 ? VRS_ACT_RELU : VRS_ACT_SIGMOID;
		if (!batch_emit(g, &node, x))
			return false;
	}
	return batch_emit_pair(g, VRS_MUL, x, batch_newest(g).id, false) && batch_conv(g, batch_newest(g));
}

/* A convolution of as many channels, and the sum of both, before or behind a function. */
static inline bool batch_residual(struct batch_graph *g, struct batch_value x)
{
	struct vrs_node node = batch_node(VRS_OP_CONV, x.id);
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	int kernel = x.axis == 0 ? 2 * batch_range(g, 0, 1) + 1 : 1;

	if (t.rank != 4 || x.axis == 3)
		return false;
	node.inputs = 2;
	node.in[1] = batch_const(g, 4, (const int64_t[]){t.dims[3], kernel, kernel, t.dims[3]}, 0.5);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.same = true;
	if (batch_range(g, 0, 1))
		batch_act(g, &node);
	if (!batch_emit(g, &node, x))
		return false;
	return batch_range(g, 0, 1) ? batch_emit_pair(g, VRS_ADD, batch_newest(g), x.id, batch_range(g, 0, 1))
				    : batch_emit_pair(g, VRS_ADD, x, batch_newest(g).id, batch_range(g, 0, 1));
}

/* Broadcast along dims of 1, repeated, or left out. */
static inline bool batch_spread(struct batch_graph *g, struct batch_value x)
{
	const struct vrs_graph_tensor t = batch_tensor(g, &x);
	struct vrs_node node = batch_node((enum vrs_op[]){VRS_OP_EXPAND, VRS_OP_TILE, VRS_OP_REDUCE}[batch_range(g, 0, 2)], x.id);
	int64_t counts[VRS_MAX_RANK], rank = t.rank;
	struct batch_value out = x;

	if (node.op == VRS_OP_REDUCE) {
		node.u.reduce.op = (enum vrs_reduce)batch_range(g, 0, VRS_REDUCE_COUNT - 1);
		node.u.reduce.axes = (uint32_t)batch_range(g, 1, (1 << rank) - 1) & ~(1u << x.axis);
		for (int i = 0; i < x.axis; i++)
			out.axis -= node.u.reduce.axes >> i & 1;
		return node.u.reduce.axes != 0 && node.u.reduce.op != VRS_REDUCE_LOG_SUM && batch_emit(g, &node, out);
	}
	for (int i = 0; i < rank; i++)
		counts[i] = i != x.axis && (t.dims[i] == 1 || node.op == VRS_OP_TILE) ? batch_range(g, 1, 3) : 1;
	node.in[1] = vrs_graph_add_const(&g->graph, "i", VRS_I64, 1, &rank, counts);
	node.inputs = 2;
	return batch_emit(g, &node, x);
}

static inline bool batch_step(struct batch_graph *g)
{
	static bool (*const steps[])(struct batch_graph *g, struct batch_value x) = {batch_transpose, batch_transpose, batch_transpose, batch_join,
		batch_part, batch_part, batch_unary, batch_binary, batch_binary, batch_gate, batch_conv, batch_conv, batch_conv, batch_map, batch_matmul,
		batch_matmul, batch_norm, batch_move, batch_squeeze, batch_other_conv, batch_hswish, batch_squeeze_excite, batch_residual, batch_spread};
	int at = batch_range(g, 0, 3) > 0 ? g->count - 1 : batch_range(g, 0, g->count - 1);

	return steps[batch_range(g, 0, (int)(sizeof steps / sizeof *steps) - 1)](g, g->pool[at]);
}

/* The network of a seed; vrs_graph_fini(&ret->graph).  Its outputs: the newest value and older ones; *ret_ends: where their batch lies. */
static inline void batch_graph_build(struct batch_graph *ret, uint64_t seed, struct batch_value ret_ends[BATCH_ENDS])
{
	struct vrs_graph_tensor input = {.name = "x", .dtype = VRS_F32, .rank = 4, .producer = -1};

	memset(ret, 0, sizeof *ret);
	vrs_rng_init(&ret->rng, seed);
	vrs_graph_init(&ret->graph);
	input.dims[0] = BATCH_BUILT;
	for (int i = 1; i < 4; i++)
		input.dims[i] = batch_range(ret, 1, 9);
	ret->pool[0] = (struct batch_value){vrs_graph_add_tensor(&ret->graph, &input), 0, 1, 1};
	ret->count = 1;
	ret->graph.inputs[ret->graph.input_count++] = ret->pool[0].id;
	for (int wanted = batch_range(ret, 3, 16), tries = 0; ret->count <= wanted && tries < 500; tries++)
		(void)batch_step(ret);
	for (int i = 0, ends = batch_range(ret, 1, BATCH_ENDS); i < ends && i < ret->count; i++) {
		ret_ends[i] = ret->pool[ret->count - 1 - i * ret->count / BATCH_ENDS];
		ret->graph.outputs[ret->graph.output_count++] = ret_ends[i].id;
	}
}

#endif
