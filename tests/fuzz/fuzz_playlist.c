/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Playlists of strangers, which may name each other and themselves: the walk ends, tells regular files alone, ends with the first status that it is
 * given, and finds a file that stands on a line of its own, or says that it has not told all.  What still grows is a list.  Lines "@PATH" begin the
 * files, list.m3u8 is read.
 */
#include "base/live_list.h"
#include "base/mem.h"
#include "base/playlist.h"
#include "scratch_tree.h"

#define NAMED "named.ts"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	int files;
	bool named;
};

static enum vrs_status look(void *cookie, const char *path, const struct stat *st)
{
	struct seen *seen = cookie;

	require(S_ISREG(st->st_mode) && path[0] != '\0');
	seen->files++;
	seen->named |= strcmp(vrs_path_base(path), NAMED) == 0;
	return VRS_OK;
}

static enum vrs_status refuse(void *cookie, const char *path, const struct stat *st)
{
	struct seen *seen = cookie;

	(void)path;
	(void)st;
	seen->files++;
	return VRS_EEXIST;
}

/* Does a list that is read whole hold the name on a line of its own? */
static bool names_it(const char *path)
{
	static const char mark[] = "\n" NAMED "\n";
	struct vrs_buf text;

	if (vrs_file_read(path, 1 << 16, &text, NULL) != VRS_OK)
		return false;
	bool found = memmem(vrs_buf_str(&text), text.len, mark, sizeof mark - 1) != NULL;

	vrs_buf_fini(&text);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct seen all = {0}, first = {0};
	char path[600], named[600];

	scratch_tree_begin();
	scratch_put_files(NULL, (const char *)data, size);
	scratch_path(path, sizeof path, SCRATCH_ROOT "/list.m3u8");
	scratch_path(named, sizeof named, SCRATCH_ROOT "/" NAMED);
	if (vrs_playlist_is(path) && !vrs_path_is_dir(named))
		scratch_write(named, "x", 1);
	enum vrs_status status = vrs_playlist_each(path, look, &all);

	require(status == VRS_OK || status == VRS_ELIMIT);
	require(vrs_playlist_is(path) || all.files == 0);
	require(vrs_playlist_each(path, refuse, &first) == (all.files > 0 ? VRS_EEXIST : status) && first.files == (all.files > 0));
	require(all.named || !vrs_playlist_is(path) || vrs_path_is_dir(named) || status == VRS_ELIMIT || !names_it(path));
	require(vrs_playlist_is(path) || !vrs_live_list_is(path));
	scratch_tree_check();
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
