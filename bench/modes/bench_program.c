/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/bench_program.h"

#include <vrseg/machine.h>

#include "base/str_parse.h"
#include "bench/modes/techniques_mode.h"

struct vrs_runner_options vrs_bench_program_options(struct vrs_bench_program *program)
{
	struct vrs_runner_options options = vrs_bench_runner_options(&program->args, vrs_config_settings(program->config));
	vrs_strcpy(options.plan.command, sizeof options.plan.command, program->command);
	options.add_devices = vrs_machine_add_opencl;
	options.on_event = vrs_bench_progress_event;
	options.cookie = &program->progress;
	return options;
}

enum vrs_status vrs_bench_stopped(const char *folder, struct vrs_error *err)
{
	return vrs_fail(err, VRS_ESTOPPED, "stopped on request; every finished run is saved; continue with vrbench --resume %s", folder);
}

enum vrs_status vrs_bench_mode_measure(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_runner *runner = NULL;
	struct vrs_runner_options options = vrs_bench_program_options(program);
	const struct vrs_bench_args *a = &program->args;
	enum vrs_status status = a->techniques ? vrs_techniques_request_make(&options.plan.techniques, a->sweep, a->filter, a->skip, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK && vrs_runner_plan(runner)->calibrate)
		status = vrs_bench_run_calibrate(program, runner, &options, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->versus[0]) /* an A/B goes on */
		status = vrs_bench_run_versus(program, runner, 0, 0, options.folder, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->techniques.file[0])
		status = vrs_bench_run_techniques(program, runner, &options, err);
	else if (status == VRS_OK)
		status = vrs_bench_run_cases(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	return status;
}
