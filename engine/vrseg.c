/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vrseg: cuts people out of VR video.  Messages and progress go to standard error; results (summary, tables, lists) to standard output, unless the
 * video itself goes there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/messages.h"
#include "base/stop.h"
#include "modes/program.h"

#include <vrseg/exit_codes.h>
#include <vrseg/log.h>
#include <vrseg/long_job.h>

#define NETWORKS "Networks on arrays"

static const struct vrs_cli_action actions[] = {
	{.flag = "preview", .brief = "contact sheet of the frame at TIME",
	 .value_name = "TIME", .help = "Write a contact sheet (input, matte, composite) of the frame at TIME instead of a video"},
	{.flag = "truth", .value_name = "FILE", .help = "Compare the mattes with a grey truth video and print how well they agree"},
	{.flag = "output-dir", .brief = "folder for the outputs of several inputs", .value_name = "DIR",
	 .help = "Folder for the outputs of several inputs or of a folder, instead of beside them; with --run-network for its arrays"},
	{.flag = "run-network", .value_name = "MODEL", .help = "Run a network on NumPy arrays instead of a video", .group = NETWORKS},
	{.flag = "tensor", .value_name = "NAME=FILE", .repeatable = true, .group = NETWORKS,
	 .help = "Array (.npy) for the input NAME of --run-network, in the network's own type and layout; once for each input"},
	{.flag = "describe-network", .value_name = "MODEL", .group = NETWORKS,
	 .help = "Show names, types and shapes of a network's inputs and outputs, and exit"},
	{.flag = "calibrate", .value_name = "INPUT",
	 .help = "Find number ranges for --precision int8 and mixed with a clip or a folder of pictures, and keep them"},
	{.flag = "fail-on", .value_name = "WHAT", .help = "target: fail when --target-fps or --max-latency-ms is missed (see the exit codes)"},
	{.flag = "interactive", .help = "Take commands from a terminal or a pipe: run, set, config, stats, models, hardware, help, quit"},
	{.flag = "hardware", .help = "Show CPU, memory, devices and sensors, and exit"},
	{.flag = "list-models", .help = "List the networks, and exit"},
	{.flag = "list-encoders", .help = "List the video encoders, and exit"},
	{.flag = "dump-config", .help = "Print every option's value and where it comes from, and exit"},
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrseg",
	.summary = "cut people out of VR video",
	.program_bit = VRS_PROGRAM_VRSEG,
	.usage = "vrseg INPUT [-o OUTPUT] [options]\nvrseg INPUT... [--output-dir DIR] [options]",
	.intro = "Cuts people out of VR video: each eye goes through a segmentation network, and the background is replaced. Without -o the output lies "
		 "beside the input, with _green or _matte in its name. Ctrl-C once finishes and saves what is done, twice stops at once.",
	.actions = actions,
	.examples = "  vrseg input.mp4 -o output.mp4\n"
		    "  vrseg input.mp4 -o matte.mkv --output-mode matte --encoder ffv1\n"
		    "  vrseg input.mp4 --preview 0:30 -o sheet.png\n"
		    "  vrseg input.mp4 -o null: --stats\n"
		    "  vrseg films --output-dir cut --recursive --skip-existing\n"
		    "  vrseg --calibrate input.mp4 && vrseg input.mp4 -o output.mp4 --precision int8\n"
		    "  vrseg --run-network net.onnx --tensor image=in.npy --output-dir out\n",
	.min_operands = 1,
	.max_operands = -1,
};

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	struct vrs_program_state *program = cookie;
	if (vrs_cli_answer(&spec, flag, stdout) == VRS_END)
		return VRS_END;
	if (strcmp(flag, "preview") == 0)
		program->preview = value;
	else if (strcmp(flag, "truth") == 0)
		program->truth_file = value;
	else if (strcmp(flag, "calibrate") == 0)
		program->calibrate = value;
	else if (strcmp(flag, "run-network") == 0)
		program->run_network = value;
	else if (strcmp(flag, "describe-network") == 0)
		program->describe_network = value;
	else if (strcmp(flag, "output-dir") == 0)
		program->output_dir = value;
	else if (strcmp(flag, "tensor") == 0) {
		if (program->tensor_count == VRS_MAX_TENSORS)
			return vrs_fail(err, VRS_ECONFIG, "--tensor is given more than %d times", VRS_MAX_TENSORS);
		program->tensors[program->tensor_count++] = value;
	}
	else if (strcmp(flag, "fail-on") == 0) {
		if (strcmp(value, "target") != 0)
			return vrs_fail(err, VRS_ECONFIG, "--fail-on knows only \"target\", not \"%s\"", value);
		program->fail_on_target = true;
	}
	program->interactive |= strcmp(flag, "interactive") == 0;
	program->hardware |= strcmp(flag, "hardware") == 0;
	program->list_models |= strcmp(flag, "list-models") == 0;
	program->list_encoders |= strcmp(flag, "list-encoders") == 0;
	program->dump_config |= strcmp(flag, "dump-config") == 0;
	return VRS_OK;
}

static void clear_progress(void *cookie)
{
	vrs_progress_clear(((struct vrs_program_state *)cookie)->meter);
}

static enum vrs_status open_messages(struct vrs_program_state *program, struct vrs_error *err)
{
	enum vrs_status status = vrs_config_open_messages(program->config, err);
	if (!status && vrs_progress_create(&program->meter, (enum vrs_progress)program->settings.report.progress, stderr))
		status = vrs_fail(err, VRS_ENOMEM, "out of memory");
	return status;
}

static enum vrs_status run(struct vrs_program_state *program, const char *const *operands, int operand_count, struct vrs_error *err)
{
	program->settings = *vrs_config_settings(program->config);
	program->inputs = operands;
	program->input_count = operand_count;
	program->input = operand_count > 0 ? operands[0] : NULL;
	enum vrs_status status = open_messages(program, err);
	if (status)
		return status;
	if (program->dump_config)
		return vrs_config_write(program->config, stdout, VRS_WRITE_ALL);
	if (program->list_models)
		return vrs_mode_list_models(program, err);
	if (program->hardware)
		return vrs_mode_hardware(program, err);
	if (program->list_encoders) {
		vrs_job_list_encoders(vrs_print_line, program);
		return VRS_OK;
	}
	if (program->calibrate)
		return vrs_mode_calibrate(program, err);
	if (program->describe_network)
		return vrs_mode_describe_network(program, err);
	if (program->run_network || program->tensor_count || (program->output_dir && !program->input))
		return vrs_mode_run_network(program, err);
	if (program->interactive) {
		program->typed = isatty(STDIN_FILENO);
		return vrs_mode_interactive(program, err);
	}
	if (!program->input)
		return vrs_fail(err, VRS_ECONFIG, "an input video is missing; vrseg --help shows how to use it");
	if (program->preview)
		return vrs_mode_preview(program, err);
	return vrs_mode_is_batch(program) ? vrs_mode_multi_file(program, err) : vrs_mode_video(program, err);
}

int main(int argc, char **argv)
{
	struct vrs_program_state program = {.results = stdout, .aside = stderr};
	struct vrs_error err = {0};
	const char **operands = NULL;
	int operand_count = 0;
	vrs_stop_install();
	if (vrs_segment_requested(argc, argv)) {
		vrs_messages_begin("vrseg", NULL, NULL);
		return vrs_segment_child_main(stdin, stdout);
	}
	vrs_messages_begin("vrseg", clear_progress, &program);
	enum vrs_status status = vrs_config_create(&program.config);
	if (!status)
		status = vrs_cli_parse(program.config, &spec, argc, argv, on_action, &program, &operands, &operand_count, &err);
	if (!status)
		status = run(&program, operands, operand_count, &err);
	vrs_job_destroy(program.job);
	vrs_truth_close(program.truth);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = vrs_fail(&err, VRS_EIO, "cannot write to standard output: %s", strerror(errno));
	int code = vrs_messages_end(status, &err);
	if (!code && program.fail_on_target && program.missed_targets)
		code = VRS_EXIT_REGRESSION;
	vrs_progress_destroy(program.meter);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	return code;
}
