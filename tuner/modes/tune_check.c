/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be refused before anything is measured. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "bench/plan/sweep.h"
#include "tuner/modes/tune_program.h"

#define USUAL_HZ 30           /* of videos that do not say */
#define USUAL_VALUES 30       /* of all options together, that screening tries */
#define RUN_SECONDS 10.0      /* of one run: process, warm-up and its 5 s */
#define QUICK_RUN_SECONDS 4.0 /* with 1.5 s */

/* Whether FILE can be written is known before the search, not after its minutes. */
static enum vrs_status check_save(const char *path, bool overwrite, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	size_t length = (size_t)(vrs_path_base(path) - path);
	if (vrs_path_is_dir(path))
		return vrs_fail(err, VRS_ECONFIG, "--save-config: %s is a folder; name a file", path);
	if (vrs_path_exists(path) && !overwrite)
		return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", path);
	if (length >= sizeof folder)
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", path);
	snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
	if (!vrs_path_is_dir(folder))
		return vrs_fail(err, VRS_ENOTFOUND, "cannot write %s: there is no folder %s", path, folder);
	if (access(folder, W_OK) < 0)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	return VRS_OK;
}

/* Seconds from now until the next HH:MM of the local time. */
static enum vrs_status seconds_until(const char *text, double *ret_seconds, struct vrs_error *err)
{
	int64_t hour, minute;
	char word[8];
	const char *colon = strchr(text, ':');
	time_t now = time(NULL);
	struct tm local;
	bool fits = colon && colon - text <= 2;
	snprintf(word, sizeof word, "%.*s", fits ? (int)(colon - text) : 0, text);
	if (!fits || !vrs_parse_int(word, 0, 23, &hour) || strlen(colon + 1) != 2 || !vrs_parse_int(colon + 1, 0, 59, &minute) ||
	    !localtime_r(&now, &local))
		return vrs_fail(err, VRS_ECONFIG, "--finish-by wants a time of the day such as 06:00, not \"%s\"", text);
	local.tm_hour = (int)hour;
	local.tm_min = (int)minute;
	local.tm_sec = 0;
	local.tm_isdst = -1;
	double seconds = difftime(mktime(&local), now);
	if (seconds <= 0) {
		local.tm_mday++;
		local.tm_isdst = -1;
		seconds = difftime(mktime(&local), now);
	}
	*ret_seconds = seconds;
	return VRS_OK;
}

/*
 * Seconds that the searches of all sizes take at most: screening and exploring, for which they share a budget, the final, and the long runs after it,
 * each run with its process and its warm-up.
 */
static double search_seconds(const struct vrs_tune_args *args, int sizes)
{
	const struct vrs_search_options o = vrs_tune_search_options(args);
	double run = args->quick ? QUICK_RUN_SECONDS : RUN_SECONDS, finalists = 1 + o.finalists;
	double before = o.budget_seconds > 0 ? o.budget_seconds : sizes * (USUAL_VALUES * o.screen_rounds + o.explore_runs) * run;
	double after = sizes * (finalists * o.final_rounds + 2 * VRS_SEARCH_LONG_ROUNDS * o.long_run) * run;
	return args->optimize ? before + after : 0;
}

/* The speed that settings must keep: given, or what finishes the frames in time once the search has taken its own. */
static enum vrs_status find_target(struct vrs_tune_program *program, const struct vrs_settings *settings, struct vrs_error *err)
{
	const struct vrs_tune_args *args = &program->args;
	double seconds = 0, search = search_seconds(args, program->size_count ? program->size_count : 1);
	program->min_fps = settings->target.fps;
	if (!args->finish_by)
		return VRS_OK;
	if (args->goal == VRS_GOAL_LIVE)
		return vrs_fail(err, VRS_ECONFIG, "--finish-by does not go with --objective live, where frames come at a rate of their own");
	enum vrs_status status = seconds_until(args->finish_by, &seconds, err);
	if (status != VRS_OK)
		return status;
	if (seconds <= search)
		return vrs_fail(err, VRS_ECONFIG, "a search of up to %.0f minutes leaves no time until %s; --quick or a smaller --budget makes it shorter",
				ceil(search / 60), args->finish_by);
	program->min_fps = (double)args->frames / (seconds - search);
	program->finish_at = (double)time(NULL) + seconds;
	return VRS_OK;
}

double vrs_tune_live_hz(const struct vrs_tune_program *program)
{
	double own = vrs_runner_input(program->runner)->fps;
	return program->args.goal != VRS_GOAL_LIVE ? 0 : program->min_fps > 0 ? program->min_fps : own > 0 ? own : USUAL_HZ;
}

double vrs_tune_needed_fps(const struct vrs_tune_program *program)
{
	double seconds = program->finish_at - (double)time(NULL);
	if (!(program->finish_at > 0))
		return 0;
	return seconds > 0 ? (double)program->args.frames / seconds : INFINITY;
}

/* What is wrong with the network or its input size is said before a clip is drawn; sizes that the search tries are its own affair. */
static enum vrs_status check_network(const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	return status != VRS_OK ? status : vrs_manifest_warn_size(&manifest, settings, settings->engine.input_size, err);
}

/* What no settings can reach together is known before anything is measured. */
static enum vrs_status check_limits(const struct vrs_tune_args *args, const struct vrs_config *config, double min_fps, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(config);
	bool limits_latency = settings->target.max_latency_ms > 0;
	if (args->bottlenecks && args->goal != VRS_GOAL_LIVE && args->goal != VRS_GOAL_THROUGHPUT)
		return vrs_fail(err, VRS_ECONFIG, "--detect-bottlenecks looks for what limits the speed, or with --objective live the latency");
	if (args->goal != VRS_GOAL_LIVE && limits_latency && vrs_config_source(config, "target.max_latency_ms") == VRS_SOURCE_FLAG)
		return vrs_fail(err, VRS_ECONFIG, "--max-latency-ms limits the latency of live video; add --objective live");
	enum vrs_status status = args->goal == VRS_GOAL_LIVE || !limits_latency ? VRS_OK :
		vrs_config_warn(settings, "max-latency", err, "target.max_latency_ms has no effect here: it limits the latency of live video "
				"(--objective live)");
	if (status != VRS_OK)
		return status;
	if ((args->goal == VRS_GOAL_QUALITY || args->goal == VRS_GOAL_SIZE) && !(min_fps > 0))
		return vrs_fail(err, VRS_ECONFIG, "--objective %s needs --target-fps or --finish-by: without a speed to keep, the slowest settings win",
				args->goal == VRS_GOAL_SIZE ? "size" : "quality");
	if (args->memory_limit && args->memory_limit > (uint64_t)INT64_MAX)
		return vrs_fail(err, VRS_ECONFIG, "--memory-limit is more than any machine has");
	if (args->max_mbps > 0 && (settings->output.lossless || strcmp(settings->output.bitrate, "auto") != 0))
		return vrs_fail(err, VRS_ECONFIG, "--max-bitrate does not go with %s of the configuration, which sets the bit rate already",
				settings->output.lossless ? "output.lossless" : "output.bitrate");
	return VRS_OK;
}

/* The sizes of --resolution, in the words of vrbench's. */
static enum vrs_status read_sizes(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct vrs_sweep sweep = {.axis_count = 0};
	if (!program->args.resolution)
		return VRS_OK;
	enum vrs_status status = vrs_sweep_set(&sweep, VRS_SWEEP_RESOLUTION, program->args.resolution, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_axis *axis = vrs_sweep_axis(&sweep, VRS_SWEEP_RESOLUTION);
	if (axis->count > VRS_TUNE_MAX_SIZES)
		return vrs_fail(err, VRS_ECONFIG, "--resolution takes up to %d sizes", VRS_TUNE_MAX_SIZES);
	for (int i = 0; i < axis->count; i++)
		if (!vrs_parse_size2(axis->values[i], 1, INT32_MAX, program->sizes[i]))
			program->sizes[i][0] = program->sizes[i][1] = 0; /* "own" */
	program->size_count = axis->count;
	return VRS_OK;
}

/* Every file that the choices go to. */
static enum vrs_status check_files(const struct vrs_tune_program *program, struct vrs_error *err)
{
	char file[VRS_PATH_MAX];
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && program->args.save && (i == 0 || i < program->size_count); i++) {
		status = vrs_tune_save_name(program, i, file, sizeof file, err);
		if (status == VRS_OK)
			status = check_save(file, vrs_config_settings(program->config)->output.overwrite, err);
		if (status == VRS_OK && program->size_count) /* the parser knows the name before the sizes go into it */
			status = vrs_config_check_output(program->config, "save-config", file, err);
		if (status == VRS_OK && program->args.resume)
			status = vrs_runner_check_resumed(program->args.resume, program->config, "save-config", file, err);
	}
	return status;
}

enum vrs_status vrs_tune_save_name(const struct vrs_tune_program *program, int i, char *buf, size_t size, struct vrs_error *err)
{
	const char *path = program->args.save, *base = vrs_path_base(path), *dot = strrchr(base, '.');
	const int *wanted = program->sizes[i];
	int stem = (int)(dot && dot != base ? dot - path : (long)strlen(path)), length;
	if (program->size_count == 0)
		length = snprintf(buf, size, "%s", path);
	else if (wanted[0] == 0)
		length = snprintf(buf, size, "%.*s-own%s", stem, path, path + stem);
	else
		length = snprintf(buf, size, "%.*s-%dx%d%s", stem, path, wanted[0], wanted[1], path + stem);
	return (size_t)length < size ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the path %s is too long", path);
}

enum vrs_status vrs_tune_check_pick(struct vrs_tune_program *program, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	if (!program->input)
		return vrs_fail(err, VRS_ECONFIG, "--pick needs the results to pick from: vrtune --pick %s RESULTS", program->args.pick);
	enum vrs_status status = check_files(program, err);
	if (status == VRS_OK)
		status = find_target(program, settings, err);
	return status;
}

/* A candidate is a configuration that can be read. */
static enum vrs_status check_candidate(const char *path, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	if (!path)
		return VRS_OK;
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_config_load_file(config, path, VRS_SOURCE_FILE, err);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_tune_check(struct vrs_tune_program *program, struct vrs_error *err)
{
	const struct vrs_tune_args *args = &program->args;
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	enum vrs_status status = read_sizes(program, err);
	if (status == VRS_OK)
		status = check_files(program, err);
	if (status == VRS_OK)
		status = vrs_space_check_only(args->only, err);
	if (status == VRS_OK)
		status = check_candidate(args->candidate, err);
	if (status == VRS_OK)
		status = find_target(program, settings, err);
	if (status == VRS_OK)
		status = check_limits(args, program->config, program->min_fps, err);
	if (status == VRS_OK)
		status = vrs_config_settle_network(program->config, err);
	if (status == VRS_OK && !args->resume)
		status = vrs_config_warn_backend(program->config, vrs_backend_name(vrs_config_settings(program->config)->engine.backend), err);
	return status != VRS_OK ? status : check_network(settings, err);
}
