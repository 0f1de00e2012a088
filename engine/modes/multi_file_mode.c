/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several inputs, files and the videos in folders, one after another, each with its own layout and name; one table at the end. */
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "modes/batch_outputs.h"

#include <vrseg/log.h>
#include <vrseg/output_file.h>

struct input_list {
	struct vrs_batch_input *items;
	int count;
	size_t capacity;
};

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

/* What a folder is searched for; anything that FFmpeg reads can be named directly. */
static bool is_video_name(const char *name)
{
	static const char *const extensions[] = {"mp4", "m4v", "mov", "mkv", "webm", "avi", "wmv", "flv", "ts", "m2ts", "mts", "mpg", "mpeg", "ogv",
		"3gp", "y4m"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && dot != name && i < sizeof extensions / sizeof extensions[0]; i++)
		if (strcasecmp(dot + 1, extensions[i]) == 0)
			return true;
	return false;
}

static enum vrs_status add(struct input_list *list, const char *path, const char *folder, size_t folder_length)
{
	void *items = list->items;
	if (vrs_array_grow(&items, &list->capacity, (size_t)list->count + 1, sizeof *list->items, INT_MAX) != VRS_OK)
		return VRS_ENOMEM;
	list->items = items;
	struct vrs_batch_input *item = &list->items[list->count];
	item->path = vrs_strdup(path);
	item->search_error = 0;
	item->folder = vrs_calloc(folder_length + 1, 1);
	if (!item->path || !item->folder) {
		vrs_free(item->path);
		vrs_free(item->folder);
		return VRS_ENOMEM;
	}
	memcpy(item->folder, folder, folder_length);
	list->count++;
	return VRS_OK;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strverscmp((*a)->fts_name, (*b)->fts_name);
}

/* fts(3) does not say why it could not follow a link. */
static int link_error(const FTSENT *entry)
{
	struct stat st;
	return stat(entry->fts_accpath, &st) == 0 ? EAGAIN : errno;
}

/* Counts as an input that fails, but for a file or folder that would have been left out. */
static enum vrs_status add_failed(struct input_list *list, const FTSENT *entry, bool recursive)
{
	bool is_unknown = entry->fts_info == FTS_NS || entry->fts_info == FTS_SLNONE;
	bool is_left_out = is_unknown && !recursive && !is_video_name(entry->fts_name);
	if (entry->fts_level > 0 && (is_left_out || entry->fts_name[0] == '.'))
		return VRS_OK;
	enum vrs_status status = add(list, entry->fts_path, "", 0);
	if (status == VRS_OK)
		list->items[list->count - 1].search_error = entry->fts_info == FTS_SLNONE ? link_error(entry) : entry->fts_errno;
	return status;
}

/* One entry of the walk; the path below the root is what follows its name. */
static enum vrs_status visit(struct input_list *list, FTS *fts, FTSENT *entry, size_t root_length, const struct stat *skip, bool recursive)
{
	bool is_skipped = skip && entry->fts_statp && entry->fts_level > 0 && entry->fts_statp->st_dev == skip->st_dev &&
			  entry->fts_statp->st_ino == skip->st_ino;
	switch (entry->fts_info) {
	case FTS_D:
		if (entry->fts_level > 0 && (!recursive || is_skipped || entry->fts_name[0] == '.'))
			(void)fts_set(fts, entry, FTS_SKIP); /* only fails on a wrong instruction */
		return VRS_OK;
	case FTS_F:
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
	case FTS_SLNONE:
		return add_failed(list, entry, recursive);
	default:
		return VRS_OK;
	}
	if (entry->fts_name[0] == '.' || !is_video_name(entry->fts_name))
		return VRS_OK;
	const char *below = entry->fts_path + root_length;
	below += strspn(below, "/");
	size_t length = (size_t)(vrs_path_base(below) - below);
	while (length > 0 && below[length - 1] == '/')
		length--;
	return add(list, entry->fts_path, below, length);
}

static enum vrs_status walk(struct input_list *list, const char *folder, bool recursive, const char *skip_folder, struct vrs_error *err)
{
	char *root = vrs_strdup(folder);
	char *roots[] = {root, NULL};
	struct stat skip;
	bool has_skip = skip_folder && stat(skip_folder, &skip) == 0;
	enum vrs_status status = VRS_OK;
	FTS *fts = root ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
	if (!fts) {
		vrs_free(root);
		return vrs_fail(err, VRS_EIO, "cannot search %s: %s", folder, strerror(errno));
	}
	size_t root_length = strlen(folder);
	FTSENT *entry;
	errno = 0;
	while (status == VRS_OK && (entry = fts_read(fts))) {
		status = visit(list, fts, entry, root_length, has_skip ? &skip : NULL, recursive);
		errno = 0;
	}
	int error = errno; /* 0: everything was visited */
	(void)fts_close(fts); /* FTS_NOCHDIR: nothing to restore */
	vrs_free(root);
	if (status != VRS_OK)
		return vrs_fail(err, status, "no memory for the list of inputs");
	return error ? vrs_fail(err, VRS_EIO, "cannot search %s: %s", folder, strerror(error)) : VRS_OK;
}

/* Is `path` named like an output of another input, in whichever mode, or a packed video where such are made? */
static bool is_output(const struct input_list *list, const char *path, bool packs)
{
	if (packs && vrs_output_name_is_packed(path))
		return true;
	for (int i = 0; i < list->count; i++)
		if (vrs_output_name_is_of(path, list->items[i].path))
			return true;
	return false;
}

static enum vrs_status drop_outputs(struct input_list *list, int first, bool packs)
{
	struct input_list all = *list;
	int kept = first;
	bool *drop = vrs_calloc((size_t)list->count, sizeof *drop);
	if (!drop)
		return VRS_ENOMEM;
	for (int i = first; i < all.count; i++)
		drop[i] = !all.items[i].search_error && is_output(&all, all.items[i].path, packs);
	int dropped = 0;
	for (int i = first; i < all.count; i++) {
		if (drop[i]) {
			if (dropped++ == 0)
				vrs_log(VRS_LOG_INFO, "%s is named like an output of another input, and left out, as are others like it; name it to process it",
					all.items[i].path);
			vrs_free(all.items[i].path);
			vrs_free(all.items[i].folder);
		} else {
			list->items[kept++] = all.items[i];
		}
	}
	list->count = kept;
	vrs_free(drop);
	return VRS_OK;
}

/* Beside others it is an input that fails; where no folder takes the outputs, one that is not the first may have been meant as the output. */
static enum vrs_status add_missing(struct input_list *list, const struct vrs_program_state *program, int operand, struct vrs_error *err)
{
	const char *path = program->inputs[operand];
	if (!program->output_dir || program->input_count == 1)
		return vrs_fail(err, operand > 0 ? VRS_ECONFIG : VRS_ENOTFOUND, "cannot open %s: %s%s", path, strerror(ENOENT),
				operand > 0 ? " (an output is named with -o)" : "");
	if (add(list, path, "", 0) != VRS_OK)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the list of inputs");
	list->items[list->count - 1].search_error = ENOENT;
	return VRS_OK;
}

/*
 * Files stay as they are named; a folder gives its videos (by extension) in the order of their names, with those of its sub-folders when recursive.
 * Outputs of earlier runs in any mode (vrs_output_name_is_of) and the folder of outputs are left out.
 */
static enum vrs_status collect(struct input_list *list, const struct vrs_program_state *program, struct vrs_error *err)
{
	const char *const *operands = program->inputs;
	bool recursive = program->settings.input.recursive, packs = program->settings.output.mode == VRS_MODE_ALPHA;
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < program->input_count; i++) {
		int first = list->count;
		if (!vrs_path_exists(operands[i]) && !vrs_output_of_no_file(operands[i])) {
			status = add_missing(list, program, i, err);
			continue;
		}
		if (!vrs_path_is_dir(operands[i])) {
			if (add(list, operands[i], "", 0))
				status = vrs_fail(err, VRS_ENOMEM, "no memory for the list of inputs");
			continue;
		}
		status = walk(list, operands[i], recursive, program->output_dir, err);
		if (status == VRS_OK && list->count > first && drop_outputs(list, first, packs) != VRS_OK)
			status = vrs_fail(err, VRS_ENOMEM, "no memory for the list of inputs");
		if (status == VRS_OK && list->count == first)
			vrs_log(VRS_LOG_WARNING, "%s contains no video%s", operands[i], recursive ? "" : "; --recursive looks into sub-folders too");
	}
	return status;
}

static void input_list_fini(struct input_list *list)
{
	for (int i = 0; i < list->count; i++) {
		vrs_free(list->items[i].path);
		vrs_free(list->items[i].folder);
	}
	vrs_free(list->items);
	*list = (struct input_list){0};
}

/* What is no file has a name for its output only in a folder of outputs, and an address has none. */
static enum vrs_status check_name(const struct vrs_program_state *program, const char *input, struct vrs_error *err)
{
	char like[VRS_PATH_MAX];
	enum vrs_status status = vrs_output_like(like, sizeof like, input, err);
	if (status == VRS_ECONFIG && program->input_count > 1)
		return vrs_fail(err, VRS_ECONFIG, "%s has no name for its output; process it by itself, with -o FILE", input);
	if (status != VRS_OK || program->output_dir || strcmp(like, input) == 0)
		return status;
	return vrs_fail(err, VRS_ECONFIG, "%s is not a file; name a folder for the outputs: --output-dir DIR (one output is named with -o)", input);
}

static enum vrs_status check_inputs(const struct vrs_program_state *program, struct vrs_error *err)
{
	bool compares = program->settings.output.skip_existing;
	for (int i = 0; i < program->input_count; i++) {
		const char *input = program->inputs[i];
		bool is_standard = strcmp(input, "-") == 0;
		if (is_standard && program->input_count > 1)
			return vrs_fail(err, VRS_ECONFIG, "standard input cannot be one of several inputs");
		if (is_standard)
			return vrs_fail(err, VRS_ECONFIG, "standard input has no name that its output in --output-dir could have; name the output: -o FILE");
		enum vrs_status status = check_name(program, input, err);
		if (status == VRS_OK && compares)
			status = vrs_output_compare_check(input, err);
		if (status != VRS_OK)
			return status;
	}
	return vrs_config_check(program->config, &program->settings, err);
}

/* True when the output is there and need not be made; one that is not complete will be replaced. */
static bool is_done(struct vrs_program_state *program, const struct vrs_batch_input *input)
{
	struct vrs_settings *settings = &program->settings;
	if (!settings->output.skip_existing || !vrs_path_exists(settings->output.file))
		return false;
	if (vrs_program_output_is_complete(program, input->path, true))
		return true;
	settings->output.overwrite = true;
	return false;
}

static enum vrs_status run_one(struct vrs_program_state *program, const struct vrs_batch_input *input, struct outcome *outcome)
{
	struct vrs_job_stats stats = {0};
	struct vrs_error err = {0};
	vrs_config_effective(program->config, &program->settings);
	enum vrs_status status = program->settings.pipeline.sandbox ? vrs_sandbox_check(input->path, &err) : VRS_OK;
	if (status == VRS_OK)
		status = input->search_error ? vrs_fail(&err, VRS_EIO, "cannot open %s: %s", input->path, strerror(input->search_error))
					     : vrs_batch_output_name(program, input, &err);
	if (status == VRS_OK) /* an option may have an effect on another output */
		status = vrs_program_settle_output(program, false, &err);
	const char *output = program->settings.output.file;
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
	outcome->frames = stats.frames_done - stats.frames_aside;
	outcome->seconds = (double)stats.wall_ns / 1e9;
	outcome->result = status == VRS_OK ? DONE : status == VRS_ESTOPPED ? STOPPED : FAILED;
	if (outcome->result == FAILED)
		vrs_log(VRS_LOG_ERROR, "%s", err.text);
	(void)vrs_strcpy(outcome->text, sizeof outcome->text, outcome->result == FAILED || !outcome->frames ? err.text : output); /* cut when long */
	return status;
}

static void print_table(FILE *out, const struct input_list *list, const struct outcome *outcomes)
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

static enum vrs_status run_list(struct vrs_program_state *program, const struct input_list *list, struct vrs_error *err)
{
	struct outcome *outcomes = vrs_calloc((size_t)list->count, sizeof *outcomes);
	bool stopped = false;
	int failed = 0;
	if (!outcomes)
		return vrs_fail(err, VRS_ENOMEM, "no memory for %d inputs", list->count);
	for (int i = 0; i < list->count && !stopped; i++) {
		enum vrs_status status = vrs_stop_requested() ? VRS_ESTOPPED : run_one(program, &list->items[i], &outcomes[i]);
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
	struct input_list list = {0};
	enum vrs_status status = check_inputs(program, err);
	if (status == VRS_OK)
		status = collect(&list, program, err);
	if (status == VRS_OK && list.count == 0)
		status = vrs_fail(err, VRS_ENOTFOUND, "there is no video in %s", program->inputs[0]);
	if (status == VRS_OK)
		status = vrs_batch_outputs_check(program, list.items, list.count, err);
	if (status == VRS_OK)
		status = run_list(program, &list, err);
	input_list_fini(&list);
	return status;
}
