/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vrseg with a fault: its keys lack the fields that VRS_KEY_WITHOUT names, with ";" between them.  tests/cli/vrseg/key_mutants.sh shows that the
 * checks of tests/cli/key_values.sh notice each.  A name is
 *
 *   KEY                    of an option: its value, and the content of the file that it names, from the matte cache's key and from the checkpoint
 *   content of KEY         of an option: only the content
 *   input, name, backend, instruction set, segment   of the cache's key: what the input holds, its name, the kernels, the part of the video
 *   input, layout, instruction set, version, plan    of the checkpoint
 *
 * The linker leads calls of these functions here (--wrap); the key's own code is that of vrseg.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/input_identity.h"
#include "job/job_content.h"
#include "job/matte_cache.h"
#include "segments/checkpoint.h"

#define CONTENT "content of "

enum vrs_status __real_vrs_job_content_read(struct vrs_job_content *ret, const struct vrs_settings *settings, unsigned affects,
					    const struct vrs_known_content *known, int known_count, struct vrs_error *err);
enum vrs_status __wrap_vrs_job_content_read(struct vrs_job_content *ret, const struct vrs_settings *settings, unsigned affects,
					    const struct vrs_known_content *known, int known_count, struct vrs_error *err);
enum vrs_status __real_vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path,
					       const struct vrs_input_identity *known, struct vrs_error *err);
enum vrs_status __wrap_vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path,
					       const struct vrs_input_identity *known, struct vrs_error *err);
void __real_vrs_matte_cache_open(struct vrs_matte_cache **ret_cache, const struct vrs_matte_cache_request *request);
void __wrap_vrs_matte_cache_open(struct vrs_matte_cache **ret_cache, const struct vrs_matte_cache_request *request);
bool __real_vrs_checkpoint_option(struct vrs_checkpoint *ckpt, const char *key, const char *value);
bool __wrap_vrs_checkpoint_option(struct vrs_checkpoint *ckpt, const char *key, const char *value);
bool __real_vrs_segment_plan_same(const struct vrs_segment_plan *a, const struct vrs_segment_plan *b);
bool __wrap_vrs_segment_plan_same(const struct vrs_segment_plan *a, const struct vrs_segment_plan *b);

static const char *missing = "";

static bool lacks(const char *field)
{
	size_t length = strlen(field);
	for (const char *at = missing; (at = strstr(at, field)); at++)
		if ((at == missing || at[-1] == ';') && (at[length] == '\0' || at[length] == ';'))
			return true;
	return false;
}

/* The table is constant: the pages of a row are made writable. */
static void forget_options(void)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; i < count; i++) {
		if (!lacks(rows[i].key))
			continue;
		uintptr_t begin = (uintptr_t)&rows[i] / page * page, end = (uintptr_t)(&rows[i] + 1);
		if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0) {
			perror("key_mutant: mprotect");
			exit(99);
		}
		*(unsigned *)(uintptr_t)&rows[i].affects = VRS_AFFECTS_NOTHING;
	}
}

__attribute__((constructor)) static void choose(void)
{
	const char *name = getenv("VRS_KEY_WITHOUT");
	if (name)
		missing = name;
	forget_options();
}

enum vrs_status __wrap_vrs_job_content_read(struct vrs_job_content *ret, const struct vrs_settings *settings, unsigned affects,
					    const struct vrs_known_content *known, int known_count, struct vrs_error *err)
{
	enum vrs_status status = __real_vrs_job_content_read(ret, settings, affects, known, known_count, err);
	char field[sizeof CONTENT + 64];
	int kept = 0;
	for (int i = 0; i < ret->count; i++) {
		snprintf(field, sizeof field, CONTENT "%s", ret->files[i].key);
		if (!lacks(field))
			ret->files[kept++] = ret->files[i];
	}
	ret->count = kept;
	return status;
}

enum vrs_status __wrap_vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path,
					       const struct vrs_input_identity *known, struct vrs_error *err)
{
	enum vrs_status status = __real_vrs_input_identity_read(ret_identity, path, known, err);
	if (lacks("input"))
		ret_identity->content = 0;
	return status;
}

void __wrap_vrs_matte_cache_open(struct vrs_matte_cache **ret_cache, const struct vrs_matte_cache_request *request)
{
	struct vrs_matte_cache_request poor = *request;
	char path[PATH_MAX];
	if (lacks("name") && realpath(poor.input, path))
		poor.input = path; /* the test renames by a link */
	if (lacks("backend"))
		poor.backend = "";
	if (lacks("instruction set"))
		poor.isa = "";
	if (lacks("segment"))
		memset(poor.segment, 0, sizeof poor.segment);
	__real_vrs_matte_cache_open(ret_cache, &poor);
}

bool __wrap_vrs_checkpoint_option(struct vrs_checkpoint *ckpt, const char *key, const char *value)
{
	return lacks(key) || __real_vrs_checkpoint_option(ckpt, key, value);
}

bool __wrap_vrs_segment_plan_same(const struct vrs_segment_plan *a, const struct vrs_segment_plan *b)
{
	return lacks("plan") || __real_vrs_segment_plan_same(a, b);
}
