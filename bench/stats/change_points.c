/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/stats/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "bench/stats/divergence.h"
#include "bench/stats/stats.h"

/* What Hunter does too: a point that a window finds unsure may be sure over the longer segments of the merge. */
static const double weak_factor = 10, weak_most = 0.5;

struct search {
	const double *values;
	int count;
	const struct vrs_change_rules *rules;
	struct vrs_divergence *divergence; /* of a window, or of two segments in the merge */
	struct vrs_rng rng;
};

/* Values from..to - 1, whose best split, within a window, is best. */
struct piece {
	int from, to;
	struct vrs_divergence_split best;
};

struct vrs_change_rules vrs_change_rules_default(void)
{
	return (struct vrs_change_rules){.max_p = 0.001, .window = 50, .min_segment = 3, .permutations = 999, .seed = 1};
}

/*
 * Significance of a split of from..to at index, above limit not exactly.  A permutation test that is to say whether to split at all has to search
 * each order for its best split; one that compares two segments has not.
 */
static enum vrs_status judge_split(struct search *s, int from, int index, int to, bool searched, double limit, struct vrs_change_point *ret)
{
	/* Two values alone are not enough to judge. */
	struct vrs_two_means t = {.a = s->values[from], .b = s->values[index], .p = 1};
	enum vrs_status status = to - from < 3 ? VRS_OK : vrs_stats_two_levels(s->values + from, index - from, s->values + index, to - index, NULL, &t);
	*ret = (struct vrs_change_point){.index = index, .before = t.a, .after = t.b, .p = t.p};
	if (status == VRS_OK && s->rules->test == VRS_CHANGE_PERMUTATION) {
		/* Of long segments what lies next to the change. */
		from = index - from > s->rules->window ? index - s->rules->window : from;
		to = to - index > s->rules->window ? index + s->rules->window : to;
		ret->p = vrs_divergence_permuted(s->divergence, s->values + from, to - from, searched ? 0 : index - from, s->rules->min_segment,
						s->rules->permutations, limit, &s->rng);
	}
	return status;
}

static struct piece find_split(const struct search *s, int window, int from, int to)
{
	struct piece piece = {.from = from, .to = to, .best = vrs_divergence_best(s->divergence, from - window, to - window, s->rules->min_segment)};
	piece.best.index += window;
	piece.best.end += window;
	return piece;
}

/* Mark the weak points of one window.  Returns the last one in ret_last, or the window's begin. */
static enum vrs_status split_window(struct search *s, int from, int to, struct piece *pieces, bool *marks, int *ret_last)
{
	double limit = fmin(weak_factor * s->rules->max_p, fmax(weak_most, s->rules->max_p));
	bool permute = s->rules->test == VRS_CHANGE_PERMUTATION;
	int open = 0;
	*ret_last = from;
	vrs_divergence_load(s->divergence, s->values + from, to - from);
	pieces[open++] = find_split(s, from, from, to);
	while (open > 0) {
		struct piece p = pieces[--open];
		struct vrs_change_point point;
		if (!(p.best.q > 0))
			continue;
		/* Orders of the whole piece are searched for their best ends as this one was. */
		enum vrs_status status = judge_split(s, p.from, p.best.index, permute ? p.to : p.best.end, true, limit, &point);
		if (status != VRS_OK)
			return status;
		if (permute) /* which has loaded its permutations */
			vrs_divergence_load(s->divergence, s->values + from, to - from);
		if (point.p > limit)
			continue;
		marks[p.best.index] = true;
		*ret_last = p.best.index > *ret_last ? p.best.index : *ret_last;
		pieces[open++] = find_split(s, from, p.from, p.best.index);
		pieces[open++] = find_split(s, from, p.best.index, p.to);
	}
	return VRS_OK;
}

static enum vrs_status find_weak(struct search *s, struct piece *pieces, bool *marks)
{
	for (int from = 0, last; from < s->count; from = last > from + s->rules->window / 2 ? last : from + s->rules->window / 2) {
		int to = s->count - from > s->rules->window ? from + s->rules->window : s->count;
		enum vrs_status status = split_window(s, from, to, pieces, marks, &last);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

/* Judge a point over the segments between its neighbours. */
static enum vrs_status judge_point(struct search *s, struct vrs_change_point *points, int n, int i)
{
	int from = i > 0 ? points[i - 1].index : 0, to = i + 1 < n ? points[i + 1].index : s->count;
	return judge_split(s, from, points[i].index, to, false, 1, &points[i]);
}

static double magnitude(const struct vrs_change_point *p)
{
	double least = fmin(fabs(p->before), fabs(p->after));
	return least > 0 ? fabs(p->after - p->before) / least : p->before == p->after ? 0 : INFINITY; /* NOLINT(clang-diagnostic-float-equal) */
}

/* The point that bounds too short a segment, of two such the less sure one; -1: none. */
static int find_crowded(const struct search *s, const struct vrs_change_point *points, int n)
{
	for (int i = 0; i <= n; i++) {
		int from = i > 0 ? points[i - 1].index : 0, to = i < n ? points[i].index : s->count;
		if (to - from >= s->rules->min_segment)
			continue;
		if (i == 0 || i == n)
			return i == 0 ? 0 : n - 1;
		return points[i - 1].p > points[i].p ? i - 1 : i;
	}
	return -1;
}

/* The point that goes first; -1: all stay. */
static int find_weakest(const struct search *s, const struct vrs_change_point *points, int n)
{
	int unsure = 0, small = 0;
	int crowded = n > 0 ? find_crowded(s, points, n) : -1;
	if (crowded >= 0)
		return crowded;
	for (int i = 1; i < n; i++) {
		unsure = points[i].p > points[unsure].p ? i : unsure;
		small = magnitude(&points[i]) < magnitude(&points[small]) ? i : small;
	}
	if (n > 0 && points[unsure].p > s->rules->max_p)
		return unsure;
	return n > 0 && magnitude(&points[small]) < s->rules->min_magnitude ? small : -1;
}

static enum vrs_status merge(struct search *s, struct vrs_change_point *points, int *n)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < *n && status == VRS_OK; i++)
		status = judge_point(s, points, *n, i);
	for (int i; status == VRS_OK && (i = find_weakest(s, points, *n)) >= 0;) {
		(*n)--;
		memmove(points + i, points + i + 1, (size_t)(*n - i) * sizeof *points);
		if (i > 0)
			status = judge_point(s, points, *n, i - 1);
		if (i < *n && status == VRS_OK)
			status = judge_point(s, points, *n, i);
	}
	return status;
}

static enum vrs_status run_search(struct search *s, struct vrs_change_point **ret, int *ret_count)
{
	int weak = 0;
	bool *marks = vrs_calloc((size_t)s->count + 1, sizeof *marks);
	struct piece *pieces = vrs_calloc((size_t)s->rules->window + 2, sizeof *pieces);
	struct vrs_change_point *points = NULL;
	enum vrs_status status = marks && pieces ? find_weak(s, pieces, marks) : VRS_ENOMEM;
	for (int i = 0; i < s->count && status == VRS_OK; i++)
		weak += marks[i];
	if (status == VRS_OK)
		status = (points = vrs_calloc((size_t)weak + 1, sizeof *points)) ? VRS_OK : VRS_ENOMEM;
	for (int i = 0, k = 0; i < s->count && status == VRS_OK; i++)
		if (marks[i])
			points[k++].index = i;
	if (status == VRS_OK)
		status = merge(s, points, &weak);
	vrs_free(marks);
	vrs_free(pieces);
	*ret = points;
	*ret_count = weak;
	return status;
}

static enum vrs_status check(const double *values, int count, const struct vrs_change_rules *r, struct vrs_error *err)
{
	if (count < 0 || count > VRS_CHANGE_MAX_VALUES)
		return vrs_fail(err, VRS_ELIMIT, "a series has 0 to %d values, not %d", VRS_CHANGE_MAX_VALUES, count);
	for (int i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return vrs_fail(err, VRS_EINVAL, "value %d of the series is not a number; leave out what is missing", i);
	if (!(r->max_p > 0 && r->max_p < 1) || !(r->min_magnitude >= 0))
		return vrs_fail(err, VRS_EINVAL, "p is above 0 and below 1, and a magnitude not below 0");
	if (r->min_segment < 1 || r->window > VRS_CHANGE_MAX_WINDOW || r->window < 2 || r->window / 2 < r->min_segment)
		return vrs_fail(err, VRS_EINVAL, "a segment of %d needs a window of %d to %d values", r->min_segment, 2 * r->min_segment, VRS_CHANGE_MAX_WINDOW);
	if (r->test == VRS_CHANGE_PERMUTATION && (r->permutations < 1 || r->permutations > VRS_CHANGE_MAX_PERMUTATIONS))
		return vrs_fail(err, VRS_EINVAL, "1 to %d permutations, not %d", VRS_CHANGE_MAX_PERMUTATIONS, r->permutations);
	return VRS_OK;
}

enum vrs_status vrs_change_points(const double *values, int count, const struct vrs_change_rules *rules, struct vrs_change_point *ret, int max,
				  int *ret_count, struct vrs_error *err)
{
	struct search s = {.values = values, .count = count, .rules = rules};
	struct vrs_change_point *points = NULL;
	enum vrs_status status = check(values, count, rules, err);
	*ret_count = 0;
	if (status != VRS_OK || count < 3 || count / 2 < rules->min_segment)
		return status;
	vrs_rng_init(&s.rng, rules->seed);
	status = vrs_divergence_create(&s.divergence, 2 * rules->window);
	if (status == VRS_OK)
		status = run_search(&s, &points, ret_count);
	if (status != VRS_OK)
		status = vrs_fail(err, status, "there is not enough memory to look for changes in %d values", count);
	for (int i = 0; status == VRS_OK && i < *ret_count && i < max; i++)
		ret[i] = points[i];
	vrs_free(points);
	vrs_divergence_destroy(s.divergence);
	return status;
}
