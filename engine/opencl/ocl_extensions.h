/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VRS_OPENCL_OCL_EXTENSIONS_H
#define VRS_OPENCL_OCL_EXTENSIONS_H

#include <stdbool.h>

#include "opencl/ocl_api.h"

/* Does the device list this extension? The whole name counts. */
bool vrs_ocl_has_extension(cl_device_id id, const char *name);

#endif
