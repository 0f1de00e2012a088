/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target.auto_tune: a job runs with what vrtune has found for its machine, build, network, kind of video and the options that are set; where that is
 * not known, vrtune searches first.  What it found is kept as the YAML file that vrtune saves, also when nothing was better than the default, in the
 * folder "tuned" of the user's cache (auto_tune_files.h), and beside it the runs of a search that is not decided yet, which goes on
 * at the next job.  What another machine, device or build has found for the same kind of job is the candidate that vrtune proves first: eight
 * rounds instead of a search.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/lease.h"
#include "base/proc.h"
#include "modes/auto_tune_files.h"

#include <vrseg/exit_codes.h>
#include <vrseg/log.h>

#define LONGEST_SECONDS 120
#define MESSAGE_MAX 4096
#define MAX_WORDS 20 /* of a command */
#define BUDGET "75s" /* of vrtune for screening and combinations, so that its final ends in time as well */

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

/* The options of the job, for vrtune to start from. */
static enum vrs_status write_job(const struct vrs_program_state *program, const char *path, struct vrs_error *err)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		return vrs_fail_nomem(err);
	enum vrs_status status = vrs_config_write(program->config, out, VRS_WRITE_JOB, err);
	if (fclose(out) != 0 && status == VRS_OK)
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

static void remove_runs(const struct vrs_tuned_files *tuning)
{
	(void)nftw(tuning->runs, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Bytes of the journal of an undecided search; 0: there is none. */
static int64_t journal_bytes(const struct vrs_tuned_files *tuning)
{
	struct stat st;
	char path[VRS_PATH_MAX];
	return vrs_path_join(path, sizeof path, tuning->runs, "journal.jsonl") == VRS_OK && stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* Does no other job measure in the folder of the runs?  Then vrtune refused them: their video has changed. */
static bool is_free(const struct vrs_tuned_files *tuning)
{
	struct vrs_lease *lease = NULL;
	enum vrs_status status = vrs_lease_take(&lease, tuning->runs, tuning->runs, NULL);
	vrs_lease_return(lease);
	return status != VRS_EEXIST;
}

/*
 * A search that its time did not decide keeps its runs for the next job, as long as it gets further by that (VRS_END); so does one that is stopped.
 * journal_before: bytes of the journal when vrtune began.
 */
static enum vrs_status take_outcome(const struct vrs_tuned_files *tuning, const struct vrs_proc_result *result, int64_t journal_before,
				    struct vrs_error *err)
{
	char why[128];
	if (result->stopped)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request%s",
				journal_bytes(tuning) ? "; the next job of this kind goes on with the search" : "");
	if (result->timed_out && journal_bytes(tuning) > journal_before) {
		vrs_log(VRS_LOG_INFO, "the best settings are not decided yet: the search goes on at the next job of this kind, and the default stays until then");
		return VRS_END;
	}
	if (result->exit_code != VRS_EXIT_USAGE || is_free(tuning))
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

static enum vrs_status run_vrtune(const struct vrs_program_state *program, const struct vrs_tuned_files *tuning, const char *const *argv,
				  int64_t journal_before, struct vrs_error *err)
{
	static const char *const env[] = {"VRSEG_CALLER=vrseg", NULL}; /* how to go on is ours to say */
	const struct vrs_proc_options options = {.argv = argv, .env = env, .timeout_seconds = LONGEST_SECONDS, .stderr_through = true};
	struct vrs_proc_result result;
	enum vrs_status status = write_job(program, tuning->job, err);
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

/* Let vrtune, which lies beside this program, look for the best settings. Its progress goes where ours does. */
static enum vrs_status search(const struct vrs_program_state *program, const struct vrs_tuned_files *tuning, struct vrs_error *err)
{
	char vrtune[VRS_PATH_MAX], folder[VRS_PATH_MAX], progress[VRS_NAME_MAX];
	enum vrs_status status = vrs_program_dir(folder, sizeof folder);
	if (status == VRS_OK)
		status = vrs_path_join(vrtune, sizeof vrtune, folder, "vrtune");
	if (status == VRS_OK)
		status = vrs_config_get(program->config, "report.progress", progress, sizeof progress);
	if (status != VRS_OK)
		return vrs_fail(err, status, "vrtune is not found beside this program");
	int64_t journal_before = journal_bytes(tuning);
	const char *argv[MAX_WORDS] = {vrtune, "--auto-optimize", "--quick", "--budget", BUDGET, "--save-config", tuning->file, "--overwrite",
		journal_before ? "--resume" : "--output-dir", tuning->runs, "-c", tuning->job, "--progress", progress};
	int words = 14;
	if (tuning->others[0]) {
		argv[words++] = "--candidate";
		argv[words++] = tuning->others;
		vrs_log(VRS_LOG_INFO, "another machine, device or build has found the best settings for this kind of video: they are proven first (%s)",
			tuning->others);
	}
	if (!journal_before) { /* a search that goes on has its own video, of the same kind */
		argv[words++] = "--";
		argv[words++] = program->input;
	}
	vrs_log(VRS_LOG_INFO, "looking for the best settings for this machine and kind of video%s, for %d seconds at most (--no-auto-tune does without)",
		journal_before ? ", where the last job left off" : ", once", LONGEST_SECONDS);
	return run_vrtune(program, tuning, argv, journal_before, err);
}

/* Put a value into the settings of the job, where it may be tuned and nobody has set it. */
static enum vrs_status take_value(struct vrs_program_state *program, const struct vrs_option *row, const struct vrs_config *found,
				  struct vrs_buf *said)
{
	char text[VRS_PATH_MAX];
	if (!vrs_tuned_is_found(program, row, found))
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
static enum vrs_status search_into_cache(const struct vrs_program_state *program, const struct vrs_tuned_files *tuning, struct vrs_error *err)
{
	char folder[PATH_MAX];
	vrs_path_folder(folder, tuning->file);
	enum vrs_status status = vrs_config_check_write(program->config, VRS_WRITE_JOB, err);
	if (status == VRS_OK)
		status = vrs_mkdirs(folder, err);
	if (status == VRS_OK && access(folder, W_OK) < 0)
		status = vrs_fail(err, VRS_EIO, "cannot write into %s: %s", folder, strerror(errno));
	return status == VRS_OK ? search(program, tuning, err) : status;
}

/*
 * What was found before, or is found now; a damaged file counts as none.  *ret_unread: what was found before cannot be read now, and the job would
 * run with other settings than it does when it can be.
 */
static enum vrs_status tune(struct vrs_program_state *program, bool may_search, bool *ret_unread, struct vrs_error *err)
{
	struct vrs_tuned_files tuning;
	struct vrs_error damage = {0};
	enum vrs_status status = vrs_tuned_files_name(program, &tuning, err);
	*ret_unread = status == VRS_EIO;
	if (status != VRS_OK)
		return status;
	bool found;
	status = vrs_path_find(tuning.file, &found, err);
	if (status == VRS_OK && found && vrs_path_may_read(tuning.file)) {
		status = take(program, tuning.file, &damage);
		if (status == VRS_OK)
			return status;
	}
	if (vrs_status_may_pass(status)) {
		*ret_unread = true;
		return found ? vrs_fail(err, status, "%s", damage.text[0] ? damage.text : vrs_status_str(status)) : status;
	}
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
	bool unread = false;
	enum vrs_status status = tune(program, may_search, &unread, &cause);
	if (status == VRS_ESTOPPED || unread) {
		*err = cause;
		return status;
	}
	if (status == VRS_OK || status == VRS_END)
		return VRS_OK;
	return vrs_config_warn(&program->settings, "auto-tune", err, "settings are not tuned: %s", cause.text);
}
