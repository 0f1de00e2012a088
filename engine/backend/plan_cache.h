/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Choices that were expensive to make, kept on disk: numbers by key, one file for each environment (build, CPU, device, threads) in the folder
 * `plans` of the cache folder.  A file is only an advice: one that is stale, foreign, cut or changed is as good as none, and failures to read or
 * write are silent.
 *
 * Format, little-endian: "VRSPLAN1", uint64 environment, uint64 count, then for each entry uint64 key and uint64 value, at the end vrs_hash_block
 * of everything before.
 */
#ifndef VRS_BACKEND_PLAN_CACHE_H
#define VRS_BACKEND_PLAN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#define VRS_PLAN_CACHE_MAX 8192  /* entries of a file */

struct vrs_plan_cache_entry {
	uint64_t key, value;
};

struct vrs_plan_cache {
	uint64_t environment;
	struct vrs_plan_cache_entry *entries;
	size_t count, capacity;
	bool changed;
};

/* Hash of this build, the CPU and its instruction sets in use: what an environment begins with where the host's speed decides. Thread-safe. */
uint64_t vrs_plan_cache_host(void);
/* What the file of this environment holds; nothing is fine. */
void vrs_plan_cache_load(struct vrs_plan_cache *ret_cache, uint64_t environment);
/* Replace the file when something was added, with what others have added meanwhile. */
void vrs_plan_cache_save(struct vrs_plan_cache *cache);
void vrs_plan_cache_fini(struct vrs_plan_cache *cache);
bool vrs_plan_cache_find(const struct vrs_plan_cache *cache, uint64_t key, uint64_t *ret_value);
/* Add, or replace. VRS_ENOMEM; VRS_ELIMIT when it is full. */
enum vrs_status vrs_plan_cache_put(struct vrs_plan_cache *cache, uint64_t key, uint64_t value);
/* Add the entries of a file; VRS_EFORMAT: not one of this environment, nothing is added. VRS_ENOMEM. */
enum vrs_status vrs_plan_cache_parse(struct vrs_plan_cache *cache, const void *data, size_t size);

#endif
