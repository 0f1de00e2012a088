/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device that is asked one thing after the other.  The first error stays, so that a caller looks once, at the end: an answer that failed is 0, ""
 * or false, and half a description would pass for a device without memory, or for no GPU.
 */
#ifndef VRS_OPENCL_OCL_QUERY_H
#define VRS_OPENCL_OCL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl/ocl_api.h"

struct vrs_ocl_query {
	cl_device_id device;
	int code;                  /* CL_SUCCESS at first, then the first error */
};

/* The value of `size` bytes; unchanged after an error. */
void vrs_ocl_ask(struct vrs_ocl_query *query, cl_device_info what, size_t size, void *value);
/* Texts above 1022 characters are an error; what does not fit into size bytes is cut off. */
void vrs_ocl_ask_text(struct vrs_ocl_query *query, cl_device_info what, char *buf, size_t size);
uint64_t vrs_ocl_ask_ulong(struct vrs_ocl_query *query, cl_device_info what);
/* Of cl_uint and cl_bool; values above INT32_MAX are nonsense, and 0. */
int vrs_ocl_ask_uint(struct vrs_ocl_query *query, cl_device_info what);
size_t vrs_ocl_ask_size(struct vrs_ocl_query *query, cl_device_info what);
/* Does the device list this extension? The whole name counts. Allocates: no memory is CL_OUT_OF_HOST_MEMORY. */
bool vrs_ocl_ask_extension(struct vrs_ocl_query *query, const char *name);
/* All of them, separated by spaces; names that do not fit into size bytes are left out. */
void vrs_ocl_ask_extensions(struct vrs_ocl_query *query, char *buf, size_t size);

#endif
