/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrtune: find, prove and save the best settings; name the bottleneck. Parse, run, print, exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vrseg/config.h>
#include <vrseg/exit_codes.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/run/runner.h"
#include "reports/report.h"
#include "tuner/advice_trial.h"
#include "tuner/search_replay.h"
#include "tuner/search.h"
#include "tuner/measure.h"
#include "tuner/tune_findings.h"
#include "tuner/tune_progress.h"
#include "tuner/tune_yaml.h"

#define BOTTLENECK_ROUNDS 3
#define TRIAL_ROUNDS 8 /* the fewest that a verdict takes */
#define QUICK_VALUES 2 /* of each knob */
#define REPLAY_SEARCHES 200

struct arguments {
	bool optimize, bottlenecks, tries, quick, dump_config;
	const char *replay;      /* results of a sweep, file or folder */
	int64_t searches;
	const char *strategy;    /* its name, "auto" or NULL */
	double budget_seconds;
	const char *save, *folder, *resume, *only; /* resume: the folder of a search to go on with */
	int64_t rounds;          /* of the final; 0: the mode's own */
	int goal;                /* enum vrs_goal */
	double max_iou_loss;     /* negative: the default */
	double min_iou, max_mbps; /* 0: none */
	uint64_t memory_limit;   /* 0: the runner's own */
	const char *finish_by;   /* "06:00" or NULL */
	int64_t frames;          /* to be done by then */
	char command[1024];
};

static const struct vrs_cli_action actions[] = {
	{.flag = "auto-optimize", VRS_SWITCH_FIELD(struct arguments, optimize), .brief = "find the fastest settings with as good a matte",
	 .group = "What to do",
	 .help = "Find the fastest settings of this machine whose matte is as good as the default's"},
	{.flag = "detect-bottlenecks", VRS_SWITCH_FIELD(struct arguments, bottlenecks), .brief = "say what limits the current settings",
	 .group = "What to do", .help = "Measure the current settings, and say what limits them"},
	{.flag = "try", VRS_SWITCH_FIELD(struct arguments, tries), .brief = "measure the advice, too", .group = "What to do",
	 .help = "With --detect-bottlenecks: measure what each advice gives, in eight rounds with the current settings"},
	{.flag = "save-config", VRS_TEXT_FIELD(struct arguments, save), .file = VRS_FILE_WRITTEN, .brief = "write the chosen settings to FILE",
	 .value_name = "FILE", .group = "Search", .help = "Write the chosen settings to FILE, as YAML for vrseg -c"},
	{.flag = "only", VRS_TEXT_FIELD(struct arguments, only), .brief = "tune these options only",
	 .value_name = "KEYS", .group = "Search", .help = "Tune only these options (\"batch_size threads\")"},
	{.flag = "replay", VRS_TEXT_FIELD(struct arguments, replay), .file = VRS_FILE_READ, .brief = "try the search on a recorded sweep",
	 .value_name = "RESULTS", .group = "What to do",
	 .help = "Search in the results of a sweep of all combinations (vrbench --sweep, mode: product), many times, and say how near the best it comes"},
	{.flag = "searches", VRS_INT_FIELD(struct arguments, searches), .min = 1, .max = 100000, .value_name = "N", .group = "Search",
	 .help = "With --replay: search N times (200)"},
	{.flag = "strategy", VRS_TEXT_FIELD(struct arguments, strategy), .choices = "auto exhaustive halving descent surrogate",
	 .value_name = "NAME", .group = "Search", .brief = "choose combinations by NAME",
	 .help = "Choose what to combine by NAME: exhaustive measures everything, halving many shortly and the better ones longer, descent one option after "
		 "the other, surrogate where a model of the speed expects most; auto is exhaustive where that is cheap, else surrogate"},
	{.flag = "budget", VRS_TIME_FIELD(struct arguments, budget_seconds), .value_name = "TIME", .group = "Search",
	 .help = "Measure for about TIME (10m, 90s); the final always has its rounds"},
	{.flag = "quick", VRS_SWITCH_FIELD(struct arguments, quick), .brief = "shorter runs and fewer values: minutes",
	 .group = "Search", .help = "Use shorter runs, two values of each option and one finalist: minutes"},
	{.flag = "rounds", VRS_INT_FIELD(struct arguments, rounds), .min = 1, .max = 200, .value_name = "N", .group = "Search",
	 .help = "Run the final for N interleaved rounds; fewer than 8 verify nothing"},
	{.flag = "max-iou-loss", VRS_NUMBER_FIELD(struct arguments, max_iou_loss), .min = 0, .max = 1, .brief = "IoU that a faster setting may cost",
	 .value_name = "LOSS", .group = "Search", .help = "Accept a faster setting that costs up to LOSS of IoU (0.005)"},
	{.flag = "objective", VRS_CHOICE_FIELD(struct arguments, goal), .choices = VRS_GOAL_NAMES, .brief = "what the best settings are best in",
	 .value_name = "NAME", .group = "Search",
	 .help = "Search for the fastest settings (throughput), or for the best mattes (quality) or smallest output (size) at a speed that "
		 "--target-fps or --finish-by sets"},
	{.flag = "finish-by", VRS_TEXT_FIELD(struct arguments, finish_by), .value_name = "HH:MM", .group = "Search",
	 .help = "Accept only settings that finish --frames before this time of the day, when the job begins as the search ends"},
	{.flag = "frames", VRS_INT_FIELD(struct arguments, frames), .min = 1, .max = 1e12, .value_name = "N", .group = "Search",
	 .help = "Take a job of N frames for --finish-by"},
	{.flag = "min-iou", VRS_NUMBER_FIELD(struct arguments, min_iou), .min = 0, .max = 1, .value_name = "IOU", .group = "Search",
	 .help = "Accept only mattes of this IoU with truth; where the clip has none, with the default's fp32 mattes"},
	{.flag = "memory-limit", VRS_BYTES_FIELD(struct arguments, memory_limit), .value_name = "BYTES", .group = "Search",
	 .help = "Accept only settings whose process stays below this (90 % of what is free)"},
	{.flag = "max-bitrate", VRS_NUMBER_FIELD(struct arguments, max_mbps), .min = 0.001, .max = 1e6, .value_name = "MBIT/S", .group = "Search",
	 .help = "Accept outputs of up to this many Mbit/s at the clip's frame rate (without it, half as much again as the default's)"},
	{.flag = "output-dir", VRS_TEXT_FIELD(struct arguments, folder), .brief = "keep every measured run in DIR", .value_name = "DIR",
	 .group = "Search",
	 .help = "Keep every measured run here, so that the search can resume"},
	{.flag = "resume", VRS_TEXT_FIELD(struct arguments, resume), .brief = "continue the search in DIR", .value_name = "DIR", .group = "Search",
	 .help = "Continue the search in DIR: give the same command; runs that DIR has are not repeated"},
	{.flag = "dump-config", VRS_SWITCH_FIELD(struct arguments, dump_config), .group = "What to do",
	 .help = "Print the configuration that the search starts from, with the source of each value, and exit"},
	{.flag = NULL},
};

static const struct vrs_rule flag_rules[] = {
	{"--auto-optimize", VRS_EXCLUDES, "--detect-bottlenecks", "they are two different things"},
	{NULL, VRS_NEEDS, "--auto-optimize --detect-bottlenecks --replay --dump-config",
	 "say what to do: --auto-optimize or --detect-bottlenecks (--help shows all)"},
	{"--replay", VRS_EXCLUDES, "--auto-optimize --detect-bottlenecks --output-dir --resume --save-config --only", "it measures nothing"},
	{"--try", VRS_NEEDS, "--detect-bottlenecks", "it measures that advice"},
	{"--searches", VRS_NEEDS, "--replay", "a search on this machine happens once"},
	{"--strategy --budget --rounds --max-iou-loss --min-iou --max-bitrate", VRS_NEEDS, "--auto-optimize --replay", "it is about the search"},
	{"--save-config --only --target-fps --objective --memory-limit --finish-by --frames", VRS_NEEDS, "--auto-optimize", "it is about the search"},
	{NULL, VRS_EXCLUDES, "--max-latency-ms", "--max-latency-ms limits the latency of live jobs, and vrtune measures none: use vrbench --mode live@HZ"},
	{"--finish-by", VRS_EXCLUDES, "--target-fps", "it sets the target"},
	{"--finish-by", VRS_NEEDS, "--frames", "it takes the number of frames to know the speed"},
	{"--frames", VRS_NEEDS, "--finish-by", "it takes the time to know the speed"},
	{"--resume", VRS_EXCLUDES, "--output-dir", "it names the folder"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrtune",
	.summary = "find the fastest settings for cutting people out of VR video",
	.program_bit = VRS_PROGRAM_VRTUNE,
	.usage = "vrtune --auto-optimize [--save-config FILE] [VIDEO]\nvrtune --detect-bottlenecks [VIDEO]",
	.intro = "Find the best settings for this machine, and prove them: candidates and the default are measured in interleaved rounds, "
		 "and only a proven gain replaces the default. Settings that you give (flags, -c FILE) stay as they are. Without VIDEO, a "
		 "synthetic clip is measured; your own kind of video is better.",
	.actions = actions,
	.rules = flag_rules,
	.examples = "  vrtune --auto-optimize --save-config my.yaml video.mp4\n"
		    "  vrseg -c my.yaml video.mp4 -o out.mp4\n"
		    "  vrtune --detect-bottlenecks --try video.mp4\n",
	.min_operands = 0,
	.max_operands = 1,
};

/* Runs go to --output-dir, or to a folder of the cache that the next search replaces. */
static enum vrs_status open_runner(const struct arguments *args, const struct vrs_config *config, const char *input,
				   struct vrs_tune_progress *progress, struct vrs_runner **ret_runner, struct vrs_error *err)
{
	char cache[VRS_PATH_MAX], folder[VRS_PATH_MAX];
	struct vrs_runner_options options = vrs_runner_options_default();
	enum vrs_status status = VRS_OK;
	const char *kept = args->resume ? args->resume : args->folder;
	if (!kept) {
		status = vrs_cache_dir(cache, sizeof cache, err);
		if (status == VRS_OK && vrs_path_join(folder, sizeof folder, cache, "tune"))
			status = vrs_fail(err, VRS_ELIMIT, "the path %s is too long", cache);
	}
	if (status != VRS_OK)
		return status;
	options.folder = kept ? kept : folder;
	options.input = input;
	options.resume = args->resume != NULL;
	options.overwrite = !kept || vrs_config_settings(config)->output.overwrite;
	options.plan.quick = args->quick;
	options.plan.memory_limit_bytes = (int64_t)args->memory_limit;
	vrs_strcpy(options.plan.command, sizeof options.plan.command, args->command);
	options.add_devices = vrs_machine_add_opencl;
	options.on_event = vrs_tune_progress_event;
	options.cookie = progress;
	if (args->quick) {
		options.plan.rules.warmup_min_seconds = 0.5;
		options.plan.rules.warmup_max_seconds = 3;
		options.plan.rules.warmup_min_frames = 15;
		options.plan.rules.duration_seconds = 1.5;
		options.plan.rules.min_frames = 30;
	} else {
		options.plan.rules.duration_seconds = 5;
	}
	vrs_recorder_rules_limit(&options.plan.rules, vrs_config_settings(config)->pipeline.max_frames);
	return vrs_runner_create(ret_runner, &options, config, err);
}

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

static enum vrs_status save_choice(const struct arguments *args, const struct vrs_search_result *result, const struct vrs_objective *objective,
				   struct vrs_runner *runner, const char *input, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "cannot read this machine's properties: %s", vrs_status_str(status));
	else
		status = vrs_tune_yaml_write(result, objective, vrs_runner_base(runner), machine, input, args->save, err);
	vrs_free(machine);
	if (status == VRS_OK)
		printf("saved: %s (use it with vrseg -c %s)\n", args->save, args->save);
	return status;
}

static enum vrs_status print_choice(const struct vrs_search_result *result, const struct vrs_space *space, const struct vrs_objective *objective,
				    struct vrs_error *err)
{
	char line[VRS_VERDICT_LINE_MAX];
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		vrs_tune_findings(result, space, findings);
		vrs_tune_limits(result, objective, findings);
		if (!result->feasible)
			vrs_tune_infeasible(result, findings);
	}
	enum vrs_status status = vrs_report_show(findings, stdout, err);
	if (status != VRS_OK)
		return status;
	vrs_tune_line(result, line, sizeof line);
	if (result->feasible)
		printf("\n%s\n", line);
	if (objective->min_fps > 0 || !result->feasible) {
		vrs_tune_target_line(result, objective->min_fps, line, sizeof line);
		printf("%s%s\n", result->feasible ? "" : "\n", line);
	}
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

/* The speed that settings must keep: given, or what finishes the frames in time once the search has taken its own. */
static enum vrs_status find_target(const struct arguments *args, const struct vrs_settings *settings, double *ret_fps, struct vrs_error *err)
{
	double seconds = 0;
	*ret_fps = settings->target.fps;
	if (!args->finish_by)
		return VRS_OK;
	enum vrs_status status = seconds_until(args->finish_by, &seconds, err);
	if (status != VRS_OK)
		return status;
	if (seconds <= args->budget_seconds)
		return vrs_fail(err, VRS_ECONFIG, "--budget leaves no time until %s", args->finish_by);
	*ret_fps = (double)args->frames / (seconds - args->budget_seconds);
	return VRS_OK;
}

static struct vrs_search_options search_options(const struct arguments *args)
{
	struct vrs_search_options options = vrs_search_options_default(args->quick);
	options.objective.goal = (enum vrs_goal)args->goal;
	options.objective.min_iou = args->min_iou;
	options.objective.max_kbps = 1000 * args->max_mbps;
	options.strategy = args->strategy ? vrs_strategy_find(args->strategy) : NULL; /* NULL for auto */
	options.budget_seconds = args->budget_seconds;
	if (args->rounds)
		options.final_rounds = (int)args->rounds;
	if (args->max_iou_loss >= 0) {
		options.objective.max_iou_loss = args->max_iou_loss;
		options.objective.min_agreement = 1 - args->max_iou_loss;
	}
	return options;
}

static enum vrs_status optimize(const struct arguments *args, const struct vrs_config *config, struct vrs_runner *runner, const char *input,
				struct vrs_tune_progress *progress, double min_fps, bool *ret_feasible, struct vrs_error *err)
{
	struct vrs_search_options options = search_options(args);
	struct vrs_tune_measure measure = {.runner = runner, .next_round = 1, .on_step = vrs_tune_progress_step, .cookie = progress};
	struct vrs_space space;
	struct vrs_search_result result;
	options.objective.memory_limit_bytes = vrs_runner_plan(runner)->memory_limit_bytes;
	options.objective.min_fps = min_fps;
	enum vrs_status status = vrs_space_build(&space, config, vrs_runner_input(runner)->cpus, args->only, err);
	if (status == VRS_OK && args->quick)
		vrs_space_thin(&space, QUICK_VALUES);
	if (status == VRS_OK)
		status = vrs_search(&space, &options, vrs_tune_measure, &measure, &result, err);
	vrs_tune_progress_end(progress);
	if (status != VRS_OK)
		return status;
	*ret_feasible = result.feasible;
	status = print_choice(&result, &space, &options.objective, err);
	if (status == VRS_OK && args->save && result.feasible)
		status = save_choice(args, &result, &options.objective, runner, input, err);
	vrs_search_result_fini(&result);
	return status;
}

/* All strategies, or the one that --strategy names, on a recorded sweep. */
static enum vrs_status replay(const struct arguments *args, struct vrs_error *err)
{
	struct vrs_replay_score scores[VRS_STRATEGIES_MAX];
	struct vrs_search_options options = search_options(args);
	const struct vrs_strategy *named = options.strategy;
	struct vrs_recorded_sweep *sweep = NULL;
	struct vrs_result *result = NULL;
	char folder[VRS_PATH_MAX];
	int count = 0;
	enum vrs_status status = vrs_dataset_load(&result, args->replay, folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_recorded_sweep_open(&sweep, result, err);
	for (int i = 0; status == VRS_OK && vrs_strategies()[i]; i++) {
		if (named && named != vrs_strategies()[i])
			continue;
		options.strategy = vrs_strategies()[i];
		status = vrs_replay(sweep, &options, args->searches ? (int)args->searches : REPLAY_SEARCHES, &scores[count++], err);
	}
	if (status == VRS_OK) {
		struct vrs_findings *findings = vrs_findings_create();
		if (findings)
			vrs_replay_findings(sweep, &options.objective, scores, count, findings);
		status = vrs_report_show(findings, stdout, err);
	}
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
	return status;
}

/*
 * Measure what the rules propose beside the current settings: *ret_result becomes the result of both, or stays where nothing is proposed.
 */
static enum vrs_status try_advice(struct vrs_tune_measure *measure, struct vrs_result **ret_result, bool *ret_tried, struct vrs_error *err)
{
	struct vrs_case cases[1 + VRS_ADVICE_TRIAL_MAX];
	struct vrs_result *tried = NULL;
	memset(&cases[0], 0, sizeof cases[0]);
	int count = vrs_advice_trial_cases(*ret_result, &(*ret_result)->cases[0], vrs_runner_input(measure->runner)->cpus, &cases[1]);
	*ret_tried = count > 0;
	if (count == 0)
		return VRS_OK;
	enum vrs_status status = vrs_tune_measure(measure, &(struct vrs_step){"trying", "what the rules advise"}, cases, 1 + count, TRIAL_ROUNDS,
						  &tried, err);
	if (status == VRS_OK) {
		vrs_result_destroy(*ret_result);
		*ret_result = tried;
	}
	return status;
}

static enum vrs_status show_limits(const struct vrs_result *result, int cpus, bool tried, struct vrs_error *err)
{
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		snprintf(findings->title, sizeof findings->title, "What limits the current settings");
		vrs_case_limits(result, &result->cases[0], cpus, findings); /* advice that was measured says what it gave, or goes */
		if (tried)
			vrs_advice_trial_table(result, &objective, findings);
	}
	return vrs_report_show(findings, stdout, err);
}

static enum vrs_status detect_bottlenecks(const struct arguments *args, struct vrs_runner *runner, struct vrs_tune_progress *progress,
					  struct vrs_error *err)
{
	struct vrs_tune_measure measure = {.runner = runner, .next_round = 1, .on_step = vrs_tune_progress_step, .cookie = progress};
	struct vrs_case base;
	struct vrs_result *result = NULL;
	bool tried = false;
	memset(&base, 0, sizeof base);
	enum vrs_status status = vrs_tune_measure(&measure, &(struct vrs_step){"measuring", ""}, &base, 1, BOTTLENECK_ROUNDS, &result, err);
	const struct vrs_case_result *c = status == VRS_OK ? &result->cases[0] : NULL;
	if (c && vrs_case_result_ok_runs(c) == 0)
		status = vrs_fail(err, VRS_EINTERNAL, "nothing could be measured: %s",
				  vrs_case_result_is_skipped(c) ? c->skipped : c->run_count ? c->runs[0].reason : "no run was made");
	if (status == VRS_OK && args->tries)
		status = try_advice(&measure, &result, &tried, err);
	vrs_tune_progress_end(progress);
	if (status == VRS_OK)
		status = show_limits(result, vrs_runner_input(runner)->cpus, tried, err);
	vrs_result_destroy(result);
	return status;
}

/* What is wrong with the network or its input size is said before a clip is drawn; sizes that the search tries are its own affair. */
static enum vrs_status check_network(const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	return status != VRS_OK ? status : vrs_manifest_warn_size(&manifest, settings, settings->engine.input_size, err);
}

/* What no settings can reach together is known before anything is measured. */
static enum vrs_status check_limits(const struct arguments *args, const struct vrs_settings *settings, double min_fps, struct vrs_error *err)
{
	if (args->goal != VRS_GOAL_THROUGHPUT && !(min_fps > 0))
		return vrs_fail(err, VRS_ECONFIG, "--objective %s needs --target-fps or --finish-by: without a speed to keep, the slowest settings win",
				args->goal == VRS_GOAL_SIZE ? "size" : "quality");
	if (args->memory_limit && args->memory_limit > (uint64_t)INT64_MAX)
		return vrs_fail(err, VRS_ECONFIG, "--memory-limit is more than any machine has");
	if (args->max_mbps > 0 && (settings->output.lossless || strcmp(settings->output.bitrate, "auto") != 0))
		return vrs_fail(err, VRS_ECONFIG, "--max-bitrate does not go with %s of the configuration, which sets the bit rate already",
				settings->output.lossless ? "output.lossless" : "output.bitrate");
	return VRS_OK;
}

/* Everything that can be refused before a runner begins, which may draw a clip first. */
static enum vrs_status check_arguments(const struct arguments *args, struct vrs_config *config, double *ret_fps, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(config);
	enum vrs_status status = args->save ? check_save(args->save, settings->output.overwrite, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_space_check_only(args->only, err);
	if (status == VRS_OK)
		status = find_target(args, settings, ret_fps, err);
	if (status == VRS_OK && args->optimize)
		status = check_limits(args, settings, *ret_fps, err);
	if (status == VRS_OK)
		status = vrs_config_settle_network(config, err);
	return status != VRS_OK ? status : check_network(settings, err);
}

static enum vrs_status run(const struct arguments *args, struct vrs_config *config, const char *input, int *ret_exit, struct vrs_error *err)
{
	bool feasible = true;
	double min_fps = 0;
	struct vrs_tune_progress progress;
	struct vrs_runner *runner = NULL;
	if (args->dump_config)
		return vrs_config_write(config, stdout, VRS_WRITE_ALL);
	if (args->replay && input)
		return vrs_fail(err, VRS_ECONFIG, "--replay measures nothing, so there is no use for %s", input);
	if (args->replay)
		return replay(args, err);
	enum vrs_status status = check_arguments(args, config, &min_fps, err);
	if (status != VRS_OK)
		return status;
	vrs_tune_progress_init(&progress, vrs_config_settings(config)->report.progress, stderr);
	status = open_runner(args, config, input, &progress, &runner, err);
	if (status == VRS_OK && args->optimize)
		status = optimize(args, config, runner, input, &progress, min_fps, &feasible, err);
	if (status == VRS_OK && args->bottlenecks)
		status = detect_bottlenecks(args, runner, &progress, err);
	if (status == VRS_OK && !feasible)
		*ret_exit = VRS_EXIT_INFEASIBLE;
	vrs_tune_progress_end(&progress);
	vrs_runner_destroy(runner);
	if (status == VRS_ESTOPPED && (args->folder || args->resume))
		fprintf(stderr, "vrtune: interrupted; the same command with --resume %s goes on\n", args->resume ? args->resume : args->folder);
	else if (status == VRS_ESTOPPED)
		fprintf(stderr, "vrtune: interrupted before anything was chosen; --output-dir DIR keeps the runs for --resume DIR\n");
	return status;
}

static void remember_command(struct arguments *args, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		size_t used = strlen(args->command);
		snprintf(args->command + used, sizeof args->command - used, "%s%s", i ? " " : "", i ? argv[i] : vrs_path_base(argv[i]));
	}
}

static int run_vrtune(int argc, char **argv)
{
	if (vrs_runner_is_child(argc, argv))
		return vrs_runner_child_main(stdin, stdout);
	struct vrs_error err = {.status = VRS_OK};
	struct arguments args = {.max_iou_loss = -1};
	struct vrs_config *config = NULL;
	const char **operands = NULL;
	int count = 0, code = 0;
	vrs_stop_install();
	vrs_messages_begin("vrtune", NULL, NULL);
	remember_command(&args, argc, argv);
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_cli_parse(config, &spec, argc, argv, &args, stdout, &operands, &count, &err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(config, &err);
	if (status == VRS_OK)
		status = run(&args, config, count ? operands[0] : NULL, &code, &err);
	vrs_free(operands);
	vrs_config_destroy(config);
	int failure = vrs_messages_end(status, &err);
	return failure ? failure : code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vrtune, argc, argv);
}
