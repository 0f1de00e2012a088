/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/trials.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bench/stats/stats.h"

#define FIRST_NOISE 0.02      /* usual spread of pairs on a quiet machine */
#define MIN_DEVIATIONS 8
#define MAX_DEVIATIONS 4096

void vrs_trials_fini(struct vrs_trials *trials)
{
	vrs_free(trials->items);
	memset(trials, 0, sizeof *trials);
}

static struct vrs_trial *find(const struct vrs_trials *trials, const struct vrs_point *point)
{
	for (int i = 0; i < trials->count; i++)
		if (vrs_point_equal(&trials->items[i].point, point))
			return &trials->items[i];
	return NULL;
}

const struct vrs_trial *vrs_trials_find(const struct vrs_trials *trials, const struct vrs_point *point)
{
	return find(trials, point);
}

static struct vrs_trial *add(struct vrs_trials *trials, const struct vrs_point *point)
{
	if (trials->count == trials->capacity) {
		int capacity = trials->capacity ? 2 * trials->capacity : 64;
		struct vrs_trial *more = vrs_calloc((size_t)capacity, sizeof *more);
		if (!more)
			return NULL;
		if (trials->count)
			memcpy(more, trials->items, (size_t)trials->count * sizeof *more);
		vrs_free(trials->items);
		trials->items = more;
		trials->capacity = capacity;
	}
	struct vrs_trial *trial = &trials->items[trials->count++];
	trial->point = *point;
	trial->accepted = true;
	return trial;
}

enum vrs_status vrs_trials_take(struct vrs_trials *trials, const struct vrs_point *point, const double *gains, int rounds, bool accepted)
{
	struct vrs_trial *trial = find(trials, point);
	if (!trial)
		trial = add(trials, point);
	if (!trial)
		return VRS_ENOMEM;
	for (int i = 0; i < rounds && trial->rounds < VRS_TRIAL_MAX_ROUNDS; i++)
		if (isfinite(gains[i]))
			trial->gains[trial->rounds++] = gains[i];
	trial->accepted = trial->accepted && accepted;
	return VRS_OK;
}

double vrs_trial_gain(const struct vrs_trial *trial)
{
	double values[VRS_TRIAL_MAX_ROUNDS], median;
	memcpy(values, trial->gains, (size_t)trial->rounds * sizeof *values);
	return trial->rounds > 0 && vrs_stats_median(values, trial->rounds, &median) == VRS_OK ? median : NAN;
}

double vrs_trials_noise(const struct vrs_trials *trials)
{
	double deviations[MAX_DEVIATIONS], sd;
	int n = 0;
	for (int i = 0; i < trials->count; i++) {
		const struct vrs_trial *t = &trials->items[i];
		double center = vrs_trial_gain(t);
		/* The median of few values lies closer to them than the truth does: sqrt(n / (n - 1)), as for a mean. */
		double stretch = t->rounds > 1 ? sqrt(t->rounds / (t->rounds - 1.0)) : 0;
		for (int r = 0; t->rounds > 1 && r < t->rounds && n < MAX_DEVIATIONS; r++)
			deviations[n++] = stretch * (t->gains[r] - center);
	}
	if (n < MIN_DEVIATIONS || vrs_stats_mad(deviations, n, &sd) != VRS_OK)
		return FIRST_NOISE;
	return fmax(sd, 1e-4);
}

double vrs_trial_low(const struct vrs_trial *trial, double noise)
{
	return trial->rounds ? vrs_trial_gain(trial) - noise / sqrt(trial->rounds) : NAN;
}

const struct vrs_trial *vrs_trials_best(const struct vrs_trials *trials, double noise)
{
	const struct vrs_trial *best = NULL;
	double low = 0;
	for (int i = 0; i < trials->count; i++) {
		const struct vrs_trial *t = &trials->items[i];
		double next = t->accepted && t->rounds ? vrs_trial_low(t, noise) : -INFINITY;
		if (next > low) {
			low = next;
			best = t;
		}
	}
	return best;
}
