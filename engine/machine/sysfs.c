/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str_parse.h"

const char *vrs_sysfs_root(void)
{
	const char *root = getenv("VRSEG_ROOT");

	return root && strcmp(root, "/") != 0 ? root : "";
}

bool vrs_sysfs_replay(void)
{
	return vrs_sysfs_root()[0] != '\0';
}

bool vrs_sysfs_path(char *buf, size_t size, const char *path)
{
	const char *root = vrs_sysfs_root();
	size_t len = strlen(root);

	while (len > 0 && root[len - 1] == '/')
		len--;
	if (len >= size)
		return false;
	memcpy(buf, root, len); /* NOLINT(bugprone-not-null-terminated-result): the path goes on behind it */
	return vrs_strcpy(buf + len, size - len, path);
}

bool vrs_sysfs_exists(const char *path)
{
	char full[VRS_SYSFS_PATH];

	return vrs_sysfs_path(full, sizeof full, path) && access(full, F_OK) == 0;
}

/* Read until buf is full or the file ends; EINTR is retried. -1: error. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, buf + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

static bool read_text(char *buf, size_t size, const char *fmt, va_list args)
{
	char path[VRS_SYSFS_PATH], full[VRS_SYSFS_PATH];
	int written = vsnprintf(path, sizeof path, fmt, args);
	ssize_t len;
	int fd;

	buf[0] = '\0';
	if (written < 0 || (size_t)written >= sizeof path || !vrs_sysfs_path(full, sizeof full, path))
		return false;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	len = read_all(fd, buf, size - 1);
	(void)close(fd); /* nothing was written */
	if (len < 0)
		len = 0;
	buf[len] = '\0';
	if (strlen(buf) != (size_t)len) /* a NUL inside: not a text file */
		len = 0;
	while (len > 0 && strchr(" \t\r\n", buf[len - 1]))
		len--;
	buf[len] = '\0';
	return len > 0;
}

bool vrs_sysfs_text(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	bool there;

	va_start(args, fmt);
	there = read_text(buf, size, fmt, args);
	va_end(args);
	return there;
}

bool vrs_sysfs_int(int64_t *ret, const char *fmt, ...)
{
	char text[64];
	va_list args;
	bool there;

	va_start(args, fmt);
	there = read_text(text, sizeof text, fmt, args);
	va_end(args);
	return there && vrs_parse_int(text, INT64_MIN, INT64_MAX, ret);
}

/* Copy one line's value without blanks and quotes around it. */
static bool copy_value(const char *value, char *buf, size_t size)
{
	size_t len;

	value += strspn(value, " \t");
	len = strcspn(value, "\n");
	while (len > 0 && strchr(" \t\r", value[len - 1]))
		len--;
	if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
		value++;
		len -= 2;
	}
	if (len >= size)
		len = size - 1;
	memcpy(buf, value, len);
	buf[len] = '\0';
	return len > 0;
}

bool vrs_sysfs_field(const char *text, const char *key, char *buf, size_t size)
{
	size_t key_len = strlen(key);

	buf[0] = '\0';
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *p = line + key_len;

		if (strncmp(line, key, key_len) != 0)
			continue;
		p += strspn(p, " \t");
		if (*p == ':' || *p == '=')
			return copy_value(p + 1, buf, size);
	}
	return false;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder that start with prefix, as a sorted array of strings; -1: no such folder. At most 4096 are looked at, or as memory allows. */
static int list_names(const char *folder, const char *prefix, char ***ret_names, bool *ret_complete)
{
	char full[VRS_SYSFS_PATH], **names = NULL;
	struct dirent *entry;
	int count = 0, cap = 0;
	DIR *dir = vrs_sysfs_path(full, sizeof full, folder) ? opendir(full) : NULL;

	*ret_complete = true;
	if (!dir)
		return -1;
	while (*ret_complete && count < 4096 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		if (count == cap) {
			char **more = vrs_realloc_array(names, (size_t)cap * 2 + 16, sizeof *names);

			*ret_complete = more;
			if (!more)
				break;
			names = more;
			cap = cap * 2 + 16;
		}
		names[count] = vrs_strdup(entry->d_name);
		*ret_complete = names[count];
		count += *ret_complete;
	}
	(void)closedir(dir); /* nothing was written */
	if (count > 0)
		qsort(names, (size_t)count, sizeof *names, by_version);
	*ret_names = names;
	return count;
}

int vrs_sysfs_each(const char *folder, const char *prefix, int max, void (*fn)(void *cookie, const char *path), void *cookie)
{
	char **names = NULL;
	bool is_complete;
	int count = list_names(folder, prefix, &names, &is_complete);

	for (int i = 0; i < count; i++) {
		char path[VRS_SYSFS_PATH];
		int len = snprintf(path, sizeof path, "%s/%s", folder, names[i]);

		if (i < max && len > 0 && (size_t)len < sizeof path)
			fn(cookie, path);
		vrs_free(names[i]);
	}
	vrs_free(names);
	return is_complete ? count : VRS_SYSFS_INCOMPLETE;
}

void vrs_absent_set(struct vrs_machine *machine, const char *what, const char *fmt, ...)
{
	struct vrs_absent *absent;
	va_list args;

	if (vrs_machine_absent(machine, what) || machine->absent_count >= VRS_MACHINE_MAX_ABSENT)
		return;
	absent = &machine->absent[machine->absent_count++];
	(void)vrs_strcpy(absent->what, sizeof absent->what, what);
	va_start(args, fmt);
	(void)vsnprintf(absent->reason, sizeof absent->reason, fmt, args); /* cut reasons still help */
	va_end(args);
}

void vrs_absent_clear(struct vrs_machine *machine, const char *what)
{
	for (int i = 0; i < machine->absent_count; i++) {
		if (strcmp(machine->absent[i].what, what) != 0)
			continue;
		memmove(&machine->absent[i], &machine->absent[i + 1], (size_t)(machine->absent_count - i - 1) * sizeof machine->absent[0]);
		machine->absent_count--;
		return;
	}
}
