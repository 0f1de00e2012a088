/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrations in the user's state folder: STATE/calibration/FINGERPRINT-CLASS.json. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str_parse.h"
#include "bench/judge/noise_record.h"

static const double day_seconds = 86400;

static enum vrs_status folder_path(char path[VRS_PATH_MAX], struct vrs_error *err)
{
	char state[VRS_PATH_MAX];
	enum vrs_status status = vrs_state_dir(state, sizeof state, err);
	if (status == VRS_OK && vrs_path_join(path, VRS_PATH_MAX, state, "calibration") != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the path of the state folder is too long");
	return status;
}

static enum vrs_status entry_path(uint64_t fingerprint, const char *class_name, char path[VRS_PATH_MAX], struct vrs_error *err)
{
	char folder[VRS_PATH_MAX], name[64];
	snprintf(name, sizeof name, "%016llx-%016llx.json", (unsigned long long)fingerprint, (unsigned long long)vrs_hash_str(VRS_HASH_INIT, class_name));
	enum vrs_status status = folder_path(folder, err);
	if (status == VRS_OK && vrs_path_join(path, VRS_PATH_MAX, folder, name) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the path of the state folder is too long");
	return status;
}

static enum vrs_status read_entry(const char *path, struct vrs_noise_record *ret, struct vrs_error *err)
{
	struct vrs_buf text;
	enum vrs_status status = vrs_file_read(path, VRS_NOISE_RECORD_MAX_BYTES, &text, err);
	if (status == VRS_OK)
		status = vrs_noise_record_parse(vrs_buf_str(&text), text.len, path, ret, err);
	vrs_buf_fini(&text);
	return status;
}

/* The levels of the entry before go before ours; a measurement that was gone on with is the same one. The oldest give way. */
static void carry_levels(struct vrs_noise_record *record, const struct vrs_noise_record *old)
{
	struct vrs_noise_level own = record->levels[0];
	int kept = 0;
	if (record->level_count == 0) {
		memcpy(record->levels, old->levels, sizeof record->levels);
		record->level_count = old->level_count;
		return;
	}
	own.created = record->created;
	for (int i = 0; i < old->level_count; i++)
		if (strcmp(old->levels[i].started_utc, own.started_utc) != 0 || old->levels[i].subject != own.subject)
			record->levels[kept++] = old->levels[i];
	if (kept == VRS_NOISE_LEVELS_MAX)
		memmove(record->levels, record->levels + 1, (size_t)--kept * sizeof *record->levels);
	record->levels[kept] = own;
	record->level_count = kept + 1;
}

enum vrs_status vrs_noise_record_store(struct vrs_noise_record *record, struct vrs_error *err)
{
	struct vrs_noise_record old;
	char folder[VRS_PATH_MAX], path[VRS_PATH_MAX], *text = NULL;
	enum vrs_status status = folder_path(folder, err);
	if (status == VRS_OK)
		status = vrs_mkdirs(folder, err);
	if (status == VRS_OK)
		status = entry_path(record->fingerprint, record->class_name, path, err);
	if (status != VRS_OK)
		return status;
	record->created = (int64_t)time(NULL);
	status = read_entry(path, &old, err);
	if (vrs_status_may_pass(status))
		return status; /* rather than lose what it holds */
	if (status != VRS_OK || strcmp(old.class_name, record->class_name) != 0)
		vrs_noise_record_init(&old);
	record->tests += old.tests;
	record->alarms += old.alarms;
	carry_levels(record, &old);
	vrs_utc_text(record->created_utc, sizeof record->created_utc);
	if (vrs_noise_record_print(record, &text) != VRS_OK)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	status = vrs_file_replace(path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

double vrs_noise_record_days(const struct vrs_noise_record *c, time_t now)
{
	return difftime(now, (time_t)c->created) / day_seconds;
}

bool vrs_noise_record_is_fresh(const struct vrs_noise_record *c, time_t now)
{
	double days = vrs_noise_record_days(c, now); /* from the future: written with a wrong clock, and nobody knows how old it is */
	return days > -1 && days <= VRS_NOISE_RECORD_DAYS;
}

enum vrs_status vrs_noise_record_load(uint64_t fingerprint, const char *class_name, time_t now, struct vrs_noise_record *ret_record,
				     struct vrs_error *err)
{
	struct vrs_noise_record c;
	char path[VRS_PATH_MAX];
	enum vrs_status status = entry_path(fingerprint, class_name, path, err);
	if (status == VRS_OK && !vrs_path_exists(path))
		return vrs_fail(err, VRS_ENOTFOUND, "there is no calibration for \"%s\" on this machine: vrbench --calibrate measures it", class_name);
	if (status == VRS_OK)
		status = read_entry(path, &c, err);
	/* The name is a hash: what the file says decides. */
	if (status == VRS_OK && (c.fingerprint != fingerprint || strcmp(c.class_name, class_name) != 0))
		return vrs_fail(err, VRS_ENOTFOUND, "%s belongs to another machine or to other cases", path);
	if (status == VRS_OK && !vrs_noise_record_is_fresh(&c, now))
		return vrs_fail(err, VRS_ENOTFOUND, "the calibration for \"%s\" is %.0f days old, and holds for %d: vrbench --calibrate renews it", class_name,
				vrs_noise_record_days(&c, now), VRS_NOISE_RECORD_DAYS);
	if (status == VRS_OK)
		*ret_record = c;
	return status;
}

void vrs_noise_record_apply(uint64_t fingerprint, time_t now, struct vrs_case_result *c)
{
	struct vrs_noise_record record;
	char class_name[128];
	vrs_noise_record_class(c, class_name, sizeof class_name);
	if (vrs_noise_record_load(fingerprint, class_name, now, &record, NULL) != VRS_OK)
		return;
	c->run_cv = record.run_cv;
	c->pair_sd = record.pair_sd;
	c->deff95 = vrs_noise_record_permits(&record) ? record.deff95 : NAN;
	c->deff99 = vrs_noise_record_permits(&record) ? record.deff99 : NAN;
}

enum vrs_status vrs_noise_record_each(uint64_t fingerprint, void (*visit)(const struct vrs_noise_record *record, void *cookie), void *cookie,
				      int *ret_foreign, int *ret_damaged, char ret_folder[VRS_PATH_MAX], struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	*ret_foreign = *ret_damaged = 0;
	enum vrs_status status = folder_path(ret_folder, err);
	DIR *dir = status == VRS_OK ? opendir(ret_folder) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct vrs_noise_record c;
		size_t length = strlen(entry->d_name);
		if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0 || vrs_path_join(path, sizeof path, ret_folder, entry->d_name) != VRS_OK)
			continue;
		if (read_entry(path, &c, NULL) != VRS_OK)
			++*ret_damaged;
		else if (c.fingerprint != fingerprint)
			++*ret_foreign;
		else
			visit(&c, cookie);
	}
	if (dir)
		closedir(dir);
	return status;
}
