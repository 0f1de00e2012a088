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
	if (read_entry(path, &old, NULL) == VRS_OK && strcmp(old.class_name, record->class_name) == 0) {
		record->tests += old.tests;
		record->alarms += old.alarms;
	}
	record->created = (int64_t)time(NULL);
	vrs_utc_text(record->created_utc, sizeof record->created_utc);
	if (vrs_noise_record_print(record, &text) != VRS_OK)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	status = vrs_file_replace(path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

static double age_days(const struct vrs_noise_record *c, time_t now)
{
	return difftime(now, (time_t)c->created) / day_seconds;
}

/* An entry from the future was written with a wrong clock: nobody knows how old it is. */
static bool is_fresh(const struct vrs_noise_record *c, time_t now)
{
	double days = age_days(c, now);
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
	if (status == VRS_OK && !is_fresh(&c, now))
		return vrs_fail(err, VRS_ENOTFOUND, "the calibration for \"%s\" is %.0f days old, and holds for %d: vrbench --calibrate renews it", class_name,
				age_days(&c, now), VRS_NOISE_RECORD_DAYS);
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

static const char *number(double value, const char *format, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, format, value);
	return buf;
}

static void print_entry(const struct vrs_noise_record *c, time_t now, FILE *out)
{
	char sd[24], cv[24], deff95[24], deff99[24], lag[24], clock[24];
	double days = age_days(c, now);
	fprintf(out, "%-46s %5.0f %6d %8s %8s %8lld %8lld %7s %7s %6s %9s %4d/%-4d %s\n", c->class_name, days > 0 ? days : 0, c->pairs,
		number(100 * c->pair_sd, "%.2f", sd, sizeof sd), number(100 * c->run_cv, "%.2f", cv, sizeof cv), (long long)c->frames,
		(long long)c->episodes, number(c->deff95, "%.1f", deff95, sizeof deff95), number(c->deff99, "%.1f", deff99, sizeof deff99),
		number(c->lag1, "%.2f", lag, sizeof lag), number(c->clock_mhz, "%.0f", clock, sizeof clock), c->alarms, c->tests,
		!is_fresh(c, now) ? "expired" : vrs_noise_record_permits(c) ? "" : "too few frames for P95 and P99");
}

enum vrs_status vrs_noise_record_list(uint64_t fingerprint, time_t now, FILE *out, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX], path[VRS_PATH_MAX];
	int own = 0, foreign = 0, damaged = 0;
	enum vrs_status status = folder_path(folder, err);
	DIR *dir = status == VRS_OK ? opendir(folder) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct vrs_noise_record c;
		size_t length = strlen(entry->d_name);
		if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0 || vrs_path_join(path, sizeof path, folder, entry->d_name) != VRS_OK)
			continue;
		if (read_entry(path, &c, NULL) != VRS_OK) {
			damaged++;
			continue;
		}
		foreign += c.fingerprint != fingerprint;
		if (c.fingerprint != fingerprint)
			continue;
		if (own++ == 0)
			fprintf(out, "%-46s %5s %6s %8s %8s %8s %8s %7s %7s %6s %9s %9s\n", "class", "days", "pairs", "pair %", "run cv %", "frames", "episodes",
				"deff95", "deff99", "lag 1", "clock MHz", "alarms");
		print_entry(&c, now, out);
	}
	if (dir)
		closedir(dir);
	if (status == VRS_OK && own == 0)
		fprintf(out, "this machine is not calibrated: vrbench --calibrate VIDEO\n");
	if (foreign > 0)
		fprintf(out, "%d of other machines or of another state of this one\n", foreign);
	if (damaged > 0)
		fprintf(out, "%d unreadable in %s\n", damaged, folder);
	return status == VRS_OK && ferror(out) ? VRS_EIO : status;
}
