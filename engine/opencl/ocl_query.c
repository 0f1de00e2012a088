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

/* The list of extensions, for the caller to free; NULL: there is none, or query->code says why. */
static char *ask_extensions(struct vrs_ocl_query *query)
{
	size_t size = 0;
	char *text;

	ask(query, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
	if (query->code != CL_SUCCESS || size == 0 || size > MAX_EXTENSIONS)
		return NULL;
	text = vrs_calloc(size + 1, 1);
	if (text)
		ask(query, CL_DEVICE_EXTENSIONS, size, text, NULL);
	else
		query->code = CL_OUT_OF_HOST_MEMORY;
	return text;
}

bool vrs_ocl_ask_extension(struct vrs_ocl_query *query, const char *name)
{
	size_t len = strlen(name);
	bool found = false;
	char *text = ask_extensions(query);

	for (char *p = text ? strstr(text, name) : NULL; p && !found; p = strstr(p + 1, name))
		found = (p == text || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0');
	vrs_free(text);
	return found;
}

void vrs_ocl_ask_extensions(struct vrs_ocl_query *query, char *buf, size_t size)
{
	char *text = ask_extensions(query);

	if (text && !vrs_strcpy(buf, size, text)) {
		char *end = strrchr(buf, ' ');

		if (end)
			*end = '\0'; /* half a name would be another one */
	}
	vrs_free(text);
}
