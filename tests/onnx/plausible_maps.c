/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks on maps. */
#include <stdio.h>

#include "onnx/plausible.h"

enum { ACTS = 14, NORMS = 5, BLOCKS = 9, DOWNS = 6, UPS = 9 };

struct style plausible_style(struct network *n)
{
	return (struct style){
		.act = network_pick(n, 0, ACTS - 1), .norm = network_chance(n, 50) ? 0 : network_pick(n, 0, NORMS - 1), .down = network_pick(n, 0, DOWNS - 1),
		.up = network_pick(n, 0, UPS - 1), .block = network_pick(n, 0, BLOCKS - 1), .kernel = network_chance(n, 75) ? 3 : network_among(n, 5, 7),
	};
}

struct map plausible_conv(struct network *n, struct map x, int out, struct window w, bool bias)
{
	char attributes[160];
	int reach = (w.kernel - 1) * w.dilation, before = reach / 2, after = reach - before;
	int64_t dims[] = {out, x.c / w.groups, w.kernel, w.kernel}, channels = out;
	char *weights = network_weights(n, 4, dims, (double)w.kernel * w.kernel * x.c / w.groups);

	snprintf(attributes, sizeof attributes, "kernel_shape=[%d,%d] strides=[%d,%d] dilations=[%d,%d] group=%d pads=[%d,%d,%d,%d]", w.kernel, w.kernel,
		 w.stride, w.stride, w.dilation, w.dilation, w.groups, before, before, after, after);
	x.v = network_op(n, "Conv", attributes, bias ? 3 : 2, x.v, weights, bias ? network_weights(n, 1, &channels, 9) : NULL);
	return (struct map){x.v, out, (x.h - 1) / w.stride + 1, (x.w - 1) / w.stride + 1};
}

/* Statistics of groups, as exporters without GroupNormalization write them. */
static char *group_norm(struct network *n, struct map x)
{
	int64_t groups = x.c % 8 == 0 ? 8 : x.c % 4 == 0 ? 4 : 1, each[] = {x.c, 1, 1};
	char *shape = network_op(n, "Shape", NULL, 1, x.v);
	char *y = network_op(n, "Reshape", NULL, 2, x.v, network_ints(n, 3, (const int64_t[]){0, groups, -1}));

	y = network_op(n, "InstanceNormalization", "epsilon=0.00001", 3, y, network_filled(n, 1, &groups, 1), network_filled(n, 1, &groups, 0));
	y = network_op(n, "Reshape", NULL, 2, y, shape);
	y = network_op(n, "Mul", NULL, 2, y, network_weights(n, 3, each, 1));
	return network_op(n, "Add", NULL, 2, y, network_weights(n, 3, each, 9));
}

/* Over the channels of each pixel. */
static char *norm_of_channels(struct network *n, struct map x)
{
	int64_t channels = x.c;
	char *y = network_op(n, "Transpose", "perm=[0,2,3,1]", 1, x.v);

	y = network_op(n, "LayerNormalization", "axis=-1 epsilon=0.000001", 3, y, network_weights(n, 1, &channels, 1), network_weights(n, 1, &channels, 9));
	return network_op(n, "Transpose", "perm=[0,3,1,2]", 1, y);
}

char *plausible_norm(struct network *n, int kind, struct map x)
{
	int64_t channels = x.c, each[] = {1, x.c, 1, 1};
	char *mean, *y;

	switch (kind) {
	case 0:
		return network_op(n, "BatchNormalization", "epsilon=0.00001", 5, x.v, network_weights(n, 1, &channels, 1), network_weights(n, 1, &channels, 9),
				  network_weights(n, 1, &channels, 9), network_filled(n, 1, &channels, 0.8F));
	case 1: return group_norm(n, x);
	case 2:
		return network_op(n, "InstanceNormalization", "epsilon=0.00001", 3, x.v, network_filled(n, 1, &channels, 1),
				  network_filled(n, 1, &channels, 0));
	case 3: return norm_of_channels(n, x);
	default: /* over the channels, written out */
		mean = network_op(n, "ReduceMean", "axes=[1] keepdims=1", 1, x.v);
		y = network_op(n, "Sub", NULL, 2, x.v, mean);
		mean = network_op(n, "ReduceMean", "axes=[1] keepdims=1", 1, network_op(n, "Pow", NULL, 2, y, network_number(n, 2)));
		mean = network_op(n, "Sqrt", NULL, 1, network_op(n, "Add", NULL, 2, mean, network_number(n, 1e-6F)));
		y = network_op(n, "Mul", NULL, 2, network_op(n, "Div", NULL, 2, y, mean), network_weights(n, 4, each, 1));
		return network_op(n, "Add", NULL, 2, y, network_weights(n, 4, each, 9));
	}
}

static char *gelu(struct network *n, char *x, bool by_tanh)
{
	char *y;

	if (by_tanh) {
		y = network_op(n, "Mul", NULL, 2, network_op(n, "Pow", NULL, 2, x, network_number(n, 3)), network_number(n, 0.044715F));
		y = network_op(n, "Mul", NULL, 2, network_op(n, "Add", NULL, 2, x, y), network_number(n, 0.7978845608F));
		y = network_op(n, "Add", NULL, 2, network_op(n, "Tanh", NULL, 1, y), network_number(n, 1));
	} else {
		y = network_op(n, "Erf", NULL, 1, network_op(n, "Div", NULL, 2, x, network_number(n, 1.41421356F)));
		y = network_op(n, "Add", NULL, 2, y, network_number(n, 1));
	}
	return network_op(n, "Mul", NULL, 2, network_op(n, "Mul", NULL, 2, x, y), network_number(n, 0.5F));
}

char *plausible_act(struct network *n, int kind, char *x, int channels)
{
	static const char *const simple[] = {"Relu", "HardSwish", "Sigmoid", "Tanh", "Softplus", "Softsign", "Selu"};
	int64_t each[] = {channels, 1, 1};

	switch (kind) {
	case 0:
	case 1: return network_op(n, "Relu", NULL, 1, x);
	case 2: return network_op(n, "HardSwish", NULL, 1, x);
	case 3: return network_op(n, "Mul", NULL, 2, x, network_op(n, "Sigmoid", NULL, 1, x));
	case 4: return network_op(n, "LeakyRelu", "alpha=0.1", 1, x);
	case 5: return gelu(n, x, false);
	case 6: return gelu(n, x, true);
	case 7: return network_op(n, "PRelu", NULL, 2, x, network_weights(n, 3, each, 9));
	case 8: return network_op(n, "Clip", NULL, 3, x, network_number(n, 0), network_number(n, 6));
	case 9: return network_op(n, "Mul", NULL, 2, x, network_op(n, "Tanh", NULL, 1, network_op(n, "Softplus", NULL, 1, x))); /* Mish */
	case 10: return network_op(n, "Elu", "alpha=1.0", 1, x);
	case 11: return network_op(n, simple[network_pick(n, 2, 6)], NULL, 1, x);
	case 12: return network_op(n, "ThresholdedRelu", "alpha=0.1", 1, x);
	default: /* sine activations of coordinate networks are rare; squared ReLU is not */
		x = network_op(n, "Relu", NULL, 1, x);
		return network_op(n, "Mul", NULL, 2, x, x);
	}
}

struct map plausible_unit(struct network *n, const struct style *s, struct map x, int out, struct window w)
{
	x = plausible_conv(n, x, out, w, s->norm != 0);
	x.v = plausible_norm(n, s->norm, x);
	x.v = plausible_act(n, s->act, x.v, x.c);
	return x;
}

static struct map squeeze(struct network *n, struct map x)
{
	bool pool = network_chance(n, 60);
	struct map y = {network_op(n, pool ? "GlobalAveragePool" : "ReduceMean", pool ? NULL : "axes=[2,3] keepdims=1", 1, x.v), x.c, 1, 1};

	y = plausible_conv(n, y, x.c / 4 > 4 ? x.c / 4 : 4, (struct window){1, 1, 1, 1}, true);
	y = plausible_conv(n, (struct map){network_op(n, "Relu", NULL, 1, y.v), y.c, 1, 1}, x.c, (struct window){1, 1, 1, 1}, true);
	x.v = network_op(n, "Mul", NULL, 2, x.v, network_op(n, network_chance(n, 50) ? "Sigmoid" : "HardSigmoid", NULL, 1, y.v));
	return x;
}

/* Groups exchange channels: Reshape, Transpose, Reshape. */
static struct map shuffle(struct network *n, struct map x, int groups)
{
	x.v = plausible_reshape(n, x.v, 5, (const int64_t[]){1, groups, x.c / groups, x.h, x.w});
	x.v = network_op(n, "Transpose", "perm=[0,2,1,3,4]", 1, x.v);
	x.v = plausible_reshape(n, x.v, 4, (const int64_t[]){1, x.c, x.h, x.w});
	return x;
}

/* Depthwise with a kernel of some size, then two products around an activation. */
static struct map large_kernel(struct network *n, const struct style *s, struct map x, int kernel)
{
	struct map y = plausible_conv(n, x, x.c, (struct window){kernel, 1, 1, x.c}, true);

	y.v = plausible_norm(n, network_among(n, 0, 3), y);
	y = plausible_conv(n, y, 4 * x.c, (struct window){1, 1, 1, 1}, true);
	y.v = plausible_act(n, s->act, y.v, y.c);
	y = plausible_conv(n, y, x.c, (struct window){1, 1, 1, 1}, true);
	x.v = network_op(n, "Add", NULL, 2, x.v, y.v);
	return x;
}

static struct map inverted(struct network *n, const struct style *s, struct map x, bool se)
{
	struct map y = plausible_unit(n, s, x, 4 * x.c, (struct window){1, 1, 1, 1});

	y = plausible_unit(n, s, y, y.c, (struct window){s->kernel, 1, 1, y.c});
	y = se ? squeeze(n, y) : y;
	y = plausible_conv(n, y, x.c, (struct window){1, 1, 1, 1}, true);
	x.v = network_op(n, "Add", NULL, 2, x.v, y.v);
	return x;
}

static struct map residual(struct network *n, const struct style *s, struct map x, struct window w)
{
	struct map y = plausible_unit(n, s, x, x.c, w);

	y = plausible_conv(n, y, x.c, w, true);
	y.v = plausible_norm(n, s->norm, y);
	x.v = plausible_act(n, s->act, network_op(n, "Add", NULL, 2, x.v, y.v), x.c);
	return x;
}

struct map plausible_block(struct network *n, const struct style *s, struct map x, int out)
{
	int groups = x.c % 32 == 0 ? network_among(n, 4, 8, 32) : x.c % 8 == 0 ? network_among(n, 2, 8) : 2;

	if (out != x.c)
		x = plausible_unit(n, s, x, out, (struct window){1, 1, 1, 1});
	groups = out % groups == 0 ? groups : 1;
	switch (s->block) {
	case 0: return plausible_unit(n, s, x, out, (struct window){s->kernel, 1, 1, 1});
	case 1: return residual(n, s, x, (struct window){s->kernel, 1, 1, 1});
	case 2: return residual(n, s, x, (struct window){3, 1, network_among(n, 2, 3), 1});
	case 3: return inverted(n, s, x, false);
	case 4: return inverted(n, s, x, true);
	case 5: return large_kernel(n, s, x, 7);
	case 6: return large_kernel(n, s, x, network_among(n, 9, 13, 21, 31));
	case 7: return residual(n, s, x, (struct window){3, 1, 1, groups});
	default: return shuffle(n, plausible_unit(n, s, x, out, (struct window){3, 1, 1, groups}), groups);
	}
}

/* Each second row and column apart: four slices side by side. */
static struct map focus(struct network *n, struct map x)
{
	char *part[4];

	for (int i = 0; i < 4; i++)
		part[i] = network_op(n, "Slice", NULL, 5, x.v, network_ints(n, 2, (const int64_t[]){i & 1, i >> 1}),
				     network_ints(n, 2, (const int64_t[]){INT64_MAX, INT64_MAX}), network_ints(n, 2, (const int64_t[]){2, 3}),
				     network_ints(n, 2, (const int64_t[]){2, 2}));
	return (struct map){network_op(n, "Concat", "axis=1", 4, part[0], part[1], part[2], part[3]), 4 * x.c, x.h / 2, x.w / 2};
}

struct map plausible_down(struct network *n, const struct style *s, struct map x, int out)
{
	struct map y = {NULL, x.c, x.h / 2, x.w / 2};

	switch (s->down) {
	case 0: return plausible_unit(n, s, x, out, (struct window){s->kernel, 2, 1, 1});
	case 1: y.v = network_op(n, "MaxPool", "kernel_shape=[2,2] strides=[2,2]", 1, x.v); break;
	case 2: y.v = network_op(n, "AveragePool", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] count_include_pad=1", 1, x.v); break;
	case 3: y = focus(n, x); break;
	case 4:
		y = (struct map){network_op(n, "SpaceToDepth", "blocksize=2", 1, x.v), 4 * x.c, x.h / 2, x.w / 2};
		break;
	default:
		x.v = network_op(n, "Pad", network_chance(n, 60) ? "mode='reflect'" : "mode='edge'", 2, x.v,
				 network_ints(n, 8, (const int64_t[]){0, 0, 1, 1, 0, 0, 0, 0}));
		y.v = network_op(n, "AveragePool", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1", 1, x.v);
	}
	return plausible_unit(n, s, y, out, (struct window){3, 1, 1, 1});
}

static struct map transposed(struct network *n, struct map x, int out, int groups, const char *attributes, int kernel)
{
	int64_t dims[] = {x.c, out / groups, kernel, kernel}, channels = out;

	x.v = network_op(n, "ConvTranspose", attributes, 3, x.v, network_weights(n, 4, dims, (double)kernel * kernel * x.c / groups / 4),
			 network_weights(n, 1, &channels, 9));
	return (struct map){x.v, out, 2 * x.h, 2 * x.w};
}

static struct map resized(struct network *n, struct map x, const char *attributes)
{
	char *scales = network_op(n, "Concat", "axis=0", 2, network_filled(n, 1, (const int64_t[]){2}, 1), network_filled(n, 1, (const int64_t[]){2}, 2));
	x.v = network_op(n, "Resize", attributes, 3, x.v, NULL, scales);
	return (struct map){x.v, x.c, 2 * x.h, 2 * x.w};
}

struct map plausible_up(struct network *n, const struct style *s, struct map x, int out)
{
	char attributes[64];

	switch (s->up) {
	case 0: return transposed(n, x, out, 1, "strides=[2,2]", 2);
	case 1: return transposed(n, x, out, 1, "strides=[2,2] pads=[1,1,1,1]", 4);
	case 2: return transposed(n, x, out, 1, "strides=[2,2] pads=[1,1,1,1] output_padding=[1,1]", 3);
	case 3:
		x = plausible_unit(n, s, x, out, (struct window){1, 1, 1, 1});
		snprintf(attributes, sizeof attributes, "strides=[2,2] pads=[1,1,1,1] group=%d", out);
		return transposed(n, x, out, out, attributes, 4);
	case 4:
		x = plausible_conv(n, x, 4 * out, (struct window){3, 1, 1, 1}, true);
		x.v = network_op(n, "DepthToSpace", network_chance(n, 50) ? "blocksize=2 mode='CRD'" : "blocksize=2", 1, x.v);
		return (struct map){x.v, out, 2 * x.h, 2 * x.w};
	case 5: x = resized(n, x, "mode='nearest' coordinate_transformation_mode='asymmetric' nearest_mode='floor'"); break;
	case 6: x = resized(n, x, "mode='cubic' coordinate_transformation_mode='half_pixel' cubic_coeff_a=-0.75"); break;
	default: x = resized(n, x, s->up == 7 ? "mode='linear' coordinate_transformation_mode='half_pixel'" :
			     "mode='linear' coordinate_transformation_mode='align_corners'");
	}
	return plausible_unit(n, s, x, out, (struct window){3, 1, 1, 1});
}

struct map plausible_join(struct network *n, int how, struct map x, struct map skip)
{
	if (how != 0 && x.c == skip.c) {
		char *gate = how == 2 ? network_op(n, "Sigmoid", NULL, 1, plausible_conv(n, x, 1, (struct window){1, 1, 1, 1}, true).v) : NULL;

		x.v = network_op(n, "Add", NULL, 2, x.v, gate != NULL ? network_op(n, "Mul", NULL, 2, skip.v, gate) : skip.v);
		return x;
	}
	x.v = network_op(n, "Concat", "axis=1", 2, x.v, skip.v);
	x.c += skip.c;
	return x;
}

/* Dilated convolutions side by side, or pools of several windows. */
struct map plausible_context(struct network *n, const struct style *s, struct map x)
{
	struct map part[4];
	bool pools = network_chance(n, 50);

	for (int i = 0; i < 4; i++) {
		struct window w = {i == 0 ? 1 : 3, 1, i == 0 ? 1 : 2 * i, 1};

		part[i] = pools ? i == 0 ? plausible_unit(n, s, x, x.c / 2, (struct window){1, 1, 1, 1}) : part[i - 1] : plausible_unit(n, s, x, x.c / 2, w);
		if (pools && i > 0)
			part[i].v = network_op(n, "MaxPool", "kernel_shape=[5,5] pads=[2,2,2,2]", 1, part[i - 1].v);
	}
	x.v = network_op(n, "Concat", "axis=1", 4, part[0].v, part[1].v, part[2].v, part[3].v);
	x.c = x.c / 2 * 4;
	return plausible_unit(n, s, x, x.c / 2, (struct window){1, 1, 1, 1});
}
