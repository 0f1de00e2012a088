/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job_content.h"

#include <glob.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/playlist.h"

/* Folders, devices and pipes have no content that could be held against. */
static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum vrs_status hash_pictures(const char *name, uint64_t *hash, bool *found, struct vrs_error *err)
{
	char pattern[2 * VRS_PATH_MAX];
	glob_t pictures = {0};
	int wrong = vrs_sequence_pattern(name, pattern, sizeof pattern) ? glob(pattern, 0, NULL, &pictures) : GLOB_NOMATCH;
	enum vrs_status status = wrong == GLOB_NOSPACE ? vrs_fail_nomem(err) : VRS_OK;
	for (size_t i = 0; !wrong && status == VRS_OK && i < pictures.gl_pathc; i++) {
		if (!is_file(pictures.gl_pathv[i]))
			continue;
		*found = true;
		*hash = vrs_hash_str(*hash, pictures.gl_pathv[i]);
		status = vrs_file_hash(pictures.gl_pathv[i], hash, err);
	}
	globfree(&pictures);
	return status;
}

enum vrs_status vrs_job_content_playlist(const char **ret_path, const struct vrs_settings *settings, unsigned affects, struct vrs_error *err)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		if (rows[i].file != VRS_FILE_READ || !(rows[i].affects & affects)) /* planned ones have no field */
			continue;
		const char *path = (const char *)settings + rows[i].offset;
		bool is;
		enum vrs_status status = vrs_playlist_look(path, &is, err);
		if (status != VRS_OK)
			return status;
		if (is) {
			*ret_path = path;
			return VRS_OK;
		}
	}
	*ret_path = NULL;
	return VRS_OK;
}

static enum vrs_status hash_file(const char *name, uint64_t *ret_hash, bool *ret_found, struct vrs_error *err)
{
	*ret_hash = VRS_HASH_INIT;
	*ret_found = is_file(name);
	return *ret_found ? vrs_file_hash(name, ret_hash, err) : hash_pictures(name, ret_hash, ret_found, err);
}

static const struct vrs_known_content *find(const struct vrs_known_content *known, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (known[i].name == name)
			return &known[i];
	return NULL;
}

enum vrs_status vrs_job_content_read(struct vrs_job_content *ret, const struct vrs_settings *settings, unsigned affects,
				     const struct vrs_known_content *known, int known_count, struct vrs_error *err)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	const char *playlist = NULL;
	enum vrs_status looked = vrs_job_content_playlist(&playlist, settings, affects, err);
	if (looked != VRS_OK)
		return looked;
	*ret = (struct vrs_job_content){.is_open = playlist != NULL};
	for (int i = 0; i < count; i++) {
		if (!vrs_file_is_read(rows[i].file) || !(rows[i].affects & affects))
			continue;
		const char *name = (const char *)settings + rows[i].offset;
		const struct vrs_known_content *have = find(known, known_count, name);
		struct vrs_content content = {.key = rows[i].key, .hash = have ? have->hash : 0};
		bool found = have != NULL;
		enum vrs_status status = have ? VRS_OK : hash_file(name, &content.hash, &found, err);
		if (status != VRS_OK)
			return status;
		VRS_ASSERT(ret->count < VRS_JOB_CONTENT_MAX);
		if (found)
			ret->files[ret->count++] = content;
	}
	return VRS_OK;
}
