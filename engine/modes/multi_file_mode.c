/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several inputs one after another, each with its own layout and name; one table at the end. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "modes/input_list.h"
#include "modes/program.h"

#include <vrseg/log.h>
#include <vrseg/output_complete.h>

/* What became of one input. */
struct outcome {
	enum { NOT_REACHED, DONE, SKIPPED, FAILED, STOPPED } result;
	uint64_t frames;
	double seconds;
	char text[VRS_PATH_MAX]; /* the output, or why there is none */
};

bool vrs_mode_is_batch(const struct vrs_program_state *program)
{
	return program->input_count > 1 || program->output_dir || (strcmp(program->input, "-") != 0 && vrs_path_is_dir(program->input));
}

static enum vrs_status check_inputs(const struct vrs_program_state *program, struct vrs_error *err)
{
	for (int i = 0; i < program->input_count; i++)
		if (strcmp(program->inputs[i], "-") == 0)
			return vrs_fail(err, VRS_ECONFIG, "standard input cannot be one of several inputs");
	return vrs_settings_check(&program->settings, err);
}

/* Name of the output of one input; makes its folder. */
static enum vrs_status name_output(struct vrs_program_state *program, const struct vrs_input *input, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	const char *where = NULL;
	enum vrs_status status = VRS_OK;
	if (program->output_dir) {
		status = input->folder[0] ? vrs_path_join(folder, sizeof folder, program->output_dir, input->folder)
		       : vrs_strcpy(folder, sizeof folder, program->output_dir) ? VRS_OK : VRS_ELIMIT;
		if (status != VRS_OK)
			return vrs_fail(err, status, "the name of the folder for %s is too long", input->path);
		status = vrs_mkdirs(folder, err);
		where = folder;
	}
	return status != VRS_OK ? status : vrs_default_output(program, where, vrs_output_suffix(&program->settings), NULL, err);
}

/* True when the output is there and need not be made; one that is not complete will be replaced. */
static bool is_done(struct vrs_program_state *program, const struct vrs_input *input)
{
	char reason[VRS_PATH_MAX + 64];
	struct vrs_settings *settings = &program->settings;
	if (!settings->output.skip_existing || !vrs_path_exists(settings->output.file))
		return false;
	if (vrs_output_is_complete(input->path, settings->output.file, settings, reason, sizeof reason))
		return true;
	vrs_log(VRS_LOG_INFO, "%s; making it again", reason);
	settings->output.overwrite = true;
	return false;
}

/* Two inputs of one name give one output: the second would replace what the first has just made. */
static bool is_taken(const struct outcome *outcomes, int count, const char *file)
{
	for (int i = 0; i < count; i++)
		if (outcomes[i].result != FAILED && strcmp(outcomes[i].text, file) == 0)
			return true;
	return false;
}

static enum vrs_status run_one(struct vrs_program_state *program, const struct vrs_input *input, struct outcome *outcomes, int number)
{
	struct outcome *outcome = &outcomes[number];
	struct vrs_job_stats stats = {0};
	struct vrs_error err = {0};
	program->settings = *vrs_config_settings(program->config);
	program->input = input->path;
	enum vrs_status status = name_output(program, input, &err);
	const char *output = program->settings.output.file;
	if (status == VRS_OK && is_taken(outcomes, number, output))
		status = vrs_fail(&err, VRS_EEXIST, "%s is already the output of another input", output);
	if (status == VRS_OK && is_done(program, input)) {
		outcome->result = SKIPPED;
		(void)vrs_strcpy(outcome->text, sizeof outcome->text, output); /* same size */
		return VRS_OK;
	}
	if (status == VRS_OK)
		status = vrs_video_run(program, &stats, &err);
	if ((program->settings.report.stats || program->settings.report.profile) && stats.frames_done)
		vrs_stage_report(&stats, &program->info, program->results);
	if (program->settings.report.profile && program->job && stats.frames_done)
		vrs_job_profile_report(program->job, program->results);
	vrs_job_destroy(program->job);
	program->job = NULL;
	outcome->frames = stats.frames_done;
	outcome->seconds = (double)stats.wall_ns / 1e9;
	outcome->result = status == VRS_OK ? DONE : status == VRS_ESTOPPED ? STOPPED : FAILED;
	if (outcome->result == FAILED)
		vrs_log(VRS_LOG_ERROR, "%s", err.text);
	(void)vrs_strcpy(outcome->text, sizeof outcome->text, outcome->result == FAILED || !stats.frames_done ? err.text : output); /* cut when long */
	return status;
}

static void print_table(FILE *out, const struct vrs_input_list *list, const struct outcome *outcomes)
{
	static const char *const words[] = {"not reached", "done", "skipped", "failed", "stopped"};
	char text[VRS_PATH_MAX];
	int width = 5;
	for (int i = 0; i < list->count; i++) {
		int length = (int)strlen(vrs_printable(text, sizeof text, list->items[i].path));
		width = length > width ? length : width;
	}
	fprintf(out, "%-*s %8s %9s %8s  %-11s  %s\n", width, "input", "frames", "seconds", "frames/s", "result", "output");
	for (int i = 0; i < list->count; i++) {
		const struct outcome *o = &outcomes[i];
		fprintf(out, "%-*s ", width, vrs_printable(text, sizeof text, list->items[i].path));
		if (o->frames)
			fprintf(out, "%8llu %9.2f %8.2f", (unsigned long long)o->frames, o->seconds, o->seconds > 0 ? (double)o->frames / o->seconds : 0);
		else
			fprintf(out, "%8s %9s %8s", "-", "-", "-");
		fprintf(out, "  %-11s  %s\n", words[o->result], vrs_printable(text, sizeof text, o->text));
	}
}

static enum vrs_status run_list(struct vrs_program_state *program, const struct vrs_input_list *list, struct vrs_error *err)
{
	struct outcome *outcomes = vrs_calloc((size_t)list->count, sizeof *outcomes);
	bool stopped = false;
	int failed = 0;
	if (!outcomes)
		return vrs_fail(err, VRS_ENOMEM, "no memory for %d inputs", list->count);
	for (int i = 0; i < list->count && !stopped; i++) {
		enum vrs_status status = vrs_stop_requested() ? VRS_ESTOPPED : run_one(program, &list->items[i], outcomes, i);
		stopped = status == VRS_ESTOPPED;
		failed += status != VRS_OK && !stopped;
	}
	print_table(program->results, list, outcomes);
	vrs_free(outcomes);
	if (stopped)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request; run the same command with --skip-existing to continue");
	return failed ? vrs_fail(err, VRS_EIO, "%d of %d inputs failed", failed, list->count) : VRS_OK;
}

enum vrs_status vrs_mode_multi_file(struct vrs_program_state *program, struct vrs_error *err)
{
	struct vrs_input_list list = {0};
	enum vrs_status status = check_inputs(program, err);
	if (status == VRS_OK)
		status = vrs_input_list_collect(&list, program->inputs, program->input_count, program->settings.input.recursive,
						vrs_output_suffix(&program->settings), program->output_dir, err);
	if (status == VRS_OK && list.count == 0)
		status = vrs_fail(err, VRS_ENOTFOUND, "there is no video in %s", program->inputs[0]);
	if (status == VRS_OK)
		status = run_list(program, &list, err);
	vrs_input_list_fini(&list);
	return status;
}
