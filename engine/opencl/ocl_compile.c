/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_compile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/terminal.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_guard.h"
#include "opencl/ocl_program_cache.h"

#define LOG_MAX ((size_t)16 << 20) /* bytes of a compiler's log */
#define LOOK_NS 50000000           /* how often a wait looks for a stop request */

struct vrs_ocl_compile {
	pthread_t thread;
	pthread_mutex_t lock;      /* guards the next three */
	pthread_cond_t changed;
	bool done, given_up;
	struct vrs_ocl_compile_request request; /* its texts are of this object */
	struct vrs_ocl_compiled compiled; /* the thread's until done */
};

static atomic_int running; /* threads that were given up */

/* See the header.  Handlers that were registered before this one are skipped: of ours that is the terminal's. */
static void end_past_driver(int code, void *cookie)
{
	(void)cookie;
	vrs_ocl_guard_check_exit();
	if (atomic_load(&running) == 0)
		return;
	vrs_terminal_end();
	(void)fflush(NULL);
	_exit(code);
}

static void note_running(void)
{
	static atomic_flag registered = ATOMIC_FLAG_INIT;

	(void)atomic_fetch_add(&running, 1);
	if (!atomic_flag_test_and_set(&registered))
		(void)on_exit(end_past_driver, NULL); /* without memory for it the exit may wait for the driver */
}

static void destroy(struct vrs_ocl_compile *compile)
{
	if (compile->compiled.program)
		(void)clReleaseProgram(compile->compiled.program);
	(void)clReleaseContext(compile->request.context);
	vrs_free(compile->compiled.log);
	vrs_free(compile->compiled.binary);
	pthread_cond_destroy(&compile->changed);
	pthread_mutex_destroy(&compile->lock);
	vrs_free(compile);
}

/* The driver's text about a build; NULL: none. */
static char *read_log(cl_program program, cl_device_id device)
{
	size_t size = 0;

	if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size <= 1 || size > LOG_MAX)
		return NULL;
	char *log = vrs_calloc(size + 1, 1);

	if (!log || clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
		return log;
	vrs_free(log);
	return NULL;
}

/* False: the driver does not take it, which happens to binaries of an older driver that calls itself the same. */
static bool build_binary(struct vrs_ocl_compile *compile)
{
	const struct vrs_ocl_compile_request *request = &compile->request;
	const unsigned char *binary = request->binary;
	cl_int code = CL_SUCCESS, of_device = CL_SUCCESS;
	cl_program program = clCreateProgramWithBinary(request->context, 1, &request->device, &request->binary_bytes, &binary, &of_device, &code);

	if (code == CL_SUCCESS && of_device == CL_SUCCESS && program)
		code = clBuildProgram(program, 1, &request->device, request->options, NULL, NULL);
	if (code == CL_SUCCESS && of_device == CL_SUCCESS && program) {
		compile->compiled.program = program;
		compile->compiled.from_binary = true;
		return true;
	}
	if (program)
		(void)clReleaseProgram(program);
	return false;
}

static void build_source(struct vrs_ocl_compile *compile)
{
	const struct vrs_ocl_compile_request *request = &compile->request;
	struct vrs_ocl_compiled *compiled = &compile->compiled;
	const char *source = request->source;

	compiled->program = clCreateProgramWithSource(request->context, 1, &source, &request->length, &compiled->code);
	if (compiled->code != CL_SUCCESS)
		return;
	compiled->code = clBuildProgram(compiled->program, 1, &request->device, request->options, NULL, NULL);
	compiled->log = read_log(compiled->program, request->device);
	if (compiled->code == CL_SUCCESS)
		return;
	(void)clReleaseProgram(compiled->program);
	compiled->program = NULL;
}

static void read_binary(struct vrs_ocl_compiled *compiled)
{
	cl_uint devices = 0;
	size_t size = 0;

	if (clGetProgramInfo(compiled->program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL) != CL_SUCCESS || devices != 1 ||
	    clGetProgramInfo(compiled->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || size == 0 ||
	    size > VRS_OCL_BINARY_MAX)
		return;
	unsigned char *binary = vrs_alloc(size);

	if (binary && clGetProgramInfo(compiled->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS) {
		compiled->binary = binary;
		compiled->binary_bytes = size;
	} else {
		vrs_free(binary);
	}
}

static void *compile_main(void *cookie)
{
	struct vrs_ocl_compile *compile = cookie;

	if (!compile->request.binary || !build_binary(compile))
		build_source(compile);
	if (compile->compiled.program && !compile->compiled.from_binary && compile->request.wants_binary)
		read_binary(&compile->compiled);
	pthread_mutex_lock(&compile->lock);
	compile->done = true;
	bool given_up = compile->given_up;

	pthread_cond_signal(&compile->changed);
	pthread_mutex_unlock(&compile->lock);
	if (given_up) {
		destroy(compile);
		(void)atomic_fetch_sub(&running, 1);
	}
	return NULL;
}

/* The object with its texts behind it: the caller's may be gone before a compiler that is given up.  It takes a reference of the context. */
static struct vrs_ocl_compile *create(const struct vrs_ocl_compile_request *request)
{
	size_t options_bytes = strlen(request->options) + 1, bytes = sizeof(struct vrs_ocl_compile);

	if (!vrs_add_size(bytes, request->length, &bytes) || !vrs_add_size(bytes, options_bytes, &bytes) ||
	    !vrs_add_size(bytes, request->binary ? request->binary_bytes : 0, &bytes))
		return NULL;
	struct vrs_ocl_compile *compile = vrs_calloc(1, bytes);

	if (!compile)
		return NULL;
	char *at = (char *)(compile + 1);

	compile->request = *request;
	compile->request.source = memcpy(at, request->source, request->length);
	compile->request.options = memcpy(at + request->length, request->options, options_bytes);
	if (request->binary)
		compile->request.binary = memcpy(at + request->length + options_bytes, request->binary, request->binary_bytes);
	pthread_mutex_init(&compile->lock, NULL);
	vrs_cond_init(&compile->changed);
	return compile;
}

enum vrs_status vrs_ocl_compile_start(struct vrs_ocl_compile **ret_compile, const struct vrs_ocl_compile_request *request, struct vrs_error *err)
{
	int code = clRetainContext(request->context);

	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "share its context with the compiler");
	struct vrs_ocl_compile *compile = create(request);

	if (!compile) {
		(void)clReleaseContext(request->context);
		return vrs_fail_nomem(err);
	}
	int failed = pthread_create(&compile->thread, NULL, compile_main, compile);

	if (failed != 0) {
		destroy(compile);
		return vrs_fail(err, VRS_EINTERNAL, "cannot start a thread: %s", strerror(failed));
	}
	*ret_compile = compile;
	return VRS_OK;
}

enum vrs_status vrs_ocl_compile_wait(struct vrs_ocl_compile *compile, uint64_t end_ns, struct vrs_ocl_compiled *ret_compiled)
{
	enum vrs_status status = VRS_OK;

	pthread_mutex_lock(&compile->lock);
	while (!compile->done && status == VRS_OK) {
		uint64_t now = vrs_now_ns(), look = now + LOOK_NS;

		if (vrs_stop_requested())
			status = VRS_ESTOPPED;
		else if (now >= end_ns)
			status = VRS_ETIMEOUT;
		else
			(void)vrs_cond_wait_until(&compile->changed, &compile->lock, look < end_ns ? look : end_ns);
	}
	if (status == VRS_OK) {
		*ret_compiled = compile->compiled;
		compile->compiled = (struct vrs_ocl_compiled){0};
	}
	pthread_mutex_unlock(&compile->lock);
	return status;
}

void vrs_ocl_compile_end(struct vrs_ocl_compile *compile)
{
	if (!compile)
		return;
	pthread_mutex_lock(&compile->lock);
	pthread_t thread = compile->thread;
	bool done = compile->done;

	compile->given_up = !done;
	if (!done)
		note_running();
	pthread_mutex_unlock(&compile->lock);
	if (!done) {
		(void)pthread_detach(thread); /* the object is its own now */
		return;
	}
	(void)pthread_join(thread, NULL); /* with the driver's own ends of threads */
	destroy(compile);
}
