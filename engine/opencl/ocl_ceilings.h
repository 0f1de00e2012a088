/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device can do at best, measured: the lines that shares of a profile are drawn against, as vrs_machine_ceilings does it for the CPU. */
#ifndef VRS_OPENCL_OCL_CEILINGS_H
#define VRS_OPENCL_OCL_CEILINGS_H

#include "opencl/ocl_context.h"

/* GFLOP/s count a multiply-add as two; GB are 1e9 bytes.  0: the device has given no time. */
struct vrs_ocl_ceilings {
	double fma_gflops;         /* fp32 in registers, on all compute units */
	double copy_gbps;          /* bytes read and written in device memory a second */
	double upload_gbps, download_gbps; /* between pinned host memory and the device */
	double launch_us;          /* from one empty kernel to the next in a queue */
};

/*
 * Measure in about a second, each figure the best of several repeats; needs an otherwise idle device and 128 MiB of it (less where it has less).
 * The context must have been opened with profiling.  VRS_EINVAL: it was not; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_ceilings(const struct vrs_ocl_context *context, struct vrs_ocl_ceilings *ret_ceilings, struct vrs_error *err);

#endif
