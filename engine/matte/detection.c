/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/detection.h"

#include <math.h>
#include <string.h>

#define MAX_BINS 64
#define MAX_PROTOTYPES 1024

struct detection {
	float score;
	float left, top, right, bottom; /* input pixels */
	int weights;                    /* slot in detector->weights */
};

struct vrs_detector {
	struct vrs_detector_options options;
	struct detection found[VRS_DETECTOR_MAX]; /* strongest first */
	int count;
	float *weights;                 /* [VRS_DETECTOR_MAX][prototypes] */
};

enum vrs_status vrs_detector_create(struct vrs_detector **ret_detector, struct vrs_arena *arena, const struct vrs_detector_options *options)
{
	if (options->input_width < 1 || options->input_height < 1 || options->classes < 1 || options->person < 0 || options->person >= options->classes ||
	    options->prototypes < 1 || options->prototypes > MAX_PROTOTYPES || !(options->threshold >= 0 && options->threshold <= 1) ||
	    !(options->overlap >= 0 && options->overlap <= 1))
		return VRS_EINVAL;
	struct vrs_detector *detector = vrs_arena_calloc(arena, 1, sizeof *detector);
	if (!detector)
		return VRS_ENOMEM;
	detector->options = *options;
	detector->weights = vrs_arena_calloc(arena, VRS_DETECTOR_MAX * (size_t)options->prototypes, sizeof *detector->weights);
	*ret_detector = detector;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

void vrs_detector_begin(struct vrs_detector *detector)
{
	detector->count = 0;
}

int vrs_detector_grid_channels(const struct vrs_detector_options *options, int bins)
{
	return 4 * bins + options->classes + options->prototypes;
}

/* Keep a detection among the strongest; returns where its weights go, NULL: too weak. */
static float *keep(struct vrs_detector *detector, const struct detection *made)
{
	int at = detector->count, slot = detector->count;
	if (at == VRS_DETECTOR_MAX) {
		if (!(made->score > detector->found[at - 1].score))
			return NULL;
		at--;
		slot = detector->found[at].weights;
	} else {
		detector->count++;
	}
	for (; at > 0 && made->score > detector->found[at - 1].score; at--)
		detector->found[at] = detector->found[at - 1];
	detector->found[at] = *made;
	detector->found[at].weights = slot;
	return detector->weights + (size_t)slot * (size_t)detector->options.prototypes;
}

/* Mean of bin numbers under a softmax. */
static float expected_bin(const float *logits, int bins)
{
	float most = logits[0], sum = 0, weighted = 0;
	for (int i = 1; i < bins; i++)
		most = logits[i] > most ? logits[i] : most;
	for (int i = 0; i < bins; i++) {
		float share = expf(logits[i] - most);
		sum += share;
		weighted += share * (float)i;
	}
	return weighted / sum;
}

static float sigmoid(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

void vrs_detector_add_grid(struct vrs_detector *detector, const float *grid, int height, int width, int bins)
{
	const struct vrs_detector_options *o = &detector->options;
	size_t channels = (size_t)vrs_detector_grid_channels(o, bins);
	float step_x = (float)o->input_width / (float)width, step_y = (float)o->input_height / (float)height;
	if (bins < 1 || bins > MAX_BINS)
		return;
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			const float *cell = grid + ((size_t)y * (size_t)width + (size_t)x) * channels;
			float score = sigmoid(cell[4 * bins + o->person]);
			if (!(score >= o->threshold)) /* NaN is nobody */
				continue;
			float centre_x = ((float)x + 0.5f) * step_x, centre_y = ((float)y + 0.5f) * step_y;
			struct detection made = {.score = score, .left = centre_x - expected_bin(cell, bins) * step_x,
				.top = centre_y - expected_bin(cell + bins, bins) * step_y, .right = centre_x + expected_bin(cell + 2 * bins, bins) * step_x,
				.bottom = centre_y + expected_bin(cell + 3 * bins, bins) * step_y};
			float *weights = keep(detector, &made);
			if (weights)
				memcpy(weights, cell + 4 * bins + o->classes, (size_t)o->prototypes * sizeof *weights);
		}
}

void vrs_detector_add_list(struct vrs_detector *detector, const float *list, int anchors)
{
	const struct vrs_detector_options *o = &detector->options;
	size_t n = (size_t)anchors;
	const float *scores = list + (4 + (size_t)o->person) * n, *first = list + (4 + (size_t)o->classes) * n;
	for (size_t i = 0; i < n; i++) {
		if (!(scores[i] >= o->threshold))
			continue;
		float x = list[i], y = list[n + i], w = list[2 * n + i], h = list[3 * n + i];
		struct detection made = {.score = scores[i], .left = x - w / 2, .top = y - h / 2, .right = x + w / 2, .bottom = y + h / 2};
		float *weights = keep(detector, &made);
		for (size_t k = 0; weights && k < (size_t)o->prototypes; k++)
			weights[k] = first[k * n + i];
	}
}

static float area(const struct detection *d)
{
	float w = d->right - d->left, h = d->bottom - d->top;
	return w > 0 && h > 0 ? w * h : 0;
}

static float overlap(const struct detection *a, const struct detection *b)
{
	struct detection both = {.left = fmaxf(a->left, b->left), .top = fmaxf(a->top, b->top), .right = fminf(a->right, b->right),
		.bottom = fminf(a->bottom, b->bottom)};
	float shared = area(&both), all = area(a) + area(b) - shared;
	return all > 0 ? shared / all : 0;
}

/* Greedy: the strongest stays, whoever overlaps it too much goes. */
static void drop_overlapping(struct vrs_detector *detector)
{
	int kept = 0;
	for (int i = 0; i < detector->count; i++) {
		bool stays = true;
		for (int k = 0; k < kept && stays; k++)
			stays = !(overlap(&detector->found[k], &detector->found[i]) > detector->options.overlap);
		if (stays)
			detector->found[kept++] = detector->found[i];
	}
	detector->count = kept;
}

/* First pixel whose centre lies at or after position x of `size` input pixels mapped to n pixels; 0..n. */
static int first_pixel(float x, int size, int n)
{
	float at = ceilf(x * (float)n / (float)size - 0.5f);
	return at > 0 ? (at < (float)n ? (int)at : n) : 0; /* NaN: 0 */
}

static void draw_mask(const struct vrs_detector *detector, const struct detection *d, const float *prototypes, int height, int width, float *alpha)
{
	const struct vrs_detector_options *o = &detector->options;
	const float *weights = detector->weights + (size_t)d->weights * (size_t)o->prototypes;
	int x0 = first_pixel(d->left, o->input_width, width), x1 = first_pixel(d->right, o->input_width, width);
	int y0 = first_pixel(d->top, o->input_height, height), y1 = first_pixel(d->bottom, o->input_height, height);
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++) {
			size_t pixel = (size_t)y * (size_t)width + (size_t)x;
			const float *p = prototypes + pixel * (size_t)o->prototypes;
			float sum = 0;
			for (int k = 0; k < o->prototypes; k++)
				sum += weights[k] * p[k];
			float mask = sigmoid(sum);
			if (mask > alpha[pixel])
				alpha[pixel] = mask;
		}
}

int vrs_detector_matte(struct vrs_detector *detector, const float *prototypes, int height, int width, float *alpha)
{
	memset(alpha, 0, (size_t)height * (size_t)width * sizeof *alpha);
	drop_overlapping(detector);
	for (int i = 0; i < detector->count; i++)
		draw_mask(detector, &detector->found[i], prototypes, height, width, alpha);
	return detector->count;
}
