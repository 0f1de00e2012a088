/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of a run by the device's own clock: a row for each step, one for each transfer of an input or output, one for the gaps between kernels. */
#ifndef VRS_OPENCL_OCL_PROFILE_H
#define VRS_OPENCL_OCL_PROFILE_H

#include "opencl/ocl_end.h"
#include "opencl/ocl_stream.h"
#include "opencl/ocl_times.h"

struct vrs_ocl_profile {
	struct vrs_op_profile *rows; /* NULL: no profile */
	char (*names)[96];         /* of the rows */
	struct vrs_ocl_times times; /* of the last run */
	int count;
};

/* Rows without times on a zeroed profile. VRS_ENOMEM; vrs_ocl_profile_fini also after a failure. */
enum vrs_status vrs_ocl_profile_init(struct vrs_ocl_profile *profile, const struct vrs_ocl_plan *plan, struct vrs_error *err);
/* A zeroed profile is fine. */
void vrs_ocl_profile_fini(struct vrs_ocl_profile *profile);
/* Add the times of the last run, which is over, and of its transfers; the events of its steps are released. */
void vrs_ocl_profile_add(struct vrs_ocl_profile *profile, struct vrs_ocl_stream *stream, const struct vrs_ocl_end *inputs,
			 const struct vrs_ocl_end *outputs);

#endif
