/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole networks. */
#include <stdio.h>

#include "onnx/plausible.h"

#define POINT (struct window){1, 1, 1, 1}

static struct map picture(struct network *n, int multiple, int lo, int hi)
{
	struct map x = {NULL, 3, multiple * network_pick(n, lo, hi), multiple * network_pick(n, lo, hi)};

	x.v = network_input(n, 4, (const int64_t[]){1, x.c, x.h, x.w});
	return x;
}

/* The network's output. */
static void head(struct network *n, struct map x)
{
	switch (network_pick(n, 0, 4)) {
	case 0: network_output(n, network_op(n, "Softmax", "axis=1", 1, x.v)); return;
	case 1: network_index_output(n, network_op(n, "ArgMax", "axis=1 keepdims=0", 1, x.v)); return;
	case 2: network_output(n, network_op(n, "Clip", NULL, 3, x.v, network_number(n, 0), network_number(n, 1))); return;
	case 3:
		x.v = network_op(n, "Greater", NULL, 2, x.v, network_number(n, 0.1F));
		network_output(n, network_op(n, "Cast", "to=1", 1, x.v));
		return;
	default: network_output(n, network_op(n, "Sigmoid", NULL, 1, x.v)); return;
	}
}

/* Down by levels, a context, up again with skips. */
static void encoder_decoder(struct network *n)
{
	struct style s = plausible_style(n);
	int levels = network_pick(n, 2, 4), width = network_among(n, 8, 12, 16, 24, 32), how = network_pick(n, 0, 2);
	struct map x = picture(n, 32, 2, 4), skips[4];

	x = plausible_unit(n, &s, x, width, (struct window){s.kernel, 1, 1, 1});
	for (int i = 0; i < levels; i++) {
		skips[i] = x = plausible_block(n, &s, x, width << i);
		x = plausible_down(n, &s, x, width << (i + 1));
	}
	x = network_chance(n, 60) ? plausible_context(n, &s, x) : plausible_block(n, &s, x, x.c);
	for (int i = levels - 1; i >= 0; i--) {
		x = plausible_up(n, &s, x, width << i);
		x = plausible_join(n, how, x, skips[i]);
		x = plausible_unit(n, &s, x, width << i, (struct window){3, 1, 1, 1});
	}
	x = plausible_conv(n, x, network_among(n, 1, 2, 4, 21), POINT, true);
	head(n, x);
}

/* Classes and distances of one level as [1][numbers][pixels]. */
static char *detection_level(struct network *n, const struct style *s, struct map x, int numbers)
{
	x = plausible_unit(n, s, x, x.c, (struct window){3, 1, 1, 1});
	x = plausible_conv(n, x, numbers, POINT, true);
	return plausible_reshape(n, x.v, 3, (const int64_t[]){1, numbers, -1});
}

/* Distances to the sides as expected values of 16 bins, then corners to centre and size. */
static char *decode_boxes(struct network *n, char *distances, int count)
{
	int64_t bins[] = {1, 16, 1, 1}, anchors[] = {1, 2, count}, strides[] = {1, count};
	char *y = plausible_reshape(n, distances, 4, (const int64_t[]){1, 4, 16, count}), *far, *near, *corners[2];

	y = network_op(n, "Softmax", "axis=1", 1, network_op(n, "Transpose", "perm=[0,2,1,3]", 1, y));
	y = network_op(n, "Conv", NULL, 2, y, network_weights(n, 4, bins, 16));
	near = network_op_more(n, "Split", "axis=1", 1, &far, 1, plausible_reshape(n, y, 3, (const int64_t[]){1, 4, count}));
	corners[0] = network_op(n, "Sub", NULL, 2, network_weights(n, 3, anchors, 1), near);
	corners[1] = network_op(n, "Add", NULL, 2, network_weights(n, 3, anchors, 1), far);
	y = network_op(n, "Div", NULL, 2, network_op(n, "Add", NULL, 2, corners[0], corners[1]), network_number(n, 2));
	y = network_op(n, "Concat", "axis=1", 2, y, network_op(n, "Sub", NULL, 2, corners[1], corners[0]));
	return network_op(n, "Mul", NULL, 2, y, network_weights(n, 2, strides, 1));
}

static void detection_outputs(struct network *n, char *all, int classes, int count)
{
	char *zero = network_ints(n, 1, (const int64_t[]){0}), *split = network_ints(n, 1, (const int64_t[]){64});
	char *end = network_ints(n, 1, (const int64_t[]){INT64_MAX}), *axis = network_ints(n, 1, (const int64_t[]){1});
	char *boxes = decode_boxes(n, network_op(n, "Slice", NULL, 4, all, zero, split, axis), count);
	char *scores = network_op(n, "Sigmoid", NULL, 1, network_op(n, "Slice", NULL, 4, all, split, end, axis));

	if (network_chance(n, 50)) {
		network_output(n, network_op(n, "Concat", "axis=1", 2, boxes, scores));
		return;
	}
	network_output(n, network_op(n, "Transpose", "perm=[0,2,1]", 1, boxes));
	network_output(n, network_op(n, "ReduceMax", "axes=[1] keepdims=0", 1, scores));
	if (classes > 1)
		network_index_output(n, network_op(n, "ArgMax", "axis=1 keepdims=0", 1, scores));
}

/* A backbone, a pyramid of its last three levels, and a head for each. */
static void detector(struct network *n)
{
	struct style s = plausible_style(n);
	int width = network_among(n, 8, 12, 16), classes = network_among(n, 1, 20, 80), count = 0;
	struct map x = picture(n, 64, 2, 4), levels[3];
	char *out[3];

	x = plausible_unit(n, &s, x, width, (struct window){network_among(n, 3, 6, 7), 2, 1, 1});
	for (int i = 0; i < 4; i++) {
		x = plausible_block(n, &s, plausible_down(n, &s, x, width << (i < 3 ? i + 1 : 3)), width << (i < 3 ? i + 1 : 3));
		if (i > 0)
			levels[i - 1] = x;
	}
	levels[2] = plausible_context(n, &s, levels[2]);
	for (int i = 1; i >= 0; i--) {
		struct map up = plausible_up(n, &s, levels[i + 1], levels[i].c);

		levels[i] = plausible_block(n, &s, plausible_join(n, network_pick(n, 0, 1), up, levels[i]), levels[i].c);
	}
	for (int i = 0; i < 3; i++) {
		out[i] = detection_level(n, &s, levels[i], 64 + classes);
		count += levels[i].h * levels[i].w;
	}
	detection_outputs(n, network_op(n, "Concat", "axis=2", 3, out[0], out[1], out[2]), classes, count);
}

/* With a token for the whole picture in some networks, which then is the only one that the head reads. */
static void classify(struct network *n, struct map x)
{
	int64_t start = network_pick(n, 0, 1);
	char *y = start ? network_op(n, "Gather", "axis=1", 2, x.v, network_int(n, 0)) : network_op(n, "ReduceMean", "axes=[1] keepdims=0", 1, x.v);
	int64_t dims[] = {x.c, 100}, classes = 100;

	y = network_op(n, "Gemm", NULL, 3, y, network_weights(n, 2, dims, x.c), network_weights(n, 1, &classes, 9));
	network_output(n, network_op(n, "Softmax", "axis=-1", 1, y));
}

/* Patches, blocks of attention and dense layers, then classes or a map again. */
static void transformer(struct network *n)
{
	struct style s = plausible_style(n);
	int heads = network_among(n, 2, 3, 4, 6), kind = network_pick(n, 0, 4), norm = network_pick(n, 0, 2), depth = network_pick(n, 1, 4);
	int patch = network_among(n, 4, 8, 16), side = patch * 8;
	struct map x = picture(n, side, 1, patch == 16 ? 2 : 3);
	int64_t positions[] = {1, 0, 0};
	char attributes[64];

	int channels = heads * network_among(n, 16, 24, 32);
	snprintf(attributes, sizeof attributes, "kernel_shape=[%d,%d] strides=[%d,%d]", patch, patch, patch, patch);
	x.v = network_op(n, "Conv", attributes, 2, x.v, network_weights(n, 4, (const int64_t[]){channels, 3, patch, patch}, 3 * patch * patch));
	x = (struct map){x.v, channels, x.h / patch, x.w / patch};
	x.v = plausible_to_tokens(n, x);
	positions[1] = x.h * x.w;
	positions[2] = x.c;
	x.v = network_op(n, "Add", NULL, 2, x.v, network_weights(n, 3, positions, 9));
	for (int i = 0; i < depth; i++) {
		struct map in = x, y;

		in.v = plausible_layer_norm(n, norm, x.v, x.c);
		y = plausible_attention(n, in, kind, heads);
		x.v = network_op(n, "Add", NULL, 2, x.v, y.v);
		in.v = plausible_layer_norm(n, norm, x.v, x.c);
		x.v = network_op(n, "Add", NULL, 2, x.v, plausible_mlp(n, &s, in).v);
	}
	x.v = plausible_layer_norm(n, norm, x.v, x.c);
	if (network_chance(n, 40)) {
		classify(n, x);
		return;
	}
	x = plausible_from_tokens(n, x.v, x);
	for (int size = patch; size > 2; size /= 2)
		x = plausible_up(n, &s, x, x.c / 2 > 8 ? x.c / 2 : 8);
	head(n, plausible_conv(n, x, 2, POINT, true));
}

/* update * old + (1 - update) * new, gates from convolutions of input and state. */
static struct map gated_state(struct network *n, struct map x, struct map state)
{
	struct map both = plausible_join(n, 0, x, state), gates = plausible_conv(n, both, 2 * state.c, (struct window){3, 1, 1, 1}, true);
	char *update, *reset = network_op_more(n, "Split", "axis=1", 1, &update, 1, network_op(n, "Sigmoid", NULL, 1, gates.v));
	struct map kept = state, fresh;

	kept.v = network_op(n, "Mul", NULL, 2, reset, state.v);
	fresh = plausible_conv(n, plausible_join(n, 0, x, kept), state.c, (struct window){3, 1, 1, 1}, true);
	fresh.v = network_op(n, "Mul", NULL, 2, network_op(n, "Sub", NULL, 2, network_number(n, 1), update), network_op(n, "Tanh", NULL, 1, fresh.v));
	state.v = network_op(n, "Add", NULL, 2, network_op(n, "Mul", NULL, 2, update, state.v), fresh.v);
	return state;
}

/* An encoder-decoder of pictures with states, as in video matting. */
static void recurrent_maps(struct network *n)
{
	struct style s = plausible_style(n);
	int width = network_among(n, 8, 16, 24), levels = network_pick(n, 2, 3);
	struct map x = picture(n, 32, 2, 4), skips[3], state;

	for (int i = 0; i < levels; i++) {
		skips[i] = x = plausible_block(n, &s, plausible_unit(n, &s, x, width << i, (struct window){3, 1, 1, 1}), width << i);
		x = plausible_down(n, &s, x, width << (i + 1));
	}
	for (int i = levels - 1; i >= 0; i--) {
		state = x;
		state.v = network_input(n, 4, (const int64_t[]){1, x.c, x.h, x.w});
		x = gated_state(n, x, state);
		network_output(n, x.v);
		x = plausible_join(n, 0, plausible_up(n, &s, x, width << i), skips[i]);
		x = plausible_unit(n, &s, x, width << i, (struct window){3, 1, 1, 1});
	}
	head(n, plausible_conv(n, x, 4, POINT, true));
}

/* Vectors one after the other through the gates of a GRU, written out. */
static void recurrent_vectors(struct network *n)
{
	int steps = network_pick(n, 4, 6), in = network_among(n, 32, 64, 80), size = network_among(n, 64, 128);
	int64_t first[] = {in, 3 * size}, second[] = {size, 3 * size}, gates = 3 * size, width = size;
	char *x = network_input(n, 3, (const int64_t[]){1, steps, in}), *h = network_input(n, 2, (const int64_t[]){1, size}), *all = NULL;
	char *wx = network_weights(n, 2, first, in), *wh = network_weights(n, 2, second, size), *bias = network_weights(n, 1, &gates, 9);

	for (int t = 0; t < steps; t++) {
		char *part[2][2], *a, *b, *update, *step = network_op(n, "Gather", "axis=1", 2, x, network_int(n, t));

		a = network_op_more(n, "Split", "axis=-1", 2, part[0], 1, network_op(n, "Gemm", NULL, 3, step, wx, bias));
		b = network_op_more(n, "Split", "axis=-1", 2, part[1], 1, network_op(n, "MatMul", NULL, 2, h, wh));
		update = network_op(n, "Sigmoid", NULL, 1, network_op(n, "Add", NULL, 2, a, b));
		a = network_op(n, "Sigmoid", NULL, 1, network_op(n, "Add", NULL, 2, part[0][0], part[1][0]));
		a = network_op(n, "Tanh", NULL, 1, network_op(n, "Add", NULL, 2, part[0][1], network_op(n, "Mul", NULL, 2, a, part[1][1])));
		b = network_op(n, "Mul", NULL, 2, network_op(n, "Sub", NULL, 2, network_number(n, 1), update), a);
		h = network_op(n, "Add", NULL, 2, network_op(n, "Mul", NULL, 2, update, h), b);
		b = network_op(n, "Unsqueeze", NULL, 2, h, network_ints(n, 1, (const int64_t[]){1}));
		all = all == NULL ? b : network_op(n, "Concat", "axis=1", 2, all, b);
	}
	all = plausible_layer_norm(n, network_pick(n, 0, 2), all, (int)width);
	network_output(n, plausible_dense(n, all, (int)width, 40, true));
	network_output(n, h);
}

/* Sound: dilated convolutions along one dimension, which look back only, with gates; then transposed ones. */
static void waves(struct network *n)
{
	int channels = network_among(n, 16, 32, 64), layers = network_pick(n, 3, 7), length = 64 * network_pick(n, 4, 16);
	int64_t enter[] = {channels, 20, 1}, dims[] = {2 * channels, channels, 3}, up[] = {channels, channels, 4}, last[] = {1, channels, 7};
	char *x = network_op(n, "Conv", NULL, 2, network_input(n, 3, (const int64_t[]){1, 20, length}), network_weights(n, 3, enter, 20)), *sum = x;
	char attributes[64];

	for (int i = 0; i < layers; i++) {
		char *y = network_op(n, "Pad", NULL, 2, x, network_ints(n, 6, (const int64_t[]){0, 0, 2 << i, 0, 0, 0})), *gate;

		snprintf(attributes, sizeof attributes, "dilations=[%d]", 1 << i);
		y = network_op(n, "Conv", attributes, 2, y, network_weights(n, 3, dims, 3 * channels));
		y = network_op_more(n, "Split", "axis=1", 1, &gate, 1, y);
		y = network_op(n, "Mul", NULL, 2, network_op(n, "Tanh", NULL, 1, y), network_op(n, "Sigmoid", NULL, 1, gate));
		x = network_op(n, "Add", NULL, 2, x, y);
		sum = network_op(n, "Add", NULL, 2, sum, y);
	}
	for (int i = 0; i < 2; i++) {
		x = network_op(n, "LeakyRelu", "alpha=0.1", 1, i == 0 ? sum : x);
		x = network_op(n, "ConvTranspose", "strides=[2] pads=[1,1]", 2, x, network_weights(n, 3, up, 2 * channels));
	}
	network_output(n, network_op(n, "Tanh", NULL, 1, network_op(n, "Conv", "pads=[3,3]", 2, x, network_weights(n, 3, last, 7 * channels))));
}

void plausible_network(struct network *n, uint64_t seed)
{
	network_begin(n, seed);
	switch (seed % PLAUSIBLE_FAMILIES) {
	case PLAUSIBLE_ENCODER_DECODER: encoder_decoder(n); return;
	case PLAUSIBLE_DETECTOR: detector(n); return;
	case PLAUSIBLE_TRANSFORMER: transformer(n); return;
	default: break;
	}
	switch (network_pick(n, 0, 2)) {
	case 0: recurrent_maps(n); return;
	case 1: recurrent_vectors(n); return;
	default: waves(n); return;
	}
}

const char *plausible_family_name(uint64_t seed)
{
	static const char *const names[] = {"encoder-decoder", "detector", "transformer", "recurrent"};

	return names[seed % PLAUSIBLE_FAMILIES];
}
