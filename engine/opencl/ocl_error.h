/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codes of OpenCL calls as statuses with context. */
#ifndef VRS_OPENCL_OCL_ERROR_H
#define VRS_OPENCL_OCL_ERROR_H

#include <vrseg/status.h>

/* "CL_OUT_OF_RESOURCES"; "error -1234" for codes that no header names. Valid for ever, or until the thread's next call. */
const char *vrs_ocl_code_name(int code);
/*
 * The status of a code: VRS_OK for CL_SUCCESS, VRS_ENOMEM for lack of memory on the device or the host, VRS_EUNSUPPORTED for what a device does not
 * offer, VRS_EDEVICE for a device or driver that fails.
 */
enum vrs_status vrs_ocl_status(int code);
/* Of a call that takes memory for the first time, where drivers also answer CL_OUT_OF_RESOURCES for the lack of it: that is VRS_ENOMEM then. */
enum vrs_status vrs_ocl_memory_status(int code);
/* VRS_OK for CL_SUCCESS; else vrs_fail: "the OpenCL device cannot WHAT (CODE)". */
enum vrs_status vrs_ocl_check(struct vrs_error *err, int code, const char *what);

#endif
