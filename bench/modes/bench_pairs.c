/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --versus, --calibrate and --calibration: two sides in shared rounds. */
#include <stdio.h>
#include <time.h>

#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "base/mem.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/calibrate_mode.h"
#include "bench/modes/versus_mode.h"
#include "bench/plan/versus.h"

/* Clip size of both sides: one that was asked for, else that of the case which A comes from. */
static enum vrs_status versus_size(const struct vrs_bench_program *program, const struct vrs_runner *runner, const struct vrs_versus_side *side,
				   int *ret_width, int *ret_height, struct vrs_error *err)
{
	struct vrs_sweep sweep;
	struct vrs_case *cases = NULL;
	int count = 0;
	*ret_width = side->width;
	*ret_height = side->height;
	if (!program->args.resolution)
		return VRS_OK;
	enum vrs_status status = vrs_bench_sweep(&program->args, vrs_runner_input(runner), &sweep, err);
	if (status == VRS_OK)
		status = vrs_sweep_cases(&sweep, vrs_runner_base(runner), vrs_runner_input(runner), &cases, &count, err);
	if (status == VRS_OK) {
		*ret_width = cases[0].width;
		*ret_height = cases[0].height;
	}
	vrs_free(cases);
	return status;
}

enum vrs_status vrs_bench_run_versus(struct vrs_bench_program *program, struct vrs_runner *runner, int width, int height, const char *folder,
				     struct vrs_error *err)
{
	struct vrs_versus_request request = {.max_pairs = vrs_runner_result(runner)->rounds, .explain = program->args.explain};
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	struct vrs_comparison headline;
	if (!details)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to compare");
	enum vrs_status status = vrs_versus_measure(runner, width, height, &request, &headline, details, err), written;
	if (status == VRS_OK || status == VRS_ESTOPPED) {
		struct vrs_error why = {.status = VRS_OK};
		vrs_bench_progress_clear(&program->progress);
		written = vrs_runner_finish(runner, status == VRS_OK, &why);
		if (written != VRS_OK)
			status = vrs_fail(err, written, "%s", why.text);
	}
	if (status == VRS_OK) {
		status = vrs_versus_report(runner, &headline, details, &request, program->out);
		program->exit_code = vrs_bench_versus_exit(&program->args, &headline);
	} else if (status == VRS_ESTOPPED) {
		status = vrs_bench_stopped(folder, err);
	}
	vrs_free(details);
	return status;
}

enum vrs_status vrs_bench_run_calibrate(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
					struct vrs_error *err)
{
	struct vrs_comparison headline;
	enum vrs_status status = vrs_calibrate(runner, options, program->out, &headline, err);
	if (status == VRS_OK)
		program->exit_code = headline.verdict == VRS_VERDICT_INVALID ? vrs_bench_versus_exit(&program->args, &headline) : 0;
	return status == VRS_ESTOPPED ? vrs_bench_stopped(options->folder, err) : status;
}

enum vrs_status vrs_bench_mode_calibrate(struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_runner_side a = {.label = VRS_CALIBRATE_LABEL, .config = program->config};
	struct vrs_runner_options options = vrs_bench_program_options(program);
	struct vrs_runner *runner = NULL;
	options.versus = &a;
	enum vrs_status status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK)
		status = vrs_bench_run_calibrate(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	return status;
}

enum vrs_status vrs_bench_mode_calibration(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_noise_record_list(machine->fingerprint, time(NULL), program->out, err);
	else
		(void)vrs_fail(err, status, "cannot describe this machine: %s", vrs_status_str(status));
	vrs_free(machine);
	return status;
}

/*
 * Where a comparison goes when nobody says it: not into "results", which the measurement before it has filled, but into a folder of its own, the
 * first of comparison, comparison-2 ... that is free.  With --overwrite it is the first one.
 */
static void choose_folder(struct vrs_bench_program *program)
{
	struct vrs_bench_args *args = &program->args;
	bool overwrite = vrs_config_settings(program->config)->output.overwrite;
	if (args->output_dir)
		return;
	snprintf(program->folder, sizeof program->folder, "comparison");
	args->output_dir = program->folder;
	for (int i = 2; i < 1000 && !overwrite && vrs_runner_folder_is_used(program->folder); i++)
		snprintf(program->folder, sizeof program->folder, "comparison-%d", i);
	vrs_log(VRS_LOG_INFO, "the result goes to %s", program->folder);
}

enum vrs_status vrs_bench_mode_versus(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_bench_args *args = &program->args;
	struct vrs_versus_side side;
	struct vrs_runner *runner = NULL;
	enum vrs_status status = vrs_versus_resolve(args->versus, args->case_id, program->config, &side, err);
	if (status == VRS_ENOTFOUND)
		program->failure_code = VRS_EXIT_NO_BASELINE;
	if (status != VRS_OK)
		return status;
	if (!args->input && side.input[0])
		args->input = side.input;
	if (!args->scope)
		args->scope = vrs_name_of(&vrs_scope_names, side.scope);
	const struct vrs_runner_side a = {.label = side.label, .program = side.program[0] ? side.program : NULL, .config = side.config};
	choose_folder(program);
	struct vrs_runner_options options = vrs_bench_program_options(program);
	options.versus = &a;
	int width = 0, height = 0;
	status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK)
		status = versus_size(program, runner, &side, &width, &height, err);
	if (status == VRS_OK)
		status = vrs_bench_run_versus(program, runner, width, height, options.folder, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	vrs_versus_side_fini(&side);
	return status;
}
