/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of elements that are no plain floats (ocl_lower_typed.c), to which ocl_lower_element.c hands on what it does not cover. */
#ifndef VRS_OPENCL_OCL_TYPED_H
#define VRS_OPENCL_OCL_TYPED_H

#include "opencl/ocl_lower.h"

/* Any types and dims, no epilogue. */
vrs_ocl_lower_fn vrs_ocl_lower_binary_typed;
/* Any type, but of doubles only what keeps their bits. */
vrs_ocl_lower_fn vrs_ocl_lower_unary_typed;

#endif
