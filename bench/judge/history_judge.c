/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/history_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/stats/stats.h"

enum {
	MIN_DRIFT_NIGHTS = 5,   /* of each of the two levels that drift compares */
	MIN_LAG_NIGHTS = 20,    /* below, neighbours are taken as independent */
};
static const double hansen_95 = 7.35;   /* -2 ln (1 - sqrt(.95)) */
static const double most_alike = 0.8;

static const struct drift {
	enum vrs_history_kind kind;
	int days, level_days;    /* how far back, and nights of how many days make a level */
} drifts[] = {
	{VRS_HISTORY_DRIFT_30, 30, 10},
	{VRS_HISTORY_DRIFT_90, 90, 20},
};

struct judge {
	const struct vrs_night *nights;
	const struct vrs_history_rules *rules;
	double *values;                   /* ratios of all nights */
	double *squares;                  /* of the splits of one piece */
	double *adjusted;                 /* of the last section, as if confirmed steps had always been there */
	struct vrs_change_point *points;  /* of one section */
	struct vrs_history_alert *steps;  /* the same, twice */
	int count;
	struct vrs_history_alert *found;  /* at most one of each night, and drift */
	int found_count;
};

struct vrs_history_rules vrs_history_rules_default(void)
{
	return (struct vrs_history_rules){.margin = 0.02, .window_days = 365, .alarm_p = 1e-4, .confirm_nights = 3, .change = vrs_change_rules_default()};
}

bool vrs_history_alarms(const struct vrs_history_alert *alert)
{
	return alert->worse && alert->confirmed && alert->open && !alert->settled;
}

static void add_alert(struct judge *j, const struct vrs_history_alert *alert)
{
	j->found[j->found_count++] = *alert;
}

/*
 * How much wider errors of means are because neighbours are alike: sqrt((1 + r) / (1 - r)), r from the squares of differences between values one and
 * two nights apart, which steps and slow drift hardly change.
 */
static double find_widening(const double *x, int n)
{
	double one = 0, two = 0;
	if (n < MIN_LAG_NIGHTS)
		return 1;
	for (int i = 1; i < n; i++)
		one += (x[i] - x[i - 1]) * (x[i] - x[i - 1]) / (n - 1);
	for (int i = 2; i < n; i++)
		two += (x[i] - x[i - 2]) * (x[i] - x[i - 2]) / (n - 2);
	double r = one > 0 ? fmin(fmax(two / one - 1, 0), most_alike) : 0;
	return sqrt((1 + r) / (1 - r));
}

/* Nights do not spread less than the intervals of single ones say: half a width is about two standard errors.  The typical one counts. */
static enum vrs_status find_least_sd(const struct judge *j, int from, int to, double *ret)
{
	int n = 0;
	for (int i = from; i < to; i++)
		if (isfinite(j->nights[i].low) && isfinite(j->nights[i].high))
			j->squares[n++] = fabs(j->nights[i].high - j->nights[i].low) / 4;
	*ret = 0;
	return n > 0 ? vrs_stats_median(j->squares, n, ret) : VRS_OK;
}

/* Of each split i of from..to the squares around the levels of from..i - 1 and i..to - 1, in ret[i], one value after another (Welford). */
static void find_squares(const double *x, int from, int to, double *ret)
{
	double mean = 0, squares = 0;
	for (int i = from; i < to; i++) {
		ret[i] = squares;
		double off = x[i] - mean;
		mean += off / (i - from + 1);
		squares += off * (x[i] - mean);
	}
	mean = squares = 0;
	for (int i = to - 1; i > from; i--) {
		double off = x[i] - mean;
		mean += off / (to - i);
		squares += off * (x[i] - mean);
		ret[i] += squares;
	}
}

/* The split of from..to that fits best. */
static int find_split(const struct judge *j, int from, int to)
{
	int best = from + 1;
	find_squares(j->values, from, to, j->squares);
	for (int i = from + 1; i < to; i++)
		best = j->squares[i] < j->squares[best] ? i : best;
	return best;
}

/* Hansen's confidence set: the splits of from..to that fit nearly as well as that at a->index. */
static void find_range(const struct judge *j, int from, int to, const struct vrs_spread *spread, struct vrs_history_alert *a)
{
	find_squares(j->values, from, to, j->squares);
	double least = j->squares[a->index];
	for (int i = from + 1; i < to; i++) {
		if ((to - from) * (j->squares[i] - least) > hansen_95 * spread->widening * spread->widening * least)
			continue;
		a->first = i < a->first ? i : a->first;
		a->last = i > a->last ? i : a->last;
	}
}

/* What a difference of two levels means. */
static void describe(const struct vrs_history_rules *rules, const struct vrs_two_means *t, struct vrs_history_alert *a)
{
	a->before = t->a;
	a->after = t->b;
	a->change = t->b / t->a - 1;
	a->low = t->low / t->a;
	a->high = t->high / t->a;
	a->p = t->p;
	a->worse = rules->larger_is_better ? t->b < t->a : t->b > t->a;
}

static double magnitude(const struct vrs_history_alert *a)
{
	return fmax(fabs(a->change), fabs(1 / (1 + a->change) - 1));
}

static int by_index(const void *a, const void *b)
{
	const struct vrs_history_alert *x = a, *y = b;
	return (x->index > y->index) - (x->index < y->index);
}

static enum vrs_status describe_step(const struct judge *j, int from, int index, int to, const struct vrs_spread *spread, struct vrs_history_alert *a)
{
	struct vrs_two_means t = {.a = j->values[from], .b = j->values[index], .low = NAN, .high = NAN, .p = 1};
	enum vrs_status status = VRS_OK;
	if (to - from > 2) /* two single nights have no spread, and are no proof */
		status = vrs_stats_two_means(j->values + from, index - from, j->values + index, to - index, spread, &t);
	if (status != VRS_OK)
		return status;
	*a = (struct vrs_history_alert){.kind = VRS_HISTORY_STEP, .first = index, .last = index, .index = index, .nights = to - index, .open = true};
	describe(j->rules, &t, a);
	find_range(j, from, to, spread, a);
	return VRS_OK;
}

/* Number of the step that is least sure, of those that are not sure enough to be confirmed; -1: all are. */
static int find_suspicion(const struct judge *j, const struct vrs_history_alert *steps, int n)
{
	int found = -1;
	for (int i = 0; i < n; i++) {
		bool sure = steps[i].p <= j->rules->alarm_p && magnitude(&steps[i]) >= j->rules->margin;
		if (!sure && (found < 0 || steps[i].p > steps[found].p))
			found = i;
	}
	return found;
}

/*
 * Say of n change points of from..to - 1 which are confirmed.  What is not is taken for noise when the others are judged: without that, small pieces
 * of ordinary noise would each be a level of their own, and the spread around these levels too small.
 */
static enum vrs_status judge_steps(struct judge *j, int from, int to, int n, const struct vrs_spread *spread)
{
	struct vrs_history_alert *steps = j->steps, *kept = j->steps + n;
	int left = n, kept_count = 0;
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < n; i++) /* change points stand as far apart as the least segment; the best fit may be nearer to an end */
		steps[i].index = find_split(j, i > 0 ? steps[i - 1].index : from, i + 1 < n ? from + j->points[i + 1].index : to);
	for (int worst = 0; worst >= 0 && status == VRS_OK;) {
		for (int i = 0; i < left && status == VRS_OK; i++) {
			int begin = i > 0 ? steps[i - 1].index : from, end = i + 1 < left ? steps[i + 1].index : to;
			status = describe_step(j, begin, steps[i].index, end, spread, &steps[i]);
		}
		worst = status == VRS_OK ? find_suspicion(j, steps, left) : -1;
		if (worst < 0)
			break;
		kept[kept_count++] = steps[worst];
		left--;
		memmove(steps + worst, steps + worst + 1, (size_t)(left - worst) * sizeof *steps);
	}
	for (int i = 0; i < left; i++) {
		steps[i].confirmed = steps[i].index + steps[i].nights - steps[i].last >= j->rules->confirm_nights;
		kept[kept_count++] = steps[i];
	}
	if (status == VRS_OK)
		qsort(kept, (size_t)n, sizeof *kept, by_index);
	for (int i = 0; i < n && status == VRS_OK; i++)
		add_alert(j, &kept[i]);
	return status;
}

/*
 * Steps of nights from..to - 1, between which no baseline changed and no change is known.  The level since the last confirmed one goes to ret_level.
 */
static enum vrs_status judge_section(struct judge *j, int from, int to, double *ret_level, struct vrs_error *err)
{
	int n, first = j->found_count, last = from;
	struct vrs_change_rules rules = j->rules->change;
	rules.min_magnitude = j->rules->margin;
	enum vrs_status status = vrs_change_points(j->values + from, to - from, &rules, j->points, to - from, &n, err);
	struct vrs_spread spread = {.widening = find_widening(j->values + from, to - from)};
	if (status == VRS_OK)
		status = find_least_sd(j, from, to, &spread.least_sd);
	if (status == VRS_OK)
		status = judge_steps(j, from, to, n, &spread);
	if (status != VRS_OK)
		return status;
	for (int i = first; i < j->found_count; i++)
		last = j->found[i].confirmed ? j->found[i].index : last;
	return vrs_stats_mean(j->values + last, to - last, ret_level);
}

/* Has the level since gone back? Of steps from alert number first on. */
static void close_steps(struct judge *j, int first, double level, bool settled)
{
	for (int i = first; i < j->found_count; i++) {
		struct vrs_history_alert *a = &j->found[i];
		a->open = (level - a->before) / (a->after - a->before) > 0.5;
		a->settled = settled;
	}
}

/* The nights that drift compares: old..old_end - 1, and recent on. */
struct two_levels {
	int old, old_end, recent;
};

/* Of from..count - 1.  False: there are too few of them. */
static bool find_levels(const struct vrs_night *nights, int from, int count, const struct drift *d, struct two_levels *ret)
{
	int64_t today = nights[count - 1].day;
	int recent = count, old = from, old_end;
	while (recent > from && nights[recent - 1].day > today - d->level_days)
		recent--;
	while (old < recent && nights[old].day <= today - d->days - d->level_days)
		old++;
	for (old_end = old; old_end < recent && nights[old_end].day <= today - d->days;)
		old_end++;
	*ret = (struct two_levels){old, old_end, recent};
	return count - recent >= MIN_DRIFT_NIGHTS && old_end - old >= MIN_DRIFT_NIGHTS;
}

bool vrs_history_is_sparse(const struct vrs_night *nights, int count)
{
	struct two_levels levels;
	bool judged = false;
	for (size_t i = 0; i < sizeof drifts / sizeof *drifts && count > 0; i++)
		judged = judged || find_levels(nights, 0, count, &drifts[i], &levels);
	return count > 0 && !judged && nights[count - 1].day - nights[0].day >= drifts[0].days + drifts[0].level_days;
}

static enum vrs_status judge_drift(struct judge *j, const struct drift *d, int from, const struct vrs_spread *spread)
{
	struct two_levels l;
	struct vrs_two_means t;
	if (!find_levels(j->nights, from, j->count, d, &l))
		return VRS_OK;
	struct vrs_history_alert a = {.kind = d->kind, .first = l.old_end - 1, .last = j->count - 1, .index = j->count - 1,
				      .nights = j->count - l.recent, .confirmed = true, .open = true};
	enum vrs_status status = vrs_stats_two_means(j->adjusted + l.old, l.old_end - l.old, j->adjusted + l.recent, a.nights, spread, &t);
	if (status != VRS_OK)
		return status;
	describe(j->rules, &t, &a);
	if (a.p <= j->rules->alarm_p && magnitude(&a) >= j->rules->margin)
		add_alert(j, &a);
	return VRS_OK;
}

/* The last section as if its confirmed steps (alerts from number first on) had always been there. */
static void adjust(struct judge *j, int from, int first)
{
	for (int i = from; i < j->count; i++) {
		j->adjusted[i] = j->values[i];
		for (int k = first; k < j->found_count; k++)
			if (j->found[k].confirmed && j->found[k].index > i)
				j->adjusted[i] *= j->found[k].after / j->found[k].before;
	}
}

static enum vrs_status judge_all(struct judge *j, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int era_alerts = 0, from = 0, section_alerts = 0;
	double level = NAN;
	for (int i = 1; i <= j->count && status == VRS_OK; i++) {
		bool ends = i == j->count;
		if (!ends && !j->nights[i].new_baseline && !j->nights[i].known_change)
			continue;
		section_alerts = j->found_count;
		status = judge_section(j, from, i, &level, err);
		if (ends || j->nights[i].new_baseline) {
			close_steps(j, era_alerts, level, !ends);
			era_alerts = j->found_count;
		}
		from = ends ? from : i;
	}
	if (status != VRS_OK)
		return status;
	adjust(j, from, section_alerts);
	struct vrs_spread spread = {.widening = find_widening(j->adjusted + from, j->count - from)};
	status = find_least_sd(j, from, j->count, &spread.least_sd);
	for (size_t i = 0; i < sizeof drifts / sizeof *drifts && status == VRS_OK; i++)
		status = judge_drift(j, &drifts[i], from, &spread);
	return status;
}

static enum vrs_status check(const struct vrs_night *nights, int count, const struct vrs_history_rules *r, struct vrs_error *err)
{
	if (!(r->margin >= 0 && r->margin < 1) || !(r->alarm_p > 0 && r->alarm_p < 1) || r->window_days < 1 || r->confirm_nights < 1)
		return vrs_fail(err, VRS_EINVAL, "margin and p are shares, a history has at least a day, and a step a night");
	if (count < 0 || count > VRS_CHANGE_MAX_VALUES)
		return vrs_fail(err, VRS_ELIMIT, "a series has 0 to %d nights, not %d", VRS_CHANGE_MAX_VALUES, count);
	for (int i = 0; i < count; i++) {
		if (!(isfinite(nights[i].ratio) && nights[i].ratio > 0))
			return vrs_fail(err, VRS_EINVAL, "the ratio of night %d is not above 0; leave out nights without one", i);
		if (i > 0 && nights[i].day < nights[i - 1].day)
			return vrs_fail(err, VRS_EINVAL, "night %d comes before the one that stands before it", i);
	}
	return VRS_OK;
}

enum vrs_status vrs_history_judge(const struct vrs_night *nights, int count, const struct vrs_history_rules *rules, struct vrs_history_alert *ret,
				  int max, int *ret_count, struct vrs_error *err)
{
	*ret_count = 0;
	enum vrs_status status = check(nights, count, rules, err);
	if (status != VRS_OK || count == 0)
		return status;
	int skip = 0;
	while (nights[skip].day <= nights[count - 1].day - rules->window_days)
		skip++;
	struct judge j = {.nights = nights + skip, .rules = rules, .count = count - skip};
	j.values = vrs_calloc(3 * (size_t)j.count, sizeof *j.values);
	j.points = vrs_calloc((size_t)j.count, sizeof *j.points);
	j.steps = vrs_calloc(3 * (size_t)j.count + sizeof drifts / sizeof *drifts, sizeof *j.steps);
	if (!j.values || !j.points || !j.steps)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to judge %d nights", j.count);
	for (int i = 0; i < j.count && status == VRS_OK; i++)
		j.values[i] = j.nights[i].ratio;
	j.adjusted = status == VRS_OK ? j.values + j.count : NULL;
	j.squares = status == VRS_OK ? j.adjusted + j.count : NULL;
	j.found = status == VRS_OK ? j.steps + 2 * (size_t)j.count : NULL;
	if (status == VRS_OK)
		status = judge_all(&j, err);
	for (int i = 0; i < j.found_count && i < max; i++) {
		ret[i] = j.found[i];
		ret[i].first += skip;
		ret[i].last += skip;
		ret[i].index += skip;
	}
	*ret_count = status == VRS_OK ? j.found_count : 0;
	vrs_free(j.values);
	vrs_free(j.points);
	vrs_free(j.steps);
	return status;
}
