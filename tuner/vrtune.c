/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrtune: find, prove and save the best settings; name the bottleneck. Parse, run, print, exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/exit_codes.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "tuner/modes/tune_program.h"

/* Is nothing to be measured? */
static bool is_plan(const struct vrs_tune_args *args)
{
	return args->dry_run || args->list;
}

/* A folder that nobody has typed. */
struct own_folder {
	char cache[VRS_PATH_MAX], path[VRS_PATH_MAX];
};

/* The folder of the runs: --output-dir, or one of the cache that the next search replaces; NULL where no run is made. */
static enum vrs_status find_folder(const struct vrs_tune_args *args, struct own_folder *own, struct vrs_runner_options *options,
				   struct vrs_error *err)
{
	options->folder = is_plan(args) ? NULL : args->resume ? args->resume : args->folder;
	if (options->folder || is_plan(args))
		return VRS_OK;
	enum vrs_status status = vrs_cache_dir(own->cache, sizeof own->cache, err);
	if (status == VRS_OK && vrs_path_join(own->path, sizeof own->path, own->cache, "tune"))
		status = vrs_fail(err, VRS_ELIMIT, "the path %s is too long", own->cache);
	options->folder = own->path;
	options->folder_root = own->cache;
	options->overwrite = true;
	return status;
}

/* Is a typed input what a journal names? */
static bool is_input(const char *typed, const char *recorded)
{
	char *real = realpath(typed, NULL);
	bool same = strcmp(real ? real : typed, recorded) == 0;
	free(real); /* libc: of realpath */
	return same;
}

/* What runs a folder has comes from its journal, not from the command: both have to say the same. */
static enum vrs_status check_plan_resumed(const struct vrs_tune_args *args, const struct vrs_run_plan *plan, struct vrs_error *err)
{
	bool is_search = plan->scope == VRS_SCOPE_END_TO_END && !(plan->live_hz > 0) && !plan->soak && !(plan->goal > 0) && !plan->versus[0] &&
			 !plan->calibrate && !plan->techniques.file[0] && !(plan->slowdown > 0);
	if (!is_search)
		return vrs_fail(err, VRS_ECONFIG, "the runs in %s are no search, but a measurement of another kind: vrbench --resume goes on with it",
				args->resume);
	if (args->memory_limit && (int64_t)args->memory_limit != plan->memory_limit_bytes)
		return vrs_fail(err, VRS_ECONFIG, "the search in %s was begun with --memory-limit %lld, not %lld: give the same command, or start anew in "
				"another folder", args->resume, (long long)plan->memory_limit_bytes, (long long)args->memory_limit);
	if (args->quick != plan->quick)
		return vrs_fail(err, VRS_ECONFIG, "the search in %s was begun %s --quick: give the same command, or start anew in another folder", args->resume,
				plan->quick ? "with" : "without");
	char words[sizeof plan->search];
	vrs_tune_search_words(args, words, sizeof words);
	if (plan->search[0] && strcmp(plan->search, words) != 0)
		return vrs_fail(err, VRS_ECONFIG, "the search in %s was begun with %.300s, not with %.300s: give the same command, or start anew in another folder",
				args->resume, plan->search, words);
	return VRS_OK;
}

/* A search goes on with the runs of its own clip and settings; the clip need not be typed again. */
static enum vrs_status check_resumed(struct vrs_tune_program *program, struct vrs_error *err)
{
	int rows;
	char now[VRS_PATH_MAX], then[VRS_PATH_MAX];
	const struct vrs_option *table = vrs_option_table(&rows);
	const char *began = vrs_runner_plan(program->runner)->input, *folder = program->args.resume;
	struct vrs_config *config = NULL;
	if (program->input && !is_input(program->input, began))
		return vrs_fail(err, VRS_ECONFIG, "the search in %s was begun with %s, not with %s: leave that out, or start anew in another folder", folder,
				began[0] ? began : "the built-in clip", program->input);
	program->input = began[0] ? began : NULL;
	enum vrs_status status = check_plan_resumed(&program->args, vrs_runner_plan(program->runner), err);
	if (status != VRS_OK)
		return status;
	status = vrs_config_copy(&config, program->config);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot compare settings: %s", vrs_status_str(status));
	vrs_config_settle_ranges(config);
	for (int i = 0; status == VRS_OK && i < rows; i++)
		if (vrs_option_is_recorded(&table[i]) && vrs_config_get(config, table[i].key, now, sizeof now) == VRS_OK &&
		    vrs_config_get(vrs_runner_base(program->runner), table[i].key, then, sizeof then) == VRS_OK && strcmp(now, then) != 0)
			status = vrs_fail(err, VRS_ECONFIG, "the search in %s was begun with %s: %s, not %s: give the same command, or start anew in another folder",
					  folder, table[i].key, then, now);
	vrs_config_destroy(config);
	return status;
}

static enum vrs_status open_runner(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct own_folder own;
	const struct vrs_tune_args *args = &program->args;
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	struct vrs_runner_options options = vrs_runner_options_default();
	enum vrs_status status = find_folder(args, &own, &options, err);
	if (status != VRS_OK)
		return status;
	options.input = program->input;
	options.resume = args->resume && !is_plan(args);
	options.overwrite |= settings->output.overwrite;
	options.plan.quick = args->quick;
	options.plan.memory_limit_bytes = (int64_t)args->memory_limit;
	vrs_strcpy(options.plan.command, sizeof options.plan.command, args->command);
	vrs_tune_search_words(args, options.plan.search, sizeof options.plan.search);
	options.add_devices = vrs_machine_add_opencl;
	options.check_device = vrs_machine_check_opencl;
	options.on_event = vrs_tune_progress_event;
	options.cookie = &program->progress;
	if (args->quick) {
		options.plan.rules.warmup_min_seconds = 0.5;
		options.plan.rules.warmup_max_seconds = 3;
		options.plan.rules.warmup_min_frames = 8; /* few, so that 4K at 10 frames/s is a matter of minutes as well */
		options.plan.rules.duration_seconds = 1.5;
		options.plan.rules.min_frames = 15;
		options.plan.quality_frames = 12; /* as many as slow runs have, too */
	} else {
		options.plan.rules.duration_seconds = 5;
	}
	vrs_recorder_rules_limit(&options.plan.rules, settings->pipeline.max_frames);
	status = vrs_runner_create(&program->runner, &options, program->config, err);
	return status == VRS_OK && options.resume ? check_resumed(program, err) : status;
}

/* A folder that the user named keeps the result of all runs. */
static enum vrs_status keep_result(const struct vrs_tune_program *program, const char *folder, struct vrs_error *err)
{
	enum vrs_status status = vrs_runner_finish(program->runner, true, err);
	if (status == VRS_OK)
		fprintf(program->results, "all runs: %s (vranalyze %s shows them)\n", folder, folder);
	return status;
}

/* How to go on, with the files of the sizes that were done, if there are any.  kept: the folder of --output-dir or --resume; NULL: none. */
static void say_interrupted(const struct vrs_tune_program *program, const char *kept)
{
	if (getenv("VRSEG_CALLER")) /* it knows how its own command goes on */
		return;
	if (kept && !vrs_runner_folder_is_used(kept))
		fprintf(stderr, "vrtune: interrupted before anything was measured\n");
	else if (kept)
		fprintf(stderr, "vrtune: interrupted; the same command with --resume %s%s goes on\n", kept, program->saved ? " --overwrite" : "");
	else if (program->printed)
		fprintf(stderr, "vrtune: interrupted after %d of %d sizes; --output-dir DIR keeps the runs for --resume DIR\n", program->printed,
			program->size_count);
	else
		fprintf(stderr, "vrtune: interrupted before anything was chosen; --output-dir DIR keeps the runs for --resume DIR\n");
}

/* A full disk or the like: the runs that were finished are still there. */
static enum vrs_status say_unfinished(const struct vrs_tune_program *program, const char *kept, enum vrs_status status, struct vrs_error *err)
{
	if (getenv("VRSEG_CALLER") || !kept || is_plan(&program->args) || !vrs_runner_folder_is_used(kept))
		return status;
	return vrs_fail(err, status, "%s; every finished run is saved; the same command with --resume %s%s goes on", err->text, kept,
			program->saved ? " --overwrite" : "");
}

static enum vrs_status measure(struct vrs_tune_program *program, int *ret_exit, struct vrs_error *err)
{
	const struct vrs_tune_args *args = &program->args;
	const char *kept = args->resume ? args->resume : args->folder;
	bool feasible = true;
	enum vrs_status status = vrs_tune_check(program, err);
	if (status != VRS_OK)
		return status;
	vrs_tune_progress_init(&program->progress, vrs_config_settings(program->config)->report.progress, stderr);
	status = open_runner(program, err);
	if (status == VRS_OK && args->list)
		status = vrs_tune_list(program, err);
	else if (status == VRS_OK && args->dry_run)
		status = vrs_tune_plan(program, err);
	else if (status == VRS_OK && args->optimize)
		status = vrs_tune_optimize(program, &feasible, err);
	else if (status == VRS_OK && args->bottlenecks)
		status = vrs_tune_bottlenecks(program, err);
	if (status == VRS_OK && kept && !is_plan(args))
		status = keep_result(program, kept, err);
	if (status == VRS_OK && !feasible)
		*ret_exit = VRS_EXIT_INFEASIBLE;
	vrs_tune_progress_end(&program->progress);
	vrs_runner_destroy(program->runner);
	if (status == VRS_ESTOPPED)
		say_interrupted(program, kept);
	return vrs_status_may_pass(status) ? say_unfinished(program, kept, status, err) : status;
}

static enum vrs_status run(struct vrs_tune_program *program, int *ret_exit, struct vrs_error *err)
{
	if (program->args.dump_config)
		return vrs_config_print(program->config, stdout, VRS_WRITE_ALL);
	if (program->args.replay && program->input)
		return vrs_fail(err, VRS_ECONFIG, "--replay measures nothing, so there is no use for %s", program->input);
	if (program->args.pick) {
		bool feasible;
		enum vrs_status status = vrs_tune_pick(program, &feasible, err);
		if (status == VRS_OK && !feasible)
			*ret_exit = VRS_EXIT_INFEASIBLE;
		return status;
	}
	return program->args.replay ? vrs_tune_replay(program, err) : measure(program, ret_exit, err);
}

static void remember_command(struct vrs_tune_args *args, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		size_t used = strlen(args->command);
		snprintf(args->command + used, sizeof args->command - used, "%s%s", i ? " " : "", i ? argv[i] : vrs_path_base(argv[i]));
	}
}

/* What a recipe asks for, in flags. */
static void say_recipe(const struct vrs_tune_args *args, const struct vrs_recipe *recipe)
{
	char flags[512] = "";
	for (int i = 0; i < recipe->own; i++) {
		size_t used = strlen(flags);
		snprintf(flags + used, sizeof flags - used, " %s", recipe->argv[1 + i]);
	}
	if (args->recipe)
		vrs_log(VRS_LOG_INFO, "recipe %s:%s", args->recipe, flags);
}

static int run_vrtune(int argc, char **argv)
{
	if (vrs_runner_is_child(argc, argv))
		return vrs_runner_child_main(stdin, stdout);
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_tune_program program = {.args = vrs_tune_args_default(), .results = stdout};
	const char **operands = NULL;
	int count = 0, code = 0;
	vrs_stop_install();
	vrs_messages_begin("vrtune", NULL, NULL);
	remember_command(&program.args, argc, argv);
	struct vrs_recipe recipe;
	enum vrs_status status = vrs_recipe_apply(&recipe, argc, argv, &err);
	if (status == VRS_OK)
		status = vrs_config_create(&program.config);
	if (status == VRS_OK)
		status = vrs_cli_parse(program.config, &vrs_tune_spec, recipe.argc, recipe.argv, &program.args, stdout, &operands, &count, &err);
	if (status == VRS_OK && program.args.resume) /* before a log is appended to */
		status = vrs_runner_check_resumed(program.args.resume, program.config, NULL, NULL, &err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(program.config, &err);
	program.input = status == VRS_OK && count ? operands[0] : NULL;
	if (status == VRS_OK)
		say_recipe(&program.args, &recipe);
	if (status == VRS_OK)
		status = run(&program, &code, &err);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	vrs_recipe_fini(&recipe, argv);
	int failure = vrs_messages_end(status, &err);
	return failure ? failure : code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vrtune, argc, argv);
}
