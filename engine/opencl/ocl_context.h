/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device in use: its context, three queues, and what it can do.  Sessions on one device share one; it ends with the last of them. */
#ifndef VRS_OPENCL_OCL_CONTEXT_H
#define VRS_OPENCL_OCL_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "opencl/ocl_api.h"

/* Whose rules of thumb fit (ocl_tiles.c). */
enum vrs_ocl_vendor { VRS_OCL_VENDOR_OTHER, VRS_OCL_VENDOR_NVIDIA, VRS_OCL_VENDOR_AMD, VRS_OCL_VENDOR_INTEL, VRS_OCL_VENDOR_CPU };

struct vrs_ocl_caps {
	char name[128], driver[128], version[128]; /* CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_VERSION */
	char platform[128];
	enum vrs_ocl_vendor vendor;
	bool is_cpu, unified;      /* memory is the host's */
	bool fp16_math;            /* cl_khr_fp16 */
	bool fp64;                 /* cl_khr_fp64 */
	bool int8_dot;             /* cl_khr_integer_dot_product with 4x8 bit */
	bool command_buffer;       /* cl_khr_command_buffer */
	bool one_thread;           /* the driver may be used by one thread at a time (vrs_ocl_context_enter) */
	bool emulated;             /* tests: what fp16_math and int8_dot promise is computed by floats and bytes */
	bool own_buffers;          /* tests: each value has a buffer of exactly its size, for tools that know bounds of buffers alone */
	int compute_units;
	size_t max_group;          /* work-items in a group */
	size_t max_items[3];       /* along each dimension */
	size_t local_bytes;        /* local memory of a group */
	size_t global_bytes, max_alloc_bytes;
};

struct vrs_cl_device;

/* Hash of what decides in which order it adds (ocl_order.h). Thread-safe. */
uint64_t vrs_ocl_caps_order(const struct vrs_ocl_caps *caps);

struct vrs_ocl_context {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	/* In order, each for one kind of work, so that transfers and kernels run side by side. */
	cl_command_queue upload, compute, download;
	struct vrs_ocl_caps caps;
	bool profiling;            /* of the queues */
	pthread_mutex_t turn;      /* of threads, with caps.one_thread */
	int users;                 /* sessions, under the lock of ocl_context.c */
	struct vrs_ocl_context *next;
};

/*
 * Open the device that `choice` names (vrs_ocl_choose), or join those who use it already; devices are listed once in a process.  profiling: events
 * have times; contexts with and without are two.  Thread-safe.  VRS_ENOTFOUND: no such device, or none at all (err lists what there is);
 * VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_context_open(struct vrs_ocl_context **ret_context, const char *choice, bool profiling, struct vrs_error *err);
/* The device that vrs_ocl_context_open would open; lives as long as the process. Thread-safe. Statuses of vrs_ocl_choose. */
enum vrs_status vrs_ocl_context_device(const struct vrs_cl_device **ret_device, const char *choice, struct vrs_error *err);
/* One user more, who closes too. Thread-safe. */
struct vrs_ocl_context *vrs_ocl_context_ref(struct vrs_ocl_context *context);
/*
 * Around whatever queues work and passes it to the device, where several threads do so.  Of a device that several threads may use these do nothing;
 * of another one thread goes on at a time, and all of its work is done when it leaves, so that no other thread's work waits for it.
 */
void vrs_ocl_context_enter(struct vrs_ocl_context *context);
void vrs_ocl_context_leave(struct vrs_ocl_context *context);
/* The last user ends it. NULL is fine. Thread-safe. */
void vrs_ocl_context_close(struct vrs_ocl_context *context);

#endif
