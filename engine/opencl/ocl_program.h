/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs from source text, from the cache of compiled ones where it has them. */
#ifndef VRS_OPENCL_OCL_PROGRAM_H
#define VRS_OPENCL_OCL_PROGRAM_H

#include "opencl/ocl_context.h"

#define VRS_OCL_BUILD_OPTIONS "-cl-std=CL1.2 -cl-mad-enable -w" /* -w: PoCL writes its count of warnings to standard error */
#define VRS_OCL_BUILD_OPTIONS_3 "-cl-std=CL3.0 -cl-mad-enable -w"
#define VRS_OCL_BUILD_SECONDS 120.0 /* large networks take drivers seconds to tens of seconds; what takes longer hangs */

struct vrs_ocl_build_request {
	const char *text;          /* OpenCL C */
	size_t length;             /* bytes of it */
	const char *what;          /* for messages; NULL: "the kernels" */
	const char *options;       /* of the compiler; NULL: VRS_OCL_BUILD_OPTIONS */
	bool cache;                /* take the binary from the cache folder (ocl_program_cache.h), and leave one there */
	double limit_seconds;      /* the compiler is given up after this time; 0: VRS_OCL_BUILD_SECONDS */
	bool quiet;                /* no lines about a slow build; the caller tells of it */
};

/* How it went. */
struct vrs_ocl_build {
	bool from_cache;           /* nothing was compiled from source */
	bool kept;                 /* the driver gave a binary, which is in the cache now */
	double seconds;
};

/*
 * Build a program for the context's device; the caller releases it (clReleaseProgram).  A build of more than a second logs two lines, and a third
 * where it cannot be kept; the compiler's messages go to the debug log.  cache has no effect on PoCL, which keeps what it compiles itself
 * (docs/opencl.md).
 *
 * VRS_EDEVICE: the compiler refuses the text (err has its first error), does not take it for another reason, or has not finished in time; then its
 * thread goes on (ocl_compile.h).  VRS_ESTOPPED: the program was asked to end meanwhile.  VRS_EUNSUPPORTED: the driver has no compiler; VRS_ENOMEM;
 * VRS_EINTERNAL: there is no thread for it.  ret_build (NULL: not wanted) is written only with a program.  Thread-safe.
 */
enum vrs_status vrs_ocl_program_build_with(cl_program *ret_program, struct vrs_ocl_build *ret_build, const struct vrs_ocl_context *context,
					   const struct vrs_ocl_build_request *request, struct vrs_error *err);
/* The same by few words. */
enum vrs_status vrs_ocl_program_build(cl_program *ret_program, const struct vrs_ocl_context *context, const char *text, size_t length, bool cache,
				      struct vrs_error *err);

#endif
