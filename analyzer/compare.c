/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"

static const char *const hindrances[] = {
	[VRS_NO_SHARED_ROUNDS] = "no_shared_rounds", [VRS_OTHER_MACHINE] = "other_machine", [VRS_OTHER_DEVICE] = "other_device",
	[VRS_OTHER_INPUT] = "other_input", [VRS_NO_SHARED_CASE] = "no_shared_case",
};
const struct vrs_names vrs_hindrance_names = VRS_NAMES(hindrances);

/* What all parts of one comparison work with. */
struct work {
	const struct vrs_compare_side *a, *b;
	const struct vrs_compare_options *options;
	struct vrs_findings *findings;
	struct vrs_compare_outcome *outcome;
	int metrics, explain;      /* tables, by number: they move as others are added */
};

/* The table that was added last, as a number. */
static int last_table(const struct vrs_findings *f)
{
	return f->table_count - 1;
}

/* After a failure, which findings remember, a spare one. */
static struct vrs_table *table_at(const struct work *w, int index)
{
	return index >= 0 && w->findings->status == VRS_OK ? &w->findings->tables[index] : &w->findings->spare_table;
}

static int by_id(const void *x, const void *y)
{
	return strcmp((*(const struct vrs_case_result *const *)x)->id, (*(const struct vrs_case_result *const *)y)->id);
}

/* The cases of a result in order of their ids; NULL: out of memory. */
static const struct vrs_case_result **sorted_cases(const struct vrs_result *result)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers, as below */
	const struct vrs_case_result **cases = vrs_calloc((size_t)result->case_count + 1, sizeof *cases);
	for (int i = 0; cases && i < result->case_count; i++)
		cases[i] = &result->cases[i];
	if (cases)
		qsort(cases, (size_t)result->case_count, sizeof *cases, by_id); /* NOLINT(bugprone-sizeof-expression) */
	return cases;
}

static const struct vrs_case_result *find_sorted(const struct vrs_case_result *const *cases, int count, const struct vrs_case_result *c)
{
	const void *found = bsearch(&c, cases, (size_t)count, sizeof *cases, by_id);
	return found ? *(const struct vrs_case_result *const *)found : NULL;
}

/* Both measurements as text, so that order of keys and blanks do not matter. */
static enum vrs_status same_content(const struct vrs_result *a, const struct vrs_result *b, bool *ret_same)
{
	char *texts[2] = {NULL, NULL};
	size_t sizes[2] = {0, 0};
	*ret_same = false;
	if (a->case_count != b->case_count || strcmp(a->started_utc, b->started_utc) != 0 || strcmp(a->tool_version, b->tool_version) != 0)
		return VRS_OK;
	enum vrs_status status = vrs_result_print(a, &texts[0], &sizes[0]);
	if (status == VRS_OK)
		status = vrs_result_print(b, &texts[1], &sizes[1]);
	*ret_same = status == VRS_OK && sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0;
	free(texts[0]); /* libc: of open_memstream */
	free(texts[1]); /* libc: likewise */
	return status;
}

static bool same_input(const struct vrs_result *a, const struct vrs_result *b)
{
	if (a->input_hash && b->input_hash)
		return a->input_hash == b->input_hash;
	return strcmp(vrs_path_base(a->input), vrs_path_base(b->input)) == 0;
}

/* What keeps the two apart, with a warning for each; the first that holds. */
static enum vrs_hindrance check_around(const struct work *w)
{
	const struct vrs_result *a = w->a->result, *b = w->b->result;
	enum vrs_hindrance hindrance = VRS_NO_SHARED_ROUNDS;
	if (a->fingerprint != b->fingerprint) {
		hindrance = VRS_OTHER_MACHINE;
		vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "other-machine", "%c and %c come from machines that differ in what decides speed, or from "
				      "one whose hardware or kernel changed. Their times cannot be compared.", w->a->letter, w->b->letter);
	}
	if (!same_input(a, b)) {
		hindrance = hindrance == VRS_NO_SHARED_ROUNDS ? VRS_OTHER_INPUT : hindrance;
		vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "other-input", "%c and %c were measured on different inputs.", w->a->letter, w->b->letter);
	}
	return hindrance;
}

/* The more, the worse: which case speaks for all. */
static int severity(const struct vrs_comparison *c)
{
	switch (c->verdict) {
	case VRS_VERDICT_SLOWER: return c->gate ? 5 : 2;
	case VRS_VERDICT_INVALID: return 4;
	case VRS_VERDICT_INCONCLUSIVE: return 3;
	case VRS_VERDICT_FASTER: return 1;
	default: return 0;
	}
}

/* Of the same verdict the one that costs more; where none was found, the one that differs more, in either direction. */
static bool says_more(const struct vrs_comparison *c, const struct vrs_comparison *than)
{
	if (c->verdict == VRS_VERDICT_INCONCLUSIVE && isfinite(than->change))
		return fabs(log1p(c->change)) > fabs(log1p(than->change));
	return c->change > than->change;
}

/* Keep the verdict of a case that is worse than those before. */
static void take_headline(struct vrs_compare_outcome *o, const struct vrs_case_result *a, const struct vrs_comparison *headline, int invocations)
{
	int more = severity(headline) - severity(&o->headline);
	if (o->decides && (more < 0 || (more == 0 && !says_more(headline, &o->headline))))
		return;
	o->decides = a;
	o->headline = *headline;
	o->invocations = invocations;
}

/* A case that both have measured. */
struct judged {
	const struct vrs_case_result *a, *b;
	struct vrs_between steps;
	struct vrs_comparison headline;
	char class_name[128];      /* of the noise */
};

static enum vrs_status judge_case(const struct work *w, struct judged *j)
{
	struct vrs_noise_record record;
	struct vrs_error why = {.status = VRS_OK};
	vrs_noise_record_class(j->b, j->class_name, sizeof j->class_name);
	bool stored = vrs_noise_record_load(w->b->result->fingerprint, j->class_name, w->options->now, &record, &why) == VRS_OK;
	return vrs_between_judge(stored ? &record : NULL, why.text, w->options->now, j->a, j->b, &j->headline, &j->steps);
}

/* The worst case speaks for all: without Holm's correction, the more cases there are, the more likely one is slower by chance. */
static enum vrs_status judge_family(struct judged *cases, int count)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
	struct vrs_comparison **family = vrs_calloc((size_t)count + 1, sizeof *family);
	int members = 0;
	for (int i = 0; family && i < count; i++)
		if (isfinite(cases[i].headline.p)) /* others have no verdict that could be wrong */
			family[members++] = &cases[i].headline;
	enum vrs_status status = family ? vrs_verdict_family(family, members) : VRS_ENOMEM;
	vrs_free(family);
	return status;
}

static void report_case(const struct work *w, const struct judged *j)
{
	take_headline(w->outcome, j->a, &j->headline, j->steps.invocations);
	vrs_compare_metrics_add(table_at(w, w->metrics), j->a, j->b, &j->headline, w->outcome);
	if (w->options->explain)
		vrs_compare_explain_case(table_at(w, w->explain), j->a, j->b, &j->headline, &j->steps, j->class_name);
}

/* A case that ran in A and does not in B is no figure that is missing, but the worst that B can do. */
static void fail_case(const struct work *w, const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	struct vrs_comparison headline;
	vrs_comparison_init(&headline);
	vrs_strcpy(headline.metric, sizeof headline.metric, vrs_headline_name(a->live_hz > 0 ? VRS_HEADLINE_LATENCY : VRS_HEADLINE_FPS));
	headline.verdict = VRS_VERDICT_INVALID;
	headline.cause = VRS_CAUSE_FAILED;
	snprintf(headline.reason, sizeof headline.reason, "%.180s",
		 vrs_case_result_is_skipped(b) ? b->skipped : b->runs[b->run_count - 1].reason);
	if (w->outcome->failed++ == 0)
		vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "failed-cases", "%s ran in %c and did not in %c: %s", a->id, w->a->letter, w->b->letter,
				      headline.reason);
	take_headline(w->outcome, a, &headline, 0);
	w->outcome->shared++;
}

static void say_unshared(const struct work *w, int only_a, int only_b)
{
	if (only_a || only_b)
		vrs_findings_add_note(w->findings, VRS_NOTE_INFO, "unshared", "%d case%s only in %c, %d only in %c: only cases with the same id are compared.",
				      only_a, only_a == 1 ? " is" : "s are", w->a->letter, only_b, w->b->letter);
}

/* A case that ran on different devices, or drivers, keeps the results apart as another machine does: one warning, with the first such case. */
static void check_devices(const struct work *w, const struct vrs_case_result *const *sorted)
{
	const struct vrs_result *a = w->a->result, *b = w->b->result;
	for (int i = 0; i < a->case_count; i++) {
		const struct vrs_case_result *x = &a->cases[i], *y = find_sorted(sorted, b->case_count, x);
		if (!y || vrs_case_result_same_device(x, y))
			continue;
		if (w->outcome->hindrance != VRS_OTHER_MACHINE)
			w->outcome->hindrance = VRS_OTHER_DEVICE;
		struct vrs_note *n = vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "other-device", "%c and %c ran on different devices or drivers. Their "
							   "times cannot be compared.", w->a->letter, w->b->letter);
		snprintf(n->evidence, sizeof n->evidence, "%.100s: %.100s (driver %.50s), %.100s (driver %.50s)", x->id, x->device, x->driver, y->device,
			 y->driver);
		return;
	}
}

/* The cases of A that B has measured too, in the order of A; returns how many. Those that failed in B are told at once. */
static int find_shared(const struct work *w, const struct vrs_case_result *const *sorted, struct judged *ret)
{
	const struct vrs_result *a = w->a->result, *b = w->b->result;
	int found = 0, count = 0;
	for (int i = 0; i < a->case_count; i++) {
		const struct vrs_case_result *x = &a->cases[i], *y = find_sorted(sorted, b->case_count, x);
		found += y != NULL;
		if (!y || vrs_case_result_ok_runs(x) == 0)
			continue;
		if (vrs_case_result_ok_runs(y) > 0)
			ret[count++] = (struct judged){.a = x, .b = y};
		else if (vrs_case_result_is_skipped(y) || y->run_count > 0) /* else it was not its turn yet */
			fail_case(w, x, y);
	}
	w->outcome->shared += count;
	say_unshared(w, a->case_count - found, b->case_count - found);
	return count;
}

/* Judge the cases that both have measured, as one family. */
static enum vrs_status add_cases(const struct work *w)
{
	const struct vrs_case_result **sorted = sorted_cases(w->b->result);
	struct judged *cases = vrs_calloc((size_t)w->a->result->case_count + 1, sizeof *cases);
	enum vrs_status status = sorted && cases ? VRS_OK : VRS_ENOMEM;
	int count = 0;
	if (status == VRS_OK) {
		check_devices(w, sorted);
		count = find_shared(w, sorted, cases);
	}
	for (int i = 0; i < count && status == VRS_OK; i++)
		status = judge_case(w, &cases[i]);
	if (status == VRS_OK)
		status = judge_family(cases, count);
	for (int i = 0; i < count && status == VRS_OK; i++)
		report_case(w, &cases[i]);
	vrs_free(sorted);
	vrs_free(cases);
	return status;
}

static int exit_code_of(const struct vrs_compare_outcome *o)
{
	if (o->same)
		return VRS_EXIT_OK;
	if (o->hindrance != VRS_NO_SHARED_ROUNDS)
		return VRS_EXIT_INCOMPARABLE;
	int code = vrs_verdict_exit_code(&o->headline);
	return o->worse > 0 ? VRS_EXIT_REGRESSION : code;
}

static void add_notes(const struct work *w)
{
	struct vrs_compare_outcome *o = w->outcome;
	if (o->worse > 0)
		vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "worse-mattes", "The mattes of %c are worse in %d figure%s with exact truth, which "
				 "is the same in every run.", w->b->letter, o->worse, o->worse == 1 ? "" : "s");
	if (o->hindrance == VRS_NO_SHARED_ROUNDS && o->headline.verdict == VRS_VERDICT_INCONCLUSIVE) {
		vrs_compare_command(w->a, w->b, o->decides, o->command, sizeof o->command);
		struct vrs_note *n = vrs_findings_add_note(w->findings, VRS_NOTE_RECOMMENDATION, "settle",
							   "Measure both sides in the same rounds, which gives a verdict:");
		snprintf(n->evidence, sizeof n->evidence, "%s", o->headline.reason);
		(void)vrs_strcpy(n->yaml, sizeof n->yaml, o->command);
	}
}

static enum vrs_status compare_different(const struct work *w)
{
	struct vrs_compare_outcome *o = w->outcome;
	o->hindrance = check_around(w);
	enum vrs_status status = add_cases(w);
	if (o->shared == 0) {
		o->hindrance = o->hindrance == VRS_NO_SHARED_ROUNDS ? VRS_NO_SHARED_CASE : o->hindrance;
		vrs_findings_add_note(w->findings, VRS_NOTE_WARNING, "no-shared-case", "%c and %c have no measured case in common.", w->a->letter, w->b->letter);
	}
	o->exit_code = exit_code_of(o);
	if (status == VRS_OK)
		add_notes(w);
	return status;
}

enum vrs_status vrs_compare_results(const struct vrs_compare_side *a, const struct vrs_compare_side *b, const struct vrs_compare_options *options,
				    struct vrs_findings *findings, struct vrs_compare_outcome *ret_outcome, struct vrs_error *err)
{
	struct vrs_compare_outcome *o = ret_outcome;
	*o = (struct vrs_compare_outcome){.hindrance = VRS_NO_SHARED_ROUNDS};
	vrs_comparison_init(&o->headline);
	struct work w = {.a = a, .b = b, .options = options, .findings = findings, .outcome = o, .metrics = -1, .explain = -1};
	enum vrs_status status = same_content(a->result, b->result, &o->same);
	if (status == VRS_OK && !o->same) {
		vrs_compare_metrics_start(a, b, findings);
		w.metrics = last_table(findings);
	}
	if (status == VRS_OK && options->explain) {
		vrs_compare_explain_start(a, b, findings);
		w.explain = last_table(findings);
	}
	if (status == VRS_OK && !o->same)
		status = compare_different(&w);
	if (status == VRS_OK && options->explain)
		vrs_compare_explain_outcome(table_at(&w, w.explain), o);
	if (status == VRS_OK && !o->same)
		status = vrs_compare_environment(a, b, findings);
	return status != VRS_OK ? vrs_fail(err, status, "cannot compare: %s", vrs_status_str(status)) : VRS_OK;
}
