/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/versus_mode.h"

#include "analyzer/summary.h"
#include "bench/judge/noise_gate.h"
#include "reports/report.h"

enum { EXTRA_ROUNDS = 10 }; /* beyond the pairs: rounds that make up for runs which failed or were excluded */

/* The case of side 'A' or 'B'; -1: none. */
static int find_side(const struct vrs_runner *runner, char side)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int i = 0; i < result->case_count; i++)
		if (vrs_case_result_is_side(&result->cases[i], side))
			return i;
	return -1;
}

enum vrs_status vrs_versus_add_sides(struct vrs_runner *runner, int width, int height, int ret_indices[2], struct vrs_error *err)
{
	for (int i = 0; i < 2; i++) {
		struct vrs_case c = {.width = width, .height = height, .side = i == 0 ? 'A' : 'B'};
		ret_indices[i] = find_side(runner, c.side); /* there already when the measurement is resumed */
		snprintf(c.axis, sizeof c.axis, "side %c", c.side);
		enum vrs_status status = ret_indices[i] < 0 ? vrs_runner_add(runner, &c, &ret_indices[i], err) : VRS_OK;
		if (status != VRS_OK)
			return status;
	}
	struct vrs_result *result = vrs_runner_result(runner);
	snprintf(result->default_case, sizeof result->default_case, "%s", result->cases[ret_indices[0]].id);
	return vrs_runner_warn_sizes(runner, err);
}

enum vrs_status vrs_versus_judge(struct vrs_runner *runner, const int indices[2], struct vrs_comparison *headline,
				 struct vrs_compare_details *details, struct vrs_error *err)
{
	struct vrs_result *result = vrs_runner_result(runner);
	char why[256] = "";
	vrs_runner_judge_noise(runner);
	const struct vrs_case_result *a = &result->cases[indices[0]], *b = &result->cases[indices[1]];
	const struct vrs_compare_options options = {.by = (enum vrs_compare_by)vrs_runner_plan(runner)->decide_by,
						    .margin = vrs_runner_plan(runner)->margin, .why = why,
						    .invalid = vrs_compare_hindrance(a, b, why, sizeof why)};
	enum vrs_status status = vrs_compare(result, a, b, &options, headline, details);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "the runs cannot be compared: %s", vrs_status_str(status));
}

enum vrs_status vrs_versus_measure(struct vrs_runner *runner, int width, int height, int max_pairs, struct vrs_comparison *headline,
				   struct vrs_compare_details *details, struct vrs_error *err)
{
	static const int looks[] = {8, 14, 20};
	int indices[2], done = 0;
	enum vrs_status status = vrs_versus_add_sides(runner, width, height, indices, err);
	vrs_comparison_init(headline);
	details->pairs = 0;
	for (size_t i = 0; i < sizeof looks / sizeof *looks && status == VRS_OK; i++) {
		int want = looks[i] < max_pairs ? looks[i] : max_pairs, pairs = details->pairs;
		while (status == VRS_OK && pairs < want && done < max_pairs + EXTRA_ROUNDS) {
			int rounds = want - pairs;
			status = vrs_runner_measure(runner, indices, 2, done + 1, rounds, err);
			done += rounds;
			enum vrs_status judged = vrs_versus_judge(runner, indices, headline, details, status == VRS_OK ? err : NULL);
			status = status == VRS_OK ? judged : status;
			pairs = details->pairs;
			/* More rounds would not help a side that cannot run, nor a machine that is never left alone. */
			if (headline->verdict == VRS_VERDICT_INVALID && (pairs < want || headline->cause == VRS_CAUSE_FAILED))
				return status;
		}
		/* Disturbed, but all pairs are there: further rounds may be quieter, and the share of excluded runs falls. */
		if ((headline->final && headline->verdict != VRS_VERDICT_INVALID) || want == max_pairs)
			break;
	}
	return status;
}

enum vrs_status vrs_versus_report(const struct vrs_runner *runner, const struct vrs_compare_details *details, FILE *out)
{
	struct vrs_findings *findings = vrs_findings_create();
	char unseen[160];
	if (!findings)
		return VRS_ENOMEM;
	(void)vrs_summarize_comparison(vrs_runner_result(runner), findings, NULL); /* findings remember what failed */
	vrs_runner_unobservable(runner, unseen, sizeof unseen);
	if (details->soft) {
		struct vrs_note *n = vrs_findings_add_note(findings, VRS_NOTE_WARNING, "noise", "Noise makes the margin %.1f times as wide.",
							   VRS_GATE_SOFT_MARGIN);
		snprintf(n->evidence, sizeof n->evidence, "%.511s", details->warning);
	}
	if (unseen[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "unobservable", "Noise gates cannot see here: %s.", unseen);
	return vrs_report_show(findings, out, NULL);
}
