/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run of a case will cost.  Before anything has run it is a guess from pixels and processors; then cases that have run tell their own time,
 * and the others' guess is scaled by how wrong the guesses were so far.
 */
#include <math.h>

#include "bench/plan/sweep.h"
#include "bench/run/runner_state.h"

enum { FRAME_BYTES = 112 }; /* of frames/NAME.bin */

static double guessed_fps(const struct vrs_runner *runner, const struct vrs_case_result *c)
{
	double fps = vrs_sweep_guess_fps(c->width, c->height, runner->input.cpus), hz = c->live_hz;
	return hz > 0 && hz < fps ? hz : fps;
}

static double guessed_seconds(const struct vrs_runner *runner, const struct vrs_case_result *c)
{
	const struct vrs_recorder_rules *rules = &runner->plan.rules;
	if (c->scope == VRS_SCOPE_NET_ONLY) /* its warm-up is a fifth of the duration, at most 1 s */
		return 0.5 + (rules->max_frames > 0 ? 0.1 : rules->duration_seconds + fmin(1, rules->duration_seconds / 5));
	return vrs_sweep_run_seconds(c->width, c->height, runner->input.cpus, rules);
}

static int measured_seconds(const struct vrs_case_result *c, double *ret_sum)
{
	int n = 0;
	*ret_sum = 0;
	for (int i = 0; i < c->run_count; i++)
		if (isfinite(c->runs[i].process_seconds)) {
			*ret_sum += c->runs[i].process_seconds;
			n++;
		}
	return n;
}

/* How much longer runs took than they were guessed to. */
static double scale_so_far(const struct vrs_runner *runner)
{
	double guessed = 0, measured = 0, sum;
	for (int i = 0; i < runner->result->case_count; i++) {
		guessed += measured_seconds(&runner->result->cases[i], &sum) * guessed_seconds(runner, &runner->result->cases[i]);
		measured += sum;
	}
	return guessed > 0 ? measured / guessed : 1;
}

struct vrs_run_cost vrs_runner_cost(const struct vrs_runner *runner, int index)
{
	struct vrs_run_cost cost = {0};
	if (index < 0 || index >= runner->result->case_count || vrs_case_result_is_skipped(&runner->result->cases[index]))
		return cost;
	const struct vrs_case_result *c = &runner->result->cases[index];
	struct vrs_clip_wish wish = vrs_case_clip_wish(runner, c);
	double sum, scale = scale_so_far(runner), fps = guessed_fps(runner, c);
	int runs = measured_seconds(c, &sum);
	cost.seconds = runs > 0 ? sum / runs : scale * guessed_seconds(runner, c);
	if (c->scope == VRS_SCOPE_NET_ONLY)
		return cost;
	double frames = fps * runner->plan.rules.duration_seconds;
	if (frames < (double)runner->plan.rules.min_frames)
		frames = (double)runner->plan.rules.min_frames;
	if (runner->plan.rules.max_frames > 0 && frames > (double)runner->plan.rules.max_frames)
		frames = (double)runner->plan.rules.max_frames;
	cost.frames_bytes = (uint64_t)(FRAME_BYTES * frames);
	cost.clip_bytes = vrs_clip_disk_estimate(&runner->source, &wish);
	if (cost.clip_bytes > 0)
		cost.prepare_seconds = scale * vrs_clip_frames(c->width, c->height) / fps;
	/* What is encoded is removed after the run, so it counts once: the clip's bits again. */
	if (c->scope == VRS_SCOPE_END_TO_END)
		cost.work_bytes = (uint64_t)(VRS_CLIP_BITS_PER_PIXEL / 8 * c->width * c->height * frames);
	return cost;
}

int vrs_runner_limit(struct vrs_runner *runner, double end_seconds, bool in_order)
{
	int left_out = runner->left_out;
	runner->end_seconds = end_seconds;
	runner->in_order = in_order;
	runner->left_out = 0;
	return left_out;
}
