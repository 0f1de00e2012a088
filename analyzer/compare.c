/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "base/file.h"

static const char *const hindrances[] = {
	[VRS_NO_SHARED_ROUNDS] = "no_shared_rounds", [VRS_OTHER_MACHINE] = "other_machine", [VRS_OTHER_INPUT] = "other_input",
	[VRS_NO_SHARED_CASE] = "no_shared_case",
};
const struct vrs_names vrs_hindrance_names = VRS_NAMES(hindrances);

static void compare_row(struct vrs_table *t, const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	char text[96];
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", a->id);
	vrs_table_set(t, 1, "%s", vrs_estimate_text(&a->fps, 1, text, sizeof text));
	vrs_table_set(t, 2, "%s", vrs_estimate_text(&b->fps, 1, text, sizeof text));
	vrs_table_set(t, 3, "%+.1f %%", 100 * (b->fps.median / a->fps.median - 1));
	double cpu_a = a->cpu_ms_per_frame.n ? a->cpu_ms_per_frame.median : NAN, cpu_b = b->cpu_ms_per_frame.n ? b->cpu_ms_per_frame.median : NAN;
	vrs_table_set_number(t, 4, "%+.1f %%", cpu_a > 0 ? 100 * (cpu_b / cpu_a - 1) : NAN);
	double rss_a = a->peak_rss.n ? a->peak_rss.median : NAN, rss_b = b->peak_rss.n ? b->peak_rss.median : NAN;
	vrs_table_set_number(t, 5, "%+.1f %%", rss_a > 0 ? 100 * (rss_b / rss_a - 1) : NAN);
	double iou_a = vrs_case_result_median(a, offsetof(struct vrs_run, iou)), iou_b = vrs_case_result_median(b, offsetof(struct vrs_run, iou));
	vrs_table_set_number(t, 6, "%+.4f", iou_b - iou_a);
}

/* What keeps the two apart, with a warning for each; the first that holds. */
static enum vrs_hindrance check_environment(const struct vrs_result *a, const struct vrs_result *b, struct vrs_findings *f)
{
	enum vrs_hindrance hindrance = VRS_NO_SHARED_ROUNDS;
	if (a->fingerprint != b->fingerprint) {
		hindrance = VRS_OTHER_MACHINE;
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "other-machine", "The two results come from machines that differ in what decides speed, or from one "
				      "whose hardware or kernel changed. Their times cannot be compared.");
	}
	if (strcmp(vrs_path_base(a->input), vrs_path_base(b->input)) != 0) {
		hindrance = hindrance == VRS_NO_SHARED_ROUNDS ? VRS_OTHER_INPUT : hindrance;
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "other-input", "The two results were measured on different inputs.");
	}
	if (strcmp(a->tool_version, b->tool_version) != 0)
		vrs_findings_add_note(f, VRS_NOTE_INFO, "other-version", "A was measured by %s, B by %s.", a->tool_version, b->tool_version);
	return hindrance;
}

/* The cases that both have measured; returns their number. */
static int add_cases(const struct vrs_result *a, const struct vrs_result *b, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "A FPS", "B FPS", "B against A", "CPU per frame", "peak memory", "IoU"};
	struct vrs_table *t = vrs_findings_start_table(findings, "compare", "Cases that both have", heads, sizeof heads / sizeof *heads, 1);
	int shared = 0;
	snprintf(t->caption, sizeof t->caption, "Medians with their intervals; differences are B minus A.");
	for (int i = 0; i < a->case_count; i++) {
		const struct vrs_case_result *x = &a->cases[i], *y = vrs_result_find_case(b, x->id);
		if (!y || vrs_case_result_ok_runs(x) == 0 || vrs_case_result_ok_runs(y) == 0)
			continue;
		compare_row(t, x, y);
		shared++;
	}
	return shared;
}

/* What both have of truth, case by case. */
static void add_quality(const struct vrs_result *a, const struct vrs_result *b, struct vrs_findings *findings)
{
	struct vrs_table *t = NULL;
	int worse = 0;
	for (int i = 0; i < a->case_count; i++) {
		const struct vrs_case_result *x = &a->cases[i], *y = vrs_result_find_case(b, x->id);
		size_t iou = vrs_run_quality_offset(VRS_FIGURE_IOU);
		if (!y || !isfinite(vrs_case_result_median(x, iou)) || !isfinite(vrs_case_result_median(y, iou)))
			continue;
		t = t ? t : vrs_quality_change_start(findings);
		worse += vrs_quality_change_add(t, x->id, x, y) > 0;
	}
	if (worse > 0)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "worse-mattes", "The mattes of B are worse in %d case%s that both have.", worse,
				      worse == 1 ? "" : "s");
}

enum vrs_status vrs_compare_results(const struct vrs_result *a, const char *a_name, const struct vrs_result *b, const char *b_name,
				    struct vrs_findings *findings, enum vrs_hindrance *ret_hindrance, struct vrs_error *err)
{
	snprintf(findings->title, sizeof findings->title, "A against B");
	snprintf(findings->subtitle, sizeof findings->subtitle, "A: %s (%s). B: %s (%s).", a_name, a->started_utc, b_name, b->started_utc);
	int shared = add_cases(a, b, findings);
	add_quality(a, b, findings);
	*ret_hindrance = check_environment(a, b, findings);
	if (shared == 0) {
		*ret_hindrance = *ret_hindrance == VRS_NO_SHARED_ROUNDS ? VRS_NO_SHARED_CASE : *ret_hindrance;
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "no-shared-case", "The two results have no measured case in common.");
	}
	snprintf(findings->verdict, sizeof findings->verdict, "%s", *ret_hindrance == VRS_NO_SHARED_ROUNDS
		 ? "INCONCLUSIVE: runs of two invocations share no rounds, so drift of the machine cannot be told from a change. Measure both configurations as "
		   "cases of one sweep for a verdict."
		 : "INCOMPARABLE: the two results do not measure the same; see the warnings.");
	enum vrs_status status = vrs_findings_finish(findings);
	return status != VRS_OK ? vrs_fail(err, status, "cannot compare: %s", vrs_status_str(status)) : VRS_OK;
}
