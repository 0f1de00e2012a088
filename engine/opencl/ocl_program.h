/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs from source text. */
#ifndef VRS_OPENCL_OCL_PROGRAM_H
#define VRS_OPENCL_OCL_PROGRAM_H

#include "opencl/ocl_context.h"

/*
 * Build a program for the context's device; the caller releases it (clReleaseProgram).  cache: take the binary from the cache folder when one of this
 * device, driver and text lies there, and leave one there.  VRS_EDEVICE: the compiler refuses it (err has the last line of its log), or does not end;
 * VRS_ENOMEM, VRS_EUNSUPPORTED (no compiler).
 */
enum vrs_status vrs_ocl_program_build(cl_program *ret_program, const struct vrs_ocl_context *context, const char *text, size_t length, bool cache,
				      struct vrs_error *err);

#endif
