/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Element types of tensors, as models and sessions name them. */
#ifndef VRSEG_TENSOR_H
#define VRSEG_TENSOR_H

#include <stddef.h>
#include <stdint.h>

/* Little-endian, as in memory of the machine.  BOOL is one byte, 0 or 1; BF16 is the upper half of an F32. */
enum vrs_dtype {
	VRS_F32, VRS_F16, VRS_I32, VRS_I64, VRS_U8, VRS_I8, VRS_BOOL, VRS_F64, VRS_BF16, VRS_I16, VRS_U16, VRS_U32, VRS_U64,
	VRS_DTYPE_COUNT,
};

#define VRS_MAX_RANK 8

/* All dims of a tensor. */
struct vrs_shape {
	int rank;
	int64_t dims[VRS_MAX_RANK];
};

/* Bytes of one element; 0: no such type. */
size_t vrs_dtype_size(enum vrs_dtype dtype);
/* "float32", "int64", "bool", ...; "unknown". */
const char *vrs_dtype_name(enum vrs_dtype dtype);

#endif
