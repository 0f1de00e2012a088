/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random networks as an ONNX file gives them: tensors are [N][C][H][W], map operators stand between two transpositions, normalisations are products
 * and sums with constants, activations are spelled out, and tensors are sliced, split, joined, reduced and reshaped along any axis.
 * A seed gives one graph.
 */
#ifndef TESTS_RANDOM_NCHW_GRAPH_H
#define TESTS_RANDOM_NCHW_GRAPH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "graph/eval.h"

struct nchw_graph {
	struct vrs_rng rng;
	struct vrs_graph graph;
	int32_t pool[128];         /* activations so far */
	int count, serial;
};

static inline int nchw_range(struct nchw_graph *g, int low, int high)
{
	return low + (int)vrs_rng_below(&g->rng, (uint64_t)(high - low + 1));
}

static inline bool nchw_chance(struct nchw_graph *g, int percent)
{
	return nchw_range(g, 0, 99) < percent;
}

static inline const struct vrs_graph_tensor *nchw_tensor(const struct nchw_graph *g, int32_t id)
{
	return &g->graph.tensors[id];
}

static inline int32_t nchw_check(int32_t id)
{
	if (id < 0)
		abort(); /* out of memory in a test */
	return id;
}

/* Floats around `middle`. */
static inline int32_t nchw_const(struct nchw_graph *g, int rank, const int64_t *dims, double middle, double scale)
{
	size_t n = 1;
	float *values;
	int32_t id;

	for (int i = 0; i < rank; i++)
		n *= (size_t)dims[i];
	values = malloc(n * sizeof *values); /* libc: test scratch */
	if (values == NULL)
		abort();
	for (size_t i = 0; i < n; i++)
		values[i] = (float)(middle + (vrs_rng_unit(&g->rng) * 2 - 1) * scale);
	id = vrs_graph_add_const(&g->graph, "const", VRS_F32, rank, dims, values);
	free(values);
	return nchw_check(id);
}

static inline int32_t nchw_scalar(struct nchw_graph *g, float value)
{
	return nchw_check(vrs_graph_add_const(&g->graph, "scalar", VRS_F32, 0, NULL, &value));
}

static inline int32_t nchw_numbers(struct nchw_graph *g, int count, const int64_t *values)
{
	const int64_t dims = count;

	return nchw_check(vrs_graph_add_const(&g->graph, "numbers", VRS_I64, 1, &dims, values));
}

/* Append; -1: not possible here (and nothing of it stays alive). */
static inline int32_t nchw_emit(struct nchw_graph *g, struct vrs_node *node)
{
	struct vrs_graph_tensor out = {.dtype = VRS_F32};
	struct vrs_error err = {0};
	int32_t id;

	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] < -1)
			return -1;
	snprintf(out.name, sizeof out.name, "t%d", g->serial);
	snprintf(node->name, sizeof node->name, "n%d", g->serial++);
	node->out = nchw_check(vrs_graph_add_tensor(&g->graph, &out));
	id = nchw_check(vrs_graph_add_node(&g->graph, node));
	if (vrs_node_validate(&g->graph, id, &err) != VRS_OK || vrs_node_infer(&g->graph, id, &err) != VRS_OK ||
	    vrs_tensor_elements(nchw_tensor(g, node->out)) > 20000 || vrs_tensor_elements(nchw_tensor(g, node->out)) == 0) {
		g->graph.nodes[id].dead = true;
		g->graph.tensors[node->out].rank = 0;
		return -1;
	}
	return node->out;
}

static inline int32_t nchw_keep(struct nchw_graph *g, int32_t id)
{
	if (id >= 0 && nchw_tensor(g, id)->dtype == VRS_F32 && g->count < 128)
		g->pool[g->count++] = id;
	return id;
}

static inline struct vrs_node nchw_node(enum vrs_op op, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, op, NULL);
	node.inputs = 1;
	node.in[0] = x;
	return node;
}

static inline int32_t nchw_transpose(struct nchw_graph *g, int32_t x, const int *perm)
{
	struct vrs_node node = nchw_node(VRS_OP_TRANSPOSE, x);

	if (x < 0)
		return -1;
	memcpy(node.u.transpose.perm, perm, (size_t)nchw_tensor(g, x)->rank * sizeof *perm);
	return nchw_emit(g, &node);
}

static inline int32_t nchw_to_map(struct nchw_graph *g, int32_t x)
{
	return nchw_transpose(g, x, (int[]){0, 2, 3, 1});
}

static inline int32_t nchw_from_map(struct nchw_graph *g, int32_t x)
{
	return nchw_transpose(g, x, (int[]){0, 3, 1, 2});
}

static inline int32_t nchw_unary(struct nchw_graph *g, int32_t x, enum vrs_act act)
{
	struct vrs_node node = nchw_node(VRS_OP_UNARY, x);

	node.act = act;
	node.act_lo = act == VRS_ACT_LEAKY ? 0.2f : act == VRS_ACT_CLIP ? -0.5f : 0.7f;
	node.act_hi = 0.9f;
	return x < 0 ? -1 : nchw_emit(g, &node);
}

static inline int32_t nchw_binary(struct nchw_graph *g, enum vrs_binary op, int32_t a, int32_t b)
{
	struct vrs_node node = nchw_node(VRS_OP_BINARY, a);

	node.inputs = 2;
	node.in[1] = b;
	node.u.binary.op = op;
	return a < 0 || b < 0 ? -1 : nchw_emit(g, &node);
}

static inline void nchw_window(struct nchw_graph *g, struct vrs_window *w, int most)
{
	w->kernel_h = nchw_range(g, 1, most);
	w->kernel_w = nchw_range(g, 1, most);
	w->stride_h = w->stride_w = nchw_chance(g, 30) ? 2 : 1;
	w->pad_top = nchw_range(g, 0, w->kernel_h - 1);
	w->pad_bottom = nchw_range(g, 0, w->kernel_h - 1);
	w->pad_left = nchw_range(g, 0, w->kernel_w - 1);
	w->pad_right = nchw_range(g, 0, w->kernel_w - 1);
}

/* Convolution, depthwise, grouped or transposed, of a tensor [N][C][H][W]. */
static inline int32_t nchw_conv(struct nchw_graph *g, int32_t x, int out, bool pointwise)
{
	int64_t channels = nchw_tensor(g, x)->dims[1], dims[4];
	bool transposed = !pointwise && out == 0 && nchw_chance(g, 15), depthwise = !pointwise && out == 0 && !transposed && nchw_chance(g, 30);
	struct vrs_node node = nchw_node(transposed ? VRS_OP_DECONV : VRS_OP_CONV, nchw_to_map(g, x));
	struct vrs_window *w = &node.u.window;

	if (node.in[0] < 0)
		return -1;
	out = out > 0 ? out : nchw_range(g, 1, 12);
	if (!pointwise)
		nchw_window(g, w, 4);
	if (transposed)
		w->pad_top = w->pad_bottom = w->pad_left = w->pad_right = 0;
	if (depthwise) {
		w->groups = (int)channels;
		out = (int)channels * nchw_range(g, 1, 2);
	} else if (!transposed && channels % 2 == 0 && out % 2 == 0 && nchw_chance(g, 20)) {
		w->groups = 2;
	}
	dims[0] = depthwise ? w->kernel_h : out;
	dims[1] = depthwise ? w->kernel_w : w->kernel_h;
	dims[2] = depthwise ? out : w->kernel_w;
	dims[3] = channels / w->groups;
	node.inputs = 3;
	node.in[1] = nchw_const(g, depthwise ? 3 : 4, dims, 0, 1.7 / sqrt((double)(w->kernel_h * w->kernel_w * (depthwise ? 1 : dims[3]))));
	dims[0] = out;
	node.in[2] = nchw_chance(g, 60) ? nchw_const(g, 1, dims, 0, 0.3) : -1;
	return nchw_from_map(g, nchw_emit(g, &node));
}

static inline int32_t nchw_map_op(struct nchw_graph *g, int32_t x)
{
	static const enum vrs_op ops[] = {VRS_OP_POOL_MAX, VRS_OP_POOL_AVG, VRS_OP_GLOBAL_AVG, VRS_OP_RESIZE};
	struct vrs_node node = nchw_node(ops[nchw_range(g, 0, 3)], nchw_to_map(g, x));

	if (node.op == VRS_OP_RESIZE) {
		node.u.resize.half_pixel = nchw_chance(g, 50);
		node.u.resize.scale_h = node.u.resize.scale_w = 2;
	} else if (node.op != VRS_OP_GLOBAL_AVG) {
		nchw_window(g, &node.u.window, 3);
	}
	return node.in[0] < 0 ? -1 : nchw_from_map(g, nchw_emit(g, &node));
}

/* A constant that broadcasts to x in one of the ways that exporters write. */
static inline int32_t nchw_broadcast(struct nchw_graph *g, int32_t x, double middle)
{
	const struct vrs_graph_tensor *t = nchw_tensor(g, x);
	int64_t dims[VRS_MAX_RANK];
	int rank = nchw_range(g, 0, t->rank);

	for (int i = 0; i < rank; i++)
		dims[i] = nchw_chance(g, 60) ? 1 : t->dims[t->rank - rank + i];
	if (t->rank == 4 && nchw_chance(g, 60)) {
		rank = nchw_range(g, 3, 4);
		for (int i = 0; i < rank; i++)
			dims[i] = i == rank - 3 ? t->dims[1] : 1;
	}
	return nchw_const(g, rank, dims, middle, 0.4);
}

static inline int32_t nchw_arithmetic(struct nchw_graph *g, int32_t x)
{
	static const enum vrs_binary ops[] = {VRS_ADD, VRS_SUB, VRS_MUL, VRS_MIN, VRS_MAX, VRS_PRELU};
	enum vrs_binary op = ops[nchw_range(g, 0, 5)];
	const struct vrs_graph_tensor *a = nchw_tensor(g, x);

	for (int i = g->count - 1; i >= 0 && nchw_chance(g, 70); i--) {
		const struct vrs_graph_tensor *b = nchw_tensor(g, g->pool[i]);
		bool fits = g->pool[i] != x && b->rank <= a->rank;

		for (int k = 1; k <= b->rank && fits; k++)
			fits = b->dims[b->rank - k] == a->dims[a->rank - k] || b->dims[b->rank - k] == 1;
		if (fits)
			return nchw_chance(g, 50) ? nchw_binary(g, op, x, g->pool[i]) : nchw_binary(g, op, g->pool[i], x);
	}
	if (op == VRS_PRELU || nchw_chance(g, 60))
		return nchw_binary(g, op == VRS_MIN && nchw_chance(g, 50) ? VRS_DIV : op, x, nchw_broadcast(g, x, 1.2));
	return nchw_binary(g, op, nchw_broadcast(g, x, 1.2), x);
}

/* Batch normalisation behind (or before) a convolution. */
static inline int32_t nchw_norm(struct nchw_graph *g, int32_t x)
{
	const int64_t *dims = nchw_tensor(g, x)->dims;
	int64_t channel[3] = {0, 1, 1};
	bool before = nchw_chance(g, 40);

	if (!before)
		x = nchw_conv(g, x, 0, false);
	if (x < 0)
		return -1;
	dims = nchw_tensor(g, x)->dims;
	channel[0] = dims[1];
	x = nchw_binary(g, VRS_MUL, x, nchw_const(g, 3, channel, 1, 0.5));
	x = nchw_binary(g, nchw_chance(g, 50) ? VRS_ADD : VRS_SUB, x, nchw_const(g, 3, channel, 0, 0.5));
	return before && x >= 0 ? nchw_conv(g, x, 0, nchw_chance(g, 50)) : x;
}

/* Activations in full. */
static inline int32_t nchw_spelled(struct nchw_graph *g, int32_t x)
{
	int32_t h = nchw_unary(g, nchw_binary(g, VRS_ADD, x, nchw_scalar(g, 3)), VRS_ACT_RELU6);

	switch (nchw_range(g, 0, 5)) {
	case 0: return nchw_binary(g, VRS_MUL, h, nchw_scalar(g, 1.0f / 6));
	case 1: return nchw_binary(g, VRS_DIV, nchw_binary(g, VRS_MUL, x, h), nchw_scalar(g, 6));
	case 2: return nchw_binary(g, VRS_MUL, nchw_unary(g, x, VRS_ACT_SIGMOID), x);
	case 3: return nchw_binary(g, VRS_MUL, x, nchw_unary(g, nchw_unary(g, x, VRS_ACT_SOFTPLUS), VRS_ACT_TANH));
	case 4:
		h = nchw_unary(g, nchw_binary(g, VRS_DIV, x, nchw_scalar(g, 1.41421356f)), VRS_ACT_ERF);
		h = nchw_binary(g, VRS_MUL, x, nchw_binary(g, VRS_ADD, h, nchw_scalar(g, 1)));
		return nchw_binary(g, VRS_MUL, h, nchw_scalar(g, 0.5f));
	default: return nchw_binary(g, VRS_SUB, nchw_scalar(g, 1), nchw_unary(g, x, VRS_ACT_SIGMOID));
	}
}

static inline int32_t nchw_concat(struct nchw_graph *g, int32_t x)
{
	struct vrs_node node = nchw_node(VRS_OP_CONCAT, x);
	const struct vrs_graph_tensor *a = nchw_tensor(g, x);

	if (a->rank == 0)
		return -1;
	node.u.concat.axis = a->rank == 4 && nchw_chance(g, 60) ? 1 : nchw_range(g, 0, a->rank - 1);
	for (int i = 0; i < g->count && node.inputs < 4; i++) {
		const struct vrs_graph_tensor *b = nchw_tensor(g, g->pool[i]);
		bool fits = a->rank == b->rank;

		for (int k = 0; k < a->rank && fits; k++)
			fits = k == node.u.concat.axis || a->dims[k] == b->dims[k];
		if (fits)
			node.in[node.inputs++] = g->pool[i];
	}
	return nchw_emit(g, &node);
}

/* starts, ends, axes, steps as tensors. */
static inline int32_t nchw_slice(struct nchw_graph *g, int32_t x, int axis, int64_t start, int64_t end, int64_t step)
{
	struct vrs_node node = nchw_node(VRS_OP_SLICE, x);
	const int64_t at = axis;

	node.inputs = 5;
	node.in[1] = nchw_numbers(g, 1, &start);
	node.in[2] = nchw_numbers(g, 1, &end);
	node.in[3] = nchw_numbers(g, 1, &at);
	node.in[4] = nchw_numbers(g, 1, &step);
	return nchw_emit(g, &node);
}

static inline int32_t nchw_cut(struct nchw_graph *g, int32_t x)
{
	int rank = nchw_tensor(g, x)->rank, axis = rank == 4 && nchw_chance(g, 60) ? 1 : nchw_range(g, 0, rank > 0 ? rank - 1 : 0);
	int64_t size = rank > 0 ? nchw_tensor(g, x)->dims[axis] : 0, middle = size / 2;
	int32_t a, b;

	if (size < 2)
		return -1;
	if (nchw_chance(g, 30))
		return nchw_slice(g, x, axis, nchw_range(g, 0, (int)size - 1), size, nchw_range(g, 1, 2));
	a = nchw_keep(g, nchw_slice(g, x, axis, 0, middle, 1));
	b = nchw_keep(g, nchw_slice(g, x, axis, middle, size, 1));
	return size % 2 == 0 ? nchw_binary(g, VRS_MUL, a, b) : a;
}

static inline int32_t nchw_pad(struct nchw_graph *g, int32_t x)
{
	struct vrs_node node = nchw_node(VRS_OP_PAD, x);

	for (int i = 0; i < nchw_tensor(g, x)->rank; i++) {
		node.u.pad.before[i] = nchw_chance(g, 40) ? nchw_range(g, 0, 2) : 0;
		node.u.pad.after[i] = nchw_chance(g, 40) ? nchw_range(g, 0, 2) : 0;
	}
	vrs_store_f64(VRS_F32, node.u.pad.fill, 0, nchw_chance(g, 30) ? 0.5 : 0);
	return nchw_emit(g, &node);
}

static inline int32_t nchw_reduce(struct nchw_graph *g, int32_t x)
{
	struct vrs_node node = nchw_node(VRS_OP_REDUCE, x);
	int rank = nchw_tensor(g, x)->rank;

	node.u.reduce.op = (enum vrs_reduce)nchw_range(g, VRS_REDUCE_MEAN, VRS_REDUCE_MIN);
	node.u.reduce.keep_dims = nchw_chance(g, 60);
	node.u.reduce.axes = rank == 4 && nchw_chance(g, 50) ? 12 : (uint32_t)nchw_range(g, 1, (1 << rank) - 1);
	return nchw_emit(g, &node);
}

static inline int32_t nchw_softmax(struct nchw_graph *g, int32_t x)
{
	int rank = nchw_tensor(g, x)->rank, perm[VRS_MAX_RANK], axis = nchw_range(g, 0, rank > 0 ? rank - 1 : 0);
	struct vrs_node node = nchw_node(VRS_OP_SOFTMAX, -1);

	for (int i = 0; i < rank; i++)
		perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
	node.in[0] = nchw_transpose(g, x, perm);
	return rank == 0 || node.in[0] < 0 ? -1 : nchw_transpose(g, nchw_emit(g, &node), perm);
}

static inline int32_t nchw_shuffle(struct nchw_graph *g, int32_t x)
{
	int rank = nchw_tensor(g, x)->rank, perm[VRS_MAX_RANK] = {0};

	for (int i = 0; i < rank; i++) {
		int k = nchw_range(g, 0, i);

		perm[i] = perm[k];
		perm[k] = i;
	}
	return nchw_transpose(g, x, perm);
}

static inline int32_t nchw_view(struct nchw_graph *g, int32_t x)
{
	const struct vrs_graph_tensor *t = nchw_tensor(g, x);
	struct vrs_node node = nchw_node(VRS_OP_RESHAPE, x);
	int64_t *dims = node.u.view.dims;
	int at = nchw_range(g, 0, t->rank > 0 ? t->rank - 1 : 0);

	node.u.view.rank = t->rank;
	memcpy(dims, t->dims, sizeof t->dims);
	if (t->rank > 1 && at + 1 < t->rank && nchw_chance(g, 60)) { /* two dims become one */
		dims[at] *= dims[at + 1];
		memmove(dims + at + 1, dims + at + 2, (size_t)(t->rank - at - 2) * sizeof *dims);
		node.u.view.rank--;
	} else if (t->rank > 0 && t->rank < 6) { /* one becomes two */
		int64_t part = dims[at] % 2 == 0 ? 2 : dims[at] % 3 == 0 ? 3 : 1;

		memmove(dims + at + 1, dims + at, (size_t)(t->rank - at) * sizeof *dims);
		dims[at] = part;
		dims[at + 1] /= part;
		node.u.view.rank++;
	}
	return nchw_emit(g, &node);
}

/* Back to [N][C][H][W], whatever it was. */
static inline int32_t nchw_square(struct nchw_graph *g, int32_t x)
{
	struct vrs_node node = nchw_node(VRS_OP_RESHAPE, x);
	int64_t n = (int64_t)vrs_tensor_elements(nchw_tensor(g, x));

	node.u.view.rank = 4;
	node.u.view.dims[0] = 1;
	node.u.view.dims[1] = n % 3 == 0 ? 3 : 1;
	node.u.view.dims[2] = n % 2 == 0 ? 2 : 1;
	node.u.view.dims[3] = -1;
	return nchw_emit(g, &node);
}

static inline int32_t nchw_where(struct nchw_graph *g, int32_t x)
{
	struct vrs_node node = nchw_node(VRS_OP_WHERE, nchw_binary(g, VRS_LESS, x, nchw_broadcast(g, x, 0)));

	node.inputs = 3;
	node.in[1] = x;
	node.in[2] = nchw_broadcast(g, x, 0);
	return node.in[0] < 0 ? -1 : nchw_emit(g, &node);
}

/* Squeeze-excitation; gate times map, perhaps before a 1x1 convolution. */
static inline int32_t nchw_se(struct nchw_graph *g, int32_t x)
{
	int channels = (int)nchw_tensor(g, x)->dims[1];
	struct vrs_node mean = nchw_node(VRS_OP_GLOBAL_AVG, nchw_to_map(g, x));
	int32_t s = mean.in[0] < 0 ? -1 : nchw_from_map(g, nchw_emit(g, &mean));

	s = s < 0 ? -1 : nchw_unary(g, nchw_conv(g, s, 3, true), VRS_ACT_RELU);
	s = s < 0 ? -1 : nchw_unary(g, nchw_conv(g, s, channels, true), VRS_ACT_HSIGMOID);
	s = nchw_binary(g, VRS_MUL, x, s);
	return s >= 0 && nchw_chance(g, 60) ? nchw_conv(g, s, 0, true) : s;
}

/* h' = (1 - u) * h + u * tanh(conv(x | h)), with the gates from one sigmoid that is split. */
static inline int32_t nchw_gru(struct nchw_graph *g, int32_t x)
{
	int64_t channels = nchw_tensor(g, x)->dims[1];
	int32_t z = nchw_unary(g, nchw_conv(g, x, 2 * (int)channels, true), VRS_ACT_SIGMOID), r, u, c, keep;

	if (z < 0)
		return -1;
	r = nchw_slice(g, z, 1, 0, channels, 1);
	u = nchw_slice(g, z, 1, channels, 2 * channels, 1);
	c = nchw_binary(g, VRS_MUL, r, x);
	c = c < 0 ? -1 : nchw_unary(g, nchw_conv(g, c, (int)channels, true), VRS_ACT_TANH);
	keep = nchw_binary(g, VRS_MUL, nchw_binary(g, VRS_SUB, nchw_scalar(g, 1), u), x);
	return nchw_binary(g, VRS_ADD, keep, nchw_binary(g, VRS_MUL, u, c));
}

static inline int32_t nchw_matmul(struct nchw_graph *g, int32_t x)
{
	const struct vrs_graph_tensor *t = nchw_tensor(g, x);
	struct vrs_node node = nchw_node(VRS_OP_MATMUL, x);
	int64_t dims[2] = {t->rank > 0 ? t->dims[t->rank - 1] : 1, nchw_range(g, 1, 9)}, columns = dims[1];

	if (t->rank < 2)
		return -1;
	node.u.matmul.transpose_b = nchw_chance(g, 30);
	if (node.u.matmul.transpose_b) {
		dims[1] = dims[0];
		dims[0] = columns;
	}
	node.inputs = 2;
	node.in[1] = nchw_const(g, 2, dims, 0, 1.7 / sqrt((double)t->dims[t->rank - 1]));
	x = nchw_emit(g, &node);
	return x >= 0 && nchw_chance(g, 60) ? nchw_binary(g, VRS_ADD, x, nchw_const(g, 1, &columns, 0, 0.5)) : x;
}

static inline int32_t nchw_any_rank_step(struct nchw_graph *g, int32_t x)
{
	switch (nchw_range(g, 0, 13)) {
	case 0: return nchw_unary(g, x, (enum vrs_act)nchw_range(g, VRS_ACT_NONE, VRS_ACT_SILU));
	case 1:
	case 2: return nchw_arithmetic(g, x);
	case 3: return nchw_spelled(g, x);
	case 4:
	case 5: return nchw_concat(g, x);
	case 6: return nchw_cut(g, x);
	case 7: return nchw_pad(g, x);
	case 8: return nchw_reduce(g, x);
	case 9: return nchw_softmax(g, x);
	case 10: return nchw_shuffle(g, x);
	case 11: return nchw_view(g, x);
	case 12: return nchw_where(g, x);
	default: return nchw_matmul(g, x);
	}
}

static inline void nchw_step(struct nchw_graph *g)
{
	int32_t x = g->pool[nchw_chance(g, 75) ? g->count - 1 : nchw_range(g, 0, g->count - 1)];
	bool map = nchw_tensor(g, x)->rank == 4;

	if (!map && nchw_chance(g, 50)) {
		(void)nchw_keep(g, nchw_square(g, x));
		return;
	}
	if (!map || nchw_chance(g, 50)) {
		(void)nchw_keep(g, nchw_any_rank_step(g, x));
		return;
	}
	switch (nchw_range(g, 0, 5)) {
	case 0:
	case 1: (void)nchw_keep(g, nchw_conv(g, x, 0, nchw_chance(g, 30))); return;
	case 2: (void)nchw_keep(g, nchw_map_op(g, x)); return;
	case 3: (void)nchw_keep(g, nchw_norm(g, x)); return;
	case 4: (void)nchw_keep(g, nchw_se(g, x)); return;
	default: (void)nchw_keep(g, nchw_gru(g, x)); return;
	}
}

/* Build the graph of a seed into *ret_graph (vrs_graph_fini when done): valid, shapes inferred, one or two inputs, one to three outputs. */
static inline void nchw_graph_build(struct vrs_graph *ret_graph, uint64_t seed)
{
	struct nchw_graph g = {.serial = 0};
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4};
	int steps;

	vrs_rng_init(&g.rng, seed);
	vrs_graph_init(&g.graph);
	g.graph.nchw = true;
	input.dims[0] = nchw_range(&g, 1, 2);
	input.dims[1] = nchw_range(&g, 1, 8);
	input.dims[2] = nchw_range(&g, 1, 11);
	input.dims[3] = nchw_range(&g, 1, 11);
	for (int i = nchw_range(&g, 1, 2); i > 0; i--)
		g.pool[g.count++] = g.graph.inputs[g.graph.input_count++] = nchw_check(vrs_graph_add_tensor(&g.graph, &input));
	steps = nchw_range(&g, 3, 16);
	for (int i = 0; i < steps || g.count <= g.graph.input_count; i++)
		nchw_step(&g);
	g.graph.outputs[g.graph.output_count++] = g.pool[g.count - 1];
	for (int i = 0; i < 2; i++) {
		int32_t other = g.pool[nchw_range(&g, 0, g.count - 1)];

		if (g.graph.tensors[other].producer >= 0 && other != g.graph.outputs[0] && other != g.graph.outputs[g.graph.output_count - 1])
			g.graph.outputs[g.graph.output_count++] = other;
	}
	*ret_graph = g.graph;
}

#endif
