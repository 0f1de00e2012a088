/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how a process ends that has loaded a driver: aborts of our own, also in a call by the driver, those that the C library does for us and those
 * from outside keep the signal, and so does every abort in a process that is none of our programs; our own exit code stays.  Drivers that abort or
 * exit: tests/cli/vrseg/device_ends.sh.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/stop.h"
#include "opencl/ocl_api.h"
#include "opencl/ocl_device.h"

static void abort_here(void)
{
	abort(); /* libc */
}

static void assert_here(void)
{
	vrs_assert_fail("condition", "file", 1, "function");
}

static void exit_here(void)
{
	exit(42);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they have a heap, and a way to end, of their own */
/* libc: ends with its message about the free(), or about the second one */
static void damage_heap(void)
{
	char *volatile block = malloc(2000);

	free(block);
	free(block);
}
#endif

static void from_outside(void)
{
	pid_t other = fork();

	if (other == 0) {
		(void)kill(getppid(), SIGABRT);
		_exit(0);
	}
	for (;;)
		(void)pause();
}

static void CL_CALLBACK on_build(cl_program program, void *cookie)
{
	(void)program;
	(void)cookie;
	vrs_assert_fail("in a call by the driver", "file", 1, "function");
}

static void assert_in_callback(void)
{
	static const char *source = "__kernel void f(void) {}";
	cl_platform_id platform;
	cl_device_id device;
	int code;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
		_exit(1);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);

	(void)clBuildProgram(program, 1, &device, "", on_build, NULL);
	sleep(60);
	_exit(2);
}

/* Its exit code, or its signal as a negative number. */
static int end_of(void (*how)(void), bool is_program)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		static struct vrs_ocl_list list;
		const struct rlimit none = {0, 0};

		(void)alarm(60); /* a hang ends as a signal */
		(void)setrlimit(RLIMIT_CORE, &none);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		(void)signal(SIGABRT, SIG_DFL); /* cmocka has one of its own */
		if (is_program)
			vrs_stop_install();
		vrs_ocl_list_once(&list);
		if (list.count > 0)
			how();
		_exit(1);
	}
	assert_true(child > 0);
	assert_true(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void own_ends(void **state)
{
	(void)state;
	for (int is_program = 0; is_program < 2; is_program++) {
		assert_int_equal(end_of(abort_here, is_program), -SIGABRT);
		assert_int_equal(end_of(assert_here, is_program), -SIGABRT);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		assert_int_equal(end_of(damage_heap, is_program), -SIGABRT);
#endif
		assert_int_equal(end_of(exit_here, is_program), 42);
	}
	assert_int_equal(end_of(from_outside, true), -SIGABRT); /* LLVM's handler alone would go on once */
}

static void call_by_the_driver(void **state)
{
	(void)state;
	assert_int_equal(end_of(assert_in_callback, true), -SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(own_ends), cmocka_unit_test(call_by_the_driver)};

	if (!vrs_path_exists("/etc/OpenCL/vendors/pocl.icd")) {
		(void)fprintf(stderr, "skipped: PoCL is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
