/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One test case in the layout of the ONNX backend tests: DIR/model.onnx and DIR/test_data_set_N/{input,output}_I.pb, each a TensorProto. */
#ifndef TESTS_CASE_FILE_H
#define TESTS_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/npy.h>

#include "graph/ir.h"

/* Relative and absolute tolerance of ONNX's own runner (onnx/backend/test/runner); integers must be equal. */
#define CASE_RTOL 1e-3
#define CASE_ATOL 1e-7

/* |a - b| <= absolute + relative * |b| + of_largest * (largest |b| of the output), b the stored value. */
struct case_tolerance {
	double relative, absolute, of_largest;
};

struct vrs_model;

struct case_set {
	struct vrs_npy inputs[VRS_MAX_ENDS], outputs[VRS_MAX_ENDS];
	int input_count, output_count;
};

/*
 * Load DIR/model.onnx; inputs from number `keep` on become initializers with the values of data set `set` (keep VRS_MAX_ENDS: none).  Files of
 * opset 1 to 6, which the importer does not read, are taken as opset 7 where that changes nothing: the flags is_test and broadcast (without
 * axis), which later opsets imply, are dropped; any other use of an operator that changed is VRS_EUNSUPPORTED.
 */
enum vrs_status case_model_load(struct vrs_model **ret_model, const char *dir, int set, int keep, struct vrs_error *err);
/* Read data set number `set`. VRS_END: there is none; VRS_EUNSUPPORTED: values that are no plain tensors (text, sequences). */
enum vrs_status case_set_read(struct case_set *ret_set, const char *dir, int set, struct vrs_error *err);
void case_set_fini(struct case_set *set);
/* Type, shape and values of got (dense data) against want; a difference is described in err (VRS_EFORMAT). */
enum vrs_status case_compare(const struct vrs_npy *want, enum vrs_dtype dtype, int rank, const int *dims, const void *data,
			     const struct case_tolerance *tolerance, struct vrs_error *err);

#endif
