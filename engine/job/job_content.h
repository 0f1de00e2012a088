/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a job is made of besides its input and the values of its options: the content of every file that an option names.  The matte cache and the
 * checkpoint recognise a job by it, so that a file that was replaced under its name is another one.
 */
#ifndef VRS_JOB_JOB_CONTENT_H
#define VRS_JOB_JOB_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/options.h>
#include <vrseg/status.h>

#define VRS_JOB_CONTENT_MAX 16

struct vrs_content {
	const char *key;        /* the option that names the file */
	uint64_t hash;
};

struct vrs_job_content {
	struct vrs_content files[VRS_JOB_CONTENT_MAX];
	int count;
	bool is_open;           /* one of them is a playlist: what it names may change, and it stays the same */
};

/* What the caller has read already, such as a network with all that belongs to it. */
struct vrs_known_content {
	const char *name;       /* the field of the settings that names it, itself: settings->engine.model */
	uint64_t hash;
};

/*
 * The files of all options that have one of the effects `affects` (set of enum vrs_option_effect) and a role of files that are read, in the order
 * of the option table.  What is `known` is not read again; other files are read as a whole, pictures of a sequence one after another.  A value that
 * names no file (a word, a network of the model folders, a stream) is left out: its name is all there is.  ret owns nothing.  Thread-safe.
 * VRS_EIO, VRS_ENOTFOUND: a file cannot be read.
 */
enum vrs_status vrs_job_content_read(struct vrs_job_content *ret, const struct vrs_settings *settings, unsigned affects,
				     const struct vrs_known_content *known, int known_count, struct vrs_error *err) VRS_MUST_CHECK;
/* The first playlist (base/playlist.h) that an option with one of the effects names; NULL: none. Statuses of vrs_playlist_look. */
enum vrs_status vrs_job_content_playlist(const char **ret_path, const struct vrs_settings *settings, unsigned affects, struct vrs_error *err);

#endif
