/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resizing of maps.  Definitions: ONNX operator Resize (opsets 10 to 19) and TensorFlow's resize operators, whose coordinates the plain flags tell.
 */
#include <math.h>

#include "graph/eval_ops.h"

/* out / in, or the scale that the network gives. */
static double ratio_of(const struct vrs_resize_axis *a)
{
	double given = a->axis == 0 ? a->resize->scale_h : a->resize->scale_w;

	return a->resize->given_scale && given > 0 ? given : (double)a->out / (double)a->in;
}

/* The flags of a plain resize as coordinates and rounding of the general one. */
static enum vrs_resize_coord plain_coord(const struct vrs_resize *r)
{
	if (r->align_corners)
		return VRS_COORD_ALIGN_CORNERS;
	if (!r->half_pixel)
		return VRS_COORD_ASYMMETRIC;
	return r->nearest ? VRS_COORD_TF_HALF_PIXEL_FOR_NN : VRS_COORD_HALF_PIXEL;
}

static double resize_source(const struct vrs_resize_axis *a, int64_t i, bool *inside)
{
	const struct vrs_resize *r = a->resize;
	bool plain = vrs_resize_is_plain(r);
	double ratio = plain ? (double)a->out / (double)a->in : ratio_of(a), half = ((double)i + 0.5) / ratio - 0.5, at = 0, adjust, length;
	double start = (double)r->roi[a->axis], end = (double)r->roi[2 + a->axis], last = (double)(a->in - 1);

	*inside = true;
	switch (plain ? plain_coord(r) : r->coord) {
	case VRS_COORD_PLAIN:
	case VRS_COORD_COUNT:
	case VRS_COORD_HALF_PIXEL: return half;
	case VRS_COORD_HALF_PIXEL_SYMMETRIC: /* the map's centre stays when out is rounded */
		adjust = (double)a->out / (ratio * (double)a->in);
		return (double)a->in / 2 * (1 - adjust) + half;
	case VRS_COORD_PYTORCH_HALF_PIXEL: return a->out > 1 ? half : 0;
	case VRS_COORD_ALIGN_CORNERS: /* with the length before rounding, as the tests of the ONNX standard have it */
		length = ratio * (double)a->in;
		return a->out > 1 && length > 1 ? (double)i * last / (length - 1) : 0;
	case VRS_COORD_ASYMMETRIC: return (double)i / ratio;
	case VRS_COORD_TF_HALF_PIXEL_FOR_NN: return ((double)i + 0.5) / ratio;
	case VRS_COORD_TF_CROP_AND_RESIZE:
		at = a->out > 1 ? start * last + (double)i * (end - start) * last / (double)(a->out - 1) : 0.5 * (start + end) * last;
		*inside = at >= 0 && at <= last;
		return at;
	}
	return at;
}

/*
 * Other engines hold coordinates in floats: a place within two units of a float's last digit of a half or whole number is that number (a scale of
 * 0.333333343 sends pixel 1 to 3, not to 2.9999999).
 */
static double settle(double at)
{
	double near = nearbyint(at * 2) / 2;

	return fabs(at - near) < 0x1p-22 * (1 + fabs(at)) ? near : at;
}

static int64_t nearest(const struct vrs_resize_axis *a, double at)
{
	enum vrs_resize_round round = a->resize->round;

	at = settle(at);
	if (vrs_resize_is_plain(a->resize))
		return (int64_t)floor(a->resize->align_corners ? at + 0.5 : at);
	if (round == VRS_ROUND_DOWN_CEIL)
		round = a->out < a->in ? VRS_ROUND_CEIL : VRS_ROUND_FLOOR;
	switch (round) {
	case VRS_ROUND_FLOOR: return (int64_t)floor(at);
	case VRS_ROUND_CEIL: return (int64_t)ceil(at);
	case VRS_ROUND_PREFER_CEIL: return (int64_t)floor(at + 0.5);
	case VRS_ROUND_PREFER_FLOOR:
	case VRS_ROUND_DOWN_CEIL: break;
	}
	return (int64_t)ceil(at - 0.5);
}

static int64_t clamp(int64_t i, int64_t n)
{
	return i < 0 ? 0 : i < n ? i : n - 1;
}

void vrs_resize_pair(const struct vrs_resize_axis *a, int64_t i, int64_t *low, int64_t *high, double *weight)
{
	bool inside;
	double at = resize_source(a, i, &inside);

	if (a->resize->nearest) {
		*low = *high = clamp(nearest(a, at), a->in);
		*weight = 0;
		return;
	}
	at = at < 0 ? 0 : at > (double)(a->in - 1) ? (double)(a->in - 1) : at;
	*low = (int64_t)floor(at);
	*high = clamp(*low + 1, a->in);
	*weight = at - (double)*low;
}

bool vrs_resize_is_pair(const struct vrs_resize *r)
{
	return vrs_resize_is_plain(r) || (!r->cubic && !(r->antialias && !r->nearest) && r->coord != VRS_COORD_TF_CROP_AND_RESIZE);
}

/*
 * The taps of one output position: input places first .. first + count - 1 (clamped to the border) with weights
 * filter((place - at) * stretch) * factor.  Antialiasing stretches the filter when the map shrinks.
 */
struct taps {
	const struct vrs_resize_axis *axis;
	int64_t first, count;
	double at, stretch, factor;
	bool inside;
};

/* Linear: a triangle.  Cubic: Keys' kernel with parameter a, Cubic Convolution Interpolation for Digital Image Processing, 1981. */
static double filter(const struct vrs_resize *r, double x)
{
	double a = (double)r->cubic_a;

	x = fabs(x);
	if (!r->cubic)
		return x < 1 ? 1 - x : 0;
	if (x <= 1)
		return ((a + 2) * x - (a + 3)) * x * x + 1;
	return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double tap_weight(const struct taps *t, int64_t k)
{
	int64_t place = t->first + k;

	if (t->axis->resize->nearest)
		return 1;
	if (t->axis->resize->exclude_outside && (place < 0 || place >= t->axis->in))
		return 0;
	return filter(t->axis->resize, ((double)place - t->at) * t->stretch) * t->factor;
}

static struct taps taps_at(const struct vrs_resize_axis *axis, int64_t i)
{
	const struct vrs_resize *r = axis->resize;
	struct taps t = {.axis = axis, .count = 1, .stretch = 1, .factor = 1};
	double sum = 0, reach;

	t.at = resize_source(axis, i, &t.inside);
	if (r->nearest) {
		t.first = clamp(nearest(axis, t.at), axis->in);
		return t;
	}
	if (r->antialias && !vrs_resize_is_plain(r))
		t.stretch = fmin(ratio_of(axis), 1);
	reach = (r->cubic ? 2 : 1) / t.stretch;
	t.first = (int64_t)floor(t.at - reach) + 1;
	t.count = (int64_t)ceil(t.at + reach) - t.first;
	if (t.stretch < 1 || r->exclude_outside) {
		for (int64_t k = 0; k < t.count; k++)
			sum += tap_weight(&t, k);
		t.factor = sum != 0 ? 1 / sum : 1;
	}
	return t;
}

int vrs_resize_taps(const struct vrs_resize_axis *axis, int64_t i, int32_t *places, float *weights)
{
	struct taps t = taps_at(axis, i);

	for (int64_t k = 0; t.inside && places != NULL && k < t.count; k++) {
		places[k] = (int32_t)clamp(t.first + k, axis->in);
		weights[k] = (float)tap_weight(&t, k);
	}
	return t.inside ? (int)t.count : 0;
}

static double sample(const struct vrs_eval *e, const struct taps *y, const struct taps *x, int64_t n, int64_t c)
{
	const struct vrs_graph_tensor *map = vrs_eval_in(e, 0);
	const float *from = e->in[0];
	double sum = 0;

	if (!y->inside || !x->inside)
		return (double)e->node->u.resize.extrapolation;
	for (int64_t i = 0; i < y->count; i++) {
		int64_t row = n * map->dims[1] + clamp(y->first + i, map->dims[1]);
		double line = 0;

		for (int64_t k = 0; k < x->count; k++)
			line += tap_weight(x, k) * (double)from[(row * map->dims[2] + clamp(x->first + k, map->dims[2])) * map->dims[3] + c];
		sum += tap_weight(y, i) * line;
	}
	return sum;
}

void vrs_eval_resize(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	struct vrs_resize_axis rows = {&e->node->u.resize, 0, x->dims[1], y->dims[1]}, columns = {&e->node->u.resize, 1, x->dims[2], y->dims[2]};

	for (int64_t oy = 0; oy < y->dims[1]; oy++) {
		struct taps ty = taps_at(&rows, oy);

		for (int64_t ox = 0; ox < y->dims[2]; ox++) {
			struct taps tx = taps_at(&columns, ox);

			for (int64_t n = 0; n < y->dims[0]; n++)
				for (int64_t c = 0; c < y->dims[3]; c++)
					((float *)e->out)[((n * y->dims[1] + oy) * y->dims[2] + ox) * y->dims[3] + c] = (float)sample(e, &ty, &tx, n, c);
		}
	}
}
