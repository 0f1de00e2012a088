/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "tuner/final.h"

/* Combinations of n helpful knobs are all tried up to here (2^3 - 1 - 3 of them are new); above, they are added one by one. */
#define MAX_FULL_PRODUCT 3

struct vrs_search_options vrs_search_options_default(bool quick)
{
	return (struct vrs_search_options){
		.screen_rounds = quick ? 2 : 3,
		.final_rounds = quick ? 8 : 14,
		.finalists = quick ? 1 : 4,
		.screen_gain = 0.01,
		.objective = vrs_objective_default(),
	};
}

const char *vrs_phase_name(enum vrs_phase phase)
{
	static const char *const names[] = {"screening", "combining", "final"};
	return names[phase];
}

void vrs_search_result_fini(struct vrs_search_result *result)
{
	vrs_free(result->tried);
	memset(result, 0, sizeof *result);
}

/* Everything that a running search knows. */
struct search {
	const struct vrs_space *space;
	const struct vrs_search_options *options;
	vrs_measure_fn measure;
	void *cookie;
	struct vrs_search_result result;
};

/* Two candidates are the same when they set the same values, in whatever order. */
static bool same_settings(const struct vrs_case *a, const struct vrs_case *b)
{
	if (a->value_count != b->value_count)
		return false;
	for (int i = 0; i < a->value_count; i++) {
		const char *other = vrs_case_get(b, a->values[i].key);
		if (!other || strcmp(other, a->values[i].value) != 0)
			return false;
	}
	return true;
}

static double median_ratio(const struct vrs_case_result *base, const struct vrs_case_result *c)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS], ratio;
	int n = vrs_verdict_collect(base, c, vrs_figure_fps, VRS_STATS_MAX_PAIRS, a, b, NULL);
	for (int i = 0; i < n; i++)
		b[i] = b[i] / a[i];
	return n > 0 && vrs_stats_median(b, n, &ratio) == VRS_OK ? ratio : NAN;
}

static enum vrs_status note_tried(struct search *s, enum vrs_phase phase, const struct vrs_case *settings, const struct vrs_case_result *c,
				  const struct vrs_case_result *base)
{
	struct vrs_search_result *r = &s->result;
	if (r->tried_count == VRS_SEARCH_MAX_TRIED)
		return VRS_OK; /* far above any space of today; the list is for the reader */
	struct vrs_tried *t = &r->tried[r->tried_count++];
	bool truth;
	memset(t, 0, sizeof *t);
	t->phase = phase;
	t->settings = *settings;
	(void)vrs_strcpy(t->id, sizeof t->id, c->id);
	t->fps = c->fps;
	t->ratio = median_ratio(base, c);
	t->quality = vrs_case_quality(c, &truth);
	t->accepted = c == base || vrs_objective_accepts(&s->options->objective, c, base, t->why, sizeof t->why);
	return VRS_OK;
}

/* Measure cases (the first is the default) and list them. */
static enum vrs_status run_phase(struct search *s, enum vrs_phase phase, const struct vrs_case *cases, int count, int rounds,
				 struct vrs_result **ret_result, struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	enum vrs_status status = s->measure(s->cookie, vrs_phase_name(phase), cases, count, rounds, &result, err);
	if (status != VRS_OK)
		return status;
	if (result->case_count != count)
		status = vrs_fail(err, VRS_EINTERNAL, "asked for %d cases and got %d", count, result->case_count);
	else if (vrs_case_result_ok_runs(&result->cases[0]) == 0)
		status = vrs_fail(err, VRS_EINTERNAL, "the default settings did not run: %s",
				  vrs_case_result_is_skipped(&result->cases[0]) ? result->cases[0].skipped
				  : result->cases[0].run_count ? result->cases[0].runs[0].reason : "no run was made");
	for (int i = 0; status == VRS_OK && i < count; i++)
		status = note_tried(s, phase, &cases[i], &result->cases[i], &result->cases[0]);
	if (status != VRS_OK)
		vrs_result_destroy(result);
	else
		*ret_result = result;
	return status;
}

/* threads x streams above the CPUs is known to lose without measuring. */
static bool is_sensible(const struct vrs_space *space, const struct vrs_case *c)
{
	int64_t threads = 1, streams = 1;
	const char *t = vrs_case_get(c, "engine.threads"), *n = vrs_case_get(c, "engine.streams");
	if (t)
		(void)vrs_parse_int(t, 1, 4096, &threads);
	if (n)
		(void)vrs_parse_int(n, 1, 4096, &streams);
	return threads * streams <= space->cpus;
}

/* The best accepted value of a knob after screening. */
struct helper {
	const char *key, *value;
	double gain;
};

static int find_helpers(const struct search *s, struct helper *helpers)
{
	int n = 0;
	for (int k = 0; k < s->space->count; k++) {
		const struct vrs_knob *knob = &s->space->knobs[k];
		struct helper best = {.gain = 1 + s->options->screen_gain};
		for (int i = 0; i < s->result.tried_count; i++) {
			const struct vrs_tried *t = &s->result.tried[i];
			const char *value = vrs_case_get(&t->settings, knob->row->key);
			if (t->phase == VRS_PHASE_SCREEN && value && t->accepted && t->ratio > best.gain)
				best = (struct helper){knob->row->key, value, t->ratio};
		}
		if (!best.key)
			continue;
		int at = n++;
		for (; at > 0 && helpers[at - 1].gain < best.gain; at--)
			helpers[at] = helpers[at - 1];
		helpers[at] = best;
	}
	return n;
}

static enum vrs_status screen(struct search *s, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int total = 1, count = 1;
	for (int k = 0; k < s->space->count; k++)
		total += s->space->knobs[k].count;
	struct vrs_case *cases = vrs_calloc((size_t)total, sizeof *cases);
	if (!cases)
		return vrs_fail_nomem(err);
	for (int k = 0; status == VRS_OK && k < s->space->count; k++)
		for (int v = 0; status == VRS_OK && v < s->space->knobs[k].count; v++)
			status = vrs_case_set(&cases[count++], s->space->knobs[k].row->key, s->space->knobs[k].values[v], err);
	struct vrs_result *result = NULL;
	if (status == VRS_OK)
		status = run_phase(s, VRS_PHASE_SCREEN, cases, count, s->options->screen_rounds, &result, err);
	vrs_result_destroy(result);
	vrs_free(cases);
	return status;
}

static enum vrs_status combine(struct search *s, struct vrs_error *err)
{
	struct helper helpers[VRS_SPACE_MAX_KNOBS];
	int n = find_helpers(s, helpers), count = 1;
	if (n < 2)
		return VRS_OK;
	struct vrs_case cases[1 + VRS_SPACE_MAX_KNOBS];
	memset(cases, 0, sizeof cases);
	enum vrs_status status = VRS_OK;
	int sets = n <= MAX_FULL_PRODUCT ? 1 << n : n + 1;
	for (int set = n <= MAX_FULL_PRODUCT ? 3 : 2; status == VRS_OK && set < sets; set++) {
		struct vrs_case *c = &cases[count];
		memset(c, 0, sizeof *c);
		/* Small products: set is a bit mask of helpers. Large ones: the first `set` helpers. */
		for (int i = 0; status == VRS_OK && i < n; i++)
			if (n <= MAX_FULL_PRODUCT ? set >> i & 1 : i < set)
				status = vrs_case_set(c, helpers[i].key, helpers[i].value, err);
		count += status == VRS_OK && c->value_count > 1 && is_sensible(s->space, c);
	}
	struct vrs_result *result = NULL;
	if (status == VRS_OK && count > 1)
		status = run_phase(s, VRS_PHASE_COMBINE, cases, count, s->options->screen_rounds, &result, err);
	vrs_result_destroy(result);
	return status;
}

/* The accepted candidates with the best ratios, each once, without the default. */
static int pick_finalists(const struct search *s, struct vrs_case *ret_cases, int max)
{
	bool used[VRS_SEARCH_MAX_TRIED] = {false};
	int n = 0;
	while (n < max) {
		int best = -1;
		for (int i = 0; i < s->result.tried_count; i++) {
			const struct vrs_tried *t = &s->result.tried[i];
			if (!used[i] && t->accepted && t->settings.value_count && t->ratio > 1 + s->options->screen_gain &&
			    (best < 0 || t->ratio > s->result.tried[best].ratio))
				best = i;
		}
		if (best < 0)
			break;
		used[best] = true;
		bool twin = false;
		for (int i = 0; i < n; i++)
			twin = twin || same_settings(&ret_cases[i], &s->result.tried[best].settings);
		if (!twin)
			ret_cases[n++] = s->result.tried[best].settings;
	}
	return n;
}

static enum vrs_status run_final(struct search *s, struct vrs_error *err)
{
	struct vrs_case cases[1 + VRS_SEARCH_MAX_FINALISTS];
	memset(cases, 0, sizeof cases);
	int max = s->options->finalists < VRS_SEARCH_MAX_FINALISTS ? s->options->finalists : VRS_SEARCH_MAX_FINALISTS;
	int finalists = pick_finalists(s, cases + 1, max);
	struct vrs_result *result = NULL;
	if (finalists == 0) {
		vrs_final_keep_default(&s->result);
		return VRS_OK;
	}
	enum vrs_status status = run_phase(s, VRS_PHASE_FINAL, cases, 1 + finalists, s->options->final_rounds, &result, err);
	s->result.rounds = s->options->final_rounds;
	if (status == VRS_OK)
		status = vrs_final_decide(result, cases, &s->options->objective, &s->result, err);
	vrs_result_destroy(result);
	return status;
}

enum vrs_status vrs_search(const struct vrs_space *space, const struct vrs_search_options *options, vrs_measure_fn measure, void *cookie,
			   struct vrs_search_result *ret_result, struct vrs_error *err)
{
	struct search s = {.space = space, .options = options, .measure = measure, .cookie = cookie};
	if (space->count == 0)
		return vrs_fail(err, VRS_ECONFIG, "nothing to tune: every tunable option is fixed%s%s", space->fixed[0] ? ": " : "", space->fixed);
	s.result.tried = vrs_calloc(VRS_SEARCH_MAX_TRIED, sizeof *s.result.tried);
	if (!s.result.tried)
		return vrs_fail_nomem(err);
	enum vrs_status status = screen(&s, err);
	if (status == VRS_OK)
		status = combine(&s, err);
	if (status == VRS_OK)
		status = run_final(&s, err);
	if (status != VRS_OK)
		vrs_search_result_fini(&s.result);
	else
		*ret_result = s.result;
	return status;
}
