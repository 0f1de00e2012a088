/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target.auto_tune: a job runs with what vrtune has found for its machine, build, network, kind of video and the options that are set; where that is
 * not known, vrtune searches first.  What it found is kept as the YAML file that vrtune saves, also when nothing was better than the default, in the
 * folder "tuned" of the user's cache: one file for each such combination, and beside it the runs of a search that is not decided yet, which goes on
 * at the next job.  What another machine, or another build, has found for the same kind of job is the candidate that vrtune proves first: eight
 * rounds instead of a search.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/str_parse.h"
#include "modes/program.h"

#include <vrseg/exit_codes.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "vrs_version.h"

#define LONGEST_SECONDS 120
#define MESSAGE_MAX 4096
#define BUDGET "75s" /* of vrtune for screening and combinations, so that its final ends in time as well */

struct tuning {
	char file[VRS_PATH_MAX];    /* what was found */
	char job[VRS_PATH_MAX];     /* what vrtune starts from, while it runs */
	char runs[VRS_PATH_MAX];    /* folder of a search that is not decided */
	char others[VRS_PATH_MAX];  /* found for the same kind of job on another machine, or by another build; "": nothing */
};

/* Why there is nothing to tune for; NULL: there is. */
static const char *why_not(const struct vrs_program_state *program)
{
	struct stat st;
	if (program->settings.pipeline.live)
		return "live video starts at once";
	if (stat(program->input, &st) < 0 || !S_ISREG(st.st_mode))
		return "only for a file can settings be tuned";
	return NULL;
}

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

static uint64_t hash_kind(const struct vrs_config *config, const struct vrs_job_info *info)
{
	const int64_t kind[] = {info->width, info->height, llround(info->fps), (int64_t)info->layout.stereo, (int64_t)info->layout.projection};
	uint64_t hash = vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, info->codec), info->pixels);
	hash = vrs_hash(hash, &info->net_content, sizeof info->net_content);
	return hash_options(vrs_hash(hash, kind, sizeof kind), config);
}

/* What a result has to be proven for again: the machine and the build. */
static uint64_t hash_place(const struct vrs_job_info *info, uint64_t machine)
{
	uint64_t hash = vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, VRS_VERSION " " VRS_COMMIT), info->isa);
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

/* Is a value of a file one that was found, and not what somebody has set for this job? */
static bool is_found(const struct vrs_program_state *program, const struct vrs_option *row, const struct vrs_config *found)
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
		any = any || is_found(program, &rows[i], found);
	vrs_config_destroy(found);
	return any;
}

/* The newest file of another machine or build whose name begins with `kind`: that names the kind of job. */
static void find_others(const struct vrs_program_state *program, struct tuning *ret, const char *folder, const char *kind)
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

/* VRS_END: there can be no such job, as it will say itself. */
static enum vrs_status name_files(const struct vrs_program_state *program, struct tuning *ret, struct vrs_error *err)
{
	char cache[VRS_PATH_MAX], folder[VRS_PATH_MAX], kind[64], name[96];
	uint64_t machine = 0;
	struct vrs_job_info *info = vrs_calloc(1, sizeof *info);
	enum vrs_status status = !info ? vrs_fail_nomem(err) : probe(program, info, NULL) == VRS_OK ? VRS_OK : VRS_END;
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

/* The options of the job, for vrtune to start from. */
static enum vrs_status write_job(const struct vrs_program_state *program, const char *path, struct vrs_error *err)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		return vrs_fail_nomem(err);
	enum vrs_status status = vrs_config_write(program->config, out, VRS_WRITE_JOB);
	if (fclose(out) != 0 || status != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "no memory for the settings of the job");
	if (status == VRS_OK)
		status = vrs_file_write(path, text, length, err);
	free(text); /* libc: memory of open_memstream */
	return status;
}

/* A file without values: the defaults stay, and the next job does not search again. */
static enum vrs_status write_nothing(const char *path, const char *why, struct vrs_error *err)
{
	char text[256];
	snprintf(text, sizeof text, "# The default stays: %s.\n{}\n", why);
	return vrs_file_write(path, text, strlen(text), err);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *level)
{
	(void)st;
	(void)kind;
	(void)level;
	return remove(path);
}

static void remove_runs(const struct tuning *tuning)
{
	(void)nftw(tuning->runs, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Bytes of the journal of an undecided search; 0: there is none. */
static int64_t journal_bytes(const struct tuning *tuning)
{
	struct stat st;
	char path[VRS_PATH_MAX];
	return vrs_path_join(path, sizeof path, tuning->runs, "journal.jsonl") == VRS_OK && stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/*
 * A search that its time did not decide keeps its runs for the next job, as long as it gets further by that (VRS_END); so does one that is stopped.
 * journal_before: bytes of the journal when vrtune began.
 */
static enum vrs_status take_outcome(const struct tuning *tuning, const struct vrs_proc_result *result, int64_t journal_before, struct vrs_error *err)
{
	char why[128];
	if (result->stopped)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
	if (result->timed_out && journal_bytes(tuning) > journal_before) {
		vrs_log(VRS_LOG_INFO, "the best settings are not decided yet: the search goes on at the next job of this kind, and the default stays until then");
		return VRS_END;
	}
	if (result->exit_code != VRS_EXIT_USAGE) /* of another search that still measures */
		remove_runs(tuning);
	if (result->timed_out) {
		snprintf(why, sizeof why, "%d seconds proved nothing; remove this file to search again, or let vrtune --save-config write it", LONGEST_SECONDS);
		return write_nothing(tuning->file, why, err);
	}
	if (result->exit_code == VRS_EXIT_INFEASIBLE)
		return write_nothing(tuning->file, "no settings keep the limits of the configuration", err);
	if (result->exit_code != 0)
		return vrs_fail(err, VRS_EIO, "vrtune ended with %s %d", result->signal ? "signal" : "exit code",
				result->signal ? result->signal : result->exit_code);
	return VRS_OK;
}

/* Let vrtune, which lies beside this program, look for the best settings. Its progress goes where ours does. */
static enum vrs_status search(const struct vrs_program_state *program, const struct tuning *tuning, struct vrs_error *err)
{
	char vrtune[VRS_PATH_MAX], folder[VRS_PATH_MAX], progress[VRS_NAME_MAX];
	struct vrs_proc_result result;
	enum vrs_status status = vrs_program_dir(folder, sizeof folder);
	if (status == VRS_OK)
		status = vrs_path_join(vrtune, sizeof vrtune, folder, "vrtune");
	if (status == VRS_OK)
		status = vrs_config_get(program->config, "report.progress", progress, sizeof progress);
	if (status != VRS_OK)
		return vrs_fail(err, status, "vrtune is not found beside this program");
	int64_t journal_before = journal_bytes(tuning);
	const char *argv[] = {vrtune, "--auto-optimize", "--quick", "--budget", BUDGET, "--save-config", tuning->file, "--overwrite",
		journal_before ? "--resume" : "--output-dir", tuning->runs, "-c", tuning->job, "--progress", progress, "--", program->input, NULL, NULL, NULL};
	if (tuning->others[0]) {
		size_t at = sizeof argv / sizeof *argv - 5;
		memcpy(&argv[at], (const char *[]){"--candidate", tuning->others, "--", program->input}, 4 * sizeof *argv);
		vrs_log(VRS_LOG_INFO, "another machine, or another build, has found the best settings for this kind of video: they are proven first (%s)",
			tuning->others);
	}
	const struct vrs_proc_options options = {.argv = argv, .timeout_seconds = LONGEST_SECONDS, .stderr_through = true};
	vrs_log(VRS_LOG_INFO, "looking for the best settings for this machine and kind of video%s, for %d seconds at most (--no-auto-tune does without)",
		journal_before ? ", where the last job left off" : ", once", LONGEST_SECONDS);
	status = write_job(program, tuning->job, err);
	if (status != VRS_OK)
		return status;
	status = vrs_proc_run(&options, &result, err);
	unlink(tuning->job);
	if (status != VRS_OK)
		return status;
	status = take_outcome(tuning, &result, journal_before, err);
	vrs_proc_result_fini(&result);
	return status;
}

/* Put a value into the settings of the job, where it may be tuned and nobody has set it. */
static enum vrs_status take_value(struct vrs_program_state *program, const struct vrs_option *row, const struct vrs_config *found,
				  struct vrs_buf *said)
{
	char text[VRS_PATH_MAX];
	if (!is_found(program, row, found))
		return VRS_OK;
	enum vrs_status status = vrs_config_get(found, row->key, text, sizeof text);
	if (status != VRS_OK)
		return status;
	memcpy((char *)&program->settings + row->offset, (const char *)vrs_config_settings(found) + row->offset, row->size);
	return vrs_buf_printf(said, "%s%s: %s", said->len ? ", " : "", row->key, text);
}

static enum vrs_status take(struct vrs_program_state *program, const char *file, struct vrs_error *err)
{
	int count;
	struct vrs_buf said;
	const struct vrs_option *rows = vrs_option_table(&count);
	struct vrs_config *found = NULL;
	vrs_buf_init(&said, MESSAGE_MAX);
	enum vrs_status status = vrs_config_create(&found);
	if (status == VRS_OK)
		status = vrs_config_load_file(found, file, VRS_SOURCE_FILE, err);
	for (int i = 0; status == VRS_OK && i < count; i++)
		status = take_value(program, &rows[i], found, &said);
	if (status == VRS_OK)
		vrs_log(VRS_LOG_INFO, "tuned for this machine and kind of video: %s (%s)",
			said.len ? vrs_buf_str(&said) : "the default stays, and the file says why", file);
	vrs_config_destroy(found);
	vrs_buf_fini(&said);
	return status;
}

/* Search, into a folder that is made where it is missing. */
static enum vrs_status search_into_cache(const struct vrs_program_state *program, const struct tuning *tuning, struct vrs_error *err)
{
	char folder[PATH_MAX];
	vrs_path_folder(folder, tuning->file);
	enum vrs_status status = vrs_mkdirs(folder, err);
	if (status == VRS_OK && access(folder, W_OK) < 0)
		status = vrs_fail(err, VRS_EIO, "cannot write into %s: %s", folder, strerror(errno));
	return status == VRS_OK ? search(program, tuning, err) : status;
}

/* What was found before, or is found now; a damaged file counts as none. */
static enum vrs_status tune(struct vrs_program_state *program, bool may_search, struct vrs_error *err)
{
	struct tuning tuning;
	struct vrs_error damage = {0};
	enum vrs_status status = name_files(program, &tuning, err);
	if (status != VRS_OK)
		return status;
	if (vrs_path_exists(tuning.file) && take(program, tuning.file, &damage) == VRS_OK)
		return VRS_OK;
	if (!may_search)
		return VRS_OK;
	if (damage.status)
		vrs_log(VRS_LOG_INFO, "%s; searching again", damage.text);
	status = search_into_cache(program, &tuning, err);
	return status != VRS_OK ? status : take(program, tuning.file, err);
}

enum vrs_status vrs_auto_tune(struct vrs_program_state *program, bool may_search, struct vrs_error *err)
{
	struct vrs_error cause = {0};
	if (!program->settings.target.auto_tune)
		return VRS_OK;
	const char *reason = why_not(program);
	if (reason)
		return vrs_config_warn(&program->settings, "auto-tune", err, "target.auto_tune has no effect here: %s", reason);
	enum vrs_status status = tune(program, may_search, &cause);
	if (status == VRS_ESTOPPED)
		*err = cause;
	if (status == VRS_OK || status == VRS_END || status == VRS_ESTOPPED)
		return status == VRS_ESTOPPED ? status : VRS_OK;
	return vrs_config_warn(&program->settings, "auto-tune", err, "settings are not tuned: %s", cause.text);
}
