/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds: every cell once, in an order of its own for each round, so that drift spreads over all cells and pairs share their round. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/interval_goal.h"
#include "bench/runner_gates.h"
#include "bench/runner_state.h"
#include "bench/soak.h"

enum { GIVE_UP_AFTER = 2 }; /* failed runs of a cell that never ran well */

/* Is the cell done in this round? Runs that a noise gate has excluded are tried again, as often as the gates allow. */
static bool has_run(const struct vrs_runner *runner, const struct vrs_case_result *c, int round)
{
	int excluded = 0;
	for (int i = 0; i < c->run_count; i++) {
		if (c->runs[i].round == round && !c->runs[i].excluded[0])
			return true;
		excluded += c->runs[i].round == round;
	}
	return excluded >= vrs_gate_attempts(runner);
}

static bool is_done(const struct vrs_runner *runner, const struct vrs_case_result *c, int round)
{
	return has_run(runner, c, round) || vrs_interval_settled(c, runner->plan.goal);
}

static bool is_hopeless(const struct vrs_case_result *c)
{
	return c->skipped[0] || (c->run_count >= GIVE_UP_AFTER && vrs_case_result_ok_runs(c) == 0);
}

/* A derived clip has lost the container's words about eyes and sphere: they are set as the original has them. */
static enum vrs_status fix_layout(const struct vrs_runner *runner, const struct vrs_case *c, struct vrs_config *config, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	if (!c || !vrs_case_get(c, "input.layout"))
		status = vrs_config_set(config, "input.layout", runner->input.layout, VRS_SOURCE_FLAG, "derived clip", err);
	if (status == VRS_OK && vrs_config_settings(config)->matte.view == VRS_VIEW_AUTO)
		status = vrs_config_set(config, "matte.view", runner->view, VRS_SOURCE_FLAG, "derived clip", err);
	return status;
}

static enum vrs_status provide_clip(const struct vrs_runner *runner, const struct vrs_case_result *cell, struct vrs_clip *clip, struct vrs_error *err)
{
	char text[96];
	struct vrs_clip_wish wish = vrs_cell_clip_wish(runner, cell);
	if (vrs_clip_disk_estimate(&runner->source, &wish) > 0) {
		snprintf(text, sizeof text, "making a clip of %dx%d", cell->width, cell->height);
		vrs_runner_tell(runner, VRS_RUNNER_PREPARE, text, cell, NULL, 0);
	}
	return vrs_clip_provide(&runner->source, &wish, clip, err);
}

/* Children run in the same folder as we do, so relative names mean the same. */
static enum vrs_status work_file(const struct vrs_runner *runner, const char *folder, const char *name, char path[VRS_PATH_MAX])
{
	char relative[256];
	snprintf(relative, sizeof relative, "%s/%s", folder, name);
	return vrs_path_join(path, VRS_PATH_MAX, runner->folder, relative);
}

/* A crashed child leaves its unfinished video behind. */
static void clear_work(const struct vrs_runner *runner)
{
	char folder[VRS_PATH_MAX], path[VRS_PATH_MAX];
	if (vrs_path_join(folder, sizeof folder, runner->folder, "work") != VRS_OK)
		return;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    vrs_path_join(path, sizeof path, folder, entry->d_name) == VRS_OK)
			(void)unlink(path);
	if (dir)
		closedir(dir);
}

static struct vrs_reference *find_reference(struct vrs_runner *runner, int width, int height)
{
	for (int i = 0; i < runner->reference_count; i++)
		if (runner->references[i].width == width && runner->references[i].height == height)
			return &runner->references[i];
	return NULL;
}

/* Mattes of the base configuration in fp32 on this clip: made by a short run of their own, which is not measured. */
static enum vrs_status make_reference(struct vrs_runner *runner, const struct vrs_clip *clip, struct vrs_reference *reference, struct vrs_error *err)
{
	struct vrs_run_request request = {.quality_frames = runner->plan.quality_frames};
	struct vrs_run_reply reply;
	struct vrs_config *config;
	char name[64], text[96];
	snprintf(name, sizeof name, "reference-%dx%d.bin", clip->width, clip->height);
	request.rules.max_frames = runner->plan.quality_frames;
	request.rules.duration_seconds = 1e6;
	vrs_strcpy(request.input, sizeof request.input, clip->path);
	vrs_strcpy(request.output, sizeof request.output, "null:");
	enum vrs_status status = work_file(runner, "mattes", name, request.mattes_file);
	if (status == VRS_OK)
		status = vrs_config_copy(&config, runner->base);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot make reference mattes: %s", vrs_status_str(status));
	snprintf(text, sizeof text, "making fp32 reference mattes at %dx%d", clip->width, clip->height);
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, text, NULL, NULL, 0);
	status = vrs_config_set(config, "engine.precision", "fp32", VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK && clip->derived)
		status = fix_layout(runner, NULL, config, err);
	if (status == VRS_OK)
		status = vrs_run_process(runner, &request, config, &reply, err);
	vrs_config_destroy(config);
	if (status != VRS_OK)
		return status;
	reference->usable = reply.status == VRS_OK;
	vrs_strcpy(reference->path, sizeof reference->path, request.mattes_file);
	return VRS_OK;
}

static enum vrs_status provide_reference(struct vrs_runner *runner, const struct vrs_clip *clip, struct vrs_reference **ret, struct vrs_error *err)
{
	*ret = find_reference(runner, clip->width, clip->height);
	if (*ret || runner->reference_count == VRS_RUNNER_REFERENCES)
		return VRS_OK;
	struct vrs_reference *reference = &runner->references[runner->reference_count];
	*reference = (struct vrs_reference){.width = clip->width, .height = clip->height};
	enum vrs_status status = make_reference(runner, clip, reference, err);
	if (status != VRS_OK)
		return status;
	runner->reference_count++;
	*ret = reference;
	return VRS_OK;
}

/* Quality does not change from run to run, so one run of each cell is compared. */
/* The null backend makes no mattes. */
static bool makes_mattes(const struct vrs_runner *runner, const struct vrs_case_result *cell)
{
	const struct vrs_case *c = &runner->cases[cell - runner->result->cases];
	const char *backend = vrs_case_get(c, "engine.backend");
	return strcmp(backend ? backend : vrs_config_settings(vrs_runner_case_base(runner, c))->engine.backend, "null") != 0;
}

static bool wants_quality(const struct vrs_runner *runner, const struct vrs_case_result *cell)
{
	/* A live job drops frames, so its mattes have no known place in the film. */
	if (runner->plan.quality_frames <= 0 || vrs_cell_is_net_only(cell) || vrs_cell_live_hz(cell) > 0 || !makes_mattes(runner, cell))
		return false;
	for (int i = 0; i < cell->run_count; i++)
		if (cell->runs[i].status == VRS_RUN_OK && (!isnan(cell->runs[i].agreement) || !isnan(cell->runs[i].iou)))
			return false;
	return true;
}

static enum vrs_status fill_request(struct vrs_runner *runner, const struct vrs_case_result *cell, const struct vrs_clip *clip, int round,
				    struct vrs_run_request *request, char frames_name[128], struct vrs_error *err)
{
	char name[100], base[72];
	enum vrs_status status = VRS_OK;
	*request = (struct vrs_run_request){.rules = runner->plan.rules, .net_only = vrs_cell_is_net_only(cell), .live_hz = vrs_cell_live_hz(cell),
					    .eyes = runner->input.eyes};
	vrs_strcpy(request->input, sizeof request->input, clip->path);
	vrs_case_file_name(cell->id, base, sizeof base);
	snprintf(name, sizeof name, "%s-%04d.bin", base, round);
	snprintf(frames_name, 128, "frames/%s", name);
	if (request->net_only)
		frames_name[0] = 0; /* calls are no frames */
	else
		status = work_file(runner, "frames", name, request->frames_file);
	if (status == VRS_OK && runner->plan.soak && !request->net_only) {
		snprintf(name, sizeof name, "%s-%04d.soak.jsonl", base, round);
		status = work_file(runner, "frames", name, request->soak_file);
	}
	if (status == VRS_OK && strcmp(cell->scope, "end_to_end") == 0)
		status = work_file(runner, "work", "run.mkv", request->output);
	else
		vrs_strcpy(request->output, sizeof request->output, "null:");
	if (status != VRS_OK)
		return vrs_fail(err, status, "the name of a file in %s is too long", runner->folder);
	if (!wants_quality(runner, cell))
		return VRS_OK;
	struct vrs_reference *reference;
	status = provide_reference(runner, clip, &reference, err);
	if (status != VRS_OK)
		return status;
	request->quality_frames = runner->plan.quality_frames;
	if (reference && reference->usable)
		vrs_strcpy(request->reference_file, sizeof request->reference_file, reference->path);
	if (runner->truth.frames > 0) {
		vrs_strcpy(request->truth_file, sizeof request->truth_file, runner->truth.path);
		request->truth_width = runner->truth.width;
		request->truth_height = runner->truth.height;
		request->truth_frames = runner->truth.frames;
	}
	return VRS_OK;
}

static void read_sensors(struct vrs_runner *runner, struct vrs_run *run)
{
	vrs_machine_read_sensors(runner->machine);
	const struct vrs_sensor *sensor = vrs_machine_sensor(runner->machine, VRS_SENSOR_TEMPERATURE, NULL);
	if (sensor)
		run->temperature_c = sensor->value;
}

/* What the job said about itself goes into the cell. */
static void take_info(struct vrs_case_result *cell, const struct vrs_run_info *info)
{
	if (info->batch <= 0)
		return;
	cell->batch = info->batch;
	cell->threads = info->threads;
	cell->streams = info->streams;
	cell->net_width = info->net_width;
	cell->net_height = info->net_height;
	vrs_strcpy(cell->backend, sizeof cell->backend, info->backend);
	vrs_strcpy(cell->isa, sizeof cell->isa, info->isa);
	vrs_strcpy(cell->model, sizeof cell->model, info->model);
	if (info->layout[0])
		vrs_strcpy(cell->layout, sizeof cell->layout, info->layout);
}

static enum vrs_status record(struct vrs_runner *runner, struct vrs_case_result *cell, const struct vrs_run *run, struct vrs_error *err)
{
	struct vrs_run *kept = vrs_case_result_add_run(cell);
	if (!kept)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for another run");
	*kept = *run;
	return vrs_journal_write_run(runner->journal, cell, run, err);
}

/* Side A of an A/B may be another program; B's runs may be slowed, to prove that the gate can fail. */
static void address_request(const struct vrs_runner *runner, int index, struct vrs_run_request *request)
{
	char side = runner->cases[index].side;
	if (side == 'A' && runner->plan.versus_program[0])
		request->program = runner->plan.versus_program;
	if (side == 'B')
		request->slowdown = runner->plan.slowdown;
}

static enum vrs_status run_watched(struct vrs_runner *runner, const struct vrs_case_result *cell, int round, const struct vrs_run_request *request,
				   const struct vrs_config *config, struct vrs_run_reply *reply, struct vrs_error *err)
{
	runner->running = cell;
	runner->running_round = round;
	runner->run_start_seconds = runner->last_tick_seconds = 1e-9 * (double)vrs_now_ns();
	enum vrs_status status = vrs_run_process(runner, request, config, reply, err);
	runner->running = NULL;
	return status;
}

/* What the windows of a long run say, also of one that broke off. */
static enum vrs_status judge_soak(const struct vrs_runner *runner, const struct vrs_run_request *request, struct vrs_case_result *cell,
				  struct vrs_error *err)
{
	struct vrs_soak_window *windows;
	struct vrs_soak soak;
	int count;
	enum vrs_status status = vrs_soak_windows_read(request->soak_file, &windows, &count, err);
	if (status == VRS_ENOTFOUND) /* it did not come so far */
		return VRS_OK;
	if (status == VRS_OK)
		status = vrs_soak_judge(windows, count, &soak);
	if (status != VRS_OK)
		return status;
	vrs_free(windows);
	cell->soak_seconds = soak.seconds;
	cell->soak_windows = soak.windows;
	cell->soak_drift_percent = soak.drift_percent;
	if (soak.memory.blocks) {
		cell->soak_rss_slope = soak.memory.slope;
		cell->soak_rss_slope_low = soak.memory.low;
		cell->soak_rss_slope_high = soak.memory.high;
	}
	snprintf(cell->soak_verdict, sizeof cell->soak_verdict, "%s%s%s", vrs_soak_verdict_name(soak.verdict), soak.reasons[0] ? ": " : "", soak.reasons);
	snprintf(cell->soak_file, sizeof cell->soak_file, "%.127s", request->soak_file + strlen(runner->folder) + 1);
	return VRS_OK;
}

static enum vrs_status run_cell(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, int order, struct vrs_error *err)
{
	struct vrs_case_result *cell = &runner->result->cases[index];
	struct vrs_run_request request;
	struct vrs_run_reply reply;
	struct vrs_config *config;
	char frames_name[128], started[32];
	enum vrs_status status = fill_request(runner, cell, clip, round, &request, frames_name, err);
	if (status == VRS_OK)
		status = vrs_case_config(&runner->cases[index], vrs_runner_case_base(runner, &runner->cases[index]), &config, err);
	if (status != VRS_OK)
		return status;
	address_request(runner, index, &request);
	if (clip->derived)
		status = fix_layout(runner, &runner->cases[index], config, err);
	vrs_runner_tell(runner, VRS_RUNNER_RUN_START, NULL, cell, NULL, round);
	vrs_utc_text(started, sizeof started);
	struct vrs_noise_watch *watch = vrs_noise_watch_begin();
	if (status == VRS_OK)
		status = run_watched(runner, cell, round, &request, config, &reply, err);
	vrs_gate_judge(runner, cell, watch, round, status == VRS_OK ? &reply.run : NULL);
	vrs_config_destroy(config);
	clear_work(runner);
	if (status != VRS_OK)
		return status;
	read_sensors(runner, &reply.run);
	take_info(cell, &reply.info);
	if (request.soak_file[0])
		status = judge_soak(runner, &request, cell, err);
	if (status != VRS_OK)
		return status;
	reply.run.round = round;
	reply.run.order = order;
	vrs_strcpy(reply.run.started_utc, sizeof reply.run.started_utc, started);
	vrs_strcpy(reply.run.frames_file, sizeof reply.run.frames_file, reply.run.status == VRS_RUN_OK ? frames_name : "");
	status = record(runner, cell, &reply.run, err);
	runner->done++;
	runner->run_seconds += reply.run.process_seconds;
	vrs_runner_tell(runner, VRS_RUNNER_RUN_END, NULL, cell, &cell->runs[cell->run_count - 1], round);
	return status;
}

/* The clip of a cell; a clip that cannot be made skips the cell and is no error of ours. */
static enum vrs_status prepare_cell(struct vrs_runner *runner, int index, struct vrs_clip *clip, struct vrs_error *err)
{
	struct vrs_case_result *cell = &runner->result->cases[index];
	struct vrs_error why = {.status = VRS_OK};
	*clip = (struct vrs_clip){.label = "none: numbers go into the network"};
	enum vrs_status status = vrs_cell_is_net_only(cell) ? VRS_OK : provide_clip(runner, cell, clip, &why);
	if (status == VRS_OK) {
		vrs_strcpy(cell->clip, sizeof cell->clip, clip->label);
		return VRS_OK;
	}
	if (status == VRS_ESTOPPED)
		return vrs_fail(err, status, "%s", why.text);
	snprintf(cell->skipped, sizeof cell->skipped, "no clip: %.240s", why.text);
	vrs_runner_tell(runner, VRS_RUNNER_SKIPPED, cell->skipped, cell, NULL, 0);
	status = vrs_journal_write_run(runner->journal, cell, NULL, err);
	return status == VRS_OK ? VRS_EUNSUPPORTED : status;
}

static enum vrs_status profile_config(const struct vrs_runner *runner, const char *trace_name, struct vrs_config *config, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, trace_name);
	if (status == VRS_OK)
		status = vrs_config_set(config, "report.trace", path, VRS_SOURCE_FLAG, NULL, err);
	return status == VRS_OK ? vrs_config_set(config, "report.profile", "true", VRS_SOURCE_FLAG, NULL, err) : status;
}

enum vrs_status vrs_runner_run_apart(struct vrs_runner *runner, int index, const struct vrs_runner_apart *apart, struct vrs_run_reply *ret_reply,
				     struct vrs_error *err)
{
	const struct vrs_case_result *cell = &runner->result->cases[index];
	struct vrs_run_request request;
	struct vrs_config *config = NULL;
	struct vrs_clip clip;
	char unused[128];
	enum vrs_status status = provide_clip(runner, cell, &clip, err);
	if (status == VRS_OK)
		status = fill_request(runner, cell, &clip, 0, &request, unused, err);
	if (status == VRS_OK)
		status = vrs_path_join(request.frames_file, sizeof request.frames_file, runner->folder, apart->frames_name);
	if (status == VRS_OK)
		status = vrs_case_config(&runner->cases[index], vrs_runner_case_base(runner, &runner->cases[index]), &config, err);
	if (status == VRS_OK && clip.derived)
		status = fix_layout(runner, &runner->cases[index], config, err);
	if (status == VRS_OK && apart->trace_name)
		status = profile_config(runner, apart->trace_name, config, err);
	request.rules = apart->rules;
	request.quality_frames = 0;
	if (status == VRS_OK)
		status = vrs_run_process(runner, &request, config, ret_reply, err);
	vrs_config_destroy(config);
	clear_work(runner);
	return status;
}

/* Excluded runs are repeated at once, next to the other cells of their round. */
static enum vrs_status run_attempts(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, int order, struct vrs_error *err)
{
	enum vrs_status status;
	do {
		status = run_cell(runner, index, clip, round, order, err);
		if (status == VRS_OK && vrs_stop_requested())
			break;
	} while (status == VRS_OK && !has_run(runner, &runner->result->cases[index], round));
	if (status == VRS_OK)
		vrs_gate_close_round(runner, &runner->result->cases[index], round);
	return status;
}

/* Would the run end after the budget? Something is always measured. */
static bool is_too_long(const struct vrs_runner *runner, int index)
{
	if (runner->end_seconds <= 0 || runner->begun == 0)
		return false;
	struct vrs_run_cost cost = vrs_runner_cost(runner, index);
	return 1e-9 * (double)vrs_now_ns() + cost.prepare_seconds + cost.seconds > runner->end_seconds;
}

static enum vrs_status run_round(struct vrs_runner *runner, const int *indices, int count, int round, struct vrs_error *err)
{
	struct vrs_rng rng;
	enum vrs_status status = VRS_OK;
	int *order = vrs_realloc_array(NULL, (size_t)count + 1, sizeof *order);
	if (!order)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for a round of %d cells", count);
	for (int i = 0; i < count; i++)
		order[i] = indices[i];
	if (runner->side_a && count == 2) {
		vrs_side_order(runner->plan.seed, round, order);
	} else if (!runner->in_order) {
		vrs_rng_init(&rng, runner->plan.seed ^ ((uint64_t)round * UINT64_C(0x9e3779b97f4a7c15)));
		vrs_rng_shuffle(&rng, order, count);
	}
	for (int i = 0; i < count && status == VRS_OK; i++) {
		struct vrs_clip clip;
		const struct vrs_case_result *cell = &runner->result->cases[order[i]];
		if (is_hopeless(cell) || is_done(runner, cell, round))
			continue;
		if (vrs_stop_requested()) {
			status = vrs_fail(err, VRS_ESTOPPED, "stopped on request; every finished run is saved");
			break;
		}
		if (is_too_long(runner, order[i])) {
			runner->left_out++;
			continue;
		}
		runner->begun++;
		status = prepare_cell(runner, order[i], &clip, err);
		if (status == VRS_OK)
			status = run_attempts(runner, order[i], &clip, round, i + 1, err);
		else if (status == VRS_EUNSUPPORTED)
			status = VRS_OK;
	}
	vrs_free(order);
	return status;
}

static int count_runs(const struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds)
{
	int total = 0;
	for (int r = first_round; r < first_round + rounds; r++)
		for (int i = 0; i < count; i++)
			total += !is_hopeless(&runner->result->cases[indices[i]]) && !is_done(runner, &runner->result->cases[indices[i]], r);
	return total;
}

enum vrs_status vrs_runner_measure(struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < count; i++)
		if (indices[i] < 0 || indices[i] >= runner->result->case_count)
			return vrs_fail(err, VRS_EINVAL, "there is no cell number %d", indices[i]);
	if (count < 0 || first_round < 1 || rounds < 0 || rounds > VRS_RESULT_MAX_RUNS - first_round)
		return vrs_fail(err, VRS_EINVAL, "rounds must lie between 1 and %d", VRS_RESULT_MAX_RUNS);
	status = vrs_runner_write_plan(runner, err);
	runner->done = 0;
	runner->run_seconds = 0;
	runner->begin_seconds = runner->begin_seconds > 0 ? runner->begin_seconds : 1e-9 * (double)vrs_now_ns();
	runner->rounds_shown = first_round + rounds - 1;
	runner->total = count_runs(runner, indices, count, first_round, rounds);
	for (int r = first_round; r < first_round + rounds && status == VRS_OK; r++)
		status = run_round(runner, indices, count, r, err);
	return status;
}
