/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job_stamps.h"

#include <sys/stat.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/live_list.h"
#include "base/playlist.h"
#include "base/str_parse.h"
#include "video/source.h"

/* Of type vrs_playlist_fn. */
static enum vrs_status add(void *cookie, const char *path, const struct stat *st)
{
	uint64_t *hash = cookie;
	const uint64_t parts[] = {st->st_dev, st->st_ino, (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec};
	(void)path;
	*hash = vrs_hash(*hash, parts, sizeof parts);
	return VRS_OK;
}

/* A playlist changes with the files that it names. */
static uint64_t stamp(const char *name)
{
	uint64_t hash = VRS_HASH_INIT;
	struct stat st;
	name = vrs_path_opened(name);
	if (stat(name, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	(void)add(&hash, name, &st);
	if (vrs_playlist_each(name, add, &hash) == VRS_ELIMIT)
		vrs_log(VRS_LOG_WARNING, "the playlist %s names more files than can be watched; some may change meanwhile and nobody is told", name);
	return hash | 1; /* never 0 */
}

/* The name in the n-th option that names a file which pictures are made of; NULL: there is none. */
static const char *file_name(const struct vrs_settings *settings, int n)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++)
		if (vrs_file_is_read(rows[i].file) && (rows[i].affects & VRS_AFFECTS_PICTURE) && n-- == 0)
			return (const char *)settings + rows[i].offset;
	return NULL;
}

void vrs_job_stamps_take(struct vrs_job_stamps *ret, const char *input, const struct vrs_settings *settings)
{
	const char *name;
	*ret = (struct vrs_job_stamps){.grows = vrs_live_list_is(input)};
	if (!ret->grows) {
		ret->of_input = stamp(input);
		(void)vrs_strcpy(ret->input, sizeof ret->input, input); /* one that is longer cannot be opened */
	}
	for (int i = 0; i < VRS_JOB_CONTENT_MAX && (name = file_name(settings, i)); i++)
		ret->of_files[i] = stamp(name);
}

enum vrs_status vrs_job_stamps_check(const struct vrs_job_stamps *stamps, const struct vrs_settings *settings, struct vrs_error *err)
{
	const char *name, *changed = stamps->of_input != stamp(stamps->input) ? stamps->input : NULL;
	for (int i = 0; !changed && i < VRS_JOB_CONTENT_MAX && (name = file_name(settings, i)); i++)
		if (stamps->of_files[i] != stamp(name))
			changed = name;
	if (!changed)
		return VRS_OK;
	const char *named = vrs_playlist_is(changed) ? ", or a file that it names," : "";
	return vrs_fail(err, VRS_EIO, "%s%s was changed or replaced while it was in use; %s", vrs_source_words(changed), named,
			settings->pipeline.live ? "the output is kept" : "run the command again");
}
