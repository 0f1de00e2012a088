/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrbench: parse, hand over to a mode, exit code. */
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/night_mode.h"
#include "bench/plan/versus.h"
#include "bench/run/runner.h"

/* Before a message is written: the live line goes away. */
static void clear_line(void *cookie)
{
	struct vrs_bench_program *program = cookie;
	if (program->progress.out)
		vrs_bench_progress_clear(&program->progress);
}

static void keep_command(struct vrs_bench_program *program, int argc, char **argv)
{
	size_t used = 0;
	for (int i = 0; i < argc && used < sizeof program->command - 1; i++) {
		int n = snprintf(program->command + used, sizeof program->command - used, "%s%s", i ? " " : "", i ? argv[i] : vrs_path_base(argv[0]));
		used += n > 0 ? (size_t)n : 0;
	}
}

/* A plan that is only printed is no run that silence or an exit code could be about. */
static enum vrs_status open_metrics(struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	const char *file = settings->report.metrics_file, *port = settings->report.metrics_port;
	if ((!file[0] && !port[0]) || program->args.list || program->args.dry_run || program->args.calibration)
		return VRS_OK;
	return vrs_bench_metrics_open(&program->metrics, file, port, err);
}

/* A file that side A of a comparison says is read, a result's input among them, is not written.  What cannot be read is told by who compares. */
static enum vrs_status check_side(const struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_bench_args *args = &program->args;
	struct vrs_versus_side side;
	struct vrs_error unread = {.status = VRS_OK};
	if (vrs_versus_resolve(args->versus, args->case_id, program->config, &side, &unread) != VRS_OK)
		return VRS_OK;
	enum vrs_status status = vrs_config_check_recorded(program->config, side.config, side.input[0] ? side.input : NULL, NULL, NULL, err);
	vrs_versus_side_fini(&side);
	return status;
}

/* Before a log is appended to and metrics are written. */
static enum vrs_status check_recorded(const struct vrs_bench_program *program, struct vrs_error *err)
{
	if (program->args.resume)
		return vrs_runner_check_resumed(program->args.resume, program->config, NULL, NULL, err);
	return program->args.versus ? check_side(program, err) : VRS_OK;
}

static enum vrs_status begin(struct vrs_bench_program *program, struct vrs_error *err)
{
	enum vrs_status status = check_recorded(program, err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(program->config, err);
	if (status == VRS_OK)
		vrs_bench_progress_init(&program->progress, (enum vrs_progress)vrs_config_settings(program->config)->report.progress, stderr);
	return status;
}

static enum vrs_status run_nightly(struct vrs_bench_program *program, const struct vrs_nightly_args *args, const char *const *operands,
				   int operand_count, struct vrs_error *err)
{
	enum vrs_status status = begin(program, err);
	if (status == VRS_OK && operand_count == 0)
		status = vrs_fail(err, VRS_ECONFIG, "a video is missing: vrbench nightly --history DIR VIDEO...");
	if (status == VRS_OK && args->bench.pin)
		status = vrs_machine_pin(args->bench.pin, err);
	if (status == VRS_OK)
		status = vrs_config_settle_network(program->config, err);
	return status == VRS_OK ? vrs_bench_mode_nightly(program, args, operands, operand_count, err) : status;
}

static enum vrs_status run(struct vrs_bench_program *program, const char *const *operands, int operand_count, struct vrs_error *err)
{
	program->args.input = operand_count > 0 ? operands[0] : NULL;
	enum vrs_status status = begin(program, err);
	if (status != VRS_OK)
		return status;
	if (program->args.resume) /* the configuration is that of the folder */
		status = vrs_config_refuse_flags(program->config, VRS_OPTION_OF_RESUME, "--resume", err);
	else if (program->args.net_only)
		status = vrs_config_refuse_flags(program->config, VRS_OPTION_OF_NETWORK, "--net-only", err);
	if (status == VRS_OK)
		status = vrs_bench_args_finish(&program->args, program->config, err);
	if (status != VRS_OK)
		return status;
	if (program->args.pin)
		status = vrs_machine_pin(program->args.pin, err);
	if (status != VRS_OK)
		return status;
	if (program->args.dump_config)
		return vrs_config_print(program->config, stdout, VRS_WRITE_ALL);
	status = open_metrics(program, err);
	if (status == VRS_OK && !program->args.resume)
		status = vrs_config_settle_network(program->config, err);
	bool has_backends = program->args.backend && strchr(program->args.backend, ','); /* one of them may read what others ignore */
	if (status == VRS_OK && !program->args.resume && !has_backends)
		status = vrs_config_warn_backend(program->config, vrs_backend_name(vrs_config_settings(program->config)->engine.backend), err);
	if (status != VRS_OK)
		return status;
	if (program->args.net_only)
		return vrs_bench_mode_net_only(program, err);
	if (program->args.calibration)
		return vrs_bench_mode_calibration(program, err);
	if (program->args.calibrate)
		return vrs_bench_mode_calibrate(program, err);
	return program->args.versus && !program->args.resume ? vrs_bench_mode_versus(program, err) : vrs_bench_mode_measure(program, err);
}

static int run_vrbench(int argc, char **argv)
{
	static struct vrs_bench_program program;
	static struct vrs_nightly_args nightly;
	struct vrs_error err = {.status = VRS_OK};
	const char **operands = NULL;
	int operand_count = 0;
	if (vrs_runner_is_child(argc, argv))
		return vrs_runner_child_main(stdin, stdout);
	program.out = stdout;
	program.args = (struct vrs_bench_args){.gates = VRS_GATES_RETRY, .fail_on = VRS_FAIL_ON_DEFAULT};
	vrs_stop_install();
	vrs_messages_begin("vrbench", clear_line, &program);
	keep_command(&program, argc, argv);
	if (vrs_system_mode_requested(argc, argv)) {
		enum vrs_status tuned = vrs_system_mode(argc, argv, stdout, &program.exit_code, &err);
		return tuned == VRS_OK && program.exit_code ? program.exit_code : vrs_messages_end(tuned, &err);
	}
	bool is_nightly = argc > 1 && strcmp(argv[1], "nightly") == 0;
	nightly.bench = program.args;
	enum vrs_status status = vrs_config_create(&program.config);
	if (status == VRS_OK && is_nightly)
		status = vrs_cli_parse(program.config, &vrs_nightly_cli_spec, argc - 1, argv + 1, &nightly, stdout, &operands, &operand_count, &err);
	else if (status == VRS_OK)
		status = vrs_cli_parse(program.config, &vrs_bench_cli_spec, argc, argv, &program.args, stdout, &operands, &operand_count, &err);
	if (status == VRS_OK)
		status = is_nightly ? run_nightly(&program, &nightly, operands, operand_count, &err) : run(&program, operands, operand_count, &err);
	vrs_bench_progress_fini(&program.progress);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	int code = vrs_messages_end(status, &err);
	code = code == 0 ? program.exit_code : program.failure_code ? program.failure_code : code;
	vrs_bench_metrics_close(program.metrics, code);
	return code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vrbench, argc, argv);
}
