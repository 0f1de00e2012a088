/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folders of OpenCL drivers and of the linker as packages, containers or strangers leave them: a line "@PATH" begins a file, and the lines of
 * "@variables" are LD_LIBRARY_PATH and OCL_ICD_VENDORS.  No input harms; the message counts the .icd files that are there, names one of them,
 * and names a driver only where one lies.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/ocl_drivers.h"
#include "scratch_tree.h"

#define DRIVER_WORKS_NOT "no OpenCL driver works: "
#define DRIVER_IS_THERE "the OpenCL driver "

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct scratch_alias variables = {"variables", "variables"};

static void set_variable(const char *name, char *value, size_t length)
{
	value[length] = '\0';
	require(length > 0 ? setenv(name, value, 1) == 0 : unsetenv(name) == 0);
}

static void set_variables(void)
{
	char path[256], text[2001] = "";
	FILE *in = fopen(scratch_path(path, sizeof path, variables.place), "rb");
	size_t length = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0, first;

	if (in != NULL)
		fclose(in);
	text[length] = '\0';
	first = strcspn(text, "\n");
	char *second = text + first + (text[first] == '\n');

	set_variable("OCL_ICD_VENDORS", second, strcspn(second, "\n"));
	set_variable("LD_LIBRARY_PATH", text, first);
}

/* The names of the .icd files, each with a blank before and behind it. */
static int list_icd(const char *folder, char *names, size_t size)
{
	DIR *dir = opendir(folder);
	size_t used = 1;
	int count = 0;

	(void)snprintf(names, size, " ");
	for (const struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
		size_t length = strlen(entry->d_name);

		if (length <= 4 || strcmp(entry->d_name + length - 4, ".icd") != 0)
			continue;
		count++;
		used += (size_t)snprintf(names + used, size - used, "%s ", entry->d_name);
		require(used < size);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* "... in FOLDER (FIRST, ...), and no driver": as much of FIRST as is there begins the name of a file. */
static void check_icd(const char *text, int count, const char *names)
{
	static char want[48], name[128];
	const char *at = strstr(text, " ("), *end = at != NULL ? strstr(at, count == 1 ? "), and no" : ", ...), and no") : NULL;

	(void)snprintf(want, sizeof want, DRIVER_WORKS_NOT "%d .icd file", count);
	require(strncmp(text, want, strlen(want)) == 0);
	if (end != NULL) {
		(void)snprintf(name, sizeof name, " %.*s", (int)(end - at - 2), at + 2);
		require(strstr(names, name) != NULL);
	}
}

/* "the OpenCL driver PATH is there, ..." */
static void check_driver(const char *text)
{
	const char *path = text + strlen(DRIVER_IS_THERE), *end = strstr(path, " is there, but no .icd file names it");
	char copy[100];

	require(end != NULL && end - path <= 90);
	if (end - path == 90)
		return; /* cut */
	(void)snprintf(copy, sizeof copy, "%.*s", (int)(end - path), path);
	require(vrs_path_exists(copy) && strncmp(vrs_path_base(copy), "lib", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char names[SCRATCH_MAX_FILES * 210];
	char root[256], vendors[300], text[512];

	scratch_tree_begin();
	scratch_put_files(&variables, (const char *)data, size);
	set_variables();
	scratch_path(root, sizeof root, SCRATCH_ROOT);
	(void)snprintf(vendors, sizeof vendors, "%s/etc/OpenCL/vendors", root);
	const char *variable = getenv("OCL_ICD_VENDORS");

	memset(text, 'x', sizeof text);
	vrs_ocl_explain_no_platform(root, text, sizeof text);
	require(memchr(text, '\0', sizeof text) != NULL);
	if (variable == NULL) {
		int count = list_icd(vendors, names, sizeof names);

		require((strncmp(text, DRIVER_WORKS_NOT, strlen(DRIVER_WORKS_NOT)) == 0) == (count > 0));
		if (count > 0)
			check_icd(text, count, names);
	}
	if (strncmp(text, DRIVER_IS_THERE, strlen(DRIVER_IS_THERE)) == 0)
		check_driver(text);
	memset(text, 'x', sizeof text);
	if (vrs_ocl_explain_unnamed_driver(root, text, sizeof text)) {
		require(variable == NULL && memchr(text, '\0', sizeof text) != NULL && strncmp(text, DRIVER_IS_THERE, strlen(DRIVER_IS_THERE)) == 0);
		check_driver(text);
	}
	scratch_tree_check();
	return 0;
}
