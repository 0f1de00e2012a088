/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_lower.h"

#include "base/mem.h"
#include "opencl/ocl_values.h"

/* Operators without a row are computed on the host. */
static vrs_ocl_lower_fn *const table[VRS_OP_COUNT] = {
	[VRS_OP_UNARY] = vrs_ocl_lower_unary,
	[VRS_OP_BINARY] = vrs_ocl_lower_binary,
	[VRS_OP_RESHAPE] = vrs_ocl_lower_reshape,
	[VRS_OP_DECONV] = vrs_ocl_lower_deconv,
