/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds: every case once, in an order of its own for each round, so that drift spreads over all cases and pairs share their round. */
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/judge/interval_goal.h"
#include "bench/run/runner_state.h"

enum { GIVE_UP_AFTER = 2 }; /* failed runs of a case that never ran well */

/* Is the case done in this round of that session? Runs that a noise gate has excluded are tried again, as often as the gates allow. */
static bool has_run(const struct vrs_runner *runner, const struct vrs_case_result *c, int round, int session)
{
	int excluded = 0;
	for (int i = 0; i < c->run_count; i++) {
		if (c->runs[i].round != round || c->runs[i].session != session)
			continue;
		if (!c->runs[i].excluded[0])
			return true;
		excluded++;
	}
	return excluded >= vrs_gate_attempts(runner);
}

static bool is_hopeless(const struct vrs_case_result *c)
{
	return vrs_case_result_is_skipped(c) || (c->run_count >= GIVE_UP_AFTER && vrs_case_result_ok_runs(c) == 0);
}

/* Needs the case no run at all, whatever the round? */
static bool is_over(const struct vrs_runner *runner, const struct vrs_case_result *c)
{
	return c->lacks_space || is_hopeless(c) || vrs_interval_settled(c, runner->plan.goal);
}

/* Number i of the cases that are measured. */
static int nth(const int *indices, int i)
{
	return indices ? indices[i] : i;
}

/* The case that this one is compared with: the other side, else the default; itself where that is not measured. */
static int reference_of(const struct vrs_runner *runner, const int *indices, int count, int index)
{
	const struct vrs_case_result *base = vrs_result_find_case(runner->result, runner->result->default_case);
	int reference = runner->side_a ? index ^ 1 : base ? (int)(base - runner->result->cases) : 0; /* sides were added in pairs */
	for (int i = 0; i < count; i++)
		if (nth(indices, i) == reference)
			return reference;
	return index;
}

/* Did a session before this one run the case and its reference in the round? The machine of today is not that of yesterday. */
static bool has_old_pair(const struct vrs_runner *runner, int index, int reference, int round)
{
	const struct vrs_case_result *c = &runner->result->cases[index], *other = &runner->result->cases[reference];
	for (int i = 0; i < c->run_count; i++) { /* not over all numbers of sessions: a journal of a stranger may name any */
		int session = c->runs[i].session;
		if (c->runs[i].round == round && session < runner->session && has_run(runner, c, round, session) &&
		    (is_over(runner, other) || has_run(runner, other, round, session)))
			return true;
	}
	return false;
}

/* Has the case to run in this round? After a pause, a reference runs again beside those that it has no pair with. */
static bool is_wanted(const struct vrs_runner *runner, const int *indices, int count, int index, int round)
{
	const struct vrs_case_result *c = &runner->result->cases[index];
	if (is_over(runner, c) || has_run(runner, c, round, runner->session))
		return false;
	int reference = reference_of(runner, indices, count, index);
	if (!has_old_pair(runner, index, reference, round))
		return true;
	for (int i = 0; i < count && reference == index; i++) {
		int k = nth(indices, i);
		bool is_partner = !runner->side_a || k == (index ^ 1);
		if (is_partner && !is_over(runner, &runner->result->cases[k]) && !has_old_pair(runner, k, index, round))
			return true;
	}
	return false;
}

static void read_sensors(struct vrs_runner *runner, struct vrs_run *run)
{
	vrs_machine_read_sensors(runner->machine);
	const struct vrs_sensor *sensor = vrs_machine_sensor(runner->machine, VRS_SENSOR_TEMPERATURE, NULL);
	if (sensor)
		run->temperature_c = sensor->value;
}

enum vrs_status vrs_runner_keep_device(const struct vrs_case_result *before, const struct vrs_case_result *now, struct vrs_error *err)
{
	if (vrs_case_result_same_device(before, now))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "%.100s ran on the device %.100s (driver %.60s), and then on %.100s (driver %.60s): its figures cannot be "
			"combined", before->id, before->device, before->driver, now->device, now->driver);
}

static void copy_info(struct vrs_case_result *c, const struct vrs_run_info *info)
{
	c->batch = info->batch;
	c->threads = info->threads;
	c->streams = info->streams;
	c->net_width = info->net_width;
	c->net_height = info->net_height;
	vrs_strcpy(c->backend, sizeof c->backend, info->backend);
	vrs_strcpy(c->isa, sizeof c->isa, info->isa);
	vrs_strcpy(c->model, sizeof c->model, info->model);
	vrs_strcpy(c->device, sizeof c->device, info->device);
	vrs_strcpy(c->driver, sizeof c->driver, info->driver);
	c->device_bytes = info->device_limit_bytes > 0 ? info->device_bytes : -1;
	c->device_limit_bytes = info->device_limit_bytes > 0 ? info->device_limit_bytes : -1;
	c->state_bytes = info->state_bytes > 0 ? info->state_bytes : -1;
	if (info->layout != VRS_STEREO_AUTO)
		c->layout = info->layout;
}

/* What the job said about itself goes into the case. A run elsewhere than the case's other runs, as after the loss of a GPU, has failed. */
static void take_info(struct vrs_case_result *c, struct vrs_run_reply *reply)
{
	if (reply->info.batch <= 0)
		return;
	struct vrs_case_result now = *c;
	struct vrs_error why = {.status = VRS_OK};
	copy_info(&now, &reply->info);
	if (vrs_runner_keep_device(c, &now, &why) == VRS_OK) {
		*c = now;
		return;
	}
	reply->run.status = VRS_RUN_FAILED;
	vrs_strcpy(reply->run.reason, sizeof reply->run.reason, why.text);
}

static enum vrs_status record(struct vrs_runner *runner, struct vrs_case_result *c, const struct vrs_run *run, struct vrs_error *err)
{
	enum vrs_status status = vrs_runner_folder_check(runner, err);
	if (status != VRS_OK)
		return status;
	struct vrs_run *kept = vrs_case_result_add_run(c);
	if (!kept)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for another run");
	*kept = *run;
	return vrs_journal_write_run(runner->journal, c, run, runner->is_observed ? &runner->last_run : NULL, err);
}

static enum vrs_status run_watched(struct vrs_runner *runner, const struct vrs_case_result *c, int round, const struct vrs_run_request *request,
				   const struct vrs_config *config, struct vrs_run_reply *reply, struct vrs_error *err)
{
	runner->running = c;
	runner->running_round = round;
	runner->run_start_seconds = runner->last_tick_seconds = 1e-9 * (double)vrs_now_ns();
	enum vrs_status status = vrs_run_process(runner, request, config, reply, err);
	runner->running = NULL;
	return status;
}

/* Run and watch; what was seen of the machine is in the reply. */
static enum vrs_status run_once(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, const struct vrs_run_request *request,
				struct vrs_run_reply *reply, struct vrs_error *err)
{
	struct vrs_case_result *c = &runner->result->cases[index];
	struct vrs_config *config;
	char started[32];
	enum vrs_status status = vrs_runner_request_config(runner, index, clip, &config, err);
	if (status != VRS_OK)
		return status;
	vrs_runner_tell(runner, VRS_RUNNER_RUN_START, NULL, c, NULL, round);
	vrs_utc_text(started, sizeof started);
	struct vrs_noise_watch *watch = vrs_noise_watch_begin();
	status = run_watched(runner, c, round, request, config, reply, err);
	vrs_gate_judge(runner, c, watch, round, status == VRS_OK ? &reply->run : NULL);
	vrs_config_destroy(config);
	vrs_runner_folder_clear_work(runner);
	vrs_strcpy(reply->run.started_utc, sizeof reply->run.started_utc, started);
	return status;
}

static enum vrs_status run_case(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, int order, struct vrs_error *err)
{
	struct vrs_case_result *c = &runner->result->cases[index];
	struct vrs_run_request request;
	struct vrs_run_reply reply;
	char frames_name[128];
	enum vrs_status status = vrs_runner_request_fill(runner, index, clip, round, &request, frames_name, err);
	if (status == VRS_OK)
		status = run_once(runner, index, clip, round, &request, &reply, err);
	if (status != VRS_OK)
		return status;
	read_sensors(runner, &reply.run);
	take_info(c, &reply);
	if (request.soak_file[0])
		status = vrs_runner_soak_judge(runner, request.soak_file, c, err);
	if (status != VRS_OK && status != VRS_ENOTFOUND) /* it did not come so far */
		return status;
	reply.run.round = round;
	reply.run.order = order;
	reply.run.session = runner->session;
	vrs_strcpy(reply.run.frames_file, sizeof reply.run.frames_file, reply.run.status == VRS_RUN_OK ? frames_name : "");
	status = record(runner, c, &reply.run, err);
	if (status != VRS_OK) /* there may be no such run */
		return status;
	runner->done++;
	runner->run_seconds += reply.run.process_seconds;
	vrs_runner_tell(runner, VRS_RUNNER_RUN_END, NULL, c, &c->runs[c->run_count - 1], round);
	return status;
}

/* The clip of a case; a clip that cannot be made skips the case and is no error of ours. */
static enum vrs_status prepare_case(struct vrs_runner *runner, int index, struct vrs_clip *clip, struct vrs_error *err)
{
	struct vrs_case_result *c = &runner->result->cases[index];
	struct vrs_error why = {.status = VRS_OK};
	*clip = (struct vrs_clip){.label = "none: numbers go into the network"};
	enum vrs_status status = c->scope == VRS_SCOPE_NET_ONLY ? VRS_OK : vrs_runner_provide_clip(runner, c, clip, &why);
	if (status == VRS_OK) {
		vrs_strcpy(c->clip, sizeof c->clip, clip->label);
		return VRS_OK;
	}
	if (status == VRS_ESTOPPED)
		return vrs_fail(err, status, "%s", why.text);
	snprintf(c->skipped, sizeof c->skipped, "no clip: %.240s", why.text);
	vrs_runner_tell(runner, VRS_RUNNER_SKIPPED, c->skipped, c, NULL, 0);
	status = vrs_journal_write_run(runner->journal, c, NULL, NULL, err);
	return status == VRS_OK ? VRS_EUNSUPPORTED : status;
}

/* Excluded runs are repeated at once, next to the other cases of their round. */
static enum vrs_status run_attempts(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, int order, struct vrs_error *err)
{
	enum vrs_status status = run_case(runner, index, clip, round, order, err);
	while (status == VRS_OK && !vrs_stop_requested() && !has_run(runner, &runner->result->cases[index], round, runner->session)) {
		runner->total++;
		status = run_case(runner, index, clip, round, order, err);
	}
	if (status == VRS_OK)
		vrs_gate_close_round(runner, &runner->result->cases[index], round);
	return status;
}

/*
 * A case whose run found no space is left to another session, and the others go on, which may need less.  Where two such runs follow one another,
 * the disk is full for all; and a side without the other says nothing.
 */
static enum vrs_status leave_out(struct vrs_runner *runner, struct vrs_case_result *c, struct vrs_error *err)
{
	c->lacks_space = true;
	vrs_strcpy(runner->no_space, sizeof runner->no_space, err->text);
	if (++runner->spaceless_streak > 1 || runner->side_a)
		return VRS_ENOSPC;
	vrs_log(VRS_LOG_WARNING, "%s is left out for now: %s", c->id, err->text);
	*err = (struct vrs_error){.status = VRS_OK};
	return VRS_OK;
}

/* Would the run end after the budget? Something is always measured. */
static bool is_too_long(const struct vrs_runner *runner, int index)
{
	if (runner->end_seconds <= 0 || runner->begun == 0)
		return false;
	struct vrs_run_cost cost = vrs_runner_cost(runner, index);
	return 1e-9 * (double)vrs_now_ns() + cost.prepare_seconds + cost.seconds > runner->end_seconds;
}

/* Sides of several cases: pairs stay together, in an order of their own, and which side comes first is balanced for each. */
static void order_pairs(const struct vrs_runner *runner, struct vrs_rng *rng, int round, int *order, int count)
{
	for (int i = count / 2 - 1; i > 0; i--) {
		int k = (int)vrs_rng_below(rng, (uint64_t)i + 1), pair[2] = {order[2 * i], order[2 * i + 1]};
		memcpy(&order[2 * i], &order[2 * k], sizeof pair);
		memcpy(&order[2 * k], pair, sizeof pair);
	}
	for (int i = 0; i < count; i += 2)
		vrs_side_order(runner->plan.seed + (uint64_t)(order[i] / 2), round, &order[i]);
}

/* The order of a round, made of the order in which the cases were given. */
static void order_round(const struct vrs_runner *runner, int round, int *order, int count)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, runner->plan.seed ^ ((uint64_t)round * UINT64_C(0x9e3779b97f4a7c15)));
	if (runner->side_a && count >= 2 && count % 2 == 0)
		order_pairs(runner, &rng, round, order, count);
	else if (!runner->in_order)
		vrs_rng_shuffle(&rng, order, count);
}

static enum vrs_status run_round(struct vrs_runner *runner, const int *indices, int count, int round, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int *order = vrs_realloc_array(NULL, (size_t)count + 1, sizeof *order);
	if (!order)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for a round of %d cases", count);
	for (int i = 0; i < count; i++)
		order[i] = nth(indices, i);
	order_round(runner, round, order, count);
	for (int i = 0; i < count && status == VRS_OK; i++) {
		struct vrs_clip clip;
		if (!is_wanted(runner, indices, count, order[i], round))
			continue;
		if (vrs_stop_requested()) {
			status = vrs_fail(err, VRS_ESTOPPED, "stopped on request");
			break;
		}
		if (is_too_long(runner, order[i])) {
			runner->left_out++;
			continue;
		}
		runner->begun++;
		status = prepare_case(runner, order[i], &clip, err);
		if (status == VRS_OK)
			status = run_attempts(runner, order[i], &clip, round, i + 1, err);
		else if (status == VRS_EUNSUPPORTED)
			status = VRS_OK;
		if (status == VRS_ENOSPC)
			status = leave_out(runner, &runner->result->cases[order[i]], err);
		else
			runner->spaceless_streak = 0;
	}
	vrs_free(order);
	return status;
}

static int count_runs(const struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds)
{
	int total = 0;
	for (int r = first_round; r < first_round + rounds && !vrs_stop_requested(); r++)
		for (int i = 0; i < count; i++)
			total += is_wanted(runner, indices, count, nth(indices, i), r);
	return total;
}

/* Once, so that the measurement can be resumed with all its cases. */
static enum vrs_status write_plan(struct vrs_runner *runner, struct vrs_error *err)
{
	if (runner->plan_written)
		return VRS_OK;
	if (!runner->folder[0])
		return vrs_fail(err, VRS_EINVAL, "a measurement needs a result folder");
	enum vrs_status status = vrs_journal_write_plan(runner->journal, &runner->plan, runner->base, runner->result->cases,
							runner->result->case_count, err);
	runner->plan_written = status == VRS_OK;
	return status;
}

enum vrs_status vrs_runner_measure(struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds, struct vrs_error *err)
{
	count = indices ? count : runner->result->case_count;
	for (int i = 0; indices && i < count; i++)
		if (indices[i] < 0 || indices[i] >= runner->result->case_count)
			return vrs_fail(err, VRS_EINVAL, "there is no case number %d", indices[i]);
	if (count < 0 || first_round < 1 || rounds < 0 || rounds > VRS_RESULT_MAX_RUNS - first_round)
		return vrs_fail(err, VRS_EINVAL, "rounds must lie between 1 and %d", VRS_RESULT_MAX_RUNS);
	enum vrs_status status = write_plan(runner, err);
	if (status == VRS_OK && rounds > 0 && count > 0)
		status = vrs_ceilings_measure(runner, err);
	runner->done = 0;
	runner->run_seconds = 0;
	runner->begin_seconds = runner->begin_seconds > 0 ? runner->begin_seconds : 1e-9 * (double)vrs_now_ns();
	runner->rounds_shown = first_round + rounds - 1;
	runner->total = count_runs(runner, indices, count, first_round, rounds);
	for (int r = first_round; r < first_round + rounds && status == VRS_OK; r++) {
		status = run_round(runner, indices, count, r, err);
		/* Cases whose interval is narrow enough, or that cannot run, have fallen out. */
		runner->total = runner->done + count_runs(runner, indices, count, r + 1, first_round + rounds - r - 1);
	}
	for (int i = 0; i < count && status == VRS_OK; i++)
		if (runner->result->cases[nth(indices, i)].lacks_space)
			status = vrs_fail(err, VRS_ENOSPC, "%s", runner->no_space);
	return status;
}
