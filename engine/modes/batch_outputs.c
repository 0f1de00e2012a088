/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/batch_outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"

#include <vrseg/output_file.h>

/* The output of an input. */
struct claim {
	const struct vrs_batch_input *input;
	char *file; /* real path; where names depend on what inputs are, at first only what they all have */
};

/* Folder of the output; NULL: beside the input. */
static enum vrs_status find_folder(const struct vrs_program_state *program, const struct vrs_batch_input *input, char buf[VRS_PATH_MAX],
				   const char **ret_folder, struct vrs_error *err)
{
	*ret_folder = program->output_dir ? buf : NULL;
	if (!program->output_dir)
		return VRS_OK;
	enum vrs_status status = input->folder[0] ? vrs_path_join(buf, VRS_PATH_MAX, program->output_dir, input->folder)
			       : vrs_strcpy(buf, VRS_PATH_MAX, program->output_dir) ? VRS_OK : VRS_ELIMIT;
	return status != VRS_OK ? vrs_fail(err, status, "the name of the folder for %s is too long", input->path) : VRS_OK;
}

enum vrs_status vrs_batch_output_name(struct vrs_program_state *program, const struct vrs_batch_input *input, struct vrs_error *err)
{
	char buf[VRS_PATH_MAX];
	const char *folder;
	program->input = input->path;
	enum vrs_status status = find_folder(program, input, buf, &folder, err);
	if (status == VRS_OK && folder)
		status = vrs_mkdirs(folder, err);
	return status != VRS_OK ? status : vrs_default_output(program, folder, vrs_output_suffix(&program->settings), NULL, err);
}

/* What all names have that the output may get, whatever the input is. */
static enum vrs_status name_roughly(const struct vrs_batch_input *input, const char *folder, char ret_name[VRS_PATH_MAX], struct vrs_error *err)
{
	char stem[VRS_PATH_MAX], beside[PATH_MAX];
	enum vrs_status status = vrs_output_name_stem(stem, sizeof stem, input->path, err);
	vrs_path_folder(beside, input->path);
	return status != VRS_OK ? status : vrs_path_join(ret_name, VRS_PATH_MAX, folder ? folder : beside, stem);
}

/* Whether the input will have an output, as far as can be told now, and which one. */
static bool claim(struct vrs_program_state *program, const struct vrs_batch_input *input, bool roughly, char ret_name[PATH_MAX])
{
	char buf[VRS_PATH_MAX], name[VRS_PATH_MAX];
	const char *folder;
	vrs_config_effective(program->config, &program->settings);
	program->input = input->path;
	enum vrs_status status = input->search_error ? VRS_EIO : find_folder(program, input, buf, &folder, NULL);
	if (status == VRS_OK && program->settings.pipeline.sandbox)
		status = vrs_sandbox_check(input->path, NULL);
	if (status == VRS_OK && roughly)
		status = name_roughly(input, folder, name, NULL);
	else if (status == VRS_OK)
		status = vrs_default_output(program, folder, vrs_output_suffix(&program->settings), NULL, NULL);
	return status == VRS_OK && vrs_path_real(roughly ? name : program->settings.output.file, ret_name);
}

/* Of the inputs of the claims, which become fewer where inputs have none. */
static enum vrs_status make_claims(struct vrs_program_state *program, struct vrs_arena *arena, struct claim *claims, int *io_count, bool roughly)
{
	int kept = 0;
	for (int i = 0; i < *io_count; i++) {
		char name[PATH_MAX];
		if (!claim(program, claims[i].input, roughly, name))
			continue;
		claims[kept] = claims[i];
		claims[kept].file = vrs_arena_calloc(arena, strlen(name) + 1, 1);
		if (!claims[kept].file)
			return VRS_ENOMEM;
		memcpy(claims[kept++].file, name, strlen(name));
	}
	*io_count = kept;
	return VRS_OK;
}

static int by_file(const void *a, const void *b)
{
	const struct claim *one = a, *other = b;
	int order = strcmp(one->file, other->file);
	return order != 0 ? order : (one->input > other->input) - (one->input < other->input);
}

/* Only those that are like another one stay, side by side. */
static void keep_alike(struct claim *claims, int *io_count)
{
	int kept = 0;
	bool like_last = false;
	qsort(claims, (size_t)*io_count, sizeof *claims, by_file);
	for (int i = 0; i < *io_count; i++) {
		bool like_next = i + 1 < *io_count && strcmp(claims[i].file, claims[i + 1].file) == 0;
		if (like_last || like_next)
			claims[kept++] = claims[i];
		like_last = like_next;
	}
	*io_count = kept;
}

static enum vrs_status refuse(struct vrs_program_state *program, const struct claim *one, const struct claim *other, struct vrs_error *err)
{
	char name[PATH_MAX];
	const char *first = one->input->path, *second = other->input->path;
	bool as_typed = claim(program, one->input, false, name); /* the name that the user expects is in the settings */
	const char *output = as_typed ? program->settings.output.file : one->file;
	if (strcmp(first, second) == 0)
		return vrs_fail(err, VRS_ECONFIG, "%s is named twice, for one output, %s", first, output);
	return vrs_fail(err, VRS_ECONFIG, "%s and %s would have one output, %s; process one of them by itself, with -o FILE", first, second, output);
}

enum vrs_status vrs_batch_outputs_check(struct vrs_program_state *program, const struct vrs_batch_input *inputs, int count, struct vrs_error *err)
{
	struct vrs_arena arena = {0};
	bool roughly = vrs_output_name_needs_input(&program->settings);
	struct claim *claims = vrs_arena_calloc(&arena, (size_t)count, sizeof *claims);
	for (int i = 0; claims && i < count; i++)
		claims[i].input = &inputs[i];
	enum vrs_status status = claims ? make_claims(program, &arena, claims, &count, roughly) : VRS_ENOMEM;
	if (status == VRS_OK)
		keep_alike(claims, &count);
	if (status == VRS_OK && roughly) {
		status = make_claims(program, &arena, claims, &count, false);
		if (status == VRS_OK)
			keep_alike(claims, &count);
	}
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "no memory for the list of inputs");
	else if (count > 0)
		status = refuse(program, &claims[0], &claims[1], err);
	vrs_arena_free(&arena);
	return status;
}
