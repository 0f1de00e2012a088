/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vrseg: cuts people out of VR video.  Messages and progress go to standard error; results (summary, tables, lists) to standard output, unless the
 * video itself goes there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stop.h"
#include "base/str_parse.h"

#include <vrseg/array_run.h>
#include <vrseg/calibration_run.h>
#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>
#include <vrseg/pipeline.h>
#include <vrseg/progress.h>
#include <vrseg/quality.h>

#define VRS_MAX_TENSORS 64

struct program {
	struct vrs_config *config;
	struct vrs_settings settings;       /* with the output name filled in */
	const char *input;
	bool hardware, list_models, list_encoders, dump_config;
	const char *preview, *truth_file;
	const char *run_network, *describe_network, *output_dir, *calibrate;
	const char *tensors[VRS_MAX_TENSORS];
	int tensor_count;
	FILE *results;                      /* standard output, or standard error when the video goes to standard output */
	struct vrs_progress_meter *meter;
	struct vrs_job *job;
	struct vrs_truth *truth;
};

#define NETWORKS "Networks on arrays"

static const struct vrs_cli_action actions[] = {
	{.flag = "preview", .value_name = "TIME", .help = "Write a contact sheet (input, matte, composite) of the frame at TIME instead of a video"},
	{.flag = "truth", .value_name = "FILE", .help = "Compare the mattes with a grey truth video and print how well they agree"},
	{.flag = "run-network", .value_name = "MODEL", .help = "Run a network on NumPy arrays instead of a video", .group = NETWORKS},
	{.flag = "tensor", .value_name = "NAME=FILE", .repeatable = true, .group = NETWORKS,
	 .help = "Array (.npy) for the input NAME of --run-network, in the network's own type and layout; once for each input"},
	{.flag = "output-dir", .value_name = "DIR", .help = "Where --run-network writes each output as NAME.npy", .group = NETWORKS},
	{.flag = "describe-network", .value_name = "MODEL", .group = NETWORKS,
	 .help = "Show names, types and shapes of a network's inputs and outputs, and exit"},
	{.flag = "calibrate", .value_name = "INPUT",
	 .help = "Find number ranges for --precision int8 and mixed with a clip or a folder of pictures, and keep them"},
	{.flag = "hardware", .help = "Show CPU, memory, devices and sensors, and exit"},
	{.flag = "list-models", .help = "List the networks, and exit"},
	{.flag = "list-encoders", .help = "List the video encoders, and exit"},
	{.flag = "dump-config", .help = "Print every option's value and where it comes from, and exit"},
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrseg",
	.program_bit = VRS_PROGRAM_VRSEG,
	.usage = "vrseg INPUT [-o OUTPUT] [options]",
	.intro = "Cuts people out of VR video: each eye goes through a segmentation network, and the background is replaced. Without -o the output lies "
		 "beside the input, with _green or _matte in its name. Ctrl-C once finishes and saves what is done, twice stops at once.",
	.actions = actions,
	.examples = "  vrseg input.mp4 -o output.mp4\n"
		    "  vrseg input.mp4 -o matte.mkv --output-mode matte --encoder ffv1\n"
		    "  vrseg input.mp4 --preview 0:30 -o sheet.png\n"
		    "  vrseg input.mp4 -o null: --stats\n"
		    "  vrseg --calibrate input.mp4 && vrseg input.mp4 -o output.mp4 --precision int8\n"
		    "  vrseg --run-network net.onnx --tensor image=in.npy --output-dir out\n",
	.min_operands = 1,
	.max_operands = 1,
};

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	struct program *program = cookie;
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
	program->hardware |= strcmp(flag, "hardware") == 0;
	program->list_models |= strcmp(flag, "list-models") == 0;
	program->list_encoders |= strcmp(flag, "list-encoders") == 0;
	program->dump_config |= strcmp(flag, "dump-config") == 0;
	return VRS_OK;
}

static void clear_progress(void *cookie)
{
	vrs_progress_clear(((struct program *)cookie)->meter);
}

static enum vrs_status list_models(struct vrs_error *err)
{
	char **names;
	enum vrs_status status = vrs_manifest_names(&names, err);
	if (status)
		return status;
	for (int i = 0; names[i]; i++) {
		struct vrs_manifest manifest;
		struct vrs_error ignored = {0};
		if (vrs_manifest_load(&manifest, names[i], &ignored)) {
			printf("%-32s %s\n", names[i], ignored.text);
			continue;
		}
		printf("%-32s %dx%d  %s\n", names[i], manifest.input_width, manifest.input_height, manifest.licence);
	}
	vrs_manifest_names_free(names);
	return VRS_OK;
}

static enum vrs_status print_hardware(struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, true) : VRS_ENOMEM;
	if (status)
		vrs_fail(err, status, "cannot read what this machine is: %s", vrs_status_str(status));
	else {
		vrs_machine_add_opencl(machine);
		vrs_machine_print(machine, stdout);
	}
	vrs_free(machine);
	return status;
}

static void print_line(void *cookie, const char *text)
{
	(void)cookie;
	puts(text);
}

/* clip.mp4 becomes clip_green.mp4; what cannot hold H.264 becomes an .mp4 too. */
static enum vrs_status default_output(struct program *program, const char *suffix, const char *extension, struct vrs_error *err)
{
	const char *input = program->input, *base = vrs_path_base(input), *dot = strrchr(base, '.');
	if (strcmp(input, "-") == 0)
		return vrs_fail(err, VRS_ECONFIG, "input from standard input needs an output name: -o FILE");
	size_t stem = dot && dot != base ? (size_t)(dot - input) : strlen(input);
	if (!extension)
		extension = dot && (strcmp(dot, ".mkv") == 0 || strcmp(dot, ".mov") == 0) ? dot : ".mp4";
	char *file = program->settings.output.file;
	int n = snprintf(file, sizeof program->settings.output.file, "%.*s_%s%s", (int)stem, input, suffix, extension);
	return n > 0 && (size_t)n < sizeof program->settings.output.file ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
}

static bool is_standard_output(const char *file)
{
	return strcmp(file, "-") == 0 || strcmp(file, "y4m:-") == 0 || strcmp(file, "hash:-") == 0;
}

static enum vrs_status preview(struct program *program, struct vrs_error *err)
{
	double seconds;
	if (!vrs_parse_duration(program->preview, &seconds))
		return vrs_fail(err, VRS_ECONFIG, "--preview takes a time such as 12.5 or 1:30, not \"%s\"", program->preview);
	enum vrs_status status = program->settings.output.file[0] ? VRS_OK : default_output(program, "preview", ".png", err);
	if (!status)
		status = vrs_job_preview(program->input, &program->settings, seconds, program->settings.output.file, err);
	if (!status)
		printf("%s: input, matte and composite at %g s, one row per eye\n", program->settings.output.file, seconds);
	return status;
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct program *program = cookie;
	(void)times;
	vrs_progress_frame(program->meter, program->job);
}

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct program *program = cookie;
	vrs_truth_add(program->truth, index, eye, matte, covers);
}

static void describe(const struct vrs_job_info *info)
{
	const struct vrs_rect *view = &info->views[0];
	char rate[32] = "";
	if (info->fps > 0)
		snprintf(rate, sizeof rate, ", %.4g frames/s", info->fps);
	vrs_log(VRS_LOG_INFO, "%s: %dx%d%s, %s, %s", info->input, info->width, info->height, rate, info->codec, info->pixels);
	vrs_log(VRS_LOG_INFO, "layout %s, %s (%s)", vrs_stereo_name(info->layout.stereo), vrs_projection_name(info->layout.projection),
		info->layout.reason);
	vrs_log(VRS_LOG_INFO, "network %s at %dx%d %s %dx%d %s%s; %s %s, batch %d, streams %d x threads %d", info->model, info->net_width,
		info->net_height, info->follows ? "looks for people in" : "sees", view->width, view->height,
		info->eyes > 1 ? "of each eye" : "of the picture", info->follows ? " and follows them" : "", info->backend, info->isa, info->batch,
		info->streams, info->threads);
}

static void print_score(const char *eye, const char *size, const struct vrs_truth_score *s, FILE *out)
{
	fprintf(out, "%-6s %-7s %6llu   %.4f %.4f   %.4f %.4f   %.4f %.4f   %.4f %.4f\n", eye, size, (unsigned long long)s->frames, s->iou.mean,
		s->iou.worst, s->mad.mean, s->mad.worst, s->boundary_f.mean, s->boundary_f.worst, s->dtssd.mean, s->dtssd.worst);
}

static enum vrs_status print_truth(struct program *program, struct vrs_error *err)
{
	struct vrs_truth_result result;
	enum vrs_status status = vrs_truth_result(program->truth, &result, err);
	if (status)
		return status;
	fprintf(program->results, "%-6s %-7s %6s   %-13s   %-13s   %-13s   %-13s\n", "eye", "size", "frames", "IoU mean/worst", "MAD", "boundary F",
		"dtSSD");
	for (int i = 0; i < result.eyes; i++) {
		const char *eye = result.eyes == 1 ? "mono" : i == 0 ? "left" : "right";
		print_score(eye, "frame", &result.frame_size[i], program->results);
		print_score(eye, "matte", &result.matte_size[i], program->results);
	}
	return VRS_OK;
}

static void print_summary(const struct program *program)
{
	struct vrs_job_stats stats;
	vrs_job_stats(program->job, &stats);
	double seconds = (double)stats.wall_ns / 1e9;
	fprintf(program->results, "%llu frames in %.2f s, %.2f frames/s -> %s\n", (unsigned long long)stats.frames_done, seconds,
		seconds > 0 ? (double)stats.frames_done / seconds : 0, program->settings.output.file);
	if (program->settings.report.stats)
		vrs_stage_report(&stats, vrs_job_info(program->job), program->results);
}

static enum vrs_status run_job(struct program *program, struct vrs_error *err)
{
	static const char *const suffixes[] = {"green", "matte"};
	const struct vrs_settings *settings = &program->settings;
	struct vrs_job_callbacks callbacks = {.cookie = program, .on_frame = on_frame};
	enum vrs_status status = VRS_OK;
	if (!settings->output.file[0])
		status = default_output(program, suffixes[settings->output.mode], NULL, err);
	if (!status && program->truth_file)
		status = vrs_truth_open(&program->truth, program->truth_file, err);
	if (program->truth)
		callbacks.on_matte = on_matte;
	if (is_standard_output(settings->output.file))
		program->results = stderr;
	if (!status)
		status = vrs_job_create(&program->job, program->input, settings, 1, &callbacks, err);
	if (!status && program->truth)
		status = vrs_truth_attach(program->truth, vrs_job_info(program->job), settings->pipeline.every_nth, err);
	if (status)
		return status;
	describe(vrs_job_info(program->job));
	status = vrs_job_run(program->job, err);
	if (status && status != VRS_ESTOPPED) {
		vrs_progress_clear(program->meter);
		return status;
	}
	vrs_progress_end(program->meter, program->job);
	print_summary(program);
	if (program->truth && !status)
		status = print_truth(program, err);
	return status;
}

/* What is about video says nothing to a network on arrays. */
static enum vrs_status refuse_video_flags(const struct program *program, const char *mode, struct vrs_error *err)
{
	static const char *const used[] = {"engine.backend", "engine.precision", "engine.threads", "engine.fusion", "engine.deterministic",
		"output.overwrite", "report.log_file", "report.log_level", "report.progress", NULL};
	if (program->input)
		return vrs_fail(err, VRS_ECONFIG, "unexpected argument \"%.200s\"; %s takes no video", program->input, mode);
	if (program->preview || program->truth_file)
		return vrs_fail(err, VRS_ECONFIG, "--%s needs a video, so it cannot go with %s", program->preview ? "preview" : "truth", mode);
	return vrs_config_refuse_flags(program->config, used, mode, err);
}

static enum vrs_status use_model(struct program *program, const char *model, const char *mode, struct vrs_error *err)
{
	enum vrs_status status = refuse_video_flags(program, mode, err);
	program->settings.engine.input_size[0] = program->settings.engine.input_size[1] = 0; /* of pictures */
	if (!status && !vrs_strcpy(program->settings.engine.model, sizeof program->settings.engine.model, model))
		status = vrs_fail(err, VRS_ECONFIG, "the name of the network is too long");
	return status;
}

static enum vrs_status run_network(struct program *program, struct vrs_error *err)
{
	const struct vrs_array_run run = {.settings = &program->settings, .tensors = program->tensors, .tensor_count = program->tensor_count,
		.output_dir = program->output_dir, .line = print_line};
	if (!program->run_network)
		return vrs_fail(err, VRS_ECONFIG, "%s goes with --run-network MODEL", program->tensor_count ? "--tensor" : "--output-dir");
	enum vrs_status status = use_model(program, program->run_network, "--run-network", err);
	if (status)
		return status;
	if (!program->output_dir)
		return vrs_fail(err, VRS_ECONFIG, "--run-network needs a folder for its outputs: --output-dir DIR");
	return vrs_array_run(&run, err);
}

static enum vrs_status describe_network(struct program *program, struct vrs_error *err)
{
	enum vrs_status status = use_model(program, program->describe_network, "--describe-network", err);
	return status ? status : vrs_array_describe(&program->settings, print_line, NULL, err);
}

static void print_calibrated(const char *name, int layers, const struct vrs_calibration_info *info, double error, double iou)
{
	printf("%-10s %6d of %-6d %12.6f %12.4f\n", name, layers, info->layers, error, iou);
}

static enum vrs_status calibrate(struct program *program, struct vrs_error *err)
{
	static const char *const used[] = {"engine.model", "engine.input_size", "engine.threads", "engine.deterministic", "input.layout", "matte.view",
		"matte.view_size", "report.log_file", "report.log_level", "report.progress", NULL};
	struct vrs_calibration_report report;
	if (program->input)
		return vrs_fail(err, VRS_ECONFIG, "unexpected argument \"%.200s\"; --calibrate has its input already", program->input);
	enum vrs_status status = vrs_config_refuse_flags(program->config, used, "--calibrate", err);
	if (!status)
		status = vrs_calibrate_input(&program->settings, program->calibrate, &report, err);
	if (status)
		return status;
	const struct vrs_calibration_info *info = &report.info;
	printf("%s %dx%d: %d samples, checked on %d %s\n", report.network, report.width, report.height, info->samples, report.checks,
	       report.checks_are_samples ? "of them" : "other pictures");
	printf("%-10s %16s %12s %12s\n", "precision", "8-bit layers", "RMS error", "IoU to fp32");
	print_calibrated("int8", info->int8_layers, info, info->int8_error, report.int8_iou);
	print_calibrated("mixed", info->mixed_layers, info, info->mixed_error, report.mixed_iou);
	printf("kept in %s\n", report.path);
	return VRS_OK;
}

static enum vrs_status open_messages(struct program *program, struct vrs_error *err)
{
	const struct vrs_settings *settings = &program->settings;
	enum vrs_status status = vrs_messages_open((enum vrs_log_level)settings->report.log_level, settings->report.log_file, err);
	if (!status && vrs_progress_create(&program->meter, (enum vrs_progress)settings->report.progress, stderr))
		status = vrs_fail(err, VRS_ENOMEM, "out of memory");
	return status;
}

static enum vrs_status run(struct program *program, const char *const *operands, int operand_count, struct vrs_error *err)
{
	program->settings = *vrs_config_settings(program->config);
	program->input = operand_count > 0 ? operands[0] : NULL;
	enum vrs_status status = open_messages(program, err);
	if (status)
		return status;
	if (program->dump_config)
		return vrs_config_write(program->config, stdout, false);
	if (program->list_models)
		return list_models(err);
	if (program->hardware)
		return print_hardware(err);
	if (program->list_encoders) {
		vrs_job_list_encoders(print_line, NULL);
		return VRS_OK;
	}
	if (program->calibrate)
		return calibrate(program, err);
	if (program->describe_network)
		return describe_network(program, err);
	if (program->run_network || program->tensor_count || program->output_dir)
		return run_network(program, err);
	if (!program->input)
		return vrs_fail(err, VRS_ECONFIG, "an input video is missing; vrseg --help shows how to use it");
	return program->preview ? preview(program, err) : run_job(program, err);
}

int main(int argc, char **argv)
{
	struct program program = {.results = stdout};
	struct vrs_error err = {0};
	const char **operands = NULL;
	int operand_count = 0;
	vrs_stop_install();
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
	vrs_progress_destroy(program.meter);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	return code;
}
