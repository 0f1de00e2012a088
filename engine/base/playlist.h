/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that name others, which FFmpeg reads with them: HLS playlists, concat scripts, DASH and IMF manifests, Magic Lantern videos in several files.
 * Such an input is more than its own bytes, and which files it opens is known only to FFmpeg, while it reads.
 */
#ifndef VRS_BASE_PLAYLIST_H
#define VRS_BASE_PLAYLIST_H

#include <stdbool.h>
#include <sys/stat.h>

#include <vrseg/status.h>

/* Told a regular file that a name may lead to. */
typedef enum vrs_status (*vrs_playlist_fn)(void *cookie, const char *path, const struct stat *st);

/*
 * False also for what is no regular file or cannot be read.  A mark is looked for where FFmpeg does: behind an ID3 tag, in 1 MiB of text up to the
 * first zero byte.
 */
bool vrs_playlist_is(const char *path);
/* The same where the answer changes what is made. VRS_EIO, VRS_ENOMEM, VRS_ENOTFOUND: it cannot be told now. */
enum vrs_status vrs_playlist_look(const char *path, bool *ret_is, struct vrs_error *err);
/*
 * Call fn for the files that are there of all that could be a name in a playlist of at most 4 MiB, and in playlists that it names: rather one too
 * many than one too few.  A "$Number$" of DASH stands for anything, in up to four parts of a path.  The walk ends after half a million names, entries
 * of folders that such templates are compared with among them, and looks into 100,000 files and 64 MiB of text, and into playlists that lie four
 * deep.  What is no playlist has none.  The first status of fn other than VRS_OK ends the walk and is returned; VRS_ENOMEM.  VRS_ELIMIT: fn was told
 * only some of the files, since there is more than these limits allow.  Thread-safe.
 */
enum vrs_status vrs_playlist_each(const char *path, vrs_playlist_fn fn, void *cookie);

#endif
