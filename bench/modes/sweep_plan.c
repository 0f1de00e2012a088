/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/sweep_plan.h"

#include <math.h>

#include <vrseg/log.h>

#include "analyzer/findings.h"
#include "base/clock.h"
#include "bench/modes/bench_progress.h"
#include "reports/report.h"

#define MIB 1048576.0

/* A clip is made once, for the first case that plays it. */
static bool shares_clip(const struct vrs_result *result, int index)
{
	const struct vrs_case_result *c = &result->cases[index];
	for (int k = 0; k < index; k++) {
		const struct vrs_case_result *other = &result->cases[k];
		if (!vrs_case_result_is_skipped(other) && other->width == c->width && other->height == c->height && other->scope == c->scope &&
		    !(fabs(other->live_hz - c->live_hz) > 0))
			return true;
	}
	return false;
}

struct sums {
	double seconds, clip_bytes, frames_bytes, work_bytes, peak_bytes;
	int cases, skipped;
};

static struct vrs_run_cost case_cost(const struct vrs_runner *runner, const struct vrs_result *result, int index)
{
	struct vrs_run_cost cost = vrs_runner_cost(runner, index);
	if (shares_clip(result, index)) {
		cost.clip_bytes = 0;
		cost.prepare_seconds = 0;
	}
	return cost;
}

static struct sums sum_up(struct vrs_runner *runner, int rounds)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	struct sums sums = {0};
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		struct vrs_run_cost cost = case_cost(runner, result, i);
		sums.skipped += vrs_case_result_is_skipped(c);
		sums.cases += !vrs_case_result_is_skipped(c);
		sums.seconds += cost.prepare_seconds + cost.seconds * rounds;
		sums.clip_bytes += (double)cost.clip_bytes;
		sums.frames_bytes += (double)cost.frames_bytes * rounds;
		if ((double)cost.work_bytes > sums.work_bytes)
			sums.work_bytes = (double)cost.work_bytes;
		if (!vrs_case_result_is_skipped(c) && (double)c->memory_estimate_bytes > sums.peak_bytes)
			sums.peak_bytes = (double)c->memory_estimate_bytes;
	}
	return sums;
}

double vrs_sweep_plan_round_seconds(const struct vrs_runner *runner)
{
	double seconds = 0;
	for (int i = 0; i < vrs_runner_result(runner)->case_count; i++)
		seconds += vrs_runner_cost(runner, i).seconds;
	return seconds;
}

/* How many runs of round 1 and of all rounds the budget holds, as vrs_sweep_plan_measure would spend it. */
static void add_budget(struct vrs_runner *runner, int rounds, double budget, struct vrs_findings *findings)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	double left = budget;
	int broad = 0, more = 0, headline = rounds < VRS_HEADLINE_ROUNDS ? rounds : VRS_HEADLINE_ROUNDS;
	char text[32];
	if (result->case_count > 0)
		left -= headline * vrs_runner_cost(runner, 0).seconds;
	for (int r = 1; r <= rounds; r++)
		for (int i = 0; i < result->case_count; i++) {
			struct vrs_run_cost cost = case_cost(runner, result, i);
			double seconds = cost.seconds + (r == 1 ? cost.prepare_seconds : 0);
			if (vrs_case_result_is_skipped(&result->cases[i]) || seconds > left)
				continue;
			left -= seconds;
			*(r == 1 ? &broad : &more) += 1;
		}
	vrs_bench_time_text(budget, text, sizeof text);
	vrs_findings_add_note(findings, VRS_NOTE_INFO, "budget", "The budget of %s holds %d rounds of the default, %d cases once, and %d further runs.",
			      text, headline, broad, more);
}

static void plan_table(struct vrs_runner *runner, int rounds, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "axis", "s/run", "disk (MiB)", "memory (MiB)", "skipped"};
	const struct vrs_result *result = vrs_runner_result(runner);
	struct sums sums = sum_up(runner, rounds);
	char text[32];
	struct vrs_table *t = vrs_findings_start_table(findings, "plan", "Cases", heads, 6, 1u << 0 | 1u << 1 | 1u << 5);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		struct vrs_run_cost cost = case_cost(runner, result, i);
		bool skipped = vrs_case_result_is_skipped(c);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", c->id);
		vrs_table_set(t, 1, "%s", c->axis);
		vrs_table_set_number(t, 2, "%.1f", skipped ? NAN : cost.seconds);
		vrs_table_set_number(t, 3, "%.1f", skipped ? NAN : ((double)cost.clip_bytes + (double)cost.frames_bytes * rounds) / MIB);
		vrs_table_set_number(t, 4, "%.0f", skipped ? NAN : (double)c->memory_estimate_bytes / MIB);
		vrs_table_set(t, 5, "%s", c->skipped);
	}
	vrs_bench_time_text(sums.seconds, text, sizeof text);
	snprintf(findings->verdict, sizeof findings->verdict, "%d cases x %d rounds = %d runs, about %s; %d cases skipped", sums.cases, rounds,
		 sums.cases * rounds, text, sums.skipped);
	snprintf(t->caption, sizeof t->caption, "Disk: clips to make %.0f MiB, frame times %.1f MiB, at most %.0f MiB for a run while it lasts. "
		 "Memory: the largest case needs about %.0f MiB, the limit is %.0f MiB.", sums.clip_bytes / MIB, sums.frames_bytes / MIB,
		 sums.work_bytes / MIB, sums.peak_bytes / MIB, (double)vrs_runner_plan(runner)->memory_limit_bytes / MIB);
}

enum vrs_status vrs_sweep_plan_print(struct vrs_runner *runner, int rounds, double budget, FILE *out, struct vrs_error *err)
{
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		snprintf(findings->title, sizeof findings->title, "Plan of the measurement");
		plan_table(runner, rounds, findings);
	}
	if (findings && budget > 0)
		add_budget(runner, rounds, budget, findings);
	enum vrs_status status = vrs_report_show(findings, out, err);
	fputc('\n', out);
	return status;
}

enum vrs_status vrs_sweep_plan_check(const struct vrs_runner *runner, int rounds, struct vrs_error *err)
{
	double seconds = rounds * vrs_sweep_plan_round_seconds(runner);
	if (seconds <= VRS_SWEEP_LONGEST_SECONDS)
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "this takes about %.0f hours: give a --budget such as 8h, fewer --runs or fewer cases (--dry-run shows them)",
			seconds / 3600);
}

static enum vrs_status spend(struct vrs_runner *runner, int rounds, double budget, int *ret_left_out, struct vrs_error *err)
{
	static const int first = 0;
	double end = 1e-9 * (double)vrs_now_ns() + budget;
	int headline = rounds < VRS_HEADLINE_ROUNDS ? rounds : VRS_HEADLINE_ROUNDS;
	vrs_runner_limit(runner, end, true);
	enum vrs_status status = vrs_runner_result(runner)->case_count > 0 ? vrs_runner_measure(runner, &first, 1, 1, headline, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_runner_measure(runner, NULL, 0, headline + 1, 1, err);
	*ret_left_out = vrs_runner_limit(runner, end, false);
	if (status == VRS_OK && rounds > 1)
		status = vrs_runner_measure(runner, NULL, 0, headline + 2, rounds - 1, err);
	*ret_left_out += vrs_runner_limit(runner, 0, false);
	return status;
}

enum vrs_status vrs_sweep_plan_measure(struct vrs_runner *runner, int rounds, double budget, bool *ret_complete, struct vrs_error *err)
{
	int left_out = 0;
	enum vrs_status status = budget > 0 ? spend(runner, rounds, budget, &left_out, err) : vrs_runner_measure(runner, NULL, 0, 1, rounds, err);
	if (left_out > 0)
		vrs_log(VRS_LOG_WARNING, "%d runs did not fit the budget; precision: not reached", left_out);
	*ret_complete = status == VRS_OK && left_out == 0;
	return status;
}
