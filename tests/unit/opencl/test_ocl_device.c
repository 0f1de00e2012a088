/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards device listing against drivers: absent, crashing, hanging, leaving, printing, answering nonsense. None may end or stop the program,
 * and each gives a reason that names what happened. With PoCL installed, its CPU device must be listed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "opencl/ocl_device.h"

static struct vrs_ocl_list list;
static struct vrs_machine machine;

static void good(struct vrs_ocl_list *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->count = 1;
	(void)snprintf(ret->devices[0].name, sizeof ret->devices[0].name, "A device");
	(void)printf("noise that must not reach standard output\n");
	(void)fflush(stdout);
}

static void crash(struct vrs_ocl_list *ret)
{
	(void)ret;
	(void)fprintf(stderr, "first line\npocl: cannot create a thread\n");
	abort();
}

static void hang(struct vrs_ocl_list *ret)
{
	(void)ret;
	for (;;)
		(void)pause();
}

/* Hangs, and writes without end. */
static void chatter(struct vrs_ocl_list *ret)
{
	(void)ret;
	for (;;)
		(void)!write(STDERR_FILENO, "blah blah blah\n", 15);
}

static void leave(struct vrs_ocl_list *ret)
{
	(void)ret;
	_exit(9);
}

static void nonsense(struct vrs_ocl_list *ret)
{
	memset(ret, 0x55, sizeof *ret);
}

static void unterminated(struct vrs_ocl_list *ret)
{
	good(ret);
	memset(ret->devices[0].name, 'x', sizeof ret->devices[0].name);
}

/* Closes every pipe and stays. */
static void deaf(struct vrs_ocl_list *ret)
{
	(void)ret;
	for (int fd = 3; fd < 64; fd++)
		(void)close(fd);
	for (;;)
		(void)pause();
}

static void isolated(void **state)
{
	static const struct {
		void (*lister)(struct vrs_ocl_list *);
		const char *reason, *also;
	} cases[] = {
		{crash, "crashed", "pocl: cannot create a thread"}, {hang, "did not answer", ""},    {chatter, "did not answer", "blah"},
		{leave, "exit code 9", ""},                          {nonsense, "damaged", ""},       {unterminated, "damaged", ""},
	};

	(void)state;
	vrs_ocl_list_isolated(good, 20, &list);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.devices[0].name, "A device");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		memset(&list, 0x11, sizeof list);
		vrs_ocl_list_isolated(cases[i].lister, cases[i].lister == hang || cases[i].lister == chatter ? 0.3 : 20, &list);
		assert_int_equal(list.count, 0);
		if (!strstr(list.reason, cases[i].reason))
			fail_msg("case %zu: \"%s\" does not say \"%s\"", i, list.reason, cases[i].reason);
		assert_non_null(strstr(list.reason, cases[i].also));
		assert_null(strstr(list.reason, "first line"));
	}
	uint64_t start = vrs_now_ns();
	vrs_ocl_list_isolated(deaf, 20, &list); /* its pipes end while it lives: no need to wait for the time limit */
	assert_int_equal(list.count, 0);
	assert_true(vrs_now_ns() - start < UINT64_C(15000000000));
}

static void no_driver(void **state)
{
	(void)state;
	assert_int_equal(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
	assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
	vrs_machine_add_opencl(&machine);
	assert_int_equal(unsetenv("OCL_ICD_VENDORS"), 0);
	assert_int_equal(machine.cl_count, 0);
	assert_non_null(strstr(machine.cl_reason, "no OpenCL driver"));
}

static void replay(void **state)
{
	(void)state;
	assert_int_equal(setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/hybrid-laptop", 1), 0);
	assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
	vrs_machine_add_opencl(&machine);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
	assert_int_equal(machine.cl_count, 0); /* the running machine's drivers are not the recorded one's */
	assert_non_null(strstr(machine.cl_reason, "recorded"));
}

static void pocl(void **state)
{
	const struct vrs_cl_device *cpu = NULL;
	uint64_t before;

	(void)state;
	if (!vrs_path_exists("/etc/OpenCL/vendors/pocl.icd")) {
		print_message("skipped: PoCL is not installed\n");
		skip();
	}
	assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
	before = machine.fingerprint;
	vrs_machine_add_opencl(&machine);
	assert_string_equal(machine.cl_reason, "");
	for (int i = 0; i < machine.cl_count; i++) {
		if (strstr(machine.cl[i].platform_name, "Portable Computing Language") && machine.cl[i].is_cpu)
			cpu = &machine.cl[i];
	}
	assert_non_null(cpu);
	assert_false(cpu->is_gpu);
	assert_true(cpu->compute_units >= 1 && cpu->global_bytes > 0 && cpu->max_alloc_bytes > 0 && cpu->max_alloc_bytes <= cpu->global_bytes);
	assert_true(strlen(cpu->name) > 0 && strlen(cpu->version) > 0 && strlen(cpu->driver) > 0);
	assert_int_equal(cpu->numa_node, -1);
	assert_int_equal(machine.fingerprint, before); /* drivers do not change the CPU */
	assert_int_not_equal(machine.device_fingerprint, 0);
}

/* PoCL is silent about why it has no device. */
static void pocl_without_folder(void **state)
{
	(void)state;
	if (!vrs_path_exists("/etc/OpenCL/vendors/pocl.icd"))
		skip();
	char *own = getenv("POCL_CACHE_DIR"), *kept = own ? strdup(own) : NULL; /* libc: test scratch */

	assert_int_equal(setenv("POCL_CACHE_DIR", "/proc/nowhere", 1), 0);
	assert_int_equal(setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1), 0);
	vrs_ocl_list_isolated(vrs_ocl_list, 60, &list);
	assert_int_equal(unsetenv("OCL_ICD_VENDORS"), 0);
	assert_int_equal(kept ? setenv("POCL_CACHE_DIR", kept, 1) : unsetenv("POCL_CACHE_DIR"), 0);
	free(kept); /* libc */
	assert_int_equal(list.count, 0);
	assert_non_null(strstr(list.reason, "POCL_CACHE_DIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(isolated), cmocka_unit_test(no_driver), cmocka_unit_test(replay), cmocka_unit_test(pocl_without_folder),
		cmocka_unit_test(pocl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
