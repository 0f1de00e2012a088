/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the list before production: each point is done, failed or missing by what a result measured and by nothing else; short soaks, quick sweeps
 * and interrupted ones are not enough; of several results the newest judgement counts, and a result that says nothing takes none away.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/checklist.h"
#include "unit/analyzer/found.h"
#include "unit/analyzer/made_result.h"

#define TARGETS VRS_SOURCE_DIR "/configs/targets/default.yaml"

static struct vrs_checklist list;

static struct vrs_result *measured(const char *date)
{
	struct vrs_result *r = make_result(8);
	(void)vrs_strcpy(r->finished_utc, sizeof r->finished_utc, date);
	return r;
}

static void judge(const struct vrs_result *r, const char *source)
{
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_checklist_add(&list, r, source, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void add(struct vrs_result *r, const char *source)
{
	judge(r, source);
	vrs_result_destroy(r);
}

static const struct vrs_check_point *point(enum vrs_check check, enum vrs_check_state state, const char *evidence)
{
	const struct vrs_check_point *p = &list.points[check];
	if (p->state != state || !strstr(p->evidence, evidence))
		fail_msg("point %d is %d: %s", check, p->state, p->evidence);
	return p;
}

static void nothing_measured(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	vrs_checklist_init(&list, TARGETS, 86400);
	vrs_checklist_findings(&list, "kept", f);
	assert_string_equal(f->verdict, "0 of 8 points are done, 0 failed, 8 missing.");
	const struct vrs_table *t = found_table(f, "checklist");
	for (int r = 0; r < t->rows; r++)
		assert_string_equal(found_cell(t, r, "status"), "missing");
	assert_int_equal(f->note_count, 8);
	assert_non_null(strstr(f->notes[VRS_CHECK_SOAK].text, "vrbench --soak 24h --output-dir kept/soak VIDEO"));
	assert_non_null(strstr(f->notes[VRS_CHECK_SWEEP].text, "vrbench --all --output-dir kept/sweep VIDEO"));
	assert_string_equal(f->notes[0].evidence, "no result says anything about it");
	assert_non_null(strstr(f->notes[VRS_CHECK_UTILIZATION].text, "vrbench --output-dir kept/")); /* what leaves a result */
	vrs_findings_destroy(f);
}

/* A value that was measured is not missing: the machine was disturbed, and that is what is to be mended. */
static void disturbed_is_told(void **state)
{
	struct vrs_result *r = measured("2026-01-02T00:00:00Z");
	(void)state;
	vrs_checklist_init(&list, TARGETS, 86400);
	for (int i = 0; i < r->case_count; i++)
		vrs_strcpy(r->cases[i].invalid, sizeof r->cases[i].invalid, "other_processes");
	add(r, "kept/sweep");
	point(VRS_CHECK_UTILIZATION, VRS_CHECK_MISSING, "75.0 % on a disturbed machine, which counts for nothing, at least 85 % wanted");
}

static void a_sweep_judges_what_it_measured(void **state)
{
	(void)state;
	vrs_checklist_init(&list, TARGETS, 86400);
	add(measured("2026-01-02T00:00:00Z"), "kept/sweep");
	point(VRS_CHECK_SWEEP, VRS_CHECK_DONE, "6 cases, 0 without a good run");
	point(VRS_CHECK_SPEED, VRS_CHECK_FAILED, "fps.vr: 19.8 FPS, at least 90 FPS wanted");
	point(VRS_CHECK_UTILIZATION, VRS_CHECK_FAILED, "75.0 %, at least 85 %");
	point(VRS_CHECK_REAL_VIDEO, VRS_CHECK_DONE, "clips/person.mp4");
	assert_int_equal(list.points[VRS_CHECK_LATENCY].state, VRS_CHECK_MISSING); /* nothing live */
	assert_int_equal(list.points[VRS_CHECK_THERMAL].state, VRS_CHECK_MISSING); /* no sensor */
	assert_int_equal(list.points[VRS_CHECK_SOAK].state, VRS_CHECK_MISSING);
	assert_int_equal(list.points[VRS_CHECK_CONFIGURATION].state, VRS_CHECK_MISSING);
	assert_int_equal(vrs_checklist_count(&list, VRS_CHECK_DONE), 2);
	assert_int_equal(vrs_checklist_count(&list, VRS_CHECK_FAILED), 2);
}

static void what_is_not_enough(void **state)
{
	(void)state;
	struct vrs_result *r = measured("2026-01-02T00:00:00Z");
	vrs_checklist_init(&list, TARGETS, 86400);
	r->quick = true;
	(void)vrs_strcpy(r->input, sizeof r->input, "synth:3840x1920,sbs");
	r->cases[0].soak_verdict = VRS_OUTCOME_PASS;
	r->cases[0].soak_seconds = 3600;
	add(r, "quick");
	point(VRS_CHECK_SWEEP, VRS_CHECK_MISSING, "quick");
	point(VRS_CHECK_SOAK, VRS_CHECK_MISSING, "passed, but over 60 min only; 24 h are asked for");
	assert_int_equal(list.points[VRS_CHECK_REAL_VIDEO].state, VRS_CHECK_MISSING);
	r = measured("2026-01-03T00:00:00Z");
	r->complete = false;
	add(r, "half");
	point(VRS_CHECK_SWEEP, VRS_CHECK_MISSING, "vrbench --resume half");
	r = measured("2026-01-04T00:00:00Z");
	r->case_count -= 3; /* resolutions alone */
	judge(r, "part");
	r->case_count += 3;
	vrs_result_destroy(r);
	point(VRS_CHECK_SWEEP, VRS_CHECK_MISSING, "1 of resolution, batch and precision");
}

static void soaks_and_heat(void **state)
{
	(void)state;
	struct vrs_result *r = measured("2026-01-02T00:00:00Z");
	vrs_checklist_init(&list, TARGETS, 3600);
	r->cases[0].soak_verdict = VRS_OUTCOME_PASS;
	r->cases[0].soak_seconds = 3600;
	for (int i = 0; i < 8; i++) {
		r->cases[0].runs[i].throttle_events = 0;
		r->cases[0].runs[i].temperature_c = 70;
	}
	add(r, "soak");
	point(VRS_CHECK_SOAK, VRS_CHECK_DONE, "pass over 60 min");
	point(VRS_CHECK_THERMAL, VRS_CHECK_DONE, "70.0 C, at most 80 C wanted");
	point(VRS_CHECK_THERMAL, VRS_CHECK_DONE, "throttled 0 times");
	r = measured("2026-01-03T00:00:00Z");
	r->cases[0].runs[3].throttle_events = 2;
	r->cases[0].soak_verdict = VRS_OUTCOME_FAIL;
	r->cases[0].soak_seconds = 60;
	(void)vrs_strcpy(r->cases[0].soak_note, sizeof r->cases[0].soak_note, "memory grows");
	add(r, "again");
	point(VRS_CHECK_SOAK, VRS_CHECK_FAILED, "memory grows");
	assert_string_equal(point(VRS_CHECK_THERMAL, VRS_CHECK_FAILED, "throttled 2 times")->source, "again");
}

static struct vrs_result *compared(const char *date, enum vrs_verdict verdict)
{
	struct vrs_result *r = measured(date);
	strcpy(r->versus, "default");
	r->comparison_count = 1;
	vrs_comparison_init(&r->comparisons[0]);
	strcpy(r->comparisons[0].metric, "fps");
	r->comparisons[0].verdict = verdict;
	r->comparisons[0].change = r->comparisons[0].low = r->comparisons[0].high = 0.1;
	return r;
}

/* A comparison of too few pairs has no change and no interval. */
static void few_pairs_have_no_figures(void **state)
{
	(void)state;
	vrs_checklist_init(&list, TARGETS, 86400);
	struct vrs_result *r = compared("2026-02-02T00:00:00Z", VRS_VERDICT_INCONCLUSIVE);
	r->comparisons[0].change = r->comparisons[0].low = r->comparisons[0].high = NAN;
	add(r, "short");
	assert_string_equal(point(VRS_CHECK_CONFIGURATION, VRS_CHECK_MISSING, "INCONCLUSIVE")->evidence, "INCONCLUSIVE in fps against default");
}

/* Smaller files do not make settings that are slower as good as the default. */
static void speed_judges_the_configuration(void **state)
{
	(void)state;
	vrs_checklist_init(&list, TARGETS, 86400);
	struct vrs_result *r = compared("2026-02-02T00:00:00Z", VRS_VERDICT_FASTER);
	strcpy(r->comparisons[0].metric, "size");
	r->comparisons[1] = r->comparisons[0];
	r->comparison_count = 2;
	strcpy(r->comparisons[1].metric, "fps");
	r->comparisons[1].verdict = VRS_VERDICT_SLOWER;
	add(r, "small");
	point(VRS_CHECK_CONFIGURATION, VRS_CHECK_FAILED, "SLOWER in fps against default");
	vrs_checklist_init(&list, TARGETS, 86400);
	r = compared("2026-02-02T00:00:00Z", VRS_VERDICT_FASTER);
	strcpy(r->comparisons[0].metric, "size");
	add(r, "size alone");
	assert_int_equal(list.points[VRS_CHECK_CONFIGURATION].state, VRS_CHECK_MISSING);
}

static void the_newest_judgement_counts(void **state)
{
	(void)state;
	vrs_checklist_init(&list, TARGETS, 86400);
	add(compared("2026-02-02T00:00:00Z", VRS_VERDICT_EQUIVALENT), "new");
	add(compared("2026-01-01T00:00:00Z", VRS_VERDICT_SLOWER), "old"); /* read later, measured before */
	assert_string_equal(point(VRS_CHECK_CONFIGURATION, VRS_CHECK_DONE, "against default")->source, "new");
	add(compared("2026-03-03T00:00:00Z", VRS_VERDICT_INCONCLUSIVE), "unclear"); /* takes nothing away */
	assert_string_equal(point(VRS_CHECK_CONFIGURATION, VRS_CHECK_DONE, "against default")->source, "new");
	add(compared("2026-03-04T00:00:00Z", VRS_VERDICT_SLOWER), "slower");
	assert_string_equal(point(VRS_CHECK_CONFIGURATION, VRS_CHECK_FAILED, "SLOWER in fps against default, +10.0 %")->source, "slower");
	vrs_checklist_init(&list, TARGETS, 86400);
	struct vrs_result *r = compared("2026-03-04T00:00:00Z", VRS_VERDICT_SLOWER);
	r->injected_slowdown = 0.2; /* proves the gate, not the settings */
	add(r, "proof");
	assert_string_equal(list.points[VRS_CHECK_CONFIGURATION].evidence, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_measured), cmocka_unit_test(a_sweep_judges_what_it_measured), cmocka_unit_test(what_is_not_enough),
		cmocka_unit_test(soaks_and_heat),   cmocka_unit_test(speed_judges_the_configuration),
		cmocka_unit_test(the_newest_judgement_counts), cmocka_unit_test(few_pairs_have_no_figures), cmocka_unit_test(disturbed_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
