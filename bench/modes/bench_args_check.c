/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flags that do not go together, and the flags of one value that are settings. */
#include <string.h>

#include "bench/modes/bench_args.h"

/* One value, or none given. */
static bool is_single(const char *list)
{
	return !list || !strpbrk(list, ",:*");
}

/* --all and its kin, or an axis by name. */
static bool names_axes(const struct vrs_bench_args *a)
{
	return a->all || a->full || a->only_resolution || a->only_batch || a->only_precision || a->only_threads || a->set_count || a->device;
}

/* Names that make an axis. */
static bool names_several(const struct vrs_bench_args *a)
{
	return vrs_bench_is_list(a->model) || vrs_bench_is_list(a->backend) || vrs_bench_is_list(a->encoder) || vrs_bench_is_list(a->layout);
}

static bool sweeps(const struct vrs_bench_args *a)
{
	return names_axes(a) || a->quick || a->sweep || a->resolution || a->mode || a->list || a->dry_run || names_several(a);
}

static bool has_lists(const struct vrs_bench_args *a)
{
	return !is_single(a->resolution) || !is_single(a->batch) || !is_single(a->precision) || !is_single(a->threads) || !is_single(a->streams) ||
	       !is_single(a->input_size) || !is_single(a->scope);
}

static enum vrs_status check_net_only(const struct vrs_bench_args *a, struct vrs_error *err)
{
	if (a->net_only && (sweeps(a) || a->output_dir || a->resume || a->filter || a->skip || a->scope || a->runs || a->budget > 0 || a->timeout > 0 ||
			    a->warmup > 0 || a->min_frames || a->memory_limit || a->seed || a->no_graphs || a->profile_run))
		return vrs_fail(err, VRS_ECONFIG, "--net-only times the network alone: flags of sweeps do not go with it");
	if (!a->net_only && a->json)
		return vrs_fail(err, VRS_ECONFIG, "--json belongs to --net-only; a sweep writes results.json by itself");
	return VRS_OK;
}

/* Pairs instead of axes: what would make axes, or another kind of measurement, is refused. */
static enum vrs_status check_techniques(const struct vrs_bench_args *a, struct vrs_error *err)
{
	if (!a->techniques)
		return VRS_OK;
	if (names_axes(a) || a->goal > 0 || a->soak > 0 || a->versus || a->calibrate || a->calibration || a->net_only || a->profile_ops ||
	    a->profile_run || a->resume)
		return vrs_fail(err, VRS_ECONFIG, "--techniques measures pairs: flags of sweeps, --versus, --calibrate, --soak, --net-only, --profile-ops, "
				"--profile-run and --goal do not go with it, and --resume DIR alone goes on");
	if (a->mode)
		return vrs_fail(err, VRS_ECONFIG, "--techniques takes the mode of each technique from its file: --mode does not go with it");
	if (has_lists(a) || names_several(a))
		return vrs_fail(err, VRS_ECONFIG, "--techniques compares each pair over one configuration: give one value instead of a list");
	struct vrs_case kind = {.value_count = 0};
	return a->scope ? vrs_case_set_scope(&kind, a->scope, err) : VRS_OK;
}

/* Flags that belong to a measurement of cells in rounds. */
static bool is_sweep_like(const struct vrs_bench_args *a)
{
	return a->all || a->full || a->quick || a->runs || a->duration > 0 || a->goal > 0;
}

static enum vrs_status check_long_run(const struct vrs_bench_args *a, struct vrs_error *err)
{
	if (a->all && a->full)
		return vrs_fail(err, VRS_ECONFIG, "--all and --full are two different sweeps: give one of them");
	if (a->soak > 0 && (is_sweep_like(a) || a->profile_run || a->budget > 0 || a->versus || a->net_only))
		return vrs_fail(err, VRS_ECONFIG, "--soak is one long run of one cell: flags of sweeps, --runs, --duration, --profile-run and --versus "
				"do not go with it");
	if (a->resume && (is_sweep_like(a) || a->soak > 0 || sweeps(a) || a->output_dir || a->input || a->filter || a->skip || a->warmup > 0 || a->scope ||
			  a->batch || a->precision || a->threads || a->streams || a->input_size || a->seed || a->memory_limit || a->timeout > 0 ||
			  a->min_frames || a->goal > 0 || a->gates_given))
		return vrs_fail(err, VRS_ECONFIG,
				"--resume %s goes on as it was begun: besides --budget, --profile-ops, --profile-run, --no-graphs, --explain and --fail-on "
				"nothing can be changed",
				a->resume);
	return VRS_OK;
}

static bool is_pair(const struct vrs_bench_args *a)
{
	return a->versus || a->calibrate;
}

/* Pairs of configurations: --versus and --calibrate. */
static enum vrs_status check_pair(const struct vrs_bench_args *a, struct vrs_error *err)
{
	if (!a->versus && (a->cell || (a->margin > 0 && !a->techniques) || a->slowdown > 0 || (a->explain && !a->resume)))
		return vrs_fail(err, VRS_ECONFIG, "--cell, --margin, --explain and --inject-slowdown belong to --versus WHAT");
	if (a->versus && a->calibrate)
		return vrs_fail(err, VRS_ECONFIG, "--calibrate compares a configuration with itself: --versus does not go with it");
	if (!is_pair(a))
		return VRS_OK;
	if (names_axes(a) || a->sweep || a->filter || a->skip || a->list || a->dry_run || a->net_only || a->resume || a->profile_ops || a->profile_run ||
	    a->budget > 0 || a->goal > 0)
		return vrs_fail(err, VRS_ECONFIG, "%s compares two configurations: flags of sweeps, --resume DIR and --goal do not go with it",
				a->versus ? "--versus" : "--calibrate");
	if (has_lists(a) || !is_single(a->mode))
		return vrs_fail(err, VRS_ECONFIG, "%s compares two configurations: give one value instead of a list", a->versus ? "--versus" : "--calibrate");
	struct vrs_case kind = {.value_count = 0};
	enum vrs_status status = a->scope ? vrs_case_set_scope(&kind, a->scope, err) : VRS_OK;
	if (status == VRS_OK && a->mode)
		status = vrs_case_set_mode(&kind, a->mode, err);
	if (status != VRS_OK)
		return status;
	if (a->calibrate && a->resolution)
		return vrs_fail(err, VRS_ECONFIG, "--calibrate measures the clip as it is: give a VIDEO of the size that matters");
	return VRS_OK;
}

static enum vrs_status check_modes(const struct vrs_bench_args *a, struct vrs_error *err)
{
	enum vrs_status status = check_net_only(a, err);
	if (status == VRS_OK)
		status = check_techniques(a, err);
	if (status == VRS_OK)
		status = check_long_run(a, err);
	if (status == VRS_OK)
		status = check_pair(a, err);
	if (status != VRS_OK)
		return status;
	bool other = is_pair(a) || a->techniques || a->calibration || a->net_only || a->resume || a->profile_run;
	if (!other && !sweeps(a) && !a->batch && !a->precision && !a->threads && !a->streams && !a->input_size && !a->input)
		return vrs_fail(err, VRS_ECONFIG, "say what to measure: --all, --quick, a VIDEO, or --net-only (--help shows all)");
	return VRS_OK;
}

/* A list of one value is a plain setting: the default cell has it, and so has the network alone. */
static enum vrs_status settle(struct vrs_config *config, const char *key, const char *flag, const char *list, bool single, struct vrs_error *err)
{
	if (!list)
		return VRS_OK;
	if (strchr(list, '-') && !strpbrk(list, ",:*"))
		return vrs_fail(err, VRS_ECONFIG, "%s %s: write %s*2 for a range that doubles, or FIRST:LAST:STEP", flag, list, list);
	if (!strpbrk(list, ",:*"))
		return vrs_config_set(config, key, list, VRS_SOURCE_FLAG, flag, err);
	return single ? vrs_fail(err, VRS_ECONFIG, "%s takes one value with --net-only, not the list \"%s\"", flag, list) : VRS_OK;
}

enum vrs_status vrs_bench_args_finish(struct vrs_bench_args *args, struct vrs_config *config, struct vrs_error *err)
{
	enum vrs_status status = args->dump_config ? VRS_OK : check_modes(args, err);
	const struct {
		const char *key, *flag, *list;
	} lists[] = {{"engine.batch_size", "--batch-size", args->batch}, {"engine.precision", "--precision", args->precision},
		     {"engine.threads", "--threads", args->threads}, {"engine.streams", "--streams", args->streams},
		     {"engine.input_size", "--input-size", args->input_size}}, names[] = {{"engine.model", "--model", args->model},
		     {"engine.backend", "--backend", args->backend}, {"output.encoder", "--encoder", args->encoder},
		     {"input.layout", "--layout", args->layout}};
	for (size_t i = 0; i < sizeof lists / sizeof *lists && status == VRS_OK; i++)
		status = settle(config, lists[i].key, lists[i].flag, lists[i].list, args->net_only, err);
	for (size_t i = 0; i < sizeof names / sizeof *names && status == VRS_OK; i++) {
		const char *list = names[i].list;
		if (list && strchr(list, ',') && (args->net_only || args->versus))
			return vrs_fail(err, VRS_ECONFIG, "%s takes one value here, not the list \"%s\"", names[i].flag, list);
		if (list && !strchr(list, ','))
			status = vrs_config_set(config, names[i].key, list, VRS_SOURCE_FLAG, names[i].flag, err);
	}
	return status;
}
