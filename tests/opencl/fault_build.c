/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds of programs that fail with a log, or hang, and the kernels of a program. */
#include "fault_wrap.h"

#include <unistd.h>

#define BUILD_LOG "fault layer: this build fails\n<kernel>:7:3: error: expected ';' after expression\n"

/* A build that is told to end later never does. */
static bool hangs(void(CL_CALLBACK *call)(cl_program, void *))
{
	while (fault_settings()->build == FAULT_BUILD_HANG && !call)
		(void)pause();
	return fault_settings()->build == FAULT_BUILD_HANG;
}

cl_int CL_API_CALL layer_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
						void(CL_CALLBACK *call)(cl_program, void *), void *data)
{
	cl_int code;

	if (fault_due(FAULT_CALL_clBuildProgram, program, false, &code))
		return code;
	if (fault_settings()->build == FAULT_BUILD_FAIL)
		return CL_BUILD_PROGRAM_FAILURE;
	return hangs(call) ? CL_SUCCESS : next->clBuildProgram(program, n, devices, options, call, data);
}

cl_int CL_API_CALL layer_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options, cl_uint n_headers,
						  const cl_program *headers, const char **header_names, void(CL_CALLBACK *call)(cl_program, void *),
						  void *data)
{
	cl_int code;

	if (fault_due(FAULT_CALL_clCompileProgram, program, false, &code))
		return code;
	if (fault_settings()->build == FAULT_BUILD_FAIL)
		return CL_COMPILE_PROGRAM_FAILURE;
	return hangs(call) ? CL_SUCCESS : next->clCompileProgram(program, n, devices, options, n_headers, headers, header_names, call, data);
}

cl_int CL_API_CALL layer_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t room, void *value,
						       size_t *ret_bytes)
{
	const enum fault_build build = fault_settings()->build;
	const cl_build_status status = build == FAULT_BUILD_FAIL ? CL_BUILD_ERROR : CL_BUILD_IN_PROGRESS;
	cl_int code;

	if (fault_due(FAULT_CALL_clGetProgramBuildInfo, program, true, &code))
		return code;
	if (build != FAULT_BUILD_REAL && what == CL_PROGRAM_BUILD_STATUS)
		return fault_give(&status, sizeof status, room, value, ret_bytes);
	if (build == FAULT_BUILD_FAIL && what == CL_PROGRAM_BUILD_LOG)
		return fault_give(BUILD_LOG, sizeof BUILD_LOG, room, value, ret_bytes);
	return next->clGetProgramBuildInfo(program, device, what, room, value, ret_bytes);
}

cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *ret_n)
{
	cl_uint count = 0;
	cl_int code;

	if (fault_due(FAULT_CALL_clCreateKernelsInProgram, program, false, &code))
		return code;
	code = next->clCreateKernelsInProgram(program, n, kernels, &count);
	for (cl_uint i = 0; code == CL_SUCCESS && kernels && i < count; i++)
		fault_add_object(FAULT_KERNEL, kernels[i], program, 0);
	if (ret_n)
		*ret_n = count;
	return code;
}
