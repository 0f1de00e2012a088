/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/techniques_mode.h"

#include <stdlib.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/modes/bench_progress.h"
#include "bench/modes/sweep_plan.h"
#include "bench/plan/sweep.h"

enum vrs_status vrs_techniques_request_make(struct vrs_techniques_request *ret_request, const char *file, const char *filter, const char *skip,
					    struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	struct vrs_techniques_request *r = ret_request;
	enum vrs_status status = vrs_sweep_find(file ? file : VRS_TECHNIQUE_DEFAULT_FILE, path, err);
	if (status != VRS_OK)
		return status;
	char *real = realpath(path, NULL);
	bool fits = vrs_strcpy(r->file, sizeof r->file, real ? real : path) && vrs_strcpy(r->filter, sizeof r->filter, filter ? filter : "") &&
		    vrs_strcpy(r->skip, sizeof r->skip, skip ? skip : "");
	free(real); /* libc: of realpath */
	return fits ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "the file of techniques, --filter or --skip is too long");
}

static enum vrs_status find_size(const char *resolution, struct vrs_technique_common *common, struct vrs_error *err)
{
	struct vrs_sweep sweep = {.axis_count = 0};
	int pair[2];
	enum vrs_status status = resolution ? vrs_sweep_set(&sweep, VRS_SWEEP_RESOLUTION, resolution, err) : VRS_OK;
	if (status != VRS_OK || !resolution)
		return status;
	if (vrs_parse_size2(sweep.axes[0].values[0], 1, 32768, pair)) {
		common->width = pair[0];
		common->height = pair[1];
	}
	return VRS_OK;
}

enum vrs_status vrs_techniques_open(struct vrs_techniques *ret, struct vrs_runner *runner, const char *resolution, bool resume, bool list_only,
				    struct vrs_error *err)
{
	const struct vrs_run_plan *plan = vrs_runner_plan(runner);
	const struct vrs_techniques_request *r = &plan->techniques;
	struct vrs_technique_common common = {.scope = plan->scope};
	struct vrs_result *result = vrs_runner_result(runner);
	ret->list = NULL;
	if (resume && result->case_count > 0) { /* the size that was asked for is in the cases */
		common.width = result->cases[0].width;
		common.height = result->cases[0].height;
	}
	enum vrs_status status = find_size(resolution, &common, err);
	if (status == VRS_OK)
		status = vrs_technique_list_load(&ret->list, r->file, r->filter[0] ? r->filter : NULL, r->skip[0] ? r->skip : NULL, err);
	if (status == VRS_OK)
		status = vrs_technique_add_cases(ret->list, &common, runner, resume, ret->cases, err);
	if (status == VRS_OK && result->case_count == 0 && !list_only)
		status = vrs_fail(err, VRS_ECONFIG, "none of these techniques can be measured here (--list says why)");
	if (status == VRS_OK && result->case_count > 0 && strcmp(result->cases[0].axis, "default") == 0)
		vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	if (status != VRS_OK)
		vrs_techniques_fini(ret);
	return status;
}

void vrs_techniques_fini(struct vrs_techniques *techniques)
{
	vrs_free(techniques->list);
	techniques->list = NULL;
}

static double round_seconds(const struct vrs_runner *runner)
{
	double seconds = 0;
	for (int i = 0; i < vrs_runner_count(runner); i++)
		seconds += vrs_runner_cost(runner, i).seconds;
	return seconds;
}

void vrs_techniques_print_plan(const struct vrs_techniques *techniques, struct vrs_runner *runner, int rounds, double budget, FILE *out)
{
	int pairs = 0;
	char text[32];
	double seconds = round_seconds(runner);
	for (int i = 0; i < techniques->list->count; i++)
		pairs += techniques->cases[i].off >= 0;
	int need = vrs_technique_rounds_needed(pairs);
	vrs_sweep_plan_print(runner, rounds, 0, out);
	fprintf(out, "%d of %d techniques have a pair that is measured here, %d cases stand for both sides of all\n", pairs, techniques->list->count,
		vrs_runner_count(runner));
	if (rounds < need)
		fprintf(out, "%d rounds can prove nothing about %d techniques together: at least %d are needed (--runs %d)\n", rounds, pairs, need, need + 2);
	vrs_bench_time_text(budget, text, sizeof text);
	if (budget > 0 && seconds > 0)
		fprintf(out, "the budget of %s holds about %.0f of the %d rounds\n", text, budget / seconds < rounds ? budget / seconds : rounds, rounds);
}

enum vrs_status vrs_techniques_measure(struct vrs_runner *runner, int rounds, double budget, bool resume, bool *ret_complete, struct vrs_error *err)
{
	int count = vrs_runner_count(runner);
	enum vrs_status status = budget > 0 || resume ? VRS_OK : vrs_sweep_plan_check(runner, rounds, err);
	int *indices = vrs_realloc_array(NULL, (size_t)count + 1, sizeof *indices);
	if (!indices)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for %d cases", count);
	for (int i = 0; i < count; i++)
		indices[i] = i;
	vrs_runner_limit(runner, budget > 0 ? 1e-9 * (double)vrs_now_ns() + budget : 0, false);
	if (status == VRS_OK)
		status = vrs_runner_measure(runner, indices, count, 1, rounds, err);
	int left_out = vrs_runner_left_out(runner);
	vrs_runner_limit(runner, 0, false);
	vrs_free(indices);
	if (left_out > 0)
		vrs_log(VRS_LOG_WARNING, "%d runs did not fit the budget: continue with --resume DIR", left_out);
	*ret_complete = status == VRS_OK && left_out == 0;
	return status;
}
