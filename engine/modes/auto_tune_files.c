/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/auto_tune_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"

#include <vrseg/machine.h>

#include "vrs_version.h"

/* The values that somebody has set: vrtune leaves them alone, and what is best beside them depends on them. */
static uint64_t hash_options(uint64_t hash, const struct vrs_config *config)
{
	int count;
	char text[VRS_PATH_MAX];
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		if (!vrs_option_is_recorded(&rows[i]) || vrs_config_source(config, rows[i].key) == VRS_SOURCE_DEFAULT ||
		    vrs_config_get(config, rows[i].key, text, sizeof text) != VRS_OK)
			continue;
		hash = vrs_hash_str(vrs_hash_str(hash, rows[i].key), text);
	}
	return hash;
}

/* Without the network's calibration: a search makes one where there is none, and what it finds is for the job that began it. */
static uint64_t hash_kind(const struct vrs_config *config, const struct vrs_job_info *info)
{
	const int64_t kind[] = {info->width, info->height, llround(info->fps), (int64_t)info->layout.stereo, (int64_t)info->layout.projection};
	uint64_t hash = vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, info->codec), info->pixels);
	hash = vrs_hash(hash, &info->net_identity, sizeof info->net_identity);
	return hash_options(vrs_hash(hash, kind, sizeof kind), config);
}

/* What a result has to be proven for again: the machine, the device with its driver, and the build. */
static uint64_t hash_place(const struct vrs_job_info *info, uint64_t machine)
{
	uint64_t hash = vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, VRS_VERSION " " VRS_COMMIT), info->isa);
	if (info->device[0]) /* on the CPU the instruction set has said it */
		hash = vrs_hash_str(hash, info->kernels);
	return vrs_hash(hash, &machine, sizeof machine);
}

static enum vrs_status fingerprint(uint64_t *ret, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "cannot read this machine's properties: %s", vrs_status_str(status));
	else
		*ret = machine->fingerprint;
	vrs_free(machine);
	return status;
}

/* What the video and the network are, as a job of it finds out. */
static enum vrs_status probe(const struct vrs_program_state *program, struct vrs_job_info *ret, struct vrs_error *err)
{
	struct vrs_job *job = NULL;
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	if (!settings)
		return vrs_fail_nomem(err);
	*settings = program->settings;
	(void)vrs_strcpy(settings->output.file, sizeof settings->output.file, "null:");
	settings->report.trace[0] = '\0';
	settings->cache.enabled = false;
	enum vrs_status status = vrs_job_create(&job, program->input, settings, 1, NULL, err);
	if (status == VRS_OK)
		*ret = *vrs_job_info(job);
	vrs_job_destroy(job);
	vrs_free(settings);
	return status;
}

bool vrs_tuned_is_found(const struct vrs_program_state *program, const struct vrs_option *row, const struct vrs_config *found)
{
	return row->tunable && row->state == VRS_OPT_READY && vrs_config_source(found, row->key) == VRS_SOURCE_FILE &&
	       !vrs_config_is_fixed(program->config, row->key);
}

/* Does a file say more than that the default stays? */
static bool holds_values(const struct vrs_program_state *program, const char *path)
{
	int count;
	bool any = false;
	const struct vrs_option *rows = vrs_option_table(&count);
	struct vrs_config *found = NULL;
	enum vrs_status status = vrs_config_create(&found);
	if (status == VRS_OK)
		status = vrs_config_load_file(found, path, VRS_SOURCE_FILE, NULL);
	for (int i = 0; status == VRS_OK && i < count; i++)
		any = any || vrs_tuned_is_found(program, &rows[i], found);
	vrs_config_destroy(found);
	return any;
}

/* The newest file of another machine, device or build whose name begins with `kind`: that names the kind of job. */
static void find_others(const struct vrs_program_state *program, struct vrs_tuned_files *ret, const char *folder, const char *kind)
{
	char path[VRS_PATH_MAX];
	struct stat st;
	struct timespec newest = {0};
	DIR *entries = opendir(folder);
	ret->others[0] = '\0';
	for (const struct dirent *e = entries ? readdir(entries) : NULL; e; e = readdir(entries)) {
		const char *end = strrchr(e->d_name, '.');
		if (strncmp(e->d_name, kind, strlen(kind)) != 0 || !end || strcmp(end, ".yaml") != 0 ||
		    vrs_path_join(path, sizeof path, folder, e->d_name) != VRS_OK || strcmp(path, ret->file) == 0 || stat(path, &st) < 0 ||
		    !S_ISREG(st.st_mode) || !holds_values(program, path))
			continue;
		bool newer = st.st_mtim.tv_sec > newest.tv_sec || (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec);
		if (newer && vrs_strcpy(ret->others, sizeof ret->others, path))
			newest = st.st_mtim;
	}
	if (entries)
		closedir(entries);
}

enum vrs_status vrs_tuned_files_name(const struct vrs_program_state *program, struct vrs_tuned_files *ret, struct vrs_error *err)
{
	char cache[VRS_PATH_MAX], folder[VRS_PATH_MAX], kind[64], name[96];
	uint64_t machine = 0;
	struct vrs_job_info *info = vrs_calloc(1, sizeof *info);
	enum vrs_status status = info ? probe(program, info, err) : vrs_fail_nomem(err);
	if (status != VRS_OK && status != VRS_EIO)
		status = VRS_END; /* the job says what is wrong, or steps down where memory lacks */
	if (status == VRS_OK)
		status = fingerprint(&machine, err);
	if (status == VRS_OK)
		status = vrs_cache_path(cache, sizeof cache, err);
	if (status == VRS_OK) {
		snprintf(kind, sizeof kind, "%dx%d-%016" PRIx64 "-", info->width, info->height, hash_kind(program->config, info));
		snprintf(name, sizeof name, "%s%016" PRIx64 ".yaml", kind, hash_place(info, machine));
		if (vrs_path_join(folder, sizeof folder, cache, "tuned") || vrs_path_join(ret->file, sizeof ret->file, folder, name) ||
		    (size_t)snprintf(ret->runs, sizeof ret->runs, "%s.runs", ret->file) >= sizeof ret->runs ||
		    (size_t)snprintf(ret->job, sizeof ret->job, "%s/job-%ld.yaml", folder, (long)getpid()) >= sizeof ret->job)
			status = vrs_fail(err, VRS_ELIMIT, "the path %s is too long", cache);
		else
			find_others(program, ret, folder, kind);
	}
	vrs_free(info);
	return status;
}
