/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/matte_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "matte/matte_file.h"
#include "job/matte_golden.h"

#include <vrseg/libraries.h>
#include <vrseg/log.h>

#include "vrs_version.h"

#define EXTENSION ".mattes"
#define FILE_FORMAT "3" /* of matte/matte_file.h: files of another one are those of others */
#define OTHER_MATTES "10" /* counts changes of mattes that no row of job/matte_golden.h shows: of strides, circles, samples above their depth,
			  values of rank 3 in batches, --exclude, photos on their side, levels of grey with alpha, after a
			  change within a stream and of RGB above 8 bits, edges across the seam of 360 degrees, damaged inputs */
#define KEY_DIGITS 16
#define INPUT_EXTENSION ".input" /* named by a hash of where a large input lies and when it was changed; holds the hash of its content */
#define INPUT_BYTES 17           /* of such a file: hexadecimal digits and a line feed */
#define MOST_INPUTS 1000

struct vrs_matte_cache {
	char folder[VRS_PATH_MAX], path[VRS_PATH_MAX];
	double max_bytes;
	struct vrs_matte_reader *reader; /* one of the two */
	struct vrs_matte_writer *writer;
};

/* The value of an option, whatever its type is. */
static uint64_t hash_value(uint64_t hash, const struct vrs_option *row, const struct vrs_settings *settings)
{
	const char *field = (const char *)settings + row->offset;
	hash = vrs_hash_str(hash, row->key);
	return row->type == VRS_OPT_STRING ? vrs_hash(hash, field, strlen(field) + 1) : vrs_hash(hash, field, row->size);
}

/* The libraries that decode pictures and scale them. */
static uint64_t hash_libraries(uint64_t hash)
{
	struct vrs_codec_library libraries[VRS_CODEC_LIBRARIES];
	int count = vrs_codec_libraries(libraries);
	for (int i = 0; i < count; i++)
		if (libraries[i].decodes)
			hash = vrs_hash_str(vrs_hash_str(hash, libraries[i].name), libraries[i].build);
	return hash;
}

static enum vrs_status name_folder(char ret[VRS_PATH_MAX], const char *folder, struct vrs_error *err)
{
	char caches[VRS_PATH_MAX];
	enum vrs_status status = folder[0] ? VRS_OK : vrs_cache_dir(caches, sizeof caches, err);
	if (status != VRS_OK)
		return status;
	if (folder[0] ? !vrs_strcpy(ret, VRS_PATH_MAX, folder) : vrs_path_join(ret, VRS_PATH_MAX, caches, "mattes") != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the folder is too long");
	return vrs_mkdirs(ret, err);
}

static enum vrs_status name_files(struct vrs_matte_cache *cache, const char *folder, uint64_t key, struct vrs_error *err)
{
	char name[64];
	enum vrs_status status = name_folder(cache->folder, folder, err);
	snprintf(name, sizeof name, "%0*" PRIx64 EXTENSION, KEY_DIGITS, key);
	if (status == VRS_OK && vrs_path_join(cache->path, sizeof cache->path, cache->folder, name) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the path of %s is too long", cache->folder);
	return status;
}

/* The file that holds the content of an input that was looked at. */
static bool name_input(char path[VRS_PATH_MAX], char folder[VRS_PATH_MAX], const struct vrs_input_identity *look, const struct vrs_settings *settings)
{
	const int64_t parts[] = {look->size, look->mtime_ns, look->ctime_ns, look->device, look->inode, (int64_t)look->sample};
	char name[64];
	snprintf(name, sizeof name, "%0*" PRIx64 INPUT_EXTENSION, KEY_DIGITS, vrs_hash(VRS_HASH_INIT, parts, sizeof parts));
	return name_folder(folder, settings->cache.dir, NULL) == VRS_OK && vrs_path_join(path, VRS_PATH_MAX, folder, name) == VRS_OK;
}

static void recall_input(struct vrs_input_identity *look, const char *path)
{
	struct vrs_buf text;
	char digits[KEY_DIGITS + 1];
	if (vrs_file_read(path, INPUT_BYTES, &text, NULL) == VRS_OK && text.len == INPUT_BYTES) {
		snprintf(digits, sizeof digits, "%s", vrs_buf_str(&text));
		(void)vrs_parse_hash(digits, &look->content); /* else it is read again */
	}
	vrs_buf_fini(&text);
}

enum vrs_status vrs_matte_cache_input(struct vrs_input_identity *ret, const char *input, const struct vrs_settings *settings,
				      const struct vrs_input_identity *known, struct vrs_error *err)
{
	struct vrs_input_identity kept;
	char path[VRS_PATH_MAX], folder[VRS_PATH_MAX], text[INPUT_BYTES + 1];
	bool keeps = settings->cache.enabled && vrs_input_identity_look(&kept, input, NULL) == VRS_OK && kept.size > VRS_INPUT_SMALL &&
		     name_input(path, folder, &kept, settings);
	if (keeps)
		recall_input(&kept, path);
	enum vrs_status status = vrs_input_identity_read(ret, input, keeps && kept.content ? &kept : known, err);
	if (status != VRS_OK || !keeps || kept.content || ret->ctime_ns == 0)
		return status;
	snprintf(text, sizeof text, "%0*" PRIx64 "\n", KEY_DIGITS, ret->content);
	(void)!vrs_file_replace(path, text, INPUT_BYTES, NULL); /* else it is read again */
	vrs_cache_trim(folder, KEY_DIGITS, INPUT_EXTENSION, MOST_INPUTS * INPUT_BYTES);
	return VRS_OK;
}

/* Everything that the mattes are made of; false when the input or a file that an option names cannot be recognised again. */
static bool make_key(const struct vrs_matte_cache_request *request, uint64_t *ret_key)
{
	struct vrs_input_identity identity;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	if (request->content->is_open || vrs_matte_cache_input(&identity, request->input, request->settings, NULL, NULL) != VRS_OK)
		return false;
	uint64_t hash = vrs_hash(vrs_hash_str(VRS_HASH_INIT, VRS_VERSION " " FILE_FORMAT " " OTHER_MATTES), vrs_matte_golden, sizeof vrs_matte_golden);
	hash = hash_libraries(hash);
	for (int i = 0; i < request->content->count; i++) {
		const struct vrs_content *file = &request->content->files[i];
		hash = vrs_hash(vrs_hash_str(hash, file->key), &file->hash, sizeof file->hash);
	}
	hash = vrs_hash(hash, &identity.size, sizeof identity.size);
	hash = vrs_hash(hash, &identity.content, sizeof identity.content);
	hash = vrs_hash_str(hash, vrs_path_base(request->input)); /* tags in the name decide the layout */
	hash = vrs_hash_str(vrs_hash_str(hash, request->backend), request->isa);
	for (int i = 0; i < count; i++)
		if (rows[i].affects & VRS_AFFECTS_MATTE)
			hash = hash_value(hash, &rows[i], request->settings);
	*ret_key = vrs_hash(hash, request->segment, sizeof request->segment);
	return true;
}

/* A file of another shape cannot be of this job. */
static bool fits(const struct vrs_matte_reader *reader, const struct vrs_matte_cache_request *request)
{
	struct vrs_matte_shape shape = vrs_matte_reader_shape(reader);
	size_t past;
	(void)vrs_matte_reader_past(reader, &past);
	return shape.eyes == request->eyes && shape.width == request->width && shape.height == request->height && (past > 0 || !request->wants_past);
}

/* The mattes that are there, marked as used now; damaged ones are told and removed. */
static void look_up(struct vrs_matte_cache *cache, uint64_t key, const struct vrs_matte_cache_request *request)
{
	struct vrs_error cause = {0};
	enum vrs_status status = vrs_matte_reader_open(&cache->reader, cache->path, key, &cause);
	if (status == VRS_OK && !fits(cache->reader, request)) {
		vrs_matte_reader_close(cache->reader);
		cache->reader = NULL;
		status = VRS_EFORMAT;
	}
	if (status == VRS_EFORMAT) {
		vrs_log(VRS_LOG_WARNING, "the cached mattes %s are damaged, or of another job; making them again", cache->path);
		unlink(cache->path);
	}
	if (status == VRS_OK) {
		vrs_cache_touch(cache->path);
		vrs_log(VRS_LOG_INFO, "mattes of %" PRIu64 " frames come from the cache", vrs_matte_reader_frames(cache->reader));
	}
}

void vrs_matte_cache_open(struct vrs_matte_cache **ret_cache, const struct vrs_matte_cache_request *request)
{
	const struct vrs_matte_shape shape = {request->eyes, request->width, request->height};
	struct vrs_error cause = {0};
	uint64_t key;
	if (!make_key(request, &key)) {
		if (!vrs_stop_requested())
			vrs_log_once("no-cache", VRS_LOG_INFO, "mattes of %s are not cached: only those of files are, and of no playlists",
				     request->input);
		return;
	}
	struct vrs_matte_cache *cache = vrs_calloc(1, sizeof *cache);
	if (!cache)
		return;
	cache->max_bytes = request->settings->cache.size_gb * 1e9;
	bool good = name_files(cache, request->settings->cache.dir, key, &cause) == VRS_OK;
	if (good)
		look_up(cache, key, request);
	if (good && !cache->reader)
		good = vrs_matte_writer_create(&cache->writer, cache->path, key, &shape, &cause) == VRS_OK;
	if (good) {
		*ret_cache = cache;
		return;
	}
	vrs_log_once("no-cache", VRS_LOG_WARNING, "mattes are not cached%s%s", cause.text[0] ? ": " : "", cause.text);
	vrs_matte_cache_close(cache);
}

bool vrs_matte_cache_has(const struct vrs_matte_cache *cache)
{
	return cache && cache->reader;
}

enum vrs_status vrs_matte_cache_get(struct vrs_matte_cache *cache, uint64_t place, struct vrs_matte *mattes, struct vrs_rect *covers)
{
	return vrs_matte_reader_get(cache->reader, place, mattes, covers) ? VRS_EFORMAT : VRS_OK;
}

void vrs_matte_cache_put(struct vrs_matte_cache *cache, const struct vrs_matte *mattes, const struct vrs_rect *covers)
{
	struct vrs_error cause = {0};
	if (!cache || !cache->writer || vrs_matte_writer_add(cache->writer, mattes, covers, &cause) == VRS_OK)
		return;
	vrs_log_once("no-cache", VRS_LOG_WARNING, "mattes are not cached: %s", cause.text);
	vrs_matte_writer_close(cache->writer);
	cache->writer = NULL;
}

const void *vrs_matte_cache_past(const struct vrs_matte_cache *cache, size_t *ret_size)
{
	return vrs_matte_reader_past(cache->reader, ret_size);
}

void vrs_matte_cache_commit(struct vrs_matte_cache *cache, const char *past)
{
	struct vrs_error cause = {0};
	if (!cache || !cache->writer)
		return;
	enum vrs_status status = past ? vrs_matte_writer_add_past(cache->writer, past, &cause) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_matte_writer_finish(cache->writer, &cause);
	vrs_matte_writer_close(cache->writer);
	cache->writer = NULL;
	if (status != VRS_OK) {
		vrs_log(VRS_LOG_WARNING, "mattes are not cached: %s", cause.text);
		return;
	}
	vrs_cache_trim(cache->folder, KEY_DIGITS, EXTENSION, cache->max_bytes);
}

void vrs_matte_cache_close(struct vrs_matte_cache *cache)
{
	if (!cache)
		return;
	vrs_matte_writer_close(cache->writer);
	vrs_matte_reader_close(cache->reader);
	vrs_free(cache);
}
