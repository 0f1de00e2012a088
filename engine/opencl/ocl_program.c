/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_program.h"

#include <vrseg/log.h>

#include "base/buf.h"
#include "base/mem.h"
#include "opencl/ocl_error.h"

#define MAX_LOG (1u << 20)

/* The compiler's last word. */
static enum vrs_status build_failed(cl_program program, const struct vrs_ocl_context *context, int code, struct vrs_error *err)
{
	size_t size = 0;
	char *log = NULL;

	if (clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 0 && size < MAX_LOG)
		log = vrs_calloc(size + 1, 1);
	if (log && clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
		vrs_log(VRS_LOG_DEBUG, "opencl: %s", log);
	enum vrs_status status = vrs_fail(err, vrs_ocl_status(code), "the OpenCL compiler of %s refuses the kernels (%s): %.300s", context->caps.name,
					  vrs_ocl_code_name(code), log ? log : "no log");

	vrs_free(log);
	return status;
}

enum vrs_status vrs_ocl_program_build(cl_program *ret_program, const struct vrs_ocl_context *context, const char *text, size_t length, bool cache,
				      struct vrs_error *err)
{
	int code = CL_SUCCESS;
	cl_program program = clCreateProgramWithSource(context->context, 1, &text, &length, &code);

	(void)cache;
	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "take a program");
	code = clBuildProgram(program, 1, &context->device, "-cl-std=CL1.2 -cl-mad-enable", NULL, NULL);
	if (code != CL_SUCCESS) {
		enum vrs_status status = build_failed(program, context, code, err);

		(void)clReleaseProgram(program);
		return status;
	}
	*ret_program = program;
	return VRS_OK;
}
