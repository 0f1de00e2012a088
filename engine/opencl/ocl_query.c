/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_query.h"

#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"

#define MAX_EXTENSIONS 65536 /* characters of an extension list */

static void ask(struct vrs_ocl_query *query, cl_device_info what, size_t size, void *value, size_t *ret_size)
{
	int code = clGetDeviceInfo(query->device, what, size, value, ret_size);

	if (query->code == CL_SUCCESS)
		query->code = code;
}

void vrs_ocl_ask(struct vrs_ocl_query *query, cl_device_info what, size_t size, void *value)
{
	ask(query, what, size, value, NULL);
}

void vrs_ocl_ask_text(struct vrs_ocl_query *query, cl_device_info what, char *buf, size_t size)
{
	char text[1024] = "";

	ask(query, what, sizeof text - 1, text, NULL);
	(void)vrs_strcpy(buf, size, text); /* a cut name is still a name */
}

uint64_t vrs_ocl_ask_ulong(struct vrs_ocl_query *query, cl_device_info what)
{
	cl_ulong value = 0;

	ask(query, what, sizeof value, &value, NULL);
	return value;
}

int vrs_ocl_ask_uint(struct vrs_ocl_query *query, cl_device_info what)
{
	cl_uint value = 0; /* cl_bool has the same size */

	ask(query, what, sizeof value, &value, NULL);
	return value <= INT32_MAX ? (int)value : 0;
}

size_t vrs_ocl_ask_size(struct vrs_ocl_query *query, cl_device_info what)
{
	size_t value = 0;

	ask(query, what, sizeof value, &value, NULL);
	return value;
}

bool vrs_ocl_ask_extension(struct vrs_ocl_query *query, const char *name)
{
	size_t size = 0, len = strlen(name);
	bool found = false;
	char *text;

	ask(query, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
	if (query->code != CL_SUCCESS || size == 0 || size > MAX_EXTENSIONS)
		return false;
	text = vrs_calloc(size + 1, 1);
	if (!text) {
		query->code = CL_OUT_OF_HOST_MEMORY;
		return false;
	}
	ask(query, CL_DEVICE_EXTENSIONS, size, text, NULL);
	for (char *p = strstr(text, name); p && !found; p = strstr(p + 1, name))
		found = (p == text || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0');
	vrs_free(text);
	return found;
}
