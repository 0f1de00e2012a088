/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths: joining, folders, and where data files and caches of this program lie (XDG Base Directory Specification). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str_parse.h"

bool vrs_path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

enum vrs_status vrs_path_look(const char *path, struct stat *ret_st, bool *ret_found, struct vrs_error *err)
{
	*ret_found = stat(path, ret_st) == 0;
	if (*ret_found || errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG)
		return VRS_OK; /* what this user cannot reach is not there */
	return vrs_fail(err, errno == ENOMEM ? VRS_ENOMEM : VRS_EIO, "cannot look at %s: %s", path, strerror(errno));
}

bool vrs_path_may_read(const char *path)
{
	return access(path, R_OK) == 0 || errno != EACCES;
}

enum vrs_status vrs_path_find(const char *path, bool *ret_found, struct vrs_error *err)
{
	struct stat st;

	return vrs_path_look(path, &st, ret_found, err);
}

bool vrs_path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum vrs_status vrs_path_join(char *buf, size_t size, const char *a, const char *b)
{
	size_t len = strlen(a);
	const char *slash = len > 0 && a[len - 1] != '/' ? "/" : "";
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof joined, "%s%s%s", a, slash, b);

	if (n < 0 || (size_t)n >= sizeof joined || (size_t)n >= size)
		return VRS_ELIMIT;
	memcpy(buf, joined, (size_t)n + 1);
	return VRS_OK;
}

const char *vrs_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *vrs_path_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (strncmp(path, folder, length) != 0)
		return NULL;
	if (length > 0 && folder[length - 1] == '/') /* the root */
		return path + length;
	return path[length] == '/' ? path + length + 1 : NULL;
}

bool vrs_path_real(const char *path, char ret_real[PATH_MAX])
{
	char there[PATH_MAX], real[PATH_MAX];
	size_t length = strlen(path);

	if (!vrs_strcpy(there, sizeof there, path))
		return false;
	while (!realpath(length > 0 ? there : ".", real)) {
		if (length == 0)
			return false; /* the program's folder is gone */
		while (length > 0 && there[length - 1] == '/')
			length--;
		while (length > 0 && there[length - 1] != '/')
			length--;
		there[length] = '\0';
	}
	const char *rest = path + length;

	return (rest[0] ? vrs_path_join(ret_real, PATH_MAX, real, rest) : vrs_strcpy(ret_real, PATH_MAX, real) ? VRS_OK : VRS_ELIMIT) == VRS_OK;
}

enum vrs_status vrs_mkdirs(const char *path, struct vrs_error *err)
{
	char part[PATH_MAX];

	if (!vrs_strcpy(part, sizeof part, path))
		return vrs_fail(err, VRS_ELIMIT, "the path %.80s... is too long", path);
	for (char *c = part + (part[0] == '/'); part[0]; c++) {
		char kept = *c;

		if (kept != '/' && kept != '\0')
			continue;
		*c = '\0';
		int error = mkdir(part, 0777) < 0 ? errno : 0; /* looking whether it is there sets another */
		if (error && !vrs_path_is_dir(part))
			return vrs_fail(err, vrs_file_write_status(error), "cannot make the folder %s: %s", part, strerror(error));
		*c = kept;
		if (kept == '\0')
			break;
	}
	return VRS_OK;
}

enum vrs_status vrs_mkdir_own(const char *path, struct vrs_error *err)
{
	struct stat st;

	if (mkdir(path, 0777) == 0 || (errno == EEXIST && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return VRS_OK;
	if (errno == EEXIST)
		return vrs_fail(err, VRS_EIO, "%s is not a folder but a link or file: remove it", path);
	return vrs_fail(err, vrs_file_write_status(errno), "cannot make the folder %s: %s", path, strerror(errno));
}

enum vrs_status vrs_mkdirs_below(const char *root, const char *path, struct vrs_error *err)
{
	char part[PATH_MAX];
	const char *tail = vrs_path_below(path, root);
	enum vrs_status status = vrs_mkdirs(root, err);

	if (status != VRS_OK)
		return status;
	if (!tail || !vrs_strcpy(part, sizeof part, path))
		return vrs_fail(err, tail ? VRS_ELIMIT : VRS_EINVAL, "the path %.80s... is too long, or not below %.80s", path, root);
	for (char *c = part + (tail - path); status == VRS_OK && *c;) {
		c += strspn(c, "/");
		char *end = c + strcspn(c, "/"), kept = *end;

		*end = '\0';
		if (end > c)
			status = vrs_mkdir_own(part, err);
		*end = kept;
		c = end;
	}
	return status;
}

enum vrs_status vrs_program_dir(char *ret_path, size_t size)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

	if (len <= 0)
		return VRS_EIO;
	path[len] = '\0';
	char *slash = strrchr(path, '/');

	if (!slash)
		return VRS_EIO;
	slash[slash == path] = '\0';
	return vrs_strcpy(ret_path, size, path) ? VRS_OK : VRS_ELIMIT;
}

/* "vrseg" below the folder that a variable names where it is absolute, else `home_tail` below the home folder. VRS_ENOTFOUND: neither; VRS_ELIMIT. */
static enum vrs_status xdg_dir(const char *variable, const char *home_tail, char *ret_path, size_t size)
{
	const char *own = getenv(variable), *home = getenv("HOME");

	/* The specification says: relative values are invalid and ignored. */
	if (own && own[0] == '/')
		return vrs_path_join(ret_path, size, own, "vrseg");
	return home && home[0] == '/' ? vrs_path_join(ret_path, size, home, home_tail) : VRS_ENOTFOUND;
}

/* Candidate folders in order, as text "base/tail"; false behind the last one. *io_status: whether the program lies in a build cannot be told now. */
static bool candidate(int i, const char *program, char *ret_path, size_t size, enum vrs_status *io_status, struct vrs_error *err)
{
	static const char *const clone_tails[] = {"../../../configs", "../../share/vrseg"};
	char path[PATH_MAX];

	ret_path[0] = '\0'; /* stays so where a path is too long */
	if (i < 2) {
		bool is_build = false;

		/* Only in a build folder: an installed program must not look three folders up. */
		if (program[0] && vrs_path_join(path, sizeof path, program, "../CMakeCache.txt") == VRS_OK)
			*io_status = vrs_path_find(path, &is_build, err);
		if (is_build)
			(void)vrs_path_join(ret_path, size, program, clone_tails[i]);
		return true;
	}
	if (i == 2 && program[0])
		(void)vrs_path_join(ret_path, size, program, "../share/vrseg");
	else if (i == 3)
		(void)xdg_dir("XDG_DATA_HOME", ".local/share/vrseg", ret_path, size);
	if (i < 4)
		return true;
	const char *dirs = getenv("XDG_DATA_DIRS");

	if (!dirs || !dirs[0])
		dirs = "/usr/local/share:/usr/share";
	for (int skip = i - 4; skip > 0; skip--) {
		dirs = strchr(dirs, ':');
		if (!dirs)
			return false;
		dirs++;
	}
	if (dirs[0] == '/' && strcspn(dirs, ":") < sizeof path) {
		snprintf(path, sizeof path, "%.*s", (int)strcspn(dirs, ":"), dirs);
		(void)vrs_path_join(ret_path, size, path, "vrseg");
	}
	return true;
}

/* The i-th data folder that exists; *ret_found false when there are no more. Statuses of vrs_path_find. */
static enum vrs_status data_dir(int i, char *ret_path, size_t size, bool *ret_found, struct vrs_error *err)
{
	char program[PATH_MAX] = "", path[PATH_MAX], real[PATH_MAX];
	enum vrs_status status = VRS_OK;
	struct stat st;
	bool found;

	*ret_found = false;
	if (vrs_program_dir(program, sizeof program) != VRS_OK)
		program[0] = '\0';
	for (int k = 0; candidate(k, program, path, sizeof path, &status, err) && status == VRS_OK; k++) {
		if (path[0])
			status = vrs_path_look(path, &st, &found, err);
		if (status != VRS_OK || !path[0] || !found || !S_ISDIR(st.st_mode) || i-- > 0)
			continue;
		/* "a/b/../../c" is fine for the system but reads badly in messages */
		*ret_found = vrs_strcpy(ret_path, size, realpath(path, real) ? real : path);
		return VRS_OK;
	}
	return status;
}

bool vrs_data_dir(int i, char *ret_path, size_t size)
{
	bool found;

	return data_dir(i, ret_path, size, &found, NULL) == VRS_OK && found;
}

/* Names come from configuration files: they stay inside the data folders. */
static bool is_inside_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && name[0] != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 && !strstr(name, "/../") &&
	       !(len >= 3 && strcmp(name + len - 3, "/..") == 0);
}

enum vrs_status vrs_data_file(const char *name, char *ret_path, size_t size, struct vrs_error *err)
{
	char dir[PATH_MAX], path[PATH_MAX], searched[384] = "";
	bool more, found = false;
	enum vrs_status status = VRS_OK; /* a folder, or a file in it, that cannot be looked at now: a later one may hold another */

	if (!is_inside_name(name))
		return vrs_fail(err, VRS_ENOTFOUND, "'%s' is not the name of a data file", name);
	for (int i = 0; (status = data_dir(i, dir, sizeof dir, &more, err)) == VRS_OK && more; i++) {
		size_t used = strlen(searched);

		if (vrs_path_join(path, sizeof path, dir, name) == VRS_OK)
			status = vrs_path_find(path, &found, err);
		if (status != VRS_OK)
			return status;
		if (found) {
			if (vrs_strcpy(ret_path, size, path))
				return VRS_OK;
			return vrs_fail(err, VRS_ELIMIT, "the path of %s is too long", name);
		}
		if (used && vrs_strcpy(searched + used, sizeof searched - used, ", "))
			used += 2;
		vrs_strcpy(searched + used, sizeof searched - used, dir);
	}
	if (status != VRS_OK)
		return status;
	return vrs_fail(err, VRS_ENOTFOUND, "cannot find %s in the data folders (%s)", name, searched[0] ? searched : "there are none");
}

/* Folder of one kind of own files. */
static enum vrs_status own_dir(const char *variable, const char *home_tail, const char *what, char *ret_path, size_t size, struct vrs_error *err)
{
	enum vrs_status status = xdg_dir(variable, home_tail, ret_path, size);

	if (status == VRS_ENOTFOUND)
		return vrs_fail(err, VRS_ENOTFOUND, "there is no %s folder: set HOME or %s to an absolute path", what, variable);
	if (status != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the %s folder is too long", what);
	return VRS_OK;
}

enum vrs_status vrs_cache_path(char *ret_path, size_t size, struct vrs_error *err)
{
	return own_dir("XDG_CACHE_HOME", ".cache/vrseg", "cache", ret_path, size, err);
}

enum vrs_status vrs_cache_dir(char *ret_path, size_t size, struct vrs_error *err)
{
	enum vrs_status status = vrs_cache_path(ret_path, size, err);

	return status == VRS_OK ? vrs_mkdirs(ret_path, err) : status;
}

enum vrs_status vrs_state_dir(char *ret_path, size_t size, struct vrs_error *err)
{
	return own_dir("XDG_STATE_HOME", ".local/state/vrseg", "state", ret_path, size, err);
}

bool vrs_sequence_pattern(const char *name, char *pattern, size_t size)
{
	bool numbered = strchr(name, '%') != NULL;
	size_t length = 0;

	if (!strpbrk(name, "%*?["))
		return false;
	for (; *name && length + sizeof "[0-9]*" < size; name++) {
		if (numbered && *name == '%' && name[1 + strspn(name + 1, "0123456789")] == 'd') {
			name += 1 + strspn(name + 1, "0123456789");
			length += (size_t)snprintf(pattern + length, size - length, "[0-9]*");
			continue;
		}
		if (numbered && strchr("*?[\\", *name))
			pattern[length++] = '\\';
		pattern[length++] = *name;
	}
	pattern[length] = '\0';
	return !*name;
}

void vrs_sequence_folder(char folder[PATH_MAX], const char *name)
{
	char start[PATH_MAX];

	(void)snprintf(start, sizeof start, "%.*s", (int)strcspn(name, strchr(name, '%') ? "%" : "*?[\\"), name);
	vrs_path_folder(folder, start);
}
