/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_program_cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "base/mem.h"

#define MAGIC "VRSCLBIN"
#define VERSION 1
#define HEAD_BYTES 32
#define SUM_BYTES 8
#define KEY_DIGITS 32 /* of 64: 128 bits of SHA-256 tell the files of one folder apart */
#define EXTENSION ".bin"
#define MAX_BYTES (HEAD_BYTES + sizeof ((struct vrs_ocl_program_key *)0)->text + VRS_OCL_BINARY_MAX + SUM_BYTES)

bool vrs_ocl_program_key_make(struct vrs_ocl_program_key *ret_key, const struct vrs_ocl_caps *caps, const char *options, const char *source,
			      size_t length)
{
	char dir[PATH_MAX], name[sizeof "programs/" + KEY_DIGITS + sizeof EXTENSION], sum[65];

	vrs_sha256(source, length, sum);
	int n = snprintf(ret_key->text, sizeof ret_key->text, "%s\n%s\n%s\n%s\n%s\n%s\n", caps->platform, caps->name, caps->version, caps->driver, options,
			 sum);
	if (n < 0 || (size_t)n >= sizeof ret_key->text)
		return false;
	vrs_sha256(ret_key->text, (size_t)n, sum);
	(void)snprintf(name, sizeof name, "programs/%.*s" EXTENSION, KEY_DIGITS, sum);
	return vrs_cache_path(dir, sizeof dir, NULL) == VRS_OK && vrs_path_join(ret_key->path, sizeof ret_key->path, dir, name) == VRS_OK;
}

enum vrs_status vrs_ocl_program_cache_parse(const void *data, size_t size, const char *key, const void **ret_binary, size_t *ret_size)
{
	const unsigned char *p = data;
	size_t key_bytes = strlen(key);

	if (size < HEAD_BYTES + SUM_BYTES || size > MAX_BYTES || memcmp(p, MAGIC, 8) != 0 || vrs_load_le64(p + 8) != VERSION)
		return VRS_EFORMAT;
	uint64_t binary_bytes = vrs_load_le64(p + 24);

	if (vrs_load_le64(p + 16) != key_bytes || binary_bytes == 0 || binary_bytes > VRS_OCL_BINARY_MAX ||
	    size != HEAD_BYTES + key_bytes + (size_t)binary_bytes + SUM_BYTES)
		return VRS_EFORMAT;
	if (memcmp(p + HEAD_BYTES, key, key_bytes) != 0 || vrs_load_le64(p + size - SUM_BYTES) != vrs_hash_block(VRS_HASH_INIT, p, size - SUM_BYTES))
		return VRS_EFORMAT;
	*ret_binary = p + HEAD_BYTES + key_bytes;
	*ret_size = (size_t)binary_bytes;
	return VRS_OK;
}

/* What nobody else may have written, as one block; NULL: none, or not to be trusted. */
static unsigned char *read_file(const char *path, size_t *ret_size)
{
	FILE *file;
	struct stat st;
	unsigned char *data = NULL;

	if (vrs_file_open_stream(path, &file, NULL) != VRS_OK)
		return NULL;
	if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 || (uintmax_t)st.st_size > MAX_BYTES)
		goto out;
	if (st.st_uid != geteuid() || (st.st_mode & S_IWOTH)) {
		vrs_log(VRS_LOG_DEBUG, "%s is not taken: others can write it", path);
		goto out;
	}
	data = vrs_alloc((size_t)st.st_size);
	if (data && fread(data, 1, (size_t)st.st_size, file) != (size_t)st.st_size) {
		vrs_free(data);
		data = NULL;
	}
	*ret_size = (size_t)st.st_size;
out:
	(void)fclose(file);
	return data;
}

void *vrs_ocl_program_cache_load(const struct vrs_ocl_program_key *key, size_t *ret_size)
{
	const void *binary;
	size_t size;
	unsigned char *data = read_file(key->path, &size);

	if (!data)
		return NULL;
	if (vrs_ocl_program_cache_parse(data, size, key->text, &binary, ret_size) != VRS_OK) {
		vrs_log(VRS_LOG_DEBUG, "the compiled kernels in %s are damaged or of another version", key->path);
		vrs_free(data);
		return NULL;
	}
	vrs_cache_touch(key->path);
	memmove(data, binary, *ret_size); /* one block, from its beginning */
	return data;
}

bool vrs_ocl_program_cache_can_save(const struct vrs_ocl_program_key *key)
{
	char folder[PATH_MAX];

	vrs_path_folder(folder, key->path);
	while (!vrs_path_exists(folder)) { /* up to the one in which it would be made */
		char *slash = strrchr(folder, '/');

		if (!slash || slash == folder)
			return false;
		*slash = '\0';
	}
	return vrs_path_is_dir(folder) && access(folder, W_OK | X_OK) == 0;
}

enum vrs_status vrs_ocl_program_cache_save(const struct vrs_ocl_program_key *key, const void *binary, size_t size, struct vrs_error *err)
{
	size_t key_bytes = strlen(key->text), bytes = HEAD_BYTES + key_bytes + size + SUM_BYTES;
	char folder[PATH_MAX];

	if (size == 0 || size > VRS_OCL_BINARY_MAX)
		return vrs_fail(err, VRS_ELIMIT, "the driver's binary is empty or too large");
	unsigned char *data = vrs_alloc(bytes);

	if (!data)
		return vrs_fail_nomem(err);
	memcpy(data, MAGIC, 8); /* NOLINT(bugprone-not-null-terminated-result): bytes, no text */
	vrs_store_le64(data + 8, VERSION);
	vrs_store_le64(data + 16, key_bytes);
	vrs_store_le64(data + 24, size);
	memcpy(data + HEAD_BYTES, key->text, key_bytes);
	memcpy(data + HEAD_BYTES + key_bytes, binary, size);
	vrs_store_le64(data + bytes - SUM_BYTES, vrs_hash_block(VRS_HASH_INIT, data, bytes - SUM_BYTES));
	vrs_path_folder(folder, key->path);
	enum vrs_status status = vrs_mkdirs(folder, err);

	if (status == VRS_OK)
		status = vrs_file_replace_own(key->path, data, bytes, err);
	if (status == VRS_OK)
		vrs_cache_trim(folder, KEY_DIGITS, EXTENSION, (double)VRS_OCL_PROGRAMS_MAX);
	vrs_free(data);
	return status;
}
