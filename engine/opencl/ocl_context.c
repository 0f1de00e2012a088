/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_context.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "opencl/ocl_choice.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_guard.h"
#include "opencl/ocl_order.h"
#include "opencl/ocl_pocl.h"
#include "opencl/ocl_query.h"

#define MAX_IDS 64

/* Contexts in use, and the devices as they were listed first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vrs_ocl_context *contexts;
static struct vrs_ocl_list listed;

uint64_t vrs_ocl_caps_order(const struct vrs_ocl_caps *caps)
{
	return vrs_ocl_order_hash(&(struct vrs_ocl_order){
		.is_cpu = caps->is_cpu, .compute_units = caps->compute_units, .max_group = caps->max_group,
		.max_items = {caps->max_items[0], caps->max_items[1], caps->max_items[2]}, .local_bytes = caps->local_bytes,
	});
}

/* The handle of a listed device. */
static enum vrs_status find_ids(const struct vrs_cl_device *device, cl_platform_id *ret_platform, cl_device_id *ret_device, struct vrs_error *err)
{
	cl_platform_id platforms[MAX_IDS];
	cl_device_id devices[MAX_IDS];
	cl_uint platform_count = 0, device_count = 0;
	int code = clGetPlatformIDs(MAX_IDS, platforms, &platform_count);

	if (code == CL_SUCCESS && (cl_uint)device->platform < platform_count && device->platform < MAX_IDS)
		code = clGetDeviceIDs(platforms[device->platform], CL_DEVICE_TYPE_ALL, MAX_IDS, devices, &device_count);
	if (code != CL_SUCCESS || (cl_uint)device->device >= device_count || device->device >= MAX_IDS)
		return vrs_fail(err, VRS_EDEVICE, "the OpenCL device %s is gone since it was listed (%s)", device->name, vrs_ocl_code_name(code));
	*ret_platform = platforms[device->platform];
	*ret_device = devices[device->device];
	return VRS_OK;
}

static enum vrs_ocl_vendor vendor_of(const struct vrs_cl_device *device)
{
	static const struct {
		const char *text;
		enum vrs_ocl_vendor vendor;
	} vendors[] = {
		{"NVIDIA", VRS_OCL_VENDOR_NVIDIA}, {"Advanced Micro Devices", VRS_OCL_VENDOR_AMD}, {"AMD", VRS_OCL_VENDOR_AMD},
		{"Intel", VRS_OCL_VENDOR_INTEL},
	};

	if (device->is_cpu)
		return VRS_OCL_VENDOR_CPU;
	for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
		if (strstr(device->vendor, vendors[i].text))
			return vendors[i].vendor;
	return VRS_OCL_VENDOR_OTHER;
}

/*
 * PoCL's device "basic" (in later versions "cpu-minimal") runs commands in the thread that passes them to it.  Where another thread's command waits
 * for one of them (the queue's order suffices), PoCL runs it when that one is done, holding the lock of its event, which it then takes once more:
 * the thread waits for itself, for ever (PoCL 3.1, two streams).
 */
static bool is_one_thread(const struct vrs_cl_device *device)
{
	static const char *const names[] = {"basic", "cpu-minimal"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (vrs_ocl_is_pocl(device->platform_name) && strncmp(device->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static enum vrs_status fill_caps(struct vrs_ocl_caps *caps, const struct vrs_cl_device *device, cl_device_id id, struct vrs_error *err)
{
	struct vrs_ocl_query query = {.device = id, .code = CL_SUCCESS};

	(void)vrs_strcpy(caps->name, sizeof caps->name, device->name); /* a cut name is still a name */
	(void)vrs_strcpy(caps->driver, sizeof caps->driver, device->driver);
	(void)vrs_strcpy(caps->version, sizeof caps->version, device->version);
	(void)vrs_strcpy(caps->platform, sizeof caps->platform, device->platform_name);
	caps->vendor = vendor_of(device);
	caps->is_cpu = device->is_cpu;
	caps->one_thread = is_one_thread(device);
	caps->unified = device->unified_memory;
	caps->fp16_math = device->has_fp16;
	caps->fp64 = vrs_ocl_ask_extension(&query, "cl_khr_fp64");
	caps->int8_dot = vrs_ocl_ask_extension(&query, "cl_khr_integer_dot_product");
	caps->command_buffer = vrs_ocl_ask_extension(&query, "cl_khr_command_buffer");
	caps->compute_units = device->compute_units > 0 ? device->compute_units : 1;
	caps->max_group = device->max_group > 0 ? (size_t)device->max_group : 1;
	for (int i = 0; i < 3; i++)
		caps->max_items[i] = (size_t)device->max_items[i];
	caps->local_bytes = (size_t)device->local_bytes;
	caps->global_bytes = (size_t)device->global_bytes;
	caps->max_alloc_bytes = (size_t)device->max_alloc_bytes;
	return vrs_ocl_check(err, query.code, "say what it can do");
}

static void release(struct vrs_ocl_context *context)
{
	if (!context)
		return;
	const cl_command_queue queues[] = {context->upload, context->compute, context->download};

	for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++)
		if (queues[i])
			(void)clReleaseCommandQueue(queues[i]);
	if (context->context)
		(void)clReleaseContext(context->context);
	(void)pthread_mutex_destroy(&context->turn);
	vrs_free(context);
}

static enum vrs_status make_queues(struct vrs_ocl_context *context, struct vrs_error *err)
{
	cl_command_queue *const queues[] = {&context->upload, &context->compute, &context->download};
	int code = CL_SUCCESS;

	for (size_t i = 0; i < sizeof queues / sizeof queues[0] && code == CL_SUCCESS; i++)
		*queues[i] = clCreateCommandQueue(context->context, context->device, context->profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
	return vrs_ocl_check(err, code, "make a queue");
}

static enum vrs_status create(struct vrs_ocl_context **ret_context, const struct vrs_cl_device *device, cl_platform_id platform, cl_device_id id,
			      bool profiling, struct vrs_error *err)
{
	struct vrs_ocl_context *context = vrs_calloc(1, sizeof *context);
	int code = CL_SUCCESS;

	if (!context)
		return vrs_fail_nomem(err);
	(void)pthread_mutex_init(&context->turn, NULL); /* without attributes it cannot fail here */
	context->profiling = profiling;
	context->users = 1;
	context->platform = platform;
	context->device = id;
	enum vrs_status status = fill_caps(&context->caps, device, id, err);

	if (status == VRS_OK) {
		const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)context->platform, 0};

		context->context = clCreateContext(properties, 1, &context->device, NULL, NULL, &code);
		status = vrs_ocl_check(err, code, "make a context");
	}
	vrs_ocl_guard_name(device->platform_name, device->driver);
	if (status == VRS_OK)
		status = make_queues(context, err);
	if (status != VRS_OK) {
		release(context);
		return status;
	}
	*ret_context = context;
	return VRS_OK;
}

/* Under the lock. */
static enum vrs_status join_or_create(struct vrs_ocl_context **ret_context, const struct vrs_cl_device *device, bool profiling, struct vrs_error *err)
{
	cl_platform_id platform;
	cl_device_id id;
	enum vrs_status status = find_ids(device, &platform, &id, err);

	if (status != VRS_OK)
		return status;
	for (struct vrs_ocl_context *c = contexts; c; c = c->next)
		if (c->device == id && c->profiling == profiling) {
			c->users++;
			*ret_context = c;
			return VRS_OK;
		}
	status = create(ret_context, device, platform, id, profiling, err);
	if (status == VRS_OK) {
		(*ret_context)->next = contexts;
		contexts = *ret_context;
	}
	return status;
}

/* Under the lock.  A listing without devices is not kept: what was in the way may pass. */
static enum vrs_status choose(const struct vrs_cl_device **ret_device, const char *text, struct vrs_error *err)
{
	struct vrs_ocl_choice chosen;

	if (listed.count == 0)
		vrs_ocl_list_once(&listed);
	enum vrs_status status = vrs_ocl_choose(&listed, text, &chosen, err);

	if (status == VRS_OK)
		*ret_device = &listed.devices[chosen.index[0]];
	return status;
}

enum vrs_status vrs_ocl_context_open(struct vrs_ocl_context **ret_context, const char *choice, bool profiling, struct vrs_error *err)
{
	const struct vrs_cl_device *device = NULL;

	pthread_mutex_lock(&lock);
	enum vrs_status status = choose(&device, choice ? choice : "", err);

	if (status == VRS_OK)
		status = join_or_create(ret_context, device, profiling, err);
	pthread_mutex_unlock(&lock);
	return status;
}

enum vrs_status vrs_ocl_context_device(const struct vrs_cl_device **ret_device, const char *choice, struct vrs_error *err)
{
	pthread_mutex_lock(&lock);
	enum vrs_status status = choose(ret_device, choice ? choice : "", err);

	pthread_mutex_unlock(&lock);
	return status;
}

struct vrs_ocl_context *vrs_ocl_context_ref(struct vrs_ocl_context *context)
{
	pthread_mutex_lock(&lock);
	context->users++;
	pthread_mutex_unlock(&lock);
	return context;
}

void vrs_ocl_context_enter(struct vrs_ocl_context *context)
{
	if (context->caps.one_thread)
		pthread_mutex_lock(&context->turn);
}

void vrs_ocl_context_leave(struct vrs_ocl_context *context)
{
	if (!context->caps.one_thread)
		return;
	(void)clFinish(context->upload); /* what failed, the events tell */
	(void)clFinish(context->compute);
	(void)clFinish(context->download);
	pthread_mutex_unlock(&context->turn);
}

void vrs_ocl_context_close(struct vrs_ocl_context *context)
{
	if (!context)
		return;
	pthread_mutex_lock(&lock);
	if (--context->users == 0) {
		struct vrs_ocl_context **at = &contexts;

		while (*at != context)
			at = &(*at)->next;
		*at = context->next;
		release(context);
	}
	pthread_mutex_unlock(&lock);
}
