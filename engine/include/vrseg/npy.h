/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NumPy array files (.npy, format versions 1.0 to 3.0).
 *
 * Every element type of vrs_dtype has a NumPy name; bfloat16, which NumPy itself lacks, is written as two raw bytes ("<V2"), the way the
 * Python package ml_dtypes does: array.view(ml_dtypes.bfloat16).  Big-endian files are refused.
 */
#ifndef VRSEG_NPY_H
#define VRSEG_NPY_H

#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>
#include <vrseg/tensor.h>

struct vrs_npy {
	enum vrs_dtype dtype;
	int rank;                    /* 0: a single number */
	int64_t dims[VRS_MAX_RANK];
	size_t elements, bytes;
	void *data;                  /* dense, last dim fastest, whatever the order in the file; 64-byte aligned, owned */
};

/*
 * Read a file.  VRS_ENOTFOUND, VRS_EIO; VRS_EFORMAT: no .npy file, damaged, or shorter or longer than its shape says; VRS_EUNSUPPORTED: element types
 * (objects, strings, complex numbers, records, big-endian) and format versions; VRS_ELIMIT: above a limit of graph/model_limits.h; VRS_ENOMEM.
 * After a failure *ret_array is empty and needs no vrs_npy_fini.
 */
enum vrs_status vrs_npy_read(struct vrs_npy *ret_array, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Same from memory, with the same statuses but those of files; name is used in messages. */
enum vrs_status vrs_npy_parse(struct vrs_npy *ret_array, const void *data, size_t size, const char *name, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_npy_fini(struct vrs_npy *array); /* a zeroed array is fine */
/* Write dense data as version 1.0, in place of a file that may exist; a failure leaves the old one. VRS_EINVAL, VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_npy_write(const char *path, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
