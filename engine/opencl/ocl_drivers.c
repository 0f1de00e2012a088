/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_drivers.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define VENDORS "/etc/OpenCL/vendors"
#define ICD_END ".icd"
#define LD_FOLDERS "/etc/ld.so.conf.d"

/* Libraries of drivers, and the .icd file that their packages install; those of GPU makers stand first. */
static const struct driver {
	const char *library, *icd;
} drivers[] = {
	{"libnvidia-opencl.so.1", "nvidia.icd"}, {"libamdocl64.so", "amdocl64.icd"},          {"libigdrcl.so", "intel.icd"},
	{"libMesaOpenCL.so.1", "mesa.icd"},      {"libRusticlOpenCL.so.1", "rusticl.icd"},    {"libpocl.so.2", "pocl.icd"},
};

#define DRIVERS (sizeof drivers / sizeof drivers[0])
#define MAKERS_DRIVERS 3

/* Where packages and containers put them, also outside of the linker's own folders. */
static const char *const folders[] = {
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/intel-opencl", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib64",
	"/usr/lib64/intel-opencl", "/usr/lib", "/usr/lib/wsl/lib", "/usr/local/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
};

struct found {
	bool left_out[DRIVERS];      /* not to be looked for */
	char path[PATH_MAX];
	const struct driver *driver; /* NULL: none yet */
};

/* Does the folder (its first `len` characters) hold a driver?  A path that is too long is none. */
static bool look_into(const char *root, const char *folder, size_t len, struct found *found)
{
	for (size_t i = 0; len > 0 && !found->driver && i < DRIVERS; i++) {
		if (found->left_out[i])
			continue;
		int n = snprintf(found->path, sizeof found->path, "%s%.*s/%s", root, (int)len, folder, drivers[i].library);

		if (n > 0 && (size_t)n < sizeof found->path && vrs_path_exists(found->path))
			found->driver = &drivers[i];
	}
	return found->driver != NULL;
}

/* Lines of one file of ld.so.conf.d; comments and include lines are no folders, nor is the rest of a line that is too long. */
static void look_by_file(const char *root, const char *path, struct found *found)
{
	char line[PATH_MAX];
	FILE *file;
	bool begins = true;

	if (vrs_file_open_stream(path, &file, NULL) != VRS_OK)
		return;
	while (!found->driver && fgets(line, sizeof line, file)) {
		if (begins && line[0] == '/')
			(void)look_into(root, line, strcspn(line, " \t\r\n#"), found);
		begins = strlen(line) + 1 < sizeof line || line[sizeof line - 2] == '\n';
	}
	(void)fclose(file);
}

/* Tells `see` the path of each file in a folder whose name has this end; returns how many there are. */
static int each_file(const char *folder, const char *end, void (*see)(const char *path, void *cookie), void *cookie)
{
	DIR *dir = opendir(folder);
	int count = 0;

	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		size_t len = strlen(entry->d_name), tail = strlen(end);
		char path[PATH_MAX];

		if (len <= tail || strcmp(entry->d_name + len - tail, end) != 0 || vrs_path_join(path, sizeof path, folder, entry->d_name) != VRS_OK)
			continue;
		count++;
		see(path, cookie);
	}
	if (dir)
		(void)closedir(dir);
	return count;
}

struct search {
	const char *root;
	struct found *found;
};

static void see_linker_file(const char *path, void *cookie)
{
	const struct search *search = cookie;

	look_by_file(search->root, path, search->found);
}

static bool find_driver(const char *root, struct found *found)
{
	struct search search = {.root = root, .found = found};
	const char *path = getenv("LD_LIBRARY_PATH");
	char linker[PATH_MAX];

	found->driver = NULL;
	for (const char *p = path; p && *p; p += *p == ':') {
		(void)look_into("", p, strcspn(p, ":"), found);
		p += strcspn(p, ":");
	}
	for (size_t i = 0; !found->driver && i < sizeof folders / sizeof folders[0]; i++)
		(void)look_into(root, folders[i], strlen(folders[i]), found);
	(void)snprintf(linker, sizeof linker, "%s%s", root, LD_FOLDERS);
	if (!found->driver)
		(void)each_file(linker, ".conf", see_linker_file, &search);
	return found->driver != NULL;
}

static bool is_icd_file(const char *path)
{
	size_t len = strlen(path), tail = strlen(ICD_END);

	return len > tail && strcmp(path + len - tail, ICD_END) == 0 && vrs_path_exists(path) && !vrs_path_is_dir(path);
}

/* The alphabetically first .icd file stands for all: the order of a folder is no order. */
static void see_icd(const char *path, void *cookie)
{
	char *first = cookie;
	const char *name = strrchr(path, '/') + 1;

	if (!first[0] || strcmp(name, first) < 0)
		(void)snprintf(first, NAME_MAX + 1, "%s", name);
}

static void explain_unnamed(const struct found *found, char *buf, size_t size)
{
	(void)snprintf(buf, size, "the OpenCL driver %.90s is there, but no .icd file names it: write this path into %s/%s, or into a .icd file in a "
		       "folder that OCL_ICD_VENDORS names", found->path, VENDORS, found->driver->icd);
}

/* Leaves out the drivers that a .icd file names, with a folder or without, of whatever version. */
static void leave_out_named(const char *path, void *cookie)
{
	struct found *found = cookie;
	char line[PATH_MAX];
	FILE *file;

	if (vrs_file_open_stream(path, &file, NULL) != VRS_OK)
		return;
	while (fgets(line, sizeof line, file))
		for (size_t i = 0; i < DRIVERS; i++) {
			char stem[64];

			(void)snprintf(stem, sizeof stem, "%.*s", (int)strcspn(drivers[i].library, "."), drivers[i].library);
			found->left_out[i] = found->left_out[i] || strstr(line, stem) != NULL;
		}
	(void)fclose(file);
}

bool vrs_ocl_explain_unnamed_driver(const char *root, char *buf, size_t size)
{
	const char *variable = getenv("OCL_ICD_VENDORS");
	char vendors[PATH_MAX];
	struct found found = {0};

	if (variable && variable[0]) /* who set it has chosen the drivers */
		return false;
	for (size_t i = MAKERS_DRIVERS; i < DRIVERS; i++)
		found.left_out[i] = true;
	(void)snprintf(vendors, sizeof vendors, "%s%s", root, VENDORS);
	(void)each_file(vendors, ICD_END, leave_out_named, &found);
	if (!find_driver(root, &found))
		return false;
	explain_unnamed(&found, buf, size);
	return true;
}

void vrs_ocl_explain_no_platform(const char *root, char *buf, size_t size)
{
	const char *variable = getenv("OCL_ICD_VENDORS");
	char vendors[PATH_MAX], first[NAME_MAX + 1] = "";
	struct found found = {0};
	int count;

	if (variable && variable[0])
		(void)snprintf(vendors, sizeof vendors, "%s", variable);
	else
		(void)snprintf(vendors, sizeof vendors, "%s%s", root, VENDORS);
	count = each_file(vendors, ICD_END, see_icd, first);
	if (count > 0)
		(void)snprintf(buf, size, "no OpenCL driver works: %d .icd file%s in %.80s (%.60s%s), and no driver that they name can be loaded", count,
			       count == 1 ? "" : "s", vendors, first, count == 1 ? "" : ", ...");
	else if (is_icd_file(vendors))
		(void)snprintf(buf, size, "no OpenCL driver works: the driver that the file %.120s names cannot be loaded", vendors);
	else if (variable && variable[0]) /* whoever set it looks elsewhere on purpose: other drivers are not what is missing */
		(void)snprintf(buf, size, "no OpenCL driver is found by OCL_ICD_VENDORS (%.80s), which names a folder of .icd files, one such file or a "
			       "library; without it " VENDORS " counts", vendors);
	else if (find_driver(root, &found))
		explain_unnamed(&found, buf, size);
	else
		(void)snprintf(buf, size, "no OpenCL driver is installed: no .icd file in " VENDORS " names one (OCL_ICD_VENDORS names another folder)");
}
