/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No file that a command reads is also one that it writes.  Which are which is told by the option table, the flags of the program and its operands;
 * files are compared by device and inode, since one file has many names.
 */
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "config/config_object.h"


/* A file that exists and would be written. */
struct target {
	dev_t device;
	ino_t inode;
	const char *flag, *text;
};

struct targets {
	struct target *items;
	size_t count, capacity;
	const struct vrs_file_use *use; /* that is looked at */
	struct vrs_error *err;
};

typedef enum vrs_status (*visit_fn)(struct targets *targets, const char *path, const struct stat *st);

static int compare(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode == y->inode ? 0 : x->inode < y->inode ? -1 : 1;
}

static enum vrs_status add_target(struct targets *targets, const char *path, const struct stat *st)
{
	(void)path;
	enum vrs_status status = vrs_array_grow(&targets->items, &targets->capacity, targets->count + 1, sizeof *targets->items, SIZE_MAX);
	if (status != VRS_OK)
		return vrs_fail_nomem(targets->err);
	targets->items[targets->count++] = (struct target){st->st_dev, st->st_ino, targets->use->flag, targets->use->text};
	return VRS_OK;
}

static enum vrs_status refuse_target(struct targets *targets, const char *path, const struct stat *st)
{
	const struct target wanted = {.device = st->st_dev, .inode = st->st_ino};
	const struct target *found = targets->count ? bsearch(&wanted, targets->items, targets->count, sizeof wanted, compare) : NULL;
	bool renamed = found && strcmp(found->text, path) != 0;

	return !found ? VRS_OK
		      : vrs_fail(targets->err, VRS_ECONFIG, "--%s %s is read by this command%s%s; choose another file", found->flag, found->text,
				 renamed ? " as " : "", renamed ? path : "");
}

/* Devices may be read and written at once; folders are not written themselves. */
static enum vrs_status visit_path(struct targets *targets, const char *path, visit_fn visit)
{
	struct stat st;

	return stat(path, &st) < 0 || S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode) ? VRS_OK : visit(targets, path, &st);
}

static enum vrs_status visit_pattern(struct targets *targets, const char *text, visit_fn visit)
{
	char pattern[2 * VRS_PATH_MAX];
	enum vrs_status status = VRS_OK;
	glob_t found;

	if (!vrs_sequence_pattern(text, pattern, sizeof pattern))
		return VRS_OK;
	int rc = glob(pattern, 0, NULL, &found);

	for (size_t i = 0; rc == 0 && status == VRS_OK && i < found.gl_pathc; i++)
		status = visit_path(targets, found.gl_pathv[i], visit);
	globfree(&found);
	return rc == GLOB_NOSPACE ? vrs_fail_nomem(targets->err) : status;
}

/* The files that exist of a name: itself, what its pattern matches, and what stands behind the name of a format ("hash:sums.txt"). */
static enum vrs_status visit_name(struct targets *targets, const char *text, visit_fn visit)
{
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
	const char *behind = letters > 0 && text[letters] == ':' ? text + letters + 1 : NULL;
	bool is_folder = strncmp(text, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0;
	char numbered[VRS_PATH_MAX + 16];
	enum vrs_status status = visit_path(targets, text, visit);

	if (status == VRS_OK)
		status = visit_pattern(targets, text, visit);
	if (status == VRS_OK && is_folder) {
		(void)snprintf(numbered, sizeof numbered, "%.*s/%s", VRS_PATH_MAX, behind, VRS_PICTURES_NAME);
		return visit_pattern(targets, numbered, visit);
	}
	return status == VRS_OK && behind ? visit_path(targets, behind, visit) : status;
}

/* One text of a flag: a name, or NAME=FILE; of a list one after another. */
static enum vrs_status visit_text(struct targets *targets, const struct vrs_file_use *use, visit_fn visit)
{
	const char *text = use->text, *equals = use->form == VRS_FILE_BEHIND_EQUALS ? strchr(text, '=') : NULL;
	enum vrs_status status = VRS_OK;
	char name[VRS_PATH_MAX];

	targets->use = use;
	if (use->form != VRS_FILE_LIST)
		return visit_name(targets, equals ? equals + 1 : text, visit);
	while (status == VRS_OK && *text) {
		size_t length = strcspn(text, ",");

		(void)snprintf(name, sizeof name, "%.*s", (int)length, text); /* a longer one is no file */
		status = visit_name(targets, name, visit);
		text += length + (text[length] == ',');
	}
	return status;
}

static enum vrs_status visit_role(struct targets *targets, const struct vrs_config *config, const struct vrs_settings *settings,
				  enum vrs_file_role role, visit_fn visit)
{
	enum vrs_status status = VRS_OK;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; status == VRS_OK && i < count; i++) {
		const struct vrs_file_use use = {rows[i].flag, (const char *)settings + rows[i].offset, role, VRS_FILE_NAME};

		if (rows[i].state == VRS_OPT_READY && rows[i].file == role && (!config->program || (rows[i].programs & config->program)) && use.text[0])
			status = visit_text(targets, &use, visit);
	}
	for (int i = 0; status == VRS_OK && i < config->file_count; i++)
		if (config->files[i].role == role)
			status = visit_text(targets, &config->files[i], visit);
	return status;
}

enum vrs_status vrs_config_check_files(const struct vrs_config *config, const struct vrs_settings *settings, const char *input, struct vrs_error *err)
{
	const struct vrs_file_use operand = {NULL, input, VRS_FILE_READ, VRS_FILE_NAME};
	struct targets targets = {.err = err};
	enum vrs_status status = visit_role(&targets, config, settings, VRS_FILE_WRITTEN, add_target);

	if (targets.count)
		qsort(targets.items, targets.count, sizeof *targets.items, compare);
	if (status == VRS_OK)
		status = visit_role(&targets, config, settings, VRS_FILE_READ, refuse_target);
	if (status == VRS_OK && input)
		status = visit_text(&targets, &operand, refuse_target);
	vrs_free(targets.items);
	return status;
}

enum vrs_status vrs_config_add_file(struct vrs_config *config, const struct vrs_file_use *use, struct vrs_error *err)
{
	struct vrs_file_use *files = vrs_realloc_array(config->files, (size_t)config->file_count + 1, sizeof *files);

	if (!files)
		return vrs_fail_nomem(err);
	config->files = files;
	files[config->file_count++] = *use;
	return VRS_OK;
}
