/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/plan_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "base/mem.h"
#include "machine/cpu_features.h"
#include "vrs_version.h"

#define MAGIC "VRSPLAN1"
#define HEAD_BYTES 24
#define ENTRY_BYTES 16
#define MAX_BYTES (HEAD_BYTES + (size_t)VRS_PLAN_CACHE_MAX * ENTRY_BYTES + 8)

static struct vrs_plan_cache_entry *entry_of(const struct vrs_plan_cache *cache, uint64_t key)
{
	for (size_t i = 0; i < cache->count; i++)
		if (cache->entries[i].key == key)
			return &cache->entries[i];
	return NULL;
}

bool vrs_plan_cache_find(const struct vrs_plan_cache *cache, uint64_t key, uint64_t *ret_value)
{
	const struct vrs_plan_cache_entry *entry = entry_of(cache, key);
	if (entry)
		*ret_value = entry->value;
	return entry != NULL;
}

static enum vrs_status append(struct vrs_plan_cache *cache, uint64_t key, uint64_t value)
{
	enum vrs_status status = vrs_array_grow(&cache->entries, &cache->capacity, cache->count + 1, sizeof *cache->entries, VRS_PLAN_CACHE_MAX);
	if (status == VRS_OK)
		cache->entries[cache->count++] = (struct vrs_plan_cache_entry){key, value};
	return status;
}

enum vrs_status vrs_plan_cache_put(struct vrs_plan_cache *cache, uint64_t key, uint64_t value)
{
	struct vrs_plan_cache_entry *entry = entry_of(cache, key);
	cache->changed = true;
	if (!entry)
		return append(cache, key, value);
	entry->value = value;
	return VRS_OK;
}

enum vrs_status vrs_plan_cache_parse(struct vrs_plan_cache *cache, const void *data, size_t size)
{
	const unsigned char *p = data;
	if (size < HEAD_BYTES + 8 || size > MAX_BYTES || memcmp(p, MAGIC, 8) != 0 || vrs_load_le64(p + 8) != cache->environment)
		return VRS_EFORMAT;
	uint64_t count = vrs_load_le64(p + 16);
	if (count > VRS_PLAN_CACHE_MAX || size != HEAD_BYTES + (size_t)count * ENTRY_BYTES + 8)
		return VRS_EFORMAT;
	if (vrs_load_le64(p + size - 8) != vrs_hash_block(VRS_HASH_INIT, p, size - 8))
		return VRS_EFORMAT;
	for (uint64_t i = 0; i < count; i++) {
		const unsigned char *entry = p + HEAD_BYTES + i * ENTRY_BYTES;
		if (!entry_of(cache, vrs_load_le64(entry)) && append(cache, vrs_load_le64(entry), vrs_load_le64(entry + 8)) == VRS_ENOMEM)
			return VRS_ENOMEM;
	}
	return VRS_OK;
}

/* Path of the environment's file, and its folder made; false: there is no place. */
static bool file_path(uint64_t environment, char *path, size_t size)
{
	char dir[4096], name[40];
	snprintf(name, sizeof name, "plans/%016llx.bin", (unsigned long long)environment);
	return vrs_cache_dir(dir, sizeof dir, NULL) == VRS_OK && vrs_path_join(path, size, dir, name) == VRS_OK;
}

static void merge_file(struct vrs_plan_cache *cache)
{
	char path[4200];
	struct vrs_buf text;
	if (!file_path(cache->environment, path, sizeof path) || vrs_file_read(path, MAX_BYTES, &text, NULL) != VRS_OK)
		return;
	(void)vrs_plan_cache_parse(cache, vrs_buf_str(&text), text.len); /* an advice: see the header */
	vrs_buf_fini(&text);
}

uint64_t vrs_plan_cache_host(void)
{
	const uint64_t cpu[] = {vrs_cpu_key(), vrs_cpu_features()};

	return vrs_hash(vrs_hash_str(VRS_HASH_INIT, VRS_VERSION " " VRS_COMMIT " " __VERSION__), cpu, sizeof cpu);
}

void vrs_plan_cache_load(struct vrs_plan_cache *ret_cache, uint64_t environment)
{
	*ret_cache = (struct vrs_plan_cache){.environment = environment};
	merge_file(ret_cache);
}

void vrs_plan_cache_save(struct vrs_plan_cache *cache)
{
	char path[4200], *slash;
	if (!cache->changed || !file_path(cache->environment, path, sizeof path))
		return;
	merge_file(cache);
	size_t size = HEAD_BYTES + cache->count * ENTRY_BYTES + 8;
	unsigned char *bytes = vrs_alloc(size);
	if (!bytes)
		return;
	memcpy(bytes, MAGIC, 8); /* NOLINT(bugprone-not-null-terminated-result): bytes, no text */
	vrs_store_le64(bytes + 8, cache->environment);
	vrs_store_le64(bytes + 16, cache->count);
	for (size_t i = 0; i < cache->count; i++) {
		vrs_store_le64(bytes + HEAD_BYTES + i * ENTRY_BYTES, cache->entries[i].key);
		vrs_store_le64(bytes + HEAD_BYTES + i * ENTRY_BYTES + 8, cache->entries[i].value);
	}
	vrs_store_le64(bytes + size - 8, vrs_hash_block(VRS_HASH_INIT, bytes, size - 8));
	slash = strrchr(path, '/');
	*slash = '\0';
	bool there = vrs_mkdirs(path, NULL) == VRS_OK;
	*slash = '/';
	if (there && vrs_file_replace(path, (const char *)bytes, size, NULL) == VRS_OK)
		cache->changed = false;
	vrs_free(bytes);
}

void vrs_plan_cache_fini(struct vrs_plan_cache *cache)
{
	vrs_free(cache->entries);
	*cache = (struct vrs_plan_cache){.environment = cache->environment};
}
