/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No file that a command reads is also one that it writes, and none is written twice.  Which are which is told by the option table, the flags of the
 * program and its operands; files are compared by device and inode, since one file has many names.  Of a network its manifest,
 * the file that this names, and the weights beside that are read; of a playlist the files that it names.
 */
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/playlist.h"
#include "base/str_parse.h"
#include "config/config_object.h"

#define MOST_NETWORK_BYTES ((size_t)512 << 20) /* of a network's file: graph/model_limits.h */

/* A file that would be written. One that is not there yet is its folder and the hash of its name; name is 0 for others. */
struct target {
	dev_t device;
	ino_t inode;
	uint64_t name;
	const char *flag, *text;
};

struct targets {
	struct target *items;
	size_t count, capacity;
	const struct vrs_file_use *use; /* that is looked at */
	struct vrs_error *err;
};

/* st NULL: there is no such file. */
typedef enum vrs_status (*visit_fn)(struct targets *targets, const char *path, const struct stat *st);

static int compare(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return x->name == y->name ? 0 : x->name < y->name ? -1 : 1;
}

static int compare_flags(const void *a, const void *b)
{
	int order = compare(a, b);

	return order ? order : strcmp(((const struct target *)a)->flag, ((const struct target *)b)->flag);
}

static enum vrs_status add_target(struct targets *targets, const char *path, const struct stat *st)
{
	char folder[PATH_MAX], real[PATH_MAX];
	struct stat above;

	if (vrs_file_resolve(path, real, NULL) != VRS_OK)
		return VRS_OK; /* whoever opens it says so */
	const char *name = vrs_path_base(real);
	vrs_path_folder(folder, real);
	if (!st && (!name[0] || stat(folder, &above) < 0))
		return VRS_OK;
	enum vrs_status status = vrs_array_grow(&targets->items, &targets->capacity, targets->count + 1, sizeof *targets->items, SIZE_MAX);
	if (status != VRS_OK)
		return vrs_fail_nomem(targets->err);
	targets->items[targets->count++] = (struct target){st ? st->st_dev : above.st_dev, st ? st->st_ino : above.st_ino,
		st ? 0 : vrs_hash_str(VRS_HASH_INIT, name), targets->use->flag, targets->use->text};
	return VRS_OK;
}

static enum vrs_status refuse_target(struct targets *targets, const char *path, const struct stat *st)
{
	if (!st)
		return VRS_OK;
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

	if (stat(path, &st) < 0)
		return visit(targets, path, NULL);
	return S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode) ? VRS_OK : visit(targets, path, &st);
}

/* "-": standard input or output.  Both may be one socket, which is not overwritten; a terminal neither. */
static enum vrs_status visit_standard(struct targets *targets, visit_fn visit)
{
	bool is_written = visit == add_target;
	struct stat st;

	if (fstat(is_written ? STDOUT_FILENO : STDIN_FILENO, &st) < 0 || S_ISCHR(st.st_mode) || (!is_written && S_ISSOCK(st.st_mode)))
		return VRS_OK;
	return visit(targets, "-", &st);
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

/*
 * Weights that a network keeps in files beside it: the network's file holds their names as they are.  It is read when something would be written into
 * its folder.  What cannot be read is told by whoever opens it.
 */
static enum vrs_status refuse_weights(struct targets *targets, const char *network)
{
	char folder[PATH_MAX], real[PATH_MAX], written[PATH_MAX], weights[PATH_MAX];
	enum vrs_status status = VRS_OK;
	struct vrs_buf file;
	struct stat st;

	vrs_path_folder(folder, network);
	if (!realpath(folder, real))
		return VRS_OK;
	for (size_t i = 0; status == VRS_OK && i < targets->count; i++) {
		if (targets->items[i].name || !realpath(targets->items[i].text, written) || stat(written, &st) < 0)
			continue;
		const char *below = vrs_path_below(written, real);
		if (!below || vrs_path_join(weights, sizeof weights, folder, below) != VRS_OK)
			continue;
		if (vrs_file_read(network, MOST_NETWORK_BYTES, &file, NULL) == VRS_OK && memmem(vrs_buf_str(&file), file.len, below, strlen(below)))
			status = refuse_target(targets, weights, &st);
		vrs_buf_fini(&file);
	}
	return status;
}

/* Or appends to them, which damages what is read as well.  A file that is not there yet is not read. */
static bool replaces_files(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].name == 0)
			return true;
	return false;
}

/* The files behind a network: the one that a manifest names, and its weights. */
static enum vrs_status refuse_network(struct targets *targets, const char *name)
{
	struct vrs_manifest manifest;

	if (!replaces_files(targets) || vrs_manifest_load(&manifest, name, NULL) != VRS_OK)
		return VRS_OK;
	enum vrs_status status = visit_path(targets, manifest.file, refuse_target);

	return status == VRS_OK ? refuse_weights(targets, manifest.file) : status;
}

/* What stands behind the name of a format ("hash:sums.txt"); NULL: no such name before it, or that of a protocol. */
static const char *behind_format(const char *text)
{
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");

	return letters > 0 && text[letters] == ':' && strncmp(text + letters, "://", 3) != 0 ? text + letters + 1 : NULL;
}

/* The files that exist of a name: itself, what its pattern matches, and what stands behind the name of a format. */
static enum vrs_status visit_name(struct targets *targets, const char *text, visit_fn visit)
{
	const char *behind = behind_format(text);
	bool is_folder = strncmp(text, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0;
	char numbered[VRS_PATH_MAX + 16];
	bool is_standard = strcmp(behind ? behind : text, "-") == 0;
	enum vrs_status status = is_standard ? visit_standard(targets, visit) : VRS_OK;

	if (status == VRS_OK)
		status = visit_path(targets, text, visit);
	if (status == VRS_OK)
		status = visit_pattern(targets, text, visit);
	if (status == VRS_OK && is_folder) {
		(void)snprintf(numbered, sizeof numbered, "%.*s/%s", VRS_PATH_MAX, behind, VRS_PICTURES_NAME);
		return visit_pattern(targets, numbered, visit);
	}
	return status == VRS_OK && behind ? visit_path(targets, behind, visit) : status;
}

/* What a folder of results or nights is read by; the videos of a folder are looked at one by one, when they are found. */
static enum vrs_status refuse_folder(struct targets *targets, const char *name)
{
	static const char *const files[] = {"results.json", "journal.jsonl", "decisions.jsonl", "nights-*.jsonl", "frames/*"};
	enum vrs_status status = VRS_OK;
	char path[PATH_MAX];

	if (targets->count == 0 || !vrs_path_is_dir(name))
		return VRS_OK;
	for (size_t i = 0; status == VRS_OK && i < sizeof files / sizeof files[0]; i++)
		if (vrs_path_join(path, sizeof path, name, files[i]) == VRS_OK)
			status = visit_name(targets, path, refuse_target);
	return status;
}

/* Of type vrs_playlist_fn. */
static enum vrs_status refuse_named(void *cookie, const char *path, const struct stat *st)
{
	return refuse_target(cookie, path, st);
}

static enum vrs_status refuse_playlist(struct targets *targets, const char *name)
{
	if (!replaces_files(targets))
		return VRS_OK;
	enum vrs_status status = vrs_playlist_each(name, refuse_named, targets);

	if (status == VRS_ELIMIT)
		return vrs_fail(targets->err, VRS_ECONFIG, "the playlist %s names more files than can be checked, and one that this command replaces "
				"or appends to may be among them; write files that are not there yet", name);
	return status == VRS_ENOMEM ? vrs_fail_nomem(targets->err) : status;
}

/* Told a name and what uses it. */
typedef enum vrs_status (*name_fn)(void *cookie, const struct vrs_file_use *use, const char *name);

/* One text of a flag: a name, or NAME=FILE; of a list one after another. */
static enum vrs_status each_name(const struct vrs_file_use *use, name_fn fn, void *cookie)
{
	const char *text = use->text, *equals = use->form == VRS_FILE_BEHIND_EQUALS ? strchr(text, '=') : NULL;
	enum vrs_status status = VRS_OK;
	char name[VRS_PATH_MAX];

	if (use->form != VRS_FILE_LIST)
		return fn(cookie, use, equals ? equals + 1 : text);
	while (status == VRS_OK && *text) {
		size_t length = strcspn(text, ",");

		(void)snprintf(name, sizeof name, "%.*s", (int)length, text); /* a longer one is no file */
		status = fn(cookie, use, name);
		text += length + (text[length] == ',');
	}
	return status;
}

static enum vrs_status each_use(const struct vrs_config *config, const struct vrs_settings *settings, name_fn fn, void *cookie)
{
	enum vrs_status status = VRS_OK;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; status == VRS_OK && i < count; i++) {
		if (rows[i].state != VRS_OPT_READY || rows[i].file == VRS_FILE_NONE || rows[i].file == VRS_FILE_FOLDER ||
		    (config->program && !(rows[i].programs & config->program)))
			continue;
		const struct vrs_file_use use = {rows[i].flag, (const char *)settings + rows[i].offset, rows[i].file, VRS_FILE_NAME};
		if (use.text[0])
			status = each_name(&use, fn, cookie);
	}
	for (int i = 0; status == VRS_OK && i < config->file_count; i++)
		status = each_name(&config->files[i], fn, cookie);
	return status;
}

static enum vrs_status add_written(void *cookie, const struct vrs_file_use *use, const char *name)
{
	struct targets *targets = cookie;

	targets->use = use;
	return use->role == VRS_FILE_WRITTEN ? visit_name(targets, name, add_target) : VRS_OK;
}

static enum vrs_status refuse_read(void *cookie, const struct vrs_file_use *use, const char *name)
{
	struct targets *targets = cookie;

	targets->use = use;
	enum vrs_status status = vrs_file_is_read(use->role) ? visit_name(targets, name, refuse_target) : VRS_OK;

	if (status == VRS_OK && use->role == VRS_FILE_READ)
		status = refuse_folder(targets, name);
	if (status == VRS_OK && use->role == VRS_FILE_READ)
		status = refuse_playlist(targets, name);
	return status == VRS_OK && use->role == VRS_FILE_NETWORK ? refuse_network(targets, name) : status;
}

/* Of two options, which are neighbours then. */
static enum vrs_status refuse_twice(struct targets *targets)
{
	const struct target *item = targets->items;

	if (targets->count)
		qsort(targets->items, targets->count, sizeof *targets->items, compare_flags);
	for (size_t i = 1; i < targets->count; i++)
		if (compare(&item[i - 1], &item[i]) == 0 && strcmp(item[i - 1].flag, item[i].flag) != 0)
			return vrs_fail(targets->err, VRS_ECONFIG, "--%s %s and --%s %s are one file; choose another for one of them", item[i - 1].flag,
					item[i - 1].text, item[i].flag, item[i].text);
	return VRS_OK;
}

/* What is looked at besides the files that the command uses; all may be empty. */
struct extra {
	struct vrs_file_use file; /* one more; text NULL: none */
	const struct vrs_config *also; /* whose files are read, too */
	const char *input;        /* is read, too */
};

/* Of all files that the command uses, and of those besides them. */
static enum vrs_status check(const struct vrs_config *config, const struct vrs_settings *settings, const struct extra *extra, struct vrs_error *err)
{
	struct targets targets = {.err = err};
	const struct vrs_file_use input = {NULL, extra->input, VRS_FILE_READ, VRS_FILE_NAME};
	enum vrs_status status = each_use(config, settings, add_written, &targets);

	if (status == VRS_OK && extra->file.text)
		status = each_name(&extra->file, add_written, &targets);
	if (status == VRS_OK)
		status = refuse_twice(&targets);
	if (status == VRS_OK)
		status = each_use(config, settings, refuse_read, &targets);
	if (status == VRS_OK && extra->also)
		status = each_use(extra->also, &extra->also->settings, refuse_read, &targets);
	if (status == VRS_OK && input.text)
		status = each_name(&input, refuse_read, &targets);
	vrs_free(targets.items);
	return status;
}

enum vrs_status vrs_config_check_files(const struct vrs_config *config, const struct vrs_settings *settings, const char *input, struct vrs_error *err)
{
	return check(config, settings, &(struct extra){.input = input}, err);
}

enum vrs_status vrs_config_check_output(const struct vrs_config *config, const char *flag, const char *path, struct vrs_error *err)
{
	return check(config, &config->settings, &(struct extra){.file = {flag, path, VRS_FILE_WRITTEN, VRS_FILE_NAME}}, err);
}

enum vrs_status vrs_config_check_recorded(const struct vrs_config *config, const struct vrs_config *recorded, const char *input, const char *flag,
					  const char *path, struct vrs_error *err)
{
	const struct extra extra = {.file = {flag, path, VRS_FILE_WRITTEN, VRS_FILE_NAME}, .also = recorded, .input = input};

	return check(config, &config->settings, &extra, err);
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

struct listener {
	vrs_file_fn fn;
	void *cookie;
	struct vrs_error *err;
};

static enum vrs_status tell(void *cookie, const struct vrs_file_use *use, const char *name)
{
	const struct listener *listener = cookie;
	const char *behind = vrs_path_exists(name) ? NULL : behind_format(name);

	return listener->fn(listener->cookie, use->role, behind ? behind : name, listener->err);
}

enum vrs_status vrs_config_each_file(const struct vrs_config *config, const struct vrs_settings *settings, vrs_file_fn fn, void *cookie,
				     struct vrs_error *err)
{
	struct listener listener = {fn, cookie, err};

	return each_use(config, settings, tell, &listener);
}
