/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze checklist DIR: what stands between the results in a folder and production. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <vrseg/exit_codes.h>
#include <vrseg/log.h>

#include "analyzer/checklist.h"
#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"

#define RESULT_FILE "results.json"
#define MAX_FOLDERS 4096
#define FAIL_ON_FAILED 2u /* bits of --fail-on, in the order of its choices */
#define DAY 86400.0

struct arguments {
	const char *format, *targets;
	double soak_seconds;
	unsigned fail_on;
};

static const struct arguments defaults = {.format = "text", .soak_seconds = DAY};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	{.flag = "targets", VRS_TEXT_FIELD(struct arguments, targets), .file = VRS_FILE_READ,
	 .brief = "targets to compare with", .value_name = "FILE", .group = "Judgement",
	 .help = "Compare with the targets in FILE (default: targets/default.yaml of the installation)"},
	{.flag = "soak", VRS_TIME_FIELD(struct arguments, soak_seconds), .brief = "how long a soak must have been",
	 .value_name = "TIME", .group = "Judgement", .help = "Ask for a soak of at least TIME (90s, 30m, 8h; default 24h)"},
	{.flag = "fail-on", VRS_CHOICES_FIELD(struct arguments, fail_on), .choices = "missing failed",
	 .brief = "missing, failed: what fails", .value_name = "LIST", .group = "Judgement",
	 .help = "failed: exit with 10 where a point failed; missing: with 11 where none failed and one is missing; both separated by commas"},
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze checklist",
	.summary = "what is left to measure before production",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze checklist DIR",
	.intro = "Go through the results of vrbench in DIR and in the folders directly in it, and say of each point of a list whether it is done, failed "
		 "or missing: sweep, speed, utilization, latency, real video, soak, thermal, configuration. Each point names the result that it rests on, or the "
		 "command that measures it. A result that cannot be read is named and left out, and the exit code is 3.",
	.actions = actions,
	.examples = "  vranalyze checklist results\n"
		    "  vranalyze checklist results --soak 8h --fail-on missing,failed\n",
	.min_operands = 1,
	.max_operands = 1,
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Does the folder hold a result?  name "": the folder itself. */
static bool holds_result(const char *folder, const char *name, char path[VRS_PATH_MAX])
{
	char file[VRS_PATH_MAX];
	struct stat st;
	bool fits = name[0] ? vrs_path_join(path, VRS_PATH_MAX, folder, name) == VRS_OK : vrs_strcpy(path, VRS_PATH_MAX, folder);
	return fits && vrs_path_join(file, sizeof file, path, RESULT_FILE) == VRS_OK && stat(file, &st) == 0 && S_ISREG(st.st_mode);
}

struct folders {
	char *names[MAX_FOLDERS];
	int count;
};

/* Names of the folders in `folder` that hold a result, sorted; the first is "" where it holds one itself. */
static enum vrs_status list_folders(const char *folder, struct folders *list, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	DIR *dir = opendir(folder);
	if (!dir)
		return vrs_fail(err, VRS_ENOTFOUND, "cannot read the folder %s: checklist wants a folder of results", folder);
	if (holds_result(folder, "", path) && !(list->names[list->count++] = vrs_strdup("")))
		list->count--;
	for (const struct dirent *entry; (entry = readdir(dir)) && list->count < MAX_FOLDERS;)
		if (entry->d_name[0] != '.' && holds_result(folder, entry->d_name, path) && !(list->names[list->count++] = vrs_strdup(entry->d_name)))
			list->count--;
	(void)closedir(dir);
	qsort(list->names, (size_t)list->count, sizeof *list->names, by_name);
	return VRS_OK;
}

/* Of each folder its result, one at a time; a damaged one is told and left out. *ret_unread: how many are. */
static enum vrs_status add_all(struct vrs_checklist *list, const char *folder, const struct folders *folders, struct vrs_findings *findings,
			       int *ret_unread, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < folders->count && status == VRS_OK; i++) {
		char path[VRS_PATH_MAX], own[VRS_PATH_MAX];
		struct vrs_result *result = NULL;
		struct vrs_error why = {.status = VRS_OK};
		if (!holds_result(folder, folders->names[i], path))
			continue;
		status = vrs_dataset_load(&result, path, own, sizeof own, &why);
		if (status == VRS_OK) {
			status = vrs_checklist_add(list, result, path, err);
		} else if (status == VRS_ENOMEM) {
			(void)vrs_fail_nomem(err);
		} else {
			char text[400];
			vrs_log(VRS_LOG_WARNING, "left out: %s", vrs_error_str(&why, text, sizeof text));
			vrs_findings_add_note(findings, VRS_NOTE_WARNING, "unreadable", "Left out: %s.", text);
			++*ret_unread;
			status = VRS_OK;
		}
		vrs_result_destroy(result);
	}
	return status;
}

/* What is left out might have failed a point: the list is not whole, whatever else it says. */
static int exit_code(const struct vrs_checklist *list, unsigned fail_on, int unread)
{
	if (unread > 0)
		return VRS_EXIT_FAILURE;
	if ((fail_on & FAIL_ON_FAILED) && vrs_checklist_count(list, VRS_CHECK_FAILED) > 0)
		return VRS_EXIT_REGRESSION;
	return (fail_on & ~FAIL_ON_FAILED) && vrs_checklist_count(list, VRS_CHECK_MISSING) > 0 ? VRS_EXIT_INCONCLUSIVE : VRS_EXIT_OK;
}

static enum vrs_status checklist(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	const char *folder = call->operands[0];
	int unread = 0;
	struct vrs_checklist *list = vrs_calloc(1, sizeof *list);
	struct folders *folders = vrs_calloc(1, sizeof *folders);
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = list && folders && findings ? list_folders(folder, folders, err) : vrs_fail_nomem(err);
	if (status == VRS_OK) {
		vrs_checklist_init(list, args->targets, args->soak_seconds);
		status = add_all(list, folder, folders, findings, &unread, err);
	}
	if (status == VRS_OK) {
		vrs_checklist_findings(list, folder, findings);
		status = vrs_findings_finish(findings);
	}
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, NULL, call->out, err);
	if (status == VRS_OK)
		*ret_exit = exit_code(list, args->fail_on, unread);
	for (int i = 0; folders && i < folders->count; i++)
		vrs_free(folders->names[i]);
	vrs_findings_destroy(findings);
	vrs_free(folders);
	vrs_free(list);
	return status;
}

const struct vrs_analyze_mode vrs_checklist_mode = {
	.name = "checklist", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = checklist,
};
