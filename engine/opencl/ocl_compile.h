/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A driver's compiler at work in a thread of its own, so that one that never ends is given up after a time.
 *
 * Such a thread cannot be ended: it keeps locks of the driver.  It goes on with copies of all that it needs, and gives back what it has when the
 * compiler ends after all.  If it still runs when the process ends, the process ends without the exit handlers of the driver, which would wait for
 * it or take away what it works on; the exit code stays.
 *
 * Not a child process: drivers do not survive fork, a program of its own would load the driver again, and the sandbox starts no programs.
 */
#ifndef VRS_OPENCL_OCL_COMPILE_H
#define VRS_OPENCL_OCL_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "opencl/ocl_api.h"

/* What to make; copied. */
struct vrs_ocl_compile_request {
	cl_context context;        /* of one device */
	cl_device_id device;
	const char *source, *options;
	size_t length;             /* bytes of source */
	const void *binary;        /* tried first, source when the driver does not take it; NULL: none */
	size_t binary_bytes;
	bool wants_binary;         /* of what was built from source */
};

/* What came out. */
struct vrs_ocl_compiled {
	int code;                  /* of the build from source; CL_SUCCESS: there is a program */
	cl_program program;
	bool from_binary;
	char *log;                 /* the compiler's, of the build from source; NULL: it said nothing */
	void *binary;              /* when wanted; NULL: the driver gives none */
	size_t binary_bytes;
};

struct vrs_ocl_compile;

/* Start. VRS_ENOMEM; VRS_EDEVICE; VRS_EINTERNAL: there is no thread for it. End it with vrs_ocl_compile_end. */
enum vrs_status vrs_ocl_compile_start(struct vrs_ocl_compile **ret_compile, const struct vrs_ocl_compile_request *request, struct vrs_error *err);
/*
 * Wait until end_ns (vrs_now_ns).  VRS_OK: ret_compiled is filled and the caller's: clReleaseProgram, vrs_free.  VRS_ETIMEOUT: not yet, wait again or
 * give up.  VRS_ESTOPPED: the program was asked to end (base/stop.h).  Sets no message.
 */
enum vrs_status vrs_ocl_compile_wait(struct vrs_ocl_compile *compile, uint64_t end_ns, struct vrs_ocl_compiled *ret_compiled);
/* Give up what still runs. NULL is fine. */
void vrs_ocl_compile_end(struct vrs_ocl_compile *compile);

#endif
