/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "machine/sysfs.h"

#define TABLE_MAX (256 * 1024) /* bytes of /proc/self/mountinfo; hosts of many containers have hundreds of mounts */
#define NO_LIMIT (UINT64_C(1) << 60) /* version 1 writes "none" as the largest multiple of a page */

/* Where a controller's files of our group are. */
struct place {
	char mount[VRS_SYSFS_PATH]; /* folder of the highest visible group */
	char group[VRS_SYSFS_PATH]; /* our group below it, "" or "/a/b" */
	bool v2;
};

/* Is word an item of the comma list of len characters? */
static bool in_list(const char *list, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	while (len > 0) {
		size_t item = 0;

		while (item < len && list[item] != ',')
			item++;
		if (item == word_len && strncmp(list, word, item) == 0)
			return true;
		list += item < len ? item + 1 : item;
		len -= item < len ? item + 1 : item;
	}
	return false;
}

/* A word of len characters; mountinfo writes blanks and backslashes as \ooo. False: it is too long. */
static bool unescape(const char *word, size_t len, char ret[VRS_SYSFS_PATH])
{
	const char *end = word + len;
	size_t used = 0;

	for (; word < end && used < VRS_SYSFS_PATH - 1; used++) {
		if (end - word >= 4 && word[0] == '\\' && word[1] >= '0' && word[1] <= '3' && word[2] >= '0' && word[2] <= '7' && word[3] >= '0' &&
		    word[3] <= '7') {
			ret[used] = (char)((word[1] - '0') * 64 + (word[2] - '0') * 8 + (word[3] - '0'));
			word += 4;
		} else {
			ret[used] = *word++;
		}
	}
	ret[used] = '\0';
	return word == end;
}

/* Mount point and mounted group of a hierarchy; controller NULL: version 2. */
static bool find_mount(const char *mountinfo, const char *controller, char mount[VRS_SYSFS_PATH], char mount_root[VRS_SYSFS_PATH])
{
	for (const char *line = mountinfo; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char type[32], options[512];
		const char *dash = strstr(line, " - ");
		const char *end = strchr(line, '\n');
		int root_at = 0, root_end = 0, mount_at = 0, mount_end = 0;

		/* 36 35 98:0 /root /mount options [tags] - type source options */
		if (!dash || (end && dash > end) || sscanf(dash + 3, "%31s %*s %511s", type, options) != 2)
			continue;
		if (controller ? strcmp(type, "cgroup") != 0 || !in_list(options, strlen(options), controller) : strcmp(type, "cgroup2") != 0)
			continue;
		(void)sscanf(line, "%*s %*s %*s %n%*s%n %n%*s%n", &root_at, &root_end, &mount_at, &mount_end);
		if (mount_end > mount_at && unescape(line + root_at, (size_t)(root_end - root_at), mount_root) &&
		    unescape(line + mount_at, (size_t)(mount_end - mount_at), mount))
			return true;
	}
	return false;
}

/* Path of our group in a hierarchy, from /proc/self/cgroup: "4:memory:/a/b", version 2 "0::/a/b". */
static bool find_group(const char *cgroups, const char *controller, char path[VRS_SYSFS_PATH])
{
	for (const char *line = cgroups; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *list = strchr(line, ':');
		const char *group = list ? strchr(list + 1, ':') : NULL;
		size_t len;

		if (!group)
			return false;
		if (controller ? !in_list(list + 1, (size_t)(group - list - 1), controller) : group != list + 1)
			continue;
		len = strcspn(++group, "\n");
		if (len >= VRS_SYSFS_PATH)
			return false;
		memcpy(path, group, len);
		path[len] = '\0';
		return true;
	}
	return false;
}

/* Folder of our group: the group's path relative to what is mounted; the mounted group itself where that is hidden (containers). */
static bool find_place(const char *cgroups, const char *mountinfo, const char *controller, struct place *ret)
{
	char path[VRS_SYSFS_PATH] = "", mount_root[VRS_SYSFS_PATH] = "", full[VRS_SYSFS_PATH];
	size_t len;

	if (!find_group(cgroups, controller, path) || !find_mount(mountinfo, controller, ret->mount, mount_root))
		return false;
	len = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);
	if (strncmp(path, mount_root, len) != 0 || (path[len] != '/' && path[len] != '\0') || strstr(path, "/..") || strcmp(path, "/") == 0)
		len = strlen(path);
	(void)vrs_strcpy(ret->group, sizeof ret->group, path + len);
	int n = snprintf(full, sizeof full, "%s%s", ret->mount, ret->group);
	if (n < 0 || (size_t)n >= sizeof full || !vrs_sysfs_exists(full))
		ret->group[0] = '\0';
	ret->v2 = !controller;
	return true;
}

/* Version 1 where it has the controller, else version 2. */
static bool find_controller(const char *cgroups, const char *mountinfo, const char *controller, struct place *ret)
{
	return find_place(cgroups, mountinfo, controller, ret) || find_place(cgroups, mountinfo, NULL, ret);
}

static bool group_text(const struct place *place, const char *file, char *buf, size_t size)
{
	return vrs_sysfs_text(buf, size, "%s%s/%s", place->mount, place->group, file);
}

/* Bytes in a file of the group; "max" and absurdly large values mean no limit. */
static bool group_bytes(const struct place *place, const char *file, uint64_t *ret)
{
	char text[64];
	int64_t value;

	if (!group_text(place, file, text, sizeof text))
		return false;
	if (strcmp(text, "max") == 0)
		*ret = UINT64_MAX;
	else if (vrs_parse_int(text, 0, INT64_MAX, &value))
		*ret = (uint64_t)value >= NO_LIMIT ? UINT64_MAX : (uint64_t)value;
	else
		return false;
	return true;
}

/* CPUs that one group may use; false: the group has no such file (version 2's top group). */
static bool group_quota(const struct place *place, double *ret_quota)
{
	char text[64], quota_text[32] = "", period_text[32] = "";
	int64_t quota, period;

	if (place->v2) {
		if (!group_text(place, "cpu.max", text, sizeof text) || sscanf(text, "%31s %31s", quota_text, period_text) != 2)
			return false;
	} else if (!group_text(place, "cpu.cfs_quota_us", quota_text, sizeof quota_text) ||
		   !group_text(place, "cpu.cfs_period_us", period_text, sizeof period_text)) {
		return false;
	}
	*ret_quota = 0;
	if (vrs_parse_int(quota_text, 1, INT64_MAX, &quota) && vrs_parse_int(period_text, 1, INT64_MAX, &period))
		*ret_quota = (double)quota / (double)period;
	return true;
}

/* Limit of one group and what is left below it: file pages that the kernel drops first do not count as used. */
static bool group_memory(const struct place *place, uint64_t *ret_limit, uint64_t *ret_headroom)
{
	uint64_t limit, high, used, cached = 0;
	char stat[4096], text[32];
	const char *key = place->v2 ? "inactive_file" : "total_inactive_file";
	int64_t value;

	if (!group_bytes(place, place->v2 ? "memory.max" : "memory.limit_in_bytes", &limit))
		return false;
	/* Above memory.high the kernel throttles the group hard: for a budget it is a limit too. */
	if (place->v2 && group_bytes(place, "memory.high", &high) && high < limit)
		limit = high;
	*ret_limit = limit;
	*ret_headroom = limit;
	if (limit == UINT64_MAX || !group_bytes(place, place->v2 ? "memory.current" : "memory.usage_in_bytes", &used))
		return true;
	if (group_text(place, "memory.stat", stat, sizeof stat)) {
		const char *p = strstr(stat, key);

		if (p && (p == stat || p[-1] == '\n') && sscanf(p + strlen(key), " %31s", text) == 1 && vrs_parse_int(text, 0, INT64_MAX, &value))
			cached = (uint64_t)value;
	}
	used -= cached < used ? cached : used;
	*ret_headroom = used < limit ? limit - used : 0;
	return true;
}

/* Go from our group to the highest visible one; false when it was that already. */
static bool go_up(struct place *place)
{
	char *slash = strrchr(place->group, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static void read_cpu(struct place place, struct vrs_cgroup *cgroup)
{
	do {
		double quota;

		if (!group_quota(&place, &quota))
			continue;
		if (quota > 0 && (cgroup->cpu_quota <= 0 || quota < cgroup->cpu_quota))
			cgroup->cpu_quota = quota;
	} while (go_up(&place));
	cgroup->cpu_known = true;
}

static void read_memory(struct place place, struct vrs_cgroup *cgroup)
{
	do {
		uint64_t limit, headroom;

		if (!group_memory(&place, &limit, &headroom))
			continue;
		if (limit < cgroup->memory_limit_bytes)
			cgroup->memory_limit_bytes = limit;
		if (headroom < cgroup->memory_headroom_bytes)
			cgroup->memory_headroom_bytes = headroom;
	} while (go_up(&place));
	cgroup->memory_known = true;
}

/* Our group of a controller; false: it cannot be read. */
static bool find_own(const char *controller, struct place *ret)
{
	char *cgroups = vrs_alloc(TABLE_MAX), *mountinfo = vrs_alloc(TABLE_MAX);
	bool found = cgroups && mountinfo && vrs_sysfs_text(cgroups, TABLE_MAX, "/proc/self/cgroup") &&
		     vrs_sysfs_text(mountinfo, TABLE_MAX, "/proc/self/mountinfo") && find_controller(cgroups, mountinfo, controller, ret);

	vrs_free(mountinfo);
	vrs_free(cgroups);
	return found;
}

int64_t vrs_cgroup_oom_kills(void)
{
	char text[1024], value[32];
	const char *key;
	struct place place;
	int64_t count;

	if (!find_own("memory", &place) || !group_text(&place, place.v2 ? "memory.events" : "memory.oom_control", text, sizeof text))
		return -1;
	key = strstr(text, "oom_kill ");
	return key && sscanf(key, "oom_kill %31s", value) == 1 && vrs_parse_int(value, 0, INT64_MAX, &count) ? count : -1;
}

void vrs_cgroup_read(struct vrs_cgroup *ret_cgroup)
{
	struct place place;

	*ret_cgroup = (struct vrs_cgroup){.memory_limit_bytes = UINT64_MAX, .memory_headroom_bytes = UINT64_MAX};
	if (find_own("cpu", &place))
		read_cpu(place, ret_cgroup);
	if (find_own("memory", &place))
		read_memory(place, ret_cgroup);
}
