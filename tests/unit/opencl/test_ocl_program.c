/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards building programs, with PoCL: the cache saves the compiler's work and is never believed more than the driver; processes that build at once
 * do not disturb each other; a compiler that refuses says why and where; one that does not end neither holds the program nor its exit, and gives
 * everything back when it ends after all; memory that is short is a status.
 *
 * Calls of the compiler go through this file, which counts them and takes the part of other drivers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_program_cache.h"
#include "scratch_folder.h"

#define SCRATCH "test_ocl_program"
#define POCL_CACHE VRS_BUILD_DIR "/tests/cache/pocl" /* kept: PoCL compiles a kernel for half a second */

static const char good[] = "__kernel void twice(__global float *y, int n)\n{\n\tint i = (int)get_global_id(0);\n\tif (i < n)\n\t\ty[i] *= 2.0f;\n}\n";
static const char bad[] = "__kernel void wrong(__global float *y)\n{\n\ty[0] = first_wrong;\n\ty[1] = second_wrong;\n}\n";

/* What the compiler does; its threads see it. */
enum { AS_IT_IS, HANGS, REFUSES_BINARY, FAILS_WITH_BINARY, FAILS };
static atomic_int driver, failure, binaries, sources;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;
static bool released;

static struct vrs_ocl_context context;
static char lines[20][600]; /* of the log */
static int line_count;

static cl_int CL_API_CALL (*real_build)(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *), void *);
static cl_program CL_API_CALL (*real_binary)(cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *);
static cl_program CL_API_CALL (*real_source)(cl_context, cl_uint, const char **, const size_t *, cl_int *);

static void find_real(void *ret_function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	assert_non_null(found);
	memcpy(ret_function, &found, sizeof found);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
				  void(CL_CALLBACK *notify)(cl_program, void *), void *cookie)
{
	cl_program_binary_type type = 0;

	(void)clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
	pthread_mutex_lock(&lock);
	while (driver == HANGS && !released)
		pthread_cond_wait(&let_go, &lock);
	pthread_mutex_unlock(&lock);
	if (driver == FAILS || (driver == FAILS_WITH_BINARY && type != CL_PROGRAM_BINARY_TYPE_NONE))
		return failure;
	return real_build(program, count, devices, options, notify, cookie);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context of, cl_uint count, const cl_device_id *devices, const size_t *sizes,
						 const unsigned char **binary, cl_int *of_device, cl_int *code)
{
	binaries++;
	if (driver == REFUSES_BINARY) {
		*code = *of_device = CL_INVALID_BINARY;
		return NULL;
	}
	return real_binary(of, count, devices, sizes, binary, of_device, code);
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context of, cl_uint count, const char **texts, const size_t *lengths, cl_int *code)
{
	sources++;
	return real_source(of, count, texts, lengths, code);
}

static void keep_line(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	(void)level;
	if (line_count < (int)(sizeof lines / sizeof lines[0]))
		(void)snprintf(lines[line_count++], sizeof lines[0], "%s", line);
}

static bool logged(const char *text)
{
	for (int i = 0; i < line_count; i++)
		if (strstr(lines[i], text))
			return true;
	return false;
}

static void device_text(cl_device_info what, char *buf, size_t size)
{
	assert_int_equal(clGetDeviceInfo(context.device, what, size, buf, NULL), CL_SUCCESS);
}

/* PoCL's device, under the name of a platform that keeps no programs itself. */
static void open_device(void)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	char name[128] = "";
	cl_int code;

	find_real(&real_build, "clBuildProgram");
	find_real(&real_binary, "clCreateProgramWithBinary");
	find_real(&real_source, "clCreateProgramWithSource");
	assert_int_equal(setenv("POCL_CACHE_DIR", POCL_CACHE, 1), 0);
	assert_int_equal(vrs_mkdirs(POCL_CACHE, NULL), VRS_OK);
	assert_int_equal(clGetPlatformIDs(16, platforms, &count), CL_SUCCESS);
	for (cl_uint i = 0; i < count && strcmp(name, "Portable Computing Language") != 0; i++) {
		context.platform = platforms[i];
		assert_int_equal(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL), CL_SUCCESS);
	}
	assert_string_equal(name, "Portable Computing Language");
	assert_int_equal(clGetDeviceIDs(context.platform, CL_DEVICE_TYPE_CPU, 1, &context.device, NULL), CL_SUCCESS);
	context.context = clCreateContext(NULL, 1, &context.device, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	device_text(CL_DEVICE_NAME, context.caps.name, sizeof context.caps.name);
	device_text(CL_DEVICE_VERSION, context.caps.version, sizeof context.caps.version);
	device_text(CL_DRIVER_VERSION, context.caps.driver, sizeof context.caps.driver);
	(void)snprintf(context.caps.platform, sizeof context.caps.platform, "a platform");
}

static int set_up(void **state)
{
	char home[PATH_MAX];

	(void)state;
	if (scratch_folder_enter(SCRATCH) != 0 || !getcwd(home, sizeof home) || setenv("XDG_CACHE_HOME", home, 1) != 0)
		return -1;
	open_device();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)clReleaseContext(context.context);
	return scratch_folder_remove(SCRATCH);
}

/* Before each test: no cache, the driver as it is. */
static int begin(void **state)
{
	(void)state;
	if (remove_tree("vrseg") != 0 && errno != ENOENT)
		return -1;
	driver = AS_IT_IS;
	failure = CL_BUILD_PROGRAM_FAILURE;
	binaries = sources = line_count = 0;
	released = false;
	vrs_log_set_sink(keep_line, NULL);
	vrs_log_set_level(VRS_LOG_DEBUG);
	return 0;
}

static enum vrs_status build(cl_program *ret_program, struct vrs_ocl_build *ret_build, const char *text, bool cache, double limit,
			     struct vrs_error *err)
{
	const struct vrs_ocl_build_request request = {.text = text, .length = strlen(text), .what = "tiny kernels", .cache = cache, .limit_seconds = limit};

	return vrs_ocl_program_build_with(ret_program, ret_build, &context, &request, err);
}

/* The program doubles. */
static void expect_works(cl_program program)
{
	float values[4] = {1, 2, 3, 4};
	cl_int code, n = 4;
	size_t global = 4;
	cl_command_queue queue = clCreateCommandQueue(context.context, context.device, 0, &code);
	cl_mem memory = clCreateBuffer(context.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
	cl_kernel kernel = clCreateKernel(program, "twice", &code);

	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof n, &n), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL), CL_SUCCESS);
	assert_true(values[0] == 2 && values[3] == 8);
	(void)clReleaseKernel(kernel);
	(void)clReleaseMemObject(memory);
	(void)clReleaseCommandQueue(queue);
}

/* A build that works, from the cache or not, with so many calls in all since the test began. */
static void expect_build(bool cache, bool from_cache, int from_source, int from_binary)
{
	struct vrs_error err = {0};
	struct vrs_ocl_build made;
	cl_program program = NULL;

	if (build(&program, &made, good, cache, 0, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(made.from_cache, from_cache);
	assert_int_equal(sources, from_source);
	assert_int_equal(binaries, from_binary);
	assert_true(made.seconds >= 0);
	expect_works(program);
	(void)clReleaseProgram(program);
}

static void key_of(struct vrs_ocl_program_key *key)
{
	assert_true(vrs_ocl_program_key_make(key, &context.caps, VRS_OCL_BUILD_OPTIONS, good, strlen(good)));
}

static void cached(void **state)
{
	struct vrs_ocl_program_key key;

	(void)state;
	key_of(&key);
	expect_build(false, false, 1, 0);
	assert_false(vrs_path_exists("vrseg")); /* who does not ask for the cache neither reads nor writes */
	assert_true(logged("compiled in "));
	expect_build(true, false, 2, 0);
	assert_true(logged(", and kept"));
	assert_true(vrs_path_exists(key.path));
	assert_false(logged("from the cache"));
	expect_build(true, true, 2, 1);
	assert_true(logged("from the cache"));
	expect_build(false, false, 3, 1);
	context.caps.driver[0] ^= 1; /* a new version of the driver */
	expect_build(true, false, 4, 1);
	expect_build(true, true, 4, 2);
	context.caps.driver[0] ^= 1;
	expect_build(true, true, 4, 3);
}

/* PoCL has a cache of its own, and makes a binary by compiling everything once more. */
static void pocl_keeps_its_own(void **state)
{
	char kept[sizeof context.caps.platform];

	(void)state;
	memcpy(kept, context.caps.platform, sizeof kept);
	(void)snprintf(context.caps.platform, sizeof context.caps.platform, "Portable Computing Language");
	expect_build(true, false, 1, 0);
	expect_build(true, false, 2, 0);
	assert_false(vrs_path_exists("vrseg"));
	memcpy(context.caps.platform, kept, sizeof kept);
}

/* Changed by hand, in each part of the file: made again, and right after that taken again. */
static void damaged(void **state)
{
	static const size_t places[] = {0, 8, 16, 24, 40, 2000, SIZE_MAX};
	struct vrs_ocl_program_key key;
	struct vrs_buf file;

	(void)state;
	key_of(&key);
	expect_build(true, false, 1, 0);
	for (int i = 0; i < (int)(sizeof places / sizeof places[0]); i++) {
		assert_int_equal(vrs_file_read(key.path, 10000000, &file, NULL), VRS_OK);
		file.data[places[i] < file.len ? places[i] : file.len - 1] ^= 4;
		assert_int_equal(vrs_file_replace(key.path, file.data, i % 2 == 0 ? file.len : file.len / 2, NULL), VRS_OK);
		vrs_buf_fini(&file);
		expect_build(true, false, 2 + i, i);
		expect_build(true, true, 2 + i, 1 + i);
	}
}

/* The cache holds what it held when it was written, but the driver has become another one. */
static void refused_binary(void **state)
{
	(void)state;
	expect_build(true, false, 1, 0);
	driver = REFUSES_BINARY;
	expect_build(true, false, 2, 1);
	assert_true(logged("does not take its binary"));
	driver = FAILS_WITH_BINARY;
	expect_build(true, false, 3, 2);
	driver = AS_IT_IS;
	expect_build(true, true, 3, 3);
}

static void no_place(void **state)
{
	char home[PATH_MAX];

	(void)state;
	assert_non_null(getcwd(home, sizeof home));
	assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/nowhere", 1), 0);
	expect_build(true, false, 1, 0);
	expect_build(true, false, 2, 0);
	assert_true(logged("compiled kernels are not kept: "));
	assert_false(logged(", and kept"));
	char *own = getenv("HOME"), *kept = own ? strdup(own) : NULL; /* libc: test scratch */
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	expect_build(true, false, 3, 0);
	if (kept)
		assert_int_equal(setenv("HOME", kept, 1), 0);
	free(kept); /* libc */
	assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
}

static void refused_text(void **state)
{
	struct vrs_error err = {0};
	cl_program program = NULL;

	(void)state;
	assert_int_equal(build(&program, NULL, bad, true, 0, &err), VRS_EDEVICE);
	assert_null(program);
	assert_non_null(strstr(err.text, "refuses tiny kernels: "));
	assert_non_null(strstr(err.text, ":3:")); /* its line */
	assert_non_null(strstr(err.text, "first_wrong"));
	assert_true(logged("first_wrong") && logged("second_wrong")); /* all of it is in the log */
	assert_false(vrs_path_exists("vrseg"));
}

static void failing_driver(void **state)
{
	static const struct {
		cl_int code;
		enum vrs_status status;
		const char *text;
	} cases[] = {
		{CL_COMPILER_NOT_AVAILABLE, VRS_EUNSUPPORTED, "CL_COMPILER_NOT_AVAILABLE"},
		{CL_OUT_OF_HOST_MEMORY, VRS_ENOMEM, "CL_OUT_OF_HOST_MEMORY"},
		{CL_BUILD_PROGRAM_FAILURE, VRS_EDEVICE, "does not say why"},
		{-9999, VRS_EDEVICE, "error -9999"},
	};
	struct vrs_error err = {0};
	cl_program program = NULL;

	(void)state;
	driver = FAILS;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		failure = cases[i].code;
		assert_int_equal(build(&program, NULL, good, true, 0, &err), cases[i].status);
		if (!strstr(err.text, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].text);
	}
	assert_null(program);
	assert_false(vrs_path_exists("vrseg"));
}

static cl_uint context_users(void)
{
	cl_uint users = 0;

	assert_int_equal(clGetContextInfo(context.context, CL_CONTEXT_REFERENCE_COUNT, sizeof users, &users, NULL), CL_SUCCESS);
	return users;
}

static void let_compiler_go(void)
{
	pthread_mutex_lock(&lock);
	released = true;
	pthread_cond_broadcast(&let_go);
	pthread_mutex_unlock(&lock);
}

/* Until the thread that was given up is through, which nobody is told. */
static void wait_for_rest(cl_uint users, uint64_t live_bytes)
{
	for (int i = 0; i < 6000 && (context_users() != users || vrs_mem_stats().live_bytes != live_bytes); i++)
		vrs_sleep_until_ns(vrs_now_ns() + 10000000);
	assert_int_equal(context_users(), users);
	assert_int_equal(vrs_mem_stats().live_bytes, live_bytes);
}

static void time_limit(void **state)
{
	cl_uint users = context_users();
	uint64_t live_bytes = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	cl_program program = NULL;

	(void)state;
	driver = HANGS;
	assert_int_equal(build(&program, NULL, good, true, 0.2, &err), VRS_EDEVICE);
	assert_non_null(strstr(err.text, "has not finished tiny kernels after 0.2 s"));
	assert_null(program);
	assert_true(context_users() > users); /* the thread has one of its own, whatever becomes of ours */
	vrs_stop_request();
	assert_int_equal(build(&program, NULL, good, true, 100, &err), VRS_ESTOPPED);
	vrs_stop_reset();
	let_compiler_go();
	wait_for_rest(users, live_bytes);
	assert_false(vrs_path_exists("vrseg")); /* what came too late is not kept */
	driver = AS_IT_IS;
	expect_build(true, false, 3, 0);
}

static void *release_later(void *cookie)
{
	(void)cookie;
	vrs_sleep_until_ns(vrs_now_ns() + 1300000000);
	let_compiler_go();
	return NULL;
}

/* Lines come for a build that takes more than a second, and for no other. */
static void progress(void **state)
{
	pthread_t thread;

	(void)state;
	vrs_log_set_level(VRS_LOG_INFO);
	expect_build(true, false, 1, 0);
	assert_int_equal(remove_tree("vrseg"), 0);
	line_count = 0; /* a slow machine may have said something */
	driver = HANGS;
	assert_int_equal(pthread_create(&thread, NULL, release_later, NULL), 0);
	expect_build(true, false, 2, 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(line_count, 2);
	assert_non_null(strstr(lines[0], "building tiny kernels for "));
	assert_non_null(strstr(lines[0], ", once"));
	assert_non_null(strstr(lines[1], "built tiny kernels for "));
	assert_non_null(strstr(lines[1], context.caps.name));
}

/* Where nothing can be kept, a slow build does not promise to be the only one, and says which folder is at fault. */
static void progress_without_place(void **state)
{
	char home[PATH_MAX], blocked[PATH_MAX];
	pthread_t thread;

	(void)state;
	vrs_log_set_level(VRS_LOG_INFO);
	assert_non_null(getcwd(home, sizeof home));
	assert_int_equal(vrs_path_join(blocked, sizeof blocked, home, "blocked"), VRS_OK);
	assert_int_equal(vrs_file_replace("blocked", "a file", 6, NULL), VRS_OK); /* where a folder is wanted */
	assert_int_equal(setenv("XDG_CACHE_HOME", blocked, 1), 0);
	driver = HANGS;
	assert_int_equal(pthread_create(&thread, NULL, release_later, NULL), 0);
	expect_build(true, false, 1, 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(line_count, 3);
	assert_non_null(strstr(lines[0], "building tiny kernels for "));
	assert_null(strstr(lines[0], ", once"));
	assert_non_null(strstr(lines[2], "tiny kernels are not kept, so that each job builds them: "));
	assert_non_null(strstr(lines[2], blocked));
	assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
}

/* Each allocation fails once, of both threads. */
static void fail_allocations(const char *text, enum vrs_status otherwise)
{
	bool fired = true;

	for (uint64_t n = 1; fired && n < 100; n++) {
		struct vrs_error err = {0};
		cl_program program = NULL;

		assert_int_equal(begin(NULL), 0);
		vrs_mem_fail_after(n, false);
		enum vrs_status status = build(&program, NULL, text, true, 0, &err);

		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_true(status == otherwise || (fired && status == VRS_ENOMEM));
		assert_true((status == VRS_OK) == (program != NULL));
		if (program)
			(void)clReleaseProgram(program);
	}
	assert_false(fired);
}

static void no_memory(void **state)
{
	cl_uint users = context_users();
	uint64_t live_bytes = vrs_mem_stats().live_bytes;

	(void)state;
	fail_allocations(good, VRS_OK);
	fail_allocations(bad, VRS_EDEVICE);
	wait_for_rest(users, live_bytes);
}

/* This program again, as another process that does one thing. */
static pid_t start(const char *what, int out)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)alarm(60); /* a hang ends as a signal */
		if (out >= 0)
			(void)dup2(out, STDOUT_FILENO);
		(void)execl("/proc/self/exe", "test_ocl_program", what, (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static int result_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void processes_at_once(void **state)
{
	pid_t pids[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		pids[i] = start("--build", -1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(result_of(pids[i]), 0);
	expect_build(true, true, 0, 1);
	struct vrs_ocl_program_key key;
	char folder[PATH_MAX];

	key_of(&key);
	vrs_path_folder(folder, key.path);
	assert_int_equal(unlink(key.path), 0);
	assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
}

/* The program says what it has to say and ends with its own exit code, though the driver would wait for its compiler at exit. */
static void exit_past_hang(void **state)
{
	char told[100] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = start("--hang", ends[1]);

	close(ends[1]);
	ssize_t n = read(ends[0], told, sizeof told - 1);

	close(ends[0]);
	assert_int_equal(result_of(pid), 3);
	assert_true(n > 0);
	assert_string_equal(told, "the compiler hangs");
}

static void hang_at_exit(void)
{
	for (;;)
		(void)pause();
}

/* What start() asks for. */
static int one_thing(const char *what)
{
	struct vrs_error err = {0};
	cl_program program = NULL;

	open_device();
	if (strcmp(what, "--build") == 0) {
		if (build(&program, NULL, good, true, 0, &err) != VRS_OK)
			return 1;
		(void)clReleaseProgram(program);
		(void)clReleaseContext(context.context);
		return 0;
	}
	driver = HANGS;
	if (atexit(hang_at_exit) != 0 || build(&program, NULL, good, false, 0.1, &err) != VRS_EDEVICE)
		return 1;
	(void)printf("the compiler hangs"); /* not flushed */
	return 3;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(cached, begin),          cmocka_unit_test_setup(pocl_keeps_its_own, begin),
		cmocka_unit_test_setup(damaged, begin),         cmocka_unit_test_setup(refused_binary, begin),
		cmocka_unit_test_setup(no_place, begin),        cmocka_unit_test_setup(refused_text, begin),
		cmocka_unit_test_setup(failing_driver, begin),  cmocka_unit_test_setup(time_limit, begin),
		cmocka_unit_test_setup(progress, begin),        cmocka_unit_test_setup(progress_without_place, begin),
		cmocka_unit_test_setup(no_memory, begin),
		cmocka_unit_test_setup(processes_at_once, begin), cmocka_unit_test_setup(exit_past_hang, begin),
	};

	if (argc == 2)
		return one_thing(argv[1]);
	if (!vrs_path_exists("/etc/OpenCL/vendors/pocl.icd")) {
		(void)fprintf(stderr, "skipped: PoCL is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
