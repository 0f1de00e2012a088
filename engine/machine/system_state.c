/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Noting old values, changing, putting back.  The state file is complete and on disk before the first change, so that whatever happens in between a
 * reset restores everything; what has refused its change is left out of it afterwards.  It is read as hostile: only files that are settings of this
 * machine are written.
 */
#include <vrseg/system_settings.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "machine/sysfs.h"

#define STATE_SCHEMA "vrseg-system/1"
#define STATE_BYTES_MAX (1u << 20)

static bool write_setting(const char *path, const char *value)
{
	char real[VRS_SYSFS_PATH];
	int fd = vrs_sysfs_path(real, sizeof real, path) ? open(real, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	size_t length = strlen(value);
	bool ok = write(fd, value, length) == (ssize_t)length;
	return close(fd) == 0 && ok;
}

/* A setting to be changed, by a process that may (or may not) write it? */
static bool is_to_change(const struct vrs_system_setting *s, unsigned kinds, bool writable)
{
	return (kinds & 1u << s->kind) && s->wanted[0] && strcmp(s->value, s->wanted) != 0 && s->writable == writable;
}

static enum vrs_status note(const struct vrs_system_setting *s, int count, unsigned kinds, const char *state_path, struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject(), *array = NULL;
	bool ok = object && vrs_json_put_string(object, "schema", STATE_SCHEMA) && vrs_json_put_int(object, "pid", getpid()) &&
		  (array = vrs_json_put_array(object, "settings"));
	for (int i = 0; i < count && ok; i++) {
		if (!is_to_change(&s[i], kinds, true))
			continue;
		cJSON *item = cJSON_CreateObject();
		ok = item && cJSON_AddItemToArray(array, item) && vrs_json_put_string(item, "path", s[i].path) &&
		     vrs_json_put_string(item, "value", s[i].value);
	}
	char *text = ok ? vrs_json_print(object, true) : NULL;
	cJSON_Delete(object);
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to note the settings of the system");
	enum vrs_status status = vrs_file_replace(state_path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

enum vrs_status vrs_system_tune(unsigned kinds, const char *state_path, int *ret_changed, int *ret_refused, struct vrs_error *err)
{
	struct vrs_system_setting *settings;
	int count, changed = 0, refused = 0, possible = 0;
	bool is_tuned;
	enum vrs_status status = vrs_path_find(state_path, &is_tuned, err);
	if (status != VRS_OK)
		return status;
	if (is_tuned)
		return vrs_fail(err, VRS_EEXIST, "the system is already tuned; run vrbench system reset first");
	status = vrs_system_read(&settings, &count);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot read the settings of the system: %s", vrs_status_str(status));
	for (int i = 0; i < count; i++) {
		possible += is_to_change(&settings[i], kinds, true);
		refused += is_to_change(&settings[i], kinds, false);
	}
	status = possible > 0 ? note(settings, count, kinds, state_path, err) : VRS_OK;
	for (int i = 0; i < count && status == VRS_OK && possible > 0; i++)
		if (is_to_change(&settings[i], kinds, true)) {
			/* Interrupts of some devices cannot be moved: the system says so only now. */
			settings[i].writable = write_setting(settings[i].path, settings[i].wanted);
			changed += settings[i].writable;
			refused += !settings[i].writable;
		}
	if (status == VRS_OK && changed == 0 && possible > 0)
		(void)unlink(state_path);
	else if (status == VRS_OK && changed < possible)
		(void)note(settings, count, kinds, state_path, NULL); /* without those; where that fails, the record of all serves as well */
	vrs_free(settings);
	if (status == VRS_OK && changed == 0 && refused > 0)
		status = vrs_fail(err, VRS_EIO, "none of %d settings could be changed: this needs root", refused);
	if (status != VRS_OK)
		return status;
	*ret_changed = changed;
	*ret_refused = refused;
	return VRS_OK;
}

/* A setting of this machine that tuning may change? */
static bool is_known(const struct vrs_system_setting *settings, int count, const char *path)
{
	for (int i = 0; i < count; i++)
		if (settings[i].wanted[0] && strcmp(settings[i].path, path) == 0)
			return true;
	return false;
}

static enum vrs_status check_state(const cJSON *object, const struct vrs_system_setting *settings, int count, const char *state_path,
				   const cJSON **ret_array, struct vrs_error *err)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "settings"), *item;
	const char *schema = vrs_json_string(object, "schema");
	if (!schema || strcmp(schema, STATE_SCHEMA) != 0 || !cJSON_IsArray(array))
		return vrs_fail_at(err, VRS_EFORMAT, state_path, 0, 0, "this is not a record of system settings");
	cJSON_ArrayForEach(item, array) {
		const char *path = vrs_json_string(item, "path"), *value = vrs_json_string(item, "value");
		if (!path || !value || strlen(value) >= sizeof settings->value)
			return vrs_fail_at(err, VRS_EFORMAT, state_path, 0, 0, "a setting has no path or value");
		if (!is_known(settings, count, path))
			return vrs_fail_at(err, VRS_EFORMAT, state_path, 0, 0, "%.100s is not a setting of this machine; nothing was written", path);
	}
	*ret_array = array;
	return VRS_OK;
}

static bool has_value(const struct vrs_system_setting *settings, int count, const char *path, const char *value)
{
	for (int i = 0; i < count; i++)
		if (strcmp(settings[i].path, path) == 0)
			return strcmp(settings[i].value, value) == 0;
	return false;
}

/* What has its old value is not written: it may be noted and yet refuse every change, also this one. */
static int put_back(const cJSON *array, const struct vrs_system_setting *settings, int count, int *ret_failed)
{
	const cJSON *item;
	int restored = 0;
	cJSON_ArrayForEach(item, array) {
		const char *path = vrs_json_string(item, "path"), *value = vrs_json_string(item, "value");
		bool done = has_value(settings, count, path, value) || write_setting(path, value);
		restored += done;
		*ret_failed += !done;
	}
	return restored;
}

enum vrs_status vrs_system_reset(const char *state_path, int *ret_restored, struct vrs_error *err)
{
	struct vrs_system_setting *settings = NULL;
	cJSON *object = NULL;
	const cJSON *array = NULL;
	int count = 0, failed = 0, restored = 0;
	if (!vrs_path_exists(state_path))
		return vrs_fail(err, VRS_ENOTFOUND, "nothing is tuned: %s does not exist", state_path);
	enum vrs_status status = vrs_json_read_file(state_path, STATE_BYTES_MAX, &object, err);
	if (status == VRS_OK && vrs_system_read(&settings, &count) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read the settings of the system");
	if (status == VRS_OK)
		status = check_state(object, settings, count, state_path, &array, err);
	if (status == VRS_OK)
		restored = put_back(array, settings, count, &failed);
	cJSON_Delete(object);
	vrs_free(settings);
	if (status == VRS_OK && failed > 0)
		return vrs_fail(err, VRS_EIO, "%d of %d settings could not be put back (this needs root); %s stays", failed, failed + restored, state_path);
	if (status == VRS_OK && unlink(state_path) != 0)
		return vrs_fail(err, VRS_EIO, "cannot remove %s: %s", state_path, strerror(errno));
	if (status == VRS_OK)
		*ret_restored = restored;
	return status;
}
