/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that the device cannot run. */
#ifndef VRS_OPENCL_OCL_HOST_STEP_H
#define VRS_OPENCL_OCL_HOST_STEP_H

#include "opencl/ocl_stream.h"

/* Compute one node on the host: fetch its operands, call the reference, send the result. Blocks. VRS_EDEVICE. */
enum vrs_status vrs_ocl_host_step(struct vrs_ocl_stream *stream, const struct vrs_node *node, struct vrs_error *err);

#endif
