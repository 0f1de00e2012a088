/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One invocation of a night: every case of the sweep on every video, both sides in shared rounds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/judge/night_figures.h"
#include "bench/judge/night_gate.h"
#include "bench/modes/night_mode.h"

enum { METRICS_OF_CASE = 5 }; /* that the family counts, before it is known how many there are */

/* Was the case asked for? The first invocation measures all, the second those in question. */
static bool is_wanted(const struct vrs_nightly_invocation *v, const char *input, const char *id)
{
	for (int i = 0; v->only && i < v->only->case_count; i++)
		if (v->wanted[i] && strcmp(v->only->cases[i].id, id) == 0 && strcmp(v->only->cases[i].input, input) == 0)
			return true;
	return v->only == NULL;
}

static bool any_wanted(const struct vrs_nightly_invocation *v, const char *input)
{
	for (int i = 0; v->only && i < v->only->case_count; i++)
		if (v->wanted[i] && strcmp(v->only->cases[i].input, input) == 0)
			return true;
	return v->only == NULL;
}

/* The id that a case has in the history: that of B without its side. */
static enum vrs_status plain_id(struct vrs_runner *runner, const struct vrs_case *c, char id[VRS_CASE_ID_MAX], struct vrs_error *err)
{
	struct vrs_case settled = *c;
	const struct vrs_config *base = vrs_runner_base(runner);
	const struct vrs_bench_input *input = vrs_runner_input(runner);
	settled.side = 0;
	enum vrs_status status = vrs_case_settle(&settled, base, input->net_size, err);
	return status == VRS_OK ? vrs_case_id(&settled, base, input->width, input->height, id, VRS_CASE_ID_MAX, err) : status;
}

static enum vrs_status add_case(const struct vrs_nightly_invocation *v, struct vrs_runner *runner, const struct vrs_case *c, struct vrs_error *err)
{
	int index;
	struct vrs_case side = *c;
	enum vrs_status status = VRS_OK;
	if (v->baseline) {
		side.side = 'A';
		status = vrs_runner_add(runner, &side, &index, err);
		side.side = 'B';
	}
	return status == VRS_OK ? vrs_runner_add(runner, &side, &index, err) : status;
}

static enum vrs_status add_cases(const struct vrs_nightly_invocation *v, struct vrs_runner *runner, const char *input, struct vrs_error *err)
{
	struct vrs_case *cases = NULL;
	int count = 0;
	char id[VRS_CASE_ID_MAX];
	enum vrs_status status = vrs_bench_sweep(&v->program->args, runner, &cases, &count, err);
	for (int i = 0; i < count && status == VRS_OK; i++) {
		status = plain_id(runner, &cases[i], id, err);
		if (status == VRS_OK && is_wanted(v, input, id))
			status = add_case(v, runner, &cases[i], err);
	}
	vrs_free(cases);
	struct vrs_result *result = vrs_runner_result(runner);
	if (status == VRS_OK && result->case_count > 0)
		vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	return status == VRS_OK ? vrs_runner_warn_sizes(runner, err) : status;
}

/* As many rounds as find a slowdown with what calibration knows of this machine; the same for each case. */
static int choose_rounds(const struct vrs_nightly_invocation *v, struct vrs_runner *runner)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	double sd = 0;
	if (v->program->args.runs)
		return (int)v->program->args.runs;
	vrs_runner_judge_noise(runner); /* takes what is stored */
	for (int i = 0; i < result->case_count; i++)
		if (isfinite(result->cases[i].pair_sd))
			sd = fmax(sd, result->cases[i].pair_sd);
	return vrs_night_gate_rounds(sd, METRICS_OF_CASE * result->case_count * v->video_count / (v->baseline ? 2 : 1), 0);
}

static enum vrs_status measure(const struct vrs_nightly_invocation *v, struct vrs_runner *runner, double end_seconds, struct vrs_night_record *night,
			       struct vrs_error *err)
{
	int rounds = choose_rounds(v, runner);
	if (v->baseline == NULL && !v->program->args.runs)
		rounds = 3; /* nothing is compared */
	vrs_runner_result(runner)->rounds = rounds;
	(void)vrs_runner_limit(runner, end_seconds, false);
	enum vrs_status status = vrs_runner_measure(runner, NULL, 0, 1, rounds, err);
	int left_out = vrs_runner_limit(runner, 0, false);
	vrs_bench_progress_clear(&v->program->progress);
	if (left_out > 0)
		vrs_log(VRS_LOG_WARNING, "%d runs did not fit the budget", left_out);
	night->complete &= left_out == 0;
	if (!v->only && night->rounds < rounds)
		night->rounds = rounds;
	night->fingerprint = vrs_runner_result(runner)->fingerprint;
	return status;
}

static enum vrs_status measure_video(const struct vrs_nightly_invocation *v, int number, double end_seconds, struct vrs_night_record *night,
				     struct vrs_arena *arena, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX], name[16];
	struct vrs_runner *runner = NULL;
	struct vrs_night_input input = {.name = vrs_path_base(v->videos[number])};
	const struct vrs_runner_side a = {.label = "the accepted baseline", .program = v->baseline, .config = v->program->config};
	struct vrs_runner_options options = vrs_bench_program_options(v->program);
	(void)snprintf(name, sizeof name, "%d", number + 1);
	if (vrs_path_join(folder, sizeof folder, v->folder, name) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", v->folder);
	options.folder = folder;
	options.folder_root = v->folder_root;
	options.input = v->videos[number];
	options.overwrite = true; /* of the night before */
	options.plan.seed = v->seed;
	options.plan.goal = 0;
	options.versus = v->baseline ? &a : NULL;
	enum vrs_status status = vrs_runner_create(&runner, &options, v->program->config, err);
	if (status == VRS_OK)
		status = add_cases(v, runner, input.name, err);
	if (status == VRS_OK)
		status = measure(v, runner, end_seconds, night, err);
	if (status == VRS_OK)
		status = vrs_runner_finish(runner, night->complete, err);
	input.hash = runner ? vrs_runner_plan(runner)->input_hash : 0;
	if (status == VRS_OK)
		status = vrs_night_figures_take(night, arena, vrs_runner_result(runner), &input, v->program->args.margin, err);
	vrs_runner_destroy(runner);
	return status;
}

enum vrs_status vrs_nightly_measure(const struct vrs_nightly_invocation *v, struct vrs_night_record *night, struct vrs_arena *arena,
				    struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < v->video_count && status == VRS_OK; i++) {
		double now = 1e-9 * (double)vrs_now_ns(), left = v->end_seconds - now;
		/* Videos share what is left of the time. */
		double end = v->end_seconds > 0 ? now + fmax(left, 0) / (v->video_count - i) : 0;
		if (any_wanted(v, vrs_path_base(v->videos[i])))
			status = measure_video(v, i, end, night, arena, err);
	}
	return status;
}
