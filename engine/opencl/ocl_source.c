/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define MAX_TEXT (16u << 20)
#define MAX_INSTANCES 65536

static const char *template_text(const char *name)
{
	for (const struct vrs_ocl_template *t = vrs_ocl_templates; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t->text;
	return NULL;
}

enum vrs_status vrs_ocl_source_init(struct vrs_ocl_source *ret_source)
{
	memset(ret_source, 0, sizeof *ret_source);
	vrs_buf_init(&ret_source->text, MAX_TEXT);
	return vrs_buf_puts(&ret_source->text, template_text("prelude"));
}

enum vrs_status vrs_ocl_source_include(struct vrs_ocl_source *source, const char *template_name)
{
	return vrs_buf_puts(&source->text, template_text(template_name));
}

void vrs_ocl_source_fini(struct vrs_ocl_source *source)
{
	vrs_buf_fini(&source->text);
	vrs_free(source->instances);
	*source = (struct vrs_ocl_source){0};
}

void vrs_ocl_define(struct vrs_ocl_defines *defines, const char *name, const char *format, ...)
{
	size_t room = sizeof defines->text - defines->length;
	int head = snprintf(defines->text + defines->length, room, "#define %s ", name), value = -1;

	if (head > 0 && (size_t)head < room) {
		va_list args;

		va_start(args, format);
		value = vsnprintf(defines->text + defines->length + head, room - (size_t)head, format, args);
		va_end(args);
	}
	if (value < 0 || (size_t)head + (size_t)value + 2 > room) {
		defines->full = true;
		return;
	}
	defines->length += (size_t)head + (size_t)value;
	defines->text[defines->length++] = '\n';
	defines->text[defines->length] = '\0';
}

/* "#undef NAME" for every "#define NAME": the next instance has values of its own. */
static enum vrs_status append_undefs(struct vrs_buf *text, const char *defines)
{
	enum vrs_status status = VRS_OK;

	for (const char *line = defines; status == VRS_OK && *line; line = strchr(line, '\n') + 1) {
		const char *name = line + strlen("#define ");

		status = vrs_buf_printf(text, "#undef %.*s\n", (int)strcspn(name, " ("), name);
	}
	return status;
}

static enum vrs_status append_instance(struct vrs_buf *text, const char *kernel, const char *template, const char *defines)
{
	enum vrs_status status = vrs_buf_printf(text, "\n#define KERNEL %s\n#define NAME(x) %s_##x\n", kernel, kernel);

	if (status == VRS_OK)
		status = vrs_buf_puts(text, defines);
	if (status == VRS_OK)
		status = vrs_buf_puts(text, template);
	if (status == VRS_OK)
		status = append_undefs(text, defines);
	return status == VRS_OK ? vrs_buf_puts(text, "#undef KERNEL\n#undef NAME\n") : status;
}

enum vrs_status vrs_ocl_source_add(struct vrs_ocl_source *source, const char *template_name, const struct vrs_ocl_defines *defines,
				   char ret_kernel[VRS_OCL_KERNEL_NAME], struct vrs_error *err)
{
	const char *template = template_text(template_name);

	if (!template)
		return vrs_fail(err, VRS_EINTERNAL, "there is no kernel template \"%s\"", template_name);
	if (defines->full)
		return vrs_fail(err, VRS_ELIMIT, "a kernel of template \"%s\" has too many defines", template_name);
	uint64_t hash = vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, template_name), defines->text);

	for (size_t i = 0; i < source->count; i++)
		if (source->instances[i].hash == hash) {
			memcpy(ret_kernel, source->instances[i].kernel, VRS_OCL_KERNEL_NAME);
			return VRS_OK;
		}
	enum vrs_status status = vrs_array_grow(&source->instances, &source->capacity, source->count + 1, sizeof *source->instances, MAX_INSTANCES);

	if (status == VRS_OK) {
		(void)snprintf(ret_kernel, VRS_OCL_KERNEL_NAME, "%.32s_%zu", template_name, source->count);
		status = append_instance(&source->text, ret_kernel, template, defines->text);
	}
	if (status != VRS_OK)
		return status == VRS_ENOMEM ? vrs_fail_nomem(err) : vrs_fail(err, status, "the program of the network is too long");
	struct vrs_ocl_instance *added = &source->instances[source->count++];

	added->hash = hash;
	memcpy(added->kernel, ret_kernel, VRS_OCL_KERNEL_NAME);
	return VRS_OK;
}
