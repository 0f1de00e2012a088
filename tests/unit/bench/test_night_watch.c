/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: from results to the verdict of a night: sides of cases find each other, mattes are judged by their margins, a slower build waits for a
 * second invocation; and the history as series: one alert for a range of builds, whatever the number of series, silent where it is known or accepted;
 * nights of another machine and nights that were slowed on purpose count for nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/judge/night_figures.h"
#include "bench/judge/night_settle.h"
#include "bench/plan/case.h"

#define DAY 86400
enum { SERIES = 4 };

/* A result with both sides of one case: the rates of B are A's over `slower`, its IoU A's minus `loss`. */
static struct vrs_result *make_result(double slower, double loss, int rounds)
{
	static const char *const ids[] = {"r=64x64/b=1/p=fp32/t=1/side=A/scope=net_only", "r=64x64/b=1/p=fp32/t=1/side=B/scope=net_only"};
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int side = 0; side < 2; side++) {
		struct vrs_case_result *c = vrs_result_add_case(result);
		assert_non_null(c);
		vrs_case_result_init(c);
		vrs_strcpy(c->id, sizeof c->id, ids[side]);
		for (int i = 0; i < rounds; i++) {
			struct vrs_run *run = vrs_case_result_add_run(c);
			assert_non_null(run);
			vrs_run_init(run);
			run->status = VRS_RUN_OK;
			run->round = i + 1;
			run->fps = 100 * (1 + 0.002 * (i % 3 - side * (i % 2))) / (side ? slower : 1);
			run->iou = i == 0 ? 0.95 - (side ? loss : 0) : NAN;
			run->quality_frames = i == 0 ? 24 : 0;
		}
	}
	return result;
}

static void take_result(struct vrs_night_record *night, struct vrs_arena *arena, struct vrs_result *result)
{
	const struct vrs_night_input input = {.name = "clip.mp4", .hash = 3};
	struct vrs_error err = {.status = VRS_OK};
	vrs_night_record_init(night);
	vrs_strcpy(night->baseline_sha256, sizeof night->baseline_sha256, "x");
	assert_int_equal(vrs_night_figures_take(night, arena, result, &input, 0, &err), VRS_OK);
	vrs_result_destroy(result);
}

static void take(struct vrs_night_record *night, struct vrs_arena *arena, double slower, double loss, int rounds)
{
	take_result(night, arena, make_result(slower, loss, rounds));
}

static void gate(void **state)
{
	struct vrs_arena arena = {0};
	struct vrs_night_record night, second;
	bool confirm, wanted[4];
	(void)state;
	take(&night, &arena, 1, 0, 14);
	assert_int_equal(night.case_count, 1);
	assert_string_equal(night.cases[0].id, "r=64x64/b=1/p=fp32/t=1/scope=net_only");
	assert_int_equal(vrs_night_figures_find(&night.cases[0], "fps")->pairs, 14);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, wanted, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_PASSED);
	assert_false(confirm);
	take(&night, &arena, 1.05, 0, 14);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, wanted, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_INCONCLUSIVE);
	assert_true(confirm && wanted[0]);
	take(&second, &arena, 1, 0, 14); /* it was the machine */
	assert_int_equal(vrs_night_settle_gate(&night, &second, &confirm, NULL, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_PASSED);
	assert_true(vrs_night_record_count(&night, VRS_VERDICT_SLOWER) > 0); /* as the first invocation saw it */
	take(&night, &arena, 1.05, 0, 14);
	take(&second, &arena, 1.05, 0, 14);
	assert_int_equal(vrs_night_settle_gate(&night, &second, &confirm, NULL, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_REGRESSION);
	assert_false(confirm);
	take(&night, &arena, 1, 0.01, 14);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, wanted, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_REGRESSION);
	take(&night, &arena, 1, 0.001, 14);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, wanted, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_PASSED);
	vrs_arena_free(&arena);
}

/* IoU of other frames says nothing: no regression, and no pass. */
static void other_frames(void **state)
{
	struct vrs_arena arena = {0};
	struct vrs_night_record night;
	bool confirm;
	(void)state;
	struct vrs_result *result = make_result(1, 0.01, 14);
	result->cases[1].runs[0].quality_frames = 20;
	take_result(&night, &arena, result);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, NULL, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_INCONCLUSIVE);
	assert_non_null(strstr(vrs_night_figures_find(&night.cases[0], "iou")->reason, "24 mattes of A and 20 of B"));
	vrs_arena_free(&arena);
}

/* A build whose mattes could not be compared, while the baseline's were, passes no gate. */
static void lost_mattes(void **state)
{
	struct vrs_arena arena = {0};
	struct vrs_night_record night;
	bool confirm;
	(void)state;
	struct vrs_result *result = make_result(1, 0, 14);
	for (int r = 0; r < result->cases[1].run_count; r++) {
		result->cases[1].runs[r].iou = NAN;
		result->cases[1].runs[r].quality_frames = 0;
	}
	take_result(&night, &arena, result);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, NULL, NULL), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_INCONCLUSIVE);
	assert_false(confirm);
	assert_true(isnan(vrs_night_figures_find(&night.cases[0], "iou")->b));
	assert_string_equal(night.gate_reason, "its mattes cannot be compared: iou of r=64x64/b=1/p=fp32/t=1/scope=net_only");
	vrs_arena_free(&arena);
}

/* Two videos with one name: each is confirmed by its own figures. */
static void same_names(void **state)
{
	static const double slower[2][2] = {{1, 1.05}, {1.05, 1}}; /* of the second invocation, first and second video */
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_arena arena = {0};
		struct vrs_night_record night, second;
		struct vrs_error err = {.status = VRS_OK};
		bool confirm;
		vrs_night_record_init(&night);
		vrs_night_record_init(&second);
		vrs_strcpy(night.baseline_sha256, sizeof night.baseline_sha256, "x");
		vrs_strcpy(second.baseline_sha256, sizeof second.baseline_sha256, "x");
		for (int video = 0; video < 2; video++) {
			const struct vrs_night_input input = {.name = "clip.mp4", .hash = 3 + (uint64_t)video};
			struct vrs_result *first = make_result(video ? 1.05 : 1, 0, 14), *again = make_result(slower[i][video], 0, 14);
			assert_int_equal(vrs_night_figures_take(&night, &arena, first, &input, 0, &err), VRS_OK);
			assert_int_equal(vrs_night_figures_take(&second, &arena, again, &input, 0, &err), VRS_OK);
			vrs_result_destroy(first);
			vrs_result_destroy(again);
		}
		assert_int_equal(vrs_night_settle_gate(&night, &second, &confirm, NULL, NULL), VRS_OK);
		assert_int_equal(night.gate, i == 0 ? VRS_NIGHT_REGRESSION : VRS_NIGHT_PASSED);
		vrs_arena_free(&arena);
	}
}

static void figures(void **state)
{
	double low, high;
	struct vrs_arena arena = {0};
	struct vrs_night_record night;
	const struct vrs_night_input input = {.name = "clip.mp4"};
	struct vrs_error err = {.status = VRS_OK};
	(void)state;
	assert_true(vrs_night_metric_rises("fps") && vrs_night_metric_rises("iou") && vrs_night_metric_rises("agreement"));
	assert_false(vrs_night_metric_rises("cpu") || vrs_night_metric_rises("box_mad") || vrs_night_metric_rises("no such"));
	assert_true(vrs_night_metric_is_quality("iou") && !vrs_night_metric_is_quality("fps"));
	struct vrs_comparison m = {.metric = "fps", .change = 0.25, .low = 0, .high = 1, .pairs = 8};
	assert_float_equal(vrs_night_metric_ratio(&m, &low, &high), 0.8, 1e-12);
	assert_true(fabs(low - 0.5) < 1e-12 && fabs(high - 1) < 1e-12);
	/* Side B without its A. */
	struct vrs_result *result = make_result(1, 0, 8);
	vrs_strcpy(result->cases[0].id, sizeof result->cases[0].id, "r=64x64/b=1/p=fp32/t=1");
	vrs_night_record_init(&night);
	assert_int_equal(vrs_night_figures_take(&night, &arena, result, &input, 0, &err), VRS_EFORMAT);
	/* Without sides: figures alone. */
	vrs_strcpy(result->cases[1].id, sizeof result->cases[1].id, "r=64x64/b=1/p=fp32/t=2");
	vrs_night_record_init(&night);
	assert_int_equal(vrs_night_figures_take(&night, &arena, result, &input, 0, &err), VRS_OK);
	assert_int_equal(night.case_count, 2);
	assert_int_equal(vrs_night_figures_find(&night.cases[1], "fps")->pairs, 0);
	bool confirm;
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, NULL, &err), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_RECORDED);
	/* A side that never ran: the night is invalid, and the case says why. */
	vrs_result_destroy(result);
	result = make_result(1, 0, 8);
	for (int i = 0; i < 8; i++) {
		result->cases[0].runs[i].status = VRS_RUN_CRASH;
		vrs_strcpy(result->cases[0].runs[i].reason, sizeof result->cases[0].runs[i].reason, "signal 11");
	}
	vrs_night_record_init(&night);
	vrs_strcpy(night.baseline_sha256, sizeof night.baseline_sha256, "x");
	assert_int_equal(vrs_night_figures_take(&night, &arena, result, &input, 0, &err), VRS_OK);
	assert_int_equal(vrs_night_settle_gate(&night, NULL, &confirm, NULL, &err), VRS_OK);
	assert_int_equal(night.gate, VRS_NIGHT_INVALID);
	assert_string_equal(night.cases[0].note, "side A: signal 11");
	vrs_result_destroy(result);
	vrs_arena_free(&arena);
}

/* Nights with SERIES cases, whose cost is `cost(n, series)`. */
static void make_history(struct vrs_night_history *history, int nights, double (*cost)(int night, int series))
{
	*history = (struct vrs_night_history){.folder = "h"};
	history->nights = vrs_arena_calloc(&history->arena, (size_t)nights, sizeof *history->nights);
	assert_non_null(history->nights);
	history->night_count = nights;
	for (int n = 0; n < nights; n++) {
		struct vrs_night_record *night = &history->nights[n];
		vrs_night_record_init(night);
		night->number = n + 1;
		night->time = (int64_t)n * DAY;
		night->fingerprint = 5;
		night->gate = night->outcome = VRS_NIGHT_PASSED;
		snprintf(night->commit, sizeof night->commit, "c%d", n + 1);
		night->cases = vrs_night_record_make_cases(&history->arena, SERIES);
		night->case_count = SERIES;
		for (int s = 0; s < SERIES; s++) {
			vrs_strcpy(night->cases[s].input, sizeof night->cases[s].input, "clip.mp4");
			snprintf(night->cases[s].id, sizeof night->cases[s].id, "case %d", s);
			struct vrs_comparison *m = night->cases[s].metrics = vrs_night_record_make_metrics(&history->arena, 1);
			night->cases[s].metric_count = 1;
			vrs_strcpy(m->metric, sizeof m->metric, "fps");
			m->change = cost(n + 1, s) + 0.001 * ((n * 7 + s) % 5 - 2);
			m->pairs = 10;
			m->verdict = VRS_VERDICT_EQUIVALENT;
		}
	}
}

static double steady(int night, int series)
{
	return 0 * night * series;
}

static double step(int night, int series)
{
	return night > 40 && series < 2 ? 0.05 : night > 40 && series == 2 ? -0.05 : 0;
}

static void alerts(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	struct vrs_decision decision;
	(void)state;
	make_history(&history, 60, steady);
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.series_count, SERIES);
	assert_int_equal(watch.series[0].count, 60);
	assert_int_equal(watch.alert_count, 0);
	vrs_night_watch_fini(&watch);
	vrs_arena_free(&history.arena);

	make_history(&history, 60, step);
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.alert_count, 1); /* three series, one range of builds */
	const struct vrs_night_alert *a = vrs_night_watch_alarm(&watch);
	assert_non_null(a);
	assert_ptr_equal(a, vrs_night_watch_open(&watch));
	assert_int_equal(a->kind, VRS_NIGHT_ALERT_STEP);
	assert_int_equal(a->worse, 2);
	assert_int_equal(a->better, 1);
	assert_string_equal(watch.records[a->good]->commit, "c40");
	assert_string_equal(watch.records[a->bad]->commit, "c41");
	vrs_night_settle(&history.nights[59], &history, &watch);
	assert_int_equal(history.nights[59].outcome, VRS_NIGHT_REGRESSION);
	assert_non_null(strstr(history.nights[59].reason, "since night 41, in 2 series"));
	vrs_night_watch_fini(&watch);

	/* Somebody knows why: it is shown, and no alarm. */
	vrs_decision_init(&decision);
	decision.kind = VRS_DECISION_NOTE;
	decision.night = 41;
	vrs_strcpy(decision.reason, sizeof decision.reason, "new kernel");
	history.decisions = &decision;
	history.decision_count = 1;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.alert_count, 1);
	assert_ptr_equal(watch.alerts[0].note, &decision);
	assert_null(vrs_night_watch_alarm(&watch));
	assert_null(vrs_night_watch_open(&watch));
	vrs_night_settle(&history.nights[59], &history, &watch);
	assert_int_equal(history.nights[59].outcome, VRS_NIGHT_PASSED);
	vrs_night_watch_fini(&watch);

	/* The build of a later night is accepted, and the one before the change is not. */
	decision.kind = VRS_DECISION_ACCEPT;
	decision.night = 50;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_null(vrs_night_watch_alarm(&watch));
	vrs_night_watch_fini(&watch);
	decision.night = 40;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_non_null(vrs_night_watch_alarm(&watch));
	vrs_night_watch_fini(&watch);
	vrs_arena_free(&history.arena);
}

/* The last decision is in force: a build that was accepted by mistake silences nothing once an older one is the baseline again. */
static void an_acceptance_taken_back(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	struct vrs_decision decisions[3];
	static const int nights[] = {1, 60, 40};
	(void)state;
	make_history(&history, 60, step);
	history.decisions = decisions;
	for (int i = 0; i < 3; i++) {
		vrs_decision_init(&decisions[i]);
		decisions[i].kind = VRS_DECISION_ACCEPT;
		decisions[i].night = nights[i];
		history.decision_count = i + 1;
		assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
		assert_true((vrs_night_watch_alarm(&watch) != NULL) == (nights[i] != 60));
		assert_true((vrs_night_watch_open(&watch) != NULL) == (nights[i] != 60));
		vrs_night_watch_fini(&watch);
	}
	vrs_arena_free(&history.arena);
}

static double drift(int night, int series)
{
	return series == 0 ? 0.0003 * night : 0; /* half of it all is less than the margin: no step */
}

/* The night that has just been measured, or a result without a number, fails by drift though a baseline was accepted long ago. */
static void drift_of_a_new_night(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	struct vrs_decision decision;
	(void)state;
	make_history(&history, 120, drift);
	vrs_decision_init(&decision);
	decision.kind = VRS_DECISION_ACCEPT;
	decision.night = 1;
	history.decisions = &decision;
	history.decision_count = 1;
	struct vrs_night_record *night = &history.nights[--history.night_count];
	night->number = vrs_night_history_next_number(&history);
	assert_int_equal(night->number, 120);
	for (int is_result = 0; is_result < 2; is_result++) {
		night->number = is_result ? 0 : night->number;
		night->outcome = VRS_NIGHT_PASSED;
		assert_int_equal(vrs_night_watch_judge(&watch, &history, night, NULL), VRS_OK);
		const struct vrs_night_alert *a = vrs_night_watch_alarm(&watch);
		assert_non_null(a);
		assert_int_equal(a->kind, VRS_NIGHT_ALERT_DRIFT);
		assert_int_equal(a->bad, 119);
		vrs_night_settle(night, &history, &watch);
		assert_int_equal(night->outcome, VRS_NIGHT_REGRESSION);
		assert_non_null(strstr(night->reason, is_result ? "since this result" : "since night 120"));
		vrs_night_watch_fini(&watch);
	}
	vrs_arena_free(&history.arena);
}

/* The margin of mattes is a difference of their figures, not a share of them: box_mad may rise from 0.01 by 0.0005. */
static void matte_margins(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	(void)state;
	for (int worse = 0; worse < 2; worse++) {
		make_history(&history, 60, steady);
		for (int n = 0; n < 60; n++)
			for (int s = 0; s < SERIES; s++) {
				struct vrs_comparison *m = &history.nights[n].cases[s].metrics[0];
				vrs_strcpy(m->metric, sizeof m->metric, "box_mad");
				vrs_night_quality_judge(m, 0.01, n < 50 ? 0.01 : worse ? 0.0106 : 0.0104);
			}
		assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
		assert_true((vrs_night_watch_alarm(&watch) != NULL) == (worse == 1));
		vrs_night_watch_fini(&watch);
		vrs_arena_free(&history.arena);
	}
}

static void other_nights(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	(void)state;
	make_history(&history, 60, step);
	for (int i = 40; i < 60; i++) /* slowed on purpose, every one of them */
		history.nights[i].injected_slowdown = 0.05;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.record_count, 40);
	assert_int_equal(watch.alert_count, 0);
	vrs_night_watch_fini(&watch);
	for (int i = 0; i < 60; i++) {
		history.nights[i].injected_slowdown = NAN;
		history.nights[i].fingerprint = i < 40 ? 4 : 5; /* another machine since */
	}
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.record_count, 20);
	assert_int_equal(watch.alert_count, 0);
	vrs_night_watch_fini(&watch);
	for (int i = 0; i < 60; i++) {
		history.nights[i].fingerprint = 5;
		for (int s = 0; s < SERIES; s++)
			snprintf(history.nights[i].cases[s].device, sizeof history.nights[i].cases[s].device, "card %d", i < 40 ? 1 : 2);
	}
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.series_count, 2 * SERIES); /* another device since: a series of its own */
	char name[VRS_NIGHT_CASE_MAX];
	assert_non_null(strstr(vrs_night_series_case(&watch.series[0], name, sizeof name), " on card 1"));
	assert_int_equal(watch.alert_count, 0);
	vrs_night_watch_fini(&watch);
	/* Nights that fail against the baseline are an alert before any step is proven. */
	for (int i = 57; i < 60; i++)
		history.nights[i].gate = history.nights[i].outcome = VRS_NIGHT_REGRESSION;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	const struct vrs_night_alert *a = vrs_night_watch_open(&watch);
	assert_non_null(a);
	assert_int_equal(a->kind, VRS_NIGHT_ALERT_GATE);
	assert_int_equal(watch.records[a->good]->number, 57);
	assert_int_equal(watch.records[a->bad]->number, 58);
	assert_null(vrs_night_watch_alarm(&watch));
	vrs_night_watch_fini(&watch);
	vrs_arena_free(&history.arena);
}

/* The clock went back in between: the order of the history counts. */
static void clock_back(void **state)
{
	struct vrs_night_history history;
	struct vrs_night_watch watch;
	(void)state;
	make_history(&history, 60, steady);
	history.nights[30].time = 0;
	assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
	assert_int_equal(watch.series[0].count, 60);
	assert_int_equal(watch.stray_clocks, 1);
	assert_int_equal(watch.last_stray, 30);
	vrs_night_watch_fini(&watch);
	vrs_arena_free(&history.arena);
}

/* A night whose clock ran ahead, the last one or not, makes the history forget no step and no drift. */
static void clock_ahead(void **state)
{
	static const struct {
		double (*cost)(int night, int series);
		int place, days, strays;
	} nights[] = {
		{step, 57, 400, 1}, {step, 57, 40 * 365, 1}, {step, 59, 400, 0 /* or it was a pause */}, {step, 59, 50 * 365 + 400 * 365, 1},
		{drift, 100, 400, 1}, {drift, 100, 40 * 365, 1}, {drift, 100, -90, 1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof nights / sizeof *nights; i++) {
		struct vrs_night_history history;
		struct vrs_night_watch watch;
		make_history(&history, nights[i].cost == drift ? 120 : 60, nights[i].cost);
		history.nights[nights[i].place].time += (int64_t)nights[i].days * DAY;
		assert_int_equal(vrs_night_watch_judge(&watch, &history, NULL, NULL), VRS_OK);
		assert_non_null(vrs_night_watch_alarm(&watch));
		assert_int_equal(watch.stray_clocks, nights[i].strays);
		if (nights[i].strays > 0)
			assert_int_equal(watch.last_stray, nights[i].place);
		vrs_night_watch_fini(&watch);
		vrs_arena_free(&history.arena);
	}
}

/* What bisect prints may come from a stranger's history: nothing in it leaves its quotes. */
static void commands(void **state)
{
	char text[600];
	(void)state;
	assert_int_equal(vrs_case_command("r=64x32/b=auto/p=fp32/t=2/scope=net_only", "vrbench --versus X", "a b'$(rm)\n.mp4", text, sizeof text), VRS_OK);
	assert_string_equal(text, "vrbench --versus X --resolution 64x32 --precision fp32 --threads 2 --scope net_only 'a b'\\''$(rm) .mp4'");
	assert_int_equal(vrs_case_command("r=64x32/b=1/m=%27;rm/p=fp32/t=2", "x", "v", text, sizeof text), VRS_OK);
	assert_non_null(strstr(text, "--model ''\\'';rm'"));
	assert_int_not_equal(vrs_case_command("nonsense", "x", "v", text, sizeof text), VRS_OK);
	assert_int_equal(vrs_case_command("r=64x32/b=1/p=fp32/t=2", "x", "v", text, 20), VRS_ELIMIT);
}

/* Guards: settings of all cases and of one are the flags of one command; what cannot be read is told and nothing of it is kept. */
static void flags_of_settings(void **state)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	char text[600];
	(void)state;
	assert_int_equal(vrs_case_flags("engine.model: selfie_segmentation\nengine.threads: 1\n", "r=64x32/b=2/p=fp32/t=2", "engine.batch_size", true, text,
					sizeof text),
			 VRS_OK);
	assert_string_equal(text, " --model selfie_segmentation --resolution 64x32 --precision fp32 --threads 2");
	assert_int_equal(vrs_case_flags("engine.threads: 1\nx: y: 2\n", "r=64x32/b=2/p=fp32/t=2", "", true, text, sizeof text), VRS_EFORMAT);
	assert_int_equal(vrs_case_flags("", "nonsense", "", true, text, sizeof text), VRS_ECONFIG);
	assert_int_equal(vrs_mem_stats().live_bytes, live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate), cmocka_unit_test(same_names), cmocka_unit_test(other_frames), cmocka_unit_test(lost_mattes), cmocka_unit_test(figures),
		cmocka_unit_test(alerts), cmocka_unit_test(an_acceptance_taken_back), cmocka_unit_test(other_nights),
		cmocka_unit_test(clock_back), cmocka_unit_test(clock_ahead),
		cmocka_unit_test(commands), cmocka_unit_test(flags_of_settings), cmocka_unit_test(drift_of_a_new_night), cmocka_unit_test(matte_margins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
