/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device can do at best, measured: the lines that shares of a profile are drawn against, as vrs_machine_ceilings does it for the CPU. */
#ifndef VRS_OPENCL_OCL_CEILINGS_H
#define VRS_OPENCL_OCL_CEILINGS_H

#include <vrseg/session.h>

#include "opencl/ocl_context.h"

/*
 * Measure in about a second, each figure the best of several repeats; needs an otherwise idle device and 128 MiB of it (less where it has less).
 * The context must have been opened with profiling.  VRS_EINVAL: it was not; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_ceilings(const struct vrs_ocl_context *context, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err);

#endif
