/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this process holds of the memory of each device, so that a limit counts a whole job: the sessions of all its streams, and the pictures that it
 * packs.  Memory that is pinned for transfers is the host's, and does not count.
 */
#ifndef VRS_OPENCL_OCL_MEMORY_H
#define VRS_OPENCL_OCL_MEMORY_H

#include "opencl/ocl_context.h"

/* What somebody is about to allocate. */
struct vrs_ocl_claim {
	uint64_t bytes;
	uint64_t most;             /* that the process may hold of the device with it; 0: no limit */
	const char *what, *remedy; /* for the message: "WHAT needs ... MiB ...; REMEDY, or allow more" */
};

/* The smaller one of a number of bytes and of a share (0 to 1) of the device's memory; of each, 0 is no limit. */
uint64_t vrs_ocl_memory_limit(const struct vrs_ocl_caps *caps, uint64_t bytes, double share);
/* Count the claim's bytes as held, until vrs_ocl_memory_give.  VRS_ELIMIT: it would exceed the limit, and nothing is counted. Thread-safe. */
enum vrs_status vrs_ocl_memory_take(const struct vrs_ocl_context *context, const struct vrs_ocl_claim *claim, struct vrs_error *err) VRS_MUST_CHECK;
/* Of what was taken, these bytes are free again. 0 is fine. Thread-safe. */
void vrs_ocl_memory_give(const struct vrs_ocl_context *context, uint64_t bytes);

#endif
