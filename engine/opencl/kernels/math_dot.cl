/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before kernels of bytes (ocl_dot.h), on a device that has dot products: sum + the four unsigned bytes of a times the four signed ones of w. */
#ifdef cl_khr_integer_dot_product
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#endif
#define DOT4(a, w, sum) ((sum) + dot_4x8packed_us_int(a, as_uint(w)))
