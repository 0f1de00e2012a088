/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/input_list.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

#include <vrseg/log.h>
#include <vrseg/output_name.h>

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

static enum vrs_status add(struct vrs_input_list *list, const char *path, const char *folder, size_t folder_length)
{
	if (list->count == list->capacity) {
		int capacity = list->capacity ? 2 * list->capacity : 64;
		struct vrs_input *items = vrs_realloc_array(list->items, (size_t)capacity, sizeof *items);
		if (!items)
			return VRS_ENOMEM;
		list->items = items;
		list->capacity = capacity;
	}
	struct vrs_input *item = &list->items[list->count];
	item->path = vrs_strdup(path);
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

/* One entry of the walk; the path below the root is what follows its name. */
static enum vrs_status visit(struct vrs_input_list *list, FTS *fts, FTSENT *entry, size_t root_length, const struct stat *skip, bool recursive)
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
		vrs_log(VRS_LOG_WARNING, "cannot search %s: %s", entry->fts_path, strerror(entry->fts_errno));
		return VRS_OK;
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

static enum vrs_status walk(struct vrs_input_list *list, const char *folder, bool recursive, const char *skip_folder, struct vrs_error *err)
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
	while (status == VRS_OK && (entry = fts_read(fts)))
		status = visit(list, fts, entry, root_length, has_skip ? &skip : NULL, recursive);
	(void)fts_close(fts); /* FTS_NOCHDIR: nothing to restore */
	vrs_free(root);
	return status != VRS_OK ? vrs_fail(err, status, "no memory for the list of inputs") : VRS_OK;
}

/* Length of the path without its extension. */
static size_t stem_length(const char *path)
{
	const char *base = vrs_path_base(path), *dot = strrchr(base, '.');
	return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

/* Is `path` SOURCE_SUFFIX.* of another input SOURCE.*, or a packed video where such are made? */
static bool is_output(const struct vrs_input_list *list, const char *path, const char *suffix)
{
	size_t length = stem_length(path), tail = strlen(suffix) + 1;
	if (strcmp(suffix, "alpha") == 0 && vrs_output_name_is_packed(path)) /* its name has other tags than its input's */
		return true;
	if (length <= tail || path[length - tail] != '_' || strncmp(path + length - tail + 1, suffix, tail - 1) != 0)
		return false;
	for (int i = 0; i < list->count; i++)
		if (stem_length(list->items[i].path) == length - tail && strncmp(list->items[i].path, path, length - tail) == 0)
			return true;
	return false;
}

static void drop_outputs(struct vrs_input_list *list, int first, const char *suffix)
{
	struct vrs_input_list all = *list;
	int kept = first;
	bool *drop = vrs_calloc((size_t)list->count, sizeof *drop);
	for (int i = first; drop && i < all.count; i++)
		drop[i] = is_output(&all, all.items[i].path, suffix);
	for (int i = first; drop && i < all.count; i++) {
		if (drop[i]) {
			vrs_free(all.items[i].path);
			vrs_free(all.items[i].folder);
		} else {
			list->items[kept++] = all.items[i];
		}
	}
	if (drop)
		list->count = kept;
	vrs_free(drop);
}

enum vrs_status vrs_input_list_collect(struct vrs_input_list *list, const char *const *operands, int operand_count, bool recursive,
				       const char *suffix, const char *skip_folder, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < operand_count; i++) {
		int first = list->count;
		if (!vrs_path_exists(operands[i]))
			return vrs_fail(err, i > 0 ? VRS_ECONFIG : VRS_ENOTFOUND, "cannot open %s: %s%s", operands[i], strerror(ENOENT),
					i > 0 ? " (an output is named with -o)" : "");
		if (!vrs_path_is_dir(operands[i])) {
			if (add(list, operands[i], "", 0))
				status = vrs_fail(err, VRS_ENOMEM, "no memory for the list of inputs");
			continue;
		}
		list->any_folder = true;
		status = walk(list, operands[i], recursive, skip_folder, err);
		if (status == VRS_OK && list->count > first)
			drop_outputs(list, first, suffix);
		if (status == VRS_OK && list->count == first)
			vrs_log(VRS_LOG_WARNING, "%s contains no video%s", operands[i], recursive ? "" : "; --recursive looks into sub-folders too");
	}
	return status;
}

void vrs_input_list_fini(struct vrs_input_list *list)
{
	for (int i = 0; i < list->count; i++) {
		vrs_free(list->items[i].path);
		vrs_free(list->items[i].folder);
	}
	vrs_free(list->items);
	*list = (struct vrs_input_list){0};
}
