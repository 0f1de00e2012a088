/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a .npy file: magic, version, length, and a Python dictionary as text. */
#ifndef VRS_GRAPH_NPY_HEADER_H
#define VRS_GRAPH_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>
#include <vrseg/tensor.h>

struct vrs_npy_header {
	enum vrs_dtype dtype;
	bool fortran_order;          /* first dim fastest */
	int rank;
	int64_t dims[VRS_MAX_RANK];
	size_t data_offset;          /* of the first element in the file */
};

/* VRS_EFORMAT, VRS_EUNSUPPORTED, VRS_ELIMIT, with a sentence that begins with name. */
enum vrs_status vrs_npy_header_parse(struct vrs_npy_header *ret_header, const void *data, size_t size, const char *name, struct vrs_error *err);
/* Text of the whole header, a multiple of 64 bytes; returns its length, 0 when buf is too small (512 bytes always suffice). */
size_t vrs_npy_header_format(const struct vrs_npy_header *header, char *buf, size_t size);

#endif
