/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Program text: a prelude, then one instance of a template (kernels/NAME.cl) for every set of defines that a step needs.  Two steps with the same
 * template and defines share a kernel.  A template declares one kernel, KERNEL, and names its own helpers NAME(helper).
 */
#ifndef VRS_OPENCL_OCL_SOURCE_H
#define VRS_OPENCL_OCL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "base/buf.h"

/* The templates of the folder kernels, made by cmake/opencl_kernels.cmake; the last has no name. */
struct vrs_ocl_template {
	const char *name, *text;
};
extern const struct vrs_ocl_template vrs_ocl_templates[];

#define VRS_OCL_KERNEL_NAME 48

/* Lines "#define NAME VALUE" of one instance. */
struct vrs_ocl_defines {
	char text[24576];
	size_t length;
	bool full;                 /* something did not fit */
};

struct vrs_ocl_instance {
	uint64_t hash;             /* of template and defines */
	char kernel[VRS_OCL_KERNEL_NAME];
};

struct vrs_ocl_source {
	struct vrs_buf text;
	struct vrs_ocl_instance *instances;
	size_t count, capacity;
};

/* A text with the prelude. VRS_ENOMEM. */
enum vrs_status vrs_ocl_source_init(struct vrs_ocl_source *ret_source);
/* Append a template without a kernel, once, before the kernels that need it. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_ocl_source_include(struct vrs_ocl_source *source, const char *template_name);
void vrs_ocl_source_fini(struct vrs_ocl_source *source);
/* VALUE as printf. */
void vrs_ocl_define(struct vrs_ocl_defines *defines, const char *name, const char *format, ...) VRS_PRINTF(3, 4);
/*
 * The kernel of a template with these defines, appended to the text when it is new; its name in ret_kernel.  VRS_ENOMEM, VRS_ELIMIT (defines are
 * full, or the text grows beyond 16 MiB), VRS_EINTERNAL (no such template).
 */
enum vrs_status vrs_ocl_source_add(struct vrs_ocl_source *source, const char *template_name, const struct vrs_ocl_defines *defines,
				   char ret_kernel[VRS_OCL_KERNEL_NAME], struct vrs_error *err);

#endif
