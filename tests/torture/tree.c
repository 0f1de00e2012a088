/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT_NAME "" /* relative path of a tree itself */
#define AGE_SECONDS 3600

static bool matches(const char *globs, const char *path)
{
	char copy[1024], *rest = copy;

	snprintf(copy, sizeof copy, "%s", globs);
	for (char *glob = strtok_r(copy, " \n", &rest); glob; glob = strtok_r(NULL, " \n", &rest)) {
		if (fnmatch(glob, path, 0) == 0)
			return true;
	}
	return false;
}

static char *read_whole(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	char *data = NULL;

	*ret_size = 0;
	if (file && fstat(fileno(file), &st) == 0 && (data = malloc((size_t)st.st_size + 1)) != NULL)
		*ret_size = fread(data, 1, (size_t)st.st_size, file);
	if (file)
		fclose(file);
	return data;
}

static bool same_content(const char *a, const char *b)
{
	size_t a_size, b_size;
	char *a_data = read_whole(a, &a_size), *b_data = read_whole(b, &b_size);
	bool same = a_data && b_data && a_size == b_size && memcmp(a_data, b_data, a_size) == 0;

	free(a_data);
	free(b_data);
	return same;
}

/* Calls for every file and folder below root/path; stops at the first false. */
typedef bool tree_visit(const char *path, bool is_folder, void *data);

static bool walk(const char *root, const char *path, tree_visit *visit, void *data)
{
	char full[PATH_MAX], below[PATH_MAX];
	bool go_on = true;

	snprintf(full, sizeof full, "%s/%s", root, path);
	DIR *dir = opendir(full);

	if (!dir)
		return true;
	for (struct dirent *entry = readdir(dir); entry && go_on; entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "/" : "", entry->d_name);
		go_on = visit(below, entry->d_type == DT_DIR, data) && (entry->d_type != DT_DIR || walk(root, below, visit, data));
	}
	closedir(dir);
	return go_on;
}

struct comparison {
	const char *is, *old, *want;
	const struct tree_rules *rules;
	char *why;
	size_t size;
};

static bool is_there(const char *root, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	snprintf(full, sizeof full, "%s/%s", root, path);
	return lstat(full, &st) == 0;
}

static bool same_file(const char *a, const char *b, const char *path)
{
	char a_path[PATH_MAX], b_path[PATH_MAX];

	snprintf(a_path, sizeof a_path, "%s/%s", a, path);
	snprintf(b_path, sizeof b_path, "%s/%s", b, path);
	return same_content(a_path, b_path);
}

static bool differs(const struct comparison *of, const char *path, const char *how)
{
	snprintf(of->why, of->size, "%s %s", path, how);
	return false;
}

static bool is_wanted(const char *path, bool is_folder, void *data)
{
	const struct comparison *of = data;

	if (matches(of->rules->loose, path))
		return true;
	if (!is_there(of->want, path))
		return differs(of, path, "is left");
	return is_folder || same_file(of->is, of->want, path) || differs(of, path, "has other bytes");
}

static bool is_not_missing(const char *path, bool is_folder, void *data)
{
	const struct comparison *of = data;

	(void)is_folder;
	return matches(of->rules->loose, path) || matches(of->rules->optional, path) || is_there(of->is, path) || differs(of, path, "is missing");
}

bool tree_equals(const char *is, const char *want, const struct tree_rules *rules, char *ret_why, size_t size)
{
	struct comparison of = {.is = is, .want = want, .rules = rules, .why = ret_why, .size = size};

	return walk(is, ROOT_NAME, is_wanted, &of) && walk(want, ROOT_NAME, is_not_missing, &of);
}

static bool is_hidden(const char *path)
{
	return path[0] == '.' || strstr(path, "/.") != NULL;
}

static bool is_old_or_new(const char *path, bool is_folder, void *data)
{
	const struct comparison *of = data;

	if (is_hidden(path) || matches(of->rules->loose, path) || matches(of->rules->streams, path))
		return true;
	if (is_folder)
		return is_there(of->old, path) || is_there(of->want, path) || differs(of, path, "is neither of before nor of after");
	if (is_there(of->old, path) && same_file(of->is, of->old, path))
		return true;
	return (is_there(of->want, path) && same_file(of->is, of->want, path)) || differs(of, path, "has neither the bytes of before nor those of after");
}

/* A file of before may only be gone when it is gone after an undisturbed run as well. */
static bool is_kept(const char *path, bool is_folder, void *data)
{
	const struct comparison *of = data;

	(void)is_folder;
	return matches(of->rules->loose, path) || matches(of->rules->optional, path) || is_there(of->is, path) || !is_there(of->want, path) ||
	       differs(of, path, "was there before and is gone");
}

bool tree_is_old_or_new(const char *is, const char *old, const char *want, const struct tree_rules *rules, char *ret_why, size_t size)
{
	struct comparison of = {.is = is, .old = old, .want = want, .rules = rules, .why = ret_why, .size = size};

	return walk(is, ROOT_NAME, is_old_or_new, &of) && walk(old, ROOT_NAME, is_kept, &of);
}

static int age_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const struct timespec times[2] = {{.tv_sec = st->st_mtime - AGE_SECONDS}, {.tv_sec = st->st_mtime - AGE_SECONDS}};

	(void)where;
	if (type == FTW_F && path[0] && strstr(path, "/.") != NULL)
		utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

void tree_age(const char *path)
{
	nftw(path, age_one, 16, FTW_PHYS);
}

static void copy_head(const char *from, const char *to, size_t size)
{
	size_t have;
	char *data = read_whole(from, &have);
	FILE *file = fopen(to, "wb");

	if (data && file)
		fwrite(data, 1, size < have ? size : have, file);
	if (file)
		fclose(file);
	free(data);
}

/* Times tell the programs which file is which. */
static void copy_times(const char *from, const char *to)
{
	struct stat st;

	if (stat(from, &st) == 0)
		utimensat(AT_FDCWD, to, (const struct timespec[2]){st.st_atim, st.st_mtim}, 0);
}

static void copy_file(const char *from, const char *to)
{
	copy_head(from, to, SIZE_MAX);
	copy_times(from, to);
}

static const char *disk_folder;

static int note_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	char kept[PATH_MAX];

	(void)where;
	snprintf(kept, sizeof kept, "%s/%c.%ju", disk_folder, type == FTW_D ? 'd' : 'f', (uintmax_t)st->st_ino);
	if (type == FTW_F)
		copy_file(path, kept);
	if (type != FTW_D)
		return 0;
	FILE *list = fopen(kept, "w");
	DIR *dir = opendir(path);

	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && list; entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			fprintf(list, "%ju %c %s\n", (uintmax_t)entry->d_ino, entry->d_type == DT_DIR ? 'd' : 'f', entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (list)
		fclose(list);
	return 0;
}

void tree_disk_begin(const char *path, const char *disk)
{
	char old[PATH_MAX];

	snprintf(old, sizeof old, "%s/old", disk);
	mkdir(disk, 0700);
	mkdir(old, 0700);
	disk_folder = disk;
	nftw(path, note_one, 16, FTW_PHYS);
}

struct loss {
	const char *root, *disk;
	enum tree_loss how;
};

static const char *found;
static ino_t wanted_inode;
static char found_path[PATH_MAX];

static int find_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type != FTW_F || st->st_ino != wanted_inode)
		return 0;
	snprintf(found_path, sizeof found_path, "%s", path);
	found = found_path;
	return 1;
}

/* Where a file lies now, under whatever name; NULL: nowhere. */
static const char *find_inode(const struct loss *loss, ino_t inode)
{
	char old[PATH_MAX];

	found = NULL;
	wanted_inode = inode;
	snprintf(old, sizeof old, "%s/old", loss->disk);
	if (nftw(loss->root, find_one, 16, FTW_PHYS) == 0)
		nftw(old, find_one, 16, FTW_PHYS);
	return found;
}

/* Files that have been restored: those of two names stay one file. */
static struct restored {
	ino_t inode;
	char path[PATH_MAX];
} *restored;
static size_t restored_count;

static bool restore_link(ino_t inode, const char *to)
{
	for (size_t i = 0; i < restored_count; i++) {
		if (restored[i].inode == inode)
			return link(restored[i].path, to) == 0;
	}
	struct restored *grown = realloc(restored, (restored_count + 1) * sizeof *restored);

	if (grown) {
		restored = grown;
		restored[restored_count].inode = inode;
		snprintf(restored[restored_count++].path, PATH_MAX, "%s", to);
	}
	return false;
}

static void restore_file(const struct loss *loss, ino_t inode, const char *to)
{
	char synced[PATH_MAX];
	struct stat st, now;

	if (restore_link(inode, to))
		return;
	const char *path = find_inode(loss, inode);

	snprintf(synced, sizeof synced, "%s/f.%ju", loss->disk, (uintmax_t)inode);
	off_t kept = stat(synced, &st) == 0 ? st.st_size : 0;

	if (loss->how == TREE_NAMES_LOST && path) {
		copy_head(path, to, SIZE_MAX);
	} else if (loss->how == TREE_TORN && path && stat(path, &now) == 0 && !same_content(path, synced)) {
		copy_head(path, to, (size_t)(now.st_size > kept ? kept + (now.st_size - kept) / 2 : now.st_size / 2));
	} else {
		copy_head(synced, to, SIZE_MAX);
	}
	copy_times(path ? path : synced, to);
}

static void restore_folder(const struct loss *loss, const char *path, ino_t inode, const char *to);

static void restore_entry(const struct loss *loss, const char *path, ino_t inode, char type, const char *name, const char *to)
{
	char from[PATH_MAX], into[PATH_MAX];

	snprintf(from, sizeof from, "%s/%s", path, name);
	snprintf(into, sizeof into, "%s/%s", to, name);
	if (type == 'd')
		restore_folder(loss, from, inode, into);
	else
		restore_file(loss, inode, into);
}

/* path: where the folder lies, for losses that keep the names of now. */
static void restore_folder(const struct loss *loss, const char *path, ino_t inode, const char *to)
{
	char listed[PATH_MAX], name[NAME_MAX + 1], type;
	uintmax_t entry_inode;

	mkdir(to, 0777);
	if (loss->how == TREE_DATA_LOST || loss->how == TREE_TORN) {
		DIR *dir = opendir(path);

		for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				restore_entry(loss, path, entry->d_ino, entry->d_type == DT_DIR ? 'd' : 'f', entry->d_name, to);
		}
		if (dir)
			closedir(dir);
		return;
	}
	snprintf(listed, sizeof listed, "%s/d.%ju", loss->disk, (uintmax_t)inode);
	FILE *list = fopen(listed, "r");

	while (list && fscanf(list, "%ju %c %255[^\n]", &entry_inode, &type, name) == 3)
		restore_entry(loss, path, (ino_t)entry_inode, type, name, to);
	if (list)
		fclose(list);
}

void tree_after_loss(const char *path, const char *disk, enum tree_loss how, const char *to)
{
	const struct loss loss = {.root = path, .disk = disk, .how = how};
	struct stat st;

	restored_count = 0;
	if (stat(path, &st) == 0)
		restore_folder(&loss, path, st.st_ino, to);
}
