/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of PoCL, the driver for CPUs: its name, and the folder of what it compiles. */
#ifndef VRS_OPENCL_OCL_POCL_H
#define VRS_OPENCL_OCL_POCL_H

#include <stdbool.h>
#include <stddef.h>

/* By CL_PLATFORM_NAME. */
bool vrs_ocl_is_pocl(const char *platform);
/* Where it compiles and keeps the results; it does neither without that.  For messages: printable, cut to size. */
void vrs_ocl_pocl_folder(char *buf, size_t size);

#endif
