/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an earlier run of a picture sequence, or somebody, has left beside the pictures p_00.png, p_01.png, ..: a line "@PATH" begins a file,
 * "@work/NAME" one of the work folder, where "moving" is the note of which run was moving which pictures.  No input harms, and only pictures
 * of the pattern change: each is as it was, or the old one of the run in the note.  A refusal is a sentence, and no content is lost.
 */
#include <ftw.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scratch_tree.h"
#include "video/picture_set.h"

#define WORK ".p_%02d.png.vrseg/"
#define MAX_BYTES 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct scratch_alias work = {"work/", SCRATCH_ROOT "/" WORK};

struct file {
	char name[400]; /* below the root */
	uint64_t content;
};

struct files {
	struct file file[SCRATCH_MAX_FILES + 1];
	int count;
	size_t begin; /* of names in their paths */
};

static struct files *walked;

static int see(const char *path, const struct stat *st, int type, struct FTW *at)
{
	struct file *file = &walked->file[walked->count];

	(void)at;
	if (type != FTW_F)
		return 0;
	require(S_ISREG(st->st_mode) && walked->count++ < SCRATCH_MAX_FILES);
	(void)snprintf(file->name, sizeof file->name, "%s", path + walked->begin);
	file->content = VRS_HASH_INIT;
	require(vrs_file_hash(path, &file->content, NULL) == VRS_OK);
	return 0;
}

static void list(struct files *ret)
{
	char root[256];

	scratch_path(root, sizeof root, SCRATCH_ROOT);
	ret->count = 0;
	ret->begin = strlen(root) + 1;
	walked = ret;
	require(nftw(root, see, 20, FTW_PHYS) == 0);
}

static const struct file *find(const struct files *files, const char *name)
{
	for (int i = 0; i < files->count; i++)
		if (strcmp(files->file[i].name, name) == 0)
			return &files->file[i];
	return NULL;
}

static bool is_same(const struct file *a, const struct file *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || a->content == b->content);
}

/* The number of a picture; -1: it is none. */
static int number_of(const char *name)
{
	char again[64];
	int number = -1;

	if (sscanf(name, "p_%9d", &number) != 1 || number < 0)
		return -1;
	(void)snprintf(again, sizeof again, "p_%02d.png", number);
	return strcmp(again, name) == 0 ? number : -1;
}

static const struct file *find_inside(const struct files *files, const char *kind, uint32_t run, int number)
{
	char name[200];

	(void)snprintf(name, sizeof name, "%s%s-%08" PRIx32 "-%d%s", WORK, kind, run, number, strcmp(kind, "old") == 0 ? "" : ".png");
	return find(files, name);
}

/* Each run that has its old picture of this number inside may have been the one of the note. */
static bool is_an_old_one(const struct files *before, int number, const struct file *after)
{
	for (int i = 0; i < before->count; i++) {
		uint32_t run;
		int other;

		const char *name = before->file[i].name;

		if (strncmp(name, WORK, strlen(WORK)) == 0 && sscanf(name + strlen(WORK), "old-%8" SCNx32 "-%9d", &run, &other) == 2 && other == number &&
		    find_inside(before, "old", run, number) == &before->file[i] && before->file[i].content == after->content)
			return true;
	}
	return false;
}

/* Of the run in the note every old picture comes back, and one that had not been moved stays. */
static void check_note(const struct files *before, const struct files *after, const struct vrs_buf *note)
{
	uint32_t run;
	int count = 0;

	require(note->len >= 8 && sscanf(vrs_buf_str(note), "%8" SCNx32, &run) == 1);
	for (size_t i = 0; i < note->len; i++)
		count += vrs_buf_str(note)[i] == ' ';
	for (int i = 0; i < count; i++) {
		const struct file *old = find_inside(before, "old", run, i);
		char name[64];

		(void)snprintf(name, sizeof name, "p_%02d.png", i);
		if (old != NULL)
			require(is_same(find(after, name), old));
		else if (find_inside(before, "picture", run, i) != NULL)
			require(is_same(find(after, name), find(before, name)));
	}
}

/* A file that belongs to some run, not what lies in a folder of such a name. */
static bool is_inside(const char *name)
{
	const char *inner = name + strlen(WORK);

	return strncmp(name, WORK, strlen(WORK)) == 0 && strchr(inner, '/') == NULL &&
	       (strncmp(inner, "picture-", 8) == 0 || strncmp(inner, "old-", 4) == 0);
}

static void check_pictures(const struct files *before, const struct files *after, bool has_note)
{
	for (int i = 0; i < after->count; i++) {
		const struct file *file = &after->file[i];
		int number = number_of(file->name);

		require(!is_inside(file->name));
		if (!is_same(find(before, file->name), file))
			require(has_note && number >= 0 && is_an_old_one(before, number, file));
	}
	for (int i = 0; i < before->count; i++) { /* what has gone */
		const char *name = before->file[i].name;

		if (find(after, name) == NULL && strncmp(name, WORK, strlen(WORK)) != 0)
			require(has_note && number_of(name) >= 0);
	}
}

/* Each content of a is in b. */
static bool holds(const struct files *b, const struct files *a)
{
	for (int i = 0; i < a->count; i++) {
		int k = 0;

		while (k < b->count && b->file[k].content != a->file[i].content)
			k++;
		if (k == b->count)
			return false;
	}
	return true;
}

/* Of two files with the same bytes one may have gone. */
static void check_refused(const struct files *before, const struct files *after, const struct vrs_error *err)
{
	require(err->text[0] != '\0' && after->count <= before->count && holds(after, before) && holds(before, after));
}

static enum vrs_status mend(struct vrs_error *err)
{
	static struct vrs_picture_set set;
	char pattern[256];
	enum vrs_status status = vrs_picture_set_open(&set, scratch_path(pattern, sizeof pattern, SCRATCH_ROOT "/p_%02d.png"), err);

	vrs_picture_set_close(&set);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct files before, after, again;
	struct vrs_error err = {0};
	struct vrs_buf note;
	char path[256];

	if (size > MAX_BYTES)
		return 0;
	scratch_tree_begin();
	scratch_put_files(&work, (const char *)data, size);
	list(&before);
	bool has_note = vrs_file_read(scratch_path(path, sizeof path, SCRATCH_ROOT "/" WORK "moving"), MAX_BYTES, &note, NULL) == VRS_OK;
	enum vrs_status status = mend(&err);

	list(&after);
	if (status == VRS_OK) {
		check_pictures(&before, &after, has_note);
		if (has_note)
			check_note(&before, &after, &note);
		require(mend(&err) == VRS_OK);
		list(&again);
		require(again.count == after.count);
		for (int i = 0; i < after.count; i++)
			require(is_same(find(&again, after.file[i].name), &after.file[i]));
	} else {
		require(vrs_path_exists(path));
		check_refused(&before, &after, &err);
	}
	vrs_buf_fini(&note);
	scratch_tree_check();
	return 0;
}
