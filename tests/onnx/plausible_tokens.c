/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks on sequences: attention of several kinds, layer normalisation, dense layers. */
#include <math.h>
#include <stdio.h>

#include "onnx/plausible.h"

char *plausible_reshape(struct network *n, char *x, int rank, const int64_t *dims)
{
	return network_op(n, "Reshape", NULL, 2, x, network_ints(n, rank, dims));
}

char *plausible_to_tokens(struct network *n, struct map x)
{
	return network_op(n, "Transpose", "perm=[0,2,1]", 1, plausible_reshape(n, x.v, 3, (const int64_t[]){1, x.c, -1}));
}

struct map plausible_from_tokens(struct network *n, char *x, struct map like)
{
	like.v = plausible_reshape(n, network_op(n, "Transpose", "perm=[0,2,1]", 1, x), 4, (const int64_t[]){1, like.c, like.h, like.w});
	return like;
}

char *plausible_dense(struct network *n, char *x, int in, int out, bool bias)
{
	int64_t dims[] = {in, out}, channels = out;

	x = network_op(n, "MatMul", NULL, 2, x, network_weights(n, 2, dims, in));
	return bias ? network_op(n, "Add", NULL, 2, x, network_weights(n, 1, &channels, 9)) : x;
}

/* 0: the operator, 1: written out, 2: without the mean (RMS). */
char *plausible_layer_norm(struct network *n, int kind, char *x, int channels)
{
	int64_t each = channels;
	char *rest = x, *mean;

	if (kind == 0)
		return network_op(n, "LayerNormalization", "axis=-1 epsilon=0.00001", 3, x, network_weights(n, 1, &each, 1), network_weights(n, 1, &each, 9));
	if (kind == 1)
		rest = network_op(n, "Sub", NULL, 2, x, network_op(n, "ReduceMean", "axes=[-1]", 1, x));
	mean = network_op(n, "ReduceMean", "axes=[-1]", 1, network_op(n, "Pow", NULL, 2, rest, network_number(n, 2)));
	mean = network_op(n, "Sqrt", NULL, 1, network_op(n, "Add", NULL, 2, mean, network_number(n, 1e-5F)));
	rest = network_op(n, "Mul", NULL, 2, network_op(n, "Div", NULL, 2, rest, mean), network_weights(n, 1, &each, 1));
	return kind == 1 ? network_op(n, "Add", NULL, 2, rest, network_weights(n, 1, &each, 9)) : rest;
}

/* Heads of [batch][tokens][heads * width] become [batch][heads][tokens][width]. */
static char *heads_of(struct network *n, char *x, int batch, int tokens, int heads, int width)
{
	x = plausible_reshape(n, x, 4, (const int64_t[]){batch, tokens, heads, width});
	return network_op(n, "Transpose", "perm=[0,2,1,3]", 1, x);
}

/* Turned by position: x * cos + (-second half, first half) * sin. */
static char *rotary(struct network *n, char *x, int tokens, int width)
{
	int64_t table[] = {1, 1, tokens, width};
	char *second, *first = network_op_more(n, "Split", "axis=-1", 1, &second, 1, x);
	char *turned = network_op(n, "Concat", "axis=-1", 2, network_op(n, "Neg", NULL, 1, second), first);

	x = network_op(n, "Mul", NULL, 2, x, network_weights(n, 4, table, 1));
	return network_op(n, "Add", NULL, 2, x, network_op(n, "Mul", NULL, 2, turned, network_weights(n, 4, table, 1)));
}

/* softmax(q k^T / sqrt(width)) v of [batch][heads][tokens][width]; a mask of one kind or none. */
static char *attend(struct network *n, char *q, char *k, char *v, int mask, int heads, int tokens, int width)
{
	int64_t dims[] = {1, heads, tokens, tokens}, one[] = {1, 1, tokens, tokens};
	char *scores = network_op(n, "MatMul", NULL, 2, q, network_op(n, "Transpose", "perm=[0,1,3,2]", 1, k));
	char *where;

	scores = network_op(n, network_chance(n, 50) ? "Mul" : "Div", NULL, 2, scores, network_number(n, sqrtf((float)width)));
	if (mask == 1)
		scores = network_op(n, "Add", NULL, 2, scores, network_weights(n, 4, dims, 9)); /* relative positions */
	if (mask == 2) {
		where = network_op(n, "Greater", NULL, 2, network_weights(n, 4, one, 1), network_number(n, -1));
		scores = network_op(n, "Where", NULL, 3, where, scores, network_number(n, -1e9F));
	}
	return network_op(n, "MatMul", NULL, 2, network_op(n, "Softmax", "axis=-1", 1, scores), v);
}

/* All three from one product: [1][tokens][3][heads][width] to [3][1][heads][tokens][width], taken apart by Gather. */
static void joint_projection(struct network *n, struct map x, int batch, int heads, char **qkv)
{
	int tokens = x.h * x.w / batch, width = x.c / heads;
	char *y = plausible_dense(n, x.v, x.c, 3 * x.c, true);

	y = plausible_reshape(n, y, 5, (const int64_t[]){batch, tokens, 3, heads, width});
	y = network_op(n, "Transpose", "perm=[2,0,3,1,4]", 1, y);
	for (int i = 0; i < 3; i++)
		qkv[i] = network_op(n, "Gather", "axis=0", 2, y, network_int(n, i));
}

static void own_projections(struct network *n, struct map x, int batch, int heads, bool turned, char **qkv)
{
	int tokens = x.h * x.w / batch, width = x.c / heads;

	for (int i = 0; i < 3; i++) {
		qkv[i] = heads_of(n, plausible_dense(n, x.v, x.c, x.c, true), batch, tokens, heads, width);
		if (turned && i < 2 && width % 2 == 0)
			qkv[i] = rotary(n, qkv[i], tokens, width);
	}
}

/* Windows of w x w tokens: [1][h][w][c] to [windows][w * w][c], or back. */
static char *windows(struct network *n, struct map x, int side, bool back)
{
	int64_t apart[] = {1, x.h / side, side, x.w / side, side, x.c}, parted[] = {1, x.h / side, x.w / side, side, side, x.c};
	int64_t own[] = {(int64_t)(x.h / side) * (x.w / side), side * side, x.c}, whole[] = {1, (int64_t)x.h * x.w, x.c};
	char *y = plausible_reshape(n, x.v, 6, back ? parted : apart);

	y = network_op(n, "Transpose", "perm=[0,1,3,2,4,5]", 1, y);
	return plausible_reshape(n, y, 3, back ? whole : own);
}

/* Rows and columns move around by half a window: Slice and Concat. */
static char *roll(struct network *n, struct map x, int by)
{
	char *y = plausible_reshape(n, x.v, 4, (const int64_t[]){1, x.h, x.w, x.c});

	for (int axis = 1; axis < 3; axis++) {
		char *ends = network_ints(n, 1, (const int64_t[]){INT64_MAX}), *at = network_ints(n, 1, (const int64_t[]){by});
		char *zero = network_ints(n, 1, (const int64_t[]){0}), *dim = network_ints(n, 1, (const int64_t[]){axis});
		char *tail = network_op(n, "Slice", NULL, 4, y, at, ends, dim), *head = network_op(n, "Slice", NULL, 4, y, zero, at, dim);

		y = network_op(n, "Concat", axis == 1 ? "axis=1" : "axis=2", 2, tail, head);
	}
	return y;
}

/* Attention between channels, of normalised rows (XCiT), or with kernels instead of softmax. */
static char *channel_attention(struct network *n, struct map x, int heads)
{
	char *qkv[3], *y;

	own_projections(n, x, 1, heads, false, qkv);
	for (int i = 0; i < 2; i++) {
		y = network_op(n, "ReduceL2", "axes=[2] keepdims=1", 1, qkv[i]);
		qkv[i] = network_op(n, "Div", NULL, 2, qkv[i], network_op(n, "Clip", NULL, 2, y, network_number(n, 1e-6F)));
	}
	y = network_op(n, "MatMul", NULL, 2, network_op(n, "Transpose", "perm=[0,1,3,2]", 1, qkv[1]), qkv[2]);
	return network_op(n, "MatMul", NULL, 2, qkv[0], network_chance(n, 50) ? network_op(n, "Softmax", "axis=-2", 1, y) : y);
}

/* Keys and values of a smaller map (SegFormer, PVT). */
static char *reduced_attention(struct network *n, struct map x, int heads)
{
	int width = x.c / heads, small = (x.h / 2) * (x.w / 2);
	struct map y = plausible_from_tokens(n, x.v, x);
	char *q = heads_of(n, plausible_dense(n, x.v, x.c, x.c, true), 1, x.h * x.w, heads, width), *kv[2];

	y = plausible_conv(n, y, x.c, (struct window){2, 2, 1, 1}, true);
	char *tokens = plausible_layer_norm(n, 0, plausible_reshape(n, network_op(n, "Transpose", "perm=[0,2,3,1]", 1, network_op(n, "Slice", NULL, 4, y.v,
		network_ints(n, 2, (const int64_t[]){0, 0}), network_ints(n, 2, (const int64_t[]){x.h / 2, x.w / 2}),
		network_ints(n, 2, (const int64_t[]){2, 3}))), 3, (const int64_t[]){1, small, x.c}), x.c);
	for (int i = 0; i < 2; i++)
		kv[i] = heads_of(n, plausible_dense(n, tokens, x.c, x.c, false), 1, small, heads, width);
	return attend(n, q, kv[0], kv[1], 0, heads, x.h * x.w, width);
}

struct map plausible_attention(struct network *n, struct map x, int kind, int heads)
{
	int side = kind == 2 ? 4 : 0, batch = side ? (x.h / side) * (x.w / side) : 1, tokens = x.h * x.w / batch;
	struct map in = x;
	char *qkv[3], *y;

	if (side) {
		in.v = windows(n, (struct map){network_chance(n, 50) ? roll(n, x, 2) : x.v, x.c, x.h, x.w}, side, false);
		joint_projection(n, in, batch, heads, qkv);
	} else if (kind == 0) {
		joint_projection(n, in, 1, heads, qkv);
	} else {
		own_projections(n, in, 1, heads, network_chance(n, 30), qkv);
	}
	y = kind == 3 ? channel_attention(n, x, heads) : kind == 4 ? reduced_attention(n, x, heads) :
		attend(n, qkv[0], qkv[1], qkv[2], side ? 1 : network_pick(n, 0, 2), heads, tokens, x.c / heads);
	y = network_op(n, "Transpose", "perm=[0,2,1,3]", 1, y);
	y = plausible_reshape(n, y, 3, (const int64_t[]){batch, tokens, x.c});
	y = plausible_dense(n, y, x.c, x.c, true);
	if (side)
		y = windows(n, (struct map){y, x.c, x.h, x.w}, side, true);
	return (struct map){network_op(n, "Add", NULL, 2, x.v, y), x.c, x.h, x.w};
}

/* Two dense layers around an activation; gated in some networks, with a depthwise convolution between in others. */
struct map plausible_mlp(struct network *n, const struct style *s, struct map x)
{
	struct map y = {plausible_dense(n, x.v, x.c, 4 * x.c, true), 4 * x.c, x.h, x.w};
	int kind = network_pick(n, 0, 3), act = s->act == 7 ? 5 : s->act; /* PRelu has slopes of channels of a map */

	if (kind == 2) {
		struct map middle = plausible_conv(n, plausible_from_tokens(n, y.v, y), y.c, (struct window){3, 1, 1, y.c}, true);
		y.v = plausible_to_tokens(n, middle);
	}
	if (kind == 3) {
		char *gate, *value = network_op_more(n, "Split", "axis=-1", 1, &gate, 1, y.v);
		y.v = network_op(n, "Mul", NULL, 2, value, plausible_act(n, act, gate, y.c / 2));
		y.c /= 2;
	} else {
		y.v = plausible_act(n, act, y.v, y.c);
	}
	x.v = network_op(n, "Add", NULL, 2, x.v, plausible_dense(n, y.v, y.c, x.c, true));
	return x;
}
