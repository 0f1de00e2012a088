/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_error.h"

#include <stdio.h>

#include "opencl/ocl_api.h"

static const struct code {
	int code;
	enum vrs_status status;
	const char *name;
} codes[] = {
#define CODE(name, status) {name, status, #name}
	CODE(CL_SUCCESS, VRS_OK),
	CODE(CL_DEVICE_NOT_FOUND, VRS_ENOTFOUND),
	CODE(CL_PLATFORM_NOT_FOUND_KHR, VRS_ENOTFOUND),
	CODE(CL_DEVICE_NOT_AVAILABLE, VRS_EDEVICE),
	CODE(CL_COMPILER_NOT_AVAILABLE, VRS_EUNSUPPORTED),
	CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, VRS_ENOMEM),
	CODE(CL_OUT_OF_RESOURCES, VRS_EDEVICE),
	CODE(CL_OUT_OF_HOST_MEMORY, VRS_ENOMEM),
	CODE(CL_PROFILING_INFO_NOT_AVAILABLE, VRS_EDEVICE),
	CODE(CL_MAP_FAILURE, VRS_ENOMEM),
	CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET, VRS_EDEVICE),
	CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, VRS_EDEVICE),
	CODE(CL_BUILD_PROGRAM_FAILURE, VRS_EDEVICE),
	CODE(CL_COMPILE_PROGRAM_FAILURE, VRS_EDEVICE),
	CODE(CL_LINK_PROGRAM_FAILURE, VRS_EDEVICE),
	CODE(CL_LINKER_NOT_AVAILABLE, VRS_EUNSUPPORTED),
	CODE(CL_INVALID_VALUE, VRS_EDEVICE),
	CODE(CL_INVALID_PLATFORM, VRS_EDEVICE),
	CODE(CL_INVALID_DEVICE, VRS_EDEVICE),
	CODE(CL_INVALID_CONTEXT, VRS_EDEVICE),
	CODE(CL_INVALID_QUEUE_PROPERTIES, VRS_EDEVICE),
	CODE(CL_INVALID_COMMAND_QUEUE, VRS_EDEVICE),
	CODE(CL_INVALID_MEM_OBJECT, VRS_EDEVICE),
	CODE(CL_INVALID_BINARY, VRS_EDEVICE),
	CODE(CL_INVALID_BUILD_OPTIONS, VRS_EDEVICE),
	CODE(CL_INVALID_PROGRAM, VRS_EDEVICE),
	CODE(CL_INVALID_PROGRAM_EXECUTABLE, VRS_EDEVICE),
	CODE(CL_INVALID_KERNEL_NAME, VRS_EDEVICE),
	CODE(CL_INVALID_KERNEL, VRS_EDEVICE),
	CODE(CL_INVALID_ARG_INDEX, VRS_EDEVICE),
	CODE(CL_INVALID_ARG_VALUE, VRS_EDEVICE),
	CODE(CL_INVALID_ARG_SIZE, VRS_EDEVICE),
	CODE(CL_INVALID_KERNEL_ARGS, VRS_EDEVICE),
	CODE(CL_INVALID_WORK_DIMENSION, VRS_EDEVICE),
	CODE(CL_INVALID_WORK_GROUP_SIZE, VRS_EDEVICE),
	CODE(CL_INVALID_WORK_ITEM_SIZE, VRS_EDEVICE),
	CODE(CL_INVALID_GLOBAL_OFFSET, VRS_EDEVICE),
	CODE(CL_INVALID_EVENT_WAIT_LIST, VRS_EDEVICE),
	CODE(CL_INVALID_EVENT, VRS_EDEVICE),
	CODE(CL_INVALID_OPERATION, VRS_EDEVICE),
	CODE(CL_INVALID_BUFFER_SIZE, VRS_ENOMEM),
	CODE(CL_INVALID_GLOBAL_WORK_SIZE, VRS_EDEVICE),
#undef CODE
};

static const struct code *find_code(int code)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].code == code)
			return &codes[i];
	return NULL;
}

const char *vrs_ocl_code_name(int code)
{
	static _Thread_local char text[32];
	const struct code *found = find_code(code);

	if (found)
		return found->name;
	(void)snprintf(text, sizeof text, "error %d", code);
	return text;
}

enum vrs_status vrs_ocl_status(int code)
{
	const struct code *found = find_code(code);

	return found ? found->status : VRS_EDEVICE;
}

enum vrs_status vrs_ocl_memory_status(int code)
{
	return code == CL_OUT_OF_RESOURCES ? VRS_ENOMEM : vrs_ocl_status(code);
}

enum vrs_status vrs_ocl_check(struct vrs_error *err, int code, const char *what)
{
	enum vrs_status status = vrs_ocl_status(code);

	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "the OpenCL device cannot %s (%s)", what, vrs_ocl_code_name(code));
}
