/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement that the flags ask for: options of the runner, axes, exit codes. */
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/interval_goal.h"
#include "bench/judge/noise_record.h"
#include "bench/modes/bench_args.h"
#include "bench/modes/techniques_mode.h"

/* Measurements whose scope and mode are one value; those of a sweep are axes. */
static bool has_one_kind(const struct vrs_bench_args *args)
{
	return args->versus || args->calibrate || args->techniques;
}

/* The option that the values of a list are for; NULL: clip size, scope and mode are no options. */
static const struct vrs_option *option_of(const struct vrs_cli_action *flag)
{
	return vrs_option_find_flag(flag->flag, VRS_PROGRAM_VRBENCH);
}

/* The list that was given with this flag; NULL: none, or not a flag of values. */
static const char *list_of(const struct vrs_bench_args *args, const struct vrs_cli_action *flag)
{
	if (flag->type != VRS_FLAG_LIST && flag->type != VRS_FLAG_NAMES)
		return NULL;
	return *(const char *const *)((const char *)args + flag->offset);
}

/* A list of one value is a plain setting: the default case has it, and so has the network alone. */
static enum vrs_status settle(struct vrs_config *config, const struct vrs_cli_action *flag, const char *list, struct vrs_error *err)
{
	char shown[64];
	const struct vrs_option *row = option_of(flag);
	if (!row || row->state != VRS_OPT_READY || vrs_flag_is_list(flag, list))
		return VRS_OK;
	snprintf(shown, sizeof shown, "--%s", flag->flag);
	if (flag->type == VRS_FLAG_LIST && strchr(list, '-'))
		return vrs_fail(err, VRS_ECONFIG, "%s %s: write %s*2 for a range that doubles, or FIRST:LAST:STEP", shown, list, list);
	return vrs_config_set(config, row->key, list, VRS_SOURCE_FLAG, shown, err);
}

enum vrs_status vrs_bench_args_finish(struct vrs_bench_args *args, struct vrs_config *config, struct vrs_error *err)
{
	struct vrs_case kind = {.value_count = 0};
	enum vrs_status status = VRS_OK;
	for (const struct vrs_cli_action *flag = vrs_bench_cli_spec.actions; flag->flag && status == VRS_OK; flag++)
		if (list_of(args, flag))
			status = settle(config, flag, list_of(args, flag), err);
	if (!has_one_kind(args) || status != VRS_OK)
		return status;
	if (args->scope)
		status = vrs_case_set_scope(&kind, args->scope, err);
	return status == VRS_OK && args->mode ? vrs_case_set_mode(&kind, args->mode, err) : status;
}

/* Rounds, and the length of a run. */
static void plan_rounds(const struct vrs_bench_args *args, struct vrs_runner_options *options)
{
	bool pairs = has_one_kind(args); /* a side that stopped early would break its pairs */
	options->plan.rounds = args->versus ? VRS_VERDICT_MAX_PAIRS : args->techniques ? VRS_TECHNIQUES_ROUNDS : args->goal > 0 ? 20 : 10;
	options->plan.goal = args->goal > 0 ? args->goal : !args->runs && !args->quick && !pairs ? VRS_INTERVAL_OFFLINE : 0;
	if (args->quick) {
		options->plan.rules = (struct vrs_recorder_rules){.warmup_min_seconds = 0.4, .warmup_max_seconds = 1, .warmup_min_frames = 6,
							     .duration_seconds = 1.5, .min_frames = 10};
		options->plan.rounds = pairs ? options->plan.rounds : 3;
		options->plan.quality_frames = 12;
		options->plan.quick = true;
	}
	if (args->calibrate) {
		options->plan.rounds = VRS_NOISE_RECORD_ROUNDS;
		options->plan.calibrate = true;
		options->plan.calibrate_seconds = args->duration;
	}
	if (args->runs)
		options->plan.rounds = (int)args->runs;
}

static void plan_rules(const struct vrs_bench_args *args, int max_frames, struct vrs_recorder_rules *rules)
{
	vrs_recorder_rules_limit(rules, max_frames);
	if (args->duration > 0 && !(args->calibrate && args->duration > rules->duration_seconds)) /* there it is that of the long run */
		rules->duration_seconds = args->duration;
	if (args->min_frames)
		rules->min_frames = args->min_frames;
	if (args->warmup > 0) {
		rules->warmup_max_seconds = args->warmup;
		if (rules->warmup_min_seconds > args->warmup)
			rules->warmup_min_seconds = args->warmup;
	}
}

static void plan_soak(double seconds, struct vrs_runner_options *options)
{
	options->plan.soak = true;
	options->plan.rounds = 1;
	options->plan.goal = 0;
	options->plan.gates = VRS_GATES_OFF; /* noise is what a soak looks for; nobody repeats a day */
	options->plan.rules.duration_seconds = seconds;
	options->plan.rules.min_frames = 1;
}

/* Scope and mode; of a sweep they are axes. The words were checked before. */
static void plan_kind(const struct vrs_bench_args *args, struct vrs_runner_options *options)
{
	struct vrs_case kind = {.width = 0};
	if ((args->versus || args->techniques) && args->scope && vrs_case_set_scope(&kind, args->scope, NULL) == VRS_OK)
		options->plan.scope = kind.scope;
	if (args->versus && args->mode && vrs_case_set_mode(&kind, args->mode, NULL) == VRS_OK)
		options->plan.live_hz = kind.live_hz;
}

struct vrs_runner_options vrs_bench_runner_options(const struct vrs_bench_args *args, const struct vrs_settings *settings)
{
	struct vrs_runner_options options = vrs_runner_options_default();
	plan_rounds(args, &options);
	plan_rules(args, settings->pipeline.max_frames, &options.plan.rules);
	options.plan.gates = args->gates;
	options.plan.margin = args->margin;
	options.plan.decide_by = args->decide_by;
	options.plan.slowdown = args->slowdown;
	options.folder = args->resume ? args->resume : args->output_dir ? args->output_dir : args->calibrate ? "calibration" : "results";
	options.input = args->input;
	options.resume = args->resume != NULL;
	options.overwrite = settings->output.overwrite;
	if (args->seed)
		options.plan.seed = (uint64_t)args->seed;
	plan_kind(args, &options);
	if (args->soak > 0)
		plan_soak(args->soak, &options);
	options.plan.timeout_seconds = args->timeout;
	options.plan.memory_limit_bytes = (int64_t)args->memory_limit;
	if (args->list || args->dry_run)
		options.folder = NULL;
	return options;
}

int vrs_bench_versus_exit(const struct vrs_bench_args *args, const struct vrs_comparison *headline)
{
	int code = vrs_verdict_exit_code(headline);
	unsigned bit = code == VRS_EXIT_REGRESSION ? VRS_FAIL_ON_REGRESSION : code == VRS_EXIT_INCONCLUSIVE ? VRS_FAIL_ON_INCONCLUSIVE
		       : code == VRS_EXIT_INVALID ? VRS_FAIL_ON_INVALID : 0;
	if (headline->cause == VRS_CAUSE_FAILED)
		bit |= VRS_FAIL_ON_FAILED;
	return args->fail_on & (bit | VRS_FAIL_ON_DEFAULT) ? code : VRS_EXIT_OK;
}

int vrs_bench_sweep_exit(const struct vrs_bench_args *args, const struct vrs_result *result)
{
	unsigned seen = 0, soak = 0;
	int hopeless = 0; /* cases that gave nothing */
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		hopeless += vrs_case_result_is_skipped(c) || (c->run_count > 0 && vrs_case_result_ok_runs(c) == 0);
		soak |= c->soak_verdict == VRS_OUTCOME_FAIL ? VRS_FAIL_ON_REGRESSION : 0;
		soak |= c->soak_verdict == VRS_OUTCOME_INCONCLUSIVE ? VRS_FAIL_ON_INCONCLUSIVE : 0;
		seen |= vrs_case_result_is_skipped(c) || vrs_case_result_ok_runs(c) < c->run_count ? VRS_FAIL_ON_FAILED : 0;
		seen |= vrs_case_result_is_invalid(c) ? VRS_FAIL_ON_INVALID : 0;
		seen |= c->goal_note[0] ? VRS_FAIL_ON_INCONCLUSIVE : 0;
	}
	soak &= args->fail_on & VRS_FAIL_ON_DEFAULT ? ~0u : args->fail_on; /* a soak is run for its verdict */
	seen &= args->fail_on;
	if (soak)
		return soak & VRS_FAIL_ON_REGRESSION ? VRS_EXIT_REGRESSION : VRS_EXIT_INCONCLUSIVE;
	if (hopeless > 0 && hopeless == result->case_count && args->fail_on & (VRS_FAIL_ON_DEFAULT | VRS_FAIL_ON_FAILED))
		return VRS_EXIT_FAILURE;
	return seen & VRS_FAIL_ON_FAILED	     ? VRS_EXIT_FAILURE
	       : seen & VRS_FAIL_ON_INVALID	     ? VRS_EXIT_INVALID
	       : seen & VRS_FAIL_ON_INCONCLUSIVE ? VRS_EXIT_INCONCLUSIVE
						 : VRS_EXIT_OK;
}

/* Axes from flags of one type. A single name belongs to every case, and ids do not name it. */
static enum vrs_status flag_axes(const struct vrs_bench_args *args, enum vrs_flag_type type, struct vrs_sweep *sweep, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (const struct vrs_cli_action *flag = vrs_bench_cli_spec.actions; flag->flag && status == VRS_OK; flag++) {
		const char *list = flag->type == type ? list_of(args, flag) : NULL;
		if (list && (type == VRS_FLAG_LIST || vrs_flag_is_list(flag, list)))
			status = vrs_sweep_set(sweep, option_of(flag) ? option_of(flag)->key : flag->flag, list, err);
	}
	return status;
}

/* The key of --set KEY=LIST; false: it has no such form. */
static bool key_of(const char *set, char key[VRS_NAME_MAX])
{
	const char *equals = strchr(set, '=');
	if (!equals || equals == set || equals - set >= VRS_NAME_MAX || !equals[1])
		return false;
	snprintf(key, VRS_NAME_MAX, "%.*s", (int)(equals - set), set);
	const struct vrs_option *row = vrs_option_find(key);
	if (row)
		vrs_strcpy(key, VRS_NAME_MAX, row->key);
	return true;
}

/* Values of one option that stand in two places of the command line: one of them would be lost. */
static enum vrs_status check_set(const struct vrs_bench_args *args, int set, const char *key, const struct vrs_config *base, struct vrs_error *err)
{
	char earlier[VRS_NAME_MAX];
	for (int i = 0; i < set; i++)
		if (key_of(args->set.items[i], earlier) && strcmp(earlier, key) == 0)
			return vrs_fail(err, VRS_ECONFIG, "--set names %s twice; write one list of all its values", key);
	for (const struct vrs_cli_action *flag = vrs_bench_cli_spec.actions; flag->flag; flag++) {
		const struct vrs_option *row = option_of(flag);
		if (list_of(args, flag) && strcmp(row ? row->key : flag->flag, key) == 0)
			return vrs_fail(err, VRS_ECONFIG, "--%s and --set %s both have values; write one list of them", flag->flag, key);
	}
	if (vrs_config_source(base, key) == VRS_SOURCE_FLAG)
		return vrs_fail(err, VRS_ECONFIG, "%s and --set %s both have values; write one list of them", vrs_config_where(base, key), key);
	return VRS_OK;
}

/* Axes that were named on the command line or in a file. */
static enum vrs_status named_axes(const struct vrs_bench_args *args, const struct vrs_config *base, struct vrs_sweep *sweep, struct vrs_error *err)
{
	enum vrs_status status = args->sweep ? vrs_sweep_load(sweep, args->sweep, err) : VRS_OK;
	if (status == VRS_OK)
		status = flag_axes(args, VRS_FLAG_LIST, sweep, err);
	if (status == VRS_OK)
		status = flag_axes(args, VRS_FLAG_NAMES, sweep, err);
	for (int i = 0; i < args->set.count && status == VRS_OK; i++) {
		char key[VRS_NAME_MAX];
		if (!key_of(args->set.items[i], key))
			return vrs_fail(err, VRS_ECONFIG, "--set wants KEY=LIST, not \"%s\"", args->set.items[i]);
		status = check_set(args, i, key, base, err);
		if (status == VRS_OK)
			status = vrs_sweep_set(sweep, key, strchr(args->set.items[i], '=') + 1, err);
	}
	return status;
}

/* --batch-only and its kin, of axes that nobody gave values for. */
static bool is_asked_for(const struct vrs_bench_args *args, const char *axis)
{
	return (args->only_resolution && strcmp(axis, "resolution") == 0) || (args->only_batch && strcmp(axis, "batch") == 0) ||
	       (args->only_precision && strcmp(axis, "precision") == 0) || (args->only_threads && strcmp(axis, "threads") == 0);
}

enum vrs_status vrs_bench_sweep(const struct vrs_bench_args *args, const struct vrs_runner *runner, struct vrs_case **ret_cases, int *ret_count,
				struct vrs_error *err)
{
	struct vrs_sweep sweep = {.mode = args->full ? VRS_SWEEP_PRODUCT : VRS_SWEEP_ONE_AT_A_TIME, .filter = args->filter, .skip = args->skip};
	const struct vrs_bench_input *input = vrs_runner_input(runner);
	enum vrs_status status = named_axes(args, vrs_runner_base(runner), &sweep, err);
	int given = sweep.axis_count; /* these come first, and stay */
	if (status != VRS_OK)
		return status;
	bool some = args->only_resolution || args->only_batch || args->only_precision || args->only_threads;
	if (args->all || args->full || args->quick || some)
		status = args->quick ? vrs_sweep_quick(&sweep, input, err) : vrs_sweep_defaults(&sweep, input, err);
	for (int a = sweep.axis_count - 1; a >= given && some; a--)
		if (!is_asked_for(args, sweep.axes[a].name))
			vrs_sweep_drop(&sweep, sweep.axes[a].key);
	sweep.cross_precision = args->all || (args->quick && !some);
	return status == VRS_OK ? vrs_sweep_cases(&sweep, vrs_runner_base(runner), input, ret_cases, ret_count, err) : status;
}
