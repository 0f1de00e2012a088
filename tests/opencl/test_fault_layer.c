/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the fault layer itself: each fault arrives at the call that it names and nowhere else, figures of devices are told and enforced, a lost
 * device stays lost and takes no other along, counts are right, leaks and uses of released objects are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>

#include "opencl/cl_child.h"
#include "opencl/twice_program.h"
#include "scratch_folder.h"

#define NAME "test_fault_layer"
#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WITH_NOTHING ((const char *const[]){NULL})
#define CHECK(what) \
	do { \
		if (!(what)) { \
			(void)fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
			return 1; \
		} \
	} while (0)

static int whole(void)
{
	return twice_whole(1);
}

static void no_fault(void **state)
{
	(void)state;
	assert_int_equal(cl_child(whole, WITH_NOTHING, CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
	assert_int_equal(cl_counted("fault", "fired"), 0);
	assert_int_equal(cl_counted("calls", "clCreateBuffer"), 2);
	assert_int_equal(cl_counted("calls", "clSetKernelArg"), 2);
	assert_int_equal(cl_counted("calls", "clFinish"), 1);
	assert_int_equal(cl_counted("calls", "clFlush"), 0);
	assert_int_equal(cl_counted("made", "buffers"), 2);
	assert_int_equal(cl_counted("made", "events"), 1);
	assert_int_equal(cl_counted("bytes", "peak"), 2 * TWICE_N * sizeof(int));
	assert_int_equal(cl_counted("bytes", "now"), 0);
}

/* Each call in turn: the program ends, has released all, and says so unless the fault was in a release. */
static void each_call(void **state)
{
	char fault[64];
	int n = 0, ends = 0;

	(void)state;
	do {
		(void)snprintf(fault, sizeof fault, "VRS_CL_FAULT=*:%d", ++n);
		int code = cl_child(whole, WITH(fault), CL_CHILD_SECONDS, 1);
		long long fired = cl_counted("fault", "fired");

		if (code != 0 && (code != 1 || fired != 1))
			fail_msg("fault at call %d: exit code %d, %lld faults", n, code, fired);
		if (cl_untidy() != 0)
			fail_msg("fault at call %d: something is left", n);
		ends += code == 1;
		if (fired == 0)
			break;
	} while (n < 100);
	assert_int_equal(n, 22 + 1); /* calls of the whole program */
	assert_int_equal(ends, 15);  /* all but seven releases */
}

static int codes(void)
{
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS);
	p.to = clCreateBuffer(p.context, 0, 64, NULL, &code);
	CHECK(p.to && code == CL_SUCCESS);
	p.from = clCreateBuffer(p.context, 0, 64, NULL, &code);
	CHECK(!p.from && code == -61);
	p.from = clCreateBuffer(p.context, 0, 64, NULL, NULL);
	CHECK(p.from);
	twice_tidy();
	return 0;
}

static int patterns(void)
{
	int numbers[TWICE_N] = {0};

	CHECK(twice_open_device(0) == CL_SUCCESS);
	CHECK(twice_build() == CL_SUCCESS);
	CHECK(twice_compute(numbers) == CL_OUT_OF_RESOURCES);
	CHECK(!p.event); /* the kernel was the second of clEnqueue* */
	twice_tidy();
	return 0;
}

static int default_code(void)
{
	return twice_list() == CL_DEVICE_NOT_FOUND ? 0 : 1;
}

static void faults(void **state)
{
	(void)state;
	assert_int_equal(cl_child(codes, WITH("VRS_CL_FAULT=clCreateBuffer:2:-61"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("fault", "seen"), 3);
	assert_int_equal(cl_counted("fault", "fired"), 1);
	assert_int_equal(cl_child(patterns, WITH("VRS_CL_FAULT=clEnqueue*:2"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_child(default_code, WITH("VRS_CL_FAULT=clGetDeviceIDs:1"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_child(whole, WITH("VRS_CL_FAULT=clFinish:1:crash"), CL_CHILD_SECONDS, 1), -SIGABRT);
	assert_int_equal(cl_child(whole, WITH("VRS_CL_FAULT=clFinish:1:hang"), 2, 1), -SIGALRM);
}

/* Of two processes: the fault counts on. */
static void processes(void **state)
{
	(void)state;
	assert_int_equal(cl_child(whole, WITH("VRS_CL_FAULT=clFinish:2"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("fault", "fired"), 0);
	assert_int_equal(cl_child(whole, WITH("VRS_CL_FAULT=clFinish:2"), CL_CHILD_SECONDS, 0), 1);
	assert_int_equal(cl_counted("calls", "clFinish"), 2);
	assert_int_equal(cl_counted("made", "contexts"), 2);
	assert_int_equal(cl_untidy(), 0);
}

static int lost(void)
{
	int numbers[TWICE_N] = {0};
	cl_ulong bytes = 0;
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_SUCCESS);
	CHECK(twice_compute(numbers) == -36);
	CHECK(!clCreateBuffer(p.context, 0, 64, NULL, &code) && code == -36);
	CHECK(!clCreateContext(NULL, 1, &p.devices[0], NULL, NULL, &code) && code == -36);
	CHECK(clFinish(p.queue) == -36);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS && bytes > 0);
	twice_tidy();
	return 0;
}

/* Device 1 is lost, and device 0 goes on. */
static int other_lives(void)
{
	struct twice_program first;
	int numbers[TWICE_N] = {0};

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_SUCCESS && p.n_devices == 2);
	first = p;
	memset(&p, 0, sizeof p);
	CHECK(twice_open_device(1) == CL_SUCCESS && twice_build() == CL_SUCCESS);
	CHECK(twice_compute(numbers) == CL_OUT_OF_RESOURCES);
	twice_tidy();
	p = first;
	CHECK(twice_compute(numbers) == CL_SUCCESS);
	twice_tidy();
	return 0;
}

static void devices_lost(void **state)
{
	(void)state;
	assert_int_equal(cl_child(lost, WITH("VRS_CL_FAULT=clEnqueueNDRangeKernel:1:-36", "VRS_CL_FAULT_STICKY=1"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
	assert_int_equal(cl_child(other_lives, WITH("VRS_CL_FAULT=clEnqueue*:1", "VRS_CL_FAULT_STICKY=1", "VRS_CL_FAULT_DEVICE=1",
						    "POCL_DEVICES=pthread basic"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
}

static int memory(void)
{
	cl_ulong global = 0, max = 0;
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL) == CL_SUCCESS && global == 3000);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL) == CL_SUCCESS && max == 2000);
	CHECK(!clCreateBuffer(p.context, 0, 2001, NULL, &code) && code == CL_INVALID_BUFFER_SIZE);
	p.to = clCreateBuffer(p.context, 0, 2000, NULL, &code);
	CHECK(code == CL_SUCCESS);
	CHECK(!clCreateBuffer(p.context, 0, 1001, NULL, &code) && code == CL_MEM_OBJECT_ALLOCATION_FAILURE);
	p.from = clCreateBuffer(p.context, 0, 1000, NULL, &code);
	CHECK(code == CL_SUCCESS);
	CHECK(clReleaseMemObject(p.to) == CL_SUCCESS);
	p.to = clCreateBuffer(p.context, 0, 2000, NULL, &code);
	CHECK(code == CL_SUCCESS);
	twice_tidy();
	return 0;
}

static int late_memory(void)
{
	int numbers[TWICE_N] = {0};

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_SUCCESS);
	CHECK(twice_compute(numbers) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
	CHECK(p.to && p.from && !p.event); /* both were made, one was written to; the kernel needs the other */
	twice_tidy();
	return 0;
}

static void memory_ends(void **state)
{
	(void)state;
	assert_int_equal(cl_child(memory, WITH("VRS_CL_GLOBAL=3000", "VRS_CL_MAX_ALLOC=2000"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
	assert_int_equal(cl_counted("bytes", "peak"), 3000);
	assert_int_equal(cl_child(late_memory, WITH("VRS_CL_GLOBAL=300", "VRS_CL_LATE=1"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
}

static int groups(void)
{
	const size_t global = 8, large[3] = {4, 2, 1}, small[3] = {2, 2, 1}, globals[3] = {8, 2, 1};
	size_t told = 0;
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_SUCCESS);
	CHECK(clGetKernelWorkGroupInfo(p.kernel, p.devices[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof told, &told, NULL) == CL_SUCCESS && told == 4);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof told, &told, NULL) == CL_SUCCESS && told > 4);
	p.from = clCreateBuffer(p.context, 0, 64 * sizeof(int), NULL, &code);
	p.to = clCreateBuffer(p.context, 0, 64 * sizeof(int), NULL, &code);
	CHECK(clSetKernelArg(p.kernel, 0, sizeof p.from, &p.from) == CL_SUCCESS && clSetKernelArg(p.kernel, 1, sizeof p.to, &p.to) == CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &global, &global, 0, NULL, NULL) == CL_INVALID_WORK_GROUP_SIZE);
	CHECK(clEnqueueNDRangeKernel(p.queue, p.kernel, 3, NULL, globals, large, 0, NULL, NULL) == CL_INVALID_WORK_GROUP_SIZE);
	CHECK(clEnqueueNDRangeKernel(p.queue, p.kernel, 3, NULL, globals, small, 0, NULL, NULL) == CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS && clFinish(p.queue) == CL_SUCCESS);
	twice_tidy();
	return 0;
}

static void small_groups(void **state)
{
	(void)state;
	assert_int_equal(cl_child(groups, WITH("VRS_CL_GROUP=4"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
}

static int build_fails(void)
{
	cl_build_status status = CL_BUILD_SUCCESS;
	char log[256] = "";
	size_t bytes = 0;

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_BUILD_PROGRAM_FAILURE && !p.kernel);
	CHECK(clGetProgramBuildInfo(p.program, p.devices[0], CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS && bytes <= sizeof log);
	CHECK(clGetProgramBuildInfo(p.program, p.devices[0], CL_PROGRAM_BUILD_LOG, bytes - 1, log, NULL) == CL_INVALID_VALUE);
	CHECK(clGetProgramBuildInfo(p.program, p.devices[0], CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS);
	CHECK(strstr(log, "this build fails") && strlen(log) + 1 == bytes);
	CHECK(clGetProgramBuildInfo(p.program, p.devices[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL) == CL_SUCCESS);
	CHECK(status == CL_BUILD_ERROR);
	twice_tidy();
	return 0;
}

static void builds(void **state)
{
	(void)state;
	assert_int_equal(cl_child(build_fails, WITH("VRS_CL_BUILD=fail"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_untidy(), 0);
	assert_int_equal(cl_child(whole, WITH("VRS_CL_BUILD=hang"), 2, 1), -SIGALRM);
	assert_int_equal(cl_counted("calls", "clBuildProgram"), 1);
	assert_int_equal(cl_counted("calls", "clCreateKernel"), 0);
}

static int shown(void)
{
	char text[256] = "";
	cl_device_type type = 0;
	cl_uint bus = 0;

	CHECK(twice_list() == CL_SUCCESS && p.n_devices == 2);
	CHECK(clGetPlatformInfo(p.platform, CL_PLATFORM_NAME, sizeof text, text, NULL) == CL_SUCCESS && strcmp(text, "A Driver") == 0);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_NAME, sizeof text, text, NULL) == CL_SUCCESS && strcmp(text, "A Big GPU") == 0);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_EXTENSIONS, sizeof text, text, NULL) == CL_SUCCESS && strcmp(text, "cl_khr_fp16") == 0);
	CHECK(clGetDeviceInfo(p.devices[0], CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS && type == CL_DEVICE_TYPE_GPU);
	CHECK(clGetDeviceInfo(p.devices[1], 0x4008, sizeof bus, &bus, NULL) == CL_SUCCESS && bus == 8); /* CL_DEVICE_PCI_BUS_ID_NV */
	CHECK(clGetDeviceIDs(p.platform, CL_DEVICE_TYPE_CPU, 4, p.devices, &p.n_devices) == CL_DEVICE_NOT_FOUND);
	CHECK(clGetDeviceIDs(p.platform, CL_DEVICE_TYPE_GPU, 4, p.devices, &p.n_devices) == CL_SUCCESS && p.n_devices == 2);
	return 0;
}

static int no_platform(void)
{
	return clGetPlatformIDs(1, &p.platform, NULL) == CL_PLATFORM_NOT_FOUND_KHR ? 0 : 1;
}

static void listings(void **state)
{
	(void)state;
	assert_int_equal(cl_child(shown, WITH("VRS_CL_PLATFORM=A Driver", "VRS_CL_NAME=A Big GPU", "VRS_CL_TYPE=gpu", "VRS_CL_PCI_BUS=7",
					      "VRS_CL_EXTENSIONS=cl_khr_fp16", "POCL_DEVICES=pthread basic"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_child(no_platform, WITH("OCL_ICD_VENDORS=/nonexistent"), CL_CHILD_SECONDS, 1), 0);
}

/* Leaves a buffer with a second reference, an event and a mapping. */
static int leaking(void)
{
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS);
	p.to = clCreateBuffer(p.context, 0, 64, NULL, &code);
	CHECK(code == CL_SUCCESS && clRetainMemObject(p.to) == CL_SUCCESS);
	CHECK(clEnqueueMapBuffer(p.queue, p.to, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &code));
	CHECK(clEnqueueMarkerWithWaitList(p.queue, 0, NULL, &p.event) == CL_SUCCESS && clFinish(p.queue) == CL_SUCCESS);
	p.event = NULL;
	twice_tidy();
	return 0;
}

/* Uses what it has released, four times. */
static int misusing(void)
{
	const size_t one = 1;
	cl_int code;

	CHECK(twice_open_device(0) == CL_SUCCESS && twice_build() == CL_SUCCESS);
	p.to = clCreateBuffer(p.context, 0, 64, NULL, &code);
	CHECK(code == CL_SUCCESS && clSetKernelArg(p.kernel, 0, sizeof p.to, &p.to) == CL_SUCCESS);
	CHECK(clSetKernelArg(p.kernel, 1, sizeof p.to, &p.to) == CL_SUCCESS);
	CHECK(clReleaseMemObject(p.to) == CL_SUCCESS && clReleaseMemObject(p.to) != CL_SUCCESS);
	CHECK(clEnqueueFillBuffer(p.queue, p.to, &one, sizeof one, 0, 64, 0, NULL, NULL) == CL_INVALID_MEM_OBJECT);
	CHECK(clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &one, NULL, 0, NULL, NULL) == CL_INVALID_KERNEL_ARGS);
	CHECK(clReleaseKernel(p.kernel) == CL_SUCCESS && clReleaseKernel(p.kernel) != CL_SUCCESS);
	p.to = NULL;
	p.kernel = NULL;
	twice_tidy();
	return 0;
}

/* Fills a buffer twice with the same, which VRS_CL_KEEP does once: each has an event and leaves its values. */
static int filling(void)
{
	const cl_int seven = 7;
	cl_int values[16] = {0}, code;

	CHECK(twice_open_device(0) == CL_SUCCESS);
	p.to = clCreateBuffer(p.context, 0, sizeof values, NULL, &code);
	CHECK(code == CL_SUCCESS);
	CHECK(clEnqueueWriteBuffer(p.queue, p.to, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL) == CL_SUCCESS);
	for (int i = 0; i < 2; i++) {
		CHECK(clEnqueueFillBuffer(p.queue, p.to, &seven, sizeof seven, 4, sizeof values - 4, 0, NULL, &p.event) == CL_SUCCESS && p.event);
		CHECK(clWaitForEvents(1, &p.event) == CL_SUCCESS && clReleaseEvent(p.event) == CL_SUCCESS);
		p.event = NULL;
		CHECK(clEnqueueReadBuffer(p.queue, p.to, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL) == CL_SUCCESS);
		CHECK(values[0] == 0 && values[1] == 7 && values[15] == 7);
	}
	twice_tidy();
	return 0;
}

static void fills(void **state)
{
	(void)state;
	assert_int_equal(cl_child(filling, WITH_NOTHING, CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_child(filling, WITH("VRS_CL_KEEP=1"), CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("calls", "clEnqueueFillBuffer"), 2);
	assert_int_equal(cl_untidy(), 0);
}

static void untidy(void **state)
{
	(void)state;
	assert_int_equal(cl_child(leaking, WITH_NOTHING, CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("left", "buffers"), 1);
	assert_int_equal(cl_counted("left", "events"), 1);
	assert_int_equal(cl_counted("left", "mappings"), 1);
	assert_int_equal(cl_counted("left", "contexts"), 0);
	assert_int_equal(cl_untidy(), 3);
	assert_int_equal(cl_child(misusing, WITH_NOTHING, CL_CHILD_SECONDS, 1), 0);
	assert_int_equal(cl_counted("fault", "misused"), 4);
	assert_int_equal(cl_untidy(), 4);
}

static void malformed(void **state)
{
	static const char *const bad[] = {
		"VRS_CL_FAULT=clFinish", "VRS_CL_FAULT=clNothing:1", "VRS_CL_FAULT=clFinish:x", "VRS_CL_FAULT=clFinish:1:5", "VRS_CL_FAULT=clFinish:1:",
		"VRS_CL_TYPE=big", "VRS_CL_BUILD=slow", "VRS_CL_MAX_ALLOC=-1", "VRS_CL_GLOBAL=1G", "VRS_CL_COUNT=/dev/null/x",
		"VRS_CL_LATE=yes",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int code = cl_child(whole, WITH(bad[i]), CL_CHILD_SECONDS, 1);

		if (code != 125)
			fail_msg("%s: exit code %d", bad[i], code);
	}
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
		cmocka_unit_test(no_fault),     cmocka_unit_test(each_call), cmocka_unit_test(faults),   cmocka_unit_test(processes),
		cmocka_unit_test(devices_lost), cmocka_unit_test(memory_ends), cmocka_unit_test(small_groups), cmocka_unit_test(builds), cmocka_unit_test(listings),
		cmocka_unit_test(untidy),       cmocka_unit_test(malformed), cmocka_unit_test(fills),
	};

	if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0) {
		(void)printf("skipped: PoCL is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests_name(NAME, tests, enter, leave);
}
