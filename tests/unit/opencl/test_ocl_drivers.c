/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the message of a machine on which the OpenCL loader finds nothing: it names where .icd files are looked for, the driver that no .icd file
 * names wherever packages and containers put it, also beside drivers that are named, and a .icd file whose driver does not load.  Nothing of a driver
 * is loaded: the files are empty.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "opencl/ocl_drivers.h"
#include "scratch_folder.h"

static int enter(void **state)
{
	(void)state;
	(void)unsetenv("LD_LIBRARY_PATH");
	(void)unsetenv("OCL_ICD_VENDORS");
	return scratch_folder_enter("test_ocl_drivers");
}

static int leave(void **state)
{
	(void)state;
	(void)unsetenv("LD_LIBRARY_PATH");
	(void)unsetenv("OCL_ICD_VENDORS");
	return scratch_folder_remove("test_ocl_drivers");
}

static void put(const char *path, const char *text)
{
	char folder[PATH_MAX];
	FILE *file;

	vrs_path_folder(folder, path);
	assert_int_equal(vrs_mkdirs(folder, NULL), VRS_OK);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* As in a list of devices, whose reason has this size. */
static void expect(const char *root, const char *message)
{
	char reason[256];

	memset(reason, 'x', sizeof reason);
	vrs_ocl_explain_no_platform(root, reason, sizeof reason);
	assert_string_equal(reason, message);
}

static void no_driver(void **state)
{
	(void)state;
	expect("empty", "no OpenCL driver is installed: no .icd file in /etc/OpenCL/vendors names one (OCL_ICD_VENDORS names another folder)");
	(void)setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	expect("empty", "no OpenCL driver is found by OCL_ICD_VENDORS (/nonexistent), which names a folder of .icd files, one such file or a "
			"library; without it /etc/OpenCL/vendors counts");
}

static void driver_without_icd(void **state)
{
	(void)state;
	put("usual/usr/lib64/libnvidia-opencl.so.1", "");
	expect("usual", "the OpenCL driver usual/usr/lib64/libnvidia-opencl.so.1 is there, but no .icd file names it: write this path into "
			"/etc/OpenCL/vendors/nvidia.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
	put("usual/etc/OpenCL/vendors/README", "no .icd file"); /* still none */
	put("usual/etc/OpenCL/vendors/.icd", "");
	expect("usual", "the OpenCL driver usual/usr/lib64/libnvidia-opencl.so.1 is there, but no .icd file names it: write this path into "
			"/etc/OpenCL/vendors/nvidia.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
	put("linker/etc/ld.so.conf.d/amd.conf", "# of the driver\ninclude more.conf\n/srv/amd 7/ # blank ends it\n/srv/driver/lib\n");
	put("linker/srv/driver/lib/libamdocl64.so", "");
	expect("linker", "the OpenCL driver linker/srv/driver/lib/libamdocl64.so is there, but no .icd file names it: write this path into "
			 "/etc/OpenCL/vendors/amdocl64.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
	put("own/libRusticlOpenCL.so.1", "");
	(void)setenv("LD_LIBRARY_PATH", "/nonexistent::own", 1);
	expect("usual", "the OpenCL driver own/libRusticlOpenCL.so.1 is there, but no .icd file names it: write this path into "
			"/etc/OpenCL/vendors/rusticl.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
}

static void icd_without_driver(void **state)
{
	(void)state;
	put("one/etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1\n");
	put("one/usr/lib64/libnvidia-opencl.so.1", "");
	expect("one", "no OpenCL driver works: 1 .icd file in one/etc/OpenCL/vendors (nvidia.icd), and no driver that they name can be loaded");
	put("one/etc/OpenCL/vendors/intel.icd", "libigdrcl.so\n");
	expect("one", "no OpenCL driver works: 2 .icd files in one/etc/OpenCL/vendors (intel.icd, ...), and no driver that they name can be loaded");
	(void)setenv("OCL_ICD_VENDORS", "one/etc/OpenCL/vendors", 1);
	expect("", "no OpenCL driver works: 2 .icd files in one/etc/OpenCL/vendors (intel.icd, ...), and no driver that they name can be loaded");
}

/* A file that the variable names by itself, as in a folder. */
static void named_icd_without_driver(void **state)
{
	(void)state;
	put("one/broken.icd", "/nonexistent/lib.so\n");
	(void)setenv("OCL_ICD_VENDORS", "one/broken.icd", 1);
	expect("", "no OpenCL driver works: the driver that the file one/broken.icd names cannot be loaded");
	(void)setenv("OCL_ICD_VENDORS", "one/missing.icd", 1);
	expect("", "no OpenCL driver is found by OCL_ICD_VENDORS (one/missing.icd), which names a folder of .icd files, one such file or a "
		   "library; without it /etc/OpenCL/vendors counts");
}

/* A container with PoCL that gets a GPU: its driver is there, and the files name another one. */
static void gpu_driver_beside_others(void **state)
{
	char reason[256] = "";

	(void)state;
	put("pocl/etc/OpenCL/vendors/pocl.icd", "/usr/lib/x86_64-linux-gnu/libpocl.so.2\n");
	put("pocl/usr/lib/libpocl.so.2", "");
	put("pocl/usr/lib/libMesaOpenCL.so.1", ""); /* Mesa's comes with desktops that have no GPU for it */
	assert_false(vrs_ocl_explain_unnamed_driver("pocl", reason, sizeof reason));
	put("pocl/usr/local/nvidia/lib64/libnvidia-opencl.so.1", "");
	assert_true(vrs_ocl_explain_unnamed_driver("pocl", reason, sizeof reason));
	assert_string_equal(reason, "the OpenCL driver pocl/usr/local/nvidia/lib64/libnvidia-opencl.so.1 is there, but no .icd file names it: write this "
				    "path into /etc/OpenCL/vendors/nvidia.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
	put("pocl/etc/OpenCL/vendors/gpu.icd", "# ours\nlibnvidia-opencl.so.580.1\n"); /* it is named, and has no GPU */
	assert_false(vrs_ocl_explain_unnamed_driver("pocl", reason, sizeof reason));
	assert_int_equal(remove("pocl/etc/OpenCL/vendors/gpu.icd"), 0);
	(void)setenv("OCL_ICD_VENDORS", "pocl/etc/OpenCL/vendors", 1);
	assert_false(vrs_ocl_explain_unnamed_driver("pocl", reason, sizeof reason));
}

/* The rest of a line that is too long is no line, and nobody waits for the writer of a pipe. */
static void linker_files_of_others(void **state)
{
	char text[PATH_MAX + 40];

	(void)state;
	memset(text, 'x', sizeof text);
	text[0] = '#';
	(void)snprintf(text + PATH_MAX - 1, sizeof text - PATH_MAX + 1, "/srv/driver/lib\n");
	put("others/etc/ld.so.conf.d/a.conf", text);
	assert_int_equal(mkfifo("others/etc/ld.so.conf.d/b.conf", 0600), 0);
	put("others/srv/driver/lib/libpocl.so.2", "");
	expect("others", "no OpenCL driver is installed: no .icd file in /etc/OpenCL/vendors names one (OCL_ICD_VENDORS names another folder)");
	put("others/etc/ld.so.conf.d/c.conf", strchr(text, '/'));
	expect("others", "the OpenCL driver others/srv/driver/lib/libpocl.so.2 is there, but no .icd file names it: write this path into "
			 "/etc/OpenCL/vendors/pocl.icd, or into a .icd file in a folder that OCL_ICD_VENDORS names");
}

/* Names and paths of any length fit, cut. */
static void long_names(void **state)
{
	char path[900], reason[256], name[240];

	(void)state;
	memset(name, 'n', sizeof name);
	memcpy(name + sizeof name - 5, ".icd", 5);
	(void)snprintf(path, sizeof path, "long/etc/OpenCL/vendors/%s", name);
	put(path, "");
	vrs_ocl_explain_no_platform("long", reason, sizeof reason);
	assert_non_null(strstr(reason, "no OpenCL driver works: 1 .icd file in long/etc/OpenCL/vendors (nnn"));
	assert_non_null(strstr(reason, "nnn), and no driver"));
	memset(path, '/', sizeof path);
	path[sizeof path - 1] = '\0';
	(void)setenv("LD_LIBRARY_PATH", path, 1);
	vrs_ocl_explain_no_platform("empty", reason, sizeof reason);
	assert_int_equal(strncmp(reason, "no OpenCL driver is installed", 29), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_driver, enter, leave), cmocka_unit_test_setup_teardown(driver_without_icd, enter, leave),
		cmocka_unit_test_setup_teardown(icd_without_driver, enter, leave), cmocka_unit_test_setup_teardown(long_names, enter, leave),
		cmocka_unit_test_setup_teardown(linker_files_of_others, enter, leave),
		cmocka_unit_test_setup_teardown(gpu_driver_beside_others, enter, leave),
		cmocka_unit_test_setup_teardown(named_icd_without_driver, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
