/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before kernels that multiply in halves (ocl_math.h), on a device that does. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
