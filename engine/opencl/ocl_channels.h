/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels of maps as devices like to read them. */
#ifndef VRS_OPENCL_OCL_CHANNELS_H
#define VRS_OPENCL_OCL_CHANNELS_H

#include "graph/ir.h"

/*
 * Concats of channels that only dense convolutions read, and whose channels are no multiple of four, get channels of zeros up to one, and the
 * weights zeros to multiply them with: what reads and writes them does so four at a time.  Results are the same (but for 0 * NaN and 0 * infinity,
 * which there are none of: both factors are zeros).  Ids of tensors and nodes stay.  A graph that has been through it stays as it is.
 * Convolutions that share weights share the filled ones; a concat whose constants have no room stays as it is.  VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_fill_channels(struct vrs_graph *graph);

#endif
