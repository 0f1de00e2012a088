/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The OpenCL headers as the engine uses them: version 1.2, which every driver has; what is newer is an extension and asked for at run time. */
#ifndef VRS_OPENCL_OCL_API_H
#define VRS_OPENCL_OCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>
#include <CL/cl_ext.h>

#endif
