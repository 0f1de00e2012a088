/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random small networks for comparing backends: convolutions of several kinds, transposed convolutions, pools, resizes, arithmetic with
 * broadcasting, squeeze-excitation blocks, residual blocks, concatenations, padding, softmax; odd sizes; batch 1 to 3.  A seed gives one graph.
 * Weights are scaled so that values stay near 1.
 */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "graph/eval.h"

struct random_graph {
	struct vrs_rng rng;
	struct vrs_graph graph;
	int32_t maps[64];          /* activations of rank 4 made so far */
	int map_count;
	int serial;
};

static inline int random_range(struct random_graph *r, int low, int high)
{
	return low + (int)vrs_rng_below(&r->rng, (uint64_t)(high - low + 1));
}

static inline float random_value(struct random_graph *r, double scale)
{
	return (float)((vrs_rng_unit(&r->rng) * 2 - 1) * scale);
}

static inline const struct vrs_graph_tensor *random_tensor(const struct random_graph *r, int32_t id)
{
	return &r->graph.tensors[id];
}

static inline int32_t random_check(int32_t id)
{
	if (id < 0)
		abort(); /* out of memory in a test */
	return id;
}

/* Constant of random floats in -scale..scale. */
static inline int32_t random_const(struct random_graph *r, int rank, const int64_t *dims, double scale)
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
		values[i] = random_value(r, scale);
	id = vrs_graph_add_const(&r->graph, "const", VRS_F32, rank, dims, values);
	free(values); /* libc: see above */
	return random_check(id);
}

/* Append node with a new output; -1 (nothing appended) when its shape is not possible or it grows too large. */
static inline int32_t random_emit(struct random_graph *r, struct vrs_node *node)
{
	struct vrs_graph_tensor out = {.dtype = VRS_F32};
	struct vrs_error err = {0};
	int32_t id;

	snprintf(out.name, sizeof out.name, "t%d", r->serial);
	snprintf(node->name, sizeof node->name, "n%d", r->serial++);
	node->out = random_check(vrs_graph_add_tensor(&r->graph, &out));
	id = random_check(vrs_graph_add_node(&r->graph, node));
	if (vrs_node_validate(&r->graph, id, &err) != VRS_OK || vrs_node_infer(&r->graph, id, &err) != VRS_OK ||
	    vrs_tensor_elements(random_tensor(r, node->out)) > 60000) {
		r->graph.nodes[id].dead = true;
		r->graph.tensors[node->out].rank = 0;
		return -1;
	}
	if (random_tensor(r, node->out)->rank == 4 && r->map_count < 64)
		r->maps[r->map_count++] = node->out;
	return node->out;
}

static inline void random_act(struct random_graph *r, struct vrs_node *node)
{
	node->act = (enum vrs_act)random_range(r, VRS_ACT_NONE, VRS_ACT_NEG);
	if (node->act == VRS_ACT_CLIP) {
		node->act_lo = -0.7f;
		node->act_hi = 0.9f;
	} else if (node->act == VRS_ACT_LEAKY) {
		node->act_lo = 0.1f;
	} else if (node->act >= VRS_ACT_ELU) {
		node->act_lo = 0.8f;
		node->act_hi = 1.1f;
	}
}

static inline int32_t random_unary(struct random_graph *r, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_UNARY, NULL);
	node.inputs = 1;
	node.in[0] = x;
	do
		random_act(r, &node);
	while (node.act == VRS_ACT_NONE);
	return random_emit(r, &node);
}

static inline void random_window(struct random_graph *r, struct vrs_window *w, int kernel_max)
{
	w->kernel_h = random_range(r, 1, kernel_max);
	w->kernel_w = random_range(r, 0, 2) > 0 ? w->kernel_h : random_range(r, 1, kernel_max);
	w->stride_h = random_range(r, 1, 2);
	w->stride_w = random_range(r, 0, 3) > 0 ? w->stride_h : random_range(r, 1, 3);
	w->same = random_range(r, 0, 3) > 0;
	if (!w->same) {
		w->pad_top = random_range(r, 0, w->kernel_h - 1);
		w->pad_bottom = random_range(r, 0, w->kernel_h - 1);
		w->pad_left = random_range(r, 0, w->kernel_w - 1);
		w->pad_right = random_range(r, 0, w->kernel_w - 1);
	}
}

/* Convolution with out channels (0: random); pointwise forces 1x1 with stride 1. */
static inline int32_t random_conv(struct random_graph *r, int32_t x, int out, bool pointwise)
{
	int64_t channels = random_tensor(r, x)->dims[3], dims[4];
	struct vrs_node node;
	struct vrs_window *w = &node.u.window;
	int rank = 4;

	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	node.in[0] = x;
	out = out > 0 ? out : random_range(r, 1, 40);
	if (!pointwise) {
		random_window(r, w, 5);
		w->dilation_h = w->dilation_w = random_range(r, 0, 4) == 0 ? 2 : 1;
		if (random_range(r, 0, 5) == 0 && channels % 2 == 0)
			w->groups = 2;
		out = (out + w->groups - 1) / w->groups * w->groups;
	}
	dims[0] = out;
	dims[1] = w->kernel_h;
	dims[2] = w->kernel_w;
	dims[3] = channels / w->groups;
	node.in[1] = random_const(r, rank, dims, 1.7 / sqrt((double)(dims[1] * dims[2] * dims[3])));
	node.in[2] = random_range(r, 0, 4) > 0 ? random_const(r, 1, dims, 0.3) : -1;
	if (random_range(r, 0, 1) == 0)
		random_act(r, &node);
	return random_emit(r, &node);
}

static inline int32_t random_depthwise(struct random_graph *r, int32_t x)
{
	int64_t channels = random_tensor(r, x)->dims[3], dims[3];
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	node.in[0] = x;
	random_window(r, &node.u.window, 5);
	node.u.window.groups = (int)channels;
	dims[0] = node.u.window.kernel_h;
	dims[1] = node.u.window.kernel_w;
	dims[2] = channels * (random_range(r, 0, 3) == 0 ? 2 : 1);
	node.in[1] = random_const(r, 3, dims, 1.7 / sqrt((double)(dims[0] * dims[1])));
	node.in[2] = random_const(r, 1, dims + 2, 0.3);
	if (random_range(r, 0, 1) == 0)
		random_act(r, &node);
	return random_emit(r, &node);
}

static inline int32_t random_deconv(struct random_graph *r, int32_t x)
{
	int64_t dims[4] = {random_range(r, 1, 9), 0, 0, random_tensor(r, x)->dims[3]};
	struct vrs_node node;
	struct vrs_window *w = &node.u.window;

	vrs_node_init(&node, VRS_OP_DECONV, NULL);
	node.inputs = 3;
	node.in[0] = x;
	w->stride_h = w->stride_w = random_range(r, 1, 2);
	w->kernel_h = w->stride_h + random_range(r, 0, 2);
	w->kernel_w = w->stride_w + random_range(r, 0, 2);
	dims[1] = w->kernel_h;
	dims[2] = w->kernel_w;
	w->same = random_range(r, 0, 1) == 0;
	node.in[1] = random_const(r, 4, dims, 1.2 / sqrt((double)dims[3]));
	node.in[2] = random_range(r, 0, 2) > 0 ? random_const(r, 1, dims, 0.3) : -1;
	if (random_range(r, 0, 1) == 0)
		random_act(r, &node);
	return random_emit(r, &node);
}

static inline int32_t random_pool(struct random_graph *r, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, random_range(r, 0, 1) == 0 ? VRS_OP_POOL_MAX : VRS_OP_POOL_AVG, NULL);
	node.inputs = 1;
	node.in[0] = x;
	random_window(r, &node.u.window, 4);
	node.u.window.count_pad = node.op == VRS_OP_POOL_AVG && random_range(r, 0, 2) == 0;
	return random_emit(r, &node);
}

static inline int32_t random_resize(struct random_graph *r, int32_t x)
{
	struct vrs_node node;
	int kind = random_range(r, 0, 2);

	vrs_node_init(&node, VRS_OP_RESIZE, NULL);
	node.inputs = 1;
	node.in[0] = x;
	node.u.resize.nearest = random_range(r, 0, 2) == 0;
	node.u.resize.half_pixel = kind == 0;
	node.u.resize.align_corners = kind == 1;
	if (random_range(r, 0, 1) == 0) {
		node.u.resize.scale_h = node.u.resize.scale_w = 2;
	} else {
		node.u.resize.out_h = random_range(r, 1, 23);
		node.u.resize.out_w = random_range(r, 1, 23);
	}
	return random_emit(r, &node);
}

static inline int32_t random_pair(struct random_graph *r, enum vrs_binary op, int32_t a, int32_t b, bool act)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_BINARY, NULL);
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	node.u.binary.op = op;
	if (act)
		random_act(r, &node);
	return random_emit(r, &node);
}

/* Arithmetic with another map of fitting shape, or with a constant of one value, one channel row or one column. */
static inline int32_t random_binary(struct random_graph *r, int32_t x)
{
	enum vrs_binary op = (enum vrs_binary)random_range(r, VRS_ADD, VRS_MAX);
	const int64_t channels = random_tensor(r, x)->dims[3];
	int32_t other;

	for (int i = r->map_count - 1; i >= 0 && op != VRS_DIV; i--) {
		const struct vrs_graph_tensor *a = random_tensor(r, x), *b = random_tensor(r, r->maps[i]);
		bool fits = r->maps[i] != x && a->dims[1] == b->dims[1] && a->dims[2] == b->dims[2] && (a->dims[3] == b->dims[3] || b->dims[3] == 1);

		if (fits)
			return random_range(r, 0, 1) == 0 ? random_pair(r, op, x, r->maps[i], random_range(r, 0, 1) == 0)
							  : random_pair(r, op, r->maps[i], x, random_range(r, 0, 1) == 0);
	}
	if (op == VRS_DIV) { /* by a constant away from zero */
		const float divisor = 1.5f + random_value(r, 0.5);
		const int64_t one = 1;

		other = random_check(vrs_graph_add_const(&r->graph, "divisor", VRS_F32, 1, &one, &divisor));
	} else if (random_range(r, 0, 1) == 0) {
		other = random_const(r, 1, &channels, 1);
	} else {
		const int64_t dims[4] = {1, random_tensor(r, x)->dims[1], 1, 1};

		other = random_const(r, 4, dims, 1);
	}
	return random_pair(r, op, x, other, random_range(r, 0, 1) == 0);
}

/* conv -> act -> conv -> add, in the orders that networks use. */
static inline int32_t random_residual(struct random_graph *r, int32_t x)
{
	int32_t y = random_conv(r, x, (int)random_tensor(r, x)->dims[3], true);

	if (y >= 0 && random_range(r, 0, 1) == 0)
		y = random_unary(r, y);
	if (y < 0)
		return -1;
	y = random_range(r, 0, 1) == 0 ? random_pair(r, VRS_ADD, x, y, false) : random_pair(r, VRS_ADD, y, x, false);
	return y >= 0 && random_range(r, 0, 1) == 0 ? random_unary(r, y) : y;
}

/* Mean, two small convolutions, gate, product, 1x1 convolution. */
static inline int32_t random_se(struct random_graph *r, int32_t x)
{
	int channels = (int)random_tensor(r, x)->dims[3];
	struct vrs_node mean;
	int32_t s;

	vrs_node_init(&mean, VRS_OP_GLOBAL_AVG, NULL);
	mean.inputs = 1;
	mean.in[0] = x;
	s = random_emit(r, &mean);
	s = s >= 0 ? random_conv(r, s, random_range(r, 1, 9), true) : -1;
	s = s >= 0 ? random_conv(r, s, channels, true) : -1;
	s = s >= 0 ? random_unary(r, s) : -1;
	s = s >= 0 ? random_pair(r, VRS_MUL, x, s, false) : -1;
	return s >= 0 ? random_conv(r, s, 0, true) : -1;
}

static inline int32_t random_concat(struct random_graph *r, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_CONCAT, NULL);
	node.in[node.inputs++] = x;
	node.u.concat.axis = random_range(r, 0, 4) == 0 ? random_range(r, 1, 2) : 3;
	for (int i = 0; i < r->map_count && node.inputs < 4; i++) {
		const struct vrs_graph_tensor *a = random_tensor(r, x), *b = random_tensor(r, r->maps[i]);
		bool fits = true;

		for (int k = 1; k < 4; k++)
			fits = fits && (k == node.u.concat.axis || a->dims[k] == b->dims[k]);
		if (fits)
			node.in[node.inputs++] = r->maps[i];
	}
	return random_emit(r, &node);
}

static inline int32_t random_pad(struct random_graph *r, int32_t x)
{
	struct vrs_node node;
	int32_t y;

	vrs_node_init(&node, VRS_OP_PAD, NULL);
	node.inputs = 1;
	node.in[0] = x;
	for (int i = 1; i < 3; i++) {
		node.u.pad.before[i] = random_range(r, 0, 2);
		node.u.pad.after[i] = random_range(r, 0, 2);
	}
	vrs_store_f64(VRS_F32, node.u.pad.fill, 0, random_range(r, 0, 3) == 0 ? 0.5 : 0);
	y = random_emit(r, &node);
	return y >= 0 && random_range(r, 0, 1) == 0 ? random_conv(r, y, 0, false) : y;
}

static inline int32_t random_softmax(struct random_graph *r, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_SOFTMAX, NULL);
	node.inputs = 1;
	node.in[0] = x;
	return random_emit(r, &node);
}

static inline int32_t random_reshape(struct random_graph *r, int32_t x)
{
	const int32_t shape[4] = {0, 1, -1, (int32_t)random_tensor(r, x)->dims[3]};
	const int64_t length = 4;
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_RESHAPE, NULL);
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = random_check(vrs_graph_add_const(&r->graph, "shape", VRS_I32, 1, &length, shape));
	return random_emit(r, &node);
}

static inline int32_t random_step(struct random_graph *r)
{
	/* Mostly the newest map, so that the network is deep; sometimes an older one, so that it branches. */
	int32_t x = r->maps[random_range(r, 0, 3) > 0 ? r->map_count - 1 : random_range(r, 0, r->map_count - 1)];

	switch (random_range(r, 0, 15)) {
	case 0:
	case 1:
	case 2: return random_conv(r, x, 0, false);
	case 3: return random_conv(r, x, 0, true);
	case 4:
	case 5: return random_depthwise(r, x);
	case 6: return random_deconv(r, x);
	case 7: return random_pool(r, x);
	case 8: return random_resize(r, x);
	case 9: return random_binary(r, x);
	case 10: return random_residual(r, x);
	case 11: return random_se(r, x);
	case 12: return random_concat(r, x);
	case 13: return random_unary(r, x);
	case 14: return random_pad(r, x);
	default: return random_range(r, 0, 1) == 0 ? random_softmax(r, x) : random_reshape(r, x);
	}
}

/* Build the graph of a seed into *ret_graph (vrs_graph_fini when done): valid, shapes inferred, one input, one or two outputs. */
static inline void random_graph_build(struct vrs_graph *ret_graph, uint64_t seed)
{
	struct random_graph r = {.serial = 0};
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4};
	int steps;

	vrs_rng_init(&r.rng, seed);
	vrs_graph_init(&r.graph);
	input.dims[0] = random_range(&r, 1, 3);
	input.dims[1] = random_range(&r, 1, 19);
	input.dims[2] = random_range(&r, 1, 19);
	input.dims[3] = random_range(&r, 1, 20);
	r.maps[r.map_count++] = r.graph.inputs[r.graph.input_count++] = random_check(vrs_graph_add_tensor(&r.graph, &input));
	steps = random_range(&r, 3, 14);
	for (int i = 0; i < steps || r.map_count < 2; i++)
		(void)random_step(&r); /* an impossible step leaves nothing behind */
	r.graph.outputs[r.graph.output_count++] = r.maps[r.map_count - 1];
	if (r.map_count > 3 && random_range(&r, 0, 2) == 0)
		r.graph.outputs[r.graph.output_count++] = r.maps[r.map_count / 2];
	*ret_graph = r.graph;
}

#endif
