/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_devices.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/str_parse.h"

#include <vrseg/config.h>

/* Do both give the same bits? */
static bool is_same(const struct vrs_device_entry *a, const struct vrs_device_entry *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->driver, b->driver) == 0 && a->order == b->order;
}

static bool are_same(const struct vrs_device_set *set)
{
	for (int i = 1; i < set->count; i++)
		if (!is_same(&set->device[0], &set->device[i]))
			return false;
	return true;
}

/* From one device on, around to those before it. */
static void list_from(struct vrs_roi_devices *devices, int first)
{
	const struct vrs_device_set *set = &devices->set;
	char *text = devices->text[first];
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < set->count; i++) {
		const char *one = set->device[(first + i) % set->count].text;

		if (used + 1 + strlen(one) >= VRS_DEVICES_TEXT)
			return;
		used += (size_t)snprintf(text + used, VRS_DEVICES_TEXT - used, "%s%s", i > 0 ? "+" : "", one);
	}
}

enum vrs_status vrs_roi_devices_spread(struct vrs_roi_devices *ret, const struct vrs_device_set *set, const struct vrs_settings *settings,
				       const char *recurrent, struct vrs_error *err)
{
	const char *first = set->device[0].name;
	int streams = settings->engine.streams;
	enum vrs_status status = VRS_OK;

	ret->set = *set;
	ret->count = set->count;
	if (ret->count > 1 && recurrent != NULL) {
		ret->count = 1;
		status = vrs_config_warn(settings, "recurrent-devices", err, "the network %s is recurrent, so its frames go one after another through the "
					 "first of %d devices, %s", recurrent, set->count, first);
	} else if (ret->count > 1 && settings->engine.deterministic && !are_same(set)) {
		ret->count = 1;
		status = vrs_config_warn(settings, "unlike-devices", err, "devices of different models or drivers give different bits, so all frames go "
					 "through the first of %d, %s; --no-deterministic uses all", set->count, first);
	} else if (streams > 0 && streams < ret->count) {
		ret->count = streams;
		status = vrs_config_warn(settings, "idle-devices", err, "with engine.streams %d, only the first %d of %d devices are used; raise it, or leave "
					 "it out", streams, streams, set->count);
	}
	for (int i = 0; i < ret->count; i++)
		list_from(ret, i);
	return status;
}

const char *vrs_roi_devices_of(const struct vrs_roi_devices *devices, int worker)
{
	VRS_ASSERT(worker >= 0);
	return devices->count > 0 ? devices->text[worker % devices->count] : NULL;
}

void vrs_roi_devices_blame(const struct vrs_roi_devices *devices, const char *of_worker, struct vrs_error *err)
{
	const struct vrs_error cause = *err;
	const char *wanted = of_worker ? of_worker : "";
	size_t length = strcspn(wanted, "+");

	for (int i = 0; i < devices->set.count; i++) {
		const struct vrs_device_entry *one = &devices->set.device[i];

		if (strlen(one->text) != length || strncmp(one->text, wanted, length) != 0)
			continue;
		if (devices->set.count > 1) /* which may have one name */
			(void)vrs_fail(err, cause.status, "the device %s (number %s) failed: %s", one->name, one->text, cause.text);
		else
			(void)vrs_fail(err, cause.status, "the device %s failed: %s", one->name, cause.text);
	}
}

int vrs_roi_devices_first(const struct vrs_roi_devices *devices, int worker)
{
	return devices->count > 0 ? worker % devices->count : 0;
}

static void append(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);

	(void)vrs_strcpy(text + used, size - used, more); /* only shown */
}

uint64_t vrs_roi_device_hash(uint64_t seed, const char *name, const char *driver, uint64_t order)
{
	return vrs_hash(vrs_hash_str(vrs_hash_str(seed, name), driver), &order, sizeof order);
}

void vrs_roi_devices_describe(const struct vrs_roi_devices *devices, struct vrs_job_info *info)
{
	const struct vrs_device_entry *first = devices->set.device;
	size_t dash = strcspn(info->kernels, "-");

	info->devices = devices->count;
	if (devices->count < 2)
		return;
	uint64_t hash = vrs_roi_device_hash(VRS_HASH_INIT, first->name, first->driver, first->order);

	for (int i = 1; i < devices->count; i++) {
		const struct vrs_device_entry *one = &first[i];

		append(info->device, sizeof info->device, " + ");
		append(info->device, sizeof info->device, one->name);
		if (!is_same(first, one)) /* else their bits are the first one's */
			hash = vrs_roi_device_hash(hash, one->name, one->driver, one->order);
	}
	(void)snprintf(info->kernels + dash, sizeof info->kernels - dash, "-%08x", (unsigned)hash);
}
