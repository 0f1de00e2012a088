/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/scale_axis.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/picture.h"

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

/* Share of output [a, b) that sample j gives, before clamping at the ends. */
static double tap_share(double a, double b, int j)
{
	if (b - a >= 1.0) {
		double low = a > j ? a : j, high = b < j + 1.0 ? b : j + 1.0;
		return high > low ? (high - low) / (b - a) : 0.0;
	}
	double distance = fabs((a + b) / 2 - (j + 0.5));
	return distance < 1.0 ? 1.0 - distance : 0.0;
}

/* First and last sample that can have a share in [a, b). */
static void tap_range(double a, double b, int *first, int *last)
{
	if (b - a >= 1.0) {
		*first = (int)floor(a);
		*last = (int)ceil(b) - 1;
	} else {
		*first = (int)floor((a + b) / 2 - 0.5);
		*last = *first + 1;
	}
}

/* Weights of one output: shares of samples beyond the ends go to the edge samples; running sums are rounded so that the total is exact. */
static void fill_output(struct vrs_scale_axis *axis, int i, double a, double b, int src_size)
{
	int first, last;
	tap_range(a, b, &first, &last);
	int begin = clamp_int(first, 0, src_size - 1), end = clamp_int(last, 0, src_size - 1);
	axis->first[i] = begin;
	axis->used[i] = end - begin + 1;
	int16_t *weights = axis->weights + (ptrdiff_t)i * axis->taps;
	double sum = 0;
	int done = 0, j = first;
	for (int s = begin; s <= end; s++) {
		for (; j <= last && (clamp_int(j, 0, src_size - 1) == s); j++)
			sum += tap_share(a, b, j);
		int upto = s == end ? VRS_WEIGHT_ONE : clamp_int((int)lrint(sum * VRS_WEIGHT_ONE), done, VRS_WEIGHT_ONE);
		weights[s - begin] = (int16_t)(upto - done);
		done = upto;
	}
}

static int taps_of(double step, int multiple)
{
	int taps = step >= 1.0 ? (int)ceil(step) + 1 : 2;
	return (taps + multiple - 1) / multiple * multiple;
}

static bool interval_fits(int src_size, double from, double to)
{
	double length = to - from;
	return src_size >= 1 && length > 0 && from >= -length && to <= src_size + length;
}

enum vrs_status vrs_scale_axis_place(struct vrs_scale_axis *axis, int src_size, double from, double to)
{
	double step = (to - from) / axis->n;
	if (!interval_fits(src_size, from, to) || taps_of(step, axis->tap_multiple) > axis->most_taps)
		return VRS_EINVAL;
	axis->taps = taps_of(step, axis->tap_multiple);
	memset(axis->weights, 0, (size_t)axis->n * (size_t)axis->taps * sizeof *axis->weights); /* what pads an output's weights */
	for (int i = 0; i < axis->n; i++)
		fill_output(axis, i, from + i * step, from + (i + 1) * step, src_size);
	return VRS_OK;
}

enum vrs_status vrs_scale_axis_init(struct vrs_scale_axis *axis, struct vrs_arena *arena, int src_size, double from, double to, int n,
				    int tap_multiple)
{
	if (n < 1 || tap_multiple < 1 || !interval_fits(src_size, from, to))
		return VRS_EINVAL;
	axis->n = n;
	axis->tap_multiple = tap_multiple;
	axis->most_taps = taps_of((to - from) / n, tap_multiple);
	axis->first = vrs_arena_calloc(arena, (size_t)n, sizeof *axis->first);
	axis->used = vrs_arena_calloc(arena, (size_t)n, sizeof *axis->used);
	axis->weights = vrs_arena_calloc(arena, (size_t)n, sizeof *axis->weights * (size_t)axis->most_taps);
	return arena->failed ? VRS_ENOMEM : vrs_scale_axis_place(axis, src_size, from, to);
}
