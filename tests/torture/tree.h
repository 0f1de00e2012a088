/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders as they lie on disk: compared with each other, and as a loss of power may leave them. */
#ifndef TORTURE_TREE_H
#define TORTURE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Globs of paths below a case's folder, in one line each (fnmatch, a star also takes slashes). */
struct tree_rules {
	char loose[1024];    /* content and presence are not compared */
	char optional[1024]; /* may lack; right when there */
	char streams[1024];  /* what the shell redirects into: right when the command succeeds */
};

/* Is every file of the tree at `is` that of `want`, and the other way round?  If not, what differs is in ret_why. */
bool tree_equals(const char *is, const char *want, const struct tree_rules *rules, char *ret_why, size_t size);
/* Is every visible file of `is` that of `old` or of `want`, and none of `old` gone that `want` has?  all: all of one of them, not a mixture. */
bool tree_is_old_or_new(const char *is, const char *old, const char *want, const struct tree_rules *rules, char *ret_why, size_t size);
/* Every file below path is as if it had been written an hour ago: leftovers are told by their age. */
void tree_age(const char *path);

/* All of `path` is on disk: notes that in the folder `disk` (fault_disk.h). */
void tree_disk_begin(const char *path, const char *disk);
enum tree_loss {
	TREE_ALL_LOST,    /* names and content of the last fsync */
	TREE_DATA_LOST,   /* all names, content of the last fsync */
	TREE_NAMES_LOST,  /* names of the last fsync, all content */
	TREE_TORN,        /* all names, half of the content that was not synced */
	TREE_LOSSES
};
/* What a loss of power may leave of the tree at `path`, into the new folder `to`. */
void tree_after_loss(const char *path, const char *disk, enum tree_loss loss, const char *to);

#endif
