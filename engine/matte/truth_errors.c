/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/truth_errors.h"

#include <math.h>
#include <string.h>

#include "matte/boundary.h"

#define SIGMA 1.4
#define REACH 4            /* samples: ceil(SIGMA sqrt(-2 ln(sqrt(2 pi) SIGMA e))) with e = 0.01, as the published code has it */
#define TAPS (2 * REACH + 1)
#define LEVELS 10          /* steps of 0.1 */
#define THETA 0.15
#define BAND 0.02          /* of the diagonal */
#define THOUSAND 1000.0

enum vrs_status vrs_truth_errors_init(struct vrs_truth_errors *e, struct vrs_arena *arena, struct vrs_components *components, bool circle,
				      const float *weight)
{
	size_t width = (size_t)components->width, size = width * (size_t)components->height;
	e->components = components;
	e->set = vrs_arena_calloc(arena, size, 1);
	for (int i = 0; i < 2; i++) {
		e->slope[i] = vrs_arena_calloc(arena, size, sizeof(float));
		e->level[i] = vrs_arena_calloc(arena, size, 1);
	}
	e->line = vrs_arena_calloc(arena, 2 * width, sizeof(float));
	e->circle = circle;
	e->weight = weight;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

/*
 * A Gaussian and its derivative, each with squares of sum 1, and so their product in two dimensions, as in the code by which papers are evaluated
 * (gaussgradient; Deep Image Matting, Robust Video Matting).  A ramp of slope 1 gives 9.7, not 1: figures are comparable with published ones only so.
 */
static void make_taps(float smooth[TAPS], float slope[TAPS])
{
	double squares = 0, slopes = 0, g[TAPS];
	for (int i = 0; i < TAPS; i++) {
		double x = i - REACH;
		g[i] = exp(-x * x / (2 * SIGMA * SIGMA));
		squares += g[i] * g[i];
		slopes += x * x * g[i] * g[i];
	}
	for (int i = 0; i < TAPS; i++) {
		smooth[i] = (float)(g[i] / sqrt(squares));
		slope[i] = (float)((i - REACH) * g[i] / sqrt(slopes));
	}
}

static int clamp(int i, int length)
{
	return i < 0 ? 0 : i >= length ? length - 1 : i;
}

/* The same along a row of smoothed alphas and of their changes from row to row. */
static float row_gradient(const struct vrs_truth_errors *e, const float *across, const float *along, int x, const float smooth[TAPS],
			  const float slope[TAPS])
{
	int width = e->components->width;
	float dx = 0, dy = 0;
	bool inner = x >= REACH && x + REACH < width;
	for (int i = 0; i < TAPS; i++) {
		int u = x + i - REACH;
		if (!inner)
			u = e->circle ? (u + TAPS * width) % width : clamp(u, width);
		dx += slope[i] * across[u];
		dy += smooth[i] * along[u];
	}
	return sqrtf(dx * dx + dy * dy) / 255;
}

/* Magnitude of the gradient of alphas of 0..1, one a sample: borders go on, or around. */
static void gradient(const struct vrs_truth_errors *e, const struct vrs_matte *m, float *magnitude)
{
	float smooth[TAPS], slope[TAPS], *across = e->line, *along = e->line + m->width;
	make_taps(smooth, slope);
	for (int y = 0; y < m->height; y++, magnitude += m->width) {
		memset(e->line, 0, 2 * (size_t)m->width * sizeof *e->line);
		for (int i = 0; i < TAPS; i++) {
			const uint8_t *row = m->data + m->stride * clamp(y + i - REACH, m->height);
			for (int x = 0; x < m->width; x++) {
				across[x] += smooth[i] * (float)row[x];
				along[x] += slope[i] * (float)row[x];
			}
		}
		for (int x = 0; x < m->width; x++)
			magnitude[x] = row_gradient(e, across, along, x, smooth, slope);
	}
}

/* The level of each sample, in steps, up to which it belongs to the largest region where both mattes reach that level. */
static void connect(struct vrs_truth_errors *e, const struct vrs_matte pair[2])
{
	int width = pair[0].width, height = pair[0].height;
	size_t size = (size_t)width * (size_t)height;
	uint8_t *level = e->level[0], *lost = e->level[1];
	memset(level, LEVELS, size);
	memset(lost, 0, size);
	for (int step = 1; step <= LEVELS; step++) {
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				int a = pair[0].data[pair[0].stride * y + x], b = pair[1].data[pair[1].stride * y + x];
				e->set[(size_t)y * (size_t)width + (size_t)x] = (a < b ? a : b) * LEVELS >= step * 255;
			}
		vrs_components_find(e->components, e->set, false, e->circle);
		const int32_t *label = e->components->label, largest = e->components->largest;
		for (size_t i = 0; i < size; i++)
			if (!lost[i] && !(largest && label[i] == largest)) {
				level[i] = (uint8_t)(step - 1);
				lost[i] = 1;
			}
	}
}

/* How far a sample of that alpha is connected, 0..1. */
static double connection(int alpha, int level)
{
	double beyond = alpha / 255.0 - (double)level / LEVELS;
	return 1 - (beyond >= THETA ? beyond : 0);
}

struct sums {
	double weight, both, either, absolute, squares, slopes, connections, changes;
};

static void add_sample(struct sums *s, double w, int matte, int truth, double slope, double connections, int change)
{
	int d = matte - truth;
	s->weight += w;
	if (!(matte | truth) && change == 0 && slope == 0 && connections == 0) /* most of a picture */
		return;
	s->both += matte >= 128 && truth >= 128 ? w : 0;
	s->either += matte >= 128 || truth >= 128 ? w : 0;
	s->absolute += w * (d < 0 ? -d : d) / 255;
	s->squares += w * d * d / (255.0 * 255.0);
	s->slopes += w * slope * slope;
	s->connections += w * fabs(connections);
	s->changes += w * change * change / (255.0 * 255.0);
}

static struct vrs_truth_error_set finished(const struct sums *s, double boundary_iou, bool has_past)
{
	if (!(s->weight > 0))
		return (struct vrs_truth_error_set){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	return (struct vrs_truth_error_set){
		.iou = s->either > 0 ? s->both / s->either : 1,
		.mad = s->absolute / s->weight,
		.mse = s->squares / s->weight,
		.sad = s->absolute / THOUSAND,
		.grad = s->slopes / THOUSAND,
		.conn = s->connections / THOUSAND,
		.boundary_iou = boundary_iou,
		.dtssd = has_past ? sqrt(s->changes / s->weight) : (double)NAN,
	};
}

static void add_row(const struct vrs_truth_errors *e, const struct vrs_matte pair[2], const struct vrs_matte *past, int y, struct sums sums[2])
{
	const uint8_t *a = pair[0].data + pair[0].stride * y, *b = pair[1].data + pair[1].stride * y;
	const uint8_t *c = past ? past[0].data + past[0].stride * y : a, *d = past ? past[1].data + past[1].stride * y : b;
	size_t at = (size_t)y * (size_t)pair[0].width;
	for (int x = 0; x < pair[0].width; x++, at++) {
		double slope = (double)e->slope[0][at] - (double)e->slope[1][at];
		double connections = connection(a[x], e->level[0][at]) - connection(b[x], e->level[0][at]);
		int change = (a[x] - c[x]) - (b[x] - d[x]);
		add_sample(&sums[0], 1, a[x], b[x], slope, connections, change);
		if (e->weight)
			add_sample(&sums[1], (double)e->weight[at], a[x], b[x], slope, connections, change);
	}
}

enum vrs_status vrs_truth_errors_measure(struct vrs_truth_errors *e, const struct vrs_matte pair[2], const struct vrs_matte *past,
					 struct vrs_truth_error_set ret[2])
{
	int width = e->components->width, height = e->components->height, reach = (int)lround(BAND * hypot(width, height));
	double boundary_iou[2];
	struct sums sums[2];
	for (int i = 0; i < 2; i++)
		if (pair[i].width != width || pair[i].height != height || (past && (past[i].width != width || past[i].height != height)))
			return VRS_EINVAL;
	enum vrs_status status = vrs_boundary_iou(boundary_iou, &pair[0], &pair[1], reach < 1 ? 1 : reach, e->weight);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < 2; i++)
		gradient(e, &pair[i], e->slope[i]);
	connect(e, pair);
	memset(sums, 0, sizeof sums);
	for (int y = 0; y < height; y++)
		add_row(e, pair, past, y, sums);
	for (int i = 0; i < 2; i++)
		ret[i] = finished(&sums[i], boundary_iou[i], past != NULL);
	return VRS_OK;
}
