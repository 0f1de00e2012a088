/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vrseg: cuts people out of VR video.  Messages and progress go to standard error; results (summary, tables, lists) to standard output, unless the
 * video itself goes there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"
#include "modes/program.h"

#include <vrseg/exit_codes.h>
#include <vrseg/long_job.h>

#define NETWORKS "Networks on arrays"

#define SWITCH(member) VRS_SWITCH_FIELD(struct vrs_program_state, member)
#define TEXT(member) VRS_TEXT_FIELD(struct vrs_program_state, member)
#define TEXTS(member) VRS_TEXTS_FIELD(struct vrs_program_state, member)

static const struct vrs_cli_action actions[] = {
	{.flag = "preview", TEXT(preview), .is_mode = true, .traits = VRS_OPTION_OF_PREVIEW, .brief = "contact sheet of the frame at TIME",
	 .value_name = "TIME", .help = "Write a contact sheet (input, matte, composite) of the frame at TIME instead of a video"},
	{.flag = "truth", TEXT(truth_file), .file = VRS_FILE_READ, .value_name = "FILE",
	 .help = "Compare the mattes with a grey truth video, and print how well they agree"},
	{.flag = "dry-run", SWITCH(dry_run), .is_mode = true,
	 .help = "Print how the input would be processed and the memory that it takes, and exit"},
	{.flag = "output-dir", TEXT(output_dir), .traits = VRS_OPTION_OF_ARRAYS, .brief = "folder for the outputs of several inputs", .value_name = "DIR",
	 .help = "Write the outputs of several inputs or of a folder here instead of beside them; with --run-network: its arrays"},
	{.flag = "run-network", TEXT(run_network), .is_mode = true, .traits = VRS_OPTION_OF_ARRAYS, .file = VRS_FILE_NETWORK, .value_name = "MODEL",
	 .help = "Run a network on NumPy arrays instead of a video", .group = NETWORKS},
	{.flag = "tensor", TEXTS(tensors), .traits = VRS_OPTION_OF_ARRAYS, .file = VRS_FILE_READ, .value_name = "NAME=FILE", .group = NETWORKS,
	 .help = "Read the input NAME of --run-network from this array (.npy), in the network's own type and layout; once per input"},
	{.flag = "describe-network", TEXT(describe_network), .is_mode = true, .traits = VRS_OPTION_OF_ARRAYS,
	 .file = VRS_FILE_NETWORK, .value_name = "MODEL", .group = NETWORKS,
	 .help = "Print names, types and shapes of a network's inputs and outputs, and exit"},
	{.flag = "calibrate", TEXT(calibrate), .is_mode = true, .traits = VRS_OPTION_OF_CALIBRATION, .file = VRS_FILE_READ, .value_name = "INPUT",
	 .help = "Measure the number ranges that --precision int8 and mixed need, from a clip or a folder of pictures, and store them"},
	{.flag = "fail-on", VRS_CHOICES_FIELD(struct vrs_program_state, fail_on), .choices = "target", .value_name = "WHAT",
	 .help = "target: fail when --target-fps or --max-latency-ms is missed (see the exit codes)"},
	{.flag = "interactive", SWITCH(interactive), .is_mode = true, .sets_options = true,
	 .help = "Read commands from a terminal or a pipe: run, set, config, stats, models, hardware, help, quit"},
	{.flag = "hardware", SWITCH(hardware), .is_mode = true, .traits = VRS_OPTION_OF_LISTS,
	 .help = "Print CPU, memory, devices and sensors, and exit"},
	{.flag = "list-models", SWITCH(list_models), .is_mode = true, .traits = VRS_OPTION_OF_LISTS,
	 .help = "Print the networks, and exit"},
	{.flag = "list-encoders", SWITCH(list_encoders), .is_mode = true, .traits = VRS_OPTION_OF_LISTS,
	 .help = "Print the video encoders, and exit"},
	{.flag = "dump-config", SWITCH(dump_config), .is_mode = true,
	 .help = "Print every option's value and where it comes from, and exit"},
	{.flag = NULL},
};

#define NETWORK_MODES "--run-network --describe-network"

static const struct vrs_rule rules[] = {
	{"--tensor", VRS_NEEDS, "--run-network", "it is an input of a network"},
	{"--run-network", VRS_NEEDS, "--output-dir", "its outputs are arrays in a folder"},
	{"--output-dir", VRS_NEEDS, "--run-network INPUT", "it is the folder of outputs"},
	{NETWORK_MODES " --calibrate --hardware --list-models --list-encoders", VRS_EXCLUDES, "INPUT", "it takes no video"},
	{"--preview", VRS_EXCLUDES, "INPUTS --output-dir", "it shows one video in one file"},
	{"--interactive", VRS_EXCLUDES, "INPUT", "its command run takes videos"},
	{"--interactive", VRS_EXCLUDES, "--truth", "it is about one video"},
	{"output.file", VRS_EXCLUDES, "--output-dir", "one names a file, the other a folder"},
	{"output.file", VRS_EXCLUDES, "INPUTS", "it names one file; use --output-dir DIR"},
	{"--truth", VRS_EXCLUDES, "INPUTS --output-dir", "it compares one video"},
	{"pipeline.live report.trace --fail-on", VRS_EXCLUDES, "INPUTS --output-dir", "it is about one job"},
	{"--resume=true", VRS_EXCLUDES, VRS_RULE_ONE_GO, "it is for videos that are made in segments"},
	{"--interactive", VRS_EXCLUDES, "pipeline.sandbox", "its commands name files when the sandbox is closed"},
	{"--interactive", VRS_EXCLUDES, "--output-dir", "its command run names the output"},
	{"--interactive", VRS_EXCLUDES, "--recursive", "its command run takes one video"},
	{"--auto-tune", VRS_EXCLUDES, "pipeline.live", "live video starts at once"},
	{"target.auto_tune=true", VRS_EXCLUDES, "pipeline.sandbox", "vrtune would decode the video outside of the sandbox"},
	{"--max-latency-ms", VRS_EXCLUDES, "INPUTS --output-dir", "the table of several inputs judges none"},
	{.others = NULL},
};

static const struct vrs_rule value_rules[] = {
	{"--blur", VRS_NEEDS, "output.background=blur", "nothing else is blurred"},
	{"--process-count", VRS_NEEDS, "pipeline.processes", "without it there is one process"},
	{"--refine-radius --refine-eps --refine-limit", VRS_NEEDS, "matte.refine=true matte.refine_full", "it says how edges are refined"},
	{"--early-exit-threshold --early-exit-model --early-exit-size", VRS_NEEDS, "matte.early_exit", "it is about the small network"},
	{"--auto-size", VRS_EXCLUDES, "engine.input_size", "it says which size is taken where none is given"},
	{"--cache-size --cache-dir", VRS_NEEDS, "cache.enabled", "nothing is kept without it"},
	{"--cache=true", VRS_EXCLUDES, "pipeline.live --truth", "the network makes all mattes then"},
	{"--color", VRS_NEEDS, "output.mode=green", "other modes have no background"},
	{"--color", VRS_EXCLUDES, "output.background", "it covers the colour"},
	{"--motion-gate", VRS_NEEDS, "matte.smoothing matte.smoothing_window", "nothing else smooths"},
	{"--skip-threshold", VRS_NEEDS, "matte.skip_similar", "nothing is skipped without it"},
	{"--view-size", VRS_EXCLUDES, "matte.view=whole", "it is the size of the centre view"},
	{"--fail-on", VRS_NEEDS, "target.fps target.max_latency_ms", "there is no target to miss"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrseg",
	.summary = "cut people out of VR video",
	.program_bit = VRS_PROGRAM_VRSEG,
	.usage = "vrseg INPUT [-o OUTPUT] [options]\nvrseg INPUT... [--output-dir DIR] [options]",
	.intro = "Cut people out of VR video: run a segmentation network on each eye, and replace the background. Without -o, write the "
		 "output beside the input, with _green or _matte in its name. Press Ctrl-C once to finish the frames in "
		 "flight (within a second) and save, twice to stop at once.",
	.actions = actions,
	.rules = rules,
	.value_rules = value_rules,
	.examples = "  vrseg input.mp4 -o output.mp4\n"
		    "  vrseg input.mp4 -o matte.mkv --output-mode matte --encoder ffv1\n"
		    "  vrseg input.mp4 --preview 0:30 -o sheet.png\n"
		    "  vrseg input.mp4 -o null: --stats\n"
		    "  vrseg videos --output-dir cut --recursive --skip-existing\n"
		    "  vrseg --calibrate input.mp4 && vrseg input.mp4 -o output.mp4 --precision int8\n"
		    "  vrseg --run-network net.onnx --tensor image=in.npy --output-dir out\n",
	.min_operands = 1,
	.max_operands = -1,
};

static void clear_progress(void *cookie)
{
	vrs_progress_clear(((struct vrs_program_state *)cookie)->meter);
}

static enum vrs_status open_messages(struct vrs_program_state *program, struct vrs_error *err)
{
	enum vrs_status status = vrs_config_open_messages(program->config, err);
	if (status == VRS_OK && vrs_progress_create(&program->meter, (enum vrs_progress)program->settings.report.progress, stderr))
		status = vrs_fail_nomem(err);
	return status;
}

static enum vrs_status open_metrics(struct vrs_program_state *program, struct vrs_error *err)
{
	const char *file = program->settings.report.metrics_file, *port = program->settings.report.metrics_port;
	if (!file[0] && !port[0])
		return VRS_OK;
	enum vrs_status status = vrs_config_check(program->config, &program->settings, err);
	return status == VRS_OK ? vrs_job_metrics_open(&program->metrics, file, port, err) : status;
}

/* What is not there may have been meant as one: whoever opens it tells. Addresses, patterns of pictures and "-" are no folders. */
static bool may_be_folder(const char *input)
{
	return vrs_path_is_dir(input) || (!vrs_path_exists(input) && !strpbrk(input, ":%*?[") && strcmp(input, "-") != 0);
}

static enum vrs_status check_recursive(const struct vrs_program_state *program, struct vrs_error *err)
{
	bool typed = vrs_config_source(program->config, "input.recursive") == VRS_SOURCE_FLAG;

	for (int i = 0; typed && i < program->input_count; i++)
		typed = !may_be_folder(program->inputs[i]);
	return typed && program->settings.input.recursive ?
		vrs_fail(err, VRS_ECONFIG, "--recursive has no effect without an input folder; leave it out") : VRS_OK;
}

/* The search of --auto-tune looks for it. */
static enum vrs_status check_target(const struct vrs_program_state *program, struct vrs_error *err)
{
	bool typed = vrs_config_source(program->config, "target.fps") == VRS_SOURCE_FLAG && program->settings.target.fps > 0;

	if (!typed || program->settings.target.auto_tune || !vrs_mode_is_batch(program))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "--target-fps does not go with %s without --auto-tune: the table of several inputs judges none",
			program->output_dir ? "--output-dir" : "several inputs");
}

static enum vrs_status run(struct vrs_program_state *program, const char *const *operands, int operand_count, struct vrs_error *err)
{
	vrs_config_effective(program->config, &program->settings);
	program->inputs = operands;
	program->input_count = operand_count;
	program->input = operand_count > 0 ? operands[0] : NULL;
	enum vrs_status status = open_messages(program, err);
	if (status != VRS_OK)
		return status;
	if (program->dump_config)
		return vrs_config_print(program->config, stdout, VRS_WRITE_ALL);
	if (program->list_models)
		return vrs_mode_list_models(program, err);
	if (program->hardware)
		return vrs_mode_hardware(program, err);
	if (program->list_encoders) {
		vrs_job_list_encoders(vrs_print_line, program);
		return VRS_OK;
	}
	if (!program->interactive)
		status = vrs_program_check_backend(program, err);
	if (status == VRS_OK && program->settings.pipeline.sandbox)
		status = vrs_sandbox_enter(program, err);
	if (status == VRS_OK)
		status = open_metrics(program, err);
	if (status != VRS_OK)
		return status;
	if (program->calibrate)
		return vrs_mode_calibrate(program, err);
	if (program->describe_network)
		return vrs_mode_describe_network(program, err);
	if (program->run_network)
		return vrs_mode_run_network(program, err);
	if (program->interactive) {
		program->typed = isatty(STDIN_FILENO);
		return vrs_mode_interactive(program, err);
	}
	if (!program->input)
		return vrs_fail(err, VRS_ECONFIG, "an input video is missing; vrseg --help shows how to use it");
	status = check_recursive(program, err);
	if (status == VRS_OK)
		status = check_target(program, err);
	if (status != VRS_OK)
		return status;
	if (program->dry_run && vrs_mode_is_batch(program))
		return vrs_fail(err, VRS_ECONFIG, "--dry-run takes one input");
	if (program->preview)
		return vrs_mode_preview(program, err);
	return vrs_mode_is_batch(program) ? vrs_mode_multi_file(program, err) : vrs_mode_video(program, err);
}

static int run_vrseg(int argc, char **argv)
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
	if (status == VRS_OK)
		status = vrs_cli_parse(program.config, &spec, argc, argv, &program, stdout, &operands, &operand_count, &err);
	if (status == VRS_OK)
		status = run(&program, operands, operand_count, &err);
	vrs_job_destroy(program.job);
	vrs_truth_close(program.truth);
	int code = vrs_messages_end(status, &err);
	if (!code && program.fail_on && program.missed_targets)
		code = VRS_EXIT_REGRESSION;
	vrs_job_metrics_close(program.metrics, code);
	vrs_progress_destroy(program.meter);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	return code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vrseg, argc, argv);
}
