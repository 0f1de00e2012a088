/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the listing of devices against drivers that fail: whichever call it is, the device is listed as it is or left out with a reason, never with
 * half of its figures, and nothing is left.  Several devices, none, GPUs with an address, drivers that hang or crash.  Sessions list devices once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "opencl/cl_child.h"
#include "opencl/ocl_context.h"
#include "opencl/ocl_device.h"
#include "scratch_folder.h"

#define NAME "test_ocl_listing"
#define RESULT_FILE "list"
#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct vrs_ocl_list list, whole;

/* In the child: lists, and leaves the list in a file. */
static int list_here(void)
{
	FILE *file = fopen(RESULT_FILE, "w");

	vrs_ocl_list(&list);
	return !file || fwrite(&list, sizeof list, 1, file) != 1 || fclose(file) != 0;
}

static int list_isolated(void)
{
	FILE *file = fopen(RESULT_FILE, "w");

	vrs_ocl_list_isolated(vrs_ocl_list, 2, &list);
	return !file || fwrite(&list, sizeof list, 1, file) != 1 || fclose(file) != 0;
}

static void list_with(int (*function)(void), const char *const *variables)
{
	FILE *file;

	assert_int_equal(cl_child(function, variables, CL_CHILD_SECONDS, 1), 0);
	file = fopen(RESULT_FILE, "r");
	assert_non_null(file);
	assert_int_equal(fread(&list, sizeof list, 1, file), 1);
	(void)fclose(file);
}

/* Every device of the list is one of the whole listing, with all of its figures. */
static void expect_whole_devices(const char *fault)
{
	for (int i = 0; i < list.count; i++) {
		bool found = false;

		for (int k = 0; k < whole.count; k++)
			found = found || memcmp(&list.devices[i], &whole.devices[k], sizeof list.devices[i]) == 0;
		if (!found)
			fail_msg("%s: device %d is not whole", fault, i);
	}
}

/* Returns how often the listing lost a device. */
static int each_call(const char *devices)
{
	char fault[64];
	int losses = 0;

	list_with(list_here, WITH(devices));
	whole = list;
	for (int n = 1; n < 200; n++) {
		(void)snprintf(fault, sizeof fault, "VRS_CL_FAULT=*:%d", n);
		list_with(list_here, WITH(fault, devices));
		assert_int_equal(cl_untidy(), 0);
		expect_whole_devices(fault);
		if ((list.count == 0) != (list.reason[0] != '\0'))
			fail_msg("%s: %d devices with the reason \"%s\"", fault, list.count, list.reason);
		if (list.count < whole.count)
			losses++;
		if (cl_counted("fault", "fired") == 0)
			return losses;
	}
	fail_msg("the fault arrives without end");
	return 0;
}

static void one_device(void **state)
{
	(void)state;
	/* The platforms, the name of the one, its devices, and twenty-one figures of the device. */
	assert_int_equal(each_call("POCL_DEVICES=basic"), 24);
	assert_int_equal(whole.count, 1);
}

static void two_devices(void **state)
{
	(void)state;
	assert_int_equal(each_call("POCL_DEVICES=pthread basic"), 45);
	assert_int_equal(whole.count, 2);
	assert_string_not_equal(whole.devices[0].name, whole.devices[1].name);
}

static void reasons(void **state)
{
	(void)state;
	list_with(list_here, WITH("VRS_CL_FAULT=clGetPlatformIDs:1:-6"));
	assert_non_null(strstr(list.reason, "error -6"));
	list_with(list_here, WITH("VRS_CL_FAULT=clGetDeviceIDs:1"));
	assert_non_null(strstr(list.reason, "Portable Computing Language"));
	assert_non_null(strstr(list.reason, "lists no device (error -1)"));
	list_with(list_here, WITH("VRS_CL_FAULT=clGetDeviceInfo:3:-5"));
	assert_non_null(strstr(list.reason, "device 0 of the OpenCL platform \"Portable Computing Language\" does not say what it is (error -5)"));
	list_with(list_here, WITH("OCL_ICD_VENDORS=" VRS_TEST_DIR "/opencl")); /* a folder without .icd files */
	assert_int_equal(list.count, 0);
	assert_non_null(strstr(list.reason, "OCL_ICD_VENDORS"));
}

static void gpus(void **state)
{
	(void)state;
	list_with(list_here, WITH("VRS_CL_TYPE=gpu", "VRS_CL_NAME=Big GPU", "VRS_CL_PCI_BUS=65", "VRS_CL_GLOBAL=1000000", "VRS_CL_MAX_ALLOC=4096",
				  "VRS_CL_EXTENSIONS=cl_khr_fp16x cl_khr_fp16", "POCL_DEVICES=pthread basic"));
	assert_int_equal(list.count, 2);
	assert_true(list.devices[0].is_gpu && !list.devices[0].is_cpu && list.devices[0].has_fp16);
	assert_string_equal(list.devices[0].name, "Big GPU");
	assert_string_equal(list.devices[0].address, "0000:41:00.0");
	assert_string_equal(list.devices[1].address, "0000:42:00.0");
	assert_int_equal(list.devices[0].global_bytes, 1000000);
	assert_int_equal(list.devices[0].max_alloc_bytes, 4096);
	list_with(list_here, WITH("VRS_CL_EXTENSIONS=cl_khr_fp16x acl_khr_fp16"));
	assert_int_equal(list.count, 1);
	assert_false(list.devices[0].has_fp16);
}

/* Intel's drivers, and Mesa's, know cl_khr_pci_bus_info and no query of their own; one that lists it and fails to answer has no address. */
static void address_by_extension(void **state)
{
	(void)state;
	list_with(list_here, WITH("VRS_CL_TYPE=gpu", "VRS_CL_PCI_BUS=3", "VRS_CL_EXTENSIONS=cl_khr_fp16 cl_khr_pci_bus_info", "POCL_DEVICES=pthread basic"));
	assert_int_equal(list.count, 2);
	assert_string_equal(list.devices[0].address, "0000:03:00.0");
	assert_string_equal(list.devices[1].address, "0000:04:00.0");
	list_with(list_here, WITH("VRS_CL_TYPE=gpu", "VRS_CL_EXTENSIONS=cl_khr_pci_bus_info"));
	assert_int_equal(list.count, 1);
	assert_string_equal(list.devices[0].address, "");
	assert_int_equal(list.devices[0].numa_node, -1);
}

static void isolated(void **state)
{
	(void)state;
	list_with(list_isolated, WITH("VRS_CL_FAULT=clGetDeviceInfo:2:hang"));
	assert_int_equal(list.count, 0);
	assert_non_null(strstr(list.reason, "did not answer"));
	list_with(list_isolated, WITH("VRS_CL_FAULT=clGetDeviceIDs:1:crash"));
	assert_int_equal(list.count, 0);
	assert_non_null(strstr(list.reason, "crashed"));
	assert_int_equal(cl_counted("calls", "clGetDeviceIDs"), 1); /* of the child of the child */
}

static int open_twice(void)
{
	struct vrs_ocl_context *first = NULL, *second = NULL;
	struct vrs_error err = {0};
	bool failed = vrs_ocl_context_open(&first, "", false, &err) != VRS_OK;

	if (vrs_ocl_context_open(&second, "0", false, &err) != VRS_OK)
		return 2;
	bool joined = first == second;

	vrs_ocl_context_close(first);
	vrs_ocl_context_close(second);
	return failed ? 3 : !joined;
}

/* The second of two sessions asks no driver for its devices again, unless the first one found none. */
static void listed_once(void **state)
{
	(void)state;
	assert_int_equal(cl_child(open_twice, WITH("POCL_DEVICES=basic"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("calls", "clGetPlatformInfo"), 1);
	assert_int_equal(cl_untidy(), 0);
	assert_int_equal(cl_child(open_twice, WITH("POCL_DEVICES=basic", "VRS_CL_FAULT=clGetDeviceIDs:1"), CL_CHILD_SECONDS, 1), 3);
	assert_int_equal(cl_counted("calls", "clGetPlatformInfo"), 2);
	assert_int_equal(cl_untidy(), 0);
}

static int forks;

static void count_fork(void)
{
	forks++;
}

static int probe_around_use(void)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_error err = {0};

	if (pthread_atfork(count_fork, NULL, NULL) != 0 || vrs_machine_probe_opencl("0", &err) != VRS_OK || forks != 1)
		return 2;
	if (vrs_ocl_context_open(&context, "0", false, &err) != VRS_OK)
		return 3;
	vrs_ocl_context_close(context);
	if (vrs_machine_probe_opencl("0", &err) != VRS_OK || vrs_machine_probe_opencl("7", &err) != VRS_ENOTFOUND)
		return 4;
	return forks != 1;
}

/* --interactive: devices are looked for in a child until the process has loaded a driver, and in its own list from then on. */
static void no_fork_with_a_driver(void **state)
{
	(void)state;
	assert_int_equal(cl_child(probe_around_use, WITH("POCL_DEVICES=basic"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("calls", "clGetPlatformInfo"), 2); /* of the child, and of the process */
	assert_int_equal(cl_untidy(), 0);
}

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter(NAME);
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_remove(NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device), cmocka_unit_test(two_devices), cmocka_unit_test(reasons),
		cmocka_unit_test(gpus),       cmocka_unit_test(address_by_extension), cmocka_unit_test(isolated),
		cmocka_unit_test(listed_once), cmocka_unit_test(no_fork_with_a_driver),
	};

	if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0) {
		(void)printf("skipped: PoCL is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests_name(NAME, tests, enter, leave);
}
