/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes without a video: a network on arrays, described, calibrated; what vrseg knows of networks and the machine. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "modes/program.h"

#include <vrseg/log.h>
#include <vrseg/machine.h>
#include <vrseg/network_run.h>

void vrs_print_line(void *program, const char *text)
{
	FILE *out = ((struct vrs_program_state *)program)->results;

	vrs_print_text(out, text);
	fputc('\n', out);
}

static enum vrs_status use_model(struct vrs_program_state *program, const char *model, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	program->settings.engine.input_size[0] = program->settings.engine.input_size[1] = 0; /* of pictures */
	if (!vrs_strcpy(program->settings.engine.model, sizeof program->settings.engine.model, model))
		status = vrs_fail(err, VRS_ECONFIG, "the name of the network is too long");
	return status;
}

enum vrs_status vrs_mode_run_network(struct vrs_program_state *program, struct vrs_error *err)
{
	const struct vrs_array_run run = {.settings = &program->settings, .tensors = program->tensors.items, .tensor_count = program->tensors.count,
		.output_dir = program->output_dir, .line = vrs_print_line, .cookie = program};
	enum vrs_status status = use_model(program, program->run_network, err);
	return status != VRS_OK ? status : vrs_array_run(&run, err);
}

enum vrs_status vrs_mode_describe_network(struct vrs_program_state *program, struct vrs_error *err)
{
	enum vrs_status status = use_model(program, program->describe_network, err);
	return status != VRS_OK ? status : vrs_array_describe(&program->settings, vrs_print_line, program, err);
}

static void print_calibrated(FILE *out, const char *name, int layers, const struct vrs_calibration_info *info, double error, double iou)
{
	fprintf(out, "%-10s %6d of %-6d %12.6f %12.4f\n", name, layers, info->layers, error, iou);
}

enum vrs_status vrs_mode_calibrate(struct vrs_program_state *program, struct vrs_error *err)
{
	struct vrs_calibration_report report;
	enum vrs_status status = vrs_calibrate_input(&program->settings, program->calibrate, &report, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_calibration_info *info = &report.info;
	FILE *out = program->results;
	vrs_print_text(out, report.network);
	fprintf(out, " %dx%d: %d samples, checked on %d %s\n", report.width, report.height, info->samples, report.checks,
		report.checks_are_samples ? "of them" : "other pictures");
	fprintf(out, "%-10s %16s %12s %12s\n", "precision", "8-bit layers", "RMS error", "IoU to fp32");
	print_calibrated(out, "int8", info->int8_layers, info, info->int8_error, report.int8_iou);
	print_calibrated(out, "mixed", info->mixed_layers, info, info->mixed_error, report.mixed_iou);
	fprintf(out, "--precision auto takes %s\n", info->passes ? "int8 from now on" :
		info->few_checks ? "no int8: too few pictures were left for the check" : "no int8: it differs too much from fp32");
	fputs("kept in ", out);
	vrs_print_line(program, report.path);
	return VRS_OK;
}

/* What --input-size auto is: the native size, or those in VR and in flat pictures where the manifest has others. */
static void write_sizes(const struct vrs_manifest *manifest, char *ret_text, size_t size)
{
	const int *vr = manifest->vr_size[VRS_AUTO_SIZE_NORMAL], *flat = manifest->flat_size[VRS_AUTO_SIZE_NORMAL];
	const int native[2] = {manifest->input_width, manifest->input_height};

	vr = vr[0] ? vr : native;
	flat = flat[0] ? flat : native;
	if (vr[0] == flat[0] && vr[1] == flat[1])
		snprintf(ret_text, size, "%dx%d", vr[0], vr[1]);
	else
		snprintf(ret_text, size, "%dx%d VR, %dx%d flat", vr[0], vr[1], flat[0], flat[1]);
}

static void print_model(FILE *out, const char *name, const char *taken)
{
	struct vrs_manifest manifest;
	struct vrs_error err = {0};
	char sizes[64], shown[VRS_PATH_MAX], text[sizeof err.text];

	(void)vrs_printable(shown, sizeof shown, name);
	if (vrs_manifest_load(&manifest, name, &err) != VRS_OK) {
		fprintf(out, "%-30s  %s\n", shown, vrs_printable(text, sizeof text, err.text));
		return;
	}
	write_sizes(&manifest, sizes, sizeof sizes);
	fprintf(out, "%-30s  %-24s  %s%s%s\n", shown, sizes, vrs_printable(text, sizeof text, manifest.licence),
		strcmp(name, taken) == 0 ? "  the default" : "",
		vrs_path_exists(manifest.file) ? "" : "  not installed: run scripts/setup.sh of the source, which fetches it");
}

enum vrs_status vrs_mode_list_models(struct vrs_program_state *program, struct vrs_error *err)
{
	char **names;
	struct vrs_manifest best;
	struct vrs_error none = {0};
	enum vrs_status status = vrs_data_names("models", &names, err);

	if (status != VRS_OK)
		return status;
	if (vrs_manifest_load(&best, VRS_MODEL_AUTO, &none) != VRS_OK)
		best.name[0] = '\0';
	for (int i = 0; names[i]; i++)
		print_model(program->results, names[i], best.name);
	vrs_data_names_free(names);
	return VRS_OK;
}

/* A GPU is no choice of auto, and its owner would wonder. */
static void tell_unused_gpu(const struct vrs_program_state *program)
{
	const char *maker = vrs_config_source(program->config, "engine.backend") == VRS_SOURCE_DEFAULT ? vrs_machine_gpu_maker() : NULL;

	if (maker)
		vrs_log_once("unused gpu", VRS_LOG_INFO, "the network runs on the CPU, not on the GPU by %s: --backend opencl uses that, --auto-tune finds out "
			     "whether it is faster, and --backend cpu ends this line", maker);
}

enum vrs_status vrs_program_check_backend(struct vrs_program_state *program, struct vrs_error *err)
{
	const struct vrs_settings *settings = &program->settings;
	enum vrs_status status = vrs_config_warn_backend(program->config, vrs_backend_name(settings->engine.backend), err);

	if (status == VRS_OK)
		tell_unused_gpu(program);
	if (status != VRS_OK || !vrs_backend_has_devices(settings->engine.backend))
		return status;
	status = vrs_config_check(program->config, settings, err); /* before drivers are looked at: --sandbox for one refuses them */
	return status == VRS_OK ? vrs_machine_probe_opencl(settings->engine.device, err) : status;
}

enum vrs_status vrs_mode_hardware(struct vrs_program_state *program, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, true) : VRS_ENOMEM;
	if (status != VRS_OK)
		vrs_fail(err, status, "cannot read this machine's properties: %s", vrs_status_str(status));
	else {
		vrs_machine_add_opencl(machine);
		vrs_machine_print(machine, program->results);
	}
	vrs_free(machine);
	return status;
}
